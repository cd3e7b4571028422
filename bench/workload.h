/* SPDX-License-Identifier: BSD-2-Clause */
/* What one trial sends: kind, direction, buffer size and the rest, with a text form. */
#ifndef MODERATO_BENCH_WORKLOAD_H
#define MODERATO_BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum workload_kind { WORKLOAD_TCP, WORKLOAD_UDP, WORKLOAD_RR };
/* Seen from the NIC under test: TX leaves it, RX arrives at it. */
enum workload_dir { WORKLOAD_TX, WORKLOAD_RX, WORKLOAD_BIDIR };

#define WORKLOAD_TCP_BUFFER_MAX (1024u * 1024)
#define WORKLOAD_UDP_BUFFER_MIN 16u /* libiperf's header in each datagram */
#define WORKLOAD_UDP_BUFFER_MAX 65507u
#define WORKLOAD_RR_BUFFER_MIN	16u /* our own header */
#define WORKLOAD_RR_BUFFER_MAX	1472u
#define WORKLOAD_WINDOW_MAX	(512u * 1024 * 1024)
#define WORKLOAD_STREAMS_MAX	128u
#define WORKLOAD_SECONDS_MAX	3600u
#define WORKLOAD_PACING_MAX_US	100000u

#define WORKLOAD_TEXT_MAX 128

struct workload {
	enum workload_kind kind;
	enum workload_dir dir; /* TX for RR */
	uint32_t buffer_bytes; /* of each write or datagram; RR: of the request and of the reply */
	uint32_t window_bytes; /* socket buffers asked for on both ends, 0 = the kernel's default */
	uint64_t rate_bps;     /* payload, all streams together; 0 = unlimited (TCP only) */
	uint32_t streams;      /* 1.. */
	uint32_t seconds;      /* of traffic, the settling time included */
	uint32_t pacing_us;    /* libiperf's pacing timer of a rate-limited sender */
	uint32_t samples;      /* RR: stop after so many round trips, 0 = by time alone */
};

/** workload_default() - TCP, tx, 128 KiB, one stream, one second. */
void workload_default(struct workload *ret_workload);

/**
 * workload_parse() - from text
 *
 *   tcp:tx:128k   tcp:bidir:4k/window=64k/streams=4   udp:rx:1k@100M   rr:64/samples=10000
 *
 * Sizes take k, M (1024); rates take k, M, G (1000). Options after "/", in any order: window=SIZE,
 * streams=N, seconds=N, pacing=USECS, samples=N.
 * Return: 0, or a usage error that names the part and what it may be. UDP without a rate and sizes
 * that the protocol cannot carry are refused here. @ret_workload is written on success only.
 */
int workload_parse(const char *text, struct workload *ret_workload, struct error *err);
/** workload_check() - limits of a workload that was filled in by hand. */
int workload_check(const struct workload *workload, struct error *err);
/** workload_format() - text that parses to the same workload; defaults are left out. Returns @buf.
 */
char *workload_format(const struct workload *workload, char *buf, unsigned long size);
/** workload_cell_name() - short, for a table: "128k tx", "udp 1k rx @100M", "rr 64". Returns @buf.
 */
char *workload_cell_name(const struct workload *workload, char *buf, unsigned long size);
/** workload_format_bytes() - "32", "4k", "128k", "1M". Returns @buf. */
char *workload_format_bytes(uint64_t bytes, char *buf, unsigned long size);
bool workload_equal(const struct workload *a, const struct workload *b);

/** workload_fragmented() - a datagram of this size does not fit one frame at @mtu. */
bool workload_fragmented(const struct workload *workload, unsigned mtu);
/**
 * workload_wire_limit_mbps() - most payload one direction can carry
 * @speed_mbps: link speed; preamble, gap, FCS and headers are counted (941.5 for TCP at 1000 and
 * MTU 1500: 1448 of 1538 bytes, TCP time stamps on). 0 when @speed_mbps is 0.
 */
double workload_wire_limit_mbps(const struct workload *workload, unsigned speed_mbps, unsigned mtu);

#endif
