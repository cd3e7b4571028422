/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings over the socket: get, set with its revert, restart and reset that answer later. */
#include "driver/control_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/util.h"

/* --- get --- */

static json_t *value_json(const struct knob *knob, uint32_t value)
{
	if (knob->id == KNOB_INTMODE && value < INTMODE_COUNT)
		return json_string(intmode_name(value));
	return json_integer(value);
}

/* What get reports about. */
struct view {
	const struct settings *requested;
	struct settings readback;
	struct effective effective;
	unsigned speed_mbps, tick_scale;
};

static json_t *view_knob_json(const struct view *view, const struct knob *knob)
{
	const struct effective_knob *effective = &view->effective.knob[knob->id];
	uint32_t readback = view->readback.value[knob->id];
	json_t *object = json_pack("{s:o, s:o, s:b, s:s}", "requested",
		value_json(knob, view->requested->value[knob->id]), "readback",
		value_json(knob, readback), "acts", effective->acts, "reason",
		effective->reason ? effective->reason : "");

	if (!knob->unit_ps)
		return object;
	json_object_set_new(object, "ns",
		json_integer((json_int_t)knob_ticks_to_ns(knob, readback, view->tick_scale)));
	if (effective->acts)
		json_object_set_new(
			object, "effective_ns", json_integer((json_int_t)effective->ns));
	return object;
}

static json_t *warnings_json(const struct nic *nic, const struct effective *effective)
{
	json_t *array = json_array();
	enum nic_state state = nic_state(nic);
	char text[160];

	for (unsigned i = 0; i < effective->warning_count; i++)
		json_array_append_new(array, control_text_string(effective->warning[i]));
	if (nic_unreadable(nic)) {
		(void)snprintf(text, sizeof(text), "%s cannot be read on this device: read back is what was written",
			nic_unreadable(nic)->name);
		json_array_append_new(array, control_text_string(text));
	}
	if (state != NIC_RUNNING && state != NIC_LINK_WAIT) {
		(void)snprintf(text, sizeof(text),
			"the device is %s: values read back are those asked "
			"for, the registers get them at its next start",
			nic_state_name(state));
		json_array_append_new(array, json_string(text));
	}
	return array;
}

/* @wanted: bits of knobs. */
static int settings_fill(
	struct control *control, uint32_t wanted, json_t *result, struct control_failure *failure)
{
	struct nic *nic = control->daemon->nic;
	const struct chip *chip = nic_chip(nic);
	json_t *knobs = json_object();
	struct view view = {.requested = nic_requested(nic)};

	json_object_set_new(result, "knobs", knobs);
	if (nic_state(nic) == NIC_GONE) {
		failure->number = ENODEV;
		return control_fail(failure, CONTROL_ERR_FAILED,
			"%s is gone: its settings cannot be read back; restart tries to "
			"bring it back",
			control->daemon->bus->name);
	}
	view.speed_mbps = nic_link_up(nic) ? nic_speed_mbps(nic) : 1000;
	view.tick_scale = chip_tick_scale(chip, view.speed_mbps);
	nic_readback(nic, &view.readback);
	nic_effective(nic, &view.effective);
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (chip_has_knob(chip, id) && (wanted >> id & 1))
			json_object_set_new(
				knobs, knob_table[id].name, view_knob_json(&view, &knob_table[id]));
	json_object_set_new(result, "speed_mbps", json_integer(view.speed_mbps));
	json_object_set_new(result, "intmode",
		value_json(&knob_table[KNOB_INTMODE], view.readback.value[KNOB_INTMODE]));
	json_object_set_new(result, "rate_limit_per_s", json_real(view.effective.rate_limit_per_s));
	json_object_set_new(result, "warnings", warnings_json(nic, &view.effective));
	return 0;
}

static int knob_names(const struct chip *chip, json_t *names, uint32_t *ret_wanted,
	struct control_failure *failure)
{
	uint32_t wanted = 0;
	json_t *item;
	size_t i;

	json_array_foreach (names, i, item) {
		const char *name = json_string_value(item);
		const struct knob *knob = name ? knob_find(name) : NULL;
		const char *near;

		if (!name)
			return control_fail(
				failure, CONTROL_ERR_PARAMS, "get: \"knobs\" must hold names only");
		near = knob_suggest(name);
		if (!knob)
			return control_fail(failure, CONTROL_ERR_PARAMS,
				"get: unknown knob \"%.40s\"%s%s", name,
				near ? ": did you mean " : "", near ? near : "");
		failure->knob = knob->name;
		if (!chip_has_knob(chip, knob->id))
			return control_fail(failure, CONTROL_ERR_PARAMS, "get: %s has no knob %s",
				chip->name, knob->name);
		wanted |= 1u << knob->id;
	}
	*ret_wanted = wanted;
	return 0;
}

