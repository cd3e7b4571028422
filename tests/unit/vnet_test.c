/* SPDX-License-Identifier: BSD-2-Clause */
/* Frame parsing and checksums against a byte-by-byte sum and hostile frames. */
#include "driver/vnet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <netinet/in.h>

#define FRAME_MAX 2048

/* The definition in RFC 1071, in network order: 16-bit words, first byte high. */
static uint16_t naive_sum(const uint8_t *p, uint32_t len)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static uint16_t as_network(uint16_t value)
{
	return ntohs(value);
}

static void fill_random(uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		p[i] = (uint8_t)(random() >> 7);
}

static void put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/* Ethernet and IPv4 or IPv6 header for @l4_len bytes of @proto; returns the offset after them. */
static uint32_t put_ip(uint8_t *f, bool vlan, int version, uint8_t proto, uint32_t l4_len)
{
	uint32_t l3 = 14;

	memset(f, 0x11, 12);
	if (vlan) {
		put16(f + 12, 0x8100);
		put16(f + 14, 42);
		l3 = 18;
	}
	put16(f + l3 - 2, version == 4 ? 0x0800 : 0x86dd);
	memset(f + l3, 0, 40);
	if (version == 4) {
		f[l3] = 0x45;
		put16(f + l3 + 2, 20 + l4_len);
		f[l3 + 8] = 64;
		f[l3 + 9] = proto;
		fill_random(f + l3 + 12, 8);
		return l3 + 20;
	}
	f[l3] = 0x60;
	put16(f + l3 + 4, l4_len);
	f[l3 + 6] = proto;
	fill_random(f + l3 + 8, 32);
	return l3 + 40;
}

/* A whole frame; returns its length. TCP has 12 bytes of options. */
static uint32_t put_frame(uint8_t *f, bool vlan, int version, uint8_t proto, uint32_t payload)
{
	uint32_t header = proto == IPPROTO_TCP ? 32 : 8;
	uint32_t l4 = put_ip(f, vlan, version, proto, header + payload);

	fill_random(f + l4, header + payload);
	if (proto == IPPROTO_TCP)
		f[l4 + 12] = 0x80;
	else
		put16(f + l4 + 4, header + payload);
	return l4 + header + payload;
}

/* Sum of pseudo header and segment, byte by byte; 0xffff when the stored checksum is right. */
static uint16_t naive_l4_sum(const uint8_t *f, const struct frame_info *info)
{
	uint8_t bytes[FRAME_MAX + 64];
	uint32_t n = info->ip_version == 4 ? 8 : 32;
	uint32_t l4_len = info->payload_offset - info->l4_offset + info->payload_len;

	memcpy(bytes, f + info->l3_offset + (info->ip_version == 4 ? 12 : 8), n);
	put16(bytes + n, info->l4_proto);
	put16(bytes + n + 2, l4_len);
	memcpy(bytes + n + 4, f + info->l4_offset, l4_len);
	return naive_sum(bytes, n + 4 + l4_len);
}

static void sum_equals_the_naive_sum_at_every_length_and_alignment(void **state)
{
	uint8_t buffer[FRAME_MAX];

	fill_random(buffer, sizeof(buffer));
	for (uint32_t align = 0; align < 9; align++)
		for (uint32_t len = 0; len < 200; len++)
			assert_int_equal(
				as_network(csum_fold(csum_partial(buffer + align, len, 0))),
				naive_sum(buffer + align, len));
}

static void sum_of_ones_does_not_lose_carries(void **state)
{
	static uint8_t ones[65535];

	memset(ones, 0xff, sizeof(ones));
	assert_int_equal(csum_fold(csum_partial(ones, 65534, 0)), 0xffff);
	assert_int_equal(as_network(csum_fold(csum_partial(ones, 65535, 0))), 0xff00);
	assert_int_equal(csum_fold(csum_partial(ones, 4, UINT64_MAX)), 0xffff);
	assert_int_equal(csum_fold(UINT64_MAX), 0xffff);
	assert_int_equal(csum_fold(0), 0);
	assert_int_equal(csum_fold(UINT64_C(0x0001000100010001)), 4);
}

