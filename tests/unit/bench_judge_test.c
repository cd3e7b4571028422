/* SPDX-License-Identifier: BSD-2-Clause */
/* Void rules, notes and figures of a trial that was made up in memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/trial.h"
#include "common/clock.h"
#include "common/util.h"

#define START_NS (1000 * NS_PER_S)

/* A whole trial of one second at 800 Mbit/s tx, with a daemon's counters at both edges. */
struct fixture {
	struct bench_env env;
	struct workload workload;
	struct bench_shared *shared;
	struct trial trial;
};

static json_t *settings_json(int itr, int speed, double limit)
{
	return json_pack("{s:i, s:s, s:f, s:{s:{s:i}, s:{s:s}}}", "speed_mbps", speed, "intmode",
		"msi", "rate_limit_per_s", limit, "knobs", "ITR", "readback", itr, "intmode",
		"readback", "msi");
}

static json_t *stats_json(double seconds)
{
	return json_pack("{s:{s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:i, s:i}, s:{s:f, s:f, s:f, "
			 "s:f, s:f}}",
		"counters", "irq_messages", 8000 * seconds, "irq_vector_0", 8000 * seconds,
		"rx_frames", 30000 * seconds, "tx_frames", 70000 * seconds, "thread_cpu_ns",
		0.25e9 * seconds, "tap_drops", 0, "resets", 0, "link_changes", 0, "tx_hangs", 0,
		"rx_hangs", 0, "sim", "raised_0", 8000 * seconds, "raised_1", 0., "raised_2", 0.,
		"raised_3", 0., "raised_4", 0.);
}

static void make_text(struct child *child, bool sends)
{
	size_t size = 16384, len;
	unsigned i;

	child->text = malloc(size);
	assert_non_null(child->text);
	len = (size_t)snprintf(child->text, size, "{\"start\":{},\"intervals\":[");
	for (i = 0; i < 10; i++)
		len += (size_t)snprintf(child->text + len, size - len,
			"%s{\"streams\":[{\"start\":%f,\"end\":%f,\"bytes\":10000000,"
			"\"omitted\":false,\"sender\":%s,\"retransmits\":0}]}",
			i ? "," : "", i / 10., (i + 1) / 10., sends ? "true" : "false");
	len += (size_t)snprintf(child->text + len, size - len,
		"],\"end\":{\"sum_sent\":{},\"sum_received\":{},"
		"\"sender_tcp_congestion\":\"cubic\"}}");
	child->text_len = len;
}

static void make_edge(struct meter_edge *edge, double at_s)
{
	edge->at_ns = START_NS + (uint64_t)(at_s * 1e9);
	edge->stats = stats_json(at_s);
	edge->local_ns = edge->at_ns;
	edge->local_cpu_ns = (uint64_t)(0.5e9 * at_s);
	edge->has_local = edge->has_ticks = true;
	edge->ticks.total = (uint64_t)(200 * at_s);
	edge->ticks.busy = (uint64_t)(100 * at_s);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct trial *t = &f->trial;

	f->shared = calloc(1, sizeof(*f->shared));
	bench_env_init(&f->env);
	/* Not called in these tests; it only has to be there. */
	f->env.control = (struct control_client *)f;
	f->env.driver_fifo = true;
	strcpy(f->env.congestion, "cubic");
	workload_default(&f->workload);
	*t = (struct trial){.env = &f->env, .workload = &f->workload, .shared = f->shared};
	t->child[BENCH_CLIENT].name = "client";
	t->child[BENCH_SERVER].name = "server";
	make_text(&t->child[BENCH_CLIENT], true);
	make_text(&t->child[BENCH_SERVER], false);
	f->shared->side[BENCH_CLIENT].start_ns = START_NS;
	f->shared->side[BENCH_SERVER].start_ns = START_NS;
	t->before.settings = settings_json(0, 1000, 0);
	t->after.settings = settings_json(0, 1000, 0);
	t->before.counters.stats = stats_json(0);
	t->after.counters.stats = stats_json(1);
	make_edge(&t->edge[TRIAL_BEGIN], 0.2);
	make_edge(&t->edge[TRIAL_END], 1.0);
	t->has_edge[TRIAL_BEGIN] = t->has_edge[TRIAL_END] = true;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct trial *t = &f->trial;
	unsigned i;

	for (i = 0; i < BENCH_SIDES; i++) {
		iperf_doc_fini(&t->doc[i]);
		free(t->child[i].text);
		meter_edge_fini(&t->edge[i]);
	}
	json_decref(t->before.settings);
	json_decref(t->after.settings);
	meter_edge_fini(&t->before.counters);
	meter_edge_fini(&t->after.counters);
	free(f->shared);
	free(f);
	return 0;
}

