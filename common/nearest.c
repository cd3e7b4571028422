/* SPDX-License-Identifier: BSD-2-Clause */
/* Edit distance and the search for the nearest name. */
#include "common/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "common/util.h"

#define NAME_MAX_BYTES 64
#define NEAR_ENOUGH    2

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least_of_three(unsigned a, unsigned b, unsigned c)
{
	return MIN(MIN(a, b), c);
}

unsigned edit_distance(const char *a, const char *b)
{
	unsigned rows[3][NAME_MAX_BYTES];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];
	size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len >= NAME_MAX_BYTES || b_len >= NAME_MAX_BYTES)
		return UINT_MAX;
	for (size_t j = 0; j <= b_len; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned *spare = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_len; j++) {
			unsigned differ = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;

			row[j] =
				least_of_three(above[j] + 1, row[j - 1] + 1, above[j - 1] + differ);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
				same_letter(a[i - 2], b[j - 1]))
				row[j] = MIN(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[b_len];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
	unsigned distance = edit_distance(nearest->wanted, candidate);

	if (distance > NEAR_ENOUGH || distance >= strlen(nearest->wanted))
		return;
	if (nearest->best && distance >= nearest->distance)
		return;
	nearest->best = candidate;
	nearest->distance = distance;
}
