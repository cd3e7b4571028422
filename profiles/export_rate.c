/* SPDX-License-Identifier: BSD-2-Clause */
/* Throttle intervals as Linux's e1000 and e1000e take them: microseconds and interrupts a second.
 */
#include "profiles/export_private.h"

#include "common/util.h"
#include "profiles/driver_param.h"

#define ITR_UNIT_NS  256
#define USECS_MIN    10 /* least rx-usecs that is a time [Linux e1000 and e1000e ethtool sources] */
#define RATE_MIN     100 /* InterruptThrottleRate [Linux e1000_param.c, e1000e param.c] */
#define RATE_MAX     100000
#define RATE_CONTROL 3u /* low bits of the stored rate are modes: only multiples of 4 are kept */

uint32_t export_rate_to_itr(uint32_t rate_per_s)
{
	return rate_per_s ? 1000000000u / (rate_per_s * ITR_UNIT_NS) : 0;
}

/* e1000 and e1000e take the same values. */
static enum param_verdict usecs_verdict(uint32_t usecs)
{
	struct param_effect effect;

	driver_param_effect("e1000e", PLACE_ETHTOOL, "rx-usecs", usecs, &effect);
	return effect.verdict;
}

bool export_usecs_refused(uint32_t usecs)
{
	return usecs_verdict(usecs) == VERDICT_REFUSED;
}

bool export_usecs_is_mode(uint32_t usecs)
{
	return usecs_verdict(usecs) == VERDICT_MODE;
}

static uint32_t usecs_to_itr(uint32_t usecs)
{
	return export_rate_to_itr(1000000 / usecs);
}

static uint32_t difference(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

bool export_itr_to_usecs(uint32_t itr, uint32_t *ret_usecs)
{
	uint32_t ns = itr * ITR_UNIT_NS;
	uint32_t nearest = MIN(MAX((ns + 500) / 1000, USECS_MIN), USECS_MAX);

	*ret_usecs = itr ? nearest : 0;
	if (!itr)
		return true;
	/* The driver goes by way of a whole rate, so a neighbour may come back closer. */
	for (uint32_t u = MAX(nearest - 1, USECS_MIN); u <= MIN(nearest + 1, USECS_MAX); u++) {
		if (difference(usecs_to_itr(u), itr) < difference(usecs_to_itr(*ret_usecs), itr))
			*ret_usecs = u;
	}
	return ns >= USECS_MIN * 1000 - 500 && ns <= USECS_MAX * 1000 + 500;
}

bool export_itr_to_rate(uint32_t itr, uint32_t *ret_rate)
{
	uint32_t exact, low, high;

	*ret_rate = 0;
	if (!itr)
		return true;
	exact = 1000000000u / (itr * ITR_UNIT_NS);
	low = MIN(MAX(exact & ~RATE_CONTROL, RATE_MIN), RATE_MAX);
	high = MIN(low + RATE_CONTROL + 1, RATE_MAX);
	*ret_rate =
		difference(export_rate_to_itr(high), itr) < difference(export_rate_to_itr(low), itr)
			? high
			: low;
	return itr >= export_rate_to_itr(RATE_MAX) && itr <= export_rate_to_itr(RATE_MIN);
}
