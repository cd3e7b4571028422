/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP frames made and cut up for tests, by code that shares nothing with the driver's: byte order
 * by hand, checksums byte by byte.
 */
#ifndef MODERATO_TESTS_LIB_TCP_STREAM_H
#define MODERATO_TESTS_LIB_TCP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#define TCP_FRAME_BYTES 9100

struct tcp_frame {
	uint32_t len;
	uint8_t data[TCP_FRAME_BYTES];
};

/* One direction of a TCP connection, and what its next frame will look like. */
struct tcp_stream {
	int version; /* of IP */
	bool vlan, no_df;
	uint16_t port, id, window;
	uint32_t seq, ack, ts_value;
	uint8_t flags, tos, ttl;
	bool timestamps; /* with the timestamps option */
	bool padded;	 /* to the 60 bytes of Ethernet */
};
extern const struct tcp_stream tcp_stream_plain;

/** tcp_stream_next() - the next frame, @payload bytes of noise in it, all checksums valid. */
void tcp_stream_next(struct tcp_stream *stream, uint32_t payload, struct tcp_frame *ret_frame);
/** tcp_frame_cut() - segment a super-frame as a NIC does, into @frames; returns how many. */
unsigned tcp_frame_cut(
	const uint8_t *super, uint32_t len, uint32_t segment_bytes, struct tcp_frame *frames);

uint32_t tcp_frame_l3(const uint8_t *frame);
uint32_t tcp_frame_l4(const uint8_t *frame);
/** tcp_frame_end() - where the packet ends by its IP header: padding comes after. */
uint32_t tcp_frame_end(const uint8_t *frame);
/** tcp_frame_pseudo_sum() - of the pseudo header, as a partial checksum has it; host order. */
uint32_t tcp_frame_pseudo_sum(const uint8_t *frame, uint32_t l4_len);
void tcp_frame_set_csum(uint8_t *frame, uint32_t len);
void ipv4_set_csum(uint8_t *ip);
/** naive_sum() - RFC 1071 by its definition, added to @sum; host order. */
uint32_t naive_sum(const uint8_t *p, uint32_t len, uint32_t sum);
void put16(uint8_t *p, unsigned value);
void put32(uint8_t *p, uint32_t value);
unsigned get16(const uint8_t *p);
uint32_t get32(const uint8_t *p);

#endif
