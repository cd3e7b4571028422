/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of a NIC: check, apply whole or not at all, read back. */
#include "driver/nic.h"

#include <errno.h>

#include "driver/nic_private.h"

static int settings_refuse_restart(const struct settings *change, struct error *err)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(change, id) && knob_table[id].restart)
			return error_set(err, -EBUSY, "%s needs a restart of the device: use restart",
					 knob_table[id].name);
	return 0;
}

int nic_set(struct nic *nic, const struct settings *change, struct error *err)
{
	struct settings wanted = nic->requested;
	int r;

	r = chip_check_settings(nic->chip, change, err);
	if (r < 0)
		return r;
	r = settings_refuse_restart(change, err);
	if (r < 0)
		return r;
	if (nic->state == NIC_GONE || nic->bus->dead)
		return error_set(err, -ENODEV, "%s is gone: nothing was set", nic->bus->name);
	settings_merge(&wanted, change);
	if (nic->state == NIC_RUNNING || nic->state == NIC_LINK_WAIT) {
		moderation_write(nic, change);
		r = moderation_verify(nic, change, err);
		if (r < 0) {
			moderation_write(nic, &nic->requested);
			return error_context(err, "%s: nothing was set", nic->bus->name);
		}
	}
	nic->requested = wanted;
	return 0;
}

const struct settings *nic_requested(const struct nic *nic)
{
	return &nic->requested;
}

void nic_readback(struct nic *nic, struct settings *ret_settings)
{
	*ret_settings = nic->requested;
	if (!nic->bus->dead && (nic->state == NIC_RUNNING || nic->state == NIC_LINK_WAIT))
		moderation_read(nic, ret_settings);
}

const struct knob *nic_unreadable(const struct nic *nic)
{
	return nic->tidv_blind ? &knob_table[KNOB_TIDV] : NULL;
}

void nic_effective(struct nic *nic, struct effective *ret_effective)
{
	const struct bus_sim_ops *sim = nic->bus->ops->sim;
	bool rx_timers = sim && sim->msix_rx_timers && sim->msix_rx_timers(nic->bus);

	effective_compute(nic->chip, &nic->requested, nic->link_up ? nic->speed_mbps : 1000, rx_timers,
			  ret_effective);
}
