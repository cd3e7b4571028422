/* SPDX-License-Identifier: BSD-2-Clause */
/* The world of a real sweep: settings over the control socket, traffic by bench. */
#include "tuner/sweep_device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/env.h"
#include "common/clock.h"
#include "common/json.h"
#include "tuner/client.h"

#define RESTART_TIMEOUT_MS 30000
#define LINK_WAIT_MS	   10000
#define LINK_POLL_MS	   10

static int read_info(struct sweep_device *device, struct error *err)
{
	const json_t *chip, *timers;
	const char *name;
	json_t *info;
	int r = control_call(device->client, "info", NULL, &info, 0, err);

	if (r < 0)
		return r;
	chip = json_object_get(info, "chip");
	name = reply_string(chip, "name");
	device->plan.chip = chip_find(name);
	(void)snprintf(device->device, sizeof(device->device), "%s", reply_string(info, "device"));
	timers = json_object_get(info, "msix_rx_timers");
	device->plan.msix_rx_timers = json_is_true(timers);
	if (!device->plan.chip)
		r = error_set(err, -ENOTSUP,
			"%s has a chip that this moderato does not know: \"%s\"", device->device,
			name);
	json_decref(info);
	return r;
}

/* One member ("requested", "readback") of every knob in a reply of get or set. */
static json_t *pick_member(const json_t *reply, const char *member)
{
	json_t *knobs = json_object_get(reply, "knobs"), *picked = json_object(), *knob;
	const char *name;

	json_object_foreach (knobs, name, knob) {
		json_t *value = json_object_get(knob, member);

		if (value)
			(void)json_object_set(picked, name, value);
	}
	return picked;
}

/* What acts: nanoseconds of a time knob, the value of another; 0 for one without effect. */
static json_t *pick_effective(const json_t *reply)
{
	json_t *knobs = json_object_get(reply, "knobs"), *picked = json_object(), *knob;
	const char *name;

	json_object_foreach (knobs, name, knob) {
		json_t *value = json_object_get(knob, "effective_ns");

		if (!value)
			value = json_object_get(knob, "readback");
		if (json_is_true(json_object_get(knob, "acts")))
			(void)json_object_set(picked, name, value);
		else
			(void)json_object_set_new(picked, name, json_integer(0));
	}
	return picked;
}

static int parse_member(
	const json_t *reply, const char *member, struct settings *ret_settings, struct error *err)
{
	json_t *picked = pick_member(reply, member);
	int r = json_to_settings(picked, ret_settings, err);

	json_decref(picked);
	return r < 0 ? error_context(err, "reply of the daemon") : 0;
}

static int call_get(struct sweep_device *device, json_t **ret_reply, struct error *err)
{
	return control_call(device->client, "get", NULL, ret_reply, 0, err);
}

static int read_settings(struct sweep_device *device, struct error *err)
{
	json_t *reply;
	int r = call_get(device, &reply, err);

	if (r < 0)
		return r;
	device->plan.speed_mbps = (unsigned)reply_int(reply, "speed_mbps");
	r = parse_member(reply, "requested", &device->plan.base, err);
	device->in_force = device->plan.base;
	json_decref(reply);
	return r;
}

int sweep_device_attach(struct sweep_device *device, struct control_client *client,
	const volatile sig_atomic_t *stop, struct error *err)
{
	int r;

	memset(device, 0, sizeof(*device));
	bench_env_init(&device->env);
	device->client = client;
	(void)snprintf(device->holder, sizeof(device->holder), "moderato sweep");
	r = read_info(device, err);
	if (r == 0)
		r = read_settings(device, err);
	if (r == 0)
		r = bench_env_from_daemon(client, &device->env, err);
	if (r == 0) {
		device->env.stop = stop;
		r = env_record("", &device->env, &device->environment, err);
	}
	if (r < 0)
		sweep_device_close(device);
	return r;
}

int sweep_device_open(struct sweep_device *device, const char *name,
	const volatile sig_atomic_t *stop, struct error *err)
{
	struct control_client *client;
	int r;

	memset(device, 0, sizeof(*device));
	r = control_connect(name, &client, err);
	if (r < 0)
		return r;
	r = sweep_device_attach(device, client, stop, err);
	if (r < 0)
		control_disconnect(client);
	else
		device->owns_client = true;
	return r;
}

