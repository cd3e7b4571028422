/* SPDX-License-Identifier: BSD-2-Clause */
/* Do repeated trials of one setting fall into two clusters, and does that spoil a comparison? */
#ifndef MODERATO_TUNER_MODES_H
#define MODERATO_TUNER_MODES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/pairs.h"

#define MODES_TRIALS_MIN 6  /* fewer trials show no clusters */
#define MODES_PAIRS_MIN	 20 /* pairs that a verdict over such trials needs */

/**
 * modes_are_two() - two clusters with a gap between them
 * Each has at least two values, the gap is at least 5 % of the smaller value beside it, and three
 * times as wide as the wider cluster: so that noise, drift and a single outlier are not two modes.
 * (One normal sample of six in a hundred passes, one of ten in ten thousand.)
 * @values: positive, @count up to PAIRS_MAX; more are not looked at.
 * @ret_border: a value inside the gap; may be NULL.
 */
bool modes_are_two(const double *values, size_t count, double *ret_border);

/**
 * modes_spoil_pairs() - must a verdict wait for more pairs?
 * True below MODES_PAIRS_MIN pairs when a side has two modes, unless both sides have them and stand
 * in the same one in every pair: then the machine changed between pairs, which pairing takes out.
 */
bool modes_spoil_pairs(const struct pair *pairs, unsigned count);

#endif
