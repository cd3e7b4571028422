/* SPDX-License-Identifier: BSD-2-Clause */
/* The wire towards the simulated chip: frames of the peer and of the source share it. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "driver/sim/sim_internal.h"

#define ETH_MIN	   60 /* without FCS */
#define OVERHEAD   24 /* FCS 4, preamble and start 8, gap 12 [IEEE 802.3] */
#define IPV4_CHECK 10
#define TCP_CHECK  16

uint64_t sim_wire_ns(const struct sim *sim, uint32_t len)
{
	/* A byte takes 8, 80 or 800 ns: whole nanoseconds at every speed, so nothing drifts. */
	uint64_t byte_ns = 8000 / sim->link.speed_mbps;

	if (sim->options.infinite_wire)
		return 0;
	return (MAX(len, ETH_MIN) + OVERHEAD) * byte_ns;
}

static uint32_t offer_segment_len(const struct sim_offer *offer)
{
	if (!offer->segmented)
		return offer->len;
	return offer->offload.header_bytes +
	       MIN(offer->offload.mss, offer->payload_len - offer->offset);
}

static uint64_t offer_ready(const struct sim_wire *wire)
{
	return wire->offer.pending ? wire->offer.ready_ns : TIME_NEVER;
}

static void begin(struct sim *sim, uint64_t now_ns)
{
	struct sim_wire *wire = &sim->wire;

	if (offer_ready(wire) <= sim_source_due(&wire->source)) {
		wire->phase = SIM_WIRE_PEER;
		wire->event_ns = now_ns + sim_wire_ns(sim, offer_segment_len(&wire->offer));
	} else {
		wire->phase = SIM_WIRE_SOURCE;
		wire->event_ns = now_ns + sim_wire_ns(sim, wire->source.len);
	}
}

void sim_wire_schedule(struct sim *sim)
{
	struct sim_wire *wire = &sim->wire;
	uint64_t ready = MIN(offer_ready(wire), sim_source_due(&wire->source));

	if (wire->phase == SIM_WIRE_PEER || wire->phase == SIM_WIRE_SOURCE)
		return;
	wire->phase = SIM_WIRE_IDLE;
	wire->event_ns = TIME_NEVER;
	if (ready == TIME_NEVER)
		return;
	wire->phase = SIM_WIRE_WAITING;
	wire->event_ns = MAX(wire->free_ns, ready);
}

/* The next wire frame of what the peer offered. */
static void take_offer(struct sim *sim, struct sim_rx_frame *ret_frame)
{
	struct sim_offer *offer = &sim->wire.offer;
	uint32_t header = offer->offload.header_bytes, len = offer_segment_len(offer);
	uint8_t *frame = sim->wire.frame;

	ret_frame->len = len;
	if (!offer->segmented) {
		ret_frame->data = offer->data;
		ret_frame->known_good = offer->offload.l4_sum != 0;
		offer->pending = false;
		return;
	}
	memcpy(frame, offer->data, header);
	memcpy(frame + header, offer->data + header + offer->offset, len - header);
	sim_offload_segment(&offer->offload, frame, len, offer->segment, offer->offset,
		offer->offset + (len - header) == offer->payload_len);
	offer->segment++;
	offer->offset += len - header;
	offer->pending = offer->offset < offer->payload_len;
	ret_frame->data = frame;
	ret_frame->known_good = true;
}

static void finish(struct sim *sim, uint64_t now_ns)
{
	struct sim_wire *wire = &sim->wire;
	struct sim_rx_frame frame;

	wire->free_ns = now_ns;
	if (wire->phase == SIM_WIRE_PEER)
		take_offer(sim, &frame);
	else
		sim_source_take(sim, now_ns, &frame);
	sim_rx_arrive(sim, &frame, now_ns);
	wire->phase = SIM_WIRE_IDLE;
	sim_wire_schedule(sim);
}

void sim_wire_run(struct sim *sim)
{
	struct sim_wire *wire = &sim->wire;

	if (wire->phase == SIM_WIRE_WAITING) {
		begin(sim, wire->event_ns);
		return;
	}
	finish(sim, wire->event_ns);
	if (wire->phase == SIM_WIRE_WAITING && wire->event_ns == wire->free_ns)
		begin(sim, wire->event_ns);
}

