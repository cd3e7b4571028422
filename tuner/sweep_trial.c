/* SPDX-License-Identifier: BSD-2-Clause */
/* One trial of a stored plan: apply, run, read back, judge, store. */
#include "tuner/sweep_trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/util.h"
#include "tuner/plan.h"

void sweep_state_clear(struct sweep_state *state)
{
	json_decref(state->requested);
	json_decref(state->readback);
	json_decref(state->effective);
	memset(state, 0, sizeof(*state));
}

void sweep_trial_result_clear(struct sweep_trial_result *result)
{
	if (result->has_bench)
		bench_result_fini(&result->bench);
	memset(result, 0, sizeof(*result));
}

static int complete_settings(
	struct store *store, int64_t sweep, struct sweep_plan *plan, struct error *err)
{
	struct store_sweep row;
	struct settings base;
	int r = store_read_sweep(store, sweep, &row, err);

	if (r < 0)
		return r;
	r = json_to_settings(row.base, &base, err);
	store_sweep_clear(&row);
	for (size_t i = 0; i < plan->config_count && r == 0; i++) {
		struct settings asked;

		r = json_to_settings(plan->configs[i].asked, &asked, err);
		plan->complete[i] = base;
		if (r == 0)
			settings_merge(&plan->complete[i], &asked);
	}
	return r;
}

int sweep_plan_read(
	struct store *store, int64_t sweep, struct sweep_plan *ret_plan, struct error *err)
{
	struct sweep_plan plan = {0};
	int r = store_read_configs(store, sweep, &plan.configs, &plan.config_count, err);

	if (r == 0)
		r = store_read_cells(store, sweep, &plan.cells, &plan.cell_count, err);
	if (r == 0) {
		plan.complete = calloc(plan.config_count + 1, sizeof(*plan.complete));
		plan.workloads = calloc(plan.cell_count + 1, sizeof(*plan.workloads));
		if (!plan.complete || !plan.workloads)
			r = error_set(err, -ENOMEM, "out of memory for the plan");
	}
	if (r == 0)
		r = complete_settings(store, sweep, &plan, err);
	for (size_t i = 0; i < plan.cell_count && r == 0; i++)
		r = workload_parse(plan.cells[i].workload, &plan.workloads[i], err);
	if (r < 0) {
		sweep_plan_free(&plan);
		return error_context(err, "the plan in %s", store_path(store));
	}
	*ret_plan = plan;
	return 0;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	store_configs_free(plan->configs, plan->config_count);
	free(plan->complete);
	free(plan->cells);
	free(plan->workloads);
	memset(plan, 0, sizeof(*plan));
}

static size_t config_index(const struct sweep_plan *plan, const struct store_trial *trial)
{
	size_t i = 0;

	while (i + 1 < plan->config_count && plan->configs[i].id != trial->config)
		i++;
	return i;
}

static size_t cell_index(const struct sweep_plan *plan, const struct store_trial *trial)
{
	size_t i = 0;

	while (i + 1 < plan->cell_count && plan->cells[i].id != trial->cell)
		i++;
	return i;
}

const char *sweep_plan_config_name(const struct sweep_plan *plan, const struct store_trial *trial)
{
	return plan->configs[config_index(plan, trial)].name;
}

const char *sweep_plan_workload(const struct sweep_plan *plan, const struct store_trial *trial)
{
	return plan->cells[cell_index(plan, trial)].workload;
}

/* From the first window's start to the last one's end; what lies between is not measuring, save for
 * the settling in front of each window but the first. */
static void clock_add(struct sweep_clock *clock, const struct bench_result *bench)
{
	uint64_t settling = bench->window_begin_ns - bench->begin_ns;

	if (bench->window_end_ns <= bench->window_begin_ns)
		return;
	if (!clock->first_window_ns)
		clock->first_window_ns = bench->window_begin_ns;
	else
		clock->times.settling_ns += MIN(settling, BENCH_SETTLE_NS);
	clock->times.measured_ns += bench->window_end_ns - bench->window_begin_ns;
	clock->times.wall_ns = bench->window_end_ns - clock->first_window_ns;
}

static void set_status(
	struct sweep_trial_result *result, enum trial_status status, const char *reason)
{
	result->status = status;
	(void)snprintf(result->reason, sizeof(result->reason), "%s", reason);
}

/* Settings that moved during the trial make its figures those of an unknown setting. */
static int check_held(const struct sweep_run *run, const struct settings *before,
	struct sweep_trial_result *result, struct error *err)
{
	struct settings after;
	struct error failure = {0};
	char change[256];
	int r = run->ops->read(run->context, &after, &failure);

