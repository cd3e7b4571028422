/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts together what the machine, the chip table and the bindings know of each NIC. */
#include "tuner/nic_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/nic_records.h"
#include "tuner/nic_scan.h"
#include "tuner/nic_uses.h"

/* NULL for "", which JSON says as null */
static const char *or_null(const char *text)
{
	return text && text[0] ? text : NULL;
}

static json_t *members_json(const struct host *host, const struct pci_device *pci)
{
	struct pci_device members[PCI_GROUP_MEMBERS];
	json_t *list = json_array();
	int n = pci->group < 0 ? 0 :
				 pci_group_read(host->sysfs, pci->group, members, PCI_GROUP_MEMBERS, NULL);

	for (int i = 0; i < n; i++)
		(void)json_array_append_new(list,
			json_pack("{s:s, s:s?, s:b}", "address", members[i].address, "driver",
				or_null(members[i].driver), "bridge", pci_is_bridge(&members[i])));
	return list;
}

static json_t *modes_json(const struct chip *chip)
{
	json_t *list = json_array();

	for (unsigned mode = 0; chip && mode < INTMODE_COUNT; mode++)
		if (chip->intmodes & INTMODE_BIT(mode))
			(void)json_array_append_new(list,
				json_string(intmode_name((enum intmode)mode)));
	return list;
}

static json_t *knobs_json(const struct chip *chip)
{
	json_t *list = json_array();

	for (unsigned id = 0; chip && id < KNOB_COUNT; id++)
		if (chip_has_knob(chip, (enum knob_id)id))
			(void)json_array_append_new(list, json_string(knob_table[id].name));
	return list;
}

/* The driver that the kernel had bound, as long as moderato's binding is still in force. */
static json_t *was_json(const struct nic_found *nic, const json_t *records)
{
	struct nic_record record;

	if (nic_records_get(records, nic->pci.address, &record) ||
		(nic->pci.driver[0] && !pci_is_vfio(&nic->pci)))
		return json_null();
	return json_string(record.driver[0] ? record.driver : "none");
}

static json_t *nic_json(const struct host *host, const struct nic_found *nic,
	const struct nic_uses *uses, const json_t *records)
{
	const struct chip *chip = nic->chip;
	char ids[16];

	(void)snprintf(ids, sizeof(ids), "%04x:%04x", nic->pci.vendor, nic->pci.device);
	return json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:i, s:o, s:o, s:o, s:o, s:s, s:s?, "
			 "s:s?, s:o}",
		"address", nic->pci.address, "ids", ids, "chip", nic->part ? nic->part->name : NULL,
		"family", chip ? chip_family_name(chip->family) : NULL, "driver",
		or_null(nic->pci.driver), "interface", or_null(nic->ifname), "link",
		or_null(nic->link), "speed_mbps", nic->speed_mbps, "iommu_group",
		nic->pci.group < 0 ? json_null() : json_integer(nic->pci.group), "group_members",
		members_json(host, &nic->pci), "interrupt_modes", modes_json(chip), "knobs",
		knobs_json(chip), "support", nic_support_name(nic->support), "reason",
		or_null(nic_support_reason(nic)), "use",
		nic_uses_text(uses, nic->pci.address), "taken_from", was_json(nic, records));
}

int nic_view_json(const struct host *host, bool all, json_t **ret_nics, struct error *err)
{
	struct nic_found *nics = calloc(NIC_SCAN_MAX, sizeof(*nics));
	struct nic_uses uses;
	json_t *records = NULL, *list;
	int n = nics ? nic_scan(host, all, nics, NIC_SCAN_MAX, err) :
		       error_sys(err, -ENOMEM, "cannot list NICs");
	int r = n < 0 ? n : nic_records_read(host, &records, err);

	if (!r) {
		nic_uses_read(host, &uses);
		list = json_array();
		for (int i = 0; i < n; i++)
			(void)json_array_append_new(list,
				nic_json(host, &nics[i], &uses, records));
		*ret_nics = list;
	}
	json_decref(records);
	free(nics);
	return r;
}

