/* SPDX-License-Identifier: BSD-2-Clause */
/* Leases: the only writer, and settings that come back however the lease ends. */
#include "tests/unit/control_rig_client.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/chips/regs.h"
#include "common/control.h"
#include "common/control_client.h"
#include "driver/control_private.h"

static struct rig_client other;

static int setup(void **state)
{
	rig_setup(state);
	client_open(&other, &rig);
	json_decref(client_ok(&other, "subscribe", NULL));
	return 0;
}

static int teardown(void **state)
{
	client_close(&other);
	return rig_teardown(state);
}

static uint32_t register_itr(void)
{
	return null_bus_peek(rig.daemon.bus, REG_ITR);
}

static void take(const char *extra)
{
	json_t *params = extra ? json_loads(extra, 0, NULL) : NULL;

	json_decref(client_ok(&client, "lease.take", params));
}

static void set_itr(json_int_t value)
{
	json_decref(client_ok(&client, "set", rig_knob("ITR", value)));
}

static bool lease_is_held(void)
{
	json_t *info = client_ok(&other, "info", NULL);
	bool held = json_is_true(json_object_get(json_object_get(info, "lease"), "held"));

	json_decref(info);
	return held;
}

/* --- the only writer --- */

static void others_are_refused_with_the_holders_name(void **state)
{
	static const char *const guarded[] = {
		"restart", "reset", "lease.take", "pktgen.start", "pktgen.stop"};
	char words[64];
	json_t *info;

	take("{\"holder\": \"night sweep\"}");
	(void)snprintf(words, sizeof(words), "night sweep (pid %d)", (int)getpid());
	client_fails(&other, "set", rig_knob("ITR", 1), CONTROL_ERR_LEASED, words);
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++)
		client_fails(&other, guarded[i], NULL, CONTROL_ERR_LEASED, words);
	client_fails(&other, "sim.source", json_pack("{s:b}", "on", 1), CONTROL_ERR_LEASED, words);
	client_fails(&other, "sim.sink", json_pack("{s:b}", "on", 1), CONTROL_ERR_LEASED, words);
	client_fails(&other, "lease.release", NULL, CONTROL_ERR_LEASED, words);
	client_fails(&other, "lease.commit", NULL, CONTROL_ERR_LEASED, words);
	client_fails(&other, "lease.keep", NULL, CONTROL_ERR_LEASED, words);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 0);
	/* looking, and troubling the device, is everybody's */
	json_decref(client_ok(&other, "get", NULL));
	json_decref(client_ok(&other, "sim.fault", json_pack("{s:s}", "name", "rx-hang")));
	info = client_ok(&other, "info", NULL);
	assert_non_null(strstr(string_of(json_object_get(info, "lease"), "holder"), "night sweep"));
	json_decref(info);
	assert_int_equal(int_of(client_event(&other, "lease-taken"), "pid"), getpid());
	set_itr(5);
	json_decref(client_ok(&client, "lease.release", NULL));
	json_decref(client_ok(&other, "set", rig_knob("ITR", 1)));
}

static void without_a_name_the_process_is_named(void **state)
{
	char name[16]; /* under an emulator it is the emulator's */

	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	take(NULL);
	client_fails(&other, "set", rig_knob("ITR", 1), CONTROL_ERR_LEASED, name);
}

static void lease_methods_need_the_lease(void **state)
{
	client_fails(&client, "lease.keep", NULL, CONTROL_ERR_FAILED, "holds no lease");
	client_fails(&client, "lease.commit", NULL, CONTROL_ERR_FAILED, "holds no lease");
	client_fails(&client, "lease.release", NULL, CONTROL_ERR_FAILED, "holds no lease");
	take(NULL);
	client_fails(&client, "lease.take", NULL, CONTROL_ERR_FAILED, "already");
}

/* --- the end: settings come back --- */

static void release_restores_and_says_so(void **state)
{
	json_t *reply;

	set_itr(100);
	take(NULL);
	set_itr(1500);
	json_decref(client_ok(&client, "set", rig_knob("RDTR", 7)));
	reply = client_ok(&client, "lease.release", NULL);
	assert_true(json_is_true(json_object_get(reply, "restored")));
	json_decref(reply);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 100);
	assert_int_equal(register_itr(), 100);
	assert_int_equal(rig_value(&rig, KNOB_RDTR), 0);
	assert_false(lease_is_held());
	assert_non_null(client_event(&other, "lease-ended"));
}

