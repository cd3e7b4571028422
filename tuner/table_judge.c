/* SPDX-License-Identifier: BSD-2-Clause */
/* The judgement of a table cell: its setting against the baseline, over their common blocks. */
#include <math.h>
#include <stdio.h>

#include "tuner/compare.h"
#include "tuner/modes.h"
#include "tuner/table_load_private.h"

/* Pairs of the blocks that both series have, in order. */
static unsigned match_blocks(const struct series *a, const struct series *b, struct pair *pairs)
{
	unsigned count = 0;

	for (size_t i = 0; i < a->count && count < PAIRS_MAX; i++)
		for (size_t j = 0; j < b->count; j++)
			if (a->block[i] == b->block[j]) {
				pairs[count++] = (struct pair){a->value[i], b->value[j]};
				break;
			}
	return count;
}

static void fill(struct table_cell *out, const struct pairs_result *result, bool spoiled)
{
	enum pairs_verdict verdict = spoiled ? PAIRS_NOT_PROVEN : result->verdict;

	out->judged = true;
	out->pairs = result->pairs;
	out->ratio = result->ratio;
	out->ratio_low = result->has_interval ? result->low : NAN;
	out->ratio_high = result->has_interval ? result->high : NAN;
	out->confidence = result->confidence;
	(void)snprintf(out->verdict, sizeof(out->verdict), "%s", pairs_verdict_name(verdict));
}

int table_judge(const struct table_source *source, size_t cell, size_t config, unsigned comparisons,
	struct table_cell *out, struct error *err)
{
	const struct series *a = table_source_series(source, cell, source->baseline);
	const struct series *b = table_source_series(source, cell, config);
	bool sequential = source->sweep.kind == SWEEP_KIND_COMPARE;
	struct pair pairs[PAIRS_MAX];
	struct pairs_result result;
	struct pairs_rule rule;
	enum metric_id metric;
	unsigned count = match_blocks(a, b, pairs);
	struct error no_ratio = {0};

	out->two_modes = modes_are_two(b->value, b->count, NULL);
	/* a figure that is neither good nor bad is shown and not judged; n = 1 has no verdicts */
	if (compare_rule(metric_table[source->metric].name, 0, &metric, &rule, NULL) < 0 ||
		count < 2)
		return 0;
	if (config == source->baseline)
		return 0;
	if (!sequential)
		rule.confidence = compare_confidence(comparisons);
	else if (pairs_last_look(count))
		count = pairs_last_look(count);
	/* a count of 0 has no ratio: no judgement, and no failure of the table */
	if (pairs_evaluate(pairs, count, &rule, &result, &no_ratio) < 0)
		return 0;
	fill(out, &result, modes_spoil_pairs(pairs, count));
	return 0;
}