int control_get(struct control_call *call, json_t *result, struct control_failure *failure)
{
	json_t *names = json_object_get(call->request->params, "knobs");
	uint32_t wanted = UINT32_MAX;

	if (names && knob_names(nic_chip(call->control->daemon->nic), names, &wanted, failure))
		return -EINVAL;
	failure->knob = NULL;
	return settings_fill(call->control, wanted, result, failure);
}

/* --- changes --- */

void control_settings_live(const struct settings *settings, struct settings *ret_live)
{
	struct settings live = {0};

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(settings, id) && !knob_table[id].restart)
			settings_put(&live, id, settings->value[id]);
	*ret_live = live;
}

const struct knob *control_settings_need_restart(
	const struct settings *now, const struct settings *wanted)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(wanted, id) && knob_table[id].restart &&
			now->value[id] != wanted->value[id])
			return &knob_table[id];
	return NULL;
}

/* Knobs of @wanted whose value differs from @now, with the value that @now has. */
static void settings_overwritten(
	const struct settings *now, const struct settings *wanted, struct settings *ret_old)
{
	struct settings old = {0};

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(wanted, id) && now->value[id] != wanted->value[id])
			settings_put(&old, id, now->value[id]);
	*ret_old = old;
}

void control_notify_settings(struct control *control, const struct control_conn *except, pid_t pid,
	const char *who, const struct settings *before)
{
	const struct settings *now = nic_requested(control->daemon->nic);
	char words[400] = "", from[32], to[32];
	size_t used = 0;

	for (unsigned id = 0; id < KNOB_COUNT && used < sizeof(words); id++) {
		const struct knob *knob = &knob_table[id];

		if (!settings_has(now, id) || before->value[id] == now->value[id])
			continue;
		used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s %s to %s",
			used ? ", " : "", knob->name,
			knob_format_value(knob, before->value[id], from, sizeof(from)),
			knob_format_value(knob, now->value[id], to, sizeof(to)));
	}
	if (used && pid)
		control_notify(control, except, "settings-changed", pid, "%s by %s (pid %d)", words,
			who, (int)pid);
	else if (used)
		control_notify(control, except, "settings-changed", 0, "%s by %s", words, who);
}

/* Knob by knob, so that the refused one can be named. */
static int check_chip(
	const struct chip *chip, const struct settings *change, struct control_failure *failure)
{
	struct error err = {0};

	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		struct settings one = {0};

		if (!settings_has(change, id))
			continue;
		settings_put(&one, id, change->value[id]);
		failure->knob = knob_table[id].name;
		if (chip_check_settings(chip, &one, &err))
			return control_fail_error(failure, &err);
	}
	failure->knob = NULL;
	return 0;
}

/* --- set --- */

static void revert_arm(
	struct control *control, const struct settings *old, int64_t after_ms, uint64_t now_ns)
{
	control->revert.active = after_ms != 0;
	control->revert.at_ns = now_ns + (uint64_t)after_ms * NS_PER_MS;
	control->revert.old = *old;
}

static json_t *names_json(const struct settings *settings)
{
	json_t *array = json_array();

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(settings, id))
			json_array_append_new(array, json_string(knob_table[id].name));
	return array;
}

static int set_check(struct control_call *call, struct control_failure *failure)
{
	struct nic *nic = call->control->daemon->nic;
	const struct settings *change = &call->request->knobs;
	const struct knob *knob;

	if (nic_state(nic) == NIC_GONE) {
		failure->number = ENODEV;
		return control_fail(failure, CONTROL_ERR_FAILED,
			"%s is gone: nothing was set; restart tries to bring it back",
			call->control->daemon->bus->name);
	}
	if (check_chip(nic_chip(nic), change, failure))
		return -EINVAL;
	knob = control_settings_need_restart(nic_requested(nic), change);
	if (!knob)
		return 0;
	failure->knob = knob->name;
	return control_fail(failure, CONTROL_ERR_RESTART,
		"%s needs a restart of the device: nothing was set; give it to restart",
		knob->name);
}

