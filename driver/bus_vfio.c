/* SPDX-License-Identifier: BSD-2-Clause */
/* A real NIC behind the bus seam: checks, opening in VFIO's order, registers, closing. */
#include "driver/bus_vfio.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "driver/bus_vfio_private.h"

#define OPTION_VFIO "vfio="

/* --- registers when BAR0 cannot be mapped --- */

static uint32_t vfio_read32(struct bus *bus, uint32_t offset)
{
	struct vfio_bus *self = vfio_bus(bus);
	uint64_t at = self->region[VFIO_PCI_BAR0_REGION_INDEX].offset + offset;
	uint32_t value = UINT32_MAX;

	if (self->sys->ops->pread(self->sys->ctx, self->device, &value, sizeof(value), at) != sizeof(value))
		return UINT32_MAX;
	return le32toh(value);
}

static void vfio_write32(struct bus *bus, uint32_t offset, uint32_t value)
{
	struct vfio_bus *self = vfio_bus(bus);
	uint64_t at = self->region[VFIO_PCI_BAR0_REGION_INDEX].offset + offset;
	uint32_t little = htole32(value);

	(void)self->sys->ops->pwrite(self->sys->ctx, self->device, &little, sizeof(little), at);
}

/* IOADDR at 0 and IODATA at 4 of the I/O BAR reach every register [SDM-8254x 13.2.2]. */
static int vfio_write_io(struct bus *bus, uint32_t offset, uint32_t value)
{
	struct vfio_bus *self = vfio_bus(bus);
	const uint32_t words[2] = {htole32(offset), htole32(value)};

	if (self->io_region < 0)
		return -ENODEV;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = self->region[self->io_region].offset + 4 * i;
		ssize_t n = self->sys->ops->pwrite(self->sys->ctx, self->device, &words[i], 4, at);

		if (n != 4)
			return n < 0 ? (int)n : -EIO;
	}
	return 0;
}

/* --- life cycle --- */

static void vfio_close(struct bus *bus)
{
	struct vfio_bus *self = vfio_bus(bus);

	if (self->device >= 0) {
		(void)vfio_set_master(bus, false, NULL);
		vfio_irq_disable(bus);
		vfio_notices_close(self);
	}
	if (self->bar) {
		vfio_guard_stop(self);
		(void)self->sys->ops->munmap(self->sys->ctx, self->bar, self->bar_bytes);
	}
	if (self->backend)
		self->backend->close(self);
	vfio_dma_release(self);
	free(self);
}

static const struct bus_ops vfio_ops = {
	.scheme = "pci",
	.read32 = vfio_read32,
	.write32 = vfio_write32,
	.write_io = vfio_write_io,
	.dma_check = vfio_dma_check,
	.dma_alloc = vfio_dma_alloc,
	.dma_free = vfio_dma_free,
	.irq_enable = vfio_irq_enable,
	.irq_disable = vfio_irq_disable,
	.irq_unmask = vfio_irq_unmask,
	.reset = vfio_reset,
	.set_master = vfio_set_master,
	.close = vfio_close,
};

/* --- what sysfs can tell before anything is opened --- */

static int check_chip(struct vfio_bus *self, struct error *err)
{
	const struct pci_device *pci = &self->pci;
	const struct pci_id *id = pci_id_find(pci->vendor, pci->device);

	if (!pci_is_ethernet(pci))
		return error_usage(err, "%s: not an Ethernet controller (class %06x)", pci->address,
			pci->class_code);
	if (!id)
		return error_set(err, -EOPNOTSUPP, "%s: chip %04x:%04x is not one that this driver knows; "
			"\"moderato devices\" lists those it drives", pci->address, pci->vendor, pci->device);
	self->bus.chip = chip_find(id->chip);
	if (!self->bus.chip)
		return error_set(err, -EOPNOTSUPP, "%s: the %s is recognised but not driven: %s", pci->address,
			id->name, id->reason);
	return 0;
}

