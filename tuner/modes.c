/* SPDX-License-Identifier: BSD-2-Clause */
/* Two clusters in repeated trials: another CPU, another path, but not another setting. */
#include "tuner/modes.h"

#include <stdlib.h>
#include <string.h>

#include "common/util.h"

#define GAP_OF_VALUE	0.05
#define GAP_OF_CLUSTERS 3.0

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Index of the first value above the widest gap that leaves two values on either side. */
static size_t find_split(const double *sorted, size_t count)
{
	size_t split = 2;

	for (size_t i = 3; i + 2 <= count; i++)
		if (sorted[i] - sorted[i - 1] > sorted[split] - sorted[split - 1])
			split = i;
	return split;
}

bool modes_are_two(const double *values, size_t count, double *ret_border)
{
	double sorted[PAIRS_MAX], gap, width;
	size_t split;

	if (count < MODES_TRIALS_MIN)
		return false;
	count = MIN(count, (size_t)PAIRS_MAX);
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
	split = find_split(sorted, count);
	gap = sorted[split] - sorted[split - 1];
	width = MAX(sorted[split - 1] - sorted[0], sorted[count - 1] - sorted[split]);
	if (gap < GAP_OF_VALUE * sorted[split - 1] || gap < GAP_OF_CLUSTERS * width)
		return false;
	if (ret_border)
		*ret_border = sorted[split] - gap / 2.0;
	return true;
}

bool modes_spoil_pairs(const struct pair *pairs, unsigned count)
{
	double a[PAIRS_MAX], b[PAIRS_MAX], border_a = 0.0, border_b = 0.0;
	bool two_a, two_b;

	if (count < MODES_TRIALS_MIN || count >= MODES_PAIRS_MIN)
		return false;
	for (unsigned i = 0; i < count; i++) {
		a[i] = pairs[i].a;
		b[i] = pairs[i].b;
	}
	two_a = modes_are_two(a, count, &border_a);
	two_b = modes_are_two(b, count, &border_b);
	if (!two_a || !two_b)
		return two_a || two_b;
	for (unsigned i = 0; i < count; i++)
		if ((a[i] > border_a) != (b[i] > border_b))
			return true;
	return false;
}
