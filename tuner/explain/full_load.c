/* SPDX-License-Identifier: BSD-2-Clause */
/* Full load on the moderation core: frames in, interrupts counted. */
#include "tuner/explain/full_load.h"

#include <string.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim_moderation.h"

#define WIRE_OVERHEAD 20 /* preamble and gap, bytes */
#define WARM_UP_NS    (100 * NS_PER_MS)
#define WINDOW_NS     (250 * NS_PER_MS)
#define IVAR_THREE    0x800A0908 /* receive 0, transmit 1, other 2 [hardware notes 1.7] */
#define QUEUES	      (ICR_RXQ0 | ICR_TXQ0)
#define OTHERS	      (ICR_LSC | ICR_RXO | ICR_RXDMT0)

struct load {
	const struct load_case *spec;
	struct sim_moderation core;
	double frame_ns;
	uint64_t sent, received; /* frames so far; the wire's clock is their number times frame_ns */
	uint64_t rx_due_ns, tx_due_ns;
	unsigned rx_waiting, tx_waiting, rx_ring, tx_ring;
	bool ide;
	/* within the window */
	uint64_t start_ns, first_ns, last_ns, interrupts, frames, lost;
	uint64_t first_frame_ns, last_frame_ns, all_frames;
};

double full_load_frame_ns(unsigned frame_bytes, unsigned speed_mbps)
{
	return (frame_bytes + WIRE_OVERHEAD) * 8e3 / speed_mbps;
}

bool full_load_known(const struct chip *chip)
{
	return chip->family == FAM_E1000 || chip->family == FAM_E1000E;
}

static enum intmode mode_of(const struct load_case *spec)
{
	return (enum intmode)spec->settings.value[KNOB_INTMODE];
}

static void write_knobs(struct load *load)
{
	const struct load_case *spec = load->spec;

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (chip_has_knob(spec->chip, (enum knob_id)id) &&
			knob_table[id].kind == KNOB_KIND_REGISTER)
			(void)sim_moderation_write(&load->core, knob_table[id].reg,
				spec->settings.value[id], 0);
	/* the driver leaves IDE out when TIDV is 0 */
	load->ide = spec->settings.value[KNOB_TIDV] != 0;
}

static void start(struct load *load, const struct load_case *spec)
{
	const struct sim_moderation_config config = {
		.family = spec->chip->family,
		.msix_rx_timers = spec->msix_rx_timers,
		.msix_tx_timers = !chip_has_quirk(spec->chip, QUIRK_MSIX_TX_TIMERS_DEAD),
	};
	enum intmode mode = mode_of(spec);

	memset(load, 0, sizeof(*load));
	load->spec = spec;
	load->frame_ns = full_load_frame_ns(spec->frame_bytes, spec->speed_mbps);
	load->rx_ring = spec->settings.value[KNOB_RX_RING];
	load->tx_ring = spec->settings.value[KNOB_TX_RING];
	load->rx_due_ns = spec->direction & LOAD_RX ? (uint64_t)load->frame_ns : TIME_NEVER;
	load->tx_due_ns = spec->direction & LOAD_TX ? (uint64_t)load->frame_ns : TIME_NEVER;
	load->start_ns = WARM_UP_NS * chip_tick_scale(spec->chip, spec->speed_mbps);
	sim_moderation_init(&load->core, &config);
	sim_moderation_set_speed(&load->core, spec->speed_mbps);
	sim_moderation_set_mode(&load->core, mode, mode == INTMODE_MSIX ? SIM_VECTORS : 1);
	(void)sim_moderation_write(&load->core, REG_RFCTL, RFCTL_ACK_DIS, 0);
	write_knobs(load);
	(void)sim_moderation_write(&load->core, REG_IVAR, IVAR_THREE, 0);
	(void)sim_moderation_write(&load->core, REG_EIAC, QUEUES, 0);
	(void)sim_moderation_write(&load->core, REG_IMS,
		mode == INTMODE_MSIX ? QUEUES | ICR_OTHER : OTHERS | ICR_RXT0 | ICR_TXDW, 0);
}

/* The host takes what waits; a sender that had stopped for want of descriptors goes on. */
static void take(struct load *load, bool rx, bool tx, uint64_t now_ns)
{
	if (rx)
		load->rx_waiting = 0;
	if (tx && load->tx_due_ns == TIME_NEVER && (load->spec->direction & LOAD_TX))
		load->tx_due_ns = now_ns + (uint64_t)load->frame_ns;
	if (tx)
		load->tx_waiting = 0;
}

