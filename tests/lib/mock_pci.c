/* SPDX-License-Identifier: BSD-2-Clause */
/* The mock tree; writes to driver_override, unbind and drivers_probe act as in the kernel. */
#include "tests/lib/mock_pci.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/pci.h"

static void die(const char *what)
{
	perror(what);
	abort();
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			die(path);
		*slash = '/';
	}
}

static void write_text(char *path, const char *text)
{
	FILE *f;

	make_parents(path);
	f = fopen(path, "we");
	if (!f || fputs(text, f) < 0 || fclose(f))
		die(path);
}

static void make_link(char *path, const char *target)
{
	make_parents(path);
	(void)unlink(path);
	if (symlink(target, path))
		die(path);
}

void mock_pci_file(struct mock_pci *mock, const char *name, const char *text)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", mock->root, name);
	write_text(path, text);
}

void mock_pci_link(struct mock_pci *mock, const char *name, const char *target)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", mock->root, name);
	make_link(path, target);
}

static void device_file(struct mock_pci *mock, const char *address, const char *name,
	const char *text)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", mock->sysfs, address, name);
	write_text(path, text);
}

static void device_number(struct mock_pci *mock, const char *address, const char *name,
	unsigned value)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "0x%04x\n", value);
	device_file(mock, address, name, text);
}

void mock_pci_rebind(struct mock_pci *mock, const char *address, const char *driver)
{
	char path[PATH_MAX], target[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/driver", mock->sysfs, address);
	(void)unlink(path);
	if (!driver)
		return;
	(void)snprintf(target, sizeof(target), "%s/bus/pci/drivers/%s", mock->sysfs, driver);
	make_link(path, target);
}

static void add_to_group(struct mock_pci *mock, const char *address, int group)
{
	char path[PATH_MAX], target[PATH_MAX];

	(void)snprintf(target, sizeof(target), "%s/bus/pci/devices/%s", mock->sysfs, address);
	(void)snprintf(path, sizeof(path), "%s/kernel/iommu_groups/%d/devices/%s", mock->sysfs,
		group, address);
	make_link(path, target);
	(void)snprintf(target, sizeof(target), "%s/kernel/iommu_groups/%d", mock->sysfs, group);
	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/iommu_group", mock->sysfs,
		address);
	make_link(path, target);
	(void)snprintf(path, sizeof(path), "%s/vfio/%d", mock->dev, group);
	write_text(path, "");
}

void mock_pci_add(struct mock_pci *mock, const char *address, unsigned ids, unsigned class_code,
	int group, const char *driver)
{
	unsigned i = mock->count++;

	if (i == MOCK_DEVICES_MAX)
		abort();
	(void)snprintf(mock->device[i].address, sizeof(mock->device[i].address), "%s", address);
	mock->device[i].native = driver;
	device_number(mock, address, "vendor", ids >> 16);
	device_number(mock, address, "device", ids & 0xffff);
	device_number(mock, address, "class", class_code);
	device_file(mock, address, "driver_override", "(null)\n");
	mock_pci_rebind(mock, address, driver);
	if (group >= 0)
		add_to_group(mock, address, group);
}

void mock_pci_interface(struct mock_pci *mock, const char *ifname, const char *address)
{
	char path[PATH_MAX], target[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/class/net/%s/operstate", mock->sysfs, ifname);
	write_text(path, "up\n");
	(void)snprintf(path, sizeof(path), "%s/class/net/%s/speed", mock->sysfs, ifname);
	write_text(path, "1000\n");
	if (!address)
		return;
	(void)snprintf(target, sizeof(target), "%s/bus/pci/devices/%s", mock->sysfs, address);
	(void)snprintf(path, sizeof(path), "%s/class/net/%s/device", mock->sysfs, ifname);
	make_link(path, target);
}

void mock_pci_route(struct mock_pci *mock, const char *ifname)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		"Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
		"lo0\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n"
		"%s\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n",
		ifname);
	mock_pci_file(mock, "proc/net/route", text);
}

const char *mock_pci_driver(struct mock_pci *mock, const char *address)
{
	static struct pci_device device;

	if (pci_device_read(mock->sysfs, address, &device, NULL))
		abort();
	return device.driver;
}

