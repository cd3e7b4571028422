/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking NICs for VFIO and giving them back, on mock trees with the kernel's side of binding. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/util.h"
#include "tests/lib/mock_pci.h"
#include "tuner/nic_bind.h"
#include "tuner/nic_records.h"

#define ETHERNET 0x020000
#define BRIDGE	 0x060400
#define NVME	 0x010802
#define NIC	 "0000:03:00.0"

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

/* One 82574L of its own group, on its kernel driver. */
static struct mock_pci *lone_nic(void **state)
{
	struct mock_pci *mock = *state;

	mock_pci_add(mock, NIC, 0x808610D3, ETHERNET, 12, "e1000e");
	mock_pci_interface(mock, "eth1", NIC);
	return mock;
}

/* Four ports in one group: the first carries the default route, the last is with VFIO already. */
static struct mock_pci *group_14(void **state)
{
	struct mock_pci *mock = *state;

	mock_pci_add(mock, "0000:44:00.0", 0x808610D3, ETHERNET, 14, "e1000e");
	mock_pci_add(mock, "0000:44:00.1", 0x808610D3, ETHERNET, 14, "e1000e");
	mock_pci_add(mock, "0000:44:00.2", 0x808610D3, ETHERNET, 14, "e1000e");
	mock_pci_add(mock, "0000:44:00.3", 0x808610D3, ETHERNET, 14, "e1000e");
	mock_pci_rebind(mock, "0000:44:00.3", "vfio-pci");
	mock_pci_interface(mock, "eth4", "0000:44:00.0");
	mock_pci_route(mock, "eth4");
	return mock;
}

static int bind_nic(struct mock_pci *mock, const char *address, struct nic_bind_result *ret_result,
	struct error *err)
{
	struct nic_bind_request request = {.address = address};

	return nic_bind(&mock->host, &request, ret_result, err);
}

