/* SPDX-License-Identifier: BSD-2-Clause */
/* Pair statistics against hand-worked values, brute force, published tables and simulation. */
#include "tuner/pairs.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/random.h"

static const struct pairs_rule more_1_percent = {PAIRS_MORE_IS_BETTER, 0.01, PAIRS_LOOK_CONFIDENCE};
static const struct pairs_rule less_1_percent = {PAIRS_LESS_IS_BETTER, 0.01, PAIRS_LOOK_CONFIDENCE};

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

static struct pairs_result evaluate_ratios(
	const double *ratios, unsigned count, const struct pairs_rule *rule)
{
	struct pair pairs[PAIRS_MAX];
	struct pairs_result result;
	struct error err = {0};

	for (unsigned i = 0; i < count; i++)
		pairs[i] = (struct pair){100.0, 100.0 * ratios[i]};
	assert_int_equal(pairs_evaluate(pairs, count, rule, &result, &err), 0);
	return result;
}

static void ratio_is_the_median_of_walsh_averages(void **state)
{
	/* logs to base 2: 1, 2, 4; averages 1 1.5 2 2.5 3 4; median 2.25 */
	const double three[] = {2.0, 4.0, 16.0};
	struct pairs_result result = evaluate_ratios(three, 3, &more_1_percent);

	assert_true(near(result.ratio, exp2(2.25), 1e-12));
	assert_false(result.has_interval);
	assert_int_equal(result.verdict, PAIRS_NOT_PROVEN);
}

static void seven_pairs_give_smallest_and_largest_as_interval(void **state)
{
	const double seven[] = {1.05, 1.02, 1.03, 1.04, 1.06, 1.07, 1.08};
	struct pairs_result result = evaluate_ratios(seven, 7, &more_1_percent);

	assert_true(result.has_interval);
	assert_true(near(result.low, 1.02, 1e-12));
	assert_true(near(result.high, 1.08, 1e-12));
	assert_true(near(result.confidence, 1.0 - 2.0 / 128.0, 1e-12));
	assert_true(near(result.p_value, 2.0 / 128.0, 1e-12));
	assert_int_equal(result.verdict, PAIRS_BETTER);
}

static void ten_pairs_leave_out_four_averages_on_each_side(void **state)
{
	double confidence = 0.0;

	/* sums 0..4 of distinct ranks: 1 + 1 + 1 + 2 + 2 = 7 of 1024 below 0.8 %, sum 5 adds 3 */
	assert_int_equal(pairs_interval_rank(10, PAIRS_LOOK_CONFIDENCE, &confidence), 5);
	assert_true(near(confidence, 1.0 - 14.0 / 1024.0, 1e-12));
}

static void interval_ranks_match_the_published_critical_values(void **state)
{
	/* textbook two-sided critical values of the signed-rank sum; the rank is one more */
	static const struct {
		unsigned count, at_95, at_99;
	} rows[] = {
		{6, 0, 0},
		{8, 3, 0},
		{9, 5, 1},
		{10, 8, 3},
		{12, 13, 7},
		{15, 25, 15},
		{20, 52, 37},
		{30, 137, 109},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(pairs_interval_rank(rows[i].count, 0.95, NULL), rows[i].at_95 + 1);
		if (rows[i].count >= 8)
			assert_int_equal(
				pairs_interval_rank(rows[i].count, 0.99, NULL), rows[i].at_99 + 1);
	}
}