static int check_binding(const struct pci_device *pci, struct error *err)
{
	if (pci->group < 0)
		return error_set(err, -ENODEV,
			"%s: no IOMMU group: switch the IOMMU on in the firmware (VT-d, AMD-Vi) and boot with "
			"intel_iommu=on on Intel", pci->address);
	if (!pci->driver[0])
		return error_set(err, -ENODEV, "%s: no driver is bound, vfio-pci must be: moderato bind %s",
			pci->address, pci->address);
	if (!pci_is_vfio(pci))
		return error_set(err, -EBUSY, "%s: the kernel's %s drives it: moderato bind %s gives it to vfio-pci",
			pci->address, pci->driver, pci->address);
	return 0;
}

/* --- after the backend has opened the device --- */

static bool area_has_registers(const struct vfio_region_info_cap_sparse_mmap *sparse, const char *end)
{
	for (uint32_t i = 0; i < sparse->nr_areas && (const char *)&sparse->areas[i + 1] <= end; i++)
		if (sparse->areas[i].offset == 0 && sparse->areas[i].size >= REG_SPACE_BYTES)
			return true;
	return false;
}

/* A kernel that lets one map only parts of a region lists those; where the registers are not in one (around an
 * MSI-X table), they are reached by the descriptor. */
static bool registers_mappable(const struct vfio_region_info *info, uint32_t room)
{
	uint32_t at = info->flags & VFIO_REGION_INFO_FLAG_CAPS ? info->cap_offset : 0;

	while (at && at + sizeof(struct vfio_region_info_cap_sparse_mmap) <= room) {
		const struct vfio_region_info_cap_sparse_mmap *sparse = (const void *)((const char *)info + at);

		if (sparse->header.id == VFIO_REGION_INFO_CAP_SPARSE_MMAP)
			return area_has_registers(sparse, (const char *)info + room);
		at = sparse->header.next;
	}
	return true;
}

static int read_regions(struct vfio_bus *self, struct error *err)
{
	for (uint32_t i = 0; i <= VFIO_PCI_CONFIG_REGION_INDEX; i++) {
		/* Room for capabilities, which some kernels insist on. */
		struct {
			struct vfio_region_info info;
			uint8_t capabilities[256];
		} room = {.info = {.argsz = sizeof(room), .index = i}};
		int r = sys_ioctl(self->sys, self->device, VFIO_DEVICE_GET_REGION_INFO, &room.info);

		if (r < 0)
			return error_sys(err, r, "%s: region %u", self->bus.name, i);
		self->region[i] = (struct vfio_region){
			.offset = room.info.offset, .size = room.info.size, .flags = room.info.flags};
		if (!registers_mappable(&room.info, sizeof(room)))
			self->region[i].flags &= ~(uint32_t)VFIO_REGION_INFO_FLAG_MMAP;
	}
	if (self->region[VFIO_PCI_BAR0_REGION_INDEX].size < REG_SPACE_BYTES)
		return error_set(err, -EIO, "%s: BAR0 has %llu bytes, the registers need %u", self->bus.name,
			(unsigned long long)self->region[0].size, REG_SPACE_BYTES);
	return 0;
}

static int read_device(struct vfio_bus *self, struct error *err)
{
	struct vfio_device_info info = {.argsz = sizeof(info)};
	int r;

	r = sys_ioctl(self->sys, self->device, VFIO_DEVICE_GET_INFO, &info);
	if (r < 0)
		return error_sys(err, r, "%s: VFIO device information", self->bus.name);
	if (!(info.flags & VFIO_DEVICE_FLAGS_PCI))
		return error_set(err, -EIO, "%s: VFIO says that it is no PCI device", self->bus.name);
	self->can_reset = (info.flags & VFIO_DEVICE_FLAGS_RESET) != 0;
	for (uint32_t i = 0; i < info.num_irqs && i < VFIO_PCI_NUM_IRQS; i++) {
		struct vfio_irq_info irq = {.argsz = sizeof(irq), .index = i};

		/* Not every kernel and device has every index. */
		if (sys_ioctl(self->sys, self->device, VFIO_DEVICE_GET_IRQ_INFO, &irq) == 0 &&
		    (irq.flags & VFIO_IRQ_INFO_EVENTFD))
			self->irq_count[i] = irq.count;
	}
	return read_regions(self, err);
}

