/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive offload: what comes out, cut up again by other code, is what went in. */
#include "driver/gro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES_MAX  512
#define FRAME_BYTES 9100

struct frame {
	uint32_t len;
	uint8_t data[FRAME_BYTES];
};

/* One direction of a TCP connection, and what its next frame will look like. */
struct stream {
	int version;
	bool vlan, no_df;
	uint16_t port, id, window;
	uint32_t seq, ack, ts_value;
	uint8_t flags, tos, ttl;
	bool timestamps, padded;
};

static const struct stream plain = {.version = 4,
	.port = 1,
	.id = 65530,
	.window = 500,
	.seq = UINT32_MAX - 3000,
	.ack = 77,
	.flags = 0x10,
	.ttl = 64,
	.timestamps = true};

struct fixture {
	struct gro gro;
	unsigned sent_count, arena_count, got_count, writes, super_frames;
	int output_result;
	struct vnet last_vnet;
	uint8_t last[70000]; /* what was written last, without the vnet header */
	uint32_t last_len;
	struct frame sent[FRAMES_MAX], arena[FRAMES_MAX], got[FRAMES_MAX];
};

static void put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value & 0xffff);
}

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

static uint32_t naive_sum(const uint8_t *p, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint32_t l3_of(const uint8_t *f)
{
	return get16(f + 12) == 0x8100 ? 18 : 14;
}

static uint32_t l4_of(const uint8_t *f)
{
	return l3_of(f) + (f[l3_of(f)] >> 4 == 4 ? 20 : 40);
}

static void set_ipv4_csum(uint8_t *ip)
{
	put16(ip + 10, 0);
	put16(ip + 10, ~naive_sum(ip, 20, 0) & 0xffff);
}

static uint32_t pseudo_sum(const uint8_t *f, uint32_t l4_len)
{
	const uint8_t *ip = f + l3_of(f);

	if (ip[0] >> 4 == 4)
		return naive_sum(ip + 12, 8, 6 + l4_len);
	return naive_sum(ip + 8, 32, 6 + l4_len);
}

static void set_tcp_csum(uint8_t *f, uint32_t len)
{
	uint32_t l4 = l4_of(f);

	put16(f + l4 + 16, 0);
	put16(f + l4 + 16, ~naive_sum(f + l4, len - l4, pseudo_sum(f, len - l4)) & 0xffff);
}

static uint32_t put_ip(uint8_t *f, struct stream *s, uint32_t l4_len)
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
		set_ipv4_csum(f + l3);
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

/* The next frame of @s with @payload bytes of noise, valid checksums. */
static struct frame *stream_frame(struct fixture *fix, struct stream *s, uint32_t payload)
{
	struct frame *frame = &fix->arena[fix->arena_count++];
	uint32_t header = s->timestamps ? 32 : 20, l4 = put_ip(frame->data, s, header + payload);
	uint8_t *tcp = frame->data + l4;

	assert_true(fix->arena_count <= FRAMES_MAX);
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
	set_tcp_csum(frame->data, frame->len);
	if (s->padded && frame->len < 60) {
		memset(frame->data + frame->len, 0xee, 60 - frame->len);
		frame->len = 60;
	}
	return frame;
}

static void give(struct fixture *fix, struct frame *frame, bool csum_ok)
{
	fix->sent[fix->sent_count++] = *frame;
	gro_receive(&fix->gro, frame->data, frame->len, csum_ok);
}

static void send_payload(struct fixture *fix, struct stream *s, uint32_t payload)
{
	give(fix, stream_frame(fix, s, payload), true);
}

/* One frame of a super-frame, as a NIC's segmentation makes it. */
static void cut_segment(
	struct fixture *fix, uint32_t headers, uint32_t at, uint32_t bytes, bool last)
{
	struct frame *frame = &fix->got[fix->got_count++];
	uint32_t l3 = l3_of(fix->last), l4 = l4_of(fix->last);
	uint8_t *f = frame->data;

	frame->len = headers + bytes;
	memcpy(f, fix->last, headers);
	memcpy(f + headers, fix->last + headers + at, bytes);
	if (f[l3] >> 4 == 4) {
		put16(f + l3 + 2, frame->len - l3);
		put16(f + l3 + 4, get16(fix->last + l3 + 4) + at / fix->last_vnet.gso_size);
		set_ipv4_csum(f + l3);
	} else {
		put16(f + l3 + 4, frame->len - l4);
	}
	put32(f + l4 + 4, get32(f + l4 + 4) + at);
	if (!last)
		f[l4 + 13] &= (uint8_t)~8;
	set_tcp_csum(f, frame->len);
}

static void cut_super_frame(struct fixture *fix)
{
	const struct vnet *vnet = &fix->last_vnet;
	uint32_t l3 = l3_of(fix->last), l4 = l4_of(fix->last);
	uint32_t headers = l4 + (uint32_t)(fix->last[l4 + 12] >> 4) * 4;
	uint32_t payload = fix->last_len - headers;

	fix->super_frames++;
	assert_int_equal(vnet->flags, VNET_NEEDS_CSUM);
	assert_int_equal(vnet->gso_type, fix->last[l3] >> 4 == 4 ? VNET_GSO_TCPV4 : VNET_GSO_TCPV6);
	assert_int_equal(vnet->hdr_len, headers);
	assert_int_equal(vnet->csum_start, l4);
	assert_int_equal(vnet->csum_offset, 16);
	assert_int_equal(get16(fix->last + l4 + 16), pseudo_sum(fix->last, fix->last_len - l4));
	if (fix->last[l3] >> 4 == 4) {
		assert_int_equal(get16(fix->last + l3 + 2), fix->last_len - l3);
		assert_int_equal(naive_sum(fix->last + l3, 20, 0), 0xffff);
	} else {
		assert_int_equal(get16(fix->last + l3 + 4), fix->last_len - l4);
	}
	for (uint32_t at = 0; at < payload; at += vnet->gso_size) {
		uint32_t left = payload - at, bytes = left < vnet->gso_size ? left : vnet->gso_size;

		cut_segment(fix, headers, at, bytes, bytes == left);
	}
}

static int collect(void *ctx, const struct iovec *iov, int count)
{
	struct fixture *fix = ctx;

	fix->writes++;
	assert_int_equal(iov[0].iov_len, sizeof(struct vnet));
	memcpy(&fix->last_vnet, iov[0].iov_base, sizeof(struct vnet));
	fix->last_len = 0;
	for (int i = 1; i < count; i++) {
		assert_true(fix->last_len + iov[i].iov_len <= 65535);
		memcpy(fix->last + fix->last_len, iov[i].iov_base, iov[i].iov_len);
		fix->last_len += (uint32_t)iov[i].iov_len;
	}
	if (fix->last_vnet.gso_type != VNET_GSO_NONE) {
		cut_super_frame(fix);
	} else {
		struct frame *frame = &fix->got[fix->got_count++];

		frame->len = fix->last_len;
		memcpy(frame->data, fix->last, fix->last_len);
		if (fix->last_vnet.flags) {
			uint32_t l4 = l4_of(frame->data), end = l3_of(frame->data);

			end = frame->data[end] >> 4 == 4 ? end + get16(frame->data + end + 2)
							 : l4 + get16(frame->data + end + 4);
			assert_int_equal(
				get16(frame->data + l4 + 16), pseudo_sum(frame->data, end - l4));
			set_tcp_csum(frame->data, end);
		}
	}
	return fix->output_result;
}

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	if (!fix)
		return -1;
	gro_init(&fix->gro, collect, fix);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static bool same_stream(const struct frame *a, const struct frame *b)
{
	uint32_t l4a = l4_of(a->data), l4b = l4_of(b->data);

	return l4a == l4b && get16(a->data + l4a) == get16(b->data + l4b);
}

/* Ethernet padding may or may not survive; everything else is equal, in order for each stream. */
static void assert_same_frames(struct fixture *fix)
{
	static bool taken[FRAMES_MAX];

	gro_flush(&fix->gro);
	assert_int_equal(fix->got_count, fix->sent_count);
	memset(taken, 0, sizeof(taken));
	for (unsigned i = 0; i < fix->sent_count; i++) {
		unsigned j = 0;
		uint32_t len;

		while (taken[j] || !same_stream(&fix->got[j], &fix->sent[i])) {
			j++;
			assert_true(j < fix->got_count);
		}
		taken[j] = true;
		len = fix->sent[i].len;
		if (len == 60 && fix->got[j].len < len)
			len = fix->got[j].len;
		assert_int_equal(fix->got[j].len, len);
		assert_memory_equal(fix->got[j].data, fix->sent[i].data, len);
	}
}

static void segments_become_one_super_frame(void **state)
{
	for (int i = 0; i < 8; i++) {
		struct fixture *fix = *state;
		struct stream s = plain;

		s.version = i & 1 ? 6 : 4;
		s.vlan = i & 2;
		s.timestamps = i & 4;
		for (int n = 0; n < 20; n++)
			send_payload(fix, &s, 1448);
		assert_int_equal(fix->writes, 0);
		assert_same_frames(fix);
		assert_int_equal(fix->writes, 1);
		assert_int_equal(fix->super_frames, 1);
		assert_int_equal(fix->gro.merged, 19);
		(void)tear_down(state);
		(void)set_up(state);
	}
}

static void nothing_is_lost_when_nothing_merges(void **state)
{
	struct fixture *fix = *state;

	for (uint16_t port = 0; port < 20; port++) {
		struct stream s = plain;

		s.port = port;
		send_payload(fix, &s, 100);
	}
	assert_int_equal(fix->writes, 20 - GRO_FLOWS);
	assert_same_frames(fix);
	assert_int_equal(fix->writes, 20);
	for (uint16_t port = 0; port < 20; port++) /* oldest first */
		assert_int_equal(get16(fix->got[port].data + 34), port);
}

static void short_or_pushed_segment_ends_a_super_frame(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	send_payload(fix, &s, 1448);
	send_payload(fix, &s, 1448);
	send_payload(fix, &s, 7);
	assert_int_equal(fix->writes, 1);
	assert_int_equal(fix->last_vnet.gso_size, 1448);
	send_payload(fix, &s, 1448);
	s.flags |= 8;
	send_payload(fix, &s, 1448);
	assert_int_equal(fix->writes, 2);
	assert_true(fix->last[34 + 13] & 8);
	send_payload(fix, &s, 1448); /* pushed and alone: no reason to wait */
	assert_int_equal(fix->writes, 3);
	assert_same_frames(fix);
	assert_int_equal(fix->writes, 3);
}

static void longer_segment_does_not_merge(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	send_payload(fix, &s, 1000);
	send_payload(fix, &s, 1001);
	assert_int_equal(fix->writes, 1);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 0);
}