/* All 2^n sign patterns of the given magnitudes, mid-ranks counted by definition. */
static double brute_force_p(const double *differences, unsigned count)
{
	double rank[16], plus = 0.0, below = 0.0, above = 0.0, patterns = 0.0;

	for (unsigned i = 0; i < count; i++) {
		double smaller = 0.0, equal = 0.0;

		for (unsigned j = 0; j < count; j++) {
			smaller += fabs(differences[j]) < fabs(differences[i]);
			equal += fabs(differences[j]) == fabs(differences[i]);
		}
		rank[i] = differences[i] == 0.0 ? 0.0 : smaller + (equal + 1.0) / 2.0;
		plus += differences[i] > 0.0 ? rank[i] : 0.0;
	}
	for (unsigned signs = 0; signs < 1u << count; signs++, patterns++) {
		double sum = 0.0;

		for (unsigned i = 0; i < count; i++)
			sum += (signs >> i) & 1u ? rank[i] : 0.0;
		below += sum <= plus;
		above += sum >= plus;
	}
	return fmin(1.0, 2.0 * fmin(below, above) / patterns);
}

static void p_value_equals_enumeration_with_ties_and_zeros(void **state)
{
	struct random_source source;

	random_init(&source, 7);
	for (unsigned round = 0; round < 400; round++) {
		unsigned count = 1 + random_below(&source, 11);
		double differences[16];

		/* few distinct values, so that ties and zeros are common */
		for (unsigned i = 0; i < count; i++)
			differences[i] = (int)random_below(&source, 7) - 3;
		assert_true(near(pairs_p_value(differences, count),
			brute_force_p(differences, count), 1e-12));
	}
}

static void interval_holds_the_ratios_that_the_test_does_not_reject(void **state)
{
	struct random_source source;

	random_init(&source, 11);
	for (unsigned round = 0; round < 200; round++) {
		unsigned count = 7 + random_below(&source, 6);
		double ratios[16], shifted[16];
		struct pairs_result result;

		for (unsigned i = 0; i < count; i++)
			ratios[i] = exp(0.1 * (random_unit(&source) - 0.4));
		result = evaluate_ratios(ratios, count, &more_1_percent);
		for (unsigned i = 0; i < count; i++)
			shifted[i] = log(ratios[i]) - log(result.low) + 1e-9;
		assert_true(brute_force_p(shifted, count) <= 1.0 - result.confidence + 1e-12);
		for (unsigned i = 0; i < count; i++)
			shifted[i] = log(ratios[i]) - log(result.low) - 1e-9;
		assert_true(brute_force_p(shifted, count) > 1.0 - result.confidence + 1e-12);
	}
}

static void swapping_the_sides_inverts_ratio_and_verdict(void **state)
{
	const double up[] = {1.05, 1.02, 1.03, 1.04, 1.06, 1.07, 1.08, 1.01, 1.02, 1.04};
	double down[ARRAY_SIZE(up)];
	struct pairs_result a, b;

	for (size_t i = 0; i < ARRAY_SIZE(up); i++)
		down[i] = 1.0 / up[i];
	a = evaluate_ratios(up, ARRAY_SIZE(up), &more_1_percent);
	b = evaluate_ratios(down, ARRAY_SIZE(up), &more_1_percent);
	assert_true(near(a.ratio * b.ratio, 1.0, 1e-12));
	assert_true(near(a.low * b.high, 1.0, 1e-12));
	assert_int_equal(a.verdict, PAIRS_BETTER);
	assert_int_equal(b.verdict, PAIRS_WORSE);
	assert_int_equal(
		evaluate_ratios(down, ARRAY_SIZE(up), &less_1_percent).verdict, PAIRS_BETTER);
	assert_int_equal(evaluate_ratios(up, ARRAY_SIZE(up), &less_1_percent).verdict, PAIRS_WORSE);
}

static void one_pair_never_wins_and_six_prove_nothing(void **state)
{
	double ratios[] = {9.0, 9.1, 9.2, 9.3, 9.4, 9.5};

	for (unsigned count = 1; count <= ARRAY_SIZE(ratios); count++) {
		struct pairs_rule loose = {PAIRS_MORE_IS_BETTER, 0.01, 0.5};

		assert_int_equal(
			evaluate_ratios(ratios, count, &more_1_percent).verdict, PAIRS_NOT_PROVEN);
		/* also not when somebody asks for less confidence */
		assert_int_equal(evaluate_ratios(ratios, count, &loose).verdict, PAIRS_NOT_PROVEN);
	}
}

