/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato pktgen: generate and count frames on the driver's own rings, without TAP and TCP. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "common/clock.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"
#include "tuner/rates.h"

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

struct pktgen_outcome {
	struct rates_sample from, to; /* while everything ran */
	int64_t sent, received, elapsed_ns, ring_full, source_frames, sink_frames;
	bool simulated, interrupted;
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

static int sample(struct control_client *client, struct rates_sample *ret_sample,
	json_t **ret_stats, struct error *err)
{
	int r = control_call(client, "stats", NULL, ret_stats, 0, err);

	if (!r)
		rates_sample_read(*ret_stats, ret_sample);
	return r;
}

static int64_t sim_counter(const json_t *stats, const char *name)
{
	return reply_int(json_object_get(stats, "sim"), name);
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
	int r = control_call(client, "pktgen.start", params, NULL, 0, err);

	/* frames to the peer's TAP would only cost time there */
	if (!r && simulated && !request->count_only)
		r = control_call(client, "sim.sink", json_pack("{s:b}", "on", 1), NULL, 0, err);
	if (!r && request->source_pps != RATE_UNSET)
		r = control_call(client, "sim.source",
			json_pack("{s:b, s:I, s:f, s:I}", "on", 1, "frame_bytes",
				(json_int_t)request->frame_bytes, "rate_pps", request->source_pps,
				"count", (json_int_t)(request->count_only ? request->count : 0)),
			NULL, 0, err);
	return r;
}

static bool is_finished(const struct pktgen_request *request, const json_t *stats)
{
	const json_t *pktgen = json_object_get(stats, "pktgen");

	if (!request->count)
		return false;
	return reply_int(pktgen, request->count_only ? "received" : "sent") >= request->count;
}

static int run_until_done(struct control_client *client, const struct pktgen_request *request,
	struct pktgen_outcome *outcome, struct error *err)
{
	uint64_t start_ns = clock_now_ns(), now_ns = start_ns;
	uint64_t end_ns = request->seconds_ns ? start_ns + request->seconds_ns : TIME_NEVER;
	bool finished = false;

	while (!finished && !interrupted && now_ns < end_ns) {
		uint64_t next_ns = now_ns + POLL_INTERVAL_NS;
		json_t *stats;
		int r;

		pause_until(next_ns < end_ns ? next_ns : end_ns);
		r = sample(client, &outcome->to, &stats, err);
		if (r)
			return r;
		finished = is_finished(request, stats);
		outcome->ring_full = reply_int(json_object_get(stats, "pktgen"), "ring_full");
		json_decref(stats);
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
	outcome->sent = reply_int(result, "sent");
	outcome->received = reply_int(result, "received");
	outcome->elapsed_ns = reply_int(result, "elapsed_ns");
	json_decref(result);
	if (outcome->simulated && !request->count_only)
		r = control_call(client, "sim.sink", json_pack("{s:b}", "on", 0), NULL, 0, err);
	return r;
}

static int measure(struct control_client *client, const struct pktgen_request *request,
	struct pktgen_outcome *outcome, struct error *err)
{
	int64_t source, sink;
	json_t *stats;
	struct rates_sample last;
	int r = sample(client, &last, &stats, err);

	if (r)
		return r;
	source = sim_counter(stats, "source_frames");
	sink = sim_counter(stats, "sink_frames");
	json_decref(stats);
	r = start_traffic(client, request, outcome->simulated, err);
	if (!r)
		r = sample(client, &outcome->from, &stats, err);
	if (r)
		return r;
	json_decref(stats);
	r = run_until_done(client, request, outcome, err);
	if (!r)
		r = stop_traffic(client, request, outcome, err);
	if (!r)
		r = sample(client, &last, &stats, err);
	if (r)
		return r;
	outcome->source_frames = sim_counter(stats, "source_frames") - source;
	outcome->sink_frames = sim_counter(stats, "sink_frames") - sink;
	json_decref(stats);
	return 0;
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

static void add_line(struct columns *columns, const char *what, int64_t frames, double per_s)
{
	columns_cell(columns, "%s", what);
	columns_cell(columns, "%" PRId64, frames);
	columns_cell(columns, "%.0f", per_s);
	columns_end_row(columns);
}

static void print_outcome(
	const struct pktgen_request *request, const struct pktgen_outcome *outcome)
{
	struct columns *columns = columns_new("lrr");
	struct rates rates;
	double seconds, frames;

	rates_between(&outcome->from, &outcome->to, &rates);
	seconds = rates.seconds > 0 ? rates.seconds : 1;
	printf("%" PRId64 "-byte frames for %.3f s%s\n", request->frame_bytes, rates.seconds,
		outcome->interrupted ? ", interrupted" : "");
	columns_cell(columns, "RING");
	columns_cell(columns, "FRAMES");
	columns_cell(columns, "FRAMES/S");
	columns_end_heading(columns);
	if (!request->count_only)
		add_line(columns, "sent", outcome->sent, rates.tx_frames_per_s);
	if (outcome->simulated && !request->count_only)
		add_line(columns, "left the wire", outcome->sink_frames,
			(double)outcome->sink_frames / seconds);
	if (request->source_pps != RATE_UNSET)
		add_line(columns, "source", outcome->source_frames,
			(double)outcome->source_frames / seconds);
	add_line(columns, "received", outcome->received, rates.rx_frames_per_s);
	add_line(columns, "missed", (int64_t)(outcome->to.missed - outcome->from.missed),
		rates.missed_per_s);
	columns_print_free(columns, stdout);
	frames = rates.rx_frames_per_s + rates.tx_frames_per_s;
	printf("\n%.1f interrupts/s", rates.irq_total_per_s);
	if (rates.rx_frames_per_irq > 0)
		printf(", %.1f frames per receive interrupt", rates.rx_frames_per_irq);
	printf("; transmit ring full %" PRId64 " times\ndriver CPU %.1f %%", outcome->ring_full,
		rates.driver_cpu * 100);
	if (frames > 0)
		printf(", %.0f ns a frame", rates.driver_cpu * 1e9 / frames);
	printf("\n");
}

static void print_outcome_json(
	const struct pktgen_request *request, const struct pktgen_outcome *outcome)
{
	struct rates rates;
	json_t *value;

	rates_between(&outcome->from, &outcome->to, &rates);
	value = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "frame_bytes",
		(json_int_t)request->frame_bytes, "sent", (json_int_t)outcome->sent, "received",
		(json_int_t)outcome->received, "elapsed_ns", (json_int_t)outcome->elapsed_ns,
		"ring_full", (json_int_t)outcome->ring_full, "source_frames",
		(json_int_t)outcome->source_frames, "sink_frames", (json_int_t)outcome->sink_frames,
		"interrupted", outcome->interrupted, "rates", rates_json(&rates));
	client_print_json(value);
	json_decref(value);
}

static int run(
	struct control_client *client, const struct pktgen_request *request, struct error *err)
{
	struct pktgen_outcome outcome = {0};
	int r = is_simulated(client, request, &outcome.simulated, err);

	if (!r)
		r = take_lease(client, err);
	if (!r)
		r = measure(client, request, &outcome, err);
	if (!r)
		r = control_call(client, "lease.release", NULL, NULL, 0, err);
	if (r)
		return r;
	if (request->json)
		print_outcome_json(request, &outcome);
	else
		print_outcome(request, &outcome);
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
