/* SPDX-License-Identifier: BSD-2-Clause */
/* Log-linear histogram of durations: fixed size, bounded relative error, mergeable. */
#ifndef MODERATO_BENCH_HIST_H
#define MODERATO_BENCH_HIST_H

#include <stdint.h>

/*
 * Values below 256 have a bucket each. Above, every power of two is cut into 128 equal buckets, and
 * a bucket stands for its middle: the relative error of a percentile is at most 1/256 (0.39 %).
 * Values above HIST_MAX are counted in the last bucket (and in `saturated`).
 */
#define HIST_MANTISSA_BITS  7
#define HIST_MAX_BITS	    40 /* 2^40 ns = 18 minutes */
#define HIST_MAX	    ((UINT64_C(1) << HIST_MAX_BITS) - 1)
#define HIST_BUCKETS	    ((HIST_MAX_BITS - HIST_MANTISSA_BITS + 1) << HIST_MANTISSA_BITS)
#define HIST_RELATIVE_ERROR (1.0 / 256)

struct hist {
	uint64_t count;
	uint64_t saturated;
	uint64_t min, max; /* exact; 0 when empty */
	double sum;
	uint64_t bucket[HIST_BUCKETS];
};

void hist_init(struct hist *hist);
void hist_add(struct hist *hist, uint64_t value);
/** hist_merge() - as if every value of @from had been added to @into. */
void hist_merge(struct hist *into, const struct hist *from);
/** hist_percentile() - the value at rank ceil(@percent/100 * count), within HIST_RELATIVE_ERROR;
 * 0 and 100 are the exact minimum and maximum. 0 when empty. */
uint64_t hist_percentile(const struct hist *hist, double percent);
/** hist_mean() - exact up to the rounding of a double; 0 when empty. */
double hist_mean(const struct hist *hist);

/** hist_bucket_index(), hist_bucket_low(), hist_bucket_high() - which bucket, and its inclusive
 * bounds; for plots of the distribution. */
unsigned hist_bucket_index(uint64_t value);
uint64_t hist_bucket_low(unsigned index);
uint64_t hist_bucket_high(unsigned index);

#endif
