/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated device as a whole: life cycle, reset, and the loop over events in time order. */
#include "driver/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/sim/sim_internal.h"

/* Fault rx-hang: the receiver stops when RDTR > 0 has run out this often since it was armed. */
#define RX_HANG_AFTER 100

void sim_soft_reset(struct sim *sim)
{
	sim_regs_reset(sim);
	sim_moderation_reset(&sim->moderation);
	sim_tx_reset(sim);
	sim_rx_reset(sim);
	sim_link_reset(sim);
}

static void end_reset(struct sim *sim)
{
	sim->in_reset = false;
	sim->reset_end_ns = TIME_NEVER;
	sim_regs_end_reset(sim);
}

void sim_function_reset(struct sim *sim)
{
	sim_soft_reset(sim);
	end_reset(sim);
}

int sim_new(const struct sim_options *options, uint64_t now_ns, struct sim **ret_sim)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	const struct sim_moderation_config config = {
		.family = options->chip->family,
		.msix_rx_timers = options->msix_rx_timers,
		.msix_tx_timers = !chip_has_quirk(options->chip, QUIRK_MSIX_TX_TIMERS_DEAD),
	};
	int error;

	if (!sim)
		return -ENOMEM;
	sim->options = *options;
	sim->chip = options->chip;
	sim->now_ns = now_ns;
	sim->wire.event_ns = TIME_NEVER;
	error = sim_regs_init(sim);
	if (!error)
		error = sim_rx_init(sim);
	if (error) {
		sim_free(sim);
		return error;
	}
	sim_moderation_init(&sim->moderation, &config);
	sim_function_reset(sim);
	*ret_sim = sim;
	return 0;
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	sim_rx_fini(sim);
	sim_regs_fini(sim);
	free(sim);
}

void sim_set_master(struct sim *sim, bool on)
{
	sim->dma.master = on;
	if (!on)
		sim_tx_abort(sim);
	else
		sim_tx_kick(sim, sim->now_ns);
}

void sim_set_intmode(struct sim *sim, enum intmode mode, unsigned vectors)
{
	sim_moderation_set_mode(&sim->moderation, mode, vectors);
}

void sim_intx_unmask(struct sim *sim, uint64_t now_ns)
{
	sim_moderation_unmask_line(&sim->moderation, MAX(now_ns, sim->now_ns));
}

void sim_counters_get(const struct sim *sim, struct sim_counters *ret_counters)
{
	*ret_counters = sim->counters;
}

uint64_t sim_raised_ns(const struct sim *sim)
{
	return sim->raised_ns;
}

int sim_out_init(struct sim_out *out)
{
	uint8_t *storage = malloc((size_t)SIM_OUT_FRAMES * SIM_FRAME_BYTES);

	if (!storage)
		return -ENOMEM;
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < SIM_OUT_FRAMES; i++)
		out->frame[i].data = storage + (size_t)i * SIM_FRAME_BYTES;
	return 0;
}

void sim_out_fini(struct sim_out *out)
{
	free(out->frame[0].data);
	out->frame[0].data = NULL;
}

static void count_raise(struct sim *sim, unsigned vector)
{
	uint64_t *const counter[SIM_VECTORS] = {
		&sim->counters.raised_0,
		&sim->counters.raised_1,
		&sim->counters.raised_2,
		&sim->counters.raised_3,
		&sim->counters.raised_4,
	};

	++*counter[vector];
}

static void report(struct sim *sim, uint32_t raised, uint64_t at_ns, struct sim_out *out)
{
	for (unsigned v = 0; v < SIM_VECTORS; v++) {
		if (!(raised >> v & 1) || sim_gone(sim))
			continue;
		if (sim_fault_strike(sim, SIM_FAULT_LOST_INTERRUPT)) {
			sim->moderation.line_masked = false;
			continue;
		}
		count_raise(sim, v);
		sim->raised_ns = at_ns;
		out->raised |= 1u << v;
		out->raise_count[v]++;
	}
}

static void run_moderation(struct sim *sim, uint64_t at_ns, struct sim_out *out)
{
	uint32_t runs = sim->moderation.icrxptc;
	uint32_t raised = sim_moderation_step(&sim->moderation);

	if (sim->moderation.icrxptc != runs && sim_fault_armed(&sim->faults, SIM_FAULT_RX_HANG) &&
		++sim->faults.rx_timer_runs >= RX_HANG_AFTER) {
		sim->faults.rx_timer_runs = 0;
		sim->rx.hung = sim_fault_strike(sim, SIM_FAULT_RX_HANG);
	}
	if (raised)
		report(sim, raised, at_ns, out);
}

enum unit { UNIT_MODERATION, UNIT_TX, UNIT_WIRE, UNIT_DRAIN, UNIT_LINK, UNIT_RESET };

/* Earliest event; at the same instant the order of enum unit: timers before the frames. */
static enum unit next_unit(const struct sim *sim, uint64_t *ret_at_ns)
{
	uint64_t at = sim_moderation_next(&sim->moderation), link = sim_link_next(sim);
	enum unit unit = UNIT_MODERATION;

	if (sim->tx.event_ns < at)
		at = sim->tx.event_ns, unit = UNIT_TX;
	if (sim->wire.event_ns < at)
		at = sim->wire.event_ns, unit = UNIT_WIRE;
	if (sim->rx.drain_ns < at)
		at = sim->rx.drain_ns, unit = UNIT_DRAIN;
	if (link < at)
		at = link, unit = UNIT_LINK;
	if (sim->reset_end_ns < at)
		at = sim->reset_end_ns, unit = UNIT_RESET;
	*ret_at_ns = at;
	return unit;
}

static void run_unit(struct sim *sim, enum unit unit, uint64_t at_ns, struct sim_out *out)
{
	switch (unit) {
	case UNIT_MODERATION:
		run_moderation(sim, at_ns, out);
		break;
	case UNIT_TX:
		sim_tx_run(sim, out);
		break;
	case UNIT_WIRE:
		sim_wire_run(sim);
		break;
	case UNIT_DRAIN:
		sim_rx_drain(sim, at_ns);
		break;
	case UNIT_LINK:
		sim_link_run(sim, at_ns);
		break;
	case UNIT_RESET:
		end_reset(sim);
		break;
	}
}

uint64_t sim_advance(struct sim *sim, uint64_t now_ns, bool stop_on_raise, struct sim_out *out)
{
	uint64_t at;

	out->raised = 0;
	memset(out->raise_count, 0, sizeof(out->raise_count));
	out->frame_count = 0;
	for (;;) {
		enum unit unit = next_unit(sim, &at);

		if (at > now_ns)
			break;
		if (unit == UNIT_TX && out->frame_count == SIM_OUT_FRAMES && sim_tx_needs_room(sim))
			return at;
		run_unit(sim, unit, at, out);
		sim->now_ns = MAX(sim->now_ns, at);
		if (stop_on_raise && out->raised) {
			(void)next_unit(sim, &at);
			return at;
		}
	}
	sim->now_ns = MAX(sim->now_ns, now_ns);
	return at;
}