static void without_restore_settings_stay(void **state)
{
	json_t *reply;

	take("{\"restore\": false}");
	set_itr(1500);
	reply = client_ok(&client, "lease.release", NULL);
	assert_true(json_is_false(json_object_get(reply, "restored")));
	json_decref(reply);
	assert_int_equal(register_itr(), 1500);
}

static void commit_moves_what_is_restored(void **state)
{
	take(NULL);
	set_itr(200);
	json_decref(client_ok(&client, "lease.commit", NULL));
	set_itr(300);
	json_decref(client_ok(&client, "lease.release", NULL));
	assert_int_equal(register_itr(), 200);
}

static void a_closed_connection_restores(void **state)
{
	json_t *event;

	set_itr(100);
	take(NULL);
	set_itr(1500);
	client_forget(&other);
	client_close(&client);
	rig_round(&rig);
	assert_int_equal(register_itr(), 100);
	assert_false(lease_is_held());
	event = client_event(&other, "settings-changed");
	assert_int_equal(int_of(event, "pid"), 0);
	assert_non_null(strstr(string_of(event, "detail"), "ITR 1500 to 100"));
	assert_non_null(strstr(string_of(client_event(&other, "lease-ended"), "detail"), "closed"));
	client_open(&client, &rig);
}

static void what_it_asked_last_is_undone_too(void **state)
{
	const char *line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"set\",\"params\":"
			   "{\"knobs\":{\"ITR\":9}}}\n";

	take(NULL);
	for (int i = 0; i < 20; i++) /* more than one round serves */
		(void)send(client.fd, line, strlen(line), MSG_NOSIGNAL);
	client_close(&client);
	for (int i = 0; i < 10; i++)
		rig_round(&rig);
	assert_non_null(client_event(&other, "settings-changed"));
	assert_int_equal(register_itr(), 0);
	client_open(&client, &rig);
}

static void the_ttl_restores(void **state)
{
	set_itr(100);
	take("{\"ttl_ms\": 500}");
	set_itr(1500);
	rig_pass(&rig, 400);
	json_decref(client_ok(&client, "lease.keep", NULL));
	rig_pass(&rig, 400);
	assert_int_equal(register_itr(), 1500);
	rig_pass(&rig, 200);
	assert_int_equal(register_itr(), 100);
	assert_false(lease_is_held());
	client_fails(&client, "lease.keep", NULL, CONTROL_ERR_FAILED, "has ended");
	assert_non_null(strstr(string_of(client_event(&other, "lease-ended"), "detail"), "500 ms"));
}

static void the_deadline_of_the_ttl_is_told_to_the_loop(void **state)
{
	uint64_t before = rig.now;

	take("{\"ttl_ms\": 500}");
	assert_int_equal(control_run(rig.daemon.control, rig.now), before + 500 * NS_PER_MS);
}

static void a_restart_knob_comes_back_by_a_restart(void **state)
{
	json_t *reply;

	set_itr(100);
	take(NULL);
	json_decref(client_ok(&client, "restart",
		json_pack("{s:{s:s, s:i}}", "knobs", "intmode", "msix", "ITR", 7)));
	client_post(&client, "lease.release", NULL);
	assert_null(client_reply(&client, 0)); /* not before it is done */
	client_fails(&other, "set", rig_knob("ITR", 1), CONTROL_ERR_BUSY, "end of a lease");
	reply = client_reply(&client, 1000);
	schema_check_reply("lease.release", reply);
	assert_true(json_is_true(json_object_get(json_object_get(reply, "result"), "restored")));
	json_decref(reply);
	assert_int_equal(rig_value(&rig, KNOB_INTMODE), INTMODE_MSI);
	assert_int_equal(register_itr(), 100);
}

static void a_client_that_dies_in_its_restart_is_restored_after_it(void **state)
{
	set_itr(100);
	take(NULL);
	client_post(&client, "restart", json_pack("{s:{s:s}}", "knobs", "intmode", "msix"));
	client_close(&client);
	rig_pass(&rig, 5);
	assert_int_equal(nic_state(rig.daemon.nic), NIC_RESETTING);
	client_fails(&other, "set", rig_knob("ITR", 1), CONTROL_ERR_BUSY, "under way");
	rig_pass(&rig, 500);
	assert_int_equal(nic_state(rig.daemon.nic), NIC_RUNNING);
	assert_int_equal(rig_value(&rig, KNOB_INTMODE), INTMODE_MSI);
	assert_int_equal(register_itr(), 100);
	assert_false(lease_is_held());
	client_open(&client, &rig);
}

