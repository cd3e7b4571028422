/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds network controllers in sysfs and matches them with the table of parts. */
#include "tuner/nic_scan.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI_BASE_CLASS_NETWORK 0x02

const char *nic_support_name(enum nic_support support)
{
	static const char *const names[] = {"supported", "refused", "unknown"};

	return names[support];
}

const char *nic_support_reason(const struct nic_found *nic)
{
	if (nic->support == NIC_SUPPORTED)
		return "";
	if (nic->support == NIC_REFUSED)
		return nic->part->reason;
	if (!pci_is_ethernet(&nic->pci))
		return "it is not an Ethernet controller";
	return nic->pci.vendor == PCI_VENDOR_INTEL ? "it is not a gigabit chip of the driver's table" :
						     "it is not an Intel chip";
}

static void interface_file(const struct host *host, const char *ifname, const char *name, char *ret,
	size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	ret[0] = '\0';
	(void)snprintf(path, sizeof(path), "%s/class/net/%s/%s", host->sysfs, ifname, name);
	f = fopen(path, "re");
	if (!f)
		return;
	/* reading the speed of an interface that is down fails */
	if (!fgets(ret, (int)size, f))
		ret[0] = '\0';
	(void)fclose(f);
	ret[strcspn(ret, "\n")] = '\0';
}

static void find_interface(const struct host *host, struct nic_found *nic)
{
	char path[PATH_MAX], address[PCI_ADDRESS_BYTES], speed[16];
	struct dirent *entry;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/class/net", host->sysfs);
	dir = opendir(path);
	if (!dir)
		return;
	while (!nic->ifname[0] && (entry = readdir(dir)))
		if (strlen(entry->d_name) < IF_NAMESIZE &&
			nic_interface_address(host, entry->d_name, address) &&
			!strcmp(address, nic->pci.address))
			(void)snprintf(nic->ifname, sizeof(nic->ifname), "%.15s", entry->d_name);
	(void)closedir(dir);
	if (!nic->ifname[0])
		return;
	interface_file(host, nic->ifname, "operstate", nic->link, sizeof(nic->link));
	interface_file(host, nic->ifname, "speed", speed, sizeof(speed));
	nic->speed_mbps = (int)strtol(speed, NULL, 10);
	if (nic->speed_mbps < 0) /* -1: unknown */
		nic->speed_mbps = 0;
}

int nic_look(const struct host *host, const char *address, struct nic_found *ret_nic,
	struct error *err)
{
	struct nic_found nic = {.support = NIC_UNKNOWN};
	int r = pci_device_read(host->sysfs, address, &nic.pci, err);

	if (r)
		return r;
	nic.part = pci_id_find(nic.pci.vendor, nic.pci.device);
	nic.chip = chip_by_id(nic.pci.vendor, nic.pci.device);
	if (nic.part)
		nic.support = nic.chip ? NIC_SUPPORTED : NIC_REFUSED;
	find_interface(host, &nic);
	*ret_nic = nic;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct nic_found *)a)->pci.address,
		((const struct nic_found *)b)->pci.address);
}

static bool wanted(const struct nic_found *nic, bool all)
{
	return pci_is_ethernet(&nic->pci) ||
	       (all && nic->pci.class_code >> 16 == PCI_BASE_CLASS_NETWORK);
}

int nic_scan(const struct host *host, bool all, struct nic_found *ret_nics, unsigned max,
	struct error *err)
{
	char path[PATH_MAX], address[PCI_ADDRESS_BYTES];
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/bus/pci/devices", host->sysfs);
	dir = opendir(path);
	if (!dir)
		return error_sys(err, -errno, "cannot look for NICs: %s", path);
	while (n < max && (entry = readdir(dir)))
		if (pci_address_parse(entry->d_name, address) &&
			!nic_look(host, address, &ret_nics[n], NULL) && wanted(&ret_nics[n], all))
			n++;
	(void)closedir(dir);
	qsort(ret_nics, n, sizeof(*ret_nics), by_address);
	return (int)n;
}
