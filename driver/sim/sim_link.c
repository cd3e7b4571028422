/* SPDX-License-Identifier: BSD-2-Clause */
/* Link of the simulated chip: up some time after CTRL.SLU, at the wire's or a forced speed. */
#include "driver/sim/sim_internal.h"

static uint64_t link_delay_ns(const struct sim *sim)
{
	return (uint64_t)sim->options.link_us * NS_PER_US;
}

/* A forced speed decides; the far end is taken to follow. */
static unsigned wanted_speed(const struct sim *sim)
{
	static const unsigned speed[] = {10, 100, 1000, 1000};
	uint32_t ctrl = sim_reg(sim, REG_CTRL);

	if (!(ctrl & CTRL_FRCSPD))
		return sim->options.speed_mbps;
	return speed[(ctrl & CTRL_SPEED_MASK) >> CTRL_SPEED_SHIFT];
}

static void go_down(struct sim *sim, uint64_t now_ns)
{
	if (!sim->link.up)
		return;
	sim->link.up = false;
	sim_moderation_cause(&sim->moderation, ICR_LSC, now_ns);
}

static void come_up(struct sim *sim, uint64_t now_ns)
{
	struct sim_link *link = &sim->link;

	link->event_ns = TIME_NEVER;
	link->up = true;
	link->speed_mbps = wanted_speed(sim);
	sim_moderation_set_speed(&sim->moderation, link->speed_mbps);
	sim_moderation_cause(&sim->moderation, ICR_LSC, now_ns);
	if (sim_fault_armed(&sim->faults, SIM_FAULT_LINK_FLAP))
		link->down_ns = now_ns + link_delay_ns(sim);
	sim_tx_kick(sim, now_ns);
}

void sim_link_reset(struct sim *sim)
{
	sim->link.up = false;
	sim->link.event_ns = TIME_NEVER;
	sim->link.down_ns = TIME_NEVER;
	sim->link.speed_mbps = sim->options.speed_mbps;
	sim_moderation_set_speed(&sim->moderation, sim->link.speed_mbps);
}

void sim_link_ctrl(struct sim *sim, uint32_t old_ctrl, uint64_t now_ns)
{
	struct sim_link *link = &sim->link;
	bool slu = (sim_reg(sim, REG_CTRL) & CTRL_SLU) != 0;

	if (!slu) {
		link->event_ns = TIME_NEVER;
		go_down(sim, now_ns);
		return;
	}
	if (link->up && wanted_speed(sim) != link->speed_mbps)
		go_down(sim, now_ns);
	if (!link->up && (link->event_ns == TIME_NEVER || !(old_ctrl & CTRL_SLU)))
		link->event_ns = now_ns + link_delay_ns(sim);
}

void sim_link_flap(struct sim *sim, uint64_t now_ns)
{
	if (sim->link.up)
		sim->link.down_ns = now_ns;
}

uint64_t sim_link_next(const struct sim *sim)
{
	return MIN(sim->link.event_ns, sim->link.down_ns);
}

void sim_link_run(struct sim *sim, uint64_t now_ns)
{
	struct sim_link *link = &sim->link;

	if (link->down_ns <= now_ns) {
		link->down_ns = TIME_NEVER;
		if (link->up && sim_fault_strike(sim, SIM_FAULT_LINK_FLAP)) {
			go_down(sim, now_ns);
			link->event_ns = now_ns + link_delay_ns(sim);
		}
	} else if (link->event_ns <= now_ns) {
		come_up(sim, now_ns);
	}
}
