/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration space through VFIO: command register, link power states, capabilities, reset. */
#include "driver/bus_vfio_private.h"

#include <endian.h>
#include <errno.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "common/log.h"

#define CAPABILITIES_MAX 48 /* what fits into 256 bytes: a loop in the list ends here */

int vfio_config_read(struct vfio_bus *self, uint32_t offset, unsigned bytes, uint32_t *ret_value)
{
	const struct vfio_region *config = &self->region[VFIO_PCI_CONFIG_REGION_INDEX];
	uint32_t value = 0;
	ssize_t n;

	if (offset + bytes > config->size)
		return -ERANGE;
	n = self->sys->ops->pread(self->sys->ctx, self->device, &value, bytes, config->offset + offset);
	if (n != (ssize_t)bytes)
		return n < 0 ? (int)n : -EIO;
	*ret_value = le32toh(value);
	return 0;
}

int vfio_config_write(struct vfio_bus *self, uint32_t offset, unsigned bytes, uint32_t value)
{
	const struct vfio_region *config = &self->region[VFIO_PCI_CONFIG_REGION_INDEX];
	uint32_t little = htole32(value);
	ssize_t n;

	if (offset + bytes > config->size)
		return -ERANGE;
	n = self->sys->ops->pwrite(self->sys->ctx, self->device, &little, bytes, config->offset + offset);
	if (n != (ssize_t)bytes)
		return n < 0 ? (int)n : -EIO;
	return 0;
}

uint32_t vfio_find_capability(struct vfio_bus *self, uint8_t id)
{
	uint32_t at, head;

	if (vfio_config_read(self, PCI_CAPABILITY_LIST, 1, &at) < 0)
		return 0;
	for (unsigned i = 0; at >= 0x40 && i < CAPABILITIES_MAX; i++) {
		at &= ~3u;
		if (vfio_config_read(self, at, 2, &head) < 0)
			return 0;
		if ((head & 0xff) == id)
			return at;
		at = head >> 8;
	}
	return 0;
}

static int command_change(struct vfio_bus *self, uint32_t clear, uint32_t set)
{
	uint32_t command;
	int r;

	r = vfio_config_read(self, PCI_COMMAND, 2, &command);
	if (r < 0)
		return r;
	if (command == 0xffff)
		return -ENODEV;
	return vfio_config_write(self, PCI_COMMAND, 2, (command & ~clear) | set);
}

/* VFIO lets the write through or not, depending on the kernel: what reads back is what counts. */
static void link_control_quirk(struct vfio_bus *self)
{
	bool no_l1 = chip_has_quirk(self->bus.chip, QUIRK_NO_L1);
	uint32_t bits = chip_has_quirk(self->bus.chip, QUIRK_NO_L0S_L1) ?
				PCI_EXP_LNKCTL_ASPM_L0S | PCI_EXP_LNKCTL_ASPM_L1 :
			no_l1 ? PCI_EXP_LNKCTL_ASPM_L1 :
				0;
	uint32_t at = bits ? vfio_find_capability(self, PCI_CAP_ID_EXP) : 0, value;

	if (!at || vfio_config_read(self, at + PCI_EXP_LNKCTL, 2, &value) < 0 || !(value & bits))
		return;
	(void)vfio_config_write(self, at + PCI_EXP_LNKCTL, 2, value & ~bits);
	if (vfio_config_read(self, at + PCI_EXP_LNKCTL, 2, &value) == 0 && (value & bits))
		log_warning("%s: PCIe link power states stay on and may cost latency (%s); write 0 to "
			    "%s/bus/pci/devices/%s/link/l1_aspm and l0s_aspm, or boot with pcie_aspm=off",
			self->bus.name, self->bus.chip->name, self->sys->sysfs, self->pci.address);
}

static void find_io_region(struct vfio_bus *self)
{
	self->io_region = -1;
	for (int i = VFIO_PCI_BAR1_REGION_INDEX; i <= VFIO_PCI_BAR5_REGION_INDEX; i++) {
		uint32_t bar;

		if (self->region[i].size < 8 ||
		    vfio_config_read(self, PCI_BASE_ADDRESS_0 + 4 * (uint32_t)i, 4, &bar) < 0)
			continue;
		if (bar & PCI_BASE_ADDRESS_SPACE_IO) {
			self->io_region = i;
			return;
		}
	}
}

int vfio_config_start(struct vfio_bus *self, struct error *err)
{
	int r;

	find_io_region(self);
	r = command_change(self, PCI_COMMAND_MASTER,
		PCI_COMMAND_MEMORY | (self->io_region >= 0 ? PCI_COMMAND_IO : 0));
	if (r < 0)
		return error_sys(err, r, "%s: cannot write its configuration space", self->bus.name);
	link_control_quirk(self);
	return 0;
}

int vfio_set_master(struct bus *bus, bool on, struct error *err)
{
	struct vfio_bus *self = vfio_bus(bus);
	int r;

	if (bus->frozen) /* the kernel does it when the device is closed */
		return on ? error_set(err, -EIO, "%s: the PCIe bus reported an error", bus->name) : 0;
	r = command_change(self, on ? 0 : PCI_COMMAND_MASTER, on ? PCI_COMMAND_MASTER : 0);

	if (r < 0)
		return error_sys(err, r, "%s: cannot switch bus mastering %s", bus->name, on ? "on" : "off");
	return 0;
}

/* Bus master goes off first: nothing left over from an earlier owner may write into our memory. The
 * kernel's method may be a mere power state that keeps the registers, so the driver resets the chip
 * too. */
int vfio_reset(struct bus *bus, struct error *err)
{
	struct vfio_bus *self = vfio_bus(bus);
	int r;

	r = vfio_set_master(bus, false, err);
	if (r < 0 || !self->can_reset)
		return r;
	r = sys_ioctl(self->sys, self->device, VFIO_DEVICE_RESET, NULL);
	if (r < 0)
		return error_sys(err, r, "%s: function reset", bus->name);
	return 0;
}
