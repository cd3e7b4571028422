/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables out of a store: grouped by kind of workload, with medians and judgements. */
#ifndef MODERATO_TUNER_TABLE_LOAD_H
#define MODERATO_TUNER_TABLE_LOAD_H

#include "plots/table.h"
#include "tuner/store.h"

struct table_set {
	struct table *tables;
	size_t count;
};

/**
 * table_load() - the tables of a sweep, one for each kind of workload (protocol, window, streams ...)
 * Every setting is judged against the baseline, pairs being the blocks that hold both (of a
 * comparison: its pairs). The intervals are widened for the number of judgements of the set.
 * @metric: name; NULL: goodput_mbps for streams and rr_p50_us for ping-pongs. A kind of workload
 * without any value of the metric has no table, unless nothing was measured at all.
 * Return: 0, a usage error for an unknown metric, -ENODATA when no trial has it.
 */
int table_load(struct store *store, int64_t sweep, const char *metric, struct table_set *ret_set,
	       struct error *err);
void table_set_free(struct table_set *set);

#endif