static void a_failed_device_is_restarted_to_restore(void **state)
{
	set_itr(100);
	take(NULL);
	set_itr(1500);
	null_bus_stick_reset(rig.daemon.bus, true);
	client_fails(&client, "reset", NULL, CONTROL_ERR_FAILED, "reset sticks");
	null_bus_stick_reset(rig.daemon.bus, false);
	json_decref(client_ok(&client, "lease.release", NULL));
	assert_int_equal(nic_state(rig.daemon.nic), NIC_RUNNING);
	assert_int_equal(register_itr(), 100);
}

static void what_cannot_be_restored_is_said(void **state)
{
	take(NULL);
	set_itr(1500);
	null_bus_stick(rig.daemon.bus, REG_ITR);
	client_fails(&client, "lease.release", NULL, CONTROL_ERR_FAILED, "could not be put back");
	assert_non_null(client_event(&other, "restore-failed"));
	assert_false(lease_is_held());
	null_bus_stick(rig.daemon.bus, 0);
	set_itr(3);
}

static void a_device_that_is_gone_ends_the_lease_unrestored(void **state)
{
	take(NULL);
	set_itr(1500);
	null_bus_poke(rig.daemon.bus, REG_STATUS, UINT32_MAX);
	rig_pass(&rig, 3000);
	assert_non_null(client_event(&other, "gone"));
	client_fails(&client, "lease.release", NULL, CONTROL_ERR_FAILED, "gone");
	assert_false(lease_is_held());
}

static void a_failed_restart_at_the_end_is_said(void **state)
{
	take(NULL);
	json_decref(
		client_ok(&client, "restart", json_pack("{s:{s:s}}", "knobs", "intmode", "msix")));
	null_bus_stick_reset(rig.daemon.bus, true);
	client_fails(&client, "lease.release", NULL, CONTROL_ERR_FAILED, "reset sticks");
	null_bus_stick_reset(rig.daemon.bus, false);
	json_decref(client_ok(&other, "restart", NULL));
}

/* --- with the rest --- */

static void a_revert_inside_a_lease_ends_with_it(void **state)
{
	set_itr(100);
	take(NULL);
	json_decref(client_ok(&client, "set",
		json_pack("{s:{s:i}, s:i}", "knobs", "ITR", 7, "revert_after_ms", 1000)));
	json_decref(client_ok(&client, "lease.release", NULL));
	assert_int_equal(register_itr(), 100);
	json_decref(client_ok(&other, "set", rig_knob("ITR", 55)));
	rig_pass(&rig, 2000);
	assert_int_equal(register_itr(), 55);
}

static void commit_confirms_a_revert(void **state)
{
	take(NULL);
	json_decref(client_ok(&client, "set",
		json_pack("{s:{s:i}, s:i}", "knobs", "ITR", 7, "revert_after_ms", 1000)));
	json_decref(client_ok(&client, "lease.commit", NULL));
	rig_pass(&rig, 2000);
	assert_int_equal(register_itr(), 7);
	json_decref(client_ok(&client, "lease.release", NULL));
	assert_int_equal(register_itr(), 7);
}

static void a_revert_in_a_lease_is_an_event(void **state)
{
	take(NULL);
	json_decref(client_ok(&client, "subscribe", NULL));
	json_decref(client_ok(&client, "set",
		json_pack("{s:{s:i}, s:i}", "knobs", "ITR", 7, "revert_after_ms", 100)));
	rig_pass(&rig, 200);
	assert_non_null(client_event(&client, "settings-reverted"));
	assert_int_equal(int_of(client_event(&client, "settings-changed"), "pid"), 0);
}

static void traffic_of_the_holder_stops_with_the_lease(void **state)
{
	take(NULL);
	json_decref(client_ok(&client, "sim.source", json_pack("{s:b}", "on", 1)));
	json_decref(client_ok(&client, "sim.sink", json_pack("{s:b}", "on", 1)));
	json_decref(client_ok(&client, "pktgen.start", NULL));
	client_close(&client);
	rig_round(&rig);
	assert_false(rig_sim.source.on);
	assert_false(rig_sim.sink);
	assert_null(rig_pktgen);
	client_open(&client, &rig);
}

static void traffic_of_nobodys_lease_goes_on(void **state)
{
	json_decref(client_ok(&client, "sim.source", json_pack("{s:b}", "on", 1)));
	take(NULL);
	json_decref(client_ok(&client, "lease.release", NULL));
	assert_true(rig_sim.source.on);
}

