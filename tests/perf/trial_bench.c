/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of real traffic through the simulated 82574L: goodput, what the settings do to it, round
 * trips, CPU per Gbit, interrupts under UDP load. Contrasts are random adjacent pairs.
 *
 * usage: trial_bench MODERATOD FIGURE...   (goodput window roundtrip cpu udp socket; root or user
 * namespace)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/util.h"
#include "tests/lib/daemon_child.h"
#include "tuner/pairs.h"

#define TRIALS	 5
#define PAIRS	 10
#define ATTEMPTS 4 /* at a valid trial: a void one is made again */

#define LINUX_STATIC "intmode=msi,ITR=195,RDTR=32,RADV=32,TIDV=8,TADV=32"

struct rig {
	struct daemon_child child;
	struct bench_env env;
};

static int apply(struct rig *rig, const char *list, struct error *err)
{
	struct settings settings = {0};
	int r = settings_parse_list(&settings, list, err);

	if (r < 0)
		return r;
	settings.present &= ~(1u << KNOB_INTMODE); /* set by the restart that began the figure */
	return control_call(rig->child.client, "set", json_pack("{s:o}", "knobs", json_settings(&settings)),
			    NULL, 0, err);
}

/* One valid trial of @text under @list. */
static int trial(struct rig *rig, const char *list, const char *text, double *ret_metric, struct error *err)
{
	struct workload workload;
	struct bench_result result;
	int r = apply(rig, list, err);

	if (r == 0)
		r = workload_parse(text, &workload, err);
	for (unsigned i = 0; r == 0 && i < ATTEMPTS; i++) {
		r = bench_run(&rig->env, &workload, &result, err);
		if (r < 0)
			return r;
		memcpy(ret_metric, result.metric, sizeof(result.metric));
		if (result.status == BENCH_OK) {
			bench_result_fini(&result);
			return 0;
		}
		fprintf(stderr, "void: %s\n", result.reason);
		bench_result_fini(&result);
	}
	return r < 0 ? r : error_set(err, -EAGAIN, "%s: no valid trial in %d attempts", text, ATTEMPTS);
}

static int repeat(struct rig *rig, const char *list, const char *text, enum metric_id id, double *ret_median,
		  struct error *err)
{
	double metric[METRIC_COUNT], values[TRIALS];
	int r = 0;

	for (unsigned i = 0; r == 0 && i < TRIALS; i++) {
		r = trial(rig, list, text, metric, err);
		values[i] = metric[id];
	}
	if (r == 0)
		*ret_median = figure_median(values, TRIALS);
	return r;
}

static int goodput(struct rig *rig, struct error *err)
{
	double value;
	int r = daemon_child_restart(&rig->child, LINUX_STATIC, err);

	if (r == 0)
		r = repeat(rig, LINUX_STATIC, "tcp:tx:128k", METRIC_GOODPUT_MBPS, &value, err);
	if (r < 0)
		return r;
	figure_print("TCP goodput tx, linux-static, 128k buffers", value, "Mbit/s", ">=930");
	r = repeat(rig, LINUX_STATIC, "tcp:rx:128k", METRIC_GOODPUT_MBPS, &value, err);
	if (r == 0)
		figure_print("TCP goodput rx, linux-static, 128k buffers", value, "Mbit/s", ">=930");
	return r;
}

/* Ratio B / A of @id over random adjacent pairs. */
static int contrast(struct rig *rig, const char *a, const char *b, const char *text, enum metric_id id,
		    struct pairs_result *ret_result, struct error *err)
{
	const struct pairs_rule rule = {PAIRS_MORE_IS_BETTER, 0.01, PAIRS_LOOK_CONFIDENCE};
	double metric[METRIC_COUNT];
	struct pair pairs[PAIRS];
	int r = 0;

	for (unsigned i = 0; r == 0 && i < PAIRS; i++) {
		bool b_first = rand() & 1;

		r = trial(rig, b_first ? b : a, text, metric, err);
		*(b_first ? &pairs[i].b : &pairs[i].a) = metric[id];
		if (r == 0)
			r = trial(rig, b_first ? a : b, text, metric, err);
		*(b_first ? &pairs[i].a : &pairs[i].b) = metric[id];
	}
	return r < 0 ? r : pairs_evaluate(pairs, PAIRS, &rule, ret_result, err);
}

