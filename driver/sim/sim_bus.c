/* SPDX-License-Identifier: BSD-2-Clause */
/* Bus operations on the simulated chip: each takes the device's lock and calls the model. */
#include "driver/sim/sim_bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim_thread.h"

/* Device addresses count up from here: far from any host address, and never 0. */
#define IOVA_FIRST 0x100000
#define IOVA_ALIGN 4096

struct sim_bus {
	struct bus bus;
	struct sim_options options;
	struct sim_device device;
	uint64_t next_iova;
};

static struct sim_bus *sim_bus(struct bus *bus)
{
	return CONTAINER_OF(bus, struct sim_bus, bus);
}

static struct sim_device *sim_device(struct bus *bus)
{
	return &sim_bus(bus)->device;
}

/* --- registers --- */

static uint32_t sim_bus_read32(struct bus *bus, uint32_t offset)
{
	struct sim_device *device = sim_device(bus);
	uint32_t value;

	sim_device_lock(device);
	value = sim_read32(device->sim, offset, clock_now_ns());
	sim_device_unlock(device);
	return value;
}

static void sim_bus_write32(struct bus *bus, uint32_t offset, uint32_t value)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	sim_write32(device->sim, offset, value, clock_now_ns());
	sim_device_unlock_changed(device);
}

/* --- memory --- */

static int sim_bus_dma_alloc(
	struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err)
{
	struct sim_device *device = sim_device(bus);
	size_t bytes = (size + IOVA_ALIGN - 1) & ~(size_t)(IOVA_ALIGN - 1);
	struct dma_mem mem = {.size = bytes};
	int r;

	/* Populated: a page fault in the data path would be the simulation's, not the driver's. */
	mem.va = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (mem.va == MAP_FAILED)
		return error_sys(
			err, -errno, "%s: cannot get %zu bytes of DMA memory", bus->name, bytes);
	sim_device_lock(device);
	mem.iova = sim_bus(bus)->next_iova;
	r = sim_dma_map(device->sim, mem.va, mem.iova, bytes);
	if (r == 0)
		sim_bus(bus)->next_iova += bytes + IOVA_ALIGN; /* a gap, to catch overruns */
	sim_device_unlock(device);
	if (r < 0) {
		(void)munmap(mem.va, bytes);
		return error_sys(
			err, r, "%s: cannot map %zu bytes for the device", bus->name, bytes);
	}
	*ret_mem = mem;
	return 0;
}

static void sim_bus_dma_free(struct bus *bus, struct dma_mem *mem)
{
	struct sim_device *device = sim_device(bus);

	if (!mem->va)
		return;
	sim_device_lock(device);
	sim_dma_unmap(device->sim, mem->iova);
	sim_device_unlock(device);
	(void)munmap(mem->va, mem->size);
	*mem = (struct dma_mem){0};
}

static int sim_bus_set_master(struct bus *bus, bool on, struct error *err)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	sim_set_master(device->sim, on);
	sim_device_unlock_changed(device);
	return 0;
}

static int sim_bus_reset(struct bus *bus, struct error *err)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	sim_set_master(device->sim, false);
	sim_function_reset(device->sim);
	sim_device_unlock_changed(device);
	return 0;
}

/* --- interrupts --- */

static void sim_bus_irq_disable(struct bus *bus)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	/* A message table without entries: nothing can be raised. */
	sim_set_intmode(device->sim, INTMODE_MSIX, 0);
	sim_device_unlock(device);
	bus->irq_count = 0;
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		bus->irq_fd[v] = -1;
}

static int sim_bus_irq_enable(struct bus *bus, enum intmode mode, unsigned count, struct error *err)
{
	struct sim_device *device = sim_device(bus);
	unsigned most = mode == INTMODE_MSIX ? MIN(bus->chip->msix_vectors, BUS_VECTORS_MAX) : 1;

	if (!(bus->chip->intmodes & INTMODE_BIT(mode)))
		return error_set(err, -EOPNOTSUPP, "%s: %s has no such interrupt mode", bus->name,
			bus->chip->name);
	if (count < 1 || count > most)
		return error_set(err, -EINVAL, "%s: %u interrupt vectors asked for, there are %u",
			bus->name, count, most);
	sim_bus_irq_disable(bus);
	for (unsigned v = 0; v < count; v++) {
		uint64_t stale;

		/* The device thread may have written one after the last disable. */
		while (read(device->irq_fd[v], &stale, sizeof(stale)) > 0)
			;
		bus->irq_fd[v] = device->irq_fd[v];
	}
	sim_device_lock(device);
	sim_set_intmode(device->sim, mode, count);
	sim_device_unlock_changed(device);
	bus->irq_count = count;
	return 0;
}

static void sim_bus_irq_unmask(struct bus *bus)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	sim_intx_unmask(device->sim, clock_now_ns());
	sim_device_unlock_changed(device);
}

/* --- what only a simulated device can do --- */

