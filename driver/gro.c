/* SPDX-License-Identifier: BSD-2-Clause */
/* Software receive offload: TCP segments of a flow gathered into one super-frame without copying.
 */
#include "driver/gro.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define IPV4_HEADER 20 /* headers with options are not merged */
#define TCP_FLAGS   13
#define TCP_WINDOW  14
#define TCP_OPTIONS 20

#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_PSH 0x08
#define TCP_ACK 0x10
#define TCP_URG 0x20
#define TCP_CWR 0x80

/* The layout that every common stack uses for the timestamps option (RFC 7323, appendix A): two
 * no-operations, kind 8, length 10, then two 32-bit numbers. */
#define TIMESTAMPS_BYTES  12
#define TIMESTAMPS_VALUES 4

static uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)get_be16(p) << 16 | get_be16(p + 2);
}

static void put_be16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static uint8_t *flow_frame(const struct gro_flow *flow)
{
	return flow->iov[1].iov_base;
}

static unsigned flow_segments(const struct gro_flow *flow)
{
	return flow->iov_count - 1;
}

static bool options_have_timestamps(const uint8_t *options, uint32_t len)
{
	static const uint8_t prefix[TIMESTAMPS_VALUES] = {1, 1, 8, 10};

	return len >= TIMESTAMPS_BYTES && memcmp(options, prefix, sizeof(prefix)) == 0;
}

/* Can this frame begin or continue a super-frame? */
static bool frame_merges(const uint8_t *data, const struct frame_info *info)
{
	const uint8_t *ip = data + info->l3_offset;
	uint8_t flags;

	if (info->l4_proto != IPPROTO_TCP || info->payload_len == 0)
		return false;
	flags = data[info->l4_offset + TCP_FLAGS];
	if (!(flags & TCP_ACK) || (flags & (TCP_FIN | TCP_SYN | TCP_RST | TCP_URG | TCP_CWR)))
		return false;
	if (info->ip_version == 6)
		return true;
	/* A merged header gets a new checksum; a wrong one must not become right by that. */
	return info->l4_offset - info->l3_offset == IPV4_HEADER &&
	       csum_fold(csum_partial(ip, IPV4_HEADER, 0)) == UINT16_MAX;
}

/* @count: how many segments lie between @a and @b. An identification has no meaning where "do not
 * fragment" is set (RFC 6864); elsewhere only what segmentation would count up may merge. */
static bool ipv4_headers_match(const uint8_t *a, const uint8_t *b, unsigned count)
{
	uint16_t id_step = (uint16_t)(get_be16(b + 4) - get_be16(a + 4));

	return a[0] == b[0] && a[1] == b[1] &&	     /* version, length, type of service */
	       get_be16(a + 6) == get_be16(b + 6) && /* fragment word */
	       get_be16(a + 8) == get_be16(b + 8) && /* time to live, protocol */
	       memcmp(a + 12, b + 12, 8) == 0 &&     /* addresses */
	       ((a[6] & 0x40) || id_step == count);
}

static bool ipv6_headers_match(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, 4) == 0 && memcmp(a + 6, b + 6, 34) == 0;
}

/* The acknowledgement may only grow, timestamps may change, all other options are equal. */
static bool tcp_headers_match(const uint8_t *a, const uint8_t *b, uint32_t header_len)
{
	uint32_t options = header_len - TCP_OPTIONS, skip = 0;

	if (memcmp(a, b, 4) != 0 || a[12] != b[12] || ((a[TCP_FLAGS] ^ b[TCP_FLAGS]) & ~TCP_PSH))
		return false;
	if ((int32_t)(get_be32(b + 8) - get_be32(a + 8)) < 0)
		return false;
	if (options_have_timestamps(a + TCP_OPTIONS, options) &&
		options_have_timestamps(b + TCP_OPTIONS, options))
		skip = TIMESTAMPS_BYTES;
	return memcmp(a + TCP_OPTIONS + skip, b + TCP_OPTIONS + skip, options - skip) == 0;
}

