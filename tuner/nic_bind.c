/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes NICs from the kernel and gives them back, with a record on disk before every move. */
#include "tuner/nic_bind.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tuner/nic_bind_private.h"
#include "tuner/nic_move.h"
#include "tuner/nic_records.h"

static void add_result(struct nic_bind_result *result, const char *address, const char *driver)
{
	unsigned i = result->count;

	if (i == PCI_GROUP_MEMBERS)
		return;
	(void)snprintf(result->moved[i].address, sizeof(result->moved[i].address), "%s", address);
	(void)snprintf(result->moved[i].driver, sizeof(result->moved[i].driver), "%s", driver);
	result->count++;
}

/* A device without driver may be one that an earlier bind left half-way: its record says more. */
static void remember(json_t *records, const struct nic_bind_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct pci_device *pci = &plan->move[i];
		struct nic_record record;

		if (pci->driver[0] || nic_records_get(records, pci->address, &record))
			(void)snprintf(record.driver, sizeof(record.driver), "%s", pci->driver);
		(void)snprintf(record.address, sizeof(record.address), "%s", pci->address);
		(void)snprintf(record.taken_for, sizeof(record.taken_for), "%s",
			plan->nic.pci.address);
		nic_records_put(records, &record);
	}
}

/* Devices that do not come back keep their record. */
static void roll_back(const struct host *host, json_t *records, const struct nic_bind_plan *plan,
	unsigned count)
{
	char driver[PCI_DRIVER_BYTES];

	while (count-- > 0) {
		struct nic_record record;
		const char *address = plan->move[count].address;

		if (!nic_records_get(records, address, &record) &&
			!nic_move_back(host, address, record.driver, driver, NULL))
			nic_records_drop(records, address);
	}
}

static int move_all(const struct host *host, json_t *records, const struct nic_bind_plan *plan,
	struct error *err)
{
	int r = 0;

	for (unsigned i = 0; !r && i < plan->count; i++) {
		r = nic_move_to_vfio(host, plan->move[i].address, err);
		if (r) {
			roll_back(host, records, plan, i + 1);
			/* those behind it were not touched */
			for (unsigned j = i + 1; j < plan->count; j++)
				nic_records_drop(records, plan->move[j].address);
			(void)nic_records_write(host, records, NULL);
		}
	}
	return r;
}

static int take(const struct host *host, const struct nic_bind_plan *plan, struct error *err)
{
	int lock = nic_records_lock(host, err), r;
	json_t *records = NULL;

	if (lock < 0)
		return lock;
	r = nic_records_read(host, &records, err);
	if (!r) {
		remember(records, plan);
		r = nic_records_write(host, records, err);
	}
	if (!r)
		r = move_all(host, records, plan, err);
	json_decref(records);
	(void)close(lock);
	return r;
}

static int give_file(const struct host *host, const struct nic_bind_plan *plan, const char *name, int number,
	struct error *err)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/vfio/%s%d", host->dev, name, number);
	if (chown(path, plan->uid, (gid_t)-1))
		return error_sys(err, -errno,
			"%s is bound to " PCI_DRIVER_VFIO ", but %s cannot be given to the user",
			plan->nic.pci.address, path);
	return 0;
}

/* The group's node, and the device's own where the kernel makes one. */
static int give_node(const struct host *host, const struct nic_bind_plan *plan, struct error *err)
{
	int number, r;

	if (plan->uid == (uid_t)-1)
		return 0;
	r = give_file(host, plan, "", plan->nic.pci.group, err);
	number = pci_vfio_number(host->sysfs, plan->nic.pci.address);
	return r || number < 0 ? r : give_file(host, plan, "devices/vfio", number, err);
}

int nic_bind(const struct host *host, const struct nic_bind_request *request,
	struct nic_bind_result *ret_result, struct error *err)
{
	struct nic_bind_result result = {0};
	struct nic_bind_plan plan;
	int r = nic_bind_plan(host, request, &plan, err);

	if (!r && plan.count)
		r = take(host, &plan, err);
	if (!r)
		r = give_node(host, &plan, err);
	if (r)
		return r;
	result.group = plan.nic.pci.group;
	for (unsigned i = 0; i < plan.count; i++)
		add_result(&result, plan.move[i].address, plan.move[i].driver);
	*ret_result = result;
	return 0;
}

