/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks before a NIC is taken from the kernel; none of them changes anything. */
#include "tuner/nic_bind_private.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "common/vfio_holder.h"
#include "tuner/nic_move.h"
#include "tuner/nic_uses.h"

int nic_bind_look(const struct host *host, const char *text, struct nic_found *ret_nic,
	struct error *err)
{
	char address[PCI_ADDRESS_BYTES];

	if (!pci_address_parse(text, address))
		return error_usage(err,
			"%s: not a PCI address; give one that \"moderato devices\" shows, such as "
			"0000:03:00.0",
			text);
	return nic_look(host, address, ret_nic, err);
}

/* Who has the device: by its group's node or by its own. */
static bool find_holder(const struct host *host, const struct pci_device *pci,
	struct vfio_holder *ret_holder)
{
	int number = pci_vfio_number(host->sysfs, pci->address);
	char node[PATH_MAX];

	(void)snprintf(node, sizeof(node), "%s/vfio/%d", host->dev, pci->group);
	if (vfio_holder_find(host->proc, node, ret_holder))
		return true;
	(void)snprintf(node, sizeof(node), "%s/vfio/devices/vfio%d", host->dev, number);
	return number >= 0 && vfio_holder_find(host->proc, node, ret_holder);
}

int nic_bind_check_free(const struct host *host, const struct pci_device *pci, struct error *err)
{
	struct vfio_holder holder;

	if (pci->group < 0 || !find_holder(host, pci, &holder))
		return 0;
	return error_set(err, -EBUSY,
		"%s is in use: %s (pid %d) has its IOMMU group %d open; end it first%s", pci->address,
		holder.name, holder.pid, pci->group,
		strcmp(holder.name, "moderatod") ? "" : " with \"moderato down\"");
}

static int check_nic(const struct nic_found *nic, struct error *err)
{
	const struct pci_device *pci = &nic->pci;

	if (!pci_is_ethernet(pci))
		return error_set(err, -ENODEV,
			"%s is not an Ethernet device (%04x:%04x, class %06x); \"moderato devices\" "
			"lists those",
			pci->address, pci->vendor, pci->device, (unsigned)pci->class_code);
	if (nic->support != NIC_SUPPORTED)
		return error_set(err, -EOPNOTSUPP, "%s (%s%s%04x:%04x) cannot be driven: %s",
			pci->address, nic->part ? nic->part->name : "", nic->part ? ", " : "",
			pci->vendor, pci->device, nic_support_reason(nic));
	if (pci->group < 0)
		return error_set(err, -ENODEV,
			"%s is in no IOMMU group, without which VFIO cannot protect memory; switch the "
			"IOMMU on in the firmware and on the kernel's command line (intel_iommu=on)",
			pci->address);
	return 0;
}

static int list_moves(const struct host *host, struct nic_bind_plan *plan, struct error *err)
{
	struct pci_device members[PCI_GROUP_MEMBERS];
	const char *self = plan->nic.pci.address;
	int n = pci_group_read(host->sysfs, plan->nic.pci.group, members, PCI_GROUP_MEMBERS, err);

	for (int i = 0; i < n; i++) {
		bool is_self = !strcmp(members[i].address, self);

		if (is_self ? !pci_is_vfio(&members[i]) : pci_hinders_group(&members[i]))
			plan->move[plan->count++] = members[i];
	}
	return n < 0 ? n : 0;
}

/* "0000:44:00.0 (igb, eth4 up, 192.0.2.1, carries the default route)" */
static int name_move(const struct host *host, const struct pci_device *pci, const struct nic_uses *uses,
	char *text, size_t size)
{
	const char *use = nic_uses_text(uses, pci->address);
	struct nic_found nic = {0};
	char addresses[96] = "";

	if (!nic_look(host, pci->address, &nic, NULL) && nic.ifname[0])
		host->addresses_of(host->ctx, nic.ifname, addresses, sizeof(addresses));
	return snprintf(text, size, "%s (%s%s%s%s%s%s%s%s%s)", pci->address,
		pci->driver[0] ? pci->driver : "no driver", nic.ifname[0] ? ", " : "", nic.ifname,
		nic.ifname[0] ? " " : "", nic.link, addresses[0] ? ", " : "", addresses, use ? ", " : "",
		use ? use : "");
}

static void name_moves(const struct host *host, const struct nic_bind_plan *plan, const struct nic_uses *uses,
	char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < plan->count && len < size; i++) {
		len += (size_t)snprintf(text + len, size - len, "%s", i ? ", " : "");
		if (len < size)
			len += (size_t)name_move(host, &plan->move[i], uses, text + len, size - len);
	}
}

static int check_group(const struct host *host, const struct nic_bind_plan *plan,
	const struct nic_uses *uses, const struct nic_bind_request *request, struct error *err)
{
	const struct pci_device *pci = &plan->nic.pci;
	bool alone = plan->count == 0 ||
		     (plan->count == 1 && !strcmp(plan->move[0].address, pci->address));
	char names[360];

	if (alone || request->group)
		return 0;
	name_moves(host, plan, uses, names, sizeof(names));
	return error_set(err, -EPERM,
		"%s shares IOMMU group %d, which VFIO takes only whole: %s would have to move; "
		"--group moves them all",
		pci->address, pci->group, names);
}

static int check_move(const struct pci_device *pci, const struct nic_uses *uses, struct error *err)
{
	const char *use = nic_uses_text(uses, pci->address);

	if (use)
		return error_set(err, -EPERM,
			"%s %s, which would be cut; choose another NIC, or take it all the same with "
			"--force",
			pci->address, use);
	if (!pci_is_ethernet(pci))
		return error_set(err, -EPERM,
			"%s (%s) of the same IOMMU group is not a NIC (class %06x); move it all the same "
			"with --force",
			pci->address, pci->driver, (unsigned)pci->class_code);
	return 0;
}

static int check_moves(const struct host *host, const struct nic_bind_plan *plan,
	const struct nic_bind_request *request, struct error *err)
{
	struct nic_uses uses;
	int r;

	nic_uses_read(host, &uses);
	r = check_group(host, plan, &uses, request, err);
	for (unsigned i = 0; !r && !request->force && i < plan->count; i++)
		r = check_move(&plan->move[i], &uses, err);
	return r;
}

static int find_user(const char *user, uid_t *ret_uid, struct error *err)
{
	const struct passwd *entry;

	if (!user)
		return 0;
	entry = getpwnam(user);
	if (!entry)
		return error_usage(err, "--user %s: no such user on this machine", user);
	*ret_uid = entry->pw_uid;
	return 0;
}

int nic_bind_plan(const struct host *host, const struct nic_bind_request *request,
	struct nic_bind_plan *ret_plan, struct error *err)
{
	struct nic_bind_plan plan = {.uid = (uid_t)-1};
	int r = nic_bind_look(host, request->address, &plan.nic, err);

	if (!r)
		r = check_nic(&plan.nic, err);
	if (!r)
		r = find_user(request->user, &plan.uid, err);
	if (!r)
		r = list_moves(host, &plan, err);
	if (!r)
		r = check_moves(host, &plan, request, err);
	if (!r && plan.count)
		r = nic_bind_check_free(host, &plan.nic.pci, err);
	for (unsigned i = 0; !r && i < plan.count; i++)
		r = nic_move_allowed(host, plan.move[i].address, err);
	if (!r && plan.count)
		r = nic_move_load_vfio(host, err);
	if (!r)
		*ret_plan = plan;
	return r;
}
