/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP and UDP frames for tests, with checksums and segmentation of their own: written apart from
 * the program's code, byte by byte, so that the two check each other.
 */
#ifndef MODERATO_TESTS_LIB_FRAME_MAKE_H
#define MODERATO_TESTS_LIB_FRAME_MAKE_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_FIN 0x01
#define FRAME_PSH 0x08
#define FRAME_ACK 0x10

struct frame_spec {
	bool v6, udp;
	uint32_t payload;     /* bytes */
	unsigned tcp_options; /* bytes, a multiple of 4 */
	uint16_t ip_id;
	uint32_t seq;
	uint8_t flags;
	uint8_t to[6], from[6]; /* all zero: to 02:00:00:00:00:01 */
};

struct frame_layout {
	uint32_t l3, l4, payload, len; /* offsets, whole length */
	uint32_t l4_sum;	       /* offset of the TCP or UDP checksum */
};

/** frame_make() - a whole frame, lengths and checksums right, payload a pattern. */
struct frame_layout frame_make(uint8_t *frame, const struct frame_spec *spec);
/** frame_fix_sums() - IP and layer 4 checksums anew from what the frame holds. */
void frame_fix_sums(uint8_t *frame, const struct frame_layout *layout);
/** frame_pseudo_sum() - pseudo header sum, as it stands in a partial checksum field (big endian
 * value), with @l4_len in it. */
uint16_t frame_pseudo_sum(const uint8_t *frame, const struct frame_layout *layout, uint32_t l4_len);
/**
 * frame_segment() - segment @index of a TCP super-frame cut at @mss
 * Return: its layout; len 0 when there is no such segment.
 */
struct frame_layout frame_segment(const uint8_t *super, const struct frame_layout *layout,
	uint32_t mss, uint32_t index, uint8_t *segment);
/** frame_fcs() - Ethernet CRC by long division. */
uint32_t frame_fcs(const uint8_t *frame, uint32_t len);

#endif
