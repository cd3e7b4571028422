/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates from two samples of a daemon's cumulative counters. */
#ifndef MODERATO_TUNER_RATES_H
#define MODERATO_TUNER_RATES_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define RATES_VECTORS 5
#define RATES_BUCKETS 12 /* frames per receive interrupt: 0, 1, 2-3, 4-7, ... */

/* The counters that rates are made of, as `stats` gave them. */
struct rates_sample {
	uint64_t time_ns; /* the daemon's CLOCK_MONOTONIC */
	uint64_t irq[RATES_VECTORS], irq_messages, irq_cause_rx;
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;
	uint64_t missed;  /* by the chip, for want of descriptors */
	uint64_t dropped; /* by driver, TAP or its queue */
	uint64_t driver_cpu_ns, device_cpu_ns;
	uint64_t batch[RATES_BUCKETS];
};

struct rates {
	double seconds;
	double irq_per_s[RATES_VECTORS], irq_total_per_s;
	double rx_frames_per_s, tx_frames_per_s;
	double rx_mbit_per_s, tx_mbit_per_s; /* frame bytes without FCS */
	double rx_frames_per_irq;	     /* frames by services with a receive cause; 0: none */
	double missed_per_s, dropped_per_s;
	double driver_cpu, device_cpu; /* 1.0 = one CPU, all the time */
	uint64_t batch[RATES_BUCKETS];
};

/** rates_sample_read() - from a result of `stats`; what it lacks counts as 0. */
void rates_sample_read(const json_t *stats, struct rates_sample *ret_sample);
/** rates_between() - @from is the earlier one; all 0 when no time passed. */
void rates_between(
	const struct rates_sample *from, const struct rates_sample *to, struct rates *ret_rates);
/** rates_bucket_name() - "0", "1", "2-3", ..., "1024+"; returns @buf. */
char *rates_bucket_name(unsigned bucket, char *buf, size_t size);
/** rates_json() - every member by its name; new reference. */
json_t *rates_json(const struct rates *rates);

/** rates_print_heading() / rates_print_line() - one fixed-width line per interval. */
void rates_print_heading(FILE *out);
void rates_print_line(FILE *out, const struct rates *rates);

#endif
