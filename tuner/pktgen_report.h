/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run of `moderato pktgen` came to, as text and as JSON. */
#ifndef MODERATO_TUNER_PKTGEN_REPORT_H
#define MODERATO_TUNER_PKTGEN_REPORT_H

#include <stdbool.h>

#include "tuner/rates.h"

struct pktgen_sample {
	struct rates_sample counters;
	int64_t source_frames, sink_frames; /* simulated device */
};

/*
 * Totals are `after` minus `before`. Rates are `to` minus `from`, two instants at which everything
 * ran; a run that ended by a count has no such window, as it ends between two looks.
 */
struct pktgen_outcome {
	struct pktgen_sample before, from, to, after;
	int64_t frame_bytes;
	int64_t sent, received, ring_full;
	int64_t elapsed_ns; /* from the start to the last frame sent, or to the stop */
	bool transmit, source, simulated;
	bool counted; /* ended by its count */
	bool interrupted;
};

/** pktgen_sample_read() - from a result of `stats`. */
void pktgen_sample_read(const json_t *stats, struct pktgen_sample *ret_sample);
void pktgen_report_print(const struct pktgen_outcome *outcome);
/** pktgen_report_json() - new reference; `rates` is absent after a counted run. */
json_t *pktgen_report_json(const struct pktgen_outcome *outcome);

#endif