static void sum_continues_after_an_even_part(void **state)
{
	uint8_t buffer[301];

	fill_random(buffer, sizeof(buffer));
	for (uint32_t cut = 0; cut < sizeof(buffer); cut += 2) {
		uint64_t sum = csum_partial(buffer, cut, 0);

		sum = csum_partial(buffer + cut, sizeof(buffer) - cut, sum);
		assert_int_equal(as_network(csum_fold(sum)), naive_sum(buffer, sizeof(buffer)));
	}
}

static void parse_finds_headers_and_payload(void **state)
{
	struct frame_info info;
	uint8_t f[FRAME_MAX];

	for (int i = 0; i < 8; i++) {
		bool vlan = i & 1, tcp = i & 2;
		int version = i & 4 ? 6 : 4;
		uint32_t l3 = vlan ? 18 : 14, l4 = l3 + (version == 4 ? 20 : 40);
		uint32_t len = put_frame(f, vlan, version, tcp ? IPPROTO_TCP : IPPROTO_UDP, 100);

		assert_true(frame_parse(f, len, &info));
		assert_int_equal(info.ip_version, version);
		assert_int_equal(info.l4_proto, tcp ? IPPROTO_TCP : IPPROTO_UDP);
		assert_int_equal(info.l3_offset, l3);
		assert_int_equal(info.l4_offset, l4);
		assert_int_equal(info.payload_offset, l4 + (tcp ? 32 : 8));
		assert_int_equal(info.payload_len, 100);
		assert_false(info.fragment);
	}
}

static void parse_leaves_ethernet_padding_out(void **state)
{
	struct frame_info info;
	uint8_t f[FRAME_MAX] = {0};

	(void)put_frame(f, false, 4, IPPROTO_UDP, 3);
	assert_true(frame_parse(f, 60, &info));
	assert_int_equal(info.payload_len, 3);
}

static void parse_of_what_is_not_ip_gives_zeros(void **state)
{
	static const struct frame_info zeros;
	struct frame_info info;
	uint8_t f[64] = {0};

	put16(f + 12, 0x0806);
	assert_true(frame_parse(f, 60, &info));
	assert_memory_equal(&info, &zeros, sizeof(info));
	assert_false(frame_parse(f, 13, &info));
	put16(f + 12, 0x8100);
	assert_true(frame_parse(f, 14, &info));
	assert_memory_equal(&info, &zeros, sizeof(info));
}

static void parse_gives_no_transport_for_fragments_and_cut_frames(void **state)
{
	struct frame_info info;
	uint8_t f[FRAME_MAX];
	uint32_t len = put_frame(f, false, 4, IPPROTO_TCP, 100);

	assert_true(frame_parse(f, len - 1, &info));
	assert_int_equal(info.l4_proto, 0);
	assert_int_equal(info.payload_len, len - 1 - 34);
	put16(f + 20, 0x2000);
	assert_true(frame_parse(f, len, &info));
	assert_true(info.fragment);
	assert_int_equal(info.l4_proto, 0);
	assert_int_equal(info.payload_offset, info.l4_offset);
	put16(f + 20, 0x4000); /* "do not fragment" is no fragment */
	assert_true(frame_parse(f, len, &info));
	assert_int_equal(info.l4_proto, IPPROTO_TCP);
	f[34 + 12] = 0x40; /* TCP header of 16 bytes */
	assert_true(frame_parse(f, len, &info));
	assert_int_equal(info.l4_proto, 0);
}

