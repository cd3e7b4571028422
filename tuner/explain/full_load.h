/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts at full load, from the simulated chip's own moderation core in virtual time: frames of
 * one size back to back on the wire, and a host that answers every interrupt at once and takes
 * everything. No formula of its own: what this says is what the chip's logic does.
 */
#ifndef MODERATO_TUNER_EXPLAIN_FULL_LOAD_H
#define MODERATO_TUNER_EXPLAIN_FULL_LOAD_H

#include "common/chips/chip.h"

enum load_direction { LOAD_RX = 1, LOAD_TX = 2, LOAD_BOTH = 3 };

struct load_case {
	const struct chip *chip;
	struct settings settings; /* all of the chip's knobs */
	unsigned speed_mbps;
	unsigned frame_bytes; /* with header and FCS, without preamble and gap */
	enum load_direction direction;
	bool msix_rx_timers;
};

struct load_result {
	double frames_per_s;	 /* as the wire or the ring allows; of reception when both run */
	double interrupts_per_s; /* all vectors together */
	double frames_per_interrupt;
	double lost_per_s; /* received frames that found no descriptor */
};

/** full_load_frame_ns() - time of one frame on the wire, preamble and gap counted. */
double full_load_frame_ns(unsigned frame_bytes, unsigned speed_mbps);
/** full_load_known() - does the core model this chip's family? */
bool full_load_known(const struct chip *chip);
/** full_load_run() - a quarter of a second of load after a warm-up, in virtual time. */
void full_load_run(const struct load_case *load, struct load_result *ret_result);

#endif
