/* SPDX-License-Identifier: BSD-2-Clause */
/* What `moderato devices` knows of a machine, on mock trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/lib/mock_pci.h"
#include "tuner/client.h"
#include "tuner/nic_records.h"
#include "tuner/nic_view.h"

#define ETHERNET 0x020000
#define WIFI	 0x028000
#define BRIDGE	 0x060400

static int set_up(void **state)
{
	static struct mock_pci mock;

	mock_pci_init(&mock);
	*state = &mock;
	return 0;
}

static int tear_down(void **state)
{
	mock_pci_fini(*state);
	return 0;
}

static json_t *look(struct mock_pci *mock, bool all)
{
	struct error err = {0};
	json_t *nics = NULL;

	if (nic_view_json(&mock->host, all, &nics, &err))
		fail_msg("%s", err.text);
	return nics;
}

/* One member of the NIC at @index, as text. */
static const char *member(const json_t *nics, size_t index, const char *name)
{
	return reply_string(json_array_get(nics, index), name);
}

static void a_driven_nic_has_its_chip_modes_knobs_and_link(void **state)
{
	struct mock_pci *mock = *state;
	const json_t *nic;
	json_t *nics;

	mock_pci_add(mock, "0000:03:00.0", 0x808610D3, ETHERNET, 12, "e1000e");
	mock_pci_interface(mock, "eth1", "0000:03:00.0");
	nics = look(mock, false);
	assert_int_equal(json_array_size(nics), 1);
	nic = json_array_get(nics, 0);
	assert_string_equal(reply_string(nic, "chip"), "82574L");
	assert_string_equal(reply_string(nic, "family"), "e1000e");
	assert_string_equal(reply_string(nic, "driver"), "e1000e");
	assert_string_equal(reply_string(nic, "interface"), "eth1");
	assert_string_equal(reply_string(nic, "link"), "up");
	assert_int_equal(reply_int(nic, "speed_mbps"), 1000);
	assert_int_equal(reply_int(nic, "iommu_group"), 12);
	assert_string_equal(reply_string(nic, "support"), "supported");
	assert_int_equal(json_array_size(json_object_get(nic, "interrupt_modes")), 3);
	assert_true(json_array_size(json_object_get(nic, "knobs")) > 10);
	assert_true(json_is_null(json_object_get(nic, "use")));
	json_decref(nics);
}

static void parts_that_are_not_driven_have_a_reason(void **state)
{
	struct mock_pci *mock = *state;
	json_t *nics;

	mock_pci_add(mock, "0000:00:19.0", 0x80861502, ETHERNET, 3, "e1000e");
	mock_pci_add(mock, "0000:01:00.0", 0x80861563, ETHERNET, 4, NULL);
	mock_pci_add(mock, "0000:02:00.0", 0x10EC8168, ETHERNET, -1, NULL);
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "support"), "refused");
	assert_non_null(strstr(member(nics, 0, "reason"), "chipset"));
	assert_string_equal(member(nics, 0, "chip"), "82579LM");
	assert_string_equal(member(nics, 1, "support"), "unknown");
	assert_non_null(strstr(member(nics, 1, "reason"), "gigabit"));
	assert_string_equal(member(nics, 2, "ids"), "10ec:8168");
	assert_non_null(strstr(member(nics, 2, "reason"), "Intel"));
	assert_true(json_is_null(json_object_get(json_array_get(nics, 2), "iommu_group")));
	json_decref(nics);
}

static void other_controllers_show_only_with_all_and_disks_never(void **state)
{
	struct mock_pci *mock = *state;
	json_t *nics;

	mock_pci_add(mock, "0000:05:00.0", 0x80862723, WIFI, 6, NULL);
	mock_pci_add(mock, "0000:04:00.0", 0x808610D3, ETHERNET, 5, "e1000e");
	mock_pci_add(mock, "0000:06:00.0", 0x144DA808, 0x010802, 7, NULL);
	nics = look(mock, false);
	assert_int_equal(json_array_size(nics), 1);
	json_decref(nics);
	nics = look(mock, true);
	assert_int_equal(json_array_size(nics), 2);
	assert_string_equal(member(nics, 0, "address"), "0000:04:00.0");
	assert_non_null(strstr(member(nics, 1, "reason"), "not an Ethernet"));
	json_decref(nics);
}