/* It failed with a sentence that says so, and nothing was written anywhere. */
static void assert_refused(struct mock_pci *mock, const struct nic_bind_request *request, bool usage,
	const char *why)
{
	struct nic_bind_result result;
	struct error err = {0};
	unsigned before = mock->writes;

	assert_true(nic_bind(&mock->host, request, &result, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("no \"%s\" in: %s", why, err.text);
	assert_int_equal(err.usage, usage);
	assert_int_equal(mock->writes, before);
	assert_int_not_equal(access(mock->host.state_dir, F_OK), 0);
}

static unsigned record_count(struct mock_pci *mock)
{
	struct error err = {0};
	json_t *records;
	unsigned n;

	assert_int_equal(nic_records_read(&mock->host, &records, &err), 0);
	n = (unsigned)json_object_size(records);
	json_decref(records);
	return n;
}

static void a_nic_goes_to_vfio_and_back(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_result result;
	struct error err = {0};

	assert_int_equal(bind_nic(mock, "03:00.0", &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "vfio-pci");
	assert_int_equal(result.count, 1);
	assert_int_equal(result.group, 12);
	assert_string_equal(result.moved[0].driver, "e1000e");
	assert_int_equal(record_count(mock), 1);
	assert_int_equal(nic_unbind(&mock->host, NIC, &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "e1000e");
	assert_string_equal(mock_pci_override(mock, NIC), "");
	assert_string_equal(result.moved[0].driver, "e1000e");
	assert_int_equal(record_count(mock), 0);
}

static void a_bound_nic_may_be_bound_again(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_result result;
	struct error err = {0};
	unsigned writes;

	assert_int_equal(bind_nic(mock, NIC, &result, &err), 0);
	writes = mock->writes;
	assert_int_equal(bind_nic(mock, NIC, &result, &err), 0);
	assert_int_equal(result.count, 0);
	assert_int_equal(mock->writes, writes);
	assert_int_equal(nic_unbind(&mock->host, NIC, &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "e1000e");
}

static void words_that_name_no_usable_nic_are_refused(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	static const struct {
		const char *address, *why;
		bool usage;
	} rows[] = {
		{"eth1", "not a PCI address", true},
		{"0000:03:00.8", "not a PCI address", true},
		{"0000:09:00.0", "no such PCI device", false},
		{"0000:05:00.0", "not an Ethernet device", false},
		{"0000:00:19.0", "part of a chipset", false},
		{"0000:06:00.0", "not an Intel chip", false},
		{"0000:07:00.0", "IOMMU on in the firmware", false},
	};

	mock_pci_add(mock, "0000:05:00.0", 0x144DA808, NVME, 5, NULL);
	mock_pci_add(mock, "0000:00:19.0", 0x80861502, ETHERNET, 6, "e1000e");
	mock_pci_add(mock, "0000:06:00.0", 0x10EC8168, ETHERNET, 7, NULL);
	mock_pci_add(mock, "0000:07:00.0", 0x808610D3, ETHERNET, -1, "e1000e");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* force overrules what is risky, not what cannot work */
		struct nic_bind_request request = {.address = rows[i].address, .force = true};

		assert_refused(mock, &request, rows[i].usage, rows[i].why);
	}
}

static void an_unknown_user_is_refused_before_anything_moves(void **state)
{
	struct nic_bind_request request = {.address = NIC, .user = "nobody-of-this-name"};

	assert_refused(lone_nic(state), &request, true, "no such user");
}

static void the_group_s_node_goes_to_the_user(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC, .user = "daemon"};
	struct nic_bind_result result;
	struct error err = {0};
	struct stat node;
	char path[128];

	if (geteuid() != 0) {
		print_message("only root may give files away\n");
		skip();
	}
	assert_int_equal(nic_bind(&mock->host, &request, &result, &err), 0);
	(void)snprintf(path, sizeof(path), "%s/vfio/12", mock->dev);
	assert_int_equal(stat(path, &node), 0);
	assert_int_equal(node.st_uid, getpwnam("daemon")->pw_uid);
	/* and the device's own node, where there is one */
	mock_pci_file(mock, "sys/bus/pci/devices/" NIC "/vfio-dev/vfio3/dev", "511:3\n");
	mock_pci_file(mock, "dev/vfio/devices/vfio3", "");
	assert_int_equal(nic_bind(&mock->host, &request, &result, &err), 0);
	(void)snprintf(path, sizeof(path), "%s/vfio/devices/vfio3", mock->dev);
	assert_int_equal(stat(path, &node), 0);
	assert_int_equal(node.st_uid, getpwnam("daemon")->pw_uid);
}

static void the_default_route_and_the_session_need_force(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC};
	struct nic_bind_result result;
	struct error err = {0};

	mock_pci_route(mock, "eth1");
	assert_refused(mock, &request, false, "carries the default route");
	mock_pci_route(mock, "eth9");
	mock->host.session = "192.0.2.1";
	mock->ssh_ifname = "eth1";
	assert_refused(mock, &request, false, "carries this session's connection");
	request.force = true;
	assert_int_equal(nic_bind(&mock->host, &request, &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "vfio-pci");
}

static void a_group_with_others_is_refused_and_all_are_named(void **state)
{
	static const char *const asked[] = {"0000:44:00.1", "0000:44:00.3"};
	struct mock_pci *mock = group_14(state);

	mock->addressed = "eth4";
	mock->addresses = "192.0.2.1 2001:db8::1";
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		struct nic_bind_request request = {.address = asked[i]};

		assert_refused(mock, &request, false,
			"0000:44:00.0 (e1000e, eth4 up, 192.0.2.1 2001:db8::1, carries the default route)");
		assert_refused(mock, &request, false, "0000:44:00.1 (e1000e)");
		assert_refused(mock, &request, false, "0000:44:00.2 (e1000e)");
		assert_refused(mock, &request, false, "--group");
	}
}

static void the_whole_group_still_keeps_the_default_route(void **state)
{
	struct mock_pci *mock = group_14(state);
	struct nic_bind_request request = {.address = "0000:44:00.1", .group = true};
	struct nic_bind_result result;
	struct error err = {0};

	assert_refused(mock, &request, false, "0000:44:00.0 carries the default route");
	request.force = true;
	assert_int_equal(nic_bind(&mock->host, &request, &result, &err), 0);
	assert_int_equal(result.count, 3);
	assert_string_equal(mock_pci_driver(mock, "0000:44:00.0"), "vfio-pci");
	assert_string_equal(mock_pci_driver(mock, "0000:44:00.2"), "vfio-pci");
	/* any of them gives all back, and leaves the one that was there before */
	assert_int_equal(nic_unbind(&mock->host, "0000:44:00.2", &result, &err), 0);
	assert_int_equal(result.count, 3);
	assert_string_equal(mock_pci_driver(mock, "0000:44:00.0"), "e1000e");
	assert_string_equal(mock_pci_driver(mock, "0000:44:00.1"), "e1000e");
	assert_string_equal(mock_pci_driver(mock, "0000:44:00.3"), "vfio-pci");
	assert_int_equal(record_count(mock), 0);
}

static void bridges_and_free_devices_do_not_hinder(void **state)
{
	struct mock_pci *mock = *state;
	struct nic_bind_result result;
	struct error err = {0};

	mock_pci_file(mock, "sys/bus/pci/drivers/pcieport/unbind", "");
	mock_pci_add(mock, "0000:00:1c.0", 0x80869D10, BRIDGE, 15, "pcieport");
	mock_pci_add(mock, "0000:45:00.0", 0x808610D3, ETHERNET, 15, "e1000e");
	mock_pci_add(mock, "0000:45:00.1", 0x808610D3, ETHERNET, 15, NULL);
	mock_pci_rebind(mock, "0000:45:00.0", "vfio-pci");
	assert_int_equal(bind_nic(mock, "0000:45:00.0", &result, &err), 0);
	assert_int_equal(result.count, 0);
	mock_pci_rebind(mock, "0000:45:00.0", "e1000e");
	assert_int_equal(bind_nic(mock, "0000:45:00.0", &result, &err), 0);
	assert_int_equal(result.count, 1);
	assert_string_equal(mock_pci_driver(mock, "0000:00:1c.0"), "pcieport");
	assert_string_equal(mock_pci_driver(mock, "0000:45:00.1"), "");
}

static void a_disk_of_the_group_needs_force(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC, .group = true};

	mock_pci_file(mock, "sys/bus/pci/drivers/nvme/unbind", "");
	mock_pci_add(mock, "0000:05:00.0", 0x144DA808, NVME, 12, "nvme");
	assert_refused(mock, &request, false, "0000:05:00.0 (nvme) of the same IOMMU group");
}

static void a_group_in_use_is_left_alone_and_the_process_named(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC};
	struct nic_bind_result result;
	struct error err = {0};
	char node[128];

	(void)snprintf(node, sizeof(node), "%s/vfio/12", mock->dev);
	mock_pci_link(mock, "proc/4711/fd/7", node);
	mock_pci_file(mock, "proc/4711/comm", "moderatod\n");
	assert_refused(mock, &request, false, "moderatod (pid 4711) has its IOMMU group 12 open");
	mock_pci_rebind(mock, NIC, "vfio-pci");
	assert_int_equal(nic_unbind(&mock->host, NIC, &result, &err), -EBUSY);
	assert_non_null(strstr(err.text, "moderato down"));
	assert_int_equal(mock->writes, 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "vfio-pci");
}

