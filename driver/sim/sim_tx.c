/* SPDX-License-Identifier: BSD-2-Clause */
/* Transmit unit of the simulated chip: fetches descriptors, paces frames, writes back. */
#include <string.h>

#include "driver/sim/sim_internal.h"

#define ETH_MIN	   60 /* without FCS; TCTL.PSP pads to it */
#define ETH_HEADER 14
#define FCS_BYTES  4

enum fetch { FETCH_FRAME, FETCH_SKIPPED, FETCH_INCOMPLETE };

void sim_tx_reset(struct sim *sim)
{
	struct sim_tx *tx = &sim->tx;

	tx->ring = (struct sim_ring){0};
	tx->phase = SIM_TX_IDLE;
	tx->event_ns = TIME_NEVER;
	tx->hung = false;
	tx->seen_tail = 0;
	tx->seen_ns = 0;
	tx->tail_first = 0;
	tx->tail_count = 0;
	memset(&tx->context, 0, sizeof(tx->context));
}

static bool may_send(const struct sim *sim)
{
	return (sim_reg(sim, REG_TCTL) & TCTL_EN) && sim->link.up && !sim->tx.hung &&
	       !sim_gone(sim);
}

/* Learn of the next tail write. Return: false when there is none. */
static bool see_next_tail(struct sim_tx *tx)
{
	const struct sim_tail *entry = &tx->tails[tx->tail_first % SIM_TAILS];

	if (!tx->tail_count)
		return false;
	tx->seen_tail = entry->tail;
	tx->seen_ns = entry->at_ns;
	tx->tail_first++;
	tx->tail_count--;
	return true;
}

static void schedule(struct sim *sim)
{
	struct sim_tx *tx = &sim->tx;

	tx->phase = SIM_TX_IDLE;
	tx->event_ns = TIME_NEVER;
	if (!may_send(sim) || !sim_ring_ready(sim, &tx->ring))
		return;
	while (tx->ring.head == tx->seen_tail)
		if (!see_next_tail(tx))
			return;
	tx->phase = SIM_TX_WAITING;
	tx->event_ns = MAX(tx->free_ns, tx->seen_ns);
}

void sim_tx_abort(struct sim *sim)
{
	if (sim->tx.phase == SIM_TX_SENDING)
		sim->counters.dma_dropped++;
	sim->tx.phase = SIM_TX_IDLE;
	sim->tx.event_ns = TIME_NEVER;
}

void sim_tx_write_ring(struct sim *sim, uint32_t which, uint32_t value)
{
	struct sim_tx *tx = &sim->tx;

	sim_tx_abort(sim);
	sim_ring_write(&tx->ring, which, value);
	if (which == RING_HEAD) {
		tx->seen_tail = tx->ring.head;
		tx->tail_count = 0;
	}
}

void sim_tx_write_tail(struct sim *sim, uint32_t tail, uint64_t now_ns)
{
	struct sim_tx *tx = &sim->tx;
	struct sim_tail *entry;

	tx->ring.tail = tail;
	if (tail >= tx->ring.count)
		return;
	/* Full: the newest entry takes the later time, so that no frame starts before its tail
	 * write. */
	if (tx->tail_count < SIM_TAILS)
		tx->tail_count++;
	entry = &tx->tails[(tx->tail_first + tx->tail_count - 1) % SIM_TAILS];
	*entry = (struct sim_tail){.tail = tail, .at_ns = now_ns};
	if (tx->phase == SIM_TX_IDLE)
		schedule(sim);
}

void sim_tx_kick(struct sim *sim, uint64_t now_ns)
{
	struct sim_tx *tx = &sim->tx;

	if (tx->phase != SIM_TX_IDLE)
		return;
	tx->free_ns = MAX(tx->free_ns, now_ns);
	schedule(sim);
}

static uint32_t ring_next(const struct sim_ring *ring, uint32_t index)
{
	return index + 1 == ring->count ? 0 : index + 1;
}

