/* SPDX-License-Identifier: BSD-2-Clause */
/* Frame headers and Internet checksums, for the bridge and for the simulated peer. */
#include "driver/vnet.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

/* Offsets and sizes of RFC 791, 8200, 9293 and 768. */
#define IPV4_HEADER_MIN	    20
#define IPV4_TOTAL_LENGTH   2
#define IPV4_FRAGMENT	    6
#define IPV4_FRAGMENT_MASK  0x3fff /* "more fragments" and the offset */
#define IPV4_PROTOCOL	    9
#define IPV4_ADDRESSES	    12
#define IPV6_HEADER	    40
#define IPV6_PAYLOAD_LENGTH 4
#define IPV6_NEXT_HEADER    6
#define IPV6_ADDRESSES	    8
#define TCP_HEADER_MIN	    20
#define TCP_DATA_OFFSET	    12
#define TCP_CHECKSUM	    16
#define UDP_HEADER	    8
#define UDP_LENGTH	    4
#define UDP_CHECKSUM	    6
#define VLAN_TAG	    4

static uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* @l4_len: bytes after the IP header as that header says, all inside the frame. */
static void parse_l4(const uint8_t *data, uint8_t proto, uint32_t l4_len, struct frame_info *info)
{
	const uint8_t *l4 = data + info->l4_offset;
	uint32_t header;

	if (proto == IPPROTO_TCP) {
		if (l4_len < TCP_HEADER_MIN)
			return;
		header = (uint32_t)(l4[TCP_DATA_OFFSET] >> 4) * 4;
		if (header < TCP_HEADER_MIN || header > l4_len)
			return;
	} else if (proto == IPPROTO_UDP) {
		header = UDP_HEADER;
		if (l4_len < header)
			return;
	} else {
		return;
	}
	info->l4_proto = proto;
	info->payload_offset = (uint16_t)(info->l4_offset + header);
	info->payload_len = l4_len - header;
}

/* The part that IPv4 and IPv6 share, once the header length and the length it states are known. */
static void parse_ip_payload(const uint8_t *data, uint32_t len, uint8_t proto, uint32_t ip_payload,
	struct frame_info *info)
{
	uint32_t present = len - info->l4_offset;

	info->payload_offset = info->l4_offset;
	info->payload_len = ip_payload < present ? ip_payload : present;
	if (ip_payload <= present && !info->fragment)
		parse_l4(data, proto, ip_payload, info);
}

static void parse_ipv4(const uint8_t *data, uint32_t len, uint32_t l3, struct frame_info *info)
{
	const uint8_t *ip = data + l3;
	uint32_t header, total;

	if (len < l3 + IPV4_HEADER_MIN || ip[0] >> 4 != 4)
		return;
	header = (uint32_t)(ip[0] & 15) * 4;
	total = get_be16(ip + IPV4_TOTAL_LENGTH);
	if (header < IPV4_HEADER_MIN || len < l3 + header || total < header)
		return;
	info->ip_version = 4;
	info->l3_offset = (uint16_t)l3;
	info->l4_offset = (uint16_t)(l3 + header);
	info->fragment = (get_be16(ip + IPV4_FRAGMENT) & IPV4_FRAGMENT_MASK) != 0;
	parse_ip_payload(data, len, ip[IPV4_PROTOCOL], total - header, info);
}

static void parse_ipv6(const uint8_t *data, uint32_t len, uint32_t l3, struct frame_info *info)
{
	const uint8_t *ip = data + l3;

	if (len < l3 + IPV6_HEADER || ip[0] >> 4 != 6)
		return;
	info->ip_version = 6;
	info->l3_offset = (uint16_t)l3;
	info->l4_offset = (uint16_t)(l3 + IPV6_HEADER);
	info->fragment = ip[IPV6_NEXT_HEADER] == IPPROTO_FRAGMENT;
	parse_ip_payload(data, len, ip[IPV6_NEXT_HEADER], get_be16(ip + IPV6_PAYLOAD_LENGTH), info);
}

bool frame_parse(const uint8_t *data, uint32_t len, struct frame_info *ret_info)
{
	uint32_t l3 = ETH_HLEN;
	uint16_t type;

	memset(ret_info, 0, sizeof(*ret_info));
	if (len < ETH_HLEN)
		return false;
	type = get_be16(data + l3 - 2);
	if (type == ETH_P_8021Q && len >= l3 + VLAN_TAG) {
		l3 += VLAN_TAG;
		type = get_be16(data + l3 - 2);
	}
	if (type == ETH_P_IP)
		parse_ipv4(data, len, l3, ret_info);
	else if (type == ETH_P_IPV6)
		parse_ipv6(data, len, l3, ret_info);
	return true;
}