static void unlike_headers_do_not_merge(void **state)
{
	struct fixture *fix = *state;

	for (int i = 0; i < 9; i++) {
		struct stream s = plain;
		unsigned writes = fix->writes;

		if (i == 8)
			s.version = 6;
		send_payload(fix, &s, 500);
		s.seq += i == 0;	   /* a hole */
		s.seq -= i == 1 ? 500 : 0; /* a repetition */
		s.ttl -= i == 2;
		s.tos += i == 3;
		s.flags |= i == 4 ? 0x40 : 0; /* congestion echo */
		s.ack -= i == 5;	      /* older than the one before */
		s.timestamps = i != 6;
		s.vlan = i == 7;
		s.tos += i == 8;
		send_payload(fix, &s, 500);
		assert_int_equal(fix->writes, writes + 1);
		gro_flush(&fix->gro);
		assert_int_equal(fix->writes, writes + 2);
	}
	assert_int_equal(fix->super_frames, 0);
	assert_same_frames(fix);
}

static void frames_of_other_stations_do_not_merge(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;
	struct frame *frame;

	send_payload(fix, &s, 500);
	frame = stream_frame(fix, &s, 500);
	frame->data[6]++; /* sender's Ethernet address */
	give(fix, frame, true);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 0);
}

static void identification_counts_only_where_fragments_are_allowed(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	send_payload(fix, &s, 500);
	s.id = 3;
	send_payload(fix, &s, 500);
	gro_flush(&fix->gro);
	assert_int_equal(fix->super_frames, 1);
	s.no_df = true;
	send_payload(fix, &s, 500);
	send_payload(fix, &s, 500);
	s.id = 3;
	send_payload(fix, &s, 500);
	gro_flush(&fix->gro);
	assert_int_equal(fix->super_frames, 2);
	assert_int_equal(fix->writes, 3);
}