static void take_context(struct sim_offload *context, uint64_t w0, uint64_t w1)
{
	context->ip_start = w0 >> TX_CTX_IPCSS_SHIFT & 0xff;
	context->ip_sum = w0 >> TX_CTX_IPCSO_SHIFT & 0xff;
	context->ip_end = w0 >> TX_CTX_IPCSE_SHIFT & 0xffff;
	context->l4_start = w0 >> TX_CTX_TUCSS_SHIFT & 0xff;
	context->l4_sum = w0 >> TX_CTX_TUCSO_SHIFT & 0xff;
	context->l4_end = w0 >> TX_CTX_TUCSE_SHIFT & 0xffff;
	context->ipv4 = (w1 & TX_CMD_IP) != 0;
	context->tcp = (w1 & TX_CMD_TCP) != 0;
	context->payload_bytes = w1 & TX_LEN_MASK_DATA;
	context->header_bytes = w1 >> TX_CTX_HDRLEN_SHIFT & 0xff;
	context->mss = w1 >> TX_CTX_MSS_SHIFT & 0xffff;
}

/* Write back [from, to) and raise what that causes. */
static void write_back(struct sim *sim, uint32_t from, uint32_t to, uint64_t now_ns)
{
	struct sim_ring *ring = &sim->tx.ring;
	bool any = false, ide = false;

	for (uint32_t i = from; i != to; i = ring_next(ring, i)) {
		uint64_t w1 = desc_load_status(&ring->desc[i]);

		if (!sim_moderation_tx_writes_back(&sim->moderation, (w1 & TX_CMD_RS) != 0))
			continue;
		desc_store_status(&ring->desc[i], w1 | TX_STAT_DD);
		any = true;
		ide = (w1 & TX_CMD_IDE) != 0;
	}
	ring->head = to;
	if (any)
		sim_moderation_tx(&sim->moderation, ide, now_ns);
	if (to == ring->tail)
		sim_moderation_cause(&sim->moderation, ICR_TXQE, now_ns);
}

/* The first data descriptor of a packet says what is to be done with it. */
static void begin_packet(struct sim_tx *tx, uint64_t w1)
{
	struct sim_packet *p = &tx->packet;

	p->ifcs = (w1 & TX_CMD_IFCS) != 0;
	if (w1 & TX_CMD_DEXT) {
		p->offload = tx->context;
		p->tse = (w1 & TX_CMD_TSE) != 0;
		p->ixsm = (w1 & TX_POPTS_IXSM) != 0;
		p->txsm = (w1 & TX_POPTS_TXSM) != 0;
		return;
	}
	p->tse = false;
	p->ixsm = false;
	p->txsm = (w1 & TX_CMD_IC) != 0;
	p->offload = (struct sim_offload){
		.l4_start = w1 >> TX_LEGACY_CSS_SHIFT & 0xff,
		.l4_sum = w1 >> TX_LEGACY_CSO_SHIFT & 0xff,
		.tcp = true, /* a legacy descriptor does not know UDP's rule for a sum of zero */
	};
}

/* Return: false when the descriptor cannot be taken. */
static bool add_fragment(struct sim *sim, uint64_t w0, uint64_t w1)
{
	struct sim_packet *p = &sim->tx.packet;
	uint32_t len = w1 & (w1 & TX_CMD_DEXT ? TX_LEN_MASK_DATA : TX_LEN_MASK_LEGACY);
	struct sim_fragment *f = &p->fragment[p->fragment_count];

	if (len > sim->chip->tx_desc_bytes || p->fragment_count == SIM_FRAGMENTS)
		return false;
	if (!len)
		return true;
	f->data = sim_dma_at(sim, w0, len, &sim->tx.hint);
	f->len = len;
	if (!f->data)
		return false;
	p->fragment_count++;
	p->total += len;
	return true;
}

/* Collect one packet from the head on; on FETCH_INCOMPLETE nothing has changed. */
static enum fetch collect(struct sim *sim, bool *ret_good)
{
	struct sim_tx *tx = &sim->tx;
	struct sim_packet *p = &tx->packet;
	uint64_t w1 = 0;
	bool good = true, first = true;

