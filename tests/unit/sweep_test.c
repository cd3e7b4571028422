/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep loop against a fake device: order, retries, stopping, resuming, giving up. */
#include "tuner/sweep.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/util.h"
#include "tuner/plan.h"
#include "tuner/random.h"
#include "tuner/store_private.h"

#define CONFIGS 3u
#define CELLS	2u
#define BLOCKS	4u
#define TRIALS	(CONFIGS * CELLS * BLOCKS)

/* A device that answers at once, and what it was asked. */
struct fake {
	unsigned begun, ended, runs;
	bool refuse_begin;
	struct settings held;
	uint64_t now_ns;
	int fail_code; /* run() fails with it ... */
	bool fail_usage;
	unsigned fail_from, fail_to; /* ... in these runs, counted from 1 */
	unsigned void_from, void_to;
	unsigned touch_at; /* somebody else changes ITR during this run */
	unsigned applied_itr[256];
	uint32_t buffer[256];
	volatile sig_atomic_t stop;
	unsigned stop_after; /* the user presses ^C after this run */
	unsigned reports;
	unsigned finish_after; /* report() ends the run */
	struct sweep_progress last;
};

static bool within(unsigned at, unsigned from, unsigned to)
{
	return from && at >= from && at <= to;
}

static int fake_begin(void *context, struct error *err)
{
	struct fake *fake = context;

	if (fake->refuse_begin)
		return error_set(err, -EBUSY, "the lease is held by a watch on tty3");
	fake->begun++;
	return 0;
}

static void fake_end(void *context)
{
	((struct fake *)context)->ended++;
}

static int fake_apply(void *context, const struct settings *settings, struct sweep_state *ret_state,
	struct error *err)
{
	struct fake *fake = context;

	fake->held = *settings;
	ret_state->requested = json_settings(settings);
	ret_state->readback = json_settings(settings);
	ret_state->effective = json_pack("{s:i}", "ITR", 256 * (int)settings->value[KNOB_ITR]);
	ret_state->held = *settings;
	return 0;
}

static int fake_read(void *context, struct settings *ret_held, struct error *err)
{
	*ret_held = ((struct fake *)context)->held;
	return 0;
}

static int fake_run(void *context, const struct workload *workload, struct bench_result *ret_result,
	struct error *err)
{
	struct fake *fake = context;
	unsigned run = ++fake->runs;

	if (run < ARRAY_SIZE(fake->buffer)) {
		fake->applied_itr[run] = fake->held.value[KNOB_ITR];
		fake->buffer[run] = workload->buffer_bytes;
	}
	if (within(run, fake->fail_from, fake->fail_to)) {
		error_set(err, fake->fail_code, "the peer does not answer");
		if (err)
			err->usage = fake->fail_usage;
		return fake->fail_code;
	}
	memset(ret_result, 0, sizeof(*ret_result));
	for (size_t i = 0; i < METRIC_COUNT; i++)
		ret_result->metric[i] = NAN;
	ret_result->metric[METRIC_GOODPUT_MBPS] = 900.0 + run;
	ret_result->client_json = strdup("{\"end\":{}}");
	/* 100 ms of preparation, 200 ms of settling, 800 ms of window */
	ret_result->begin_ns = fake->now_ns + 100 * NS_PER_MS;
	ret_result->window_begin_ns = ret_result->begin_ns + BENCH_SETTLE_NS;
	ret_result->window_end_ns = ret_result->window_begin_ns + 800 * NS_PER_MS;
	ret_result->end_ns = fake->now_ns = ret_result->window_end_ns;
	if (within(run, fake->void_from, fake->void_to)) {
		ret_result->status = BENCH_VOID;
		(void)strcpy(ret_result->reason, "the link changed during the window");
	}
	if (run == fake->touch_at)
		fake->held.value[KNOB_ITR] = 4242;
	fake->stop = fake->stop || (fake->stop_after && run == fake->stop_after);
	return 0;
}

static const struct sweep_ops fake_ops = {fake_begin, fake_apply, fake_read, fake_run, fake_end};

static int fake_report(void *context, const struct sweep_progress *progress, struct error *err)
{
	struct fake *fake = context;

	fake->last = *progress;
	fake->reports++;
	return fake->finish_after && progress->done >= fake->finish_after;
}

/* --- a stored plan of TRIALS trials --- */
static struct store *store;
static struct plan plan;
static int64_t sweep;
static char path[64];