	if (r == -EPIPE) {
		*err = failure;
		return r;
	}
	if (r < 0)
		set_status(result, TRIAL_FAILED, failure.text);
	else if (!settings_equal(before, &after)) {
		(void)plan_format_difference(before, &after, change, sizeof(change));
		set_status(result, TRIAL_VOID, "settings changed during the trial: ");
		(void)strncat(result->reason, change,
			sizeof(result->reason) - strlen(result->reason) - 1);
	}
	return 0;
}

/* Apply, run, judge. -EINTR and -EPIPE: no result. */
static int attempt(const struct sweep_run *run, const struct settings *settings,
	const struct workload *workload, struct sweep_state *state,
	struct sweep_trial_result *result, struct error *err)
{
	struct error failure = {0};
	int r = run->ops->apply(run->context, settings, state, &failure);

	if (r == 0) {
		r = run->ops->run(run->context, workload, &result->bench, &failure);
		result->has_bench = r == 0;
	}
	if (r == -EINTR || r == -EPIPE) {
		if (err)
			*err = failure;
		return r;
	}
	/* a workload that cannot be run will not run the next time either */
	result->retry = !failure.usage;
	if (r < 0) {
		set_status(result, TRIAL_FAILED, failure.text);
		return 0;
	}
	if (result->bench.status == BENCH_OK)
		set_status(result, TRIAL_OK, "");
	else
		set_status(result, TRIAL_VOID, result->bench.reason);
	return check_held(run, &state->held, result, err);
}

static json_t *hist_json(const struct hist *hist)
{
	json_t *buckets = json_array();

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (hist->bucket[i])
			(void)json_array_append_new(
				buckets, json_pack("[III]", (json_int_t)hist_bucket_low(i),
						 (json_int_t)hist_bucket_high(i),
						 (json_int_t)hist->bucket[i]));
	return json_pack("{s:s, s:I, s:I, s:I, s:o}", "unit", "ns", "count",
		(json_int_t)hist->count, "min", (json_int_t)hist->min, "max", (json_int_t)hist->max,
		"buckets", buckets);
}

static size_t collect_blobs(
	const struct bench_result *bench, char *latency, struct store_blob *blobs)
{
	const struct store_blob all[] = {
		{"client", bench->client_json, bench->client_json ? strlen(bench->client_json) : 0},
		{"server", bench->server_json, bench->server_json ? strlen(bench->server_json) : 0},
		{"latency", latency, latency ? strlen(latency) : 0},
	};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].bytes)
			blobs[count++] = all[i];
	return count;
}

static int store_result(const struct sweep_run *run, const struct store_trial *trial,
	const struct sweep_state *state, const struct sweep_trial_result *result, struct error *err)
{
	struct store_metric metrics[METRIC_COUNT];
	struct store_blob blobs[3];
	char notes[512] = "", *latency = NULL;
	struct store_outcome outcome = {.status = result->status,
		.reason = *result->reason ? result->reason : NULL,
		.requested = state->requested,
		.readback = state->readback,
		.effective = state->effective,
		.metrics = metrics,
		.blobs = blobs};
	int r;

	if (result->has_bench) {
		json_t *hist = result->bench.hist ? hist_json(result->bench.hist) : NULL;

		latency = hist ? json_dumps(hist, JSON_COMPACT) : NULL;
		json_decref(hist);
		outcome.blob_count = collect_blobs(&result->bench, latency, blobs);
		outcome.note = bench_notes_format(result->bench.notes, notes, sizeof(notes));
		for (size_t i = 0; i < METRIC_COUNT; i++)
			metrics[i] = (struct store_metric){
				metric_table[i].name, result->bench.metric[i]};
		outcome.metric_count = METRIC_COUNT;
	}
	r = store_finish_trial(run->store, trial, &outcome, result->retry, err);
	free(latency);
	return r;
}

int sweep_trial_run(const struct sweep_run *run, const struct sweep_plan *plan,
	const struct store_trial *trial, int64_t session, struct sweep_clock *clock,
	struct sweep_trial_result *ret_result, struct error *err)
{
	const struct settings *settings = &plan->complete[config_index(plan, trial)];
	const struct workload *workload = &plan->workloads[cell_index(plan, trial)];
	struct sweep_state state = {0};
	int r = store_start_trial(run->store, trial, session, err);

	if (r < 0)
		return r;
	r = attempt(run, settings, workload, &state, ret_result, err);
	if (r < 0) {
		/* keeps the sentence of what ended the trial; a lost `running` mark is found by
		 * --resume */
		(void)store_abandon_trial(run->store, trial, NULL);
	} else {
		ret_result->retry = ret_result->retry && ret_result->status != TRIAL_OK &&
				    trial->attempt <= SWEEP_RETRIES;
		if (ret_result->has_bench)
			clock_add(clock, &ret_result->bench);
		r = store_result(run, trial, &state, ret_result, err);
	}
	sweep_state_clear(&state);
	return r;
}