static void parse_refuses_header_lengths_beyond_the_packet(void **state)
{
	struct frame_info info;
	uint8_t f[FRAME_MAX];
	uint32_t len = put_frame(f, false, 4, IPPROTO_TCP, 4);

	f[34 + 12] = 0xf0; /* TCP header of 60 bytes, 36 there */
	assert_true(frame_parse(f, len, &info));
	assert_int_equal(info.l4_proto, 0);
	assert_int_equal(info.payload_len, 36);
	put16(f + 16, 19); /* total length below the header's */
	assert_true(frame_parse(f, len, &info));
	assert_int_equal(info.ip_version, 0);
	put16(f + 16, 60);
	f[14] = 0x4f; /* IPv4 header of 60 bytes in a frame of 14 + 40 */
	assert_true(frame_parse(f, 54, &info));
	assert_int_equal(info.ip_version, 0);
}

static void complete_csum_gives_a_frame_that_sums_up(void **state)
{
	struct vnet vnet = {.flags = VNET_NEEDS_CSUM};
	struct frame_info info;
	uint8_t f[FRAME_MAX];

	for (uint32_t payload = 0; payload < 300; payload++) {
		bool tcp = payload & 1;
		int version = payload & 2 ? 4 : 6;
		uint32_t len = put_frame(
			f, payload & 4, version, tcp ? IPPROTO_TCP : IPPROTO_UDP, payload);
		uint16_t sum;

		assert_true(frame_parse(f, len, &info));
		vnet.csum_start = info.l4_offset;
		vnet.csum_offset = tcp ? 16 : 6;
		sum = csum_fold(csum_pseudo(f, &info, len - info.l4_offset));
		memcpy(f + vnet.csum_start + vnet.csum_offset, &sum, 2);
		assert_true(vnet_complete_csum(f, len, &vnet));
		assert_int_equal(naive_l4_sum(f, &info), 0xffff);
		assert_true(frame_csum_ok(f, &info));
		f[len - 1] ^= 0x10;
		assert_int_equal(frame_csum_ok(f, &info), false);
	}
}

static void complete_csum_never_leaves_zero(void **state)
{
	uint8_t f[16] = {0xff, 0xff};
	struct vnet vnet = {.flags = VNET_NEEDS_CSUM, .csum_offset = 2};

	assert_true(vnet_complete_csum(f, sizeof(f), &vnet));
	assert_int_equal(f[2], 0xff);
	assert_int_equal(f[3], 0xff);
}

static void complete_csum_refuses_offsets_outside(void **state)
{
	uint8_t f[64] = {0};
	struct vnet vnet = {.flags = VNET_NEEDS_CSUM, .csum_start = 34, .csum_offset = 16};

	assert_false(vnet_complete_csum(f, 51, &vnet));
	assert_true(vnet_complete_csum(f, 52, &vnet));
	vnet.csum_start = vnet.csum_offset = UINT16_MAX;
	assert_false(vnet_complete_csum(f, sizeof(f), &vnet));
	vnet.csum_start = 60;
	vnet.csum_offset = 0;
	assert_true(vnet_complete_csum(f, sizeof(f), &vnet));
	vnet.flags = 0;
	vnet.csum_start = UINT16_MAX;
	assert_true(vnet_complete_csum(f, sizeof(f), &vnet));
}

static void mark_verified_can_be_completed_again(void **state)
{
	struct frame_info info;
	struct vnet vnet;
	uint8_t f[FRAME_MAX];

	for (int i = 0; i < 8; i++) {
		uint32_t len =
			put_frame(f, i & 1, i & 2 ? 4 : 6, i & 4 ? IPPROTO_TCP : IPPROTO_UDP, 77);

		assert_true(frame_parse(f, len, &info));
		f[info.l4_offset + 6] |= 1;
		vnet_mark_verified(f, len, &info, &vnet);
		assert_int_equal(vnet.flags, VNET_NEEDS_CSUM);
		assert_int_equal(vnet.gso_type, VNET_GSO_NONE);
		assert_int_equal(vnet.csum_start, info.l4_offset);
		assert_true(vnet_complete_csum(f, len, &vnet));
		assert_int_equal(naive_l4_sum(f, &info), 0xffff);
	}
}

