/* SPDX-License-Identifier: BSD-2-Clause */
/* Pair statistics: exact signed-rank test, Hodges-Lehmann ratio with interval, verdict. */
#include "tuner/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"

static const unsigned looks[] = {7, 10, 15, 20, 30};

bool pairs_is_look(unsigned count)
{
	return count > 0 && pairs_last_look(count) == count;
}

unsigned pairs_last_look(unsigned count)
{
	unsigned last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(looks) && looks[i] <= count; i++)
		last = looks[i];
	return last;
}

unsigned pairs_look_count(unsigned count)
{
	unsigned n = 0;

	while (n < ARRAY_SIZE(looks) && looks[n] <= count)
		n++;
	return n;
}

const char *pairs_verdict_name(enum pairs_verdict verdict)
{
	static const char *const names[] = {
		[PAIRS_NOT_PROVEN] = "not proven",
		[PAIRS_SAME] = "same",
		[PAIRS_BETTER] = "better",
		[PAIRS_WORSE] = "worse",
	};

	return names[verdict];
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int compare_magnitudes(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

/*
 * Probability of each sum of signed ranks under "no difference": every rank counts with probability
 * one half. Ranks are doubled, so that mid-ranks are whole. Returns a new array of *ret_size
 * entries, index = doubled sum.
 */
static double *null_distribution(const unsigned *doubled_ranks, unsigned count, size_t *ret_size)
{
	size_t size = 1;
	double *chance;

	for (unsigned i = 0; i < count; i++)
		size += doubled_ranks[i];
	chance = calloc(size, sizeof(*chance));
	if (!chance)
		return NULL;
	chance[0] = 1.0;
	for (unsigned i = 0; i < count; i++) {
		size_t rank = doubled_ranks[i];

		for (size_t sum = size; sum-- > 0;)
			chance[sum] =
				0.5 * (chance[sum] + (sum >= rank ? chance[sum - rank] : 0.0));
	}
	*ret_size = size;
	return chance;
}

/* Doubled mid-ranks of the non-zero differences, zeros ranked with the rest and then left out. */
static unsigned rank_differences(
	const double *sorted, unsigned count, unsigned *doubled_ranks, size_t *ret_doubled_plus)
{
	unsigned kept = 0;
	size_t plus = 0;

	for (unsigned first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count && fabs(sorted[next]) == fabs(sorted[first]);)
			next++;
		for (unsigned i = first; i < next && sorted[i] != 0.0; i++) {
			/* ranks first + 1 .. next share their mean */
			doubled_ranks[kept] = first + 1 + next;
			if (sorted[i] > 0.0)
				plus += doubled_ranks[kept];
			kept++;
		}
	}
	*ret_doubled_plus = plus;
	return kept;
}

double pairs_p_value(const double *differences, unsigned count)
{
	double sorted[PAIRS_MAX], below = 0.0, above = 0.0, *chance;
	unsigned doubled_ranks[PAIRS_MAX], kept;
	size_t plus, size;

	if (count == 0 || count > PAIRS_MAX)
		return 1.0;
	memcpy(sorted, differences, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_magnitudes);
	kept = rank_differences(sorted, count, doubled_ranks, &plus);
	chance = null_distribution(doubled_ranks, kept, &size);
	if (!chance)
		return 1.0;
	for (size_t sum = 0; sum < size; sum++) {
		below += sum <= plus ? chance[sum] : 0.0;
		above += sum >= plus ? chance[sum] : 0.0;
	}
	free(chance);
	return fmin(1.0, 2.0 * fmin(below, above));
}

unsigned pairs_interval_rank(unsigned count, double confidence, double *ret_confidence)
{
	unsigned doubled_ranks[PAIRS_MAX], rank = 0;
	double *chance, tail = 0.0;
	size_t size;

	if (count == 0 || count > PAIRS_MAX)
		return 0;
	for (unsigned i = 0; i < count; i++)
		doubled_ranks[i] = 2 * (i + 1);
	chance = null_distribution(doubled_ranks, count, &size);
	if (!chance)
		return 0;
	/* the tolerance takes in 1 - 0.984 not being exact in binary */
	for (size_t sum = 0; sum < size; sum += 2) {
		if (tail + chance[sum] > (1.0 - confidence) / 2.0 + 1e-12)
			break;
		tail += chance[sum];
		rank++;
	}
	free(chance);
	if (rank > 0 && ret_confidence)
		*ret_confidence = 1.0 - 2.0 * tail;
	return rank;
}

static double *walsh_averages(const double *differences, unsigned count, size_t *ret_count)
{
	size_t total = (size_t)count * (count + 1) / 2, n = 0;
	double *averages = malloc(total * sizeof(*averages));

	if (!averages)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = i; j < count; j++)
			averages[n++] = (differences[i] + differences[j]) / 2.0;
	qsort(averages, total, sizeof(*averages), compare_doubles);
	*ret_count = total;
	return averages;
}