static void the_default_route_is_followed_through_vlan_and_bond(void **state)
{
	struct mock_pci *mock = *state;
	json_t *nics;

	mock_pci_add(mock, "0000:03:00.0", 0x808610D3, ETHERNET, 12, "e1000e");
	mock_pci_add(mock, "0000:04:00.0", 0x808610D3, ETHERNET, 13, "e1000e");
	mock_pci_interface(mock, "eth1", "0000:03:00.0");
	mock_pci_interface(mock, "eth2", "0000:04:00.0");
	mock_pci_interface(mock, "bond0.7", NULL);
	mock_pci_interface(mock, "bond0", NULL);
	mock_pci_link(mock, "sys/class/net/bond0.7/lower_bond0", "../bond0");
	mock_pci_link(mock, "sys/class/net/bond0/lower_eth1", "../eth1");
	mock_pci_route(mock, "bond0.7");
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "use"), "carries the default route");
	assert_string_equal(member(nics, 1, "use"), "");
	json_decref(nics);
}

static void an_ipv6_default_route_counts_and_a_prefix_does_not(void **state)
{
	struct mock_pci *mock = *state;
	json_t *nics;

	mock_pci_add(mock, "0000:03:00.0", 0x808610D3, ETHERNET, 12, "e1000e");
	mock_pci_add(mock, "0000:04:00.0", 0x808610D3, ETHERNET, 13, "e1000e");
	mock_pci_interface(mock, "eth1", "0000:03:00.0");
	mock_pci_interface(mock, "eth2", "0000:04:00.0");
	mock_pci_file(mock, "proc/net/ipv6_route",
		"fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
		"00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1\n"
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
		"fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth2\n");
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "use"), "");
	assert_string_equal(member(nics, 1, "use"), "carries the default route");
	json_decref(nics);
}

static void the_session_is_named_with_the_route(void **state)
{
	struct mock_pci *mock = *state;
	json_t *nics;

	mock_pci_add(mock, "0000:03:00.0", 0x808610D3, ETHERNET, 12, "e1000e");
	mock_pci_interface(mock, "eth1", "0000:03:00.0");
	mock->host.session = "192.0.2.1";
	mock->ssh_ifname = "eth1";
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "use"), "carries this session's connection");
	json_decref(nics);
	mock_pci_route(mock, "eth1");
	nics = look(mock, false);
	assert_string_equal(
		member(nics, 0, "use"), "carries the default route and this session's connection");
	json_decref(nics);
}

static void group_members_are_named_with_driver_and_bridges_marked(void **state)
{
	struct mock_pci *mock = *state;
	const json_t *members, *other;
	json_t *nics;

	mock_pci_add(mock, "0000:44:00.0", 0x80861521, ETHERNET, 15, "igb");
	mock_pci_add(mock, "0000:43:00.0", 0x80863C02, BRIDGE, 15, NULL);
	nics = look(mock, false);
	assert_int_equal(json_array_size(nics), 1);
	members = json_object_get(json_array_get(nics, 0), "group_members");
	assert_int_equal(json_array_size(members), 2);
	for (size_t i = 0; i < 2; i++) {
		other = json_array_get(members, i);
		assert_int_equal(json_is_true(json_object_get(other, "bridge")),
			!strcmp(reply_string(other, "address"), "0000:43:00.0"));
	}
	json_decref(nics);
}

static void what_a_nic_was_taken_from_shows_until_it_is_back(void **state)
{
	struct mock_pci *mock = *state;
	struct nic_record record = {"0000:03:00.0", "e1000e", "0000:03:00.0"};
	struct error err = {0};
	json_t *records, *nics;
	int lock;

	mock_pci_add(mock, "0000:03:00.0", 0x808610D3, ETHERNET, 12, "e1000e");
	lock = nic_records_lock(&mock->host, &err);
	assert_true(lock >= 0);
	assert_int_equal(nic_records_read(&mock->host, &records, &err), 0);
	nic_records_put(records, &record);
	assert_int_equal(nic_records_write(&mock->host, records, &err), 0);
	json_decref(records);
	(void)close(lock);
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "taken_from"), "");
	json_decref(nics);
	mock_pci_rebind(mock, "0000:03:00.0", "vfio-pci");
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "taken_from"), "e1000e");
	json_decref(nics);
	mock_pci_rebind(mock, "0000:03:00.0", NULL);
	nics = look(mock, false);
	assert_string_equal(member(nics, 0, "taken_from"), "e1000e");
	json_decref(nics);
}

int main(void)
{
#define ON_A_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ON_A_MACHINE(a_driven_nic_has_its_chip_modes_knobs_and_link),
		ON_A_MACHINE(parts_that_are_not_driven_have_a_reason),
		ON_A_MACHINE(other_controllers_show_only_with_all_and_disks_never),
		ON_A_MACHINE(the_default_route_is_followed_through_vlan_and_bond),
		ON_A_MACHINE(an_ipv6_default_route_counts_and_a_prefix_does_not),
		ON_A_MACHINE(the_session_is_named_with_the_route),
		ON_A_MACHINE(group_members_are_named_with_driver_and_bridges_marked),
		ON_A_MACHINE(what_a_nic_was_taken_from_shows_until_it_is_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
