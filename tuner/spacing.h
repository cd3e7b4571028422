/* SPDX-License-Identifier: BSD-2-Clause */
/* Which knob spaces the interrupts of a direction, and whether two settings come to the same. */
#ifndef MODERATO_TUNER_SPACING_H
#define MODERATO_TUNER_SPACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/plan.h"

/* An interrupt needs its timer to have run out and the throttle window to be over: the slower rules. */
struct spacing {
	uint64_t ns;	     /* least distance of interrupts under load, 0: nothing holds them back */
	uint32_t knobs;	     /* bits of the knobs that set it; both when they are equal */
};

/** spacing_compute() - of complete @settings on @device. */
void spacing_compute(const struct plan_device *device, const struct settings *settings,
		     struct spacing *ret_rx, struct spacing *ret_tx);

/**
 * spacing_explain_same() - do two different settings space their interrupts alike (within 2 %)?
 * @buf: then gets a sentence that names intervals and knobs.
 */
bool spacing_explain_same(const struct plan_device *device, const struct settings *a,
			  const struct settings *b, char *buf, size_t size);

#endif
