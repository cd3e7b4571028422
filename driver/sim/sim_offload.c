/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP segmentation headers, Internet checksums by offset, and the Ethernet CRC. */
#include "driver/sim/sim_offload.h"

#include <arpa/inet.h>
#include <string.h>

#include "driver/vnet.h"

/* Field offsets of RFC 791, 8200 and 9293. */
#define IPV4_LENGTH  2
#define IPV4_ID	     4
#define IPV6_LENGTH  4
#define IPV6_HEADER  40
#define TCP_SEQUENCE 4
#define TCP_FLAGS    13
#define TCP_MIN	     20
#define TCP_FIN	     0x01
#define TCP_PSH	     0x08

#define CRC_POLYNOMIAL 0xedb88320u /* IEEE 802.3, reflected */

static void put16(uint8_t *p, uint32_t value)
{
	uint16_t be = htons((uint16_t)value);

	memcpy(p, &be, sizeof(be));
}

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void add32(uint8_t *p, uint32_t add)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	value = htonl(ntohl(value) + add);
	memcpy(p, &value, sizeof(value));
}

bool sim_offload_valid(const struct sim_offload *o)
{
	uint32_t ip_header = o->ipv4 ? 20 : IPV6_HEADER;

	return o->tcp && o->mss && o->ip_start + ip_header <= o->l4_start &&
	       o->l4_start + TCP_MIN <= o->header_bytes && o->l4_sum + 2 <= o->header_bytes &&
	       (!o->ipv4 || o->ip_sum + 2 <= o->header_bytes);
}

bool sim_offload_sum(uint8_t *frame, uint32_t len, uint32_t start, uint32_t end, uint32_t at,
	uint32_t add, bool zero_is_ones)
{
	uint32_t stop = end ? end + 1 : len;
	uint16_t sum;

	if (stop > len || start >= stop || at + 2 > len)
		return false;
	sum = (uint16_t)~csum_fold(csum_partial(frame + start, stop - start, htons((uint16_t)add)));
	if (!sum && zero_is_ones)
		sum = 0xffff;
	memcpy(frame + at, &sum, sizeof(sum));
	return true;
}

void sim_offload_segment(const struct sim_offload *o, uint8_t *frame, uint32_t len, uint32_t index,
	uint32_t offset, bool last)
{
	uint8_t *ip = frame + o->ip_start, *tcp = frame + o->l4_start;

	if (o->ipv4) {
		put16(ip + IPV4_LENGTH, len - o->ip_start);
		put16(ip + IPV4_ID, get16(ip + IPV4_ID) + index);
		(void)sim_offload_sum(frame, len, o->ip_start, o->ip_end, o->ip_sum, 0, false);
	} else {
		put16(ip + IPV6_LENGTH, len - o->ip_start - IPV6_HEADER);
	}
	add32(tcp + TCP_SEQUENCE, offset);
	if (!last)
		tcp[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
	(void)sim_offload_sum(
		frame, len, o->l4_start, o->l4_end, o->l4_sum, len - o->l4_start, false);
}

uint32_t sim_crc32(const uint8_t *data, uint32_t len)
{
	uint32_t crc = ~0u;

	for (uint32_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	}
	return ~crc;
}