static void effect_too_small_to_matter_is_same_not_better(void **state)
{
	const double tiny[] = {1.001, 1.002, 1.003, 1.004, 1.002, 1.003, 1.001};
	struct pairs_result result = evaluate_ratios(tiny, ARRAY_SIZE(tiny), &more_1_percent);

	assert_true(result.low > 1.0);
	assert_int_equal(result.verdict, PAIRS_SAME);
}

static void interval_reaching_out_of_the_band_is_not_proven(void **state)
{
	const double wide[] = {0.95, 1.06, 0.97, 1.03, 1.01, 0.99, 1.02};
	const double edge[] = {1.001, 1.002, 1.003, 1.004, 1.002, 1.003, 1.02};

	assert_int_equal(
		evaluate_ratios(wide, ARRAY_SIZE(wide), &more_1_percent).verdict, PAIRS_NOT_PROVEN);
	/* above 1 for sure, yet neither large enough nor surely small */
	assert_int_equal(
		evaluate_ratios(edge, ARRAY_SIZE(edge), &more_1_percent).verdict, PAIRS_NOT_PROVEN);
}

static void equal_values_are_the_same_with_p_1(void **state)
{
	const double ones[] = {1, 1, 1, 1, 1, 1, 1};
	struct pairs_result result = evaluate_ratios(ones, ARRAY_SIZE(ones), &more_1_percent);

	assert_int_equal(result.zeros, 7);
	assert_true(near(result.ratio, 1.0, 0.0));
	assert_true(near(result.p_value, 1.0, 0.0));
	assert_int_equal(result.verdict, PAIRS_SAME);
}

static void values_without_a_ratio_are_refused(void **state)
{
	static const double bad[] = {0.0, -3.0, NAN, INFINITY};
	struct pairs_result result;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pair pairs[2] = {{1.0, 2.0}, {1.0, bad[i]}};
		struct error err = {0};

		assert_int_equal(pairs_evaluate(pairs, 2, &more_1_percent, &result, &err), -EDOM);
		assert_non_null(strstr(err.text, "pair 2"));
	}
	assert_int_equal(pairs_evaluate(NULL, 0, &more_1_percent, &result, NULL), -EINVAL);
	assert_int_equal(
		pairs_evaluate(NULL, PAIRS_MAX + 1, &more_1_percent, &result, NULL), -EINVAL);
}

static void looks_are_at_7_10_15_20_30(void **state)
{
	static const unsigned at[] = {7, 10, 15, 20, 30};
	unsigned seen = 0;

	for (unsigned count = 0; count <= 40; count++)
		seen += pairs_is_look(count);
	assert_int_equal(seen, ARRAY_SIZE(at));
	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		assert_true(pairs_is_look(at[i]));
	assert_int_equal(pairs_last_look(6), 0);
	assert_int_equal(pairs_last_look(14), 10);
	assert_int_equal(pairs_last_look(99), 30);
	assert_int_equal(pairs_look_count(10), 2);
	assert_int_equal(pairs_look_count(30), 5);
}

/* Sum of twelve uniforms: close enough to normal, and symmetric, which is all the test assumes. */
static double noise(struct random_source *source)
{
	double sum = -6.0;

	for (int i = 0; i < 12; i++)
		sum += random_unit(source);
	return sum;
}

static void interval_covers_the_true_ratio_as_often_as_it_says(void **state)
{
	const struct pairs_rule rule = {PAIRS_MORE_IS_BETTER, 0.01, 0.95};
	const unsigned repeats = 4000;
	struct random_source source;

	random_init(&source, 3);
	for (unsigned count = 10; count <= 20; count += 10) {
		unsigned covered = 0;
		double stated = 0.0;

		for (unsigned round = 0; round < repeats; round++) {
			double ratios[20];
			struct pairs_result result;

			for (unsigned i = 0; i < count; i++)
				ratios[i] = 1.03 * exp(0.02 * noise(&source));
			result = evaluate_ratios(ratios, count, &rule);
			covered += result.low <= 1.03 && result.high >= 1.03;
			stated = result.confidence;
		}
		assert_true(stated >= 0.95);
		/* three standard errors of a proportion of 4000 */
		assert_true(near((double)covered / repeats, stated, 0.011));
	}
}