static void answer(struct load *load, uint32_t vectors, uint64_t now_ns)
{
	uint32_t causes;

	if (mode_of(load->spec) != INTMODE_MSIX) {
		(void)sim_moderation_read(&load->core, REG_ICR, now_ns, &causes);
		take(load, true, true, now_ns);
		sim_moderation_unmask_line(&load->core, now_ns);
		return;
	}
	take(load, vectors & 5, vectors & 2, now_ns);
	if (vectors & 4)
		(void)sim_moderation_write(&load->core, REG_ICR, ICR_OTHER | OTHERS, now_ns);
	(void)sim_moderation_write(&load->core, REG_IMS, QUEUES | ICR_OTHER, now_ns);
}

static void step_core(struct load *load, uint64_t now_ns)
{
	uint32_t vectors = sim_moderation_step(&load->core);

	if (!vectors)
		return;
	if (now_ns >= load->start_ns) {
		if (!load->interrupts)
			load->first_ns = now_ns;
		load->last_ns = now_ns;
		load->interrupts += (unsigned)__builtin_popcount(vectors);
	}
	answer(load, vectors, now_ns);
}

/* When frame number @count after the start is on the wire; a sum of rounded times would drift. */
static uint64_t due(const struct load *load, uint64_t count)
{
	return (uint64_t)((double)(count + 1) * load->frame_ns);
}

/* A frame within the window; the rate is that of one direction. */
static void count_frame(struct load *load, enum load_direction direction, uint64_t now_ns)
{
	bool rate_of_other = load->spec->direction == LOAD_BOTH && direction == LOAD_TX;

	if (now_ns < load->start_ns)
		return;
	load->all_frames++;
	if (rate_of_other)
		return;
	if (!load->frames++)
		load->first_frame_ns = now_ns;
	load->last_frame_ns = now_ns;
}

static void receive(struct load *load, uint64_t now_ns)
{
	load->received++;
	load->rx_due_ns = due(load, load->received);
	if (load->rx_waiting + 1 >= load->rx_ring) {
		load->lost += now_ns >= load->start_ns;
		sim_moderation_cause(&load->core, ICR_RXO, now_ns);
		return;
	}
	count_frame(load, LOAD_RX, now_ns);
	load->rx_waiting++;
	sim_moderation_rx(&load->core, load->spec->frame_bytes, false, now_ns);
	if (load->rx_waiting == load->rx_ring / 2) /* RCTL.RDMTS 0 */
		sim_moderation_cause(&load->core, ICR_RXDMT0, now_ns);
}

static void transmit(struct load *load, uint64_t now_ns)
{
	load->sent++;
	count_frame(load, LOAD_TX, now_ns);
	load->tx_waiting++;
	load->tx_due_ns = load->tx_waiting + 1 >= load->tx_ring
				  ? TIME_NEVER
				  : MAX(now_ns + (uint64_t)load->frame_ns, due(load, load->sent));
	sim_moderation_tx(&load->core, load->ide, now_ns);
}

/* A sender that has waited does not catch up: its frames follow one another from then on. */
static void keep_pace(struct load *load)
{
	uint64_t expected = due(load, load->sent);

	if (load->tx_due_ns != TIME_NEVER && load->tx_due_ns > expected)
		load->sent = (uint64_t)((double)load->tx_due_ns / load->frame_ns);
}

/* Between the first and the last event, so that the window's edges do not count. */
static double rate(uint64_t events, uint64_t first_ns, uint64_t last_ns)
{
	return events > 1 && last_ns > first_ns
		       ? (double)(events - 1) * 1e9 / (double)(last_ns - first_ns)
		       : 0;
}

void full_load_run(const struct load_case *spec, struct load_result *ret_result)
{
	struct load load;
	uint64_t end_ns, now_ns = 0;

	start(&load, spec);
	end_ns = load.start_ns + WINDOW_NS * chip_tick_scale(spec->chip, spec->speed_mbps);
	while (now_ns < end_ns) {
		uint64_t core_ns = sim_moderation_next(&load.core);

		now_ns = MIN(core_ns, MIN(load.rx_due_ns, load.tx_due_ns));
		if (now_ns == TIME_NEVER)
			break;
		if (core_ns == now_ns)
			step_core(&load, now_ns);
		else if (load.rx_due_ns == now_ns)
			receive(&load, now_ns);
		else
			transmit(&load, now_ns);
		keep_pace(&load);
	}
	*ret_result = (struct load_result){
		.frames_per_s = rate(load.frames, load.first_frame_ns, load.last_frame_ns),
		.interrupts_per_s = rate(load.interrupts, load.first_ns, load.last_ns),
		.lost_per_s = (double)load.lost * 1e9 / (double)(end_ns - load.start_ns),
	};
	if (load.interrupts)
		ret_result->frames_per_interrupt = (double)load.all_frames / (double)load.interrupts;
}