static void set_counter(struct meter_edge *edge, const char *group, const char *name, double value)
{
	json_object_set_new(json_object_get(edge->stats, group), name, json_real(value));
}

static void read_again(struct trial *trial)
{
	iperf_doc_fini(&trial->doc[BENCH_CLIENT]);
	iperf_doc_fini(&trial->doc[BENCH_SERVER]);
	trial_read_results(trial);
}

static void expect_void(struct trial *trial, const char *words)
{
	char buf[BENCH_REASON_MAX];
	const char *reason;

	read_again(trial);
	reason = trial_judge(trial, buf, sizeof(buf));
	if (!reason)
		fail_msg("valid, but \"%s\" was expected", words);
	if (!strstr(reason, words))
		fail_msg("\"%s\" does not say \"%s\"", reason, words);
}

static uint32_t notes_of(struct trial *trial, double *metric)
{
	char buf[BENCH_REASON_MAX];
	const char *reason;

	read_again(trial);
	reason = trial_judge(trial, buf, sizeof(buf));
	if (reason)
		fail_msg("void: %s", reason);
	trial_compute(trial, metric);
	return trial_notes(trial, metric);
}

static void near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-6 * fabs(wanted)))
		fail_msg("%g instead of %g", value, wanted);
}

static void an_undisturbed_trial_has_its_figures_and_no_note(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	assert_int_equal(notes_of(&f->trial, metric), 0);
	near(metric[METRIC_GOODPUT_MBPS], 800);
	near(metric[METRIC_GOODPUT_TX_MBPS], 800);
	assert_true(isnan(metric[METRIC_GOODPUT_RX_MBPS]));
	near(metric[METRIC_IRQ_PER_S], 8000);
	near(metric[METRIC_SIM_RAISED_PER_S], 8000);
	near(metric[METRIC_FRAMES_PER_IRQ], 12.5);
	near(metric[METRIC_DRIVER_CPU_PCT], 25);
	near(metric[METRIC_LOCAL_CPU_PCT], 50);
	near(metric[METRIC_DRIVER_CPU_PER_GBIT], 0.3125);
	near(metric[METRIC_CPU_PER_GBIT], 0.9375);
	near(metric[METRIC_MACHINE_BUSY_PCT], 50);
	near(metric[METRIC_WINDOW_S], 0.8);
	assert_true(isnan(metric[METRIC_RR_P50_US]));
	assert_true(isnan(metric[METRIC_HOST_BOUND_SHARE]));
	assert_true(isnan(metric[METRIC_LOSS_PCT]));
}

static void rates_use_the_time_of_the_reply(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	/* 10 ms late, and the counters have grown for 10 ms more. */
	meter_edge_fini(&f->trial.edge[TRIAL_END]);
	make_edge(&f->trial.edge[TRIAL_END], 1.01);
	assert_int_equal(notes_of(&f->trial, metric), 0);
	near(metric[METRIC_IRQ_PER_S], 8000);
	near(metric[METRIC_WINDOW_SKEW_MS], 10);
}

static void changed_read_back_voids(void **state)
{
	struct fixture *f = *state;

	json_decref(f->trial.after.settings);
	f->trial.after.settings = settings_json(500, 1000, 0);
	expect_void(&f->trial, "ITR read back 0 before and 500 after");
}

