/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what somebody means to sweep before anything is measured: values that the chip cannot hold,
 * knobs that never act, settings that the chip cannot tell apart, hazards.
 */
#ifndef MODERATO_TUNER_LINT_LINT_H
#define MODERATO_TUNER_LINT_LINT_H

#include <jansson.h>

#include "common/chips/card.h"
#include "tuner/plan.h"

struct lint {
	const struct card *card;
	struct plan plan;
	json_t *findings; /* {line, severity, knob, text} */
	unsigned errors;
	struct settings named; /* knobs that were named, with the largest value asked */
	uint32_t varied;       /* bit per knob that was given several values */
};

/** lint_init() - for a chip at a link speed; lint_fini() frees.
 * Return: 0, or a usage error for a chip of another logic. */
int lint_init(struct lint *lint, const struct card *card, unsigned speed_mbps, bool msix_rx_timers,
	struct error *err);
void lint_fini(struct lint *lint);

/** lint_set() - a text of `moderato sweep --set`; what is wrong becomes a finding, the rest counts. */
void lint_set(struct lint *lint, unsigned line, const char *text);
/** lint_presets() - names as of `moderato sweep --preset`. */
void lint_presets(struct lint *lint, unsigned line, const char *names);
/** lint_finish() - findings about all settings together. */
void lint_finish(struct lint *lint);
/** lint_json() - {chip, settings, configurations, findings}; new reference, after lint_finish(). */
json_t *lint_json(const struct lint *lint);

/**
 * lint_file() - the lines of a sweep file
 * "chip NAME", "speed MBPS", "msix-rx-timers", "preset NAMES", "set TEXT" or a bare TEXT; "#" begins a
 * comment. The lines about the chip come first; @lint is initialised by them or by the caller, whose
 * card may be NULL.
 * Return: 0, or a usage error when no chip is named.
 */
int lint_file(struct lint *lint, const struct card *card, unsigned speed_mbps, const char *text,
	struct error *err);
/** lint_store() - the settings of the last sweep in a store. */
int lint_store(struct lint *lint, const char *path, struct error *err);

#endif
