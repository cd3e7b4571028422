/* SPDX-License-Identifier: BSD-2-Clause */
/* Ending a chip's bus requests and resetting it [hardware notes 1.9, steps 2 and 5]. */
#include "driver/nic.h"

#include <unistd.h>

#include "driver/nic_private.h"

#define LEAVE_POLL_US  100
#define LEAVE_DRAIN_US 10000 /* where no bit tells: after receive and transmit off [1.9, step 3] */

/* PCI and PCI-X chips have no such bit; there bus mastering ends in configuration space alone. */
static bool nic_has_master_bit(const struct nic *nic)
{
	return nic->chip->family != FAM_E1000;
}

void nic_master_stop(struct nic *nic)
{
	if (nic_has_master_bit(nic))
		nic_set_bits(nic, REG_CTRL, CTRL_GIO_MASTER_DISABLE);
}

bool nic_master_stopped(struct nic *nic)
{
	return !nic_has_master_bit(nic) || !(nic_read(nic, REG_STATUS) & STATUS_GIO_MASTER_ENABLE);
}

void nic_reset_chip(struct nic *nic)
{
	const struct bus_ops *ops = nic->bus->ops;
	uint32_t ctrl = nic_read(nic, REG_CTRL);

	if (ctrl == UINT32_MAX)
		return;
	ctrl |= CTRL_RST;
	if (chip_has_quirk(nic->chip, QUIRK_RESET_BY_IO) && ops->write_io &&
	    ops->write_io(nic->bus, REG_CTRL, ctrl) == 0)
		return;
	nic_write(nic, chip_has_quirk(nic->chip, QUIRK_RESET_BY_SHADOW) ? REG_CTRL_DUP : REG_CTRL, ctrl);
}

/* What the chip has begun must end before bus mastering does, and that before memory goes. */
static void wait_for_transactions(struct nic *nic)
{
	if (!nic_has_master_bit(nic)) {
		(void)usleep(LEAVE_DRAIN_US);
		return;
	}
	nic_master_stop(nic);
	for (unsigned us = 0; us < NIC_LEAVE_US && !nic_master_stopped(nic); us += LEAVE_POLL_US) {
		if (nic_read(nic, REG_STATUS) == UINT32_MAX)
			nic->bus->dead = true;
		if (nic->bus->dead)
			return;
		(void)usleep(LEAVE_POLL_US);
	}
}

void nic_leave(struct nic *nic)
{
	struct bus *bus = nic->bus;

	if (!bus->dead)
		wait_for_transactions(nic);
	(void)bus->ops->set_master(bus, false, NULL);
	if (!bus->dead)
		nic_reset_chip(nic);
}
