/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive offload: what comes out, cut up again by other code, is what went in. */
#include "driver/gro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/gro_fixture.h"

static void segments_become_one_super_frame(void **state)
{
	for (int i = 0; i < 8; i++) {
		struct gro_fixture *fix = *state;
		struct tcp_stream s = tcp_stream_plain;

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
		(void)gro_fixture_tear_down(state);
		(void)gro_fixture_set_up(state);
	}
}

static void nothing_is_lost_when_nothing_merges(void **state)
{
	struct gro_fixture *fix = *state;

	for (uint16_t port = 0; port < 20; port++) {
		struct tcp_stream s = tcp_stream_plain;

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

	send_payload(fix, &s, 1000);
	send_payload(fix, &s, 1001);
	assert_int_equal(fix->writes, 1);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 0);
}

static void unlike_headers_do_not_merge(void **state)
{
	struct gro_fixture *fix = *state;

	for (int i = 0; i < 9; i++) {
		struct tcp_stream s = tcp_stream_plain;
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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;
	struct tcp_frame *frame;

	send_payload(fix, &s, 500);
	frame = stream_frame(fix, &s, 500);
	frame->data[6]++; /* sender's Ethernet address */
	give(fix, frame, true);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 0);
}

static void identification_counts_only_where_fragments_are_allowed(void **state)
{
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

	for (unsigned i = 0; i < sizeof(flags); i++) {
		send_payload(fix, &s, 500);
		send_payload(fix, &s, 500);
		s.flags = flags[i];
		send_payload(fix, &s, 500);
		s.flags = tcp_stream_plain.flags;
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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;
	struct tcp_frame *frame;

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

	for (int n = 0; n < 3; n++) {
		s.ack += 1000;
		s.window--;
		s.ts_value += 5;
		send_payload(fix, &s, 700);
	}
	gro_flush(&fix->gro);
	assert_int_equal(fix->super_frames, 1);
	assert_int_equal(get32(fix->last + 34 + 8), tcp_stream_plain.ack + 3000);
	assert_int_equal(get16(fix->last + 34 + 14), tcp_stream_plain.window - 3);
	assert_int_equal(get32(fix->last + 34 + 24), 15);
	assert_int_equal(fix->got_count, 3);
	assert_memory_equal(fix->got[2].data, fix->sent[2].data, fix->sent[2].len);
}

static void other_options_must_be_equal(void **state)
{
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;
	struct tcp_frame *frame;

	send_payload(fix, &s, 700);
	frame = stream_frame(fix, &s, 700);
	frame->data[34 + 20 + 2] = 9; /* not the timestamps option */
	tcp_frame_set_csum(frame->data, frame->len);
	give(fix, frame, true);
	assert_same_frames(fix);
	assert_int_equal(fix->super_frames, 0);
}

static void padding_is_no_payload(void **state)
{
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s[4] = {
		tcp_stream_plain, tcp_stream_plain, tcp_stream_plain, tcp_stream_plain};

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
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;
	struct tcp_frame *frame;

	send_payload(fix, &s, 500);
	frame = stream_frame(fix, &s, 500);
	put16(frame->data + 20, 0x2000);
	ipv4_set_csum(frame->data + 14);
	give(fix, frame, false);
	assert_int_equal(fix->writes, 2);
	assert_same_frames(fix);
}

static void failed_output_is_counted_in_frames(void **state)
{
	struct gro_fixture *fix = *state;
	struct tcp_stream s = tcp_stream_plain;

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
		struct gro_fixture *fix = *state;
		struct tcp_stream s[12];

		srandom(seed);
		for (uint16_t i = 0; i < 12; i++) {
			s[i] = tcp_stream_plain;
			s[i].port = i;
			s[i].version = i % 3 ? 4 : 6;
			s[i].padded = i & 1;
			s[i].timestamps = i & 2;
			s[i].no_df = i & 4;
		}
		while (fix->sent_count < FRAMES_MAX) {
			struct tcp_stream *one = &s[(unsigned)random() % (1 + seed % 12)];
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
		(void)gro_fixture_tear_down(state);
		(void)gro_fixture_set_up(state);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gro_fixture_set_up, gro_fixture_tear_down)

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
