/* SPDX-License-Identifier: BSD-2-Clause */
/* SplitMix64 and what a plan needs of it; libc's generators differ between versions. */
#include "tuner/random.h"

#include <sys/random.h>

#include "common/clock.h"

void random_init(struct random_source *source, uint64_t seed)
{
	source->state = seed;
}

uint64_t random_next(struct random_source *source)
{
	uint64_t z = source->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint32_t random_below(struct random_source *source, uint32_t bound)
{
	/* values above the last multiple of bound would favour small results */
	uint32_t limit = UINT32_MAX - UINT32_MAX % bound;
	uint32_t value;

	do {
		value = (uint32_t)(random_next(source) >> 32);
	} while (value >= limit);
	return value % bound;
}

double random_unit(struct random_source *source)
{
	return (double)(random_next(source) >> 11) * 0x1p-53;
}

void random_shuffle(struct random_source *source, unsigned *items, unsigned count)
{
	for (unsigned i = count; i > 1; i--) {
		unsigned j = random_below(source, i), swapped = items[i - 1];

		items[i - 1] = items[j];
		items[j] = swapped;
	}
}

uint64_t random_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint32_t)clock_read_ns(CLOCK_REALTIME);
	return seed & INT32_MAX;
}
