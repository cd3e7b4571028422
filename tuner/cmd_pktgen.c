/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato pktgen: generate and count frames on the driver's own rings, without TAP and TCP. */
#include <signal.h>
#include <stdio.h>

#include "common/clock.h"
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/pktgen_report.h"

#define DEFAULT_SECONDS	 5
#define POLL_INTERVAL_NS (50 * NS_PER_MS)
#define DRAIN_NS                                                                                   \
	(20 * NS_PER_MS) /* frames under way when the sources stop: a throttle's longest window */
#define RATE_UNSET (-1.0)
#define RATE_MAX   1e8

struct pktgen_request {
	const char *name;
	int64_t frame_bytes, count, burst;
	double rate_pps, source_pps; /* 0: as many as fit; source RATE_UNSET: no source */
	uint64_t seconds_ns;	     /* 0: until @count */
	bool count_only, json;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = 1;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	interrupted = 0;
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

static void pause_until(uint64_t time_ns)
{
	struct timespec until = {(time_t)(time_ns / NS_PER_S), (long)(time_ns % NS_PER_S)};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int sample(struct control_client *client, struct pktgen_sample *ret_sample,
	struct pktgen_outcome *outcome, struct error *err)
{
	const json_t *pktgen;
	json_t *stats;
	int r = control_call(client, "stats", NULL, &stats, 0, err);

	if (r)
		return r;
	pktgen_sample_read(stats, ret_sample);
	pktgen = json_object_get(stats, "pktgen");
	outcome->sent = reply_int(pktgen, "sent");
	outcome->received = reply_int(pktgen, "received");
	outcome->ring_full = reply_int(pktgen, "ring_full");
	json_decref(stats);
	return 0;
}

/* The lease stops generator, source and sink should this process die. */
static int take_lease(struct control_client *client, struct error *err)
{
	return control_call(client, "lease.take",
		json_pack("{s:b, s:s}", "restore", 0, "holder", "moderato pktgen"), NULL, 0, err);
}

static int start_traffic(struct control_client *client, const struct pktgen_request *request,
	bool simulated, struct error *err)
{
	json_t *params = json_pack("{s:b, s:I, s:f, s:I, s:I, s:b}", "transmit",
		!request->count_only, "frame_bytes", (json_int_t)request->frame_bytes, "rate_pps",
		request->rate_pps, "count", (json_int_t)(request->count_only ? 0 : request->count),
		"burst", (json_int_t)request->burst, "count_rx", 1);
	int r = 0;

	/* the sink first: frames to the peer's TAP would only cost time there */
	if (simulated && !request->count_only)
		r = control_call(client, "sim.sink", json_pack("{s:b}", "on", 1), NULL, 0, err);
	if (r) {
		json_decref(params);
		return r;
	}
	r = control_call(client, "pktgen.start", params, NULL, 0, err);
	if (!r && request->source_pps != RATE_UNSET)
		r = control_call(client, "sim.source",
			json_pack("{s:b, s:I, s:f, s:I}", "on", 1, "frame_bytes",
				(json_int_t)request->frame_bytes, "rate_pps", request->source_pps,
				"count", (json_int_t)(request->count_only ? request->count : 0)),
			NULL, 0, err);
	return r;
}

/* All were sent or received; or the source has made all of them and no more arrive, as some were
 * missed. */
static bool is_finished(const struct pktgen_request *request, const struct pktgen_outcome *outcome,
	int64_t received_before)
{
	int64_t made = outcome->to.source_frames - outcome->before.source_frames;

	if (!request->count)
		return false;
	if (outcome->transmit)
		return outcome->sent >= request->count;
	if (outcome->source && made >= request->count)
		return outcome->received == received_before;
	return outcome->received >= request->count;
}

static int run_until_done(struct control_client *client, const struct pktgen_request *request,
	struct pktgen_outcome *outcome, struct error *err)
{
	uint64_t start_ns = clock_now_ns(), now_ns = start_ns;
	uint64_t end_ns = request->seconds_ns ? start_ns + request->seconds_ns : TIME_NEVER;

	while (!outcome->counted && !interrupted && now_ns < end_ns) {
		uint64_t next_ns = now_ns + POLL_INTERVAL_NS;
		int64_t received = outcome->received;
		int r;

		pause_until(next_ns < end_ns ? next_ns : end_ns);
		r = sample(client, &outcome->to, outcome, err);
		if (r)
			return r;
		outcome->counted = is_finished(request, outcome, received);
		now_ns = clock_now_ns();
	}
	outcome->interrupted = interrupted;
	return 0;
}

static int stop_traffic(struct control_client *client, const struct pktgen_request *request,
	struct pktgen_outcome *outcome, struct error *err)
{
	json_t *result;
	int r = 0;

	if (request->source_pps != RATE_UNSET) {
		r = control_call(client, "sim.source", json_pack("{s:b}", "on", 0), NULL, 0, err);
		pause_until(clock_now_ns() + DRAIN_NS);
	}
	if (!r)
		r = control_call(client, "pktgen.stop", NULL, &result, 0, err);
	if (r)
		return r;
	outcome->elapsed_ns = reply_int(result, "elapsed_ns");
	json_decref(result);
	if (outcome->simulated && !request->count_only) {
		pause_until(clock_now_ns() + DRAIN_NS);
		r = control_call(client, "sim.sink", json_pack("{s:b}", "on", 0), NULL, 0, err);
	}
	return r;
}

static int measure(struct control_client *client, const struct pktgen_request *request,
	struct pktgen_outcome *outcome, struct error *err)
{
	int r = sample(client, &outcome->before, outcome, err);

	if (!r)
		r = start_traffic(client, request, outcome->simulated, err);
	if (!r)
		r = sample(client, &outcome->from, outcome, err);
	if (!r)
		r = run_until_done(client, request, outcome, err);
	if (!r)
		r = stop_traffic(client, request, outcome, err);
	/* with frames that were under way when all stopped, and the generator's last figures */
	if (!r)
		r = sample(client, &outcome->after, outcome, err);
	return r;
}

static int is_simulated(struct control_client *client, const struct pktgen_request *request,
	bool *ret_simulated, struct error *err)
{
	json_t *info;
	int r = control_call(client, "info", NULL, &info, 0, err);

	if (r)
		return r;
	*ret_simulated = json_is_true(json_object_get(info, "simulated"));
	if (!*ret_simulated && request->source_pps != RATE_UNSET)
		r = error_usage(err,
			"--source: %s is not a simulated device, so its wire has no source",
			reply_string(info, "device"));
	json_decref(info);
	return r;
}

static int run(
	struct control_client *client, const struct pktgen_request *request, struct error *err)
{
	struct pktgen_outcome outcome = {
		.frame_bytes = request->frame_bytes,
		.transmit = !request->count_only,
		.source = request->source_pps != RATE_UNSET,
	};
	int r = is_simulated(client, request, &outcome.simulated, err);

	if (!r)
		r = take_lease(client, err);
	if (!r)
		r = measure(client, request, &outcome, err);
	if (!r)
		r = control_call(client, "lease.release", NULL, NULL, 0, err);
	if (r)
		return r;
	if (request->json) {
		json_t *value = pktgen_report_json(&outcome);

		client_print_json(value);
		json_decref(value);
	} else {
		pktgen_report_print(&outcome);
	}
	return 0;
}

int cmd_pktgen(int argc, char **argv, struct error *err)
{
	struct pktgen_request request = {.frame_bytes = 64, .burst = 32, .source_pps = RATE_UNSET};
	const struct option_row rows[] = {
		OPT_DAEMON(&request.name),
		OPT_INT("frame", 'f', &request.frame_bytes, "N", 64, 1518,
			"bytes with FCS (default 64)"),
		OPT_NUMBER("rate", 'r', &request.rate_pps, "PPS", 0, RATE_MAX,
			"frames a second to send; 0 = as many as fit (default)"),
		OPT_INT("count", 'c', &request.count, "N", 1, 1e15, "end after so many frames"),
		OPT_DURATION("seconds", 's', &request.seconds_ns, "TIME", 0.01, 86400,
			"end after that time (default 5, without limit with --count)"),
		OPT_INT("burst", 'b', &request.burst, "N", 1, 64,
			"frames per tail write (default 32)"),
		OPT_FLAG("count-only", 0, &request.count_only,
			"send nothing, count what is received"),
		OPT_NUMBER("source", 0, &request.source_pps, "PPS", 0, RATE_MAX,
			"simulated device: frames a second towards the chip; 0 = line rate"),
		OPT_JSON(&request.json),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.details = "Received frames are counted and dropped meanwhile; they do not reach "
			   "the TAP.\n"
			   "Example: moderato pktgen --count-only --source 1.488M --seconds 2\n",
	};
	struct control_client *client;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (!request.seconds_ns && !request.count)
		request.seconds_ns = DEFAULT_SECONDS * NS_PER_S;
	r = control_connect(request.name, &client, err);
	if (r)
		return r;
	catch_signals();
	r = run(client, &request, err);
	control_disconnect(client);
	return r;
}
