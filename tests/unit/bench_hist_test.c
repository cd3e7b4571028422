/* SPDX-License-Identifier: BSD-2-Clause */
/* The latency histogram against an exact sort. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/hist.h"
#include "common/util.h"

#define SAMPLES 20000

static uint64_t random_state = 88172645463325252u;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* All magnitudes alike, so that every octave is met. */
static uint64_t random_value(void)
{
	return random_u64() >> (24 + random_u64() % 40);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void buckets_cover_every_value_without_gap_or_overlap(void **state)
{
	unsigned i;

	assert_int_equal(hist_bucket_low(0), 0);
	for (i = 0; i < HIST_BUCKETS; i++) {
		assert_true(hist_bucket_low(i) <= hist_bucket_high(i));
		assert_int_equal(hist_bucket_index(hist_bucket_low(i)), i);
		assert_int_equal(hist_bucket_index(hist_bucket_high(i)), i);
		if (i)
			assert_int_equal(hist_bucket_low(i), hist_bucket_high(i - 1) + 1);
	}
	assert_int_equal(hist_bucket_high(HIST_BUCKETS - 1), HIST_MAX);
}

static void percentiles_stay_within_the_stated_error_of_an_exact_sort(void **state)
{
	static const double percents[] = {0, 0.1, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 100};
	static uint64_t values[SAMPLES];
	static struct hist hist;
	unsigned round, i;

	for (round = 0; round < 20; round++) {
		unsigned count = 1 + (unsigned)(random_u64() % SAMPLES);

		hist_init(&hist);
		for (i = 0; i < count; i++) {
			values[i] = random_value();
			hist_add(&hist, values[i]);
		}
		qsort(values, count, sizeof(values[0]), compare_u64);
		for (i = 0; i < ARRAY_SIZE(percents); i++) {
			double rank = ceil(percents[i] / 100 * count);
			uint64_t exact = values[rank < 1 ? 0 : (unsigned)rank - 1];
			double error =
				fabs((double)hist_percentile(&hist, percents[i]) - (double)exact);

			assert_true(error <= (double)exact * HIST_RELATIVE_ERROR);
		}
		assert_int_equal(hist_percentile(&hist, 0), values[0]);
		assert_int_equal(hist_percentile(&hist, 100), values[count - 1]);
	}
}

static void merge_equals_adding_everything_to_one(void **state)
{
	static struct hist one, a, b, empty;
	unsigned i;

	hist_init(&one);
	hist_init(&a);
	hist_init(&b);
	hist_init(&empty);
	for (i = 0; i < SAMPLES; i++) {
		uint64_t value = random_value();

		hist_add(&one, value);
		hist_add(i % 3 ? &a : &b, value);
	}
	hist_merge(&a, &b);
	hist_merge(&a, &empty);
	assert_int_equal(a.count, one.count);
	assert_int_equal(a.min, one.min);
	assert_int_equal(a.max, one.max);
	assert_memory_equal(a.bucket, one.bucket, sizeof(one.bucket));
	assert_true(fabs(hist_mean(&a) / hist_mean(&one) - 1) < 1e-9);
	hist_merge(&empty, &one);
	assert_int_equal(empty.min, one.min);
	assert_int_equal(empty.count, one.count);
}

static void an_empty_histogram_has_no_figures_and_too_large_values_saturate(void **state)
{
	static struct hist hist;

	hist_init(&hist);
	assert_int_equal(hist_percentile(&hist, 50), 0);
	assert_true(hist_mean(&hist) == 0);
	hist_add(&hist, UINT64_MAX);
	hist_add(&hist, 1);
	assert_int_equal(hist.saturated, 1);
	assert_int_equal(hist.bucket[HIST_BUCKETS - 1], 1);
	assert_int_equal(hist_percentile(&hist, 100), UINT64_MAX);
	assert_int_equal(hist_percentile(&hist, 50), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_cover_every_value_without_gap_or_overlap),
		cmocka_unit_test(percentiles_stay_within_the_stated_error_of_an_exact_sort),
		cmocka_unit_test(merge_equals_adding_everything_to_one),
		cmocka_unit_test(an_empty_histogram_has_no_figures_and_too_large_values_saturate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