	p->fragment_count = 0;
	p->total = 0;
	p->next = tx->ring.head;
	do {
		const struct desc *d = &tx->ring.desc[p->next];

		if (p->next == tx->seen_tail)
			return FETCH_INCOMPLETE;
		w1 = desc_load_status(d);
		p->next = ring_next(&tx->ring, p->next);
		if ((w1 & TX_CMD_DEXT) && (w1 & TX_DTYP_MASK) == TX_DTYP_CONTEXT) {
			if (!first) {
				good = false;
				continue;
			}
			take_context(&tx->context, d->word[0], w1);
			return FETCH_SKIPPED;
		}
		if (first)
			begin_packet(tx, w1);
		first = false;
		good = good && add_fragment(sim, d->word[0], w1);
	} while (!(w1 & TX_CMD_EOP));
	*ret_good = good;
	return FETCH_FRAME;
}

static bool packet_valid(const struct sim *sim, struct sim_packet *p)
{
	uint32_t longest = MIN(sim->chip->max_frame - FCS_BYTES, SIM_FRAME_BYTES);

	if (!p->tse)
		return p->total >= ETH_HEADER && p->total <= longest;
	return sim_offload_valid(&p->offload) && p->offload.payload_bytes &&
	       p->total == p->offload.header_bytes + p->offload.payload_bytes &&
	       p->offload.header_bytes + (uint32_t)p->offload.mss <= longest;
}

static void copy_out(struct sim_packet *p, uint8_t *dst, uint32_t len)
{
	while (len) {
		const struct sim_fragment *f = &p->fragment[p->at_fragment];
		uint32_t chunk = MIN(len, f->len - p->at_byte);

		memcpy(dst, f->data + p->at_byte, chunk);
		dst += chunk;
		len -= chunk;
		p->at_byte += chunk;
		if (p->at_byte == f->len) {
			p->at_fragment++;
			p->at_byte = 0;
		}
	}
}

static void plan_segment(struct sim_packet *p)
{
	p->segment_len = p->total;
	if (p->tse)
		p->segment_len = p->offload.header_bytes +
				 MIN(p->offload.mss, p->offload.payload_bytes - p->offset);
}

static void start_packet(struct sim_packet *p)
{
	p->segment = 0;
	p->offset = 0;
	p->at_fragment = 0;
	p->at_byte = 0;
	if (p->tse)
		copy_out(p, p->header, p->offload.header_bytes);
	plan_segment(p);
}

/* Take descriptors until a frame can go on the wire at @now_ns. */
static enum fetch fetch(struct sim *sim, uint64_t now_ns)
{
	struct sim_tx *tx = &sim->tx;
	bool good = false;
	enum fetch got = collect(sim, &good);

	if (got == FETCH_INCOMPLETE)
		return got;
	if (got == FETCH_SKIPPED) {
		write_back(sim, tx->ring.head, tx->packet.next, now_ns);
		return got;
	}
	if (good && packet_valid(sim, &tx->packet)) {
		if (!sim_fault_strike(sim, SIM_FAULT_DMA_ERROR)) {
			start_packet(&tx->packet);
			return FETCH_FRAME;
		}
		sim->counters.dma_dropped++;
	} else {
		sim->counters.bad_descriptors++;
	}
	write_back(sim, tx->ring.head, tx->packet.next, now_ns);
	return FETCH_SKIPPED;
}

static void insert_sums(const struct sim_packet *p, uint8_t *frame, uint32_t len)
{
	const struct sim_offload *o = &p->offload;

	if (p->ixsm)
		(void)sim_offload_sum(frame, len, o->ip_start, o->ip_end, o->ip_sum, 0, false);
	if (p->txsm)
		(void)sim_offload_sum(frame, len, o->l4_start, o->l4_end, o->l4_sum, 0, !o->tcp);
}