static void changed_speed_voids(void **state)
{
	struct fixture *f = *state;

	json_decref(f->trial.after.settings);
	f->trial.after.settings = settings_json(0, 100, 0);
	expect_void(&f->trial, "from 1000 to 100");
}

static void a_reset_explains_more_than_the_broken_stream(void **state)
{
	struct fixture *f = *state;

	set_counter(&f->trial.after.counters, "counters", "resets", 1);
	f->trial.child[BENCH_CLIENT].text_len = 100;
	expect_void(&f->trial, "the chip was reset");
}

static void a_link_change_or_hang_voids(void **state)
{
	struct fixture *f = *state;

	set_counter(&f->trial.after.counters, "counters", "link_changes", 2);
	expect_void(&f->trial, "link changed");
	set_counter(&f->trial.after.counters, "counters", "resets", 1);
	expect_void(&f->trial, "chip was reset");
	set_counter(&f->trial.after.counters, "counters", "rx_hangs", 1);
	expect_void(&f->trial, "receive ring hung");
}

static void a_foreign_change_voids(void **state)
{
	struct fixture *f = *state;

	strcpy(f->trial.foreign, "settings were changed by somebody else: ITR=9");
	expect_void(&f->trial, "somebody else");
}

static void a_hang_voids(void **state)
{
	struct fixture *f = *state;

	f->trial.timed_out = true;
	f->trial.child[BENCH_CLIENT].text_len = 0;
	expect_void(&f->trial, "hung");
}

static void a_cut_or_missing_result_voids(void **state)
{
	struct fixture *f = *state;

	f->trial.child[BENCH_SERVER].text_len = 200;
	expect_void(&f->trial, "server: truncated");
	f->trial.child[BENCH_CLIENT].text_len = 0;
	expect_void(&f->trial, "client: empty result");
}

static void another_congestion_control_voids(void **state)
{
	struct fixture *f = *state;

	strcpy(f->env.congestion, "reno");
	expect_void(&f->trial, "used congestion control cubic instead of reno");
}

static void counters_far_off_the_window_void(void **state)
{
	struct fixture *f = *state;

	f->trial.edge[TRIAL_END].at_ns += 40 * NS_PER_MS;
	expect_void(&f->trial, "40.0 ms off");
	f->trial.has_edge[TRIAL_END] = false;
	expect_void(&f->trial, "ended before");
	f->shared->side[BENCH_SERVER].start_ns = 0;
	expect_void(&f->trial, "start of the traffic");
}

static void tap_drops_void_above_a_thousandth(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	set_counter(&f->trial.edge[TRIAL_END], "counters", "tap_drops", 50);
	assert_int_equal(notes_of(&f->trial, metric), 0);
	near(metric[METRIC_TAP_DROPS], 50);
	set_counter(&f->trial.edge[TRIAL_END], "counters", "tap_drops", 60);
	expect_void(&f->trial, "give a rate");
}

static void steal_voids_above_one_percent(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	f->trial.edge[TRIAL_END].ticks.steal = 1;
	assert_int_equal(notes_of(&f->trial, metric), 0);
	near(metric[METRIC_MACHINE_STEAL_PCT], 0.625);
	f->trial.edge[TRIAL_END].ticks.steal = 2;
	expect_void(&f->trial, "hypervisor took 1.2 %");
}

static void too_few_delivered_interrupts_are_host_bound(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	set_counter(&f->trial.edge[TRIAL_END], "sim", "raised_0", 9000);
	assert_int_equal(notes_of(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_HOST_BOUND));
}

static void time_with_an_interrupt_due_is_host_bound(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	set_counter(&f->trial.edge[TRIAL_BEGIN], "counters", "host_bound_ns", 0);
	set_counter(&f->trial.edge[TRIAL_END], "counters", "host_bound_ns", 0.1e9);
	assert_int_equal(notes_of(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_HOST_BOUND));
	near(metric[METRIC_HOST_BOUND_SHARE], 0.125);
}