static void a_probe_that_vfio_refuses_puts_the_whole_group_back(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC, .group = true};
	struct nic_bind_result result;
	struct error err = {0};

	mock_pci_add(mock, "0000:03:00.1", 0x808610D3, ETHERNET, 12, "e1000e");
	mock->vfio_refuses = true;
	assert_true(nic_bind(&mock->host, &request, &result, &err) < 0);
	assert_non_null(strstr(err.text, "vfio-pci did not take"));
	assert_string_equal(mock_pci_driver(mock, NIC), "e1000e");
	assert_string_equal(mock_pci_driver(mock, "0000:03:00.1"), "e1000e");
	assert_int_equal(record_count(mock), 0);
}

/* In a child that ends at write @die_at (all writes fail from there when it only @fails). */
static void bind_and_crash(struct mock_pci *mock, unsigned die_at, bool fails)
{
	struct nic_bind_request request = {.address = NIC, .group = true};
	struct nic_bind_result result;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		mock->die_at = die_at;
		mock->dies = !fails;
		_exit(nic_bind(&mock->host, &request, &result, NULL) < 0 ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* Whatever write is the last one before the crash, unbind leads back. */
static void unbind_restores_after_a_crash_at_any_write(void **state)
{
	for (unsigned round = 0; round < 12; round++) {
		struct nic_bind_result result;
		struct error err = {0};
		struct mock_pci *mock;

		if (round) {
			mock_pci_fini(*state);
			mock_pci_init(*state);
		}
		mock = lone_nic(state);
		mock_pci_add(mock, "0000:03:00.1", 0x808610C9, 0x020000, 12, "igb");
		bind_and_crash(mock, 1 + round / 2, round & 1);
		(void)nic_unbind(&mock->host, NIC, &result, &err);
		(void)nic_unbind(&mock->host, "0000:03:00.1", &result, &err);
		assert_string_equal(mock_pci_driver(mock, NIC), "e1000e");
		assert_string_equal(mock_pci_driver(mock, "0000:03:00.1"), "igb");
		assert_string_not_equal(mock_pci_override(mock, NIC), "vfio-pci");
		assert_string_not_equal(mock_pci_override(mock, "0000:03:00.1"), "vfio-pci");
		assert_int_equal(record_count(mock), 0);
	}
}

/* And whatever write of an unbind is the last one. */
static void unbind_again_after_a_crash_of_unbind(void **state)
{
	for (unsigned die_at = 1; die_at <= 7; die_at++) {
		struct nic_bind_request request = {.address = NIC, .group = true};
		struct nic_bind_result result;
		struct error err = {0};
		struct mock_pci *mock;
		int status;
		pid_t pid;

		if (die_at > 1) {
			mock_pci_fini(*state);
			mock_pci_init(*state);
		}
		mock = lone_nic(state);
		mock_pci_add(mock, "0000:03:00.1", 0x808610C9, ETHERNET, 12, "igb");
		assert_int_equal(nic_bind(&mock->host, &request, &result, &err), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			mock->writes = 0;
			mock->die_at = die_at;
			mock->dies = true;
			_exit(nic_unbind(&mock->host, NIC, &result, NULL) < 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		(void)nic_unbind_all(&mock->host, &result, &err);
		assert_string_equal(mock_pci_driver(mock, NIC), "e1000e");
		assert_string_equal(mock_pci_driver(mock, "0000:03:00.1"), "igb");
		assert_int_equal(record_count(mock), 0);
	}
}

/* Two NICs taken, one in use: the other goes back, and the sentence is of the one that stays. */
static void unbind_all_leaves_what_is_in_use(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_result result;
	struct error err = {0};
	char node[128];

	mock_pci_add(mock, "0000:04:00.0", 0x808610D3, ETHERNET, 13, "e1000e");
	assert_int_equal(nic_unbind_all(&mock->host, &result, &err), 0);
	assert_int_equal(result.count, 0);
	assert_int_equal(bind_nic(mock, NIC, &result, &err), 0);
	assert_int_equal(bind_nic(mock, "0000:04:00.0", &result, &err), 0);
	(void)snprintf(node, sizeof(node), "%s/vfio/12", mock->dev);
	mock_pci_link(mock, "proc/4711/fd/7", node);
	mock_pci_file(mock, "proc/4711/comm", "moderatod\n");
	assert_int_equal(nic_unbind_all(&mock->host, &result, &err), -EBUSY);
	assert_non_null(strstr(err.text, NIC " is in use: moderatod (pid 4711)"));
	assert_int_equal(result.count, 1);
	assert_string_equal(mock_pci_driver(mock, "0000:04:00.0"), "e1000e");
	assert_string_equal(mock_pci_driver(mock, NIC), "vfio-pci");
	assert_int_equal(record_count(mock), 1);
}

/* By its own node, which kernels with iommufd have. */
static void a_device_in_use_by_its_own_node_is_left_alone(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC};
	char node[128];

	mock_pci_file(mock, "sys/bus/pci/devices/" NIC "/vfio-dev/vfio3/dev", "511:3\n");
	(void)snprintf(node, sizeof(node), "%s/vfio/devices/vfio3", mock->dev);
	mock_pci_link(mock, "proc/4711/fd/7", node);
	mock_pci_file(mock, "proc/4711/comm", "qemu\n");
	assert_refused(mock, &request, false, "qemu (pid 4711)");
}

/* The kernel driver of a half-bound device is not forgotten by trying again. */
static void binding_again_after_a_crash_keeps_the_old_record(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_result result;
	struct error err = {0};

	mock->die_at = 3;
	assert_true(bind_nic(mock, NIC, &result, &err) < 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "");
	mock->die_at = 0;
	assert_int_equal(bind_nic(mock, NIC, &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "vfio-pci");
	assert_int_equal(nic_unbind(&mock->host, NIC, &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "e1000e");
}

static void missing_modules_are_loaded_or_said_to_miss(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_request request = {.address = NIC};
	struct nic_bind_result result;
	struct error err = {0};
	char dir[128], file[144];

	(void)snprintf(dir, sizeof(dir), "%s/bus/pci/drivers/vfio-pci", mock->sysfs);
	(void)snprintf(file, sizeof(file), "%s/unbind", dir);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_refused(mock, &request, false, "modprobe vfio-pci");
	mock->modules = true;
	assert_int_equal(nic_bind(&mock->host, &request, &result, &err), 0);
	assert_string_equal(mock_pci_driver(mock, NIC), "vfio-pci");
}

static void unbind_of_a_nic_with_its_kernel_driver_is_refused(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_result result;
	struct error err = {0};

	assert_int_equal(nic_unbind(&mock->host, NIC, &result, &err), -EINVAL);
	assert_non_null(strstr(err.text, "its driver is e1000e"));
	assert_int_equal(mock->writes, 0);
}

static void unbind_without_record_lets_the_kernel_choose(void **state)
{
	struct mock_pci *mock = lone_nic(state);
	struct nic_bind_result result;
	struct error err = {0};

	mock_pci_rebind(mock, NIC, "vfio-pci");
	assert_int_equal(nic_unbind(&mock->host, NIC, &result, &err), 0);
	assert_string_equal(result.moved[0].driver, "e1000e");
}

int main(void)
{
#define ON_A_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ON_A_MACHINE(a_nic_goes_to_vfio_and_back),
		ON_A_MACHINE(a_bound_nic_may_be_bound_again),
		ON_A_MACHINE(words_that_name_no_usable_nic_are_refused),
		ON_A_MACHINE(an_unknown_user_is_refused_before_anything_moves),
		ON_A_MACHINE(the_group_s_node_goes_to_the_user),
		ON_A_MACHINE(the_default_route_and_the_session_need_force),
		ON_A_MACHINE(a_group_with_others_is_refused_and_all_are_named),
		ON_A_MACHINE(the_whole_group_still_keeps_the_default_route),
		ON_A_MACHINE(bridges_and_free_devices_do_not_hinder),
		ON_A_MACHINE(a_disk_of_the_group_needs_force),
		ON_A_MACHINE(a_group_in_use_is_left_alone_and_the_process_named),
		ON_A_MACHINE(a_probe_that_vfio_refuses_puts_the_whole_group_back),
		ON_A_MACHINE(unbind_restores_after_a_crash_at_any_write),
		ON_A_MACHINE(unbind_again_after_a_crash_of_unbind),
		ON_A_MACHINE(unbind_all_leaves_what_is_in_use),
		ON_A_MACHINE(a_device_in_use_by_its_own_node_is_left_alone),
		ON_A_MACHINE(binding_again_after_a_crash_keeps_the_old_record),
		ON_A_MACHINE(missing_modules_are_loaded_or_said_to_miss),
		ON_A_MACHINE(unbind_of_a_nic_with_its_kernel_driver_is_refused),
		ON_A_MACHINE(unbind_without_record_lets_the_kernel_choose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
