/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts by VFIO: one mode at a time, switched by taking the old one away first. */
#include "driver/bus_vfio_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct irq_request {
	struct vfio_irq_set set;
	int32_t fd[BUS_VECTORS_MAX];
};

static const uint32_t irq_indices[] = {
	[INTMODE_INTX] = VFIO_PCI_INTX_IRQ_INDEX,
	[INTMODE_MSI] = VFIO_PCI_MSI_IRQ_INDEX,
	[INTMODE_MSIX] = VFIO_PCI_MSIX_IRQ_INDEX,
};

static int irq_set(struct vfio_bus *self, uint32_t index, uint32_t flags, const int *fds, unsigned count)
{
	struct irq_request request = {
		.set = {.argsz = (uint32_t)(sizeof(request.set) + count * sizeof(request.fd[0])),
			.flags = flags,
			.index = index,
			.count = count},
	};
	for (unsigned i = 0; fds && i < count; i++)
		request.fd[i] = fds[i];
	if (self->bus.frozen)
		return -EIO;
	return sys_ioctl(self->sys, self->device, VFIO_DEVICE_SET_IRQS, &request);
}

static int irq_trigger(struct vfio_bus *self, uint32_t index, const int *fds, unsigned count)
{
	return irq_set(self, index, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, fds, count);
}

static void irq_take_away(struct vfio_bus *self, uint32_t index)
{
	(void)irq_set(self, index, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, NULL, 0);
}

void vfio_irq_disable(struct bus *bus)
{
	struct vfio_bus *self = vfio_bus(bus);

	if (self->irq_on)
		irq_take_away(self, self->irq_index);
	self->irq_on = false;
	sys_close(self->sys, &self->unmask_fd);
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		sys_close(self->sys, &bus->irq_fd[v]);
	bus->irq_count = 0;
}

/* What can be had instead is said, never taken in silence: figures of another mode would pass for these. */
static int too_few_vectors(struct vfio_bus *self, enum intmode mode, unsigned count, unsigned had,
	struct error *err)
{
	return error_set(err, -ENOSPC, "%s: %s needs %u vectors and %u can be had%s", self->bus.name,
		intmode_name(mode), count, had,
		mode == INTMODE_MSIX && self->irq_count[VFIO_PCI_MSI_IRQ_INDEX] ? ": choose intmode=msi" :
		mode != INTMODE_INTX && self->irq_count[VFIO_PCI_INTX_IRQ_INDEX] ? ": choose intmode=intx" :
										   "");
}

/* VFIO masks the line at each interrupt. A write to this eventfd unmasks it, for which the ioctl remains
 * where the kernel does not take one. */
static void unmask_by_eventfd(struct vfio_bus *self)
{
	self->unmask_fd = self->sys->ops->eventfd(self->sys->ctx);
	if (self->unmask_fd >= 0 &&
	    irq_set(self, VFIO_PCI_INTX_IRQ_INDEX, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_UNMASK,
		    &self->unmask_fd, 1) != 0)
		sys_close(self->sys, &self->unmask_fd);
}

int vfio_irq_enable(struct bus *bus, enum intmode mode, unsigned count, struct error *err)
{
	struct vfio_bus *self = vfio_bus(bus);
	uint32_t index = irq_indices[mode];
	int r = 0;

	vfio_irq_disable(bus);
	if (count > self->irq_count[index] || count > BUS_VECTORS_MAX)
		return too_few_vectors(self, mode, count, self->irq_count[index], err);
	for (unsigned v = 0; v < count && r >= 0; v++)
		r = bus->irq_fd[v] = self->sys->ops->eventfd(self->sys->ctx);
	if (r >= 0) {
		self->irq_on = true;
		self->irq_index = index;
		r = irq_trigger(self, index, bus->irq_fd, count);
	}
	if (r != 0) {
		vfio_irq_disable(bus);
		/* A positive number is how many vectors could be had: not all, so none. */
		if (r > 0)
			return too_few_vectors(self, mode, count, (unsigned)r, err);
		return error_sys(err, r, "%s: cannot switch to %s with %u vectors", bus->name,
			intmode_name(mode), count);
	}
	bus->irq_count = count;
	if (mode == INTMODE_INTX)
		unmask_by_eventfd(self);
	return 0;
}

void vfio_irq_unmask(struct bus *bus)
{
	struct vfio_bus *self = vfio_bus(bus);

	if (!self->irq_on || self->irq_index != VFIO_PCI_INTX_IRQ_INDEX)
		return;
	if (self->unmask_fd < 0 || self->sys->ops->signal(self->sys->ctx, self->unmask_fd) < 0)
		(void)irq_set(self, self->irq_index, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_UNMASK, NULL, 1);
}

/* --- the kernel's notices --- */

static int notice_open(struct vfio_bus *self, uint32_t index, int *ret_fd)
{
	int r;

	if (!self->irq_count[index])
		return 0;
	*ret_fd = self->sys->ops->eventfd(self->sys->ctx);
	if (*ret_fd < 0)
		return *ret_fd;
	r = irq_trigger(self, index, ret_fd, 1);
	if (r != 0)
		sys_close(self->sys, ret_fd);
	return r > 0 ? -EIO : r;
}

int vfio_notices_open(struct vfio_bus *self, struct error *err)
{
	int r;

	r = notice_open(self, VFIO_PCI_REQ_IRQ_INDEX, &self->bus.request_fd);
	if (r == 0)
		r = notice_open(self, VFIO_PCI_ERR_IRQ_INDEX, &self->bus.error_fd);
	if (r < 0)
		return error_sys(err, r, "%s: cannot ask to be told of unplug and bus errors", self->bus.name);
	return 0;
}

void vfio_notices_close(struct vfio_bus *self)
{
	if (self->bus.request_fd >= 0)
		irq_take_away(self, VFIO_PCI_REQ_IRQ_INDEX);
	if (self->bus.error_fd >= 0)
		irq_take_away(self, VFIO_PCI_ERR_IRQ_INDEX);
	sys_close(self->sys, &self->bus.request_fd);
	sys_close(self->sys, &self->bus.error_fd);
}
