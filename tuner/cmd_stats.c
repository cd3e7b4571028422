/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato stats: counters once, or rates at an interval. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"
#include "tuner/rates.h"

#define HEADING_EVERY 20

struct stats_request {
	const char *name;
	uint64_t interval_ns;
	int64_t count; /* lines of rates; 0: until interrupted */
	bool all, json;
};

/* info.counters or info.sim_counters tells unit and meaning of each counter. */
static void add_counters(
	struct columns *columns, const json_t *described, const json_t *counters, bool all)
{
	json_t *row;
	size_t i;

	json_array_foreach ((json_t *)described, i, row) {
		const char *name = reply_string(row, "name");
		int64_t value = reply_int(counters, name);

		if (!value && !all)
			continue;
		columns_cell(columns, "%s", name);
		columns_cell(columns, "%" PRId64, value);
		columns_cell(columns, "%s", reply_string(row, "unit"));
		columns_cell(columns, "%s", reply_string(row, "meaning"));
		columns_end_row(columns);
	}
}

static void add_heading(struct columns *columns, const char *title)
{
	columns_cell(columns, "%s", title);
	columns_cell(columns, "VALUE");
	columns_cell(columns, "UNIT");
	columns_cell(columns, "MEANING");
	columns_end_heading(columns);
}

static void print_histogram(const json_t *histogram)
{
	char name[16];

	printf("\n%sframes found by a receive interrupt:%s", console_bold(stdout),
		console_plain(stdout));
	for (unsigned i = 0; i < RATES_BUCKETS && i < json_array_size(histogram); i++)
		printf("%s  %s: %lld", i % 6 ? "" : "\n", rates_bucket_name(i, name, sizeof(name)),
			(long long)json_integer_value(json_array_get(histogram, i)));
	printf("\n");
}

static void print_counters(const json_t *info, const json_t *stats, bool all)
{
	const json_t *sim = json_object_get(stats, "sim"),
		     *pktgen = json_object_get(stats, "pktgen");
	struct columns *columns = columns_new("lrll");

	add_heading(columns, "COUNTER");
	add_counters(columns, json_object_get(info, "counters"), json_object_get(stats, "counters"),
		all);
	if (sim) {
		columns_end_row(columns);
		add_heading(columns, "SIMULATED DEVICE");
		add_counters(columns, json_object_get(info, "sim_counters"), sim, all);
	}
	columns_print_free(columns, stdout);
	print_histogram(json_object_get(stats, "batch_histogram"));
	if (pktgen)
		printf("\npktgen: %s, %lld frames sent, %lld received, ring full %lld times\n",
			json_is_true(json_object_get(pktgen, "running")) ? "running" : "stopped",
			(long long)reply_int(pktgen, "sent"),
			(long long)reply_int(pktgen, "received"),
			(long long)reply_int(pktgen, "ring_full"));
	if (!all)
		printf("\ncounters that are 0 are not shown; --all shows them\n");
}

static int show_once(
	struct control_client *client, const struct stats_request *request, struct error *err)
{
	json_t *info = NULL, *stats = NULL;
	int r = control_call(client, "stats", NULL, &stats, 0, err);

	if (!r && !request->json)
		r = control_call(client, "info", NULL, &info, 0, err);
	if (!r && request->json)
		client_print_json(stats);
	else if (!r)
		print_counters(info, stats, request->all);
	json_decref(info);
	json_decref(stats);
	return r;
}

static void show_rates(
	const struct stats_request *request, const struct rates *rates, uint64_t line)
{
	if (request->json) {
		json_t *value = rates_json(rates);

		(void)json_dumpf(value, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
		(void)putchar('\n');
		(void)fflush(stdout);
		json_decref(value);
		return;
	}
	if (line % HEADING_EVERY == 0)
		rates_print_heading(stdout);
	rates_print_line(stdout, rates);
}

static int show_repeatedly(
	struct control_client *client, const struct stats_request *request, struct error *err)
{
	uint64_t next_ns = clock_now_ns(), lines = 0;
	struct rates_sample before = {0}, now;
	int r;

	for (;;) {
		struct timespec until = {(time_t)(next_ns / NS_PER_S), (long)(next_ns % NS_PER_S)};
		struct rates rates;
		json_t *stats;

		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		r = control_call(client, "stats", NULL, &stats, 0, err);
		if (r)
			return r;
		rates_sample_read(stats, &now);
		json_decref(stats);
		if (before.time_ns) {
			rates_between(&before, &now, &rates);
			show_rates(request, &rates, lines++);
		}
		if (request->count && lines >= (uint64_t)request->count)
			return 0;
		if (ferror(stdout))
			return error_sys(err, -EPIPE, "cannot write the rates");
		before = now;
		next_ns += request->interval_ns;
	}
}

int cmd_stats(int argc, char **argv, struct error *err)
{
	struct stats_request request = {0};
	const struct option_row rows[] = {
		OPT_DAEMON(&request.name),
		OPT_DURATION("interval", 'i', &request.interval_ns, "TIME", 0.01, 3600,
			"rates every TIME instead of counters"),
		OPT_INT("count", 'c', &request.count, "N", 1, 1e15,
			"so many lines of rates (default endless)"),
		OPT_FLAG("all", 'a', &request.all, "also counters that are 0"),
		OPT_JSON(&request.json),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.details = "Counters are cumulative from the start of the daemon. Mbit/s counts "
			   "frame bytes\n"
			   "without FCS; CPU is that of the driver thread, the local stack "
			   "included.\n",
	};
	struct control_client *client;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (request.count && !request.interval_ns)
		request.interval_ns = NS_PER_S;
	r = control_connect(request.name, &client, err);
	if (r)
		return r;
	r = request.interval_ns ? show_repeatedly(client, &request, err)
				: show_once(client, &request, err);
	control_disconnect(client);
	return r;
}