static void mark_verified_leaves_other_frames_alone(void **state)
{
	static const struct vnet zeros;
	struct frame_info info;
	struct vnet vnet;
	uint8_t f[FRAME_MAX], before[FRAME_MAX];
	uint32_t len = put_frame(f, false, 4, IPPROTO_UDP, 20);

	assert_true(frame_parse(f, len, &info));
	put16(f + info.l4_offset + 6, 0); /* sent without checksum */
	memcpy(before, f, len);
	vnet_mark_verified(f, len, &info, &vnet);
	assert_memory_equal(&vnet, &zeros, sizeof(vnet));
	put16(f + info.l4_offset + 6, 1);
	put16(f + info.l4_offset + 4, 12); /* shorter than the IP payload */
	vnet_mark_verified(f, len, &info, &vnet);
	assert_memory_equal(&vnet, &zeros, sizeof(vnet));
	len = put_ip(f, false, 4, IPPROTO_ICMP, 40) + 40;
	assert_true(frame_parse(f, len, &info));
	memcpy(before, f, len);
	vnet_mark_verified(f, len, &info, &vnet);
	assert_memory_equal(&vnet, &zeros, sizeof(vnet));
	assert_memory_equal(f, before, len);
}

/* Frames of exact size on the heap, so that the address sanitizer sees one byte too far. */
static void hostile_frames_stay_inside_their_bounds(void **state)
{
	static const uint16_t types[] = {0x0800, 0x86dd, 0x8100};
	struct frame_info info;
	struct vnet vnet;

	for (int round = 0; round < 200000; round++) {
		uint32_t len = (uint32_t)random() % 120;
		uint8_t *f = malloc(len ? len : 1);

		assert_non_null(f);
		fill_random(f, len);
		if (len >= 24) {
			put16(f + 12, types[random() % 3]);
			put16(f + 16, types[random() % 2]);
			f[14] = random() & 1 ? 0x45 : 0x60;
			f[20] = f[23] = random() & 1 ? IPPROTO_TCP : IPPROTO_UDP;
			put16(f + (random() & 1 ? 16 : 18), (unsigned)random() % 130);
			f[21] = 0;
		}
		if (frame_parse(f, len, &info)) {
			assert_true(info.payload_offset + (uint64_t)info.payload_len <= len);
			assert_true(info.l4_offset <= info.payload_offset);
			vnet_mark_verified(f, len, &info, &vnet);
			assert_true(vnet_complete_csum(f, len, &vnet));
		}
		fill_random((uint8_t *)&vnet, sizeof(vnet));
		vnet.csum_start %= 128;
		vnet.csum_offset %= 32;
		(void)vnet_complete_csum(f, len, &vnet);
		free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sum_equals_the_naive_sum_at_every_length_and_alignment),
		cmocka_unit_test(sum_of_ones_does_not_lose_carries),
		cmocka_unit_test(sum_continues_after_an_even_part),
		cmocka_unit_test(parse_finds_headers_and_payload),
		cmocka_unit_test(parse_leaves_ethernet_padding_out),
		cmocka_unit_test(parse_of_what_is_not_ip_gives_zeros),
		cmocka_unit_test(parse_gives_no_transport_for_fragments_and_cut_frames),
		cmocka_unit_test(parse_refuses_header_lengths_beyond_the_packet),
		cmocka_unit_test(complete_csum_gives_a_frame_that_sums_up),
		cmocka_unit_test(complete_csum_never_leaves_zero),
		cmocka_unit_test(complete_csum_refuses_offsets_outside),
		cmocka_unit_test(mark_verified_can_be_completed_again),
		cmocka_unit_test(mark_verified_leaves_other_frames_alone),
		cmocka_unit_test(hostile_frames_stay_inside_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