/* Is @data the next segment of @flow? */
static bool flow_takes(
	const struct gro_flow *flow, const uint8_t *data, const struct frame_info *info)
{
	const uint8_t *first = flow_frame(flow);
	const struct frame_info *own = &flow->info;

	if (own->l4_offset != info->l4_offset || own->payload_offset != info->payload_offset ||
		own->ip_version != info->ip_version)
		return false;
	if (get_be32(data + info->l4_offset + 4) != flow->next_seq ||
		info->payload_len > flow->segment_bytes ||
		flow->total + info->payload_len > UINT16_MAX)
		return false;
	if (memcmp(first, data, info->l3_offset) != 0)
		return false;
	first += info->l3_offset;
	if (info->ip_version == 4
			? !ipv4_headers_match(first, data + info->l3_offset, flow_segments(flow))
			: !ipv6_headers_match(first, data + info->l3_offset))
		return false;
	return tcp_headers_match(flow_frame(flow) + info->l4_offset, data + info->l4_offset,
		info->payload_offset - info->l4_offset);
}

/* Same addresses and ports: order matters between the two. */
static bool flow_is_of(
	const struct gro_flow *flow, const uint8_t *data, const struct frame_info *info)
{
	const uint8_t *first = flow_frame(flow);
	uint32_t at = info->ip_version == 4 ? 12 : 8, len = info->ip_version == 4 ? 8 : 32;

	return flow->used && flow->info.ip_version == info->ip_version &&
	       memcmp(first + flow->info.l3_offset + at, data + info->l3_offset + at, len) == 0 &&
	       memcmp(first + flow->info.l4_offset, data + info->l4_offset, 4) == 0;
}

/* Turn the first frame's headers into those of the super-frame. */
static void flow_finish_headers(struct gro_flow *flow, struct vnet *vnet)
{
	uint8_t *frame = flow_frame(flow), *ip = frame + flow->info.l3_offset;
	uint32_t l4_len = flow->total - flow->info.l4_offset;
	uint16_t sum;

	if (flow->info.ip_version == 4) {
		put_be16(ip + 2, flow->total - flow->info.l3_offset);
		put_be16(ip + 10, 0);
		sum = (uint16_t)~csum_fold(csum_partial(ip, IPV4_HEADER, 0));
		memcpy(ip + 10, &sum, sizeof(sum));
	} else {
		put_be16(ip + 4, l4_len);
	}
	sum = csum_fold(csum_pseudo(frame, &flow->info, l4_len));
	memcpy(frame + flow->info.l4_offset + 16, &sum, sizeof(sum));
	vnet->flags = VNET_NEEDS_CSUM;
	vnet->gso_type = flow->info.ip_version == 4 ? VNET_GSO_TCPV4 : VNET_GSO_TCPV6;
	vnet->gso_size = (uint16_t)flow->segment_bytes;
	vnet->hdr_len = flow->info.payload_offset;
	vnet->csum_start = flow->info.l4_offset;
	vnet->csum_offset = 16;
}

static void flow_flush(struct gro *gro, struct gro_flow *flow)
{
	struct vnet vnet = {0};
	unsigned segments = flow_segments(flow);

	if (segments > 1) {
		flow_finish_headers(flow, &vnet);
	} else {
		vnet_mark_verified(flow_frame(flow), flow->total, &flow->info, &vnet);
		gro->passed++;
	}
	flow->iov[0].iov_base = &vnet;
	flow->iov[0].iov_len = sizeof(vnet);
	if (gro->output(gro->ctx, flow->iov, (int)flow->iov_count) < 0)
		gro->output_errors += segments;
	flow->used = false;
	gro->flows_used--;
}

static struct gro_flow *flow_oldest(struct gro *gro)
{
	struct gro_flow *oldest = NULL;

	for (unsigned i = 0; i < GRO_FLOWS; i++) {
		struct gro_flow *flow = &gro->flow[i];

		if (flow->used && (!oldest || flow->order < oldest->order))
			oldest = flow;
	}
	return oldest;
}

