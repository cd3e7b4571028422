/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtio-net header as a TAP gives and takes it (12 bytes, native byte order), and frame parsing
 * that both the bridge and the simulated peer need.
 */
#ifndef MODERATO_DRIVER_VNET_H
#define MODERATO_DRIVER_VNET_H

#include <stdbool.h>
#include <stdint.h>

struct vnet {
	uint8_t flags;
	uint8_t gso_type;
	uint16_t hdr_len; /* a hint; parse the headers instead */
	uint16_t gso_size;
	uint16_t csum_start;
	uint16_t csum_offset;
	uint16_t num_buffers;
};
_Static_assert(sizeof(struct vnet) == 12, "virtio_net_hdr_mrg_rxbuf is 12 bytes");

#define VNET_NEEDS_CSUM 1
#define VNET_GSO_NONE	0
#define VNET_GSO_TCPV4	1
#define VNET_GSO_TCPV6	4
#define VNET_GSO_ECN	0x80 /* ored into gso_type */

/* What the headers of a frame say; offsets from the start of the frame. */
struct frame_info {
	uint8_t ip_version; /* 4, 6, or 0: not IP */
	uint8_t l4_proto;   /* IPPROTO_TCP, IPPROTO_UDP, or 0: other, fragment, or cut short */
	uint16_t l3_offset;
	uint16_t l4_offset;
	uint16_t payload_offset; /* after the TCP or UDP header; l4_offset when l4_proto is 0 */
	uint32_t payload_len;	 /* as the IP header says, never beyond the frame */
	bool fragment;
};

/** frame_parse() - Ethernet (one optional VLAN tag), IPv4, IPv6 without extension headers, TCP, UDP.
 * Return: false when the frame is too short to be Ethernet; anything unknown gives zeros. */
bool frame_parse(const uint8_t *data, uint32_t len, struct frame_info *ret_info);

/** csum_partial() - ones-complement sum of @len bytes added to @sum; not folded. Any alignment. */
uint64_t csum_partial(const uint8_t *data, uint32_t len, uint64_t sum);
/** csum_fold() - fold to 16 bits, not inverted. */
uint16_t csum_fold(uint64_t sum);
/** csum_pseudo() - pseudo header sum (network order words) of a parsed frame for @l4_len bytes. */
uint64_t csum_pseudo(const uint8_t *data, const struct frame_info *info, uint32_t l4_len);

/** frame_csum_ok() - does the TCP or UDP checksum of a parsed frame hold? False for other frames and
 * for UDP without a checksum. */
bool frame_csum_ok(const uint8_t *data, const struct frame_info *info);

/**
 * vnet_complete_csum() - finish the checksum that VNET_NEEDS_CSUM leaves to the device, in place
 * Return: false when the offsets lie outside the frame.
 */
bool vnet_complete_csum(uint8_t *data, uint32_t len, const struct vnet *vnet);

/**
 * vnet_mark_verified() - tell the kernel that the chip verified this frame's TCP/UDP checksum
 * A TAP ignores DATA_VALID; it takes a partial checksum as good. Puts the pseudo-header sum into the
 * checksum field and fills @ret_vnet with NEEDS_CSUM. No-op (all zero @ret_vnet) for other frames.
 */
void vnet_mark_verified(uint8_t *data, uint32_t len, const struct frame_info *info,
			struct vnet *ret_vnet);

#endif