static int give_back(const struct host *host, json_t *records, const char *address,
	const char *driver, struct nic_bind_result *result, struct error *err)
{
	char now[PCI_DRIVER_BYTES];
	int r = nic_move_back(host, address, driver, now, err);

	if (r && r != -ENODEV) /* one that was pulled out has nothing to give back */
		return r;
	nic_records_drop(records, address);
	if (!r)
		add_result(result, address, now);
	return nic_records_write(host, records, err);
}

/* All devices that one bind took. Names are copied first: giving back changes the records. */
static int give_back_all(const struct host *host, json_t *records, const char *taken_for,
	struct nic_bind_result *result, struct error *err)
{
	struct nic_record record, all[PCI_GROUP_MEMBERS];
	unsigned count = 0;
	const char *address;
	json_t *entry;
	int r = 0;

	json_object_foreach (records, address, entry)
		if (count < PCI_GROUP_MEMBERS && !nic_records_get(records, address, &record) &&
			!strcmp(record.taken_for, taken_for))
			all[count++] = record;
	for (unsigned i = 0; !r && i < count; i++)
		r = give_back(host, records, all[i].address, all[i].driver, result, err);
	return r;
}

static int unbind(const struct host *host, const struct nic_found *nic, json_t *records,
	struct nic_bind_result *result, struct error *err)
{
	const struct pci_device *pci = &nic->pci;
	struct nic_record record;

	if (!nic_records_get(records, pci->address, &record))
		return give_back_all(host, records, record.taken_for, result, err);
	if (pci_is_vfio(pci)) /* bound by somebody else: any driver that wants it */
		return give_back(host, records, pci->address, NULL, result, err);
	return error_set(err, -EINVAL, "%s is not bound to " PCI_DRIVER_VFIO ": %s%s", pci->address,
		pci->driver[0] ? "its driver is " : "it has no driver", pci->driver);
}

/* Whoever has a group open keeps that one; the rest goes back. */
static int give_back_records(const struct host *host, json_t *records, struct nic_bind_result *result,
	struct error *err)
{
	struct nic_record record, all[PCI_GROUP_MEMBERS];
	const char *address;
	unsigned count = 0;
	json_t *entry;
	int failed = 0;

	json_object_foreach (records, address, entry)
		if (count < PCI_GROUP_MEMBERS && !nic_records_get(records, address, &record))
			all[count++] = record;
	for (unsigned i = 0; i < count; i++) {
		struct pci_device pci;
		int r = pci_device_read(host->sysfs, all[i].address, &pci, NULL);

		if (!r)
			r = nic_bind_check_free(host, &pci, failed ? NULL : err);
		if (!r)
			r = nic_move_allowed(host, pci.address, failed ? NULL : err);
		if (!r || r == -ENODEV)
			r = give_back(host, records, all[i].address, all[i].driver, result, failed ? NULL : err);
		failed = failed ? failed : r;
	}
	return failed;
}

int nic_unbind_all(const struct host *host, struct nic_bind_result *ret_result, struct error *err)
{
	json_t *records = NULL;
	int lock = nic_records_lock(host, err), r;

	*ret_result = (struct nic_bind_result){.group = -1};
	if (lock < 0)
		return lock;
	r = nic_records_read(host, &records, err);
	if (!r)
		r = give_back_records(host, records, ret_result, err);
	json_decref(records);
	(void)close(lock);
	return r;
}

int nic_unbind(const struct host *host, const char *address, struct nic_bind_result *ret_result,
	struct error *err)
{
	struct nic_bind_result result = {0};
	json_t *records = NULL;
	struct nic_found nic;
	int lock, r = nic_bind_look(host, address, &nic, err);

	/* the kernel would wait in the write until the process lets go */
	if (!r)
		r = nic_bind_check_free(host, &nic.pci, err);
	if (!r)
		r = nic_move_allowed(host, nic.pci.address, err);
	if (r)
		return r;
	lock = nic_records_lock(host, err);
	if (lock < 0)
		return lock;
	r = nic_records_read(host, &records, err);
	if (!r)
		r = unbind(host, &nic, records, &result, err);
	json_decref(records);
	(void)close(lock);
	if (r)
		return r;
	result.group = nic.pci.group;
	*ret_result = result;
	return 0;
}
