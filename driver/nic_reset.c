/* SPDX-License-Identifier: BSD-2-Clause */
/* Ending a chip's bus requests and resetting it [hardware notes 1.9, steps 2 and 5]. */
#include "driver/nic.h"

#include <unistd.h>

#include "driver/nic_private.h"

#define LEAVE_POLL_US 100
#define LEAVE_POLLS   800 /* 80 ms, as Intel's shared code waits */

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
	uint32_t ctrl = nic_read(nic, REG_CTRL) | CTRL_RST;

	if (chip_has_quirk(nic->chip, QUIRK_RESET_BY_IO) && ops->write_io &&
	    ops->write_io(nic->bus, REG_CTRL, ctrl) == 0)
		return;
	nic_write(nic, chip_has_quirk(nic->chip, QUIRK_RESET_BY_SHADOW) ? REG_CTRL_DUP : REG_CTRL, ctrl);
}

void nic_leave(struct nic *nic)
{
	if (nic->bus->dead)
		return;
	nic_master_stop(nic);
	for (unsigned i = 0; i < LEAVE_POLLS && !nic_master_stopped(nic) && !nic->bus->dead; i++)
		(void)usleep(LEAVE_POLL_US);
	nic_reset_chip(nic);
}
