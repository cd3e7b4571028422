/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of the simulated device by name, and how often each still strikes. */
#include <string.h>

#include "driver/sim/sim_internal.h"

const char *const sim_fault_names[] = {
	[SIM_FAULT_RX_HANG] = "rx-hang",
	[SIM_FAULT_TX_HANG] = "tx-hang",
	[SIM_FAULT_LINK_FLAP] = "link-flap",
	[SIM_FAULT_STUCK_RESET] = "stuck-reset",
	[SIM_FAULT_LOST_INTERRUPT] = "lost-interrupt",
	[SIM_FAULT_ALL_ONES] = "all-ones",
	[SIM_FAULT_DMA_ERROR] = "dma-error",
	[SIM_FAULT_COUNT] = NULL,
};

static void list_names(char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < SIM_FAULT_COUNT; i++) {
		size_t len = strlen(sim_fault_names[i]);

		if (used + len + 3 > size)
			return;
		if (i)
			memcpy(buf + used, ", ", 2), used += 2;
		memcpy(buf + used, sim_fault_names[i], len + 1);
		used += len;
	}
}

int sim_fault_set(
	struct sim *sim, const char *name, uint64_t count, uint64_t now_ns, struct error *err)
{
	char names[160];
	unsigned fault = 0;

	while (sim_fault_names[fault] && strcmp(sim_fault_names[fault], name))
		fault++;
	if (!sim_fault_names[fault]) {
		list_names(names, sizeof(names));
		return error_usage(err, "There is no fault \"%s\"; the simulated device knows %s",
			name, names);
	}
	sim->faults.left[fault] = count;
	sim->faults.rx_timer_runs = 0;
	if (fault == SIM_FAULT_LINK_FLAP && count)
		sim_link_flap(sim, MAX(now_ns, sim->now_ns));
	if (fault == SIM_FAULT_ALL_ONES)
		sim_tx_kick(sim, MAX(now_ns, sim->now_ns));
	return 0;
}

bool sim_fault_strike(struct sim *sim, enum sim_fault fault)
{
	if (!sim->faults.left[fault])
		return false;
	sim->faults.left[fault]--;
	sim->counters.faults_struck++;
	return true;
}
