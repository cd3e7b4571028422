/* SPDX-License-Identifier: BSD-2-Clause */
/* Building and segmenting of TCP frames for tests. */
#include "tests/lib/tcp_stream.h"

#include <stdlib.h>
#include <string.h>

const struct tcp_stream tcp_stream_plain = {.version = 4,
	.port = 1,
	.id = 65530,
	.window = 500,
	.seq = UINT32_MAX - 3000,
	.ack = 77,
	.flags = 0x10,
	.ttl = 64,
	.timestamps = true};

void put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

void put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value & 0xffff);
}

unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

uint32_t naive_sum(const uint8_t *p, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

uint32_t tcp_frame_l3(const uint8_t *f)
{
	return get16(f + 12) == 0x8100 ? 18 : 14;
}

uint32_t tcp_frame_l4(const uint8_t *f)
{
	return tcp_frame_l3(f) + (f[tcp_frame_l3(f)] >> 4 == 4 ? 20 : 40);
}

void ipv4_set_csum(uint8_t *ip)
{
	put16(ip + 10, 0);
	put16(ip + 10, ~naive_sum(ip, 20, 0) & 0xffff);
}

uint32_t tcp_frame_pseudo_sum(const uint8_t *f, uint32_t l4_len)
{
	const uint8_t *ip = f + tcp_frame_l3(f);

	if (ip[0] >> 4 == 4)
		return naive_sum(ip + 12, 8, 6 + l4_len);
	return naive_sum(ip + 8, 32, 6 + l4_len);
}

void tcp_frame_set_csum(uint8_t *f, uint32_t len)
{
	uint32_t l4 = tcp_frame_l4(f);

	put16(f + l4 + 16, 0);
	put16(f + l4 + 16,
		~naive_sum(f + l4, len - l4, tcp_frame_pseudo_sum(f, len - l4)) & 0xffff);
}

static uint32_t put_ip(uint8_t *f, struct tcp_stream *s, uint32_t l4_len)
{
	uint32_t l3 = s->vlan ? 18 : 14;

	memset(f, 0x22, 14);
	if (s->vlan)
		put32(f + 12, 0x81000007);
	put16(f + l3 - 2, s->version == 4 ? 0x0800 : 0x86dd);
	memset(f + l3, 0, 40);
	if (s->version == 4) {
		f[l3] = 0x45;
		f[l3 + 1] = s->tos;
		put16(f + l3 + 2, 20 + l4_len);
		put16(f + l3 + 4, s->id++);
		put16(f + l3 + 6, s->no_df ? 0 : 0x4000);
		f[l3 + 8] = s->ttl;
		f[l3 + 9] = 6;
		put32(f + l3 + 12, 0xc6120001);
		put32(f + l3 + 16, 0xc6120002);
		ipv4_set_csum(f + l3);
		return l3 + 20;
	}
	put32(f + l3, 0x60000000 | (uint32_t)s->tos << 20);
	put16(f + l3 + 4, l4_len);
	f[l3 + 6] = 6;
	f[l3 + 7] = s->ttl;
	f[l3 + 8] = f[l3 + 24] = 0xfd;
	f[l3 + 39] = 2;
	return l3 + 40;
}

uint32_t tcp_frame_end(const uint8_t *f)
{
	uint32_t l3 = tcp_frame_l3(f);

	return f[l3] >> 4 == 4 ? l3 + get16(f + l3 + 2) : l3 + 40 + get16(f + l3 + 4);
}

void tcp_stream_next(struct tcp_stream *s, uint32_t payload, struct tcp_frame *frame)
{
	uint32_t header = s->timestamps ? 32 : 20, l4 = put_ip(frame->data, s, header + payload);
	uint8_t *tcp = frame->data + l4;

	memset(tcp, 0, header);
	put16(tcp, s->port);
	put16(tcp + 2, 5201);
	put32(tcp + 4, s->seq);
	put32(tcp + 8, s->ack);
	tcp[12] = (uint8_t)(header / 4 << 4);
	tcp[13] = s->flags;
	put16(tcp + 14, s->window);
	if (s->timestamps) {
		put32(tcp + 20, 0x0101080a);
		put32(tcp + 24, s->ts_value);
	}
	for (uint32_t i = 0; i < payload; i++)
		tcp[header + i] = (uint8_t)(random() >> 5);
	s->seq += payload;
	frame->len = l4 + header + payload;
	tcp_frame_set_csum(frame->data, frame->len);
	if (s->padded && frame->len < 60) {
		memset(frame->data + frame->len, 0xee, 60 - frame->len);
		frame->len = 60;
	}
}

/* One frame of a super-frame; @number counts from 0. */
static void cut_segment(const uint8_t *super, uint32_t headers, uint32_t at, unsigned number,
	struct tcp_frame *frame)
{
	uint32_t l3 = tcp_frame_l3(super), l4 = tcp_frame_l4(super);
	uint8_t *f = frame->data;

	memcpy(f, super, headers);
	memcpy(f + headers, super + headers + at, frame->len - headers);
	if (f[l3] >> 4 == 4) {
		put16(f + l3 + 2, frame->len - l3);
		put16(f + l3 + 4, get16(super + l3 + 4) + number);
		ipv4_set_csum(f + l3);
	} else {
		put16(f + l3 + 4, frame->len - l4);
	}
	put32(f + l4 + 4, get32(f + l4 + 4) + at);
}

unsigned tcp_frame_cut(
	const uint8_t *super, uint32_t len, uint32_t segment_bytes, struct tcp_frame *frames)
{
	uint32_t l4 = tcp_frame_l4(super), headers = l4 + (uint32_t)(super[l4 + 12] >> 4) * 4;
	unsigned count = 0;

	for (uint32_t at = 0; at < len - headers; at += segment_bytes, count++) {
		uint32_t left = len - headers - at;
		struct tcp_frame *frame = &frames[count];

		frame->len = headers + (left < segment_bytes ? left : segment_bytes);
		cut_segment(super, headers, at, count, frame);
		if (left > segment_bytes) /* the last one alone has PSH */
			frame->data[l4 + 13] &= (uint8_t)~8;
		tcp_frame_set_csum(frame->data, frame->len);
	}
	return count;
}