static void control_frames_pass_and_keep_their_place(void **state)
{
	static const uint8_t flags[] = {0x12, 0x11, 0x14, 0x30, 0x90, 0x00};
	struct fixture *fix = *state;
	struct stream s = plain;

	for (unsigned i = 0; i < sizeof(flags); i++) {
		send_payload(fix, &s, 500);
		send_payload(fix, &s, 500);
		s.flags = flags[i];
		send_payload(fix, &s, 500);
		s.flags = plain.flags;
		assert_int_equal(fix->writes, 2 * (i + 1));
	}
	send_payload(fix, &s, 500);
	s.padded = true;
	send_payload(fix, &s, 0); /* a pure acknowledgement */
	assert_int_equal(fix->writes, 2 * sizeof(flags) + 2);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, sizeof(flags));
}

static void unverified_frame_passes_with_its_checksum(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;
	struct frame *frame;

	send_payload(fix, &s, 500);
	give(fix, stream_frame(fix, &s, 500), false);
	assert_int_equal(fix->writes, 2);
	assert_int_equal(fix->last_vnet.flags, 0);
	send_payload(fix, &s, 500);
	assert_same_frames(fix);
	send_payload(fix, &s, 500);
	frame = stream_frame(fix, &s, 500);
	frame->data[14 + 10] ^= 1; /* the IPv4 header no longer sums up */
	give(fix, frame, true);
	gro_flush(&fix->gro);
	assert_int_equal(fix->super_frames, 0);
}