static void sim_bus_attach_peer(struct bus *bus, struct tap *peer)
{
	struct sim_device *device = sim_device(bus);

	tap_close(&device->peer);
	device->peer = *peer;
	*peer = (struct tap){.fd = -1, .sock = -1};
}

static int sim_bus_start(struct bus *bus, int cpu, struct error *err)
{
	return sim_thread_start(sim_device(bus), cpu, err);
}

static int sim_bus_set_source(struct bus *bus, const struct sim_source *source, struct error *err)
{
	struct sim_device *device = sim_device(bus);
	int r;

	sim_device_lock(device);
	r = sim_source_set(device->sim, source, clock_now_ns(), err);
	if (r == 0)
		device->source_on = source->on;
	sim_device_unlock_changed(device);
	return r;
}

static void sim_bus_set_sink(struct bus *bus, bool on)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	sim_sink_set(device->sim, on);
	sim_device_unlock(device);
}

static int sim_bus_set_fault(struct bus *bus, const char *name, uint64_t count, struct error *err)
{
	struct sim_device *device = sim_device(bus);
	int r;

	sim_device_lock(device);
	r = sim_fault_set(device->sim, name, count, clock_now_ns(), err);
	sim_device_unlock_changed(device);
	return r;
}

static void sim_bus_get_counters(struct bus *bus, struct sim_counters *ret_counters)
{
	struct sim_device *device = sim_device(bus);

	sim_device_lock(device);
	sim_counters_get(device->sim, ret_counters);
	sim_device_unlock(device);
	ret_counters->device_cpu_ns = sim_thread_cpu_ns(device);
	ret_counters->late_ns_max =
		atomic_load_explicit(&device->late_ns_max, memory_order_relaxed);
	if (device->peer.sock >= 0)
		ret_counters->peer_tap_drops = tap_drops(&device->peer);
}

static bool sim_bus_msix_rx_timers(struct bus *bus)
{
	return sim_bus(bus)->options.msix_rx_timers;
}

/* The neighbour of the chip's own address: another one, and as local. */
static void sim_bus_get_mac_of_peer(struct bus *bus, uint8_t ret_mac[6])
{
	memcpy(ret_mac, sim_bus(bus)->options.mac, 6);
	ret_mac[5]++;
}

/* --- life cycle --- */

static void sim_bus_close(struct bus *bus)
{
	struct sim_bus *self = sim_bus(bus);

	sim_thread_stop(&self->device);
	tap_close(&self->device.peer);
	sim_free(self->device.sim);
	sim_device_fini(&self->device);
	free(self);
}

static const struct bus_sim_ops sim_bus_sim_ops = {
	.attach_peer = sim_bus_attach_peer,
	.start = sim_bus_start,
	.set_source = sim_bus_set_source,
	.set_sink = sim_bus_set_sink,
	.set_fault = sim_bus_set_fault,
	.get_counters = sim_bus_get_counters,
	.msix_rx_timers = sim_bus_msix_rx_timers,
	.get_mac_of_peer = sim_bus_get_mac_of_peer,
};

static const struct bus_ops sim_bus_ops = {
	.scheme = "sim",
	.sim = &sim_bus_sim_ops,
	.read32 = sim_bus_read32,
	.write32 = sim_bus_write32,
	.dma_alloc = sim_bus_dma_alloc,
	.dma_free = sim_bus_dma_free,
	.irq_enable = sim_bus_irq_enable,
	.irq_disable = sim_bus_irq_disable,
	.irq_unmask = sim_bus_irq_unmask,
	.reset = sim_bus_reset,
	.set_master = sim_bus_set_master,
	.close = sim_bus_close,
};

static int sim_bus_init(struct sim_bus *self, struct error *err)
{
	struct bus *bus = &self->bus;
	int r;

	bus->ops = &sim_bus_ops;
	bus->chip = self->options.chip;
	bus->request_fd = bus->error_fd = -1;
	(void)snprintf(bus->name, sizeof(bus->name), "sim:%s", bus->chip->name);
	self->next_iova = IOVA_FIRST;
	self->device.peer_usecs = self->options.peer_usecs;
	r = sim_device_init(&self->device);
	if (r < 0)
		return error_sys(err, r, "%s: cannot make its eventfds and lock", bus->name);
	r = sim_new(&self->options, clock_now_ns(), &self->device.sim);
	if (r < 0)
		return error_sys(err, r, "%s: cannot make the simulated chip", bus->name);
	sim_bus_irq_disable(bus);
	return 0;
}

int sim_bus_open(const char *text, struct bus **ret_bus, struct error *err)
{
	struct sim_options options;
	struct sim_bus *self;
	int r;

	r = sim_options_parse(text, &options, err);
	if (r < 0)
		return r;
	self = calloc(1, sizeof(*self));
	if (!self)
		return error_set(err, -ENOMEM, "sim:%s: out of memory", text);
	self->options = options;
	r = sim_bus_init(self, err);
	if (r < 0) {
		sim_bus_close(&self->bus);
		return r;
	}
	*ret_bus = &self->bus;
	return 0;
}
