/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmentation and checksum arithmetic of a NIC; the chip's transmitter and the peer's use it. */
#ifndef MODERATO_DRIVER_SIM_SIM_OFFLOAD_H
#define MODERATO_DRIVER_SIM_SIM_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a TCP/IP context descriptor says [SDM-8254x 3.3.6]. Offsets from the start of the frame; an
 * end is the last byte summed, 0: to the end of the frame. When segmenting, the TCP checksum field
 * holds the pseudo header's sum without the length, which the chip adds, and IPv4 checksum and
 * length are overwritten (the former is summed in: software clears it).
 */
struct sim_offload {
	uint16_t ip_start, ip_sum, ip_end; /* IPCSS, IPCSO, IPCSE */
	uint16_t l4_start, l4_sum, l4_end; /* TUCSS, TUCSO, TUCSE */
	bool ipv4, tcp;
	uint32_t payload_bytes; /* PAYLEN */
	uint16_t header_bytes;	/* HDRLEN */
	uint16_t mss;
};

/** sim_offload_valid() - do header fields that segmentation changes lie inside the header? */
bool sim_offload_valid(const struct sim_offload *offload);
/** sim_offload_segment() - fit the headers of segment number @index, whose payload starts @offset
 * bytes into the whole, to a frame of @len bytes; PSH and FIN stay on the last only. */
void sim_offload_segment(const struct sim_offload *offload, uint8_t *frame, uint32_t len,
	uint32_t index, uint32_t offset, bool last);
/** sim_offload_sum() - ones-complement sum of [@start, @end] put at @at; false: outside the frame.
 * @add: network-order words added to the sum. @zero_is_ones: UDP writes 0xffff for 0. */
bool sim_offload_sum(uint8_t *frame, uint32_t len, uint32_t start, uint32_t end, uint32_t at,
	uint32_t add, bool zero_is_ones);
/** sim_crc32() - Ethernet frame check sequence; stored little endian after the frame. */
uint32_t sim_crc32(const uint8_t *data, uint32_t len);

#endif