static int set_up(void **state)
{
	struct store_sweep row = {
		.kind = SWEEP_KIND_SWEEP, .device = "sim:82574L", .path_kind = "tap"};
	struct error err = {0};

	(void)snprintf(path, sizeof(path), "/tmp/moderato-sweep-%d.db", (int)getpid());
	(void)unlink(path);
	plan = (struct plan){.device = {.chip = chip_find("82574L"), .speed_mbps = 1000}};
	chip_initial_settings(plan.device.chip, &plan.device.base);
	row.options = json_object();
	if (plan_add_product(&plan, "ITR=0,195,1500", &err) ||
		plan_add_matrix(&plan, "4k,128k", "rx", "", &err) ||
		plan_order_blocks(&plan, BLOCKS, 77, &err) ||
		store_open(path, STORE_CREATE, &store, &err) ||
		plan_store(&plan, store, &row, &err)) {
		print_error("%s\n", err.text);
		return -1;
	}
	sweep = row.id;
	store_sweep_clear(&row);
	return 0;
}

static int tear_down(void **state)
{
	store_close(store);
	store = NULL;
	plan_fini(&plan);
	return unlink(path);
}

static int run_sweep(struct fake *fake, struct sweep_summary *summary, struct error *err)
{
	struct sweep_run run = {.store = store,
		.sweep = sweep,
		.ops = &fake_ops,
		.context = fake,
		.stop = &fake->stop,
		.report = fake_report,
		.report_context = fake};

	return sweep_run(&run, summary, err);
}

static int64_t count_rows(const char *sql)
{
	struct error err = {0};
	sqlite3_stmt *stmt;
	int64_t count;

	assert_int_equal(store_query(store, &stmt, &err, sql, ""), 0);
	assert_int_equal(store_step(store, stmt, &err), 1);
	count = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return count;
}

static void check_order(
	const struct fake *fake, unsigned first_run, unsigned first_trial, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct plan_trial *trial = &plan.trials[first_trial + i];

		assert_int_equal(fake->applied_itr[first_run + i],
			plan.configs[trial->config].complete.value[KNOB_ITR]);
		assert_int_equal(fake->buffer[first_run + i], plan.cells[trial->cell].buffer_bytes);
	}
}

static void plan_runs_in_its_order_and_is_stored(void **state)
{
	struct sweep_summary summary;
	struct error err = {0};
	struct fake fake = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(fake.runs, TRIALS);
	assert_int_equal(fake.begun, 1);
	assert_int_equal(fake.ended, 1);
	assert_int_equal(fake.reports, TRIALS + 1);
	assert_int_equal(summary.ok, TRIALS);
	assert_int_equal(summary.done, TRIALS);
	assert_int_equal(summary.total, TRIALS);
	check_order(&fake, 1, 0, TRIALS);
	assert_int_equal(
		count_rows("SELECT count(*) FROM metric WHERE name = 'goodput_mbps'"), TRIALS);
	assert_int_equal(count_rows("SELECT count(*) FROM raw WHERE kind = 'client'"), TRIALS);
	assert_int_equal(
		count_rows(
			"SELECT count(*) FROM trial JOIN config ON config.id = trial.config"
			" WHERE readback ->> '$.ITR' = asked ->> '$.ITR' AND requested = readback"
			" AND effective IS NOT NULL AND readback ->> '$.intmode' = 'msi'"),
		TRIALS);
}

static void void_trial_is_tried_three_times_and_kept(void **state)
{
	struct fake fake = {.void_from = 2, .void_to = 4};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(fake.runs, TRIALS + 2);
	assert_int_equal(summary.voided, 3);
	assert_int_equal(summary.ok, TRIALS - 1);
	assert_int_equal(summary.done, TRIALS);
	assert_int_equal(
		count_rows("SELECT count(*) FROM trial WHERE status = 'void' AND position = 2"
			   " AND reason LIKE '%link changed%'"),
		3);
	assert_int_equal(
		count_rows(
			"SELECT count(*) FROM metric JOIN trial ON id = trial WHERE position = 2"),
		0);
	check_order(&fake, 5, 2, TRIALS - 2);
}

static void void_trial_that_succeeds_later_counts(void **state)
{
	struct fake fake = {.void_from = 2, .void_to = 2};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(fake.runs, TRIALS + 1);
	assert_int_equal(summary.ok, TRIALS);
	assert_int_equal(
		count_rows("SELECT attempt FROM trial WHERE status = 'ok' AND position = 2"), 2);
}

