/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads PCI devices and their IOMMU groups from sysfs. */
#include "common/pci.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "0000:" in front of a short address: every machine has domain 0. */
static bool address_is_full(const char *text)
{
	static const char shape[] = "xxxx:xx:xx.o";

	for (size_t i = 0; i < sizeof(shape); i++) {
		char want = shape[i], have = text[i];
		bool fits = want == 'x' ? isxdigit((unsigned char)have) != 0 :
			    want == 'o' ? have >= '0' && have <= '7' :
					  have == want;

		if (!fits)
			return false;
	}
	return true;
}

bool pci_address_parse(const char *text, char ret_address[PCI_ADDRESS_BYTES])
{
	char full[PCI_ADDRESS_BYTES] = "0000:";
	size_t len = strlen(text);

	if (len != 7 && len != 12)
		return false;
	memcpy(full + (12 - len), text, len + 1);
	if (!address_is_full(full))
		return false;
	for (size_t i = 0; i < sizeof(full); i++)
		ret_address[i] = (char)tolower((unsigned char)full[i]);
	return true;
}

static void device_path(char path[PATH_MAX], const char *sysfs, const char *address, const char *name)
{
	(void)snprintf(path, PATH_MAX, "%s/bus/pci/devices/%s/%s", sysfs, address, name);
}

static int read_number(const char *sysfs, const char *address, const char *name, uint32_t *ret_value)
{
	char path[PATH_MAX];
	unsigned value;
	FILE *f;
	int n;

	device_path(path, sysfs, address, name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	n = fscanf(f, "%x", &value);
	(void)fclose(f);
	if (n != 1)
		return -EIO;
	*ret_value = value;
	return 0;
}

/* Last component of what the link @name of the device points to; "" when there is no such link. */
static void read_link(const char *sysfs, const char *address, const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t n;
	size_t len;

	ret[0] = '\0';
	device_path(path, sysfs, address, name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	len = strnlen(last, size - 1);
	memcpy(ret, last, len);
	ret[len] = '\0';
}

int pci_device_read(const char *sysfs, const char *address, struct pci_device *ret_device,
	struct error *err)
{
	struct pci_device device = {.group = -1};
	uint32_t vendor, id, class_code;
	char group[16];

	if (read_number(sysfs, address, "vendor", &vendor) < 0 ||
	    read_number(sysfs, address, "device", &id) < 0 ||
	    read_number(sysfs, address, "class", &class_code) < 0)
		return error_set(err, -ENODEV,
			"%s: no such PCI device; \"moderato devices\" lists the NICs that are here", address);
	(void)snprintf(device.address, sizeof(device.address), "%s", address);
	device.vendor = (uint16_t)vendor;
	device.device = (uint16_t)id;
	device.class_code = class_code;
	read_link(sysfs, address, "driver", device.driver, sizeof(device.driver));
	read_link(sysfs, address, "iommu_group", group, sizeof(group));
	if (group[0])
		device.group = (int)strtol(group, NULL, 10);
	*ret_device = device;
	return 0;
}

int pci_vfio_number(const char *sysfs, const char *address)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int number = -1;
	DIR *dir;

	device_path(path, sysfs, address, "vfio-dev");
	dir = opendir(path);
	while (dir && number < 0 && (entry = readdir(dir))) {
		char dev[sizeof(entry->d_name) + 8];

		/* without the node there is the folder, from Linux 6.1 on, but no device number in it */
		(void)snprintf(dev, sizeof(dev), "%s/dev", entry->d_name);
		if (sscanf(entry->d_name, "vfio%d", &number) != 1 || faccessat(dirfd(dir), dev, F_OK, 0))
			number = -1;
	}
	if (dir)
		(void)closedir(dir);
	return number;
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct pci_device *)a)->address, ((const struct pci_device *)b)->address);
}

int pci_group_read(const char *sysfs, int group, struct pci_device *ret_members, unsigned max,
	struct error *err)
{
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/kernel/iommu_groups/%d/devices", sysfs, group);
	dir = opendir(path);
	if (!dir)
		return error_sys(err, -errno, "%s", path);
	while (n < max && (entry = readdir(dir))) {
		char address[PCI_ADDRESS_BYTES];

		if (pci_address_parse(entry->d_name, address) &&
		    pci_device_read(sysfs, address, &ret_members[n], NULL) == 0)
			n++;
	}
	(void)closedir(dir);
	qsort(ret_members, n, sizeof(*ret_members), by_address);
	return (int)n;
}
