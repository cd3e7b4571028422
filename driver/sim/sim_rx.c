/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive unit of the simulated chip: filter, packet buffer, descriptors, checksum verdicts. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "driver/sim/sim_internal.h"

#define FCS_BYTES      4
#define STANDARD_FRAME 1522	  /* longest frame with FCS while RCTL.LPE is off: one VLAN tag */
#define RECORD_ALIGN   16	  /* packet buffer granularity */
#define RXCSUM_PCSS    0xffu	  /* where the packet checksum starts [SDM-8254x 13.4.45] */
#define RXCSUM_PCSD    (1u << 13) /* 8257x: no packet checksum, the field holds the RSS hash */

/* Extended status bits that repeat what the legacy ones say [hardware notes 1.6]. */
#define RXE_STAT_ACK (1u << 15)

#define RXE_ERRORS_SHIFT 24 /* the legacy error byte lies here in the extended format */

/* What one descriptor says; errors as in the legacy error byte. */
struct write_back {
	uint32_t len, status, errors;
	uint16_t checksum;
};

struct record {
	uint32_t len;
	bool known_good;
};

int sim_rx_init(struct sim *sim)
{
	struct sim_rx *rx = &sim->rx;

	rx->limit_bytes = sim->chip->rx_pba_kib * 1024;
	/* Twice: records have a header, are contiguous, and waste up to a frame where they wrap. */
	rx->buffer_size = 2 * (rx->limit_bytes + SIM_FRAME_BYTES);
	rx->buffer = malloc(rx->buffer_size);
	return rx->buffer ? 0 : -ENOMEM;
}

void sim_rx_fini(struct sim *sim)
{
	free(sim->rx.buffer);
}

void sim_rx_reset(struct sim *sim)
{
	struct sim_rx *rx = &sim->rx;

	rx->ring = (struct sim_ring){0};
	rx->enabled = false;
	rx->wedged = false;
	rx->hung = false;
	rx->drain_ns = TIME_NEVER;
	rx->put = 0;
	rx->get = 0;
	rx->frames = 0;
	rx->used_bytes = 0;
	rx->buffer_bytes = 2048;
	rx->crc_bytes = FCS_BYTES;
}

void sim_rx_write_rctl(struct sim *sim, uint32_t old_rctl)
{
	uint32_t rctl = sim_reg(sim, REG_RCTL);
	uint32_t code = rctl >> RCTL_BSIZE_SHIFT & 3;

	sim->rx.buffer_bytes = 2048u >> code;
	if ((rctl & RCTL_BSEX) && code)
		sim->rx.buffer_bytes = 32768u >> code;
	sim->rx.enabled = (rctl & RCTL_EN) != 0;
	sim->rx.crc_bytes = rctl & RCTL_SECRC ? 0 : FCS_BYTES;
	if ((old_rctl & RCTL_EN) && !sim->rx.enabled &&
		chip_has_quirk(sim->chip, QUIRK_RX_STAYS_ENABLED))
		sim->rx.wedged = true;
}

static uint32_t free_descriptors(const struct sim_ring *ring)
{
	uint32_t tail = ring->tail;

	if (tail >= ring->count)
		return 0;
	return tail >= ring->head ? tail - ring->head : tail + ring->count - ring->head;
}

void sim_rx_write_tail(struct sim *sim, uint32_t tail, uint64_t now_ns)
{
	sim->rx.ring.tail = tail;
	if (sim->rx.frames)
		sim->rx.drain_ns = MIN(sim->rx.drain_ns, now_ns);
}

/* --- checksum verdicts --- */

/* Return: status bits, with error bits of the legacy error byte above bit 16. */
static uint32_t judge_l4(const uint8_t *data, const struct frame_info *info, bool known_good)
{
	const uint8_t *l4 = data + info->l4_offset;
	uint32_t len = info->payload_offset - info->l4_offset + info->payload_len;
	/* TCPCS means "layer 4 was checked", UDPCS adds that it was UDP. */
	uint32_t bit = RX_STAT_TCPCS | (info->l4_proto == IPPROTO_UDP ? RX_STAT_UDPCS : 0);

	if (info->l4_proto == IPPROTO_UDP && !l4[6] && !l4[7])
		return 0; /* the sender made none */
	if (known_good || csum_fold(csum_partial(l4, len, csum_pseudo(data, info, len))) == 0xffff)
		return bit;
	return bit | RXL_ERR_TCPE << 16;
}