static void failure_keeps_its_sentence_and_the_sweep_goes_on(void **state)
{
	struct fake fake = {.fail_code = -EHOSTUNREACH, .fail_from = 3, .fail_to = 5};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(summary.failed, 3);
	assert_int_equal(summary.ok, TRIALS - 1);
	assert_int_equal(count_rows("SELECT count(*) FROM trial WHERE status = 'failed'"
				    " AND reason = 'the peer does not answer'"),
		3);
}

static void impossible_workload_is_not_tried_again(void **state)
{
	struct fake fake = {.fail_code = -EINVAL, .fail_usage = true, .fail_from = 3, .fail_to = 3};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(fake.runs, TRIALS);
	assert_int_equal(summary.failed, 1);
}

static void five_failures_in_a_row_end_it_and_are_planned_again_once(void **state)
{
	struct fake fake = {.fail_code = -EHOSTUNREACH, .fail_from = 4, .fail_to = 999};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), -EIO);
	assert_non_null(strstr(err.text, "5 trials in a row"));
	assert_non_null(strstr(err.text, "the peer does not answer"));
	assert_int_equal(fake.runs, 8);
	assert_int_equal(fake.ended, 1);
	assert_int_equal(summary.done, 3);
	/* the peer is back: nothing is missing at the end */
	fake = (struct fake){0};
	err = (struct error){0};
	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	check_order(&fake, 1, 3, TRIALS - 3);
	assert_int_equal(count_rows("SELECT count(*) FROM trial WHERE status = 'ok'"), TRIALS);
}

static void workload_that_never_succeeds_does_not_keep_the_plan_from_ending(void **state)
{
	struct sweep_summary summary;
	unsigned rounds = 0;
	int r;

	do {
		struct fake fake = {.void_from = 1, .void_to = 999};
		struct error err = {0};

		r = run_sweep(&fake, &summary, &err);
		assert_true(++rounds < 100);
	} while (r == -EIO);
	assert_int_equal(r, 0);
	assert_int_equal(summary.done, TRIALS);
}

static void stop_finishes_the_trial_in_flight_and_resumes_behind_it(void **state)
{
	struct fake fake = {.stop_after = 5}, rest = {0};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), -EINTR);
	assert_int_equal(fake.runs, 5);
	assert_int_equal(fake.ended, 1);
	assert_int_equal(summary.done, 5);
	assert_int_equal(run_sweep(&rest, &summary, &err), 0);
	assert_int_equal(rest.runs, TRIALS - 5);
	check_order(&rest, 1, 5, TRIALS - 5);
}

static void stop_within_a_trial_plans_it_again(void **state)
{
	struct fake fake = {.fail_code = -EINTR, .fail_from = 5, .fail_to = 5}, rest = {0};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), -EINTR);
	assert_int_equal(fake.ended, 1);
	assert_int_equal(fake.last.done, 4);
	assert_int_equal(count_rows("SELECT count(*) FROM trial WHERE status = 'running'"), 0);
	assert_int_equal(count_rows("SELECT interrupted FROM trial WHERE position = 5"), 1);
	assert_int_equal(run_sweep(&rest, &summary, &err), 0);
	assert_int_equal(rest.runs, TRIALS - 4);
	check_order(&rest, 1, 4, TRIALS - 4);
}

static void lost_daemon_ends_it_at_once_and_nothing_is_lost(void **state)
{
	struct fake fake = {.fail_code = -EPIPE, .fail_from = 7, .fail_to = 7}, rest = {0};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), -EPIPE);
	assert_int_equal(fake.runs, 7);
	assert_int_equal(fake.ended, 1);
	assert_int_equal(run_sweep(&rest, &summary, &err), 0);
	check_order(&rest, 1, 6, TRIALS - 6);
	assert_int_equal(count_rows("SELECT count(*) FROM trial WHERE status = 'ok'"), TRIALS);
}

static void refused_lease_touches_nothing(void **state)
{
	struct fake fake = {.refuse_begin = true};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), -EBUSY);
	assert_int_equal(fake.runs, 0);
	assert_int_equal(fake.ended, 0);
	assert_int_equal(count_rows("SELECT count(*) FROM trial WHERE status != 'planned'"), 0);
}

static void foreign_change_of_settings_voids_the_trial(void **state)
{
	struct fake fake = {.touch_at = 1};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(summary.voided, 1);
	assert_int_equal(
		count_rows("SELECT count(*) FROM trial WHERE status = 'void'"
			   " AND reason LIKE 'settings changed during the trial: ITR % -> 4242'"),
		1);
}

