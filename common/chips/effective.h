/* SPDX-License-Identifier: BSD-2-Clause */
/* What a chip does with a set of knob values: which act, which are dead and why, what is risky. */
#ifndef MODERATO_COMMON_CHIPS_EFFECTIVE_H
#define MODERATO_COMMON_CHIPS_EFFECTIVE_H

#include "common/chips/chip.h"

#define EFFECTIVE_WARNINGS_MAX 12

struct effective_knob {
	bool acts;	   /* false: the value has no effect here */
	uint64_t ns;	   /* for a time knob that acts: the interval at the current speed */
	const char *reason; /* why it does not act, "" when it acts */
};

struct effective {
	struct effective_knob knob[KNOB_COUNT];
	double rate_limit_per_s; /* upper bound on receive-or-transmit interrupts by ITR/EITR; 0: none */
	unsigned warning_count;
	char warning[EFFECTIVE_WARNINGS_MAX][200];
};

/**
 * effective_compute() - the effect of @settings (all knobs of @chip present)
 * @speed_mbps: link speed in force; ticks are scaled by chip_tick_scale()
 * @msix_rx_timers: whether RDTR and RADV act in MSI-X (not known for silicon; an option of the
 * simulated device)
 * Rules: hardware notes 2.4. Pure.
 */
void effective_compute(const struct chip *chip, const struct settings *settings, unsigned speed_mbps,
		       bool msix_rx_timers, struct effective *ret_effective);

/**
 * settings_canonical() - replace what the chip cannot tell apart by one representative
 * Knobs that do not act become 0 (TIDV and TADV in MSI-X, RADV without RDTR, ITR in MSI-X, EITRn
 * outside). Used by the planner, so that equal configurations are measured once.
 */
void settings_canonical(const struct chip *chip, const struct settings *settings,
			bool msix_rx_timers, struct settings *ret_canonical);

#endif
