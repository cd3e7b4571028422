/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings worth measuring next, from what the chip makes of the present ones. */
#ifndef MODERATO_TUNER_EXPLAIN_CANDIDATES_H
#define MODERATO_TUNER_EXPLAIN_CANDIDATES_H

#include "common/chips/chip.h"

#define CANDIDATES_MAX 12

struct candidate {
	struct settings change; /* the knobs that differ from the present settings */
	char why[160];
	const char *hazard; /* "" or a sentence that must stand beside it */
};

/**
 * candidates_make() - what to measure next
 * @settings: all of the chip's knobs. Never one that the chip cannot hold, or cannot tell from the
 * present settings or from an earlier candidate; one that raises RDTR above 0 carries its hazard.
 * Return: how many.
 */
size_t candidates_make(const struct chip *chip, const struct settings *settings,
	unsigned speed_mbps, bool msix_rx_timers, struct candidate ret[CANDIDATES_MAX]);

#endif
