/* SPDX-License-Identifier: BSD-2-Clause */
/* Default routes from /proc, the session's address, and the way from an interface to its NICs. */
#include "tuner/nic_uses.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOWER_PREFIX "lower_"
#define STACK_MAX    8 /* a VLAN on a bridge on a bond is 3 */

/* The device link of a virtio interface names a child of the PCI device: the last address counts. */
bool nic_interface_address(const struct host *host, const char *ifname,
	char ret_address[PCI_ADDRESS_BYTES])
{
	char path[PATH_MAX], real[PATH_MAX], *rest, *word;
	bool found = false;

	(void)snprintf(path, sizeof(path), "%s/class/net/%s/device", host->sysfs, ifname);
	if (!realpath(path, real))
		return false;
	for (word = strtok_r(real, "/", &rest); word; word = strtok_r(NULL, "/", &rest))
		if (strlen(word) > 7 && pci_address_parse(word, ret_address))
			found = true;
	return found;
}

static void add_use(struct nic_uses *uses, const char *address, enum nic_use_kind kind)
{
	struct nic_use *use = &uses->use[uses->count];

	if (uses->count == NIC_USES_MAX)
		return;
	(void)snprintf(use->address, sizeof(use->address), "%s", address);
	use->kind = kind;
	uses->count++;
}

static void add_interface(const struct host *host, struct nic_uses *uses, const char *ifname,
	enum nic_use_kind kind, unsigned depth)
{
	char address[PCI_ADDRESS_BYTES], path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	if (nic_interface_address(host, ifname, address))
		add_use(uses, address, kind);
	(void)snprintf(path, sizeof(path), "%s/class/net/%s", host->sysfs, ifname);
	dir = depth < STACK_MAX ? opendir(path) : NULL;
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, LOWER_PREFIX, strlen(LOWER_PREFIX)))
			add_interface(host, uses, entry->d_name + strlen(LOWER_PREFIX), kind,
				depth + 1);
	(void)closedir(dir);
}

/* Interface Destination Gateway Flags RefCnt Use Metric Mask ... */
static bool ipv4_default(const char *line, char ifname[IF_NAMESIZE])
{
	unsigned destination, mask;

	return sscanf(line, "%15s %x %*x %*x %*d %*d %*d %x", ifname, &destination, &mask) == 3 &&
	       destination == 0 && mask == 0;
}

/* Destination Length Source Length Gateway Metric RefCnt Use Flags Interface */
static bool ipv6_default(const char *line, char ifname[IF_NAMESIZE])
{
	char destination[33];
	unsigned length;

	return sscanf(line, "%32s %x %*s %*x %*s %*x %*x %*x %*x %15s", destination, &length,
		       ifname) == 3 &&
	       length == 0 && strspn(destination, "0") == 32;
}

static void add_routes(const struct host *host, struct nic_uses *uses, const char *file,
	bool (*is_default)(const char *line, char ifname[IF_NAMESIZE]))
{
	char path[PATH_MAX], line[512], ifname[IF_NAMESIZE];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/net/%s", host->proc, file);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (is_default(line, ifname))
			add_interface(host, uses, ifname, NIC_USE_DEFAULT_ROUTE, 0);
	(void)fclose(f);
}

void nic_uses_read(const struct host *host, struct nic_uses *ret_uses)
{
	char ifname[IF_NAMESIZE];

	ret_uses->count = 0;
	add_routes(host, ret_uses, "route", ipv4_default);
	add_routes(host, ret_uses, "ipv6_route", ipv6_default);
	if (host->session && host->address_owner(host->ctx, host->session, ifname))
		add_interface(host, ret_uses, ifname, NIC_USE_SESSION, 0);
}

const char *nic_uses_text(const struct nic_uses *uses, const char *address)
{
	static const char *const texts[] = {
		NULL,
		"carries the default route",
		"carries this session's connection",
		"carries the default route and this session's connection",
	};
	unsigned kinds = 0;

	for (unsigned i = 0; i < uses->count; i++)
		if (!strcmp(uses->use[i].address, address))
			kinds |= 1u << uses->use[i].kind;
	return texts[kinds];
}
