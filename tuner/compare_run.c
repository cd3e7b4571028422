/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a comparison: pairs planned in a store, run as a sweep, looked at on the way. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/compare_pairs.h"
#include "tuner/compare_private.h"
#include "tuner/sweep_device.h"

/* A comparison in progress. */
struct comparison {
	const struct compare_request *request;
	struct store *store;
	int64_t sweep;
	struct store_config *configs; /* 0 is A, 1 is B */
	size_t config_count;
	struct store_cell *cells;
	size_t cell_count;
	unsigned wanted;  /* pairs */
	unsigned planned; /* pairs in the store, replacements included */
	uint64_t seed;
	unsigned looked; /* pairs at the last look */
	bool decided;
	struct compare_result *result;
};

void compare_on_device(struct compare_request *request, struct sweep_device *device)
{
	request->ops = &sweep_device_ops;
	request->context = device;
	request->device = &device->plan;
	request->device_name = device->device;
	request->path_kind = device->env.path_kind;
	request->environment = device->environment;
	request->stop = device->env.stop;
	request->pause_ms = SWEEP_PAUSE_MS;
}

static int put_look(
	struct comparison *comparison, const struct pairs_result *result, struct error *err)
{
	struct store_look look = {
		.cell = comparison->cells[0].id,
		.config_a = comparison->configs[0].id,
		.config_b = comparison->configs[1].id,
		.pairs = result->pairs,
		.ratio = result->ratio,
		.low = result->has_interval ? result->low : NAN,
		.high = result->has_interval ? result->high : NAN,
		.confidence = result->confidence,
		.p_value = result->p_value,
	};

	(void)snprintf(look.metric, sizeof(look.metric), "%s",
		metric_table[comparison->result->metric].name);
	(void)snprintf(
		look.verdict, sizeof(look.verdict), "%s", pairs_verdict_name(result->verdict));
	return store_put_look(comparison->store, comparison->sweep, &look, err);
}

/* One pair more, at the end of the plan, in place of one that lost a trial. */
static int add_pair(struct comparison *comparison, struct error *err)
{
	unsigned pair = comparison->planned + 1;
	unsigned first = plan_pair_starts_with_b(comparison->seed, pair);
	int r = store_begin(comparison->store, err);

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		struct store_trial trial = {
			.sweep = comparison->sweep,
			.config = comparison->configs[i == 0 ? first : !first].id,
			.cell = comparison->cells[0].id,
			.block = pair,
			.pair = pair,
			.position = 2 * comparison->planned + 1 + i,
			.attempt = 1,
		};

		r = store_add_trial(comparison->store, &trial, err);
	}
	if (r < 0) {
		store_rollback(comparison->store);
		return r;
	}
	r = store_commit(comparison->store, err);
	if (r == 0)
		comparison->planned++;
	return r;
}

static int take_look(struct comparison *comparison, const struct compare_pairs *pairs,
	unsigned count, struct error *err)
{
	struct compare_result *result = comparison->result;
	struct pairs_result *look = &result->look[result->look_count];
	int r = compare_evaluate(pairs, count, result, look, err);

	if (r == 0)
		r = put_look(comparison, look, err);
	if (r < 0)
		return r;
	result->last = *look;
	result->look_count++;
	comparison->looked = count;
	comparison->decided = look->verdict != PAIRS_NOT_PROVEN;
	if (comparison->request->report_look)
		comparison->request->report_look(comparison->request->report_context, look);
	return 0;
}

static int read_pairs(
	struct comparison *comparison, struct compare_pairs *ret_pairs, struct error *err)
{
	return compare_pairs_read(comparison->store, comparison->sweep, comparison->cells[0].id,
		comparison->configs[0].id, comparison->configs[1].id,
		metric_table[comparison->result->metric].name, ret_pairs, err);
}

/* After each trial: are the sides different, is it time to look, is a pair lost? */
static int follow(struct comparison *comparison, struct error *err)
{
	const struct compare_request *request = comparison->request;
	struct compare_pairs pairs;
	int r = read_pairs(comparison, &pairs, err);

	if (r == 0)
		r = compare_pairs_check_held(comparison->store, &pairs, err);
	/* a look that an earlier run was killed before is made up for */
	if (r == 0 && pairs_last_look(pairs.count) > comparison->looked)
		r = take_look(comparison, &pairs, pairs_last_look(pairs.count), err);
	if (r < 0)
		return r;
	comparison->result->lost = pairs.lost;
	if (comparison->decided && !request->all_pairs)
		return 1;
	if (pairs.count + pairs.open < comparison->wanted &&
		comparison->planned < comparison->wanted + comparison->wanted / 2)
		return add_pair(comparison, err);
	return 0;
}

static int report(void *context, const struct sweep_progress *progress, struct error *err)
{
	struct comparison *comparison = context;

	if (comparison->request->report)
		comparison->request->report(comparison->request->report_context, progress);
	/* Only a trial that ended for good changes the pairs. Before the first trial an earlier
	 * run's pairs may have decided already. */
	if (progress->trial && (progress->retried || progress->status == TRIAL_PLANNED))
		return 0;
	return follow(comparison, err);
}

