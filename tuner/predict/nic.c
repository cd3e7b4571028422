/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC of one end: frames in and out of its wire, and the moderation that decides on interrupts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/predict/engine_private.h"

#define WIRE_OVERHEAD	 78 /* preamble 8, Ethernet 14 + 4, gap 12, IP 20, TCP 20 */
#define UDP_OVERHEAD	 66
#define TCP_OPTION_BYTES 12 /* time stamps */
#define WIRE_MINIMUM	 84
/* As the driver sets it up: receive on vector 0, transmit on 1, the rest on 2; every write-back
 * interrupts. */
#define MSIX_LAYOUT  0x800A0908u
#define MSIX_VECTORS 3

static void open_core(struct nic_model *nic, const struct predict_job *job)
{
	static const enum knob_id knobs[] = {KNOB_ITR, KNOB_EITR0, KNOB_EITR1, KNOB_EITR2, KNOB_EITR3,
		KNOB_EITR4, KNOB_RADV, KNOB_RDTR, KNOB_TIDV, KNOB_TADV, KNOB_RAID};
	struct sim_moderation_config config = {
		.family = job->chip->family,
		.msix_tx_timers = !chip_has_quirk(job->chip, QUIRK_MSIX_TX_TIMERS_DEAD),
	};
	enum intmode mode = (enum intmode)job->settings.value[KNOB_INTMODE];
	struct sim_moderation *m = &nic->core;

	nic->kind = NIC_CORE;
	sim_moderation_init(m, &config);
	sim_moderation_set_mode(m, mode, mode == INTMODE_MSIX ? MSIX_VECTORS : 1);
	sim_moderation_set_speed(m, job->speed_mbps);
	sim_moderation_write(m, REG_RFCTL, RFCTL_ACK_DIS, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(knobs); i++)
		if (settings_has(&job->settings, knobs[i]))
			sim_moderation_write(m, knob_table[knobs[i]].reg,
				job->settings.value[knobs[i]], 0);
	nic->ide = settings_has(&job->settings, KNOB_TIDV) && job->settings.value[KNOB_TIDV];
	if (mode == INTMODE_MSIX) {
		sim_moderation_write(m, REG_IVAR, MSIX_LAYOUT, 0);
		sim_moderation_write(m, REG_EIAC, ICR_RXQ0 | ICR_TXQ0, 0);
		sim_moderation_write(m, REG_CTRL_EXT, CTRL_EXT_EIAME, 0);
		sim_moderation_write(m, REG_IMS, ICR_RXQ0 | ICR_TXQ0 | ICR_OTHER, 0);
	} else {
		sim_moderation_write(m, REG_IMS, ICR_RXT0 | ICR_TXDW, 0);
	}
}

int nic_open(struct end *end, const struct predict_job *job, bool peer, struct error *err)
{
	struct nic_model *nic = &end->nic;

	nic->rx = malloc(QUEUE_SIZE * sizeof(*nic->rx));
	nic->tx = malloc(QUEUE_SIZE * sizeof(*nic->tx));
	nic->tx_bytes = malloc(QUEUE_SIZE * sizeof(*nic->tx_bytes));
	if (!nic->rx || !nic->tx || !nic->tx_bytes)
		return error_set(err, -ENOMEM, "no memory for the frames of a prediction");
	nic->tx_silent = job->host->rule[HOST_RULE_TX_IRQ] == 0;
	if (peer) {
		nic->kind = NIC_THROTTLE;
		nic->throttle_ns = (uint64_t)(job->host->peer[HOST_PEER_THROTTLE] * 1e3);
	} else if (job->chip) {
		open_core(nic, job);
	} else {
		nic->kind = NIC_IMTIMER;
		imtimer_init(&nic->imtimer, job->imtimer_us, 0);
	}
	return 0;
}

void nic_close(struct end *end)
{
	free(end->nic.rx);
	free(end->nic.tx);
	free(end->nic.tx_bytes);
}

/* Frames that arrived by @until_ns are there for the handler, and completions too. */
static uint64_t advance_throttle(struct nic_model *nic, uint64_t until_ns)
{
	uint64_t next = nic_throttle_next(nic);

	if (nic->serving)
		next = nic_next_arrival(nic);
	while (nic->tx_done != nic->tx_end && nic->tx[nic->tx_done & QUEUE_MASK] <= until_ns)
		nic->tx_done++;
	if (next > until_ns)
		return until_ns;
	if (!nic->serving && !nic->raised) {
		nic->raised = 1;
		nic->raised_ns = next;
		nic->throttle_end_ns = next + nic->throttle_ns;
	}
	while (nic->rx_shown != nic->rx_end &&
		nic->rx[nic->rx_shown & QUEUE_MASK].arrival_ns <= until_ns)
		nic->rx_shown++;
	return until_ns;
}

