/* SPDX-License-Identifier: BSD-2-Clause */
/* Which handler serves which method and who may call it; and the methods that are short. */
#include "driver/control_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/log.h"
#include "common/util.h"
#include "driver/bridge.h"
#include "driver/sim/sim.h"

/* --- statistics --- */

#define COUNTER(name, unit, meaning)                                                               \
	json_object_set_new(object, #name, json_integer((json_int_t)counters->name));
static json_t *counters_json(const struct nic_counters *counters)
{
	json_t *object = json_object();

#include "driver/counters.def"
	return object;
}
#undef COUNTER

#define SIM_COUNTER(name, meaning)                                                                 \
	json_object_set_new(object, #name, json_integer((json_int_t)counters.name));
static json_t *sim_counters_json(struct bus *bus)
{
	struct sim_counters counters = {0};
	json_t *object = json_object();

	bus->ops->sim->get_counters(bus, &counters);
#include "driver/sim/sim_counters.def"
	return object;
}
#undef SIM_COUNTER

static json_t *pktgen_json(const struct pktgen_stats *stats, uint64_t now_ns)
{
	uint64_t end_ns = stats->running ? now_ns : stats->end_ns;

	return json_pack("{s:b, s:I, s:I, s:I, s:I}", "running", stats->running, "sent",
		(json_int_t)stats->sent, "received", (json_int_t)stats->received, "ring_full",
		(json_int_t)stats->ring_full, "elapsed_ns",
		(json_int_t)(end_ns > stats->start_ns ? end_ns - stats->start_ns : 0));
}

static json_t *batches_json(const struct nic_counters *counters)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < NIC_BATCH_BUCKETS; i++)
		json_array_append_new(array, json_integer((json_int_t)counters->batch[i]));
	return array;
}

static void stats_fill(struct control *control, json_t *result)
{
	struct daemon *daemon = control->daemon;
	const struct nic_counters *counters = nic_counters_of(daemon->nic);
	uint64_t now_ns;

	daemon_refresh_counters(daemon);
	now_ns = clock_now_ns();
	json_object_set_new(result, "time_ns", json_integer((json_int_t)now_ns));
	json_object_set_new(result, "counters", counters_json(counters));
	json_object_set_new(result, "batch_histogram", batches_json(counters));
	if (daemon->bus->ops->sim)
		json_object_set_new(result, "sim", sim_counters_json(daemon->bus));
	if (daemon->pktgen)
		pktgen_stats(daemon->pktgen, &control->pktgen_last);
	if (control->pktgen_ever)
		json_object_set_new(result, "pktgen", pktgen_json(&control->pktgen_last, now_ns));
}

static int control_stats(struct control_call *call, json_t *result, struct control_failure *failure)
{
	stats_fill(call->control, result);
	return 0;
}

void control_stats_send(struct control_conn *conn, uint64_t now_ns)
{
	json_t *params;
	size_t len = 0;
	char *line;

	/* from the time asked for, not from now: the interval does not drift */
	conn->stats_at_ns += conn->stats_interval_ns;
	if (conn->stats_at_ns <= now_ns)
		conn->stats_at_ns = now_ns + conn->stats_interval_ns;
	if (conn->dropped || conn->queue_bytes > CONTROL_QUEUE_MAX / 2)
		return;
	params = json_object();
	stats_fill(conn->control, params);
	line = control_text_notification("stats", params, &len);
	control_conn_send(conn, line, len, NULL, 0);
}

static int control_subscribe(
	struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control_conn *conn = call->conn;
	int64_t stats_ms = 0;
	bool events = true;

	(void)json_member_bool(call->request->params, "events", false, &events, NULL);
	(void)json_member_int(call->request->params, "stats_ms", false, &stats_ms, NULL);
	conn->events = events;
	conn->stats_interval_ns = (uint64_t)stats_ms * NS_PER_MS;
	conn->stats_at_ns = stats_ms ? call->now_ns + conn->stats_interval_ns : TIME_NEVER;
	return 0;
}

/* --- capture --- */

static int control_capture_start(
	struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct daemon *daemon = call->control->daemon;
	struct error err = {0};
	const char *path = NULL;
	int64_t snaplen = 0;

	(void)json_member_string(call->request->params, "path", true, &path, NULL);
	(void)json_member_int(call->request->params, "snaplen", false, &snaplen, NULL);
	if (path[0] != '/')
		return control_fail(failure, CONTROL_ERR_PARAMS,
			"capture.start: path %.200s is not absolute: the daemon has a "
			"working directory of its own",
			path);
	if (daemon->capture) {
		failure->number = EALREADY;
		return control_fail(failure, CONTROL_ERR_FAILED,
			"a capture runs already: end it with capture.stop");
	}
	if (capture_start(path, (unsigned)snaplen, &daemon->capture, &err))
		return control_fail_error(failure, &err);
	bridge_set_capture(daemon->bridge, daemon->capture);
	return 0;
}