static void last_acknowledgement_window_and_timestamps_are_kept(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	for (int n = 0; n < 3; n++) {
		s.ack += 1000;
		s.window--;
		s.ts_value += 5;
		send_payload(fix, &s, 700);
	}
	gro_flush(&fix->gro);
	assert_int_equal(fix->super_frames, 1);
	assert_int_equal(get32(fix->last + 34 + 8), plain.ack + 3000);
	assert_int_equal(get16(fix->last + 34 + 14), plain.window - 3);
	assert_int_equal(get32(fix->last + 34 + 24), 15);
	assert_int_equal(fix->got_count, 3);
	assert_memory_equal(fix->got[2].data, fix->sent[2].data, fix->sent[2].len);
}

static void other_options_must_be_equal(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;
	struct frame *frame;

	send_payload(fix, &s, 700);
	frame = stream_frame(fix, &s, 700);
	frame->data[34 + 20 + 2] = 9; /* not the timestamps option */
	set_tcp_csum(frame->data, frame->len);
	give(fix, frame, true);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 0);
}

static void padding_is_no_payload(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	s.timestamps = false;
	s.padded = true;
	for (int n = 0; n < 5; n++)
		send_payload(fix, &s, 2);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 1);
	assert_int_equal(fix->last_len, 54 + 10);
}