static void print_list(const char *address, const char *what, const json_t *list)
{
	char prefix[64], text[512] = "";
	size_t i, len = 0;
	json_t *word;

	if (!json_array_size(list))
		return;
	(void)snprintf(prefix, sizeof(prefix), "%s  %s ", address, what);
	json_array_foreach (list, i, word)
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
				i ? ", " : "", json_string_value(word));
	print_wrapped(stdout, prefix, text);
}

static void print_members(const json_t *nic)
{
	const json_t *members = json_object_get(nic, "group_members");
	json_t *words = json_array(), *member;
	char what[32];
	size_t i;

	json_array_foreach (members, i, member) {
		const char *driver = reply_string(member, "driver");

		if (strcmp(reply_string(member, "address"), reply_string(nic, "address")) != 0)
			(void)json_array_append_new(words,
				json_sprintf("%s (%s)", reply_string(member, "address"),
					json_is_true(json_object_get(member, "bridge")) ? "bridge" :
					driver[0]					? driver :
											  "no driver"));
	}
	(void)snprintf(what, sizeof(what), "group %lld also has",
		(long long)reply_int(nic, "iommu_group"));
	print_list(reply_string(nic, "address"), what, words);
	json_decref(words);
}

/* "supported", "refused: why", and what stands in the way or was done already. */
static void state_cell(struct columns *columns, const json_t *nic)
{
	const char *reason = reply_string(nic, "reason"), *use = reply_string(nic, "use"),
		   *was = reply_string(nic, "taken_from");
	bool unfinished = was[0] && !reply_string(nic, "driver")[0];

	columns_cell(columns, "%s%s%s%s%s%s%s", reply_string(nic, "support"), reason[0] ? ": " : "",
		reason, use[0] ? "; " : "", use,
		!was[0]	   ? "" :
		unfinished ? "; taken by moderato (\"unbind\" gives it back), was " :
			     "; bound by moderato, was ",
		was);
}

static void link_cell(struct columns *columns, const json_t *nic)
{
	const char *link = reply_string(nic, "link");
	int speed = (int)reply_int(nic, "speed_mbps");

	if (speed)
		columns_cell(columns, "%s %d", link, speed);
	else
		columns_cell(columns, "%s", link[0] ? link : "-");
}

static void text_cell(struct columns *columns, const json_t *nic, const char *name)
{
	const char *text = reply_string(nic, name);

	columns_cell(columns, "%s", text[0] ? text : "-");
}

static void print_row(struct columns *columns, const json_t *nic)
{
	const json_t *group = json_object_get(nic, "iommu_group");
	const char *chip = reply_string(nic, "chip");

	columns_cell(columns, "%s", reply_string(nic, "address"));
	columns_cell(columns, "%s", chip[0] ? chip : reply_string(nic, "ids"));
	text_cell(columns, nic, "family");
	text_cell(columns, nic, "driver");
	text_cell(columns, nic, "interface");
	link_cell(columns, nic);
	if (json_is_integer(group))
		columns_cell(columns, "%lld", (long long)json_integer_value(group));
	else
		columns_cell(columns, "-");
	state_cell(columns, nic);
	columns_end_row(columns);
}

static void print_table(const json_t *nics)
{
	static const char *const headings[] = {
		"ADDRESS", "CHIP", "FAMILY", "DRIVER", "INTERFACE", "LINK", "GROUP", "STATE"};
	struct columns *columns = columns_new("llllllrl");
	size_t i;
	json_t *nic;

	for (i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		columns_cell(columns, "%s", headings[i]);
	columns_end_heading(columns);
	json_array_foreach (nics, i, nic)
		print_row(columns, nic);
	columns_print_free(columns, stdout);
}

void nic_view_print(const json_t *nics)
{
	size_t i;
	json_t *nic;

	if (!json_array_size(nics)) {
		printf("no Ethernet NIC on this machine's PCI bus; try \"moderato up sim:82574L\"\n");
		return;
	}
	print_table(nics);
	json_array_foreach (nics, i, nic) {
		const char *address = reply_string(nic, "address");

		print_members(nic);
		print_list(address, "interrupts", json_object_get(nic, "interrupt_modes"));
		print_list(address, "knobs", json_object_get(nic, "knobs"));
	}
}
