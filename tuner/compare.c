/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing two settings: the rule of a metric, and pairs that a store holds. */
#include "tuner/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/nearest.h"
#include "common/util.h"
#include "tuner/compare_private.h"
#include "tuner/modes.h"
#include "tuner/spacing.h"

/* Smallest effects worth having: what differs by less is not worth a changed setting. */
#define EFFECT_TIME  0.05
#define EFFECT_CPU   0.02
#define EFFECT_OTHER 0.01

static double own_effect(const struct metric_row *row)
{
	if (strcmp(row->unit, "us") == 0 || strcmp(row->unit, "ms") == 0)
		return EFFECT_TIME;
	if (strcmp(row->unit, "s/Gbit") == 0 || strcmp(row->unit, "%") == 0)
		return EFFECT_CPU;
	return EFFECT_OTHER;
}

static int unknown_metric(const char *name, struct error *err)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < METRIC_COUNT; i++)
		nearest_offer(&nearest, metric_table[i].name);
	if (nearest.best)
		return error_usage(
			err, "unknown metric \"%.40s\"; did you mean %s?", name, nearest.best);
	return error_usage(err,
		"unknown metric \"%.40s\"; goodput_mbps, cpu_per_gbit_s and rr_p50_us are some",
		name);
}

int compare_find_metric(const char *name, enum metric_id *ret_metric, struct error *err)
{
	int id = metric_find(name);

	if (id < 0)
		return unknown_metric(name, err);
	*ret_metric = (enum metric_id)id;
	return 0;
}

int compare_rule(const char *metric, double smallest_effect, enum metric_id *ret_metric,
	struct pairs_rule *ret_rule, struct error *err)
{
	const struct metric_row *row;
	enum metric_id id;
	int r = compare_find_metric(metric, &id, err);

	if (r < 0)
		return r;
	row = &metric_table[id];
	if (row->better == METRIC_BETTER_NEITHER)
		return error_usage(err,
			"%s has no better direction, so nothing can be proven by it", row->name);
	*ret_metric = id;
	*ret_rule = (struct pairs_rule){
		.direction = row->better == METRIC_BETTER_LOWER ? PAIRS_LESS_IS_BETTER
								: PAIRS_MORE_IS_BETTER,
		.smallest_effect = smallest_effect > 0 ? smallest_effect : own_effect(row),
		.confidence = PAIRS_LOOK_CONFIDENCE,
	};
	return 0;
}

double compare_confidence(unsigned comparisons)
{
	return MAX(PAIRS_LOOK_CONFIDENCE, 1.0 - 0.05 / MAX(comparisons, 1u));
}

int compare_check_pairs(unsigned pairs, struct error *err)
{
	if (pairs >= 1 &&
		(pairs < PAIRS_LEAST || (pairs <= COMPARE_PAIRS_MAX && pairs_is_look(pairs))))
		return 0;
	return error_usage(err,
		"%u pairs: the looks are at 7, 10, 15, 20 and 30 pairs, so take one of these "
		"(below 7 nothing is proven)",
		pairs);
}

int compare_evaluate(const struct compare_pairs *pairs, unsigned count,
	struct compare_result *result, struct pairs_result *ret_look, struct error *err)
{
	int r = pairs_evaluate(pairs->pair, count, &result->rule, ret_look, err);

	if (r < 0)
		return r;
	/* clusters that the setting did not make must not decide about it */
	result->two_modes = modes_spoil_pairs(pairs->pair, count);
	if (result->two_modes)
		ret_look->verdict = PAIRS_NOT_PROVEN;
	return 0;
}

int compare_take_looks(
	const struct compare_pairs *pairs, struct compare_result *result, struct error *err)
{
	int r;

	for (unsigned n = PAIRS_LEAST; n <= pairs->count && n <= COMPARE_PAIRS_MAX; n++) {
		if (!pairs_is_look(n))
			continue;
		r = compare_evaluate(pairs, n, result, &result->look[result->look_count], err);
		if (r < 0)
			return r;
		result->last = result->look[result->look_count++];
	}
	return result->look_count
		       ? 0
		       : compare_evaluate(pairs, pairs->count, result, &result->last, err);
}

int compare_fill_result(struct store *store, int64_t sweep, const struct store_cell *cell,
	const struct store_config *a, const struct store_config *b, struct compare_result *result,
	struct error *err)
{
	struct settings complete_a, complete_b, asked = {0};
	struct plan_device device;
	struct store_sweep row;
	int r = store_read_sweep(store, sweep, &row, err);

	if (r < 0)
		return r;
	r = plan_read_device(&row, &device, err);
	store_sweep_clear(&row);
	if (r < 0)
		return r;
	result->sweep = sweep;
	(void)snprintf(result->name_a, sizeof(result->name_a), "%s", a->name);
	(void)snprintf(result->name_b, sizeof(result->name_b), "%s", b->name);
	(void)snprintf(result->workload, sizeof(result->workload), "%s", cell->workload);
	complete_a = complete_b = device.base;
	r = json_to_settings(a->asked, &asked, err);
	settings_merge(&complete_a, &asked);
	if (r == 0)
		r = json_to_settings(b->asked, &asked, err);
	if (r < 0)
		return r;
	settings_merge(&complete_b, &asked);
	(void)plan_format_difference(
		&complete_a, &complete_b, result->difference, sizeof(result->difference));
	if (!spacing_explain_same(&device, &complete_a, &complete_b, result->same_effect,
		    sizeof(result->same_effect)))
		result->same_effect[0] = '\0';
	return 0;
}

static int is_comparison(struct store *store, int64_t sweep, bool *ret_is, struct error *err)
{
	struct store_sweep row;
	int r = store_read_sweep(store, sweep, &row, err);

	if (r < 0)
		return r;
	*ret_is = row.kind == SWEEP_KIND_COMPARE;
	store_sweep_clear(&row);
	return 0;
}

int compare_stored(struct store *store, int64_t sweep, const struct store_cell *cell,
	const struct store_config *a, const struct store_config *b, const char *metric,
	double smallest_effect, unsigned comparisons, struct compare_result *ret_result,
	struct error *err)
{
	struct compare_result result = {0};
	struct compare_pairs pairs;
	bool sequential = false;
	int r = compare_rule(metric, smallest_effect, &result.metric, &result.rule, err);

	if (r == 0)
		r = is_comparison(store, sweep, &sequential, err);
	if (r == 0)
		r = compare_pairs_read(store, sweep, cell->id, a->id, b->id, metric, &pairs, err);
	if (r < 0)
		return r;
	if (pairs.count == 0)
		return error_set(err, -ENODATA, "%s holds no pair of %s and %s with %s in %s",
			store_path(store), a->name, b->name, metric, cell->workload);
	r = compare_pairs_check_held(store, &pairs, err);
	if (r < 0)
		return r;
	result.lost = pairs.lost;
	compare_pairs_medians(&pairs, &result.median_a, &result.median_b);
	if (!sequential)
		result.rule.confidence = compare_confidence(comparisons);
	r = sequential ? compare_take_looks(&pairs, &result, err)
		       : compare_evaluate(&pairs, pairs.count, &result, &result.last, err);
	if (r == 0)
		r = compare_fill_result(store, sweep, cell, a, b, &result, err);
	if (r == 0)
		*ret_result = result;
	return r;
}
