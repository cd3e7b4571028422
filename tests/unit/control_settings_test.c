/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings over the control socket: get, set and its revert, restart and reset. */
#include "tests/unit/control_rig_client.h"

#include "common/chips/regs.h"
#include "common/control.h"

/* --- get --- */

static void get_tells_requested_readback_and_effect(void **state)
{
	json_t *reply = client_ok(&client, "set", rig_knob("RADV", 32)), *radv, *itr;

	radv = json_object_get(json_object_get(reply, "knobs"), "RADV");
	assert_int_equal(int_of(radv, "requested"), 32);
	assert_int_equal(int_of(radv, "readback"), 32);
	assert_int_equal(int_of(radv, "ns"), 32768);
	assert_true(json_is_false(json_object_get(radv, "acts")));
	assert_true(strlen(string_of(radv, "reason")) > 0);
	assert_null(json_object_get(radv, "effective_ns"));
	assert_true(json_array_size(json_object_get(reply, "warnings")) > 0);
	json_decref(reply);

	json_decref(client_ok(&client, "set", rig_knob("ITR", 1000)));
	reply = client_ok(&client, "get", json_pack("{s:[s,s]}", "knobs", "ITR", "intmode"));
	assert_int_equal(json_object_size(json_object_get(reply, "knobs")), 2);
	itr = json_object_get(json_object_get(reply, "knobs"), "ITR");
	assert_int_equal(int_of(itr, "effective_ns"), 256000);
	assert_true(json_number_value(json_object_get(reply, "rate_limit_per_s")) > 3900);
	assert_string_equal(string_of(reply, "intmode"), "msi");
	json_decref(reply);
	client_fails(&client, "get", json_pack("{s:[s]}", "knobs", "ITTR"), CONTROL_ERR_PARAMS,
		"did you mean ITR");
	client_fails(
		&client, "get", json_pack("{s:[i]}", "knobs", 1), CONTROL_ERR_PARAMS, "names only");
}

/* --- set, restart, reset --- */

static void set_is_all_or_nothing(void **state)
{
	json_t *reply;

	json_decref(client_ok(&client, "set", rig_knob("ITR", 100)));
	client_fails(&client, "set",
		json_pack("{s:{s:i, s:i}}", "knobs", "ITR", 200, "RDTR", 70000), CONTROL_ERR_PARAMS,
		"RDTR");
	assert_int_equal(rig_value(&rig, KNOB_ITR), 100);
	null_bus_stick(rig.daemon.bus, REG_RDTR);
	client_fails(&client, "set", json_pack("{s:{s:i, s:i}}", "knobs", "ITR", 200, "RDTR", 7),
		CONTROL_ERR_FAILED, "read back");
	assert_int_equal(rig_value(&rig, KNOB_ITR), 100);
	assert_int_equal(null_bus_peek(rig.daemon.bus, REG_ITR), 100);
	reply = client_ok(
		&client, "set", json_pack("{s:{s:i, s:i}}", "knobs", "ITR", 200, "RADV", 0));
	assert_int_equal(json_array_size(json_object_get(reply, "changed")), 1);
	assert_true(holds_string(json_object_get(reply, "changed"), "ITR"));
	json_decref(reply);
}

static void a_restart_knob_needs_restart(void **state)
{
	json_t *reply, *error;

	reply = client_call(&client, "set", json_pack("{s:{s:s}}", "knobs", "intmode", "msix"));
	error = json_object_get(reply, "error");
	assert_int_equal(int_of(error, "code"), CONTROL_ERR_RESTART);
	assert_string_equal(string_of(json_object_get(error, "data"), "knob"), "intmode");
	json_decref(reply);
	/* at its present value it changes nothing and is taken */
	reply = client_ok(
		&client, "set", json_pack("{s:{s:s, s:i}}", "knobs", "intmode", "msi", "ITR", 5));
	assert_int_equal(json_array_size(json_object_get(reply, "changed")), 1);
	json_decref(reply);
	client_fails(&client, "restart", json_pack("{s:{s:i}}", "knobs", "rx-ring", 81),
		CONTROL_ERR_PARAMS, "rx-ring");

	reply = client_ok(&client, "restart",
		json_pack("{s:{s:s, s:i}}", "knobs", "intmode", "msix", "EITR0", 9));
	assert_true(json_number_value(json_object_get(reply, "took_ms")) > 1);
	assert_int_equal(rig_value(&rig, KNOB_INTMODE), INTMODE_MSIX);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 5);
	assert_int_equal(null_bus_peek(rig.daemon.bus, REG_EITR0), 9);
	json_decref(reply);
	reply = client_ok(&client, "reset", NULL);
	assert_int_equal(rig_value(&rig, KNOB_INTMODE), INTMODE_MSIX);
	json_decref(reply);
}

