/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames, checksums and segments for tests, independent of the program's own code. */
#include "tests/lib/frame_make.h"

#include <string.h>

static void put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8 & 0xff);
	p[1] = (uint8_t)(value & 0xff);
}

static uint32_t get16(const uint8_t *p)
{
	return (uint32_t)p[0] * 256 + p[1];
}

static void put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value & 0xffff);
}

static uint32_t sum_words(const uint8_t *p, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i += 2) {
		sum += (uint32_t)p[i] * 256 + (i + 1 < len ? p[i + 1] : 0);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static bool is_v6(const uint8_t *frame, const struct frame_layout *layout)
{
	return frame[layout->l3] >> 4 == 6;
}

static uint8_t protocol(const uint8_t *frame, const struct frame_layout *layout)
{
	return frame[layout->l3 + (is_v6(frame, layout) ? 6 : 9)];
}

uint16_t frame_pseudo_sum(const uint8_t *frame, const struct frame_layout *layout, uint32_t l4_len)
{
	bool v6 = is_v6(frame, layout);
	uint32_t sum = sum_words(frame + layout->l3 + (v6 ? 8 : 12), v6 ? 32 : 8, 0);
	uint8_t tail[4] = {0, protocol(frame, layout), (uint8_t)(l4_len >> 8), (uint8_t)l4_len};

	return (uint16_t)sum_words(tail, 4, sum);
}

void frame_fix_sums(uint8_t *frame, const struct frame_layout *layout)
{
	uint32_t l4_len = layout->len - layout->l4, sum;
	uint8_t *ip = frame + layout->l3;

	if (!is_v6(frame, layout)) {
		put16(ip + 10, 0);
		put16(ip + 10, ~sum_words(ip, layout->l4 - layout->l3, 0) & 0xffff);
	}
	put16(frame + layout->l4_sum, 0);
	sum = sum_words(frame + layout->l4, l4_len, frame_pseudo_sum(frame, layout, l4_len));
	sum = ~sum & 0xffff;
	if (!sum && protocol(frame, layout) == 17)
		sum = 0xffff;
	put16(frame + layout->l4_sum, sum);
}

static void make_ip(uint8_t *ip, const struct frame_spec *spec, uint32_t l4_len)
{
	if (spec->v6) {
		ip[0] = 0x60;
		put16(ip + 4, l4_len);
		ip[6] = spec->udp ? 17 : 6;
		ip[7] = 64;
		for (unsigned i = 8; i < 40; i++)
			ip[i] = (uint8_t)(i * 5);
		return;
	}
	ip[0] = 0x45;
	put16(ip + 2, 20 + l4_len);
	put16(ip + 4, spec->ip_id);
	put16(ip + 6, 0x4000);
	ip[8] = 64;
	ip[9] = spec->udp ? 17 : 6;
	put32(ip + 12, 0xc6336401); /* 198.51.100.1 [RFC 5737] */
	put32(ip + 16, 0xc6336402);
}

static void make_l4(uint8_t *l4, const struct frame_spec *spec, uint32_t l4_len)
{
	put16(l4, 40000);
	put16(l4 + 2, 5201);
	if (spec->udp) {
		put16(l4 + 4, l4_len);
		return;
	}
	put32(l4 + 4, spec->seq);
	put32(l4 + 8, 0x01020304);
	l4[12] = (uint8_t)((20 + spec->tcp_options) / 4 << 4);
	l4[13] = spec->flags;
	put16(l4 + 14, 501);
	memset(l4 + 20, 1, spec->tcp_options); /* no-operation options */
}

struct frame_layout frame_make(uint8_t *frame, const struct frame_spec *spec)
{
	static const uint8_t nobody[6], chip[6] = {2, 0, 0, 0, 0, 1};
	struct frame_layout layout = {.l3 = 14};
	uint32_t l4_header = spec->udp ? 8 : 20 + spec->tcp_options;

	layout.l4 = layout.l3 + (spec->v6 ? 40 : 20);
	layout.payload = layout.l4 + l4_header;
	layout.len = layout.payload + spec->payload;
	layout.l4_sum = layout.l4 + (spec->udp ? 6 : 16);
	memset(frame, 0, layout.payload);
	memcpy(frame, memcmp(spec->to, nobody, 6) ? spec->to : chip, 6);
	memcpy(frame + 6, spec->from, 6);
	put16(frame + 12, spec->v6 ? 0x86dd : 0x0800);
	make_ip(frame + layout.l3, spec, layout.len - layout.l4);
	make_l4(frame + layout.l4, spec, layout.len - layout.l4);
	for (uint32_t i = 0; i < spec->payload; i++)
		frame[layout.payload + i] = (uint8_t)(i * 31 + i / 251 + spec->seq);
	frame_fix_sums(frame, &layout);
	return layout;
}

struct frame_layout frame_segment(const uint8_t *super, const struct frame_layout *layout,
	uint32_t mss, uint32_t index, uint8_t *segment)
{
	uint32_t payload = layout->len - layout->payload, from = index * mss;
	struct frame_layout result = *layout;
	uint32_t take, seq;

	result.len = 0;
	if (from >= payload)
		return result;
	take = payload - from < mss ? payload - from : mss;
	memcpy(segment, super, layout->payload);
	memcpy(segment + layout->payload, super + layout->payload + from, take);
	result.len = layout->payload + take;
	if (is_v6(super, layout)) {
		put16(segment + layout->l3 + 4, result.len - layout->l4);
	} else {
		put16(segment + layout->l3 + 2, result.len - layout->l3);
		put16(segment + layout->l3 + 4, get16(super + layout->l3 + 4) + index);
	}
	seq = get16(super + layout->l4 + 4) << 16 | get16(super + layout->l4 + 6);
	put32(segment + layout->l4 + 4, seq + from);
	if (from + take < payload)
		segment[layout->l4 + 13] &= 0xf6; /* neither FIN nor PSH */
	frame_fix_sums(segment, &result);
	return result;
}

uint32_t frame_fcs(const uint8_t *frame, uint32_t len)
{
	uint32_t crc = 0xffffffff;

	for (uint32_t i = 0; i < len * 8; i++) {
		uint32_t bit = (frame[i / 8] >> (i % 8) & 1) ^ (crc & 1);

		crc >>= 1;
		if (bit)
			crc ^= 0xedb88320;
	}
	return ~crc;
}
