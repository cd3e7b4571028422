/* SPDX-License-Identifier: BSD-2-Clause */
/* Frame source on the simulated wire: UDP at an exact rate, in bursts, or back to back. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "driver/sim/sim_internal.h"

#define FCS_BYTES  4
#define FRAME_MIN  64
#define BURST_MAX  10000
#define RATE_MAX   1e9
#define IP_OFFSET  14
#define UDP_OFFSET 34
#define PAYLOAD	   42
#define UDP_CHECK  (UDP_OFFSET + 6)
/* Rates are kept in millionths of a frame a second: 10^15 = 10^9 ns times 10^6. */
#define NANO_MICRO UINT64_C(1000000000000000)

/* UDP from 192.0.2.1 to 192.0.2.2 [RFC 5737], discard port; lengths and sums are filled in. */
static const uint8_t template[PAYLOAD] = {
	[12] = 0x08,
	[IP_OFFSET] = 0x45,
	[IP_OFFSET + 8] = 64,
	[IP_OFFSET + 9] = 17,
	[IP_OFFSET + 12] = 192,
	0,
	2,
	1,
	192,
	0,
	2,
	2,
	[UDP_OFFSET] = 0,
	9,
	0,
	9,
};

static void put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void make_frame(struct sim *sim, struct sim_source_state *s)
{
	struct frame_info info;
	uint32_t udp_len;

	s->len = s->set.frame_bytes - FCS_BYTES;
	udp_len = s->len - UDP_OFFSET;
	memset(s->frame, 0, s->len);
	memcpy(s->frame, template, sizeof(template));
	memcpy(s->frame, sim->options.mac, 6);
	memcpy(s->frame + 6, sim->options.mac, 6);
	s->frame[11] ^= 0xff; /* the sender: an address of its own on this wire */
	put16(s->frame + IP_OFFSET + 2, s->len - IP_OFFSET);
	put16(s->frame + UDP_OFFSET + 4, udp_len);
	(void)sim_offload_sum(
		s->frame, s->len, IP_OFFSET, UDP_OFFSET - 1, IP_OFFSET + 10, 0, false);
	(void)frame_parse(s->frame, s->len, &info);
	s->checksum_base =
		csum_partial(s->frame + UDP_OFFSET, udp_len, csum_pseudo(s->frame, &info, udp_len));
}

static int check(const struct sim *sim, const struct sim_source *source, struct error *err)
{
	unsigned longest = MIN(sim->chip->max_frame, SIM_FRAME_BYTES + FCS_BYTES);

	if (source->frame_bytes < FRAME_MIN || source->frame_bytes > longest)
		return error_usage(err,
			"The frame source cannot send frames of %u bytes on %s; take 64 to %u, FCS "
			"included",
			source->frame_bytes, sim->chip->name, longest);
	if (!isfinite(source->rate_pps) || source->rate_pps < 0 || source->rate_pps > RATE_MAX)
		return error_usage(err,
			"The frame source cannot send %g frames a second; take 0 (line rate) to "
			"1e9",
			source->rate_pps);
	if (source->burst > BURST_MAX)
		return error_usage(err,
			"The frame source cannot send bursts of %u frames; take 1 to %u",
			source->burst, BURST_MAX);
	if (source->rate_pps == 0 && sim->options.infinite_wire)
		return error_usage(err, "The frame source has no line rate on a wire of infinite "
					"speed (wire=infinite); give a rate");
	return 0;
}

int sim_source_set(
	struct sim *sim, const struct sim_source *source, uint64_t now_ns, struct error *err)
{
	struct sim_source_state *s = &sim->wire.source;
	uint64_t num;
	int error;

	if (source->on) {
		error = check(sim, source, err);
		if (error)
			return error;
	}
	/* A frame of the old setting that is on the wire is cut off. */
	if (sim->wire.phase == SIM_WIRE_SOURCE)
		sim->wire.phase = SIM_WIRE_IDLE;
	s->set = *source;
	s->set.burst = MAX(source->burst, 1u);
	s->burst_left = s->set.burst;
	s->made = 0;
	s->due_ns = MAX(now_ns, sim->now_ns);
	s->sum = 0;
	s->den = 0;
	if (source->on && source->rate_pps > 0) {
		num = s->set.burst * NANO_MICRO;
		s->den = MAX((uint64_t)llround(source->rate_pps * 1e6), 1u);
		s->period_ns = num / s->den;
		s->rest = num % s->den;
	}
	if (source->on)
		make_frame(sim, s);
	sim_wire_schedule(sim);
	return 0;
}

uint64_t sim_source_due(const struct sim_source_state *s)
{
	return s->set.on ? s->due_ns : TIME_NEVER;
}

/* When the next frame is due: the k-th burst at start + floor(k * period), summed without loss. */
static void plan_next(struct sim_source_state *s, uint64_t end_ns)
{
	if (s->set.count && s->made == s->set.count) {
		s->set.on = false;
		return;
	}
	if (!s->den) {
		s->due_ns = end_ns;
		return;
	}
	if (--s->burst_left)
		return;
	s->burst_left = s->set.burst;
	s->due_ns += s->period_ns;
	s->sum += s->rest;
	if (s->sum >= s->den) {
		s->sum -= s->den;
		s->due_ns++;
	}
}

void sim_source_take(struct sim *sim, uint64_t end_ns, struct sim_rx_frame *ret_frame)
{
	struct sim_source_state *s = &sim->wire.source;
	uint64_t sequence = __builtin_bswap64(s->made);
	uint16_t sum;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	sequence = s->made;
#endif
	memcpy(s->frame + PAYLOAD, &sequence, sizeof(sequence));
	sum = (uint16_t)~csum_fold(
		csum_partial(s->frame + PAYLOAD, sizeof(sequence), s->checksum_base));
	sum = sum ? sum : 0xffff;
	memcpy(s->frame + UDP_CHECK, &sum, sizeof(sum));
	s->made++;
	sim->counters.source_frames++;
	plan_next(s, end_ns);
	ret_frame->data = s->frame;
	ret_frame->len = s->len;
	ret_frame->known_good = true;
}
