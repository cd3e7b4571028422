/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods that make traffic or trouble: the packet generator, and the simulated device's own. */
#include "driver/control_private.h"

#include <errno.h>

#include "common/clock.h"
#include "common/json.h"
#include "driver/bridge.h"
#include "driver/sim/sim.h"

/* --- packet generator --- */

static bool pktgen_runs(const struct daemon *daemon)
{
	struct pktgen_stats stats = {0};

	if (!daemon->pktgen)
		return false;
	pktgen_stats(daemon->pktgen, &stats);
	return stats.running;
}

void control_pktgen_end(struct control *control, uint64_t now_ns)
{
	struct daemon *daemon = control->daemon;

	if (!daemon->pktgen)
		return;
	bridge_set_pktgen(daemon->bridge, NULL);
	pktgen_stop(daemon->pktgen, now_ns, &control->pktgen_last);
	control->pktgen_last.running = false;
	daemon->pktgen = NULL;
	control->lease.pktgen = false;
}

static void pktgen_options_from(json_t *params, struct pktgen_options *ret_options)
{
	struct pktgen_options options = {
		.transmit = true, .frame_bytes = 64, .burst = 32, .count_rx = true};
	int64_t frame_bytes = options.frame_bytes, count = 0, burst = options.burst;

	/* types and ranges were checked with the request */
	(void)json_member_bool(params, "transmit", false, &options.transmit, NULL);
	(void)json_member_int(params, "frame_bytes", false, &frame_bytes, NULL);
	(void)json_member_number(params, "rate_pps", false, &options.rate_pps, NULL);
	(void)json_member_int(params, "count", false, &count, NULL);
	(void)json_member_int(params, "burst", false, &burst, NULL);
	(void)json_member_bool(params, "count_rx", false, &options.count_rx, NULL);
	options.frame_bytes = (uint32_t)frame_bytes;
	options.count = (uint64_t)count;
	options.burst = (uint32_t)burst;
	*ret_options = options;
}

int control_pktgen_start(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control *control = call->control;
	struct daemon *daemon = control->daemon;
	struct pktgen_options options;
	struct error err = {0};

	if (pktgen_runs(daemon)) {
		failure->number = EALREADY;
		return control_fail(failure, CONTROL_ERR_FAILED,
			"a generator runs already: end it with pktgen.stop");
	}
	pktgen_options_from(call->request->params, &options);
	if (!options.transmit && !options.count_rx)
		return control_fail(failure, CONTROL_ERR_PARAMS,
			"pktgen.start: neither transmit nor count_rx leaves nothing to do");
	control_pktgen_end(control, call->now_ns);
	if (pktgen_start(daemon->nic, &options, call->now_ns, &daemon->pktgen, &err))
		return control_fail_error(failure, &err);
	bridge_set_pktgen(daemon->bridge, daemon->pktgen);
	control->pktgen_ever = true;
	control->lease.pktgen = control_lease_holds(control, call->conn);
	return 0;
}

int control_pktgen_stop(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct control *control = call->control;
	const struct pktgen_stats *stats = &control->pktgen_last;
	uint64_t elapsed_ns;

	if (!control->daemon->pktgen) {
		failure->number = ENOENT;
		return control_fail(failure, CONTROL_ERR_FAILED, "no generator was started");
	}
	control_pktgen_end(control, call->now_ns);
	elapsed_ns = stats->end_ns > stats->start_ns ? stats->end_ns - stats->start_ns : 0;
	json_object_set_new(result, "sent", json_integer((json_int_t)stats->sent));
	json_object_set_new(result, "received", json_integer((json_int_t)stats->received));
	json_object_set_new(result, "elapsed_ns", json_integer((json_int_t)elapsed_ns));
	return 0;
}

/* --- the simulated device; control_dispatch() has made sure that it is one --- */

int control_sim_fault(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct bus *bus = call->control->daemon->bus;
	struct error err = {0};
	const char *name = NULL;
	int64_t count = 1;

	(void)json_member_string(call->request->params, "name", true, &name, NULL);
	(void)json_member_int(call->request->params, "count", false, &count, NULL);
	if (bus->ops->sim->set_fault(bus, name, (uint64_t)count, &err))
		return control_fail_error(failure, &err);
	return 0;
}

int control_sim_source(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct bus *bus = call->control->daemon->bus;
	json_t *params = call->request->params;
	struct sim_source source = {0};
	int64_t frame_bytes = 64, count = 0, burst = 1;
	struct error err = {0};

	(void)json_member_bool(params, "on", true, &source.on, NULL);
	(void)json_member_int(params, "frame_bytes", false, &frame_bytes, NULL);
	(void)json_member_number(params, "rate_pps", false, &source.rate_pps, NULL);
	(void)json_member_int(params, "count", false, &count, NULL);
	(void)json_member_int(params, "burst", false, &burst, NULL);
	source.frame_bytes = (uint32_t)frame_bytes;
	source.count = (uint64_t)count;
	source.burst = (uint32_t)burst;
	if (bus->ops->sim->set_source(bus, &source, &err))
		return control_fail_error(failure, &err);
	call->control->lease.source = source.on && control_lease_holds(call->control, call->conn);
	return 0;
}

int control_sim_sink(struct control_call *call, json_t *result, struct control_failure *failure)
{
	struct bus *bus = call->control->daemon->bus;
	bool on = false;

	(void)json_member_bool(call->request->params, "on", true, &on, NULL);
	bus->ops->sim->set_sink(bus, on);
	call->control->lease.sink = on && control_lease_holds(call->control, call->conn);
	return 0;
}

void control_traffic_end(struct control *control, uint64_t now_ns)
{
	struct control_lease *lease = &control->lease;
	struct bus *bus = control->daemon->bus;
	static const struct sim_source off = {.frame_bytes = 64, .burst = 1};

	if (lease->pktgen)
		control_pktgen_end(control, now_ns);
	if (lease->source)
		(void)bus->ops->sim->set_source(bus, &off, NULL);
	if (lease->sink)
		bus->ops->sim->set_sink(bus, false);
	lease->source = lease->sink = false;
}
