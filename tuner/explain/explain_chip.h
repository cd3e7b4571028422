/* SPDX-License-Identifier: BSD-2-Clause */
/* What a chip does with a set of knob values, as JSON and as text. */
#ifndef MODERATO_TUNER_EXPLAIN_EXPLAIN_CHIP_H
#define MODERATO_TUNER_EXPLAIN_EXPLAIN_CHIP_H

#include <jansson.h>

#include "common/chips/card.h"

#define EXPLAIN_FRAMES_MAX 8

struct explain_request {
	const struct card *card;
	struct settings asked; /* knobs that were named, KNOB_INTMODE if a mode was */
	char **words; /* the same as words "NAME=VALUE", for a chip of another logic; ends with NULL */
	unsigned speed_mbps;
	unsigned frames[EXPLAIN_FRAMES_MAX]; /* bytes with header and FCS */
	size_t frame_count;		     /* 0: 64, 1518 and the chip's largest */
	bool msix_rx_timers;
};

/**
 * explain_chip_json() - knobs (requested, effective, why dead), full load, hazards, candidates
 * Knobs not named have their initial values. A value that the chip cannot hold is a usage error.
 */
int explain_chip_json(const struct explain_request *request, json_t **ret_json, struct error *err);
/**
 * explain_other_json() - the same for a chip of another logic: igb's throttles, nForce's timer,
 * Broadcom's coalescing block, from request->words. Back-to-back frames and a host that answers at
 * once, in closed form.
 */
int explain_other_json(const struct explain_request *request, json_t **ret_json, struct error *err);
/** explain_chip_print() - that JSON for a person. */
void explain_chip_print(const json_t *json);

#endif