static int window(struct rig *rig, struct error *err)
{
	const char *held = "ITR=0,TIDV=375,TADV=375,RDTR=375,RADV=0";
	const char *free_ = "ITR=0,TIDV=375,TADV=375,RDTR=0,RADV=0";
	struct pairs_result p;
	int r = daemon_child_restart(&rig->child, "intmode=msi", err);

	if (r == 0)
		r = contrast(rig, free_, held, "tcp:tx:128k/window=32k", METRIC_GOODPUT_MBPS, &p, err);
	if (r < 0)
		return r;
	figure_print("goodput RDTR 375 over RDTR 0, 128k tx, window 32 KiB, 10 pairs", p.ratio, "ratio",
		     "<=0.85");
	figure_print("  its interval (98.4 %), upper end", p.high, "ratio", "<=0.999");
	figure_print("  its interval (98.4 %), lower end", p.low, "ratio", "-");
	return 0;
}

/* What a request-response round trip should take. ITR: the transmit completion starts a window that
 * the reply waits for; RDTR: the reply waits the whole timer. */
static int roundtrip(struct rig *rig, struct error *err)
{
	double base, itr, rdtr;
	int r = daemon_child_restart(&rig->child, "intmode=msi", err);

	if (r == 0)
		r = repeat(rig, "ITR=0,RDTR=0,RADV=0,TIDV=0,TADV=0", "rr:64", METRIC_RR_P50_US, &base, err);
	if (r == 0)
		r = repeat(rig, "ITR=1500,RDTR=0,RADV=0,TIDV=0,TADV=0", "rr:64", METRIC_RR_P50_US, &itr, err);
	if (r == 0)
		r = repeat(rig, "ITR=0,RDTR=375,RADV=0,TIDV=0,TADV=0", "rr:64", METRIC_RR_P50_US, &rdtr, err);
	if (r < 0)
		return r;
	figure_print("round trip p50, nothing delayed", base, "us", "-");
	figure_print("round trip p50, ITR 1500", itr, "us", "-");
	figure_print("round trip p50, RDTR 375", rdtr, "us", "-");
	figure_print("off the expected max(384 us, undelayed), ITR 1500", fabs(itr / fmax(384, base) - 1) * 100,
		     "%", "<=20");
	figure_print("off the expected 384 us + undelayed, RDTR 375", fabs(rdtr / (384 + base) - 1) * 100, "%",
		     "<=20");
	return 0;
}

static int cpu(struct rig *rig, struct error *err)
{
	struct pairs_result p;
	int r = daemon_child_restart(&rig->child, "intmode=msi", err);

	if (r == 0)
		r = contrast(rig, "ITR=1500,RDTR=0,RADV=0,TIDV=0,TADV=0", "ITR=0,RDTR=0,RADV=0,TIDV=0,TADV=0",
			     "tcp:rx:128k", METRIC_DRIVER_CPU_PER_GBIT, &p, err);
	if (r < 0)
		return r;
	figure_print("driver CPU per Gbit, rx 128k, ITR 0 over ITR 1500, 10 pairs", p.ratio, "ratio", ">=3");
	figure_print("  its interval (98.4 %), lower end", p.low, "ratio", "-");
	figure_print("  its interval (98.4 %), upper end", p.high, "ratio", "-");
	return 0;
}

/* libiperf's UDP sender at a rate near the wire, so that there are frames for every interrupt. */
static int udp(struct rig *rig, struct error *err)
{
	static const unsigned itrs[] = {1500, 488, 195};
	char list[64], name[96];
	double rate;
	int r = daemon_child_restart(&rig->child, "intmode=msi", err);

	for (unsigned i = 0; r == 0 && i < ARRAY_SIZE(itrs); i++) {
		double want = 1e9 / (256.0 * itrs[i]);

		(void)snprintf(list, sizeof(list), "ITR=%u,RDTR=0,RADV=0,TIDV=8,TADV=32", itrs[i]);
		r = repeat(rig, list, "udp:rx:1470@920M/pacing=20", METRIC_IRQ_PER_S, &rate, err);
		if (r < 0)
			return r;
		(void)snprintf(name, sizeof(name), "interrupt rate off %.0f/s under libiperf UDP, msi", want);
		figure_print(name, fabs(rate / want - 1) * 100, "%", "<=3");
	}
	return r;
}