static struct gro_flow *flow_find(
	struct gro *gro, const uint8_t *data, const struct frame_info *info)
{
	if (gro->flows_used == 0)
		return NULL;
	for (unsigned i = 0; i < GRO_FLOWS; i++)
		if (flow_is_of(&gro->flow[i], data, info))
			return &gro->flow[i];
	return NULL;
}

static void flow_start(struct gro *gro, uint8_t *data, const struct frame_info *info)
{
	struct gro_flow *flow = gro->flow;

	if (gro->flows_used == GRO_FLOWS)
		flow_flush(gro, flow_oldest(gro));
	while (flow->used)
		flow++;
	flow->used = true;
	flow->next_seq = get_be32(data + info->l4_offset + 4) + info->payload_len;
	flow->segment_bytes = info->payload_len;
	flow->total = info->payload_offset + info->payload_len;
	flow->info = *info;
	flow->order = gro->next_order++;
	flow->iov[1].iov_base = data;
	flow->iov[1].iov_len = flow->total; /* Ethernet padding left out */
	flow->iov_count = 2;
	gro->flows_used++;
}

/* Add the payload, and let the first header say what the newest one says. */
static void flow_append(struct gro_flow *flow, uint8_t *data, const struct frame_info *info)
{
	uint8_t *to = flow_frame(flow) + info->l4_offset, *from = data + info->l4_offset;
	struct iovec *iov = &flow->iov[flow->iov_count++];

	memcpy(to + 8, from + 8, 4);
	to[TCP_FLAGS] |= from[TCP_FLAGS] & TCP_PSH;
	memcpy(to + TCP_WINDOW, from + TCP_WINDOW, 2);
	memcpy(to + TCP_OPTIONS, from + TCP_OPTIONS,
		info->payload_offset - info->l4_offset - TCP_OPTIONS);
	iov->iov_base = data + info->payload_offset;
	iov->iov_len = info->payload_len;
	flow->total += info->payload_len;
	flow->next_seq += info->payload_len;
}

/* Segmentation makes all but the last segment equally long and sets PSH on the last one only. */
static bool flow_complete(
	const struct gro_flow *flow, const uint8_t *data, const struct frame_info *info)
{
	return info->payload_len < flow->segment_bytes ||
	       (data[info->l4_offset + TCP_FLAGS] & TCP_PSH) || flow_segments(flow) == GRO_SEGMENTS;
}

static void frame_pass(
	struct gro *gro, uint8_t *data, uint32_t len, const struct frame_info *info, bool csum_ok)
{
	struct vnet vnet = {0};
	struct iovec iov[2] = {{&vnet, sizeof(vnet)}, {data, len}};

	if (csum_ok)
		vnet_mark_verified(data, len, info, &vnet);
	gro->passed++;
	if (gro->output(gro->ctx, iov, 2) < 0)
		gro->output_errors++;
}

void gro_init(struct gro *gro, gro_output output, void *ctx)
{
	memset(gro, 0, sizeof(*gro));
	gro->output = output;
	gro->ctx = ctx;
}

void gro_receive(struct gro *gro, uint8_t *data, uint32_t len, bool csum_ok)
{
	struct gro_flow *flow = NULL;
	struct frame_info info;
	bool merges;

	(void)frame_parse(data, len, &info);
	if (info.l4_proto == IPPROTO_TCP)
		flow = flow_find(gro, data, &info);
	else if (info.fragment)
		gro_flush(gro); /* no ports in it: it may belong to any flow */
	merges = csum_ok && frame_merges(data, &info);
	if (flow && merges && flow_takes(flow, data, &info)) {
		flow_append(flow, data, &info);
		gro->merged++;
		if (flow_complete(flow, data, &info))
			flow_flush(gro, flow);
		return;
	}
	if (flow)
		flow_flush(gro, flow);
	if (merges && !(data[info.l4_offset + TCP_FLAGS] & TCP_PSH))
		flow_start(gro, data, &info);
	else
		frame_pass(gro, data, len, &info, csum_ok);
}

void gro_flush(struct gro *gro)
{
	while (gro->flows_used > 0)
		flow_flush(gro, flow_oldest(gro));
}