static uint32_t judge(struct sim *sim, const struct sim_rx_frame *frame)
{
	uint32_t rxcsum = sim_reg(sim, REG_RXCSUM), verdict = 0;
	struct frame_info info;

	if (!(rxcsum & (RXCSUM_IPOFL | RXCSUM_TUOFL)) ||
		!frame_parse(frame->data, frame->len, &info) || !info.ip_version)
		return RX_STAT_IXSM;
	if (info.ip_version == 4 && (rxcsum & RXCSUM_IPOFL)) {
		const uint8_t *ip = frame->data + info.l3_offset;

		verdict |= RX_STAT_IPCS;
		if (csum_fold(csum_partial(ip, info.l4_offset - info.l3_offset, 0)) != 0xffff)
			verdict |= RXL_ERR_IPE << 16;
	}
	if (info.l4_proto && (rxcsum & RXCSUM_TUOFL))
		verdict |= judge_l4(frame->data, &info, frame->known_good);
	return verdict ? verdict : RX_STAT_IXSM;
}

/* --- delivery into descriptors --- */

static bool extended(const struct sim *sim)
{
	return sim->chip->rx_format == RX_FORMAT_EXTENDED && (sim->moderation.rfctl & RFCTL_EXTEN);
}

/* The one's complement sum of the frame from RXCSUM.PCSS on, not inverted, as it lies in memory. */
static uint16_t packet_checksum(const struct sim *sim, const uint8_t *data, uint32_t len)
{
	uint32_t rxcsum = sim_reg(sim, REG_RXCSUM), start = rxcsum & RXCSUM_PCSS;

	if (start >= len || (sim->chip->family == FAM_E1000E && (rxcsum & RXCSUM_PCSD)))
		return 0;
	return csum_fold(csum_partial(data + start, len - start, 0));
}

static void write_back(struct sim *sim, struct desc *d, const struct write_back *wb)
{
	if (extended(sim)) {
		d->word[0] = (uint64_t)wb->checksum << 48;
		desc_store_status(d, wb->status | (uint64_t)wb->errors << RXE_ERRORS_SHIFT |
					     (uint64_t)wb->len << RXE_LEN_SHIFT);
		return;
	}
	desc_store_status(d, wb->len | (uint64_t)wb->checksum << 16 |
				     (uint64_t)(wb->status & 0xff) << RXL_STATUS_SHIFT |
				     (uint64_t)wb->errors << RXL_ERRORS_SHIFT);
}

static bool is_pure_ack(const struct sim_rx_frame *frame)
{
	struct frame_info info;

	return frame_parse(frame->data, frame->len, &info) && info.l4_proto == IPPROTO_TCP &&
	       !info.payload_len && (frame->data[info.l4_offset + 13] & 0x10);
}

static void advance_head(struct sim *sim, uint64_t now_ns)
{
	struct sim_ring *ring = &sim->rx.ring;
	unsigned shift = 1 + (sim_reg(sim, REG_RCTL) >> RCTL_RDMTS_SHIFT & 3);

	if (++ring->head == ring->count)
		ring->head = 0;
	if (free_descriptors(ring) == ring->count >> shift)
		sim_moderation_cause(&sim->moderation, ICR_RXDMT0, now_ns);
}

/* @data as it goes to the host, FCS included where RCTL.SECRC is off. */
static void fill_descriptors(
	struct sim *sim, const uint8_t *data, uint32_t len, struct write_back *wb, uint64_t now_ns)
{
	uint32_t offset = 0, status = wb->status, errors = wb->errors;

	do {
		struct desc *d = &sim->rx.ring.desc[sim->rx.ring.head];
		uint8_t *dst;

		wb->len = MIN(len - offset, sim->rx.buffer_bytes);
		dst = sim_dma_at(sim, d->word[0], wb->len, &sim->rx.hint);
		if (dst && !(errors & RXL_ERR_RXE))
			memcpy(dst, data + offset, wb->len);
		else
			errors |= RXL_ERR_RXE;
		offset += wb->len;
		wb->status = RX_STAT_DD | (offset == len ? RX_STAT_EOP | status : 0);
		wb->errors = offset == len ? errors : 0;
		write_back(sim, d, wb);
		advance_head(sim, now_ns);
	} while (offset < len);
}

/* The descriptors for it are there. */
static void deliver(struct sim *sim, const struct sim_rx_frame *frame, uint64_t now_ns)
{
	uint32_t verdict = judge(sim, frame), fcs;
	bool ack = sim_moderation_wants_acks(&sim->moderation) && is_pure_ack(frame);
	struct write_back wb = {
		.status = (verdict & 0xffff) | (ack && extended(sim) ? RXE_STAT_ACK : 0),
		.errors = verdict >> 16,
		.checksum = packet_checksum(sim, frame->data, frame->len),
	};
	const uint8_t *data = frame->data;

	if (sim_fault_strike(sim, SIM_FAULT_DMA_ERROR)) {
		sim->counters.dma_dropped++;
		wb.errors |= RXL_ERR_RXE;
	}
	if (sim->rx.crc_bytes) {
		memcpy(sim->rx.scratch, frame->data, frame->len);
		fcs = sim_crc32(frame->data, frame->len);
		memcpy(sim->rx.scratch + frame->len, &fcs, sizeof(fcs));
		data = sim->rx.scratch;
	}
	fill_descriptors(sim, data, frame->len + sim->rx.crc_bytes, &wb, now_ns);
	sim_moderation_rx(&sim->moderation, frame->len + FCS_BYTES, ack, now_ns);
}