static int map_registers(struct vfio_bus *self, struct error *err)
{
	const struct vfio_region *bar = &self->region[VFIO_PCI_BAR0_REGION_INDEX];
	int r;

	if (!(bar->flags & VFIO_REGION_INFO_FLAG_MMAP))
		return 0;
	self->bar_bytes = (size_t)MIN(bar->size, (uint64_t)REG_SPACE_BYTES);
	r = self->sys->ops->mmap(self->sys->ctx, self->bar_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		self->device, bar->offset, &self->bar);
	if (r < 0)
		return error_sys(err, r, "%s: cannot map its registers", self->bus.name);
	vfio_guard_start(self);
	self->bus.mmio = self->bar;
	return 0;
}

static int open_steps(struct vfio_bus *self, struct error *err)
{
	int r;

	r = vfio_backend_open(self, err);
	self->bus.opened_by = self->backend->name;
	if (r == 0)
		r = read_device(self, err);
	if (r == 0)
		r = vfio_config_start(self, err);
	if (r == 0)
		r = map_registers(self, err);
	if (r == 0)
		r = vfio_reset(&self->bus, err);
	return r == 0 ? vfio_notices_open(self, err) : r;
}

static struct vfio_bus *vfio_new(const struct sys *sys)
{
	struct vfio_bus *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->sys = sys;
	self->bus.ops = &vfio_ops;
	self->bus.dma_limit = VFIO_DMA_LIMIT;
	self->container = self->group = self->iommufd = self->device = self->io_region = -1;
	self->unmask_fd = -1;
	self->bus.request_fd = self->bus.error_fd = -1;
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		self->bus.irq_fd[v] = -1;
	return self;
}

/* "0000:03:00.0,vfio=iommufd" */
static int parse_device(struct vfio_bus *self, const char *device, char ret_address[PCI_ADDRESS_BYTES],
	struct error *err)
{
	char word[PCI_ADDRESS_BYTES] = "";
	size_t len = strcspn(device, ",");

	if (len < sizeof(word))
		memcpy(word, device, len);
	if (!pci_address_parse(word, ret_address))
		return error_usage(err, "%s: not a PCI address", device);
	if (!device[len])
		return 0;
	device += len + 1;
	self->backend = strncmp(device, OPTION_VFIO, strlen(OPTION_VFIO)) ?
				NULL : vfio_backend_find(device + strlen(OPTION_VFIO));
	if (!self->backend)
		return error_usage(err, "%s: unknown option \"%s\"; there are vfio=group and vfio=iommufd",
			ret_address, device);
	return 0;
}

int bus_vfio_open_on(const struct sys *sys, const char *device, struct bus **ret_bus, struct error *err)
{
	struct vfio_bus *self = vfio_new(sys);
	char address[PCI_ADDRESS_BYTES];
	int r;

	if (!self)
		return error_set(err, -ENOMEM, "%s: out of memory", device);
	r = parse_device(self, device, address, err);
	if (r == 0)
		r = pci_device_read(sys->sysfs, address, &self->pci, err);
	if (r == 0)
		r = check_chip(self, err);
	if (r == 0)
		r = check_binding(&self->pci, err);
	if (r == 0) {
		memcpy(self->bus.name, address, sizeof(address));
		r = open_steps(self, err);
	}
	if (r < 0) {
		vfio_close(&self->bus);
		return r;
	}
	*ret_bus = &self->bus;
	return 0;
}