static uint32_t load32(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The last 0 to 3 bytes; a missing byte of the last 16-bit word counts as zero (RFC 1071). */
static uint32_t load_tail(const uint8_t *p, uint32_t len)
{
	uint32_t word = 0;

	memcpy(&word, p, len);
	return word;
}

/*
 * Words are added in host order: a ones-complement sum comes out byte-swapped on a little-endian
 * machine, and storing it in host order swaps it back (RFC 1071, 2(B)). 32-bit words in 64-bit
 * accumulators cannot overflow within a frame, so that no carry chain slows the loop.
 */
uint64_t csum_partial(const uint8_t *data, uint32_t len, uint64_t sum)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (; len >= 16; len -= 16, data += 16) {
		a += load32(data);
		b += load32(data + 4);
		c += load32(data + 8);
		d += load32(data + 12);
	}
	for (; len >= 4; len -= 4, data += 4)
		a += load32(data);
	a += load_tail(data, len) + b + c + d;
	sum += a;
	return sum + (sum < a);
}

uint16_t csum_fold(uint64_t sum)
{
	sum = (sum >> 32) + (sum & UINT32_MAX);
	sum = (sum >> 32) + (sum & UINT32_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	return (uint16_t)sum;
}

uint64_t csum_pseudo(const uint8_t *data, const struct frame_info *info, uint32_t l4_len)
{
	const uint8_t *ip = data + info->l3_offset;
	uint64_t sum = (uint64_t)htonl(l4_len) + htonl(info->l4_proto);

	if (info->ip_version == 4)
		return csum_partial(ip + IPV4_ADDRESSES, 8, sum);
	return csum_partial(ip + IPV6_ADDRESSES, 32, sum);
}

static uint32_t l4_length(const struct frame_info *info)
{
	return info->payload_offset - info->l4_offset + info->payload_len;
}

/* Where a frame has its checksum, from the start of the TCP or UDP header; 0: it has none. */
static uint16_t csum_field_offset(
	const uint8_t *data, const struct frame_info *info, uint32_t l4_len)
{
	const uint8_t *l4 = data + info->l4_offset;

	if (info->l4_proto == IPPROTO_TCP)
		return TCP_CHECKSUM;
	if (info->l4_proto != IPPROTO_UDP || get_be16(l4 + UDP_LENGTH) != l4_len)
		return 0;
	return get_be16(l4 + UDP_CHECKSUM) ? UDP_CHECKSUM : 0;
}

bool frame_csum_ok(const uint8_t *data, const struct frame_info *info)
{
	uint32_t l4_len = l4_length(info);
	uint64_t sum;

	if (!csum_field_offset(data, info, l4_len))
		return false;
	sum = csum_pseudo(data, info, l4_len);
	return csum_fold(csum_partial(data + info->l4_offset, l4_len, sum)) == UINT16_MAX;
}

bool vnet_complete_csum(uint8_t *data, uint32_t len, const struct vnet *vnet)
{
	uint32_t start = vnet->csum_start, field = start + vnet->csum_offset;
	uint16_t sum;

	if (!(vnet->flags & VNET_NEEDS_CSUM))
		return true;
	if (field + sizeof(sum) > len)
		return false;
	sum = (uint16_t)~csum_fold(csum_partial(data + start, len - start, 0));
	/* 0 would mean "no checksum" in UDP; the two zeros are equal to everybody else. */
	if (sum == 0)
		sum = UINT16_MAX;
	memcpy(data + field, &sum, sizeof(sum));
	return true;
}

void vnet_mark_verified(
	uint8_t *data, uint32_t len, const struct frame_info *info, struct vnet *ret_vnet)
{
	uint32_t l4_len = l4_length(info);
	uint16_t offset = 0, sum;

	memset(ret_vnet, 0, sizeof(*ret_vnet));
	if (info->l4_proto && info->l4_offset + l4_len <= len)
		offset = csum_field_offset(data, info, l4_len);
	if (!offset)
		return;
	sum = csum_fold(csum_pseudo(data, info, l4_len));
	memcpy(data + info->l4_offset + offset, &sum, sizeof(sum));
	ret_vnet->flags = VNET_NEEDS_CSUM;
	ret_vnet->hdr_len = info->payload_offset;
	ret_vnet->csum_start = info->l4_offset;
	ret_vnet->csum_offset = offset;
}