int control_set(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control *control = call->control;
	struct nic *nic = control->daemon->nic;
	struct settings before = *nic_requested(nic), live, old;
	struct error err = {0};
	int64_t revert_ms = 0;

	if (set_check(call, failure))
		return -EINVAL;
	control_settings_live(&call->request->knobs, &live);
	if (live.present && nic_set(nic, &live, &err))
		return control_fail_error(failure, &err);
	settings_overwritten(&before, &live, &old);
	(void)json_member_int(call->request->params, "revert_after_ms", false, &revert_ms, NULL);
	revert_arm(control, &old, revert_ms, call->now_ns);
	control_notify_settings(control, call->conn, call->conn->pid, call->conn->command, &before);
	json_object_set_new(result, "changed", names_json(&old));
	return settings_fill(control, UINT32_MAX, result, failure);
}

uint64_t control_revert_run(struct control *control, uint64_t now_ns)
{
	struct control_revert *revert = &control->revert;
	struct nic *nic = control->daemon->nic;
	struct settings before = *nic_requested(nic);
	struct error err = {0};

	if (!revert->active)
		return TIME_NEVER;
	if (now_ns < revert->at_ns)
		return revert->at_ns;
	if (control_is_busy(control))
		return TIME_NEVER; /* the end of what is under way brings another round */
	revert->active = false;
	if (revert->old.present && nic_set(nic, &revert->old, &err)) {
		control_notify(control, NULL, "revert-failed", 0, "%s", err.text);
		return TIME_NEVER;
	}
	control_notify_settings(control, NULL, 0, "moderatod: not confirmed in time", &before);
	control_notify(control, NULL, "settings-reverted", 0,
		"the change was not confirmed in time: the old values are back");
	return TIME_NEVER;
}

/* --- restart and reset --- */

/* Negotiation takes up to 3 s on copper; a client waits 10 s for the reply. */
#define RESTART_LINK_WAIT_NS (5 * NS_PER_S)

static int operation_begin(
	struct control_call *call, const struct settings *change, struct control_failure *failure)
{
	struct control *control = call->control;
	struct control_operation *operation = &control->operation;
	struct nic *nic = control->daemon->nic;
	struct settings before = *nic_requested(nic);
	struct error err = {0};

	control->failure[0] = '\0';
	if (nic_start(nic, change, call->now_ns, &err))
		return control_fail_error(failure, &err);
	*operation = (struct control_operation){
		.active = true,
		.method = call->request->method->name,
		.conn = call->conn,
		.id = json_incref(call->request->id),
		.pid = call->conn->pid,
		.started_ns = call->now_ns,
		.before = before,
	};
	(void)snprintf(operation->command, sizeof(operation->command), "%s", call->conn->command);
	return CONTROL_LATER;
}

int control_restart(struct control_call *call, json_t *result, struct control_failure *failure)
{
	const struct settings *change = &call->request->knobs;

	if (check_chip(nic_chip(call->control->daemon->nic), change, failure))
		return -EINVAL;
	return operation_begin(call, change->present ? change : NULL, failure);
}

int control_reset(struct control_call *call, json_t *result, struct control_failure *failure)
{
	return operation_begin(call, NULL, failure);
}

static void operation_finish(
	struct control *control, json_t *result, const struct control_failure *failure)
{
	struct control_operation operation = control->operation;

	control->operation = (struct control_operation){0};
	control_conn_answer(operation.conn, operation.id, result, failure, NULL, 0);
	json_decref(operation.id);
}

void control_operation_abort(struct control *control, const char *why)
{
	struct control_failure failure = {.number = ECANCELED};

	if (!control->operation.active)
		return;
	(void)control_fail(&failure, CONTROL_ERR_FAILED, "%s: not finished: %s",
		control->operation.method, why);
	operation_finish(control, NULL, &failure);
}

void control_operation_run(struct control *control, uint64_t now_ns)
{
	struct control_operation *operation = &control->operation;
	enum nic_state state = nic_state(control->daemon->nic);
	struct control_failure failure = {0};
	json_t *result = NULL;

	if (!operation->active || state == NIC_RESETTING)
		return;
	/* Not before the link is back: whoever asked would measure its coming up. */
	if (state == NIC_LINK_WAIT && now_ns - operation->started_ns < RESTART_LINK_WAIT_NS)
		return;
	control_notify_settings(
		control, operation->conn, operation->pid, operation->command, &operation->before);
	if ((state == NIC_RUNNING || state == NIC_LINK_WAIT) && !control->failure[0]) {
		result = json_pack("{s:f}", "took_ms",
			(double)(now_ns - operation->started_ns) / (double)NS_PER_MS);
	} else {
		failure.number = state == NIC_GONE ? ENODEV : EIO;
		(void)control_fail(&failure, CONTROL_ERR_FAILED, "%s: %s", operation->method,
			control->failure[0] ? control->failure : "the device did not start");
	}
	operation_finish(control, result, &failure);
}