const char *mock_pci_override(struct mock_pci *mock, const char *address)
{
	static char text[64];
	char path[PATH_MAX];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/driver_override", mock->sysfs,
		address);
	f = fopen(path, "re");
	if (!f || !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		(void)fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* What the kernel does at drivers_probe: the override decides, else the ids do. */
static void probe(struct mock_pci *mock, const char *address)
{
	const char *driver = mock_pci_override(mock, address);
	char path[PATH_MAX];
	bool vfio;

	if (mock_pci_driver(mock, address)[0])
		return;
	for (unsigned i = 0; i < mock->count && (!driver[0] || driver[0] == '('); i++)
		if (!strcmp(mock->device[i].address, address))
			driver = mock->device[i].native ? mock->device[i].native : "none";
	vfio = !strcmp(driver, "vfio-pci");
	(void)snprintf(path, sizeof(path), "%s/bus/pci/drivers/%s", mock->sysfs, driver);
	if (!access(path, F_OK) && !(vfio && mock->vfio_refuses))
		mock_pci_rebind(mock, address, driver);
}

static void address_in(const char *path, char ret_address[PCI_ADDRESS_BYTES])
{
	const char *at = strstr(path, "/devices/");

	if (!at || strlen(at) < 22)
		abort();
	(void)snprintf(ret_address, PCI_ADDRESS_BYTES, "%.12s", at + 9);
}

static int kernel_write(void *ctx, const char *path, const char *text)
{
	struct mock_pci *mock = ctx;
	const char *name = strrchr(path, '/') + 1;
	char address[PCI_ADDRESS_BYTES], copy[PATH_MAX];

	mock->writes++;
	if (mock->die_at && mock->writes >= mock->die_at) {
		if (mock->dies)
			_exit(1);
		return -EINTR;
	}
	if (access(path, F_OK))
		return -ENOENT;
	if (!strcmp(name, "drivers_probe")) {
		probe(mock, text);
		return 0;
	}
	address_in(path, address);
	if (!strcmp(name, "unbind")) {
		mock_pci_rebind(mock, address, NULL);
		return 0;
	}
	if (!text[0]) /* writing nothing changes nothing: the trap of clearing an override */
		return 0;
	(void)snprintf(copy, sizeof(copy), "%s", path);
	write_text(copy, text);
	return 0;
}

static int kernel_load(void *ctx, const char *name)
{
	struct mock_pci *mock = ctx;
	char path[PATH_MAX];

	if (!mock->modules)
		return -ENOENT;
	(void)snprintf(path, sizeof(path), "%s/bus/pci/drivers/%s/unbind", mock->sysfs, name);
	write_text(path, "");
	return 0;
}

static bool kernel_owner(void *ctx, const char *text, char ret_ifname[IF_NAMESIZE])
{
	struct mock_pci *mock = ctx;

	(void)text;
	if (!mock->ssh_ifname)
		return false;
	(void)snprintf(ret_ifname, IF_NAMESIZE, "%s", mock->ssh_ifname);
	return true;
}

static void kernel_addresses(void *ctx, const char *ifname, char *ret, size_t size)
{
	struct mock_pci *mock = ctx;
	bool has = mock->addressed && !strcmp(mock->addressed, ifname);

	(void)snprintf(ret, size, "%s", has ? mock->addresses : "");
}

void mock_pci_init(struct mock_pci *mock)
{
	*mock = (struct mock_pci){.root = "/tmp/moderato-pci-XXXXXX"};
	if (!mkdtemp(mock->root))
		die(mock->root);
	(void)snprintf(mock->sysfs, sizeof(mock->sysfs), "%s/sys", mock->root);
	(void)snprintf(mock->proc, sizeof(mock->proc), "%s/proc", mock->root);
	(void)snprintf(mock->dev, sizeof(mock->dev), "%s/dev", mock->root);
	mock->host = (struct host){
		.sysfs = mock->sysfs,
		.proc = mock->proc,
		.dev = mock->dev,
		.ctx = mock,
		.address_owner = kernel_owner,
		.addresses_of = kernel_addresses,
		.write = kernel_write,
		.load_module = kernel_load,
	};
	(void)snprintf(mock->host.state_dir, sizeof(mock->host.state_dir), "%s/state", mock->root);
	mock_pci_file(mock, "sys/bus/pci/drivers_probe", "");
	mock_pci_file(mock, "sys/bus/pci/devices/none", "");
	mock_pci_file(mock, "sys/bus/pci/drivers/e1000e/unbind", "");
	mock_pci_file(mock, "sys/bus/pci/drivers/igb/unbind", "");
	mock_pci_file(mock, "sys/bus/pci/drivers/vfio-pci/unbind", "");
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void mock_pci_fini(struct mock_pci *mock)
{
	(void)nftw(mock->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