static bool has_room(struct sim *sim, uint32_t len)
{
	struct sim_rx *rx = &sim->rx;
	uint32_t need = (len + rx->crc_bytes + rx->buffer_bytes - 1) / rx->buffer_bytes;

	return sim_ring_ready(sim, &rx->ring) && free_descriptors(&rx->ring) >= need;
}

/* --- packet buffer --- */

static uint32_t record_bytes(uint32_t len)
{
	return (len + FCS_BYTES + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

static uint32_t storage_bytes(uint32_t len)
{
	return (uint32_t)sizeof(struct record) + record_bytes(len);
}

static void store(struct sim *sim, const struct sim_rx_frame *frame, uint64_t now_ns)
{
	struct sim_rx *rx = &sim->rx;
	struct record record = {.len = frame->len, .known_good = frame->known_good};

	if (rx->used_bytes + record_bytes(frame->len) > rx->limit_bytes) {
		sim->counters.rx_missed++;
		sim_count(sim, REG_MPC);
		sim_moderation_cause(&sim->moderation, ICR_RXO, now_ns);
		return;
	}
	if (rx->put + sizeof(record) + SIM_FRAME_BYTES > rx->buffer_size)
		rx->put = 0;
	memcpy(rx->buffer + rx->put, &record, sizeof(record));
	memcpy(rx->buffer + rx->put + sizeof(record), frame->data, frame->len);
	rx->put += storage_bytes(frame->len);
	rx->used_bytes += record_bytes(frame->len);
	rx->frames++;
}

void sim_rx_drain(struct sim *sim, uint64_t now_ns)
{
	struct sim_rx *rx = &sim->rx;
	struct record record;

	rx->drain_ns = TIME_NEVER;
	while (rx->frames && !rx->hung && !rx->wedged && rx->enabled) {
		struct sim_rx_frame frame;

		if (rx->get + sizeof(record) + SIM_FRAME_BYTES > rx->buffer_size)
			rx->get = 0;
		memcpy(&record, rx->buffer + rx->get, sizeof(record));
		if (!has_room(sim, record.len))
			return;
		frame.data = rx->buffer + rx->get + sizeof(record);
		frame.len = record.len;
		frame.known_good = record.known_good;
		deliver(sim, &frame, now_ns);
		rx->get += storage_bytes(record.len);
		rx->used_bytes -= record_bytes(record.len);
		rx->frames--;
	}
}

/* --- arrival --- */

static uint64_t address_of(const uint8_t *mac)
{
	uint64_t value = 0;

	memcpy(&value, mac, 6);
	return value;
}

/* MTA: 4096 bits, chosen by twelve bits of the address, which ones by RCTL.MO [SDM-8254x 13.4.22, 13.5.1]. */
static bool in_group_table(const struct sim *sim, uint64_t to)
{
	static const uint8_t first_bit[] = {36, 35, 34, 32};
	unsigned hash = to >> first_bit[sim_reg(sim, REG_RCTL) >> RCTL_MO_SHIFT & 3] & 0xfff;

	return sim_reg(sim, REG_MTA + (hash >> 5) * 4) >> (hash & 31) & 1;
}

static bool wanted(const struct sim *sim, const uint8_t *data)
{
	uint32_t rctl = sim_reg(sim, REG_RCTL);
	uint64_t to = address_of(data);

	if (to == 0xffffffffffffull)
		return (rctl & (RCTL_BAM | RCTL_MPE)) != 0;
	if (data[0] & 1)
		return (rctl & RCTL_MPE) || in_group_table(sim, to);
	if (rctl & RCTL_UPE)
		return true;
	for (unsigned i = 0; i < sim->address_count; i++)
		if (sim->address[i] == to)
			return true;
	return false;
}

static uint32_t longest_frame(const struct sim *sim)
{
	bool lpe = (sim_reg(sim, REG_RCTL) & RCTL_LPE) != 0;

	return (lpe ? sim->chip->max_frame : STANDARD_FRAME) - FCS_BYTES;
}

void sim_rx_arrive(struct sim *sim, const struct sim_rx_frame *frame, uint64_t now_ns)
{
	struct sim_rx *rx = &sim->rx;

	if (!sim->link.up || sim_gone(sim))
		return;
	sim->counters.wire_rx_frames++;
	sim->counters.wire_rx_bytes += frame->len;
	sim_count(sim, REG_TPR);
	if (!rx->enabled || frame->len > longest_frame(sim) || !wanted(sim, frame->data))
		return;
	sim_count(sim, REG_GPRC);
	sim->good_rx_octets += frame->len + FCS_BYTES;
	if (!rx->frames && !rx->hung && !rx->wedged && has_room(sim, frame->len)) {
		deliver(sim, frame, now_ns);
		return;
	}
	sim_count(sim, REG_RNBC);
	store(sim, frame, now_ns);
}
