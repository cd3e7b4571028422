/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects what receive offload gives out and compares it with what it was given. */
#include "tests/lib/gro_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct tcp_frame *stream_frame(struct gro_fixture *fix, struct tcp_stream *s, uint32_t payload)
{
	struct tcp_frame *frame = &fix->arena[fix->arena_count++];

	assert_true(fix->arena_count <= FRAMES_MAX);
	tcp_stream_next(s, payload, frame);
	return frame;
}

void give(struct gro_fixture *fix, struct tcp_frame *frame, bool csum_ok)
{
	fix->sent[fix->sent_count++] = *frame;
	gro_receive(&fix->gro, frame->data, frame->len, csum_ok);
}

void send_payload(struct gro_fixture *fix, struct tcp_stream *s, uint32_t payload)
{
	give(fix, stream_frame(fix, s, payload), true);
}

static void check_super_frame(struct gro_fixture *fix)
{
	const struct vnet *vnet = &fix->last_vnet;
	uint32_t l3 = tcp_frame_l3(fix->last), l4 = tcp_frame_l4(fix->last);

	fix->super_frames++;
	assert_int_equal(vnet->flags, VNET_NEEDS_CSUM);
	assert_int_equal(vnet->gso_type, fix->last[l3] >> 4 == 4 ? VNET_GSO_TCPV4 : VNET_GSO_TCPV6);
	assert_int_equal(vnet->hdr_len, l4 + (uint32_t)(fix->last[l4 + 12] >> 4) * 4);
	assert_int_equal(vnet->csum_start, l4);
	assert_int_equal(vnet->csum_offset, 16);
	assert_int_equal(
		get16(fix->last + l4 + 16), tcp_frame_pseudo_sum(fix->last, fix->last_len - l4));
	assert_int_equal(tcp_frame_end(fix->last), fix->last_len);
	if (fix->last[l3] >> 4 == 4)
		assert_int_equal(naive_sum(fix->last + l3, 20, 0), 0xffff);
}

/* A frame that was given out alone: with a partial checksum when it was verified. */
static void keep_single(struct gro_fixture *fix)
{
	struct tcp_frame *frame = &fix->got[fix->got_count++];
	uint32_t l4, end;

	frame->len = fix->last_len;
	memcpy(frame->data, fix->last, fix->last_len);
	if (!fix->last_vnet.flags)
		return;
	l4 = tcp_frame_l4(frame->data);
	end = tcp_frame_end(frame->data);
	assert_int_equal(get16(frame->data + l4 + 16), tcp_frame_pseudo_sum(frame->data, end - l4));
	tcp_frame_set_csum(frame->data, end);
}

static int collect(void *ctx, const struct iovec *iov, int count)
{
	struct gro_fixture *fix = ctx;

	fix->writes++;
	assert_int_equal(iov[0].iov_len, sizeof(struct vnet));
	memcpy(&fix->last_vnet, iov[0].iov_base, sizeof(struct vnet));
	fix->last_len = 0;
	for (int i = 1; i < count; i++) {
		assert_true(fix->last_len + iov[i].iov_len <= 65535);
		memcpy(fix->last + fix->last_len, iov[i].iov_base, iov[i].iov_len);
		fix->last_len += (uint32_t)iov[i].iov_len;
	}
	if (fix->last_vnet.gso_type == VNET_GSO_NONE) {
		keep_single(fix);
	} else {
		check_super_frame(fix);
		fix->got_count += tcp_frame_cut(fix->last, fix->last_len, fix->last_vnet.gso_size,
			&fix->got[fix->got_count]);
	}
	return fix->output_result;
}

int gro_fixture_set_up(void **state)
{
	struct gro_fixture *fix = calloc(1, sizeof(*fix));

	if (!fix)
		return -1;
	gro_init(&fix->gro, collect, fix);
	*state = fix;
	return 0;
}

int gro_fixture_tear_down(void **state)
{
	free(*state);
	return 0;
}

static bool same_stream(const struct tcp_frame *a, const struct tcp_frame *b)
{
	uint32_t l4a = tcp_frame_l4(a->data), l4b = tcp_frame_l4(b->data);

	return l4a == l4b && get16(a->data + l4a) == get16(b->data + l4b);
}

void assert_same_frames(struct gro_fixture *fix)
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