#define SOCKET_CALLS 2000

static int set_times(struct rig *rig, double *ret_p50_us, double *ret_p99_us, struct error *err)
{
	static double us[SOCKET_CALLS];
	int r = 0;

	for (unsigned i = 0; r == 0 && i < SOCKET_CALLS; i++) {
		uint64_t start = clock_now_ns();

		r = control_call(rig->child.client, "set",
				 json_pack("{s:{s:i}}", "knobs", "ITR", 195 + (int)(i & 1)), NULL, 0, err);
		us[i] = (double)(clock_now_ns() - start) / 1e3;
		(void)usleep(500);
	}
	*ret_p50_us = figure_median(us, SOCKET_CALLS);
	*ret_p99_us = us[SOCKET_CALLS * 99 / 100];
	return r;
}

static int socket_figure(struct rig *rig, struct error *err)
{
	double p50, p99;
	int r = daemon_child_restart(&rig->child, LINUX_STATIC, err);

	if (r == 0)
		r = set_times(rig, &p50, &p99, err);
	if (r < 0)
		return r;
	figure_print("set and read back over the socket, idle, p50", p50 / 1e3, "ms", "-");
	figure_print("set and read back over the socket, idle, p99", p99 / 1e3, "ms", "<=1");
	r = control_call(rig->child.client, "pktgen.start",
			 json_pack("{s:b,s:i,s:b}", "transmit", 1, "frame_bytes", 1518, "count_rx", 1), NULL, 0,
			 err);
	if (r == 0)
		r = control_call(rig->child.client, "sim.sink", json_pack("{s:b}", "on", 1), NULL, 0, err);
	if (r == 0)
		r = control_call(rig->child.client, "sim.source",
				 json_pack("{s:b,s:i}", "on", 1, "frame_bytes", 1518), NULL, 0, err);
	if (r == 0)
		r = set_times(rig, &p50, &p99, err);
	if (r == 0)
		r = control_call(rig->child.client, "sim.source", json_pack("{s:b}", "on", 0), NULL, 0, err);
	if (r == 0)
		r = control_call(rig->child.client, "pktgen.stop", NULL, NULL, 0, err);
	if (r == 0)
		r = control_call(rig->child.client, "sim.sink", json_pack("{s:b}", "on", 0), NULL, 0, err);
	if (r < 0)
		return r;
	figure_print("set and read back, wire saturated both ways, p50", p50 / 1e3, "ms", "-");
	figure_print("set and read back, wire saturated both ways, p99", p99 / 1e3, "ms", "<=5");
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct rig *rig, struct error *err);
} figures[] = {
	{"goodput", goodput}, {"window", window}, {"roundtrip", roundtrip},
	{"cpu", cpu},	      {"udp", udp},	  {"socket", socket_figure},
};

static int run_figure(struct rig *rig, const char *name, struct error *err)
{
	for (unsigned i = 0; i < ARRAY_SIZE(figures); i++)
		if (!strcmp(figures[i].name, name))
			return figures[i].run(rig, err);
	return error_usage(err, "%s: no such figure", name);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	struct rig rig = {0};
	int r;

	if (argc < 3) {
		fprintf(stderr, "usage: trial_bench MODERATOD FIGURE...\n");
		return 2;
	}
	srand(1);
	r = daemon_child_start(&rig.child, argv[1], "sim:82574L", NULL, &err);
	if (r == 0)
		r = bench_env_from_daemon(rig.child.client, &rig.env, &err);
	for (int i = 2; r == 0 && i < argc; i++)
		r = run_figure(&rig, argv[i], &err);
	bench_env_fini(&rig.env);
	daemon_child_stop(&rig.child);
	return r < 0 ? error_report(&err, "trial_bench") : 0;
}
