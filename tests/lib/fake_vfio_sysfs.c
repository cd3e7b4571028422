/* SPDX-License-Identifier: BSD-2-Clause */
/* The pretend kernel's sysfs and proc: files and links in a temporary directory. */
#include "tests/lib/fake_vfio.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_folder(const struct fake_vfio *f, const char *path)
{
	char full[256];

	(void)snprintf(full, sizeof(full), "%s/%s", f->root, path);
	for (char *p = full + strlen(f->root) + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(full, 0755);
		*p = '/';
	}
	(void)mkdir(full, 0755);
}

static void make_number(const struct fake_vfio *f, const char *folder, const char *name, unsigned value)
{
	char full[256];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s/%s/%s", f->root, folder, name);
	file = fopen(full, "we");
	if (file) {
		fprintf(file, "0x%04x\n", value);
		(void)fclose(file);
	}
}

static void make_link(const struct fake_vfio *f, const char *folder, const char *name, const char *target)
{
	char full[256];

	(void)snprintf(full, sizeof(full), "%s/%s/%s", f->root, folder, name);
	(void)unlink(full);
	if (target && symlink(target, full) < 0)
		perror(full);
}

void fake_vfio_device(struct fake_vfio *fake, const char *address, unsigned vendor, unsigned device,
	unsigned class_code, const char *driver, int group)
{
	char folder[128], members[128], target[128];

	(void)snprintf(folder, sizeof(folder), "bus/pci/devices/%s", address);
	make_folder(fake, folder);
	make_number(fake, folder, "vendor", vendor);
	make_number(fake, folder, "device", device);
	make_number(fake, folder, "class", class_code);
	(void)snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver ? driver : "");
	make_link(fake, folder, "driver", driver ? target : NULL);
	(void)snprintf(target, sizeof(target), "../../../kernel/iommu_groups/%d", group);
	make_link(fake, folder, "iommu_group", group >= 0 ? target : NULL);
	if (group >= 0) {
		(void)snprintf(members, sizeof(members), "kernel/iommu_groups/%d/devices/%s", group, address);
		make_folder(fake, members);
	}
}

void fake_vfio_no_cdev(struct fake_vfio *fake)
{
	make_folder(fake, "bus/pci/devices/0000:03:00.0/vfio-dev/vfio" FAKE_CDEV);
}

void fake_vfio_cdev(struct fake_vfio *fake)
{
	fake_vfio_no_cdev(fake);
	make_number(fake, "bus/pci/devices/0000:03:00.0/vfio-dev/vfio" FAKE_CDEV, "dev", 511);
}

void fake_vfio_process(struct fake_vfio *fake, int pid, const char *name, const char *node)
{
	char folder[64], path[256];
	FILE *file;

	(void)snprintf(folder, sizeof(folder), "proc/%d/fd", pid);
	make_folder(fake, folder);
	make_link(fake, folder, "9", node);
	(void)snprintf(path, sizeof(path), "%s/proc/%d/comm", fake->root, pid);
	file = fopen(path, "we");
	if (file) {
		fprintf(file, "%s\n", name);
		(void)fclose(file);
	}
}
