/* SPDX-License-Identifier: BSD-2-Clause */
/* Repeatable random numbers for plans: the same seed gives the same order everywhere. */
#ifndef MODERATO_TUNER_RANDOM_H
#define MODERATO_TUNER_RANDOM_H

#include <stdint.h>

struct random_source {
	uint64_t state;
};

/** random_init() - start the sequence of @seed; any value will do. */
void random_init(struct random_source *source, uint64_t seed);
/** random_next() - the next 64 bits (SplitMix64). */
uint64_t random_next(struct random_source *source);
/** random_below() - uniform in 0..@bound-1, without bias; @bound above 0. */
uint32_t random_below(struct random_source *source, uint32_t bound);
/** random_unit() - uniform in [0, 1). */
double random_unit(struct random_source *source);
/** random_shuffle() - Fisher-Yates over @count indices. */
void random_shuffle(struct random_source *source, unsigned *items, unsigned count);
/** random_seed() - a seed from the kernel, for runs that were given none; below 2^31, to be typed. */
uint64_t random_seed(void);

#endif