static void what_changes_settings_waits_for_a_restart_to_end(void **state)
{
	struct rig_client other;
	json_t *reply;

	client_open(&other, &rig);
	client_post(&client, "reset", NULL);
	assert_null(client_reply(&client, 0));
	client_fails(&other, "set", rig_knob("ITR", 1), CONTROL_ERR_BUSY, "under way");
	client_fails(&other, "restart", NULL, CONTROL_ERR_BUSY, "under way");
	client_fails(&other, "lease.take", NULL, CONTROL_ERR_BUSY, "under way");
	client_fails(&other, "regs", NULL, CONTROL_ERR_BUSY, "cannot be read");
	reply = client_ok(&other, "get", NULL);
	assert_true(json_array_size(json_object_get(reply, "warnings")) > 0);
	json_decref(reply);
	reply = client_reply(&client, 2000);
	schema_check_reply("reset", reply);
	json_decref(reply);
	json_decref(client_ok(&other, "set", rig_knob("ITR", 1)));
	client_close(&other);
}

static void a_restart_that_fails_says_why(void **state)
{
	json_t *reply;

	null_bus_stick_reset(rig.daemon.bus, true);
	client_fails(&client, "restart", NULL, CONTROL_ERR_FAILED, "reset sticks");
	reply = client_ok(&client, "set", rig_knob("ITR", 44));
	assert_true(json_array_size(json_object_get(reply, "warnings")) > 0);
	json_decref(reply);
	null_bus_stick_reset(rig.daemon.bus, false);
	json_decref(client_ok(&client, "restart", NULL));
	assert_int_equal(null_bus_peek(rig.daemon.bus, REG_ITR), 44);
}

static void a_client_that_leaves_during_its_restart_is_forgotten(void **state)
{
	struct rig_client other;

	client_open(&other, &rig);
	client_post(&other, "reset", NULL);
	client_close(&other);
	rig_pass(&rig, 300);
	assert_int_equal(nic_state(rig.daemon.nic), NIC_RUNNING);
	json_decref(client_ok(&client, "reset", NULL));
}

static void a_device_that_is_gone_is_said_so(void **state)
{
	null_bus_poke(rig.daemon.bus, REG_STATUS, UINT32_MAX);
	rig_pass(&rig, 3000);
	assert_int_equal(nic_state(rig.daemon.nic), NIC_GONE);
	client_fails(&client, "set", rig_knob("ITR", 1), CONTROL_ERR_FAILED, "gone");
	client_fails(&client, "get", NULL, CONTROL_ERR_FAILED, "gone");
	client_fails(&client, "regs", NULL, CONTROL_ERR_FAILED, "gone");
	client_fails(&client, "pktgen.start", NULL, CONTROL_ERR_FAILED, "gone");
	json_decref(client_ok(&client, "info", NULL));
	json_decref(client_ok(&client, "stats", NULL));
	null_bus_poke(rig.daemon.bus, REG_STATUS, STATUS_LU | STATUS_FD | 2u << STATUS_SPEED_SHIFT);
	json_decref(client_ok(&client, "restart", NULL));
	json_decref(client_ok(&client, "set", rig_knob("ITR", 1)));
}

/* --- revert --- */

static void an_unconfirmed_set_is_put_back(void **state)
{
	json_decref(client_ok(&client, "subscribe", NULL));
	json_decref(client_ok(&client, "set", rig_knob("ITR", 10)));
	json_decref(client_ok(&client, "set",
		json_pack("{s:{s:i}, s:i}", "knobs", "ITR", 20, "revert_after_ms", 500)));
	client_fails(&client, "lease.take", NULL, CONTROL_ERR_BUSY, "confirmation");
	rig_pass(&rig, 400);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 20);
	assert_null(client_event(&client, "settings-reverted"));
	rig_pass(&rig, 200);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 10);
	assert_int_equal(null_bus_peek(rig.daemon.bus, REG_ITR), 10);
	assert_non_null(client_event(&client, "settings-reverted"));
	assert_int_equal(int_of(client_event(&client, "settings-changed"), "pid"), 0);
}

static void any_further_set_confirms(void **state)
{
	struct rig_client other;

	client_open(&other, &rig);
	json_decref(client_ok(&client, "set",
		json_pack("{s:{s:i}, s:i}", "knobs", "ITR", 20, "revert_after_ms", 500)));
	json_decref(client_ok(&other, "set", json_pack("{s:{}}", "knobs")));
	rig_pass(&rig, 1000);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 20);
	client_close(&other);
}

static void a_revert_waits_for_a_restart_and_outlives_its_client(void **state)
{
	struct rig_client other;

	client_open(&other, &rig);
	json_decref(client_ok(&other, "set",
		json_pack("{s:{s:i}, s:i}", "knobs", "ITR", 20, "revert_after_ms", 100)));
	client_close(&other);
	rig_pass(&rig, 90);
	client_post(&client, "reset", NULL);
	rig_pass(&rig, 20);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 20);
	json_decref(client_reply(&client, 2000));
	rig_pass(&rig, 2);
	assert_int_equal(rig_value(&rig, KNOB_ITR), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		rig_test(get_tells_requested_readback_and_effect),
		rig_test(set_is_all_or_nothing),
		rig_test(a_restart_knob_needs_restart),
		rig_test(what_changes_settings_waits_for_a_restart_to_end),
		rig_test(a_restart_that_fails_says_why),
		rig_test(a_client_that_leaves_during_its_restart_is_forgotten),
		rig_test(a_device_that_is_gone_is_said_so),
		rig_test(an_unconfirmed_set_is_put_back),
		rig_test(any_further_set_confirms),
		rig_test(a_revert_waits_for_a_restart_and_outlives_its_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
