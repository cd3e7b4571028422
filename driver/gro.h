/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Software receive offload: consecutive TCP segments of a flow become one super-frame for the TAP.
 * Frames are referenced, not copied, until they are flushed: the caller keeps their memory unchanged
 * (headers of the first frame of a flow are rewritten in place) until gro_flush() returns.
 */
#ifndef MODERATO_DRIVER_GRO_H
#define MODERATO_DRIVER_GRO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "driver/vnet.h"

#define GRO_FLOWS    8
#define GRO_SEGMENTS 48 /* per flow */

/* Writes one frame (iov[0] is the vnet header) to a TAP; returns 0 or a negative error. */
typedef int (*gro_output)(void *ctx, const struct iovec *iov, int count);

struct gro_flow {
	bool used;
	uint32_t next_seq;
	uint32_t segment_bytes; /* gso_size: payload of the first segment */
	uint32_t total;		/* frame bytes so far, headers once */
	struct frame_info info; /* of the first segment */
	unsigned iov_count;	/* iov[0] is left for the vnet header */
	uint64_t order;		/* age, oldest is flushed first */
	struct iovec iov[GRO_SEGMENTS + 1];
};

struct gro {
	gro_output output;
	void *ctx;
	uint64_t next_order;
	unsigned flows_used;
	uint64_t merged;	/* frames appended to an earlier one */
	uint64_t passed;	/* frames given out alone */
	uint64_t output_errors; /* frames lost because the output failed */
	struct gro_flow flow[GRO_FLOWS];
};

void gro_init(struct gro *gro, gro_output output, void *ctx);

/**
 * gro_receive() - one frame in wire order
 * @csum_ok: the chip verified the TCP/UDP checksum; only such TCP frames with payload and without
 * SYN, FIN, RST, URG, equal header bytes (acknowledgement number may grow, PSH may be set) merge.
 * Frames of one flow are never reordered: anything that does not merge flushes its flow first.
 */
void gro_receive(struct gro *gro, uint8_t *data, uint32_t len, bool csum_ok);

/** gro_flush() - give everything out, oldest flow first. */
void gro_flush(struct gro *gro);

#endif