static void a_rate_at_the_throttle_is_throttle_bound(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	json_decref(f->trial.before.settings);
	f->trial.before.settings = settings_json(0, 1000, 8200);
	assert_int_equal(notes_of(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_THROTTLE_BOUND));
	json_decref(f->trial.before.settings);
	f->trial.before.settings = settings_json(0, 1000, 8300);
	assert_int_equal(notes_of(&f->trial, metric), 0);
}

static void goodput_at_the_wire_is_wire_bound(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	trial_read_results(&f->trial);
	trial_compute(&f->trial, metric);
	metric[METRIC_GOODPUT_TX_MBPS] = 922;
	assert_int_equal(trial_notes(&f->trial, metric), 0);
	metric[METRIC_GOODPUT_TX_MBPS] = 923;
	assert_int_equal(trial_notes(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_WIRE_BOUND));
}

static void a_waiting_sender_is_window_bound(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	f->shared->side[BENCH_CLIENT].tcp = (struct tcp_meter){
		.samples = 8,
		.in_flight_sum = 8 * 42000,
		.first = {.busy_us = 1000, .window_us = 500},
		.last = {.busy_us = 801000, .window_us = 700500},
	};
	assert_int_equal(notes_of(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_WINDOW_BOUND));
	near(metric[METRIC_IN_FLIGHT_BYTES], 42000);
}

static void no_realtime_priority_is_said(void **state)
{
	struct fixture *f = *state;
	double metric[METRIC_COUNT];

	f->env.driver_fifo = false;
	assert_int_equal(notes_of(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_SCHEDULING_OTHER));
	f->env.control = NULL;
	assert_int_equal(notes_of(&f->trial, metric), BENCH_NOTE_BIT(BENCH_NOTE_PLAIN_PATH));
	assert_true(isnan(metric[METRIC_IRQ_PER_S]));
	assert_true(isnan(metric[METRIC_CPU_PER_GBIT]));
}

static void percentiles_need_their_samples(void **state)
{
	struct fixture *f = *state;
	struct shared_rr *rr = &f->shared->rr;
	double metric[METRIC_COUNT];
	unsigned i;

	f->workload.kind = WORKLOAD_RR;
	f->trial.child[BENCH_CLIENT].text_len = f->trial.child[BENCH_SERVER].text_len = 0;
	rr->begin_ns = START_NS + 200 * NS_PER_MS;
	rr->end_ns = START_NS + NS_PER_S;
	expect_void(&f->trial, "no request was answered");
	for (i = 0; i < 9999; i++)
		hist_add(&rr->hist, 100000);
	(void)notes_of(&f->trial, metric);
	near(metric[METRIC_RR_MEAN_US], 100);
	near(metric[METRIC_RR_PER_S], 9999 / 0.8);
	assert_true(isnan(metric[METRIC_RR_P99_US]));
	assert_true(isnan(metric[METRIC_GOODPUT_MBPS]));
	assert_true(isnan(metric[METRIC_CPU_PER_GBIT]));
	hist_add(&rr->hist, 100000);
	(void)notes_of(&f->trial, metric);
	assert_false(isnan(metric[METRIC_RR_P99_US]));
	assert_true(isnan(metric[METRIC_RR_P999_US]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_undisturbed_trial_has_its_figures_and_no_note),
		TEST(rates_use_the_time_of_the_reply),
		TEST(changed_read_back_voids),
		TEST(changed_speed_voids),
		TEST(a_reset_explains_more_than_the_broken_stream),
		TEST(a_link_change_or_hang_voids),
		TEST(a_foreign_change_voids),
		TEST(a_hang_voids),
		TEST(a_cut_or_missing_result_voids),
		TEST(another_congestion_control_voids),
		TEST(counters_far_off_the_window_void),
		TEST(tap_drops_void_above_a_thousandth),
		TEST(steal_voids_above_one_percent),
		TEST(too_few_delivered_interrupts_are_host_bound),
		TEST(time_with_an_interrupt_due_is_host_bound),
		TEST(a_rate_at_the_throttle_is_throttle_bound),
		TEST(goodput_at_the_wire_is_wire_bound),
		TEST(a_waiting_sender_is_window_bound),
		TEST(no_realtime_priority_is_said),
		TEST(percentiles_need_their_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
