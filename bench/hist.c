/* SPDX-License-Identifier: BSD-2-Clause */
/* Log-linear histogram: bucket arithmetic, merge, percentiles. */
#include "bench/hist.h"

#include <math.h>
#include <string.h>

#include "common/util.h"

#define SUB_BUCKETS (1u << HIST_MANTISSA_BITS)

void hist_init(struct hist *hist)
{
	memset(hist, 0, sizeof(*hist));
}

/*
 * With e = position of the top bit: below 2^8 the index is the value; above, the 7 bits after the
 * top bit choose among 128 buckets, and the index continues without a gap.
 */
unsigned hist_bucket_index(uint64_t value)
{
	unsigned shift;

	if (value > HIST_MAX)
		value = HIST_MAX;
	if (value < 2 * SUB_BUCKETS)
		return (unsigned)value;
	shift = 63 - (unsigned)__builtin_clzll(value) - HIST_MANTISSA_BITS;
	return shift * SUB_BUCKETS + (unsigned)(value >> shift);
}

uint64_t hist_bucket_low(unsigned index)
{
	unsigned shift;

	if (index < 2 * SUB_BUCKETS)
		return index;
	shift = index / SUB_BUCKETS - 1;
	return (uint64_t)(index - shift * SUB_BUCKETS) << shift;
}

uint64_t hist_bucket_high(unsigned index)
{
	return index + 1 < HIST_BUCKETS ? hist_bucket_low(index + 1) - 1 : HIST_MAX;
}

void hist_add(struct hist *hist, uint64_t value)
{
	if (!hist->count || value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
	if (value > HIST_MAX)
		hist->saturated++;
	hist->count++;
	hist->sum += (double)value;
	hist->bucket[hist_bucket_index(value)]++;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	unsigned i;

	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->saturated += from->saturated;
	into->sum += from->sum;
	for (i = 0; i < HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

/* The middle of a bucket, but never outside what was really seen. */
static uint64_t bucket_value(const struct hist *hist, unsigned index)
{
	uint64_t low = hist_bucket_low(index), high = hist_bucket_high(index);
	uint64_t middle = low + (high - low) / 2;

	return MIN(MAX(middle, hist->min), hist->max);
}

uint64_t hist_percentile(const struct hist *hist, double percent)
{
	uint64_t rank, seen = 0;
	unsigned i;

	if (!hist->count)
		return 0;
	if (percent <= 0)
		return hist->min;
	rank = (uint64_t)ceil(percent / 100 * (double)hist->count);
	if (rank >= hist->count)
		return hist->max;
	for (i = 0; i < HIST_BUCKETS; i++) {
		seen += hist->bucket[i];
		if (seen >= rank)
			return bucket_value(hist, i);
	}
	return hist->max;
}

double hist_mean(const struct hist *hist)
{
	return hist->count ? hist->sum / (double)hist->count : 0;
}