static int capture_end(struct daemon *daemon, struct capture_stats *ret_stats, struct error *err)
{
	struct capture *capture = daemon->capture;

	bridge_set_capture(daemon->bridge, NULL);
	daemon->capture = NULL;
	return capture_stop(capture, ret_stats, err);
}

static int control_capture_stop(
	struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct capture_stats stats = {0};
	struct error err = {0};

	if (!call->control->daemon->capture) {
		failure->number = ENOENT;
		return control_fail(failure, CONTROL_ERR_FAILED, "no capture runs");
	}
	if (capture_end(call->control->daemon, &stats, &err))
		return control_fail_error(failure, &err);
	json_object_set_new(result, "frames", json_integer((json_int_t)stats.frames));
	json_object_set_new(result, "bytes", json_integer((json_int_t)stats.bytes));
	json_object_set_new(result, "dropped", json_integer((json_int_t)stats.dropped));
	return 0;
}

void control_capture_end(struct control *control)
{
	struct capture_stats stats = {0};
	struct error err = {0};

	if (control->daemon->capture && capture_end(control->daemon, &stats, &err))
		log_error("%s", err.text);
}

/* --- shutdown --- */

static int control_shutdown(
	struct control_call *call, json_t *result, struct control_failure *failure)
{
	call->control->stopping = true;
	return 0;
}

/* --- dispatch --- */

enum method_needs { NEEDS_NOTHING, NEEDS_SIM };

static const struct {
	const char *name;
	control_handler handler;
	enum method_needs needs;
} handler_table[] = {
	{"info", control_info, NEEDS_NOTHING},
	{"get", control_get, NEEDS_NOTHING},
	{"set", control_set, NEEDS_NOTHING},
	{"stats", control_stats, NEEDS_NOTHING},
	{"regs", control_regs, NEEDS_NOTHING},
	{"restart", control_restart, NEEDS_NOTHING},
	{"reset", control_reset, NEEDS_NOTHING},
	{"capture.start", control_capture_start, NEEDS_NOTHING},
	{"capture.stop", control_capture_stop, NEEDS_NOTHING},
	{"subscribe", control_subscribe, NEEDS_NOTHING},
	{"lease.take", control_lease_take, NEEDS_NOTHING},
	{"lease.keep", control_lease_keep, NEEDS_NOTHING},
	{"lease.commit", control_lease_commit, NEEDS_NOTHING},
	{"lease.release", control_lease_release, NEEDS_NOTHING},
	{"pktgen.start", control_pktgen_start, NEEDS_NOTHING},
	{"pktgen.stop", control_pktgen_stop, NEEDS_NOTHING},
	{"sim.fault", control_sim_fault, NEEDS_SIM},
	{"sim.source", control_sim_source, NEEDS_SIM},
	{"sim.sink", control_sim_sink, NEEDS_SIM},
	{"shutdown", control_shutdown, NEEDS_NOTHING},
};

static int handler_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(handler_table); i++)
		if (!strcmp(handler_table[i].name, name))
			return (int)i;
	return -1;
}

control_handler control_method_handler(const char *name)
{
	int i = handler_find(name);

	return i < 0 ? NULL : handler_table[i].handler;
}

bool control_has_method(const struct control *control, const char *name)
{
	int i = handler_find(name);

	return i >= 0 &&
	       (handler_table[i].needs == NEEDS_NOTHING || control->daemon->bus->ops->sim);
}

static bool method_refused(struct control_call *call, struct control_failure *failure)
{
	struct control *control = call->control;
	const char *name = call->request->method->name;

	if (!control_has_method(control, name)) {
		failure->number = ENODEV;
		(void)control_fail(failure, CONTROL_ERR_UNAVAILABLE,
			"%s: the device %s has no such method", name, control->daemon->bus->name);
		return true;
	}
	if (!control_method_is_guarded(name))
		return false;
	if (control_lease_refuses(control, call->conn, name, failure))
		return true;
	if (!control_is_busy(control))
		return false;
	failure->number = EBUSY;
	(void)control_fail(failure, CONTROL_ERR_BUSY,
		"%s: a reset, a restart or the end of a lease is under way: try again when "
		"it is over",
		name);
	return true;
}

void control_dispatch(
	struct control_conn *conn, const struct control_request *request, uint64_t now_ns)
{
	struct control_call call = {
		.control = conn->control, .conn = conn, .request = request, .now_ns = now_ns};
	struct control_failure failure = {0};
	json_t *result = json_object();
	int rc = -EINVAL;

	if (!method_refused(&call, &failure))
		rc = control_method_handler(request->method->name)(&call, result, &failure);
	if (rc) {
		json_decref(result);
		result = NULL;
	}
	if (rc != CONTROL_LATER)
		control_conn_answer(conn, request->id, result, &failure, call.fds, call.fd_count);
	if (conn->control->stopping)
		loop_quit(conn->control->daemon->loop);
}
