/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of values out of a store. */
#ifndef MODERATO_TUNER_COMPARE_PAIRS_H
#define MODERATO_TUNER_COMPARE_PAIRS_H

#include "tuner/pairs.h"
#include "tuner/store.h"

struct compare_pairs {
	unsigned count; /* complete pairs, in the order of their numbers */
	struct pair pair[PAIRS_MAX];
	unsigned number[PAIRS_MAX];    /* pair or block number */
	int64_t trial_a[PAIRS_MAX], trial_b[PAIRS_MAX];
	unsigned lost; /* pairs of which a trial ended void or failed for good */
	unsigned open; /* pairs that still have a trial to run */
};

/** compare_pairs_read() - of one metric in one cell; sides by configuration id. */
int compare_pairs_read(struct store *store, int64_t sweep, int64_t cell, int64_t config_a,
		       int64_t config_b, const char *metric, struct compare_pairs *ret_pairs,
		       struct error *err);

/**
 * compare_pairs_check_held() - did the two sides of a pair hold different settings?
 * Return: 0, or -ENOTUNIQ with a sentence when their read-backs are equal.
 */
int compare_pairs_check_held(struct store *store, const struct compare_pairs *pairs,
			     struct error *err);

/** compare_pairs_medians() - of each side. */
void compare_pairs_medians(const struct compare_pairs *pairs, double *ret_a, double *ret_b);

#endif