/* One sequential run without any true difference: does a look cry "better" or "worse"? */
static bool raises_a_false_alarm(struct random_source *source)
{
	const struct pairs_rule rule = {PAIRS_MORE_IS_BETTER, 0.0, PAIRS_LOOK_CONFIDENCE};
	double ratios[30];

	for (unsigned count = 1; count <= ARRAY_SIZE(ratios); count++) {
		enum pairs_verdict verdict;

		ratios[count - 1] = exp(0.02 * noise(source));
		if (!pairs_is_look(count))
			continue;
		verdict = evaluate_ratios(ratios, count, &rule).verdict;
		if (verdict == PAIRS_BETTER || verdict == PAIRS_WORSE)
			return true;
	}
	return false;
}

static void five_looks_raise_at_most_5_percent_false_alarms(void **state)
{
	const unsigned repeats = 4000;
	struct random_source source;
	unsigned alarms = 0;

	random_init(&source, 5);
	for (unsigned round = 0; round < repeats; round++)
		alarms += raises_a_false_alarm(&source);
	assert_true((double)alarms / repeats <= 0.05 + 0.005);
	/* and not because the rule never speaks */
	assert_true((double)alarms / repeats >= 0.02);
}

static void true_gain_is_found_and_drift_does_not_fool(void **state)
{
	struct random_source source;
	unsigned found = 0, wrong = 0;

	random_init(&source, 9);
	for (unsigned round = 0; round < 300; round++) {
		struct pair pairs[20];
		struct pairs_result result;
		struct error err = {0};
		double drift = 0.0;

		for (unsigned i = 0; i < 20; i++) {
			bool b_first = random_below(&source, 2);
			double first = exp(drift + 0.02 * noise(&source)), second;

			drift += 0.01;
			second = exp(drift + 0.02 * noise(&source));
			drift += 0.01;
			pairs[i].a = b_first ? second : first;
			pairs[i].b = 1.05 * (b_first ? first : second);
		}
		assert_int_equal(pairs_evaluate(pairs, 20, &more_1_percent, &result, &err), 0);
		found += result.verdict == PAIRS_BETTER;
		wrong += result.verdict == PAIRS_WORSE;
	}
	assert_true(found >= 285);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratio_is_the_median_of_walsh_averages),
		cmocka_unit_test(seven_pairs_give_smallest_and_largest_as_interval),
		cmocka_unit_test(ten_pairs_leave_out_four_averages_on_each_side),
		cmocka_unit_test(interval_ranks_match_the_published_critical_values),
		cmocka_unit_test(p_value_equals_enumeration_with_ties_and_zeros),
		cmocka_unit_test(interval_holds_the_ratios_that_the_test_does_not_reject),
		cmocka_unit_test(swapping_the_sides_inverts_ratio_and_verdict),
		cmocka_unit_test(one_pair_never_wins_and_six_prove_nothing),
		cmocka_unit_test(effect_too_small_to_matter_is_same_not_better),
		cmocka_unit_test(interval_reaching_out_of_the_band_is_not_proven),
		cmocka_unit_test(equal_values_are_the_same_with_p_1),
		cmocka_unit_test(values_without_a_ratio_are_refused),
		cmocka_unit_test(looks_are_at_7_10_15_20_30),
		cmocka_unit_test(interval_covers_the_true_ratio_as_often_as_it_says),
		cmocka_unit_test(five_looks_raise_at_most_5_percent_false_alarms),
		cmocka_unit_test(true_gain_is_found_and_drift_does_not_fool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