static uint32_t build_segment(struct sim_packet *p, uint8_t *frame)
{
	uint32_t len = p->segment_len;

	if (!p->tse) {
		copy_out(p, frame, len);
		insert_sums(p, frame, len);
		return len;
	}
	memcpy(frame, p->header, p->offload.header_bytes);
	copy_out(p, frame + p->offload.header_bytes, len - p->offload.header_bytes);
	sim_offload_segment(&p->offload, frame, len, p->segment, p->offset,
		p->offset + (len - p->offload.header_bytes) == p->offload.payload_bytes);
	return len;
}

/* Give the frame to the far end, which drops runts and, when the host made the FCS, a wrong one. */
static void deliver(struct sim *sim, struct sim_out *out, uint64_t now_ns)
{
	struct sim_packet *p = &sim->tx.packet;
	struct sim_frame *f = &out->frame[out->frame_count];
	uint32_t fcs;

	f->len = build_segment(p, f->data);
	f->at_ns = now_ns;
	if (!p->ifcs) {
		f->len -= FCS_BYTES;
		memcpy(&fcs, f->data + f->len, sizeof(fcs));
		if (fcs != sim_crc32(f->data, f->len))
			return;
	}
	if (f->len < ETH_MIN) {
		if (!(sim_reg(sim, REG_TCTL) & TCTL_PSP))
			return;
		memset(f->data + f->len, 0, ETH_MIN - f->len);
		f->len = ETH_MIN;
	}
	out->frame_count++;
}

static void finish_segment(struct sim *sim, struct sim_out *out, uint64_t now_ns)
{
	struct sim_packet *p = &sim->tx.packet;
	uint32_t len = MAX(p->segment_len, ETH_MIN);

	sim->counters.wire_tx_frames++;
	sim->counters.wire_tx_bytes += len;
	sim_count(sim, REG_GPTC);
	sim_count(sim, REG_TPT);
	sim->good_tx_octets += len + FCS_BYTES;
	if (sim->wire.sink)
		sim->counters.sink_frames++;
	else
		deliver(sim, out, now_ns);
	sim->tx.free_ns = now_ns;
}

/* Begin the frame that the packet's progress stands at. */
static void send_segment(struct sim *sim, uint64_t now_ns)
{
	sim->tx.phase = SIM_TX_SENDING;
	sim->tx.event_ns = now_ns + sim_wire_ns(sim, sim->tx.packet.segment_len);
}

static void begin(struct sim *sim, uint64_t now_ns)
{
	struct sim_tx *tx = &sim->tx;

	if (!may_send(sim) || !sim_ring_ready(sim, &tx->ring)) {
		schedule(sim);
		return;
	}
	if (sim_fault_strike(sim, SIM_FAULT_TX_HANG)) {
		tx->hung = true;
		schedule(sim);
		return;
	}
	switch (fetch(sim, now_ns)) {
	case FETCH_FRAME:
		send_segment(sim, now_ns);
		break;
	case FETCH_SKIPPED:
		schedule(sim);
		break;
	case FETCH_INCOMPLETE:
		tx->phase = SIM_TX_IDLE;
		tx->event_ns = TIME_NEVER;
		if (see_next_tail(tx)) {
			tx->phase = SIM_TX_WAITING;
			tx->event_ns = MAX(tx->free_ns, tx->seen_ns);
		}
		break;
	}
}

static void finish(struct sim *sim, struct sim_out *out, uint64_t now_ns)
{
	struct sim_packet *p = &sim->tx.packet;

	finish_segment(sim, out, now_ns);
	if (p->tse) {
		p->offset += p->segment_len - p->offload.header_bytes;
		p->segment++;
		if (p->offset < p->offload.payload_bytes) {
			plan_segment(p);
			send_segment(sim, now_ns);
			return;
		}
	}
	write_back(sim, sim->tx.ring.head, p->next, now_ns);
	schedule(sim);
}

bool sim_tx_needs_room(const struct sim *sim)
{
	return sim->tx.phase == SIM_TX_SENDING && !sim->wire.sink;
}

void sim_tx_run(struct sim *sim, struct sim_out *out)
{
	uint64_t now_ns = sim->tx.event_ns;

	if (sim->tx.phase == SIM_TX_SENDING)
		finish(sim, out, now_ns);
	else
		begin(sim, now_ns);
}
