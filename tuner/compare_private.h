/* SPDX-License-Identifier: BSD-2-Clause */
/* What running and reading comparisons share. */
#ifndef MODERATO_TUNER_COMPARE_PRIVATE_H
#define MODERATO_TUNER_COMPARE_PRIVATE_H

#include "tuner/compare.h"
#include "tuner/compare_pairs.h"

/** compare_fill_result() - names, knobs that differ, and whether they come to the same. */
int compare_fill_result(struct store *store, int64_t sweep, const struct store_cell *cell,
			const struct store_config *a, const struct store_config *b,
			struct compare_result *result, struct error *err);

/** compare_take_looks() - every look that the pairs reach; below the first, all pairs. */
int compare_take_looks(const struct compare_pairs *pairs, struct compare_result *result,
		       struct error *err);

/** compare_evaluate() - pairs_evaluate() of the first @count pairs, without a verdict when two modes
 * spoil it. */
int compare_evaluate(const struct compare_pairs *pairs, unsigned count, struct compare_result *result,
	struct pairs_result *ret_look, struct error *err);

#endif