void sweep_device_close(struct sweep_device *device)
{
	bench_env_fini(&device->env);
	json_decref(device->environment);
	if (device->owns_client)
		control_disconnect(device->client);
	memset(device, 0, sizeof(*device));
}

static int device_begin(void *context, struct error *err)
{
	struct sweep_device *device = context;
	json_t *params = json_pack("{s:b, s:s}", "restore", 1, "holder", device->holder);
	int r = control_call(device->client, "lease.take", params, NULL, 0, err);

	return r < 0 ? r : read_settings(device, err);
}

static void device_end(void *context)
{
	struct sweep_device *device = context;

	/* should this fail, the daemon restores when the connection closes */
	(void)control_call(device->client, "lease.release", NULL, NULL, RESTART_TIMEOUT_MS, NULL);
}

static bool needs_restart(const struct settings *in_force, const struct settings *wanted)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(wanted, id) && knob_table[id].restart &&
			(!settings_has(in_force, id) || in_force->value[id] != wanted->value[id]))
			return true;
	return false;
}

static int read_state(struct sweep_device *device, char *state, size_t size, struct error *err)
{
	json_t *info;
	int r = control_call(device->client, "info", NULL, &info, 0, err);

	if (r < 0)
		return r;
	(void)snprintf(state, size, "%s", reply_string(info, "state"));
	json_decref(info);
	return 0;
}

/* The rings run before the link is up again, and a link that changes voids a trial. */
static int wait_for_link(struct sweep_device *device, struct error *err)
{
	const struct timespec pause = {.tv_nsec = LINK_POLL_MS * NS_PER_MS};
	uint64_t end_ns = clock_now_ns() + LINK_WAIT_MS * NS_PER_MS;
	char state[32];
	int r;

	while ((r = read_state(device, state, sizeof(state), err)) == 0) {
		if (strcmp(state, "running") == 0)
			return 0;
		if (clock_now_ns() > end_ns)
			return error_set(err, -ENETDOWN,
				"%s is not running %d s after a restart but %s", device->device,
				LINK_WAIT_MS / 1000, state);
		if (device->env.stop && *device->env.stop)
			return error_set(err, -EINTR, "stopped");
		(void)nanosleep(&pause, NULL);
	}
	return r;
}

static int call_apply(struct sweep_device *device, const struct settings *settings,
	json_t **ret_reply, struct error *err)
{
	json_t *params = json_pack("{s:o}", "knobs", json_settings(settings));
	int r;

	/* all knobs each time, also those that should hold already */
	if (!needs_restart(&device->in_force, settings))
		return control_call(device->client, "set", params, ret_reply, 0, err);
	r = control_call(device->client, "restart", params, NULL, RESTART_TIMEOUT_MS, err);
	if (r == 0)
		r = wait_for_link(device, err);
	return r < 0 ? r : call_get(device, ret_reply, err);
}

static int device_apply(void *context, const struct settings *settings,
	struct sweep_state *ret_state, struct error *err)
{
	struct sweep_device *device = context;
	struct sweep_state state = {0};
	json_t *reply;
	int r = call_apply(device, settings, &reply, err);

	if (r < 0) {
		/* not known what holds now: the next one restarts */
		memset(&device->in_force, 0, sizeof(device->in_force));
		return r;
	}
	device->in_force = *settings;
	/* the speed knob changes what the wire can carry */
	device->env.speed_mbps = (unsigned)reply_int(reply, "speed_mbps");
	r = parse_member(reply, "readback", &state.held, err);
	state.requested = pick_member(reply, "requested");
	state.readback = pick_member(reply, "readback");
	state.effective = pick_effective(reply);
	json_decref(reply);
	if (r < 0)
		sweep_state_clear(&state);
	else
		*ret_state = state;
	return r;
}

static int device_read(void *context, struct settings *ret_held, struct error *err)
{
	struct sweep_device *device = context;
	json_t *reply;
	int r = call_get(device, &reply, err);

	if (r < 0)
		return r;
	r = parse_member(reply, "readback", ret_held, err);
	json_decref(reply);
	return r;
}

static int device_run(void *context, const struct workload *workload,
	struct bench_result *ret_result, struct error *err)
{
	struct sweep_device *device = context;

	return bench_run(&device->env, workload, ret_result, err);
}

const struct sweep_ops sweep_device_ops = {
	.begin = device_begin,
	.apply = device_apply,
	.read = device_read,
	.run = device_run,
	.end = device_end,
};
