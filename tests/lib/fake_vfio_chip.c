/* SPDX-License-Identifier: BSD-2-Clause */
/* As much of a chip behind the pretend kernel's device as a driver needs to come up and to go quiet. */
#include "tests/lib/fake_vfio.h"

#include <linux/pci_regs.h>

static uint32_t *reg_of(struct fake_vfio *f, uint32_t offset)
{
	return &f->regs[offset / 4];
}

void fake_vfio_chip(struct fake_vfio *fake)
{
	fake->no_mmap = true;
	*reg_of(fake, REG_STATUS) = STATUS_LU | STATUS_FD | 2u << STATUS_SPEED_SHIFT;
	*reg_of(fake, REG_EECD) = EECD_AUTO_RD;
	*reg_of(fake, REG_RAL0) = 0x00000002;
	*reg_of(fake, REG_RAH0) = RAH_AV | 0x0100;
	fake->chip_on = true;
}

void fake_vfio_chip_written(struct fake_vfio *fake, uint64_t offset)
{
	if (!fake->chip_on || offset >> 40 != VFIO_PCI_BAR0_REGION_INDEX)
		return;
	switch (offset & 0xffffffffffull) {
	case REG_CTRL:
		if (!(*reg_of(fake, REG_CTRL) & CTRL_RST))
			return;
		*reg_of(fake, REG_CTRL) = 0;
		*reg_of(fake, REG_RCTL) = *reg_of(fake, REG_TCTL) = 0;
		fake->causes_on = 0;
		break;
	case REG_IMS:
		fake->causes_on |= *reg_of(fake, REG_IMS);
		break;
	case REG_IMC:
		fake->causes_on &= ~*reg_of(fake, REG_IMC);
		break;
	default:
		break;
	}
}

bool fake_vfio_chip_active(struct fake_vfio *fake)
{
	bool rings = ((*reg_of(fake, REG_RCTL) & RCTL_EN) || (*reg_of(fake, REG_TCTL) & TCTL_EN)) &&
		     (fake->config[PCI_COMMAND] & PCI_COMMAND_MASTER);

	return fake->chip_on && (rings || fake->causes_on);
}