static void limits_of_segments_and_bytes_hold(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	for (int n = 0; n < GRO_SEGMENTS + 1; n++)
		send_payload(fix, &s, 100);
	assert_int_equal(fix->writes, 1);
	assert_int_equal(fix->last_len, 66 + 100 * GRO_SEGMENTS);
	for (int n = 0; n < 10; n++)
		send_payload(fix, &s, 8948);
	assert_same_frames(fix);
	assert_int_equal(fix->writes, 4);
}

static void flows_do_not_disturb_each_other(void **state)
{
	struct fixture *fix = *state;
	struct stream s[4] = {plain, plain, plain, plain};

	for (int n = 0; n < 20; n++)
		for (uint16_t i = 0; i < 4; i++) {
			s[i].port = i;
			s[i].version = i & 1 ? 6 : 4;
			send_payload(fix, &s[i], 1000);
		}
	assert_same_frames(fix);
	assert_int_equal(fix->writes, 4);
}

static void fragment_flushes_everything(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;
	struct frame *frame;

	send_payload(fix, &s, 500);
	frame = stream_frame(fix, &s, 500);
	put16(frame->data + 20, 0x2000);
	set_ipv4_csum(frame->data + 14);
	give(fix, frame, false);
	assert_int_equal(fix->writes, 2);
	assert_same_frames(fix);
}

static void failed_output_is_counted_in_frames(void **state)
{
	struct fixture *fix = *state;
	struct stream s = plain;

	fix->output_result = -5;
	for (int n = 0; n < 3; n++)
		send_payload(fix, &s, 500);
	s.flags = 0x11;
	send_payload(fix, &s, 0);
	assert_int_equal(fix->gro.output_errors, 4);
	assert_int_equal(fix->gro.passed, 1);
	assert_int_equal(fix->gro.merged, 2);
}

/* Everything random but valid: order and bytes of each stream must survive. */
static void random_traffic_survives(void **state)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		struct fixture *fix = *state;
		struct stream s[12];

		srandom(seed);
		for (uint16_t i = 0; i < 12; i++) {
			s[i] = plain;
			s[i].port = i;
			s[i].version = i % 3 ? 4 : 6;
			s[i].padded = i & 1;
			s[i].timestamps = i & 2;
			s[i].no_df = i & 4;
		}
		while (fix->sent_count < FRAMES_MAX) {
			struct stream *one = &s[(unsigned)random() % (1 + seed % 12)];
			uint32_t payload = random() % 8 ? 400 : (uint32_t)random() % 500;

			one->flags = random() % 10 ? 0x10 : 0x18;
			if (random() % 30 == 0)
				one->seq += 17;
			if (random() % 30 == 0)
				one->tos ^= 2;
			give(fix, stream_frame(fix, one, payload), random() % 40 != 0);
			if (random() % 60 == 0)
				gro_flush(&fix->gro);
		}
		assert_same_frames(fix);
		assert_int_equal(fix->gro.merged + fix->writes, FRAMES_MAX);
		(void)tear_down(state);
		(void)set_up(state);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(segments_become_one_super_frame),
		TEST(nothing_is_lost_when_nothing_merges),
		TEST(short_or_pushed_segment_ends_a_super_frame),
		TEST(longer_segment_does_not_merge),
		TEST(unlike_headers_do_not_merge),
		TEST(frames_of_other_stations_do_not_merge),
		TEST(identification_counts_only_where_fragments_are_allowed),
		TEST(control_frames_pass_and_keep_their_place),
		TEST(unverified_frame_passes_with_its_checksum),
		TEST(last_acknowledgement_window_and_timestamps_are_kept),
		TEST(other_options_must_be_equal),
		TEST(padding_is_no_payload),
		TEST(limits_of_segments_and_bytes_hold),
		TEST(flows_do_not_disturb_each_other),
		TEST(fragment_flushes_everything),
		TEST(failed_output_is_counted_in_frames),
		TEST(random_traffic_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
