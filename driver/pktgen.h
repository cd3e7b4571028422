/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet generator and counter on the driver's own rings. */
#ifndef MODERATO_DRIVER_PKTGEN_H
#define MODERATO_DRIVER_PKTGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "driver/nic.h"

struct pktgen_options {
	bool transmit;	      /* false: only count received frames */
	uint32_t frame_bytes; /* with FCS, 64..1518 */
	double rate_pps;      /* 0: as fast as the ring takes */
	uint64_t count;	      /* 0: until stopped */
	uint32_t burst;	      /* frames queued per tail write, 1..64 */
	bool count_rx;	      /* received frames are counted and dropped, not given to the TAP */
};
struct pktgen_stats {
	uint64_t sent, received, ring_full, start_ns, end_ns;
	bool running;
};
struct pktgen;

int pktgen_start(struct nic *nic, const struct pktgen_options *options, uint64_t now_ns,
		 struct pktgen **ret_pktgen, struct error *err);
void pktgen_stop(struct pktgen *pktgen, uint64_t now_ns, struct pktgen_stats *ret_stats);
void pktgen_stats(const struct pktgen *pktgen, struct pktgen_stats *ret_stats);
/** pktgen_run() - queue what is due. Return: next deadline. */
uint64_t pktgen_run(struct pktgen *pktgen, uint64_t now_ns);
bool pktgen_counts_rx(const struct pktgen *pktgen);
/** pktgen_received() - @frames were received and dropped. */
void pktgen_received(struct pktgen *pktgen, unsigned frames);

#endif