static void show_arrival(struct end *end, uint64_t at_ns)
{
	struct nic_model *nic = &end->nic;
	const struct frame *frame = &nic->rx[nic->rx_shown++ & QUEUE_MASK];

	if (nic->kind == NIC_CORE)
		sim_moderation_rx(&nic->core, frame->payload + 70, frame->payload == 0, at_ns);
	else
		imtimer_cause(&nic->imtimer, at_ns);
}

static void show_completion(struct nic_model *nic, uint64_t at_ns)
{
	nic->tx_done++;
	if (nic->tx_silent)
		return;
	if (nic->kind == NIC_CORE)
		sim_moderation_tx(&nic->core, nic->ide, at_ns);
	else
		imtimer_cause(&nic->imtimer, at_ns);
}

static void step_moderation(struct nic_model *nic, uint64_t at_ns)
{
	uint32_t raised = nic->kind == NIC_CORE ? sim_moderation_step(&nic->core)
						: imtimer_step(&nic->imtimer);

	if (raised && !nic->raised)
		nic->raised_ns = at_ns;
	nic->raised |= raised;
}

uint64_t nic_advance(struct end *end, uint64_t until_ns, bool stop)
{
	struct nic_model *nic = &end->nic;
	uint64_t last_ns = end->now_ns;

	if (nic->kind == NIC_THROTTLE)
		return advance_throttle(nic, until_ns);
	for (;;) {
		uint64_t arrival = nic_next_arrival(nic), completion = nic_next_completion(nic);
		uint64_t due = nic_moderation_next(nic);
		uint64_t at_ns = MIN(MIN(arrival, completion), due);

		if (at_ns > until_ns)
			return last_ns;
		last_ns = at_ns;
		if (due <= at_ns) {
			step_moderation(nic, at_ns);
			if (stop && nic->raised)
				return last_ns;
		} else if (arrival <= completion) {
			show_arrival(end, at_ns);
		} else {
			show_completion(nic, at_ns);
		}
	}
}

static uint32_t wire_bytes(const struct end *end, uint32_t payload)
{
	uint32_t bytes = end->datagrams ? payload + UDP_OVERHEAD
					: payload + WIRE_OVERHEAD + TCP_OPTION_BYTES;

	return MAX(bytes, WIRE_MINIMUM);
}

void nic_send(struct end *end, uint32_t payload, uint64_t at_ns)
{
	struct nic_model *nic = &end->nic, *other = &end->peer->nic;
	uint64_t start = MAX(at_ns, nic->wire_free_ns);
	struct frame *frame = &other->rx[other->rx_end++ & QUEUE_MASK];

	nic->wire_free_ns = start + (uint64_t)wire_bytes(end, payload) * end->byte_ps / 1000;
	end->count.wire_ns += nic->wire_free_ns - start;
	nic->tx[nic->tx_end & QUEUE_MASK] = nic->wire_free_ns;
	nic->tx_bytes[nic->tx_end++ & QUEUE_MASK] = payload;
	frame->arrival_ns = nic->wire_free_ns + end->config.latency_ns;
	frame->payload = payload;
	frame->ack = end->tcp.rcv_nxt;
	end->tcp.advertised = MAX(end->tcp.advertised, end->tcp.read + end->config.recv_buffer);
	frame->edge = end->tcp.advertised;
	end->count.tx_frames++;
}

/*
 * INTx: the handler reads ICR at its begin and, its loop done, at its end, which clears what the loop
 * has served (wm(4) and others loop so). MSI: it reads ICR and masks, and unmasks at its end; causes
 * that came meanwhile interrupt again. MSI-X: the masks that the message set are lifted.
 */
static void acknowledge_core(struct end *end, bool begin)
{
	struct sim_moderation *m = &end->nic.core;
	uint32_t causes;

	if (m->mode == INTMODE_MSIX) {
		if (!begin)
			sim_moderation_write(m, REG_IMS, ICR_RXQ0 | ICR_TXQ0, end->now_ns);
		return;
	}
	if (begin || m->mode == INTMODE_INTX)
		sim_moderation_read(m, REG_ICR, end->now_ns, &causes);
	if (m->mode == INTMODE_INTX) {
		if (!begin)
			sim_moderation_unmask_line(m, end->now_ns);
		return;
	}
	sim_moderation_write(
		m, begin ? REG_IMC : REG_IMS, ICR_RXT0 | ICR_TXDW, end->now_ns);
}

void nic_acknowledge(struct end *end, bool begin)
{
	struct nic_model *nic = &end->nic;

	if (nic->kind == NIC_CORE)
		acknowledge_core(end, begin);
	else if (nic->kind == NIC_IMTIMER && begin)
		imtimer_mask(&nic->imtimer);
	else if (nic->kind == NIC_IMTIMER)
		imtimer_unmask(&nic->imtimer, end->now_ns);
}
