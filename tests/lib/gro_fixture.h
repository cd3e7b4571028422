/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames through receive offload: what went in, and what came out, cut up again. */
#ifndef MODERATO_TESTS_LIB_GRO_FIXTURE_H
#define MODERATO_TESTS_LIB_GRO_FIXTURE_H

#include "driver/gro.h"
#include "tests/lib/tcp_stream.h"

#define FRAMES_MAX 512

struct gro_fixture {
	struct gro gro;
	unsigned sent_count, arena_count, got_count, writes, super_frames;
	int output_result;
	struct vnet last_vnet;
	uint8_t last[70000]; /* what was written last, without the vnet header */
	uint32_t last_len;
	struct tcp_frame sent[FRAMES_MAX], arena[FRAMES_MAX], got[FRAMES_MAX];
};

/** gro_fixture_set_up() / gro_fixture_tear_down() - of a cmocka test; *@state is the fixture. */
int gro_fixture_set_up(void **state);
int gro_fixture_tear_down(void **state);
/** stream_frame() - the next frame of @s in memory that stays, as gro_receive() wants it. */
struct tcp_frame *stream_frame(struct gro_fixture *fix, struct tcp_stream *s, uint32_t payload);
/** give() - note @frame as sent and pass it to gro_receive(). */
void give(struct gro_fixture *fix, struct tcp_frame *frame, bool csum_ok);
/** send_payload() - the next frame of @s, verified. */
void send_payload(struct gro_fixture *fix, struct tcp_stream *s, uint32_t payload);
/** assert_same_frames() - flush; what came out is what was sent, in order for each stream. Ethernet
 * padding may or may not survive. */
void assert_same_frames(struct gro_fixture *fix);

#endif
