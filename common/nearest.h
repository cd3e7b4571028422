/* SPDX-License-Identifier: BSD-2-Clause */
/* "Did you mean ...": the nearest of several names to a misspelt one. */
#ifndef MODERATO_COMMON_NEAREST_H
#define MODERATO_COMMON_NEAREST_H

/* A search; zero-initialise all but `wanted`, offer every candidate, read `best`. */
struct nearest {
	const char *wanted; /* what the user wrote */
	const char *best;   /* the nearest candidate so far, NULL when none is near */
	unsigned distance;  /* of `best`; means nothing while `best` is NULL */
};

/** edit_distance() - insertions, deletions, replacements and swaps of neighbours that turn @a into
 * @b, case ignored; anything longer than 63 bytes is infinitely far (returns UINT_MAX). */
unsigned edit_distance(const char *a, const char *b);

/** nearest_offer() - consider @candidate; it counts when it is at most two edits away and shares
 * something with what was wanted. The first of equals wins. */
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