static enum pairs_verdict judge(const struct pairs_rule *rule, const struct pairs_result *result)
{
	double edge = 1.0 + rule->smallest_effect;
	bool gains = rule->direction == PAIRS_MORE_IS_BETTER;

	if (result->pairs < PAIRS_LEAST || !result->has_interval)
		return PAIRS_NOT_PROVEN;
	if (result->low > 1.0 && result->ratio >= edge)
		return gains ? PAIRS_BETTER : PAIRS_WORSE;
	if (result->high < 1.0 && result->ratio <= 1.0 / edge)
		return gains ? PAIRS_WORSE : PAIRS_BETTER;
	if (result->low >= 1.0 / edge && result->high <= edge)
		return PAIRS_SAME;
	return PAIRS_NOT_PROVEN;
}

static int check_input(
	const struct pair *pairs, unsigned count, const struct pairs_rule *rule, struct error *err)
{
	if (count == 0 || count > PAIRS_MAX)
		return error_set(err, -EINVAL, "%u pairs cannot be evaluated: 1 to %d are possible",
			count, PAIRS_MAX);
	if (!(rule->confidence >= 0.5 && rule->confidence < 1.0) || !(rule->smallest_effect >= 0.0))
		return error_set(err, -EINVAL,
			"confidence %g or smallest effect %g is out of range", rule->confidence,
			rule->smallest_effect);
	for (unsigned i = 0; i < count; i++)
		if (!(pairs[i].a > 0.0) || !(pairs[i].b > 0.0) || !isfinite(pairs[i].a) ||
			!isfinite(pairs[i].b))
			return error_set(err, -EDOM,
				"pair %u has no ratio: its values are %g and %g, both must be "
				"above zero",
				i + 1, pairs[i].a, pairs[i].b);
	return 0;
}

int pairs_evaluate(const struct pair *pairs, unsigned count, const struct pairs_rule *rule,
	struct pairs_result *ret_result, struct error *err)
{
	struct pairs_result result = {.pairs = count, .low = NAN, .high = NAN};
	double differences[PAIRS_MAX], *averages;
	unsigned rank;
	size_t total;
	int r = check_input(pairs, count, rule, err);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < count; i++) {
		differences[i] = log(pairs[i].b) - log(pairs[i].a);
		result.zeros += differences[i] == 0.0;
	}
	averages = walsh_averages(differences, count, &total);
	if (!averages)
		return error_set(err, -ENOMEM, "out of memory for %u pairs", count);
	result.ratio = exp((averages[(total - 1) / 2] + averages[total / 2]) / 2.0);
	rank = pairs_interval_rank(count, rule->confidence, &result.confidence);
	if (rank > 0) {
		result.has_interval = true;
		result.low = exp(averages[rank - 1]);
		result.high = exp(averages[total - rank]);
	}
	free(averages);
	result.p_value = pairs_p_value(differences, count);
	result.verdict = judge(rule, &result);
	*ret_result = result;
	return 0;
}
