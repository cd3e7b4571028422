/* SPDX-License-Identifier: BSD-2-Clause */
/* Pair statistics: is setting B better than setting A, from pairs of trials run next to each other. */
#ifndef MODERATO_TUNER_PAIRS_H
#define MODERATO_TUNER_PAIRS_H

#include <stdbool.h>

#include "common/error.h"

/*
 * Method. Every pair gives one number, d = log(B / A). The order inside a pair is random, so that
 * drift adds noise to d and no bias. From the d of all pairs come
 *   - the estimate: the median of the Walsh averages (d[i] + d[j]) / 2, i <= j (Hodges-Lehmann);
 *   - the interval: the k-th smallest and k-th largest Walsh average, k from the exact null
 *     distribution of the signed-rank statistic. Taken as a closed interval it keeps at least its
 *     stated confidence also when differences tie or are zero;
 *   - the p value: exact two-sided signed-rank test; ties get mid-ranks (the null distribution is
 *     that of the mid-ranks at hand), zeros are ranked and then left out (Pratt), so that pairs
 *     without a difference weaken the evidence instead of vanishing.
 * Estimate and interval are given as ratios, exp() of the above. The verdict rests on the interval.
 * The numbers of pairs at which one may look are fixed beforehand; each look has 98.4 %, which keeps
 * the chance of any false alarm in up to five looks at 5 % (Pocock).
 */
#define PAIRS_LEAST	      7	    /* fewer pairs cannot reach 98.4 %: 2 / 2^7 = 1.56 % */
#define PAIRS_MAX	      200   /* Walsh averages grow with the square */
#define PAIRS_LOOK_CONFIDENCE 0.984 /* Pocock's bound for five looks at 5 % overall */

enum pairs_direction { PAIRS_MORE_IS_BETTER, PAIRS_LESS_IS_BETTER };

enum pairs_verdict {
	PAIRS_NOT_PROVEN,
	PAIRS_SAME,   /* the whole interval lies inside the band that does not matter */
	PAIRS_BETTER, /* B is better than A, and by at least the smallest effect worth having */
	PAIRS_WORSE,
};

struct pair {
	double a, b; /* the same metric under setting A and setting B; both above 0 */
};

struct pairs_rule {
	enum pairs_direction direction;
	double smallest_effect; /* 0.01: a change by 1 % is worth having; the band is 1/1.01..1.01 */
	double confidence;	/* of the interval, 0.5..1 exclusive; PAIRS_LOOK_CONFIDENCE */
};

struct pairs_result {
	unsigned pairs;
	unsigned zeros;	    /* pairs without any difference */
	double ratio;	    /* B / A; 1.02: B is 2 % above A */
	bool has_interval;  /* false when there are too few pairs for the confidence asked */
	double low, high;   /* of the ratio; valid with has_interval */
	double confidence;  /* that the interval really has, at least the one asked; 0 without */
	double p_value;	    /* exact, two-sided, for "no difference" */
	enum pairs_verdict verdict;
};

/**
 * pairs_evaluate() - estimate, interval, p value and verdict
 * @pairs: 1..PAIRS_MAX of them
 * Return: 0, -EDOM when a value is not above zero (its ratio does not exist) or not finite, -EINVAL
 * for a number of pairs or a rule out of range, -ENOMEM.
 */
int pairs_evaluate(const struct pair *pairs, unsigned count, const struct pairs_rule *rule,
		   struct pairs_result *ret_result, struct error *err);

/** pairs_is_look() - may one look after @count complete pairs? True for 7, 10, 15, 20 and 30. */
bool pairs_is_look(unsigned count);
/** pairs_last_look() - the largest look that @count pairs reach; 0 below 7. */
unsigned pairs_last_look(unsigned count);
/** pairs_look_count() - looks within @count pairs. */
unsigned pairs_look_count(unsigned count);

/** pairs_verdict_name() - "better", "worse", "same", "not proven". */
const char *pairs_verdict_name(enum pairs_verdict verdict);

/** pairs_p_value() - exact two-sided signed-rank p of @count differences (at most PAIRS_MAX). */
double pairs_p_value(const double *differences, unsigned count);

/**
 * pairs_interval_rank() - which order statistic of the Walsh averages bounds the interval
 * @ret_confidence: the exact confidence that rank gives; untouched when 0 is returned. May be NULL.
 * Return: k counted from 1, or 0 when @count pairs cannot give @confidence.
 */
unsigned pairs_interval_rank(unsigned count, double confidence, double *ret_confidence);

#endif
