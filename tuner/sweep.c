/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop over a plan's trials: order, retries, interruption, and giving up. */
#include "tuner/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/util.h"
#include "tuner/sweep_trial.h"

/* A run in progress. */
struct runner {
	const struct sweep_run *run;
	struct sweep_plan plan;
	int64_t session;
	uint64_t started_ns;
	unsigned done_before; /* positions done by earlier runs */
	unsigned streak;      /* failures in a row */
	struct store_trial failed[SWEEP_FAILURES_IN_A_ROW];
	bool retried[SWEEP_FAILURES_IN_A_ROW];
	struct sweep_clock clock;
	struct sweep_summary *summary;
};

double sweep_not_measuring(const struct session_times *times)
{
	uint64_t used = times->measured_ns + times->settling_ns;

	return times->wall_ns > used ? (double)(times->wall_ns - used) / (double)times->wall_ns
				     : 0.0;
}

static bool is_stopped(const struct sweep_run *run)
{
	return run->stop && *run->stop;
}

static uint64_t estimate_left(const struct runner *runner)
{
	unsigned done = runner->summary->done - runner->done_before;
	unsigned left = runner->summary->total - runner->summary->done;

	return done ? (clock_now_ns() - runner->started_ns) / done * left : 0;
}

static int report(struct runner *runner, const struct store_trial *trial,
	const struct sweep_trial_result *result, struct error *err)
{
	struct sweep_progress progress = {
		.done = runner->summary->done,
		.total = runner->summary->total,
		.left_ns = estimate_left(runner),
		.reason = "",
	};

	if (!runner->run->report)
		return 0;
	if (trial) {
		progress.trial = trial;
		progress.config_name = sweep_plan_config_name(&runner->plan, trial);
		progress.workload = sweep_plan_workload(&runner->plan, trial);
		progress.status = result->status;
		progress.reason = result->reason;
		progress.retried = result->retry;
		progress.result = result->has_bench ? &result->bench : NULL;
	}
	return runner->run->report(runner->run->report_context, &progress, err);
}

static int update_progress(struct runner *runner, struct error *err)
{
	struct store_progress progress;
	int r = store_read_progress(runner->run->store, runner->run->sweep, &progress, err);

	if (r < 0)
		return r;
	runner->summary->done = progress.done;
	runner->summary->total = progress.positions;
	return 0;
}

/* Waits a moment when a failure came at once, so that five in a row are not over in a blink. */
static void pause_after_failure(const struct runner *runner, uint64_t took_ns)
{
	uint64_t wait_ns = runner->run->pause_ms * NS_PER_MS * runner->streak;
	struct timespec step = {.tv_nsec = 20 * NS_PER_MS};
	uint64_t end_ns = clock_now_ns() + wait_ns;

	if (took_ns >= wait_ns)
		return;
	while (clock_now_ns() < end_ns && !is_stopped(runner->run))
		(void)nanosleep(&step, NULL);
}

/*
 * The trials of the streak get one more chance in the next run: it was not they that were at fault.
 * Only once, so that a workload that can never succeed does not keep a plan from ending.
 */
static int replan_streak(struct runner *runner, struct error *err)
{
	int r = 0;

	for (unsigned i = 0; i < runner->streak && r == 0; i++) {
		struct store_trial again = runner->failed[i];

		if (runner->retried[i] || again.attempt > SWEEP_RETRIES + 1)
			continue;
		again.attempt++;
		r = store_add_trial(runner->run->store, &again, err);
	}
	return r;
}

static int count_failure(struct runner *runner, const struct store_trial *trial,
	const struct sweep_trial_result *result, struct error *err)
{
	int r;

	if (result->status == TRIAL_OK) {
		runner->streak = 0;
		return 0;
	}
	runner->failed[runner->streak] = *trial;
	runner->retried[runner->streak++] = result->retry;
	if (runner->streak < SWEEP_FAILURES_IN_A_ROW)
		return 0;
	r = replan_streak(runner, err);
	if (r < 0)
		return r;
	return error_set(err, -EIO, "%d trials in a row failed, the last one because: %s",
		SWEEP_FAILURES_IN_A_ROW, result->reason);
}

static void count_attempt(struct sweep_summary *summary, enum trial_status status)
{
	summary->ok += status == TRIAL_OK;
	summary->voided += status == TRIAL_VOID;
	summary->failed += status == TRIAL_FAILED;
}

static int run_one(struct runner *runner, const struct store_trial *trial, struct error *err)
{
	uint64_t began_ns = clock_now_ns();
	struct sweep_trial_result result = {0};
	int r = sweep_trial_run(
		runner->run, &runner->plan, trial, runner->session, &runner->clock, &result, err);
	int updated, reported;

	if (r == 0) {
		count_attempt(runner->summary, result.status);
		r = count_failure(runner, trial, &result, err);
	}
	updated = update_progress(runner, r == 0 ? err : NULL);
	r = r == 0 ? updated : r;
	reported = report(runner, trial, &result, r == 0 ? err : NULL);
	r = r == 0 ? reported : r;
	if (r == 0 && result.status != TRIAL_OK)
		pause_after_failure(runner, clock_now_ns() - began_ns);
	sweep_trial_result_clear(&result);
	return r;
}

static int run_all(struct runner *runner, struct error *err)
{
	struct store_trial trial;
	int r = report(runner, NULL, NULL, err);

	while (r == 0) {
		if (is_stopped(runner->run))
			return error_set(err, -EINTR, "stopped");
		r = store_next_trial(runner->run->store, runner->run->sweep, &trial, err);
		if (r == -ENOENT)
			return 0;
		if (r == 0)
			r = run_one(runner, &trial, err);
	}
	return r > 0 ? 0 : r;
}

static int run_session(struct runner *runner, struct error *err)
{
	const struct sweep_run *run = runner->run;
	int ended, r;

	r = store_begin_session(run->store, run->sweep, run->environment, &runner->session,
		&runner->summary->lost, err);
	if (r < 0)
		return r;
	r = update_progress(runner, err);
	if (r == 0) {
		runner->done_before = runner->summary->done;
		runner->started_ns = clock_now_ns();
		r = run_all(runner, err);
	}
	runner->summary->times = runner->clock.times;
	ended = store_end_session(
		run->store, runner->session, &runner->clock.times, r == 0 ? err : NULL);
	return r < 0 ? r : ended;
}

int sweep_run(const struct sweep_run *run, struct sweep_summary *ret_summary, struct error *err)
{
	struct runner runner = {.run = run, .summary = ret_summary};
	int r;

	memset(ret_summary, 0, sizeof(*ret_summary));
	r = sweep_plan_read(run->store, run->sweep, &runner.plan, err);
	if (r < 0)
		return r;
	r = run->ops->begin(run->context, err);
	if (r == 0) {
		r = run_session(&runner, err);
		run->ops->end(run->context);
	}
	sweep_plan_free(&runner.plan);
	return r;
}