static void full_store_ends_it_with_the_settings_restored(void **state)
{
	struct sweep_summary summary;
	struct error err = {0};
	struct fake fake = {0};

	assert_int_equal(sqlite3_exec(store->db, "PRAGMA max_page_count = 1", NULL, NULL, NULL), 0);
	/* the limit is that of the pages in use: the first growth fails */
	assert_int_equal(run_sweep(&fake, &summary, &err), -ENOSPC);
	assert_int_equal(fake.begun, fake.ended);
	assert_non_null(strstr(err.text, "disk is full"));
}

static void report_can_end_the_run_early(void **state)
{
	struct fake fake = {.finish_after = 6};
	struct sweep_summary summary;
	struct error err = {0};

	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(fake.runs, 6);
	assert_int_equal(fake.ended, 1);
}

static void time_between_windows_without_settling_is_not_measuring(void **state)
{
	struct sweep_summary summary;
	struct session_times stored = {0};
	struct error err = {0};
	struct fake fake = {.now_ns = NS_PER_S};

	/* every trial: 100 ms lost, 200 ms settling, 800 ms window; the first gap does not count */
	assert_int_equal(run_sweep(&fake, &summary, &err), 0);
	assert_int_equal(summary.times.measured_ns, TRIALS * 800 * NS_PER_MS);
	assert_int_equal(summary.times.settling_ns, (TRIALS - 1) * 200 * NS_PER_MS);
	assert_int_equal(summary.times.wall_ns, (TRIALS * 1100 - 300) * NS_PER_MS);
	assert_true(fabs(sweep_not_measuring(&summary.times) -
			    100.0 * (TRIALS - 1) / (TRIALS * 1100 - 300)) < 1e-9);
	assert_int_equal(store_read_times(store, sweep, &stored, &err), 0);
	assert_int_equal(stored.wall_ns, summary.times.wall_ns);
	assert_true(sweep_not_measuring(&(struct session_times){0}) == 0.0);
}

static void killed_at_20_instants_completes_the_same_plan(void **state)
{
	struct random_source source;
	struct sweep_summary summary;
	struct error err = {0};
	struct fake rest = {0};
	unsigned lost = 0;

	store_close(store);
	random_init(&source, 21);
	for (unsigned round = 0; round < 20; round++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			struct fake fake = {0};

			store = NULL;
			if (store_open(path, STORE_WRITE, &store, &err) == 0)
				(void)run_sweep(&fake, &summary, &err);
			_exit(0);
		}
		(void)usleep(200 + random_below(&source, 3000));
		(void)kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	assert_int_equal(store_open(path, STORE_WRITE, &store, &err), 0);
	lost = (unsigned)count_rows("SELECT count(*) FROM trial WHERE status = 'running'");
	assert_true(lost <= 1);
	assert_int_equal(run_sweep(&rest, &summary, &err), 0);
	assert_int_equal(summary.lost, lost);
	assert_int_equal(count_rows("SELECT count(*) FROM trial"), TRIALS);
	assert_int_equal(count_rows("SELECT count(*) FROM trial WHERE status = 'ok'"), TRIALS);
	assert_int_equal(
		count_rows(
			"SELECT count(*) FROM trial a JOIN trial b ON b.position = a.position + 1"
			" WHERE b.started_ns < a.started_ns"),
		0);
}

#define sweep_unit_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		sweep_unit_test(plan_runs_in_its_order_and_is_stored),
		sweep_unit_test(void_trial_is_tried_three_times_and_kept),
		sweep_unit_test(void_trial_that_succeeds_later_counts),
		sweep_unit_test(failure_keeps_its_sentence_and_the_sweep_goes_on),
		sweep_unit_test(impossible_workload_is_not_tried_again),
		sweep_unit_test(five_failures_in_a_row_end_it_and_are_planned_again_once),
		sweep_unit_test(workload_that_never_succeeds_does_not_keep_the_plan_from_ending),
		sweep_unit_test(stop_finishes_the_trial_in_flight_and_resumes_behind_it),
		sweep_unit_test(stop_within_a_trial_plans_it_again),
		sweep_unit_test(lost_daemon_ends_it_at_once_and_nothing_is_lost),
		sweep_unit_test(refused_lease_touches_nothing),
		sweep_unit_test(foreign_change_of_settings_voids_the_trial),
		sweep_unit_test(full_store_ends_it_with_the_settings_restored),
		sweep_unit_test(report_can_end_the_run_early),
		sweep_unit_test(time_between_windows_without_settling_is_not_measuring),
		sweep_unit_test(killed_at_20_instants_completes_the_same_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