static void shutdown_answers_a_release_that_waits(void **state)
{
	json_t *reply;

	take(NULL);
	json_decref(
		client_ok(&client, "restart", json_pack("{s:{s:s}}", "knobs", "intmode", "msix")));
	client_post(&client, "lease.release", NULL);
	assert_null(client_reply(&client, 0));
	json_decref(client_ok(&other, "shutdown", NULL));
	rig_stop_control(&rig);
	reply = client_reply(&client, 0);
	schema_check_reply("lease.release", reply);
	assert_non_null(strstr(string_of(json_object_get(reply, "error"), "message"), "ending"));
	json_decref(reply);
}

/* A real client in a process of its own takes the lease, sets, tells the test, and hangs. With
 * @child a child of it, which it tells first, keeps the connection. */
static void hold_and_hang(int tell, bool child)
{
	struct control_client *c;
	struct error err = {0};
	pid_t pid;

	if (control_connect(rig.path, &c, &err) ||
		control_call(c, "lease.take", NULL, NULL, 0, &err) ||
		control_call(c, "set", rig_knob("ITR", 1500), NULL, 0, &err))
		_exit(1);
	pid = child ? fork() : 0;
	if (!child)
		(void)write(tell, "x", 1);
	else if (pid > 0)
		(void)write(tell, &pid, sizeof(pid));
	(void)pause();
	_exit(1);
}

static void kill_9_of_the_holder_restores(void **state)
{
	int tell[2], status;
	char byte;
	pid_t pid;

	set_itr(100);
	assert_int_equal(pipe(tell), 0);
	pid = fork();
	if (pid == 0)
		hold_and_hang(tell[1], false);
	while (poll(&(struct pollfd){.fd = tell[0], .events = POLLIN}, 1, 1) == 0)
		rig_round(&rig);
	assert_int_equal(read(tell[0], &byte, 1), 1);
	assert_int_equal(register_itr(), 1500);
	client_fails(&other, "set", rig_knob("ITR", 1), CONTROL_ERR_LEASED, "holds the lease");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	rig_round(&rig);
	assert_int_equal(register_itr(), 100);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 100);
	assert_int_equal(int_of(client_event(&other, "lease-ended"), "pid"), pid);
	(void)close(tell[0]);
	(void)close(tell[1]);
}

static void a_child_that_keeps_the_connection_does_not_keep_the_lease(void **state)
{
	pid_t pid, child = 0;
	int tell[2];

	assert_int_equal(pipe(tell), 0);
	pid = fork();
	if (pid == 0)
		hold_and_hang(tell[1], true);
	while (!child) {
		char data[sizeof(child)];
		ssize_t n;

		rig_round(&rig);
		if (poll(&(struct pollfd){.fd = tell[0], .events = POLLIN}, 1, 1) == 0)
			continue;
		n = read(tell[0], data, sizeof(data));
		if (n == sizeof(child))
			memcpy(&child, data, sizeof(child));
	}
	assert_int_equal(register_itr(), 1500);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	rig_round(&rig);
	assert_int_equal(register_itr(), 0);
	assert_false(lease_is_held());
	assert_int_equal(kill(child, SIGKILL), 0);
	(void)close(tell[0]);
	(void)close(tell[1]);
}

#define lease_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		lease_test(others_are_refused_with_the_holders_name),
		lease_test(without_a_name_the_process_is_named),
		lease_test(lease_methods_need_the_lease),
		lease_test(release_restores_and_says_so),
		lease_test(without_restore_settings_stay),
		lease_test(commit_moves_what_is_restored),
		lease_test(a_closed_connection_restores),
		lease_test(what_it_asked_last_is_undone_too),
		lease_test(the_ttl_restores),
		lease_test(the_deadline_of_the_ttl_is_told_to_the_loop),
		lease_test(a_restart_knob_comes_back_by_a_restart),
		lease_test(a_client_that_dies_in_its_restart_is_restored_after_it),
		lease_test(a_failed_device_is_restarted_to_restore),
		lease_test(what_cannot_be_restored_is_said),
		lease_test(a_device_that_is_gone_ends_the_lease_unrestored),
		lease_test(a_failed_restart_at_the_end_is_said),
		lease_test(a_revert_inside_a_lease_ends_with_it),
		lease_test(commit_confirms_a_revert),
		lease_test(a_revert_in_a_lease_is_an_event),
		lease_test(traffic_of_the_holder_stops_with_the_lease),
		lease_test(traffic_of_nobodys_lease_goes_on),
		lease_test(shutdown_answers_a_release_that_waits),
		lease_test(kill_9_of_the_holder_restores),
		lease_test(a_child_that_keeps_the_connection_does_not_keep_the_lease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