/* Headers of a super-frame, once, as sim_offload_segment() wants to find them. */
static int prepare_segments(struct sim_offer *offer, const struct vnet *vnet)
{
	struct sim_offload *o = &offer->offload;
	struct frame_info info;
	uint8_t *data = offer->data;
	uint16_t sum;

	if (!frame_parse(data, offer->len, &info) || info.l4_proto != IPPROTO_TCP ||
		!vnet->gso_size ||
		info.payload_offset + (uint32_t)vnet->gso_size > SIM_FRAME_BYTES ||
		!info.payload_len)
		return -EINVAL;
	*o = (struct sim_offload){
		.ip_start = info.l3_offset,
		.ip_sum = info.l3_offset + IPV4_CHECK,
		.ip_end = info.l4_offset - 1,
		.l4_start = info.l4_offset,
		.l4_sum = info.l4_offset + TCP_CHECK,
		.ipv4 = info.ip_version == 4,
		.tcp = true,
		.header_bytes = info.payload_offset,
		.mss = vnet->gso_size,
	};
	offer->payload_len = info.payload_len;
	if (o->ipv4)
		memset(data + o->ip_sum, 0, 2);
	sum = csum_fold(csum_pseudo(data, &info, 0));
	memcpy(data + o->l4_sum, &sum, sizeof(sum));
	return 0;
}

static int prepare_single(struct sim_offer *offer, const struct vnet *vnet)
{
	if (offer->len > SIM_FRAME_BYTES)
		return -EINVAL;
	offer->offload.l4_sum = 0;
	if (vnet->flags & VNET_NEEDS_CSUM) {
		if (!vnet_complete_csum(offer->data, offer->len, vnet))
			return -EINVAL;
		offer->offload.l4_sum = vnet->csum_start + vnet->csum_offset;
	}
	if (offer->len < ETH_MIN) {
		memset(offer->data + offer->len, 0, ETH_MIN - offer->len);
		offer->len = ETH_MIN;
	}
	return 0;
}

int sim_rx_offer(struct sim *sim, const uint8_t *data, uint32_t len, const struct vnet *vnet,
	uint64_t ready_ns)
{
	static const struct vnet plain;
	struct sim_offer *offer = &sim->wire.offer;
	int error;

	if (offer->pending)
		return -ENOBUFS;
	if (!vnet)
		vnet = &plain;
	offer->segment = 0;
	offer->offset = 0;
	offer->len = len;
	offer->segmented = (vnet->gso_type & ~VNET_GSO_ECN) != VNET_GSO_NONE;
	error = len < 14 || len > SIM_OFFER_BYTES ? -EINVAL : 0;
	if (!error) {
		memcpy(offer->data, data, len);
		error = offer->segmented ? prepare_segments(offer, vnet)
					 : prepare_single(offer, vnet);
	}
	if (error) {
		sim->counters.bad_offers++;
		return error;
	}
	offer->pending = true;
	offer->ready_ns = ready_ns;
	sim_wire_schedule(sim);
	return 0;
}

/* Wire time of the segments that have not begun. */
static uint64_t rest_ns(const struct sim *sim)
{
	const struct sim_offer *offer = &sim->wire.offer;
	uint32_t header = offer->offload.header_bytes, mss = offer->offload.mss;
	uint32_t left = offer->payload_len - offer->offset;
	uint64_t ns;

	if (sim->wire.phase == SIM_WIRE_PEER)
		left -= MIN(left, mss);
	ns = left / mss * sim_wire_ns(sim, header + mss);
	if (left % mss)
		ns += sim_wire_ns(sim, header + left % mss);
	return ns;
}

bool sim_rx_idle(const struct sim *sim, uint64_t *ret_free_ns)
{
	const struct sim_wire *wire = &sim->wire;
	bool busy = wire->phase == SIM_WIRE_PEER || wire->phase == SIM_WIRE_SOURCE;
	uint64_t free_ns = busy ? wire->event_ns : wire->free_ns;

	if (wire->offer.pending && wire->offer.segmented)
		free_ns += rest_ns(sim);
	if (ret_free_ns)
		*ret_free_ns = free_ns;
	return !wire->offer.pending;
}

void sim_sink_set(struct sim *sim, bool on)
{
	sim->wire.sink = on;
}