static int finish(struct comparison *comparison, struct error *err)
{
	struct compare_result *result = comparison->result;
	struct compare_pairs pairs;
	int r = read_pairs(comparison, &pairs, err);

	if (r < 0)
		return r;
	result->lost = pairs.lost;
	if (pairs.count == 0)
		return error_set(
			err, -ENODATA, "no pair was completed, so there is nothing to compare");
	compare_pairs_medians(&pairs, &result->median_a, &result->median_b);
	if (result->look_count == 0)
		r = compare_take_looks(&pairs, result, err);
	return r == 0 ? compare_fill_result(comparison->store, comparison->sweep,
				&comparison->cells[0], &comparison->configs[0],
				&comparison->configs[1], result, err)
		      : r;
}

static int run_pairs(struct comparison *comparison, struct error *err)
{
	const struct compare_request *request = comparison->request;
	struct sweep_summary summary;
	struct sweep_run run = {
		.store = comparison->store,
		.sweep = comparison->sweep,
		.ops = request->ops,
		.context = request->context,
		.environment = request->environment,
		.stop = request->stop,
		.pause_ms = request->pause_ms,
		.report = report,
		.report_context = comparison,
	};
	int r = store_read_configs(comparison->store, comparison->sweep, &comparison->configs,
		&comparison->config_count, err);

	if (r == 0)
		r = store_read_cells(comparison->store, comparison->sweep, &comparison->cells,
			&comparison->cell_count, err);
	if (r == 0 && (comparison->config_count != 2 || comparison->cell_count != 1))
		r = error_set(err, -EMEDIUMTYPE, "sweep %lld of %s is no comparison",
			(long long)comparison->sweep, store_path(comparison->store));
	if (r == 0)
		r = sweep_run(&run, &summary, err);
	if (r == 0)
		r = finish(comparison, err);
	store_configs_free(comparison->configs, comparison->config_count);
	free(comparison->cells);
	return r;
}

/* A and B as configurations 0 and 1 of a plan of pairs. */
static int make_plan(const struct compare_request *request, struct plan *plan, struct error *err)
{
	size_t a, b;
	int r;

	plan->device = *request->device;
	r = plan_find_config(plan, request->a, &a, err);
	if (r == 0)
		r = plan_find_config(plan, request->b, &b, err);
	if (r == 0 && a == b)
		r = error_usage(err,
			"not a comparison: %s and %s hold the same values, or differ only in knobs "
			"that have no effect on this %s",
			request->a, request->b, plan->device.chip->name);
	if (r == 0)
		r = plan_add_cell(plan, &request->workload, err);
	if (r == 0)
		r = plan_order_pairs(plan, request->pairs, request->seed, err);
	return r;
}

static int store_plan(const struct compare_request *request, struct store *store,
	int64_t *ret_sweep, struct error *err)
{
	struct store_sweep row = {.kind = SWEEP_KIND_COMPARE};
	struct plan plan = {0};
	int r = make_plan(request, &plan, err);

	(void)snprintf(row.device, sizeof(row.device), "%s", request->device_name);
	(void)snprintf(row.path_kind, sizeof(row.path_kind), "%s", request->path_kind);
	row.options = json_pack("{s:s, s:s, s:i}", "command", "compare", "metric", request->metric,
		"pairs", (int)request->pairs);
	if (r == 0)
		r = plan_store(&plan, store, &row, err);
	*ret_sweep = row.id;
	store_sweep_clear(&row);
	plan_fini(&plan);
	return r;
}

/* Number of pairs that were asked for, and of those the plan has. */
static int read_extent(struct comparison *comparison, struct error *err)
{
	struct store_progress progress;
	struct store_sweep row;
	int r = store_read_sweep(comparison->store, comparison->sweep, &row, err);

	if (r < 0)
		return r;
	comparison->wanted = row.blocks;
	comparison->seed = row.seed;
	store_sweep_clear(&row);
	r = store_read_progress(comparison->store, comparison->sweep, &progress, err);
	comparison->planned = progress.positions / 2;
	return r;
}

static int run_stored(const struct compare_request *request, struct store *store, int64_t sweep,
	struct compare_result *ret_result, struct error *err)
{
	struct compare_result result = {.sweep = sweep};
	struct comparison comparison = {
		.request = request, .store = store, .sweep = sweep, .result = &result};
	int r = compare_rule(
		request->metric, request->smallest_effect, &result.metric, &result.rule, err);

	if (r == 0)
		r = read_extent(&comparison, err);
	if (r == 0)
		r = run_pairs(&comparison, err);
	if (r == 0)
		*ret_result = result;
	return r;
}

int compare_resume(const struct compare_request *request, int64_t sweep,
	struct compare_result *ret_result, struct error *err)
{
	return run_stored(request, request->store, sweep, ret_result, err);
}

int compare_run(
	const struct compare_request *request, struct compare_result *ret_result, struct error *err)
{
	struct store *store = request->store;
	enum metric_id metric;
	struct pairs_rule rule;
	int64_t sweep = 0;
	int r = compare_check_pairs(request->pairs, err);

	if (r == 0)
		r = compare_rule(request->metric, request->smallest_effect, &metric, &rule, err);
	if (r == 0 && !store)
		r = store_open(NULL, STORE_CREATE, &store, err);
	if (r < 0)
		return r;
	r = store_plan(request, store, &sweep, err);
	if (r == 0)
		r = run_stored(request, store, sweep, ret_result, err);
	if (!request->store)
		store_close(store);
	return r;
}
