/* SPDX-License-Identifier: BSD-2-Clause */
/* Clusters among repeated trials, with the field case of the wandering traffic program. */
#include "tuner/modes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/random.h"

static void placement_noise_is_two_modes(void **state)
{
	/* the traffic program lands on the core that serves the interrupt, or on another */
	const double runs[] = {941, 702, 938, 690, 940, 935, 701, 939, 688, 942};
	double border = 0;

	assert_true(modes_are_two(runs, ARRAY_SIZE(runs), &border));
	assert_true(border > 702 && border < 935);
}

static void outlier_drift_and_few_trials_are_not(void **state)
{
	const double outlier[] = {941, 938, 690, 940, 935, 939, 942};
	const double drift[] = {700, 750, 800, 850, 900, 950, 1000};
	const double few[] = {941, 702, 938, 690};
	const double small[] = {900, 901, 902, 910, 911, 912};

	assert_false(modes_are_two(outlier, ARRAY_SIZE(outlier), NULL));
	assert_false(modes_are_two(drift, ARRAY_SIZE(drift), NULL));
	assert_false(modes_are_two(few, ARRAY_SIZE(few), NULL));
	assert_false(modes_are_two(small, ARRAY_SIZE(small), NULL));
}

static void noise_is_seldom_taken_for_modes(void **state)
{
	struct random_source source;
	unsigned found = 0;

	random_init(&source, 2);
	for (int round = 0; round < 2000; round++) {
		double values[7];

		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			double z = -6;

			for (int j = 0; j < 12; j++)
				z += random_unit(&source);
			values[i] = 100 * exp(0.1 * z);
		}
		found += modes_are_two(values, ARRAY_SIZE(values), NULL);
	}
	assert_true(found < 30);
}

static void modes_of_one_side_spoil_a_verdict(void **state)
{
	struct pair pairs[MODES_PAIRS_MIN];

	for (unsigned i = 0; i < MODES_PAIRS_MIN; i++)
		pairs[i] = (struct pair){i % 2 ? 940 + i % 3 : 700 + i % 3, 940 + i % 3};
	assert_true(modes_spoil_pairs(pairs, 10));
	/* twenty pairs may decide all the same */
	assert_false(modes_spoil_pairs(pairs, MODES_PAIRS_MIN));
}

static void modes_that_both_sides_share_in_every_pair_do_not(void **state)
{
	struct pair pairs[10];

	for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
		double machine = i < 5 ? 1.0 : 1.4;

		pairs[i] = (struct pair){machine * (700 + i % 3), machine * (500 + i % 3)};
	}
	assert_false(modes_spoil_pairs(pairs, ARRAY_SIZE(pairs)));
	pairs[0].a *= 1.4;
	assert_true(modes_spoil_pairs(pairs, ARRAY_SIZE(pairs)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(placement_noise_is_two_modes),
		cmocka_unit_test(outlier_drift_and_few_trials_are_not),
		cmocka_unit_test(noise_is_seldom_taken_for_modes),
		cmocka_unit_test(modes_of_one_side_spoil_a_verdict),
		cmocka_unit_test(modes_that_both_sides_share_in_every_pair_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
