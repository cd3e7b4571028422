/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated chip behind a device bus in virtual time, for tests. */
#include "driver/sim/sim_vbus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/util.h"

#define PAGE_BYTES 4096
/* Device addresses start here: never equal to a pointer, and above 32 bits. */
#define IOVA_BASE UINT64_C(0x3200000000)

/* A sent frame that waits for sim_vbus_collect(). */
struct kept_frame {
	struct kept_frame *next;
	struct sim_frame frame;
	uint8_t data[];
};

struct vbus {
	struct bus bus;
	struct sim *sim;
	struct sim_options options;
	struct sim_out out;
	uint64_t now_ns;
	uint64_t next_iova;
	uint64_t raised[BUS_VECTORS_MAX];
	sim_vbus_irq_fn irq_handler;
	void *irq_ctx;
	sim_vbus_frame_fn frame_handler;
	void *frame_ctx;
	struct kept_frame *first, **last, *handed_out;
};

static struct vbus *vbus_of(struct bus *bus)
{
	return CONTAINER_OF(bus, struct vbus, bus);
}

static void keep(struct vbus *v, const struct sim_frame *frame)
{
	struct kept_frame *kept = malloc(sizeof(*kept) + frame->len);

	if (!kept)
		abort(); /* a test out of memory */
	kept->next = NULL;
	kept->frame = *frame;
	kept->frame.data = kept->data;
	memcpy(kept->data, frame->data, frame->len);
	*v->last = kept;
	v->last = &kept->next;
}

static void hand_out_frames(struct vbus *v)
{
	for (unsigned i = 0; i < v->out.frame_count; i++) {
		if (v->frame_handler)
			v->frame_handler(v->frame_ctx, &v->out.frame[i]);
		else
			keep(v, &v->out.frame[i]);
	}
}

static void hand_out_interrupts(struct vbus *v, uint32_t raised)
{
	uint64_t one = 1;

	for (unsigned i = 0; i < v->bus.irq_count; i++)
		if ((raised >> i & 1) && write(v->bus.irq_fd[i], &one, sizeof(one)) < 0)
			abort(); /* an eventfd takes 2^64 - 2 before it refuses */
	for (unsigned i = 0; i < BUS_VECTORS_MAX; i++) {
		if (!(raised >> i & 1))
			continue;
		v->raised[i]++;
		if (v->irq_handler)
			v->irq_handler(v->irq_ctx, i, v->now_ns);
	}
}

uint32_t sim_vbus_run(struct bus *bus, uint64_t until_ns)
{
	struct vbus *v = vbus_of(bus);
	uint64_t next;

	do {
		next = sim_advance(v->sim, MAX(until_ns, v->now_ns), true, &v->out);
		hand_out_frames(v);
		if (v->out.raised) {
			uint32_t raised = v->out.raised;

			v->now_ns = MAX(v->now_ns, sim_raised_ns(v->sim));
			hand_out_interrupts(v, raised);
			return raised;
		}
	} while (next <= until_ns);
	v->now_ns = MAX(v->now_ns, until_ns);
	return 0;
}

void sim_vbus_advance(struct bus *bus, uint64_t until_ns)
{
	while (sim_vbus_run(bus, until_ns))
		;
}

uint64_t sim_vbus_next(struct bus *bus)
{
	struct vbus *v = vbus_of(bus);
	uint64_t next = sim_advance(v->sim, v->now_ns, true, &v->out);

	hand_out_frames(v);
	if (v->out.raised)
		hand_out_interrupts(v, v->out.raised);
	return next;
}

/* The device lags while a handler works: what is due meanwhile comes after it returns. */
void sim_vbus_spend(struct bus *bus, uint64_t ns)
{
	vbus_of(bus)->now_ns += ns;
}

uint64_t sim_vbus_now(const struct bus *bus)
{
	return CONTAINER_OF(bus, const struct vbus, bus)->now_ns;
}

struct sim *sim_vbus_sim(struct bus *bus)
{
	return vbus_of(bus)->sim;
}

uint64_t sim_vbus_raised(const struct bus *bus, unsigned vector)
{
	return CONTAINER_OF(bus, const struct vbus, bus)->raised[vector];
}

void sim_vbus_set_irq_handler(struct bus *bus, sim_vbus_irq_fn handler, void *ctx)
{
	vbus_of(bus)->irq_handler = handler;
	vbus_of(bus)->irq_ctx = ctx;
}

void sim_vbus_set_frame_handler(struct bus *bus, sim_vbus_frame_fn handler, void *ctx)
{
	vbus_of(bus)->frame_handler = handler;
	vbus_of(bus)->frame_ctx = ctx;
}

int sim_vbus_offer(struct bus *bus, const uint8_t *data, uint32_t len, const struct vnet *vnet)
{
	return sim_rx_offer(vbus_of(bus)->sim, data, len, vnet, vbus_of(bus)->now_ns);
}

bool sim_vbus_collect(struct bus *bus, struct sim_frame *ret_frame)
{
	struct vbus *v = vbus_of(bus);

	free(v->handed_out);
	v->handed_out = v->first;
	if (!v->first)
		return false;
	v->first = v->first->next;
	if (!v->first)
		v->last = &v->first;
	*ret_frame = v->handed_out->frame;
	return true;
}

/* --- bus operations --- */

static uint32_t vbus_read32(struct bus *bus, uint32_t offset)
{
	return sim_read32(vbus_of(bus)->sim, offset, vbus_of(bus)->now_ns);
}

static void vbus_write32(struct bus *bus, uint32_t offset, uint32_t value)
{
	sim_write32(vbus_of(bus)->sim, offset, value, vbus_of(bus)->now_ns);
}

static int vbus_dma_alloc(struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err)
{
	struct vbus *v = vbus_of(bus);
	struct dma_mem mem = {.size = (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES};
	int error;

	mem.va = mmap(NULL, mem.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem.va == MAP_FAILED)
		return error_sys(
			err, -errno, "Cannot allocate %zu bytes for the simulated device", size);
	mem.iova = v->next_iova;
	error = sim_dma_map(v->sim, mem.va, mem.iova, mem.size);
	if (error) {
		munmap(mem.va, mem.size);
		return error_sys(err, error, "Cannot show %zu bytes to the simulated device", size);
	}
	/* A hole between regions: running over an end is then an error, not the next buffer. */
	v->next_iova += mem.size + PAGE_BYTES;
	*ret_mem = mem;
	return 0;
}

static void vbus_dma_free(struct bus *bus, struct dma_mem *mem)
{
	if (!mem->va)
		return;
	sim_dma_unmap(vbus_of(bus)->sim, mem->iova);
	munmap(mem->va, mem->size);
	memset(mem, 0, sizeof(*mem));
}

static void vbus_irq_disable(struct bus *bus)
{
	for (unsigned i = 0; i < bus->irq_count; i++) {
		close(bus->irq_fd[i]);
		bus->irq_fd[i] = -1;
	}
	bus->irq_count = 0;
}

static int vbus_irq_enable(struct bus *bus, enum intmode mode, unsigned count, struct error *err)
{
	vbus_irq_disable(bus);
	if (!(bus->chip->intmodes & INTMODE_BIT(mode)) || count > BUS_VECTORS_MAX)
		return error_set(err, -EINVAL, "%s has no %u interrupts in this mode",
			bus->chip->name, count);
	for (unsigned i = 0; i < count; i++) {
		bus->irq_fd[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (bus->irq_fd[i] < 0)
			return error_sys(err, -errno, "Cannot make an eventfd");
		bus->irq_count++;
	}
	sim_set_intmode(vbus_of(bus)->sim, mode, count);
	return 0;
}

static void vbus_irq_unmask(struct bus *bus)
{
	sim_intx_unmask(vbus_of(bus)->sim, vbus_of(bus)->now_ns);
}

static int vbus_reset(struct bus *bus, struct error *err)
{
	sim_function_reset(vbus_of(bus)->sim);
	return 0;
}

static int vbus_set_master(struct bus *bus, bool on, struct error *err)
{
	sim_set_master(vbus_of(bus)->sim, on);
	return 0;
}

static void vbus_close(struct bus *bus)
{
	struct vbus *v = vbus_of(bus);
	struct sim_frame frame;

	vbus_irq_disable(bus);
	while (sim_vbus_collect(bus, &frame))
		;
	sim_out_fini(&v->out);
	sim_free(v->sim);
	free(v);
}

/* --- what only a simulated device can do --- */

static int vbus_start(struct bus *bus, int cpu, struct error *err)
{
	return 0;
}

static int vbus_set_source(struct bus *bus, const struct sim_source *source, struct error *err)
{
	return sim_source_set(vbus_of(bus)->sim, source, vbus_of(bus)->now_ns, err);
}

static void vbus_set_sink(struct bus *bus, bool on)
{
	sim_sink_set(vbus_of(bus)->sim, on);
}

static int vbus_set_fault(struct bus *bus, const char *name, uint64_t count, struct error *err)
{
	return sim_fault_set(vbus_of(bus)->sim, name, count, vbus_of(bus)->now_ns, err);
}

static void vbus_get_counters(struct bus *bus, struct sim_counters *ret_counters)
{
	sim_counters_get(vbus_of(bus)->sim, ret_counters);
}

static bool vbus_msix_rx_timers(struct bus *bus)
{
	return vbus_of(bus)->options.msix_rx_timers;
}

static void vbus_get_mac_of_peer(struct bus *bus, uint8_t ret_mac[6])
{
	memcpy(ret_mac, vbus_of(bus)->options.mac, 6);
	ret_mac[5] ^= 0xff;
}

static const struct bus_sim_ops vbus_sim_ops = {
	.start = vbus_start,
	.set_source = vbus_set_source,
	.set_sink = vbus_set_sink,
	.set_fault = vbus_set_fault,
	.get_counters = vbus_get_counters,
	.msix_rx_timers = vbus_msix_rx_timers,
	.get_mac_of_peer = vbus_get_mac_of_peer,
};

static const struct bus_ops vbus_ops = {
	.scheme = "sim",
	.sim = &vbus_sim_ops,
	.read32 = vbus_read32,
	.write32 = vbus_write32,
	.dma_alloc = vbus_dma_alloc,
	.dma_free = vbus_dma_free,
	.irq_enable = vbus_irq_enable,
	.irq_disable = vbus_irq_disable,
	.irq_unmask = vbus_irq_unmask,
	.reset = vbus_reset,
	.set_master = vbus_set_master,
	.close = vbus_close,
};

int sim_vbus_open(const char *options, uint64_t start_ns, struct bus **ret_bus, struct error *err)
{
	struct vbus *v = calloc(1, sizeof(*v));
	int error = v ? 0 : error_sys(err, -ENOMEM, "Cannot make a simulated device");

	if (!error)
		error = sim_options_parse(options, &v->options, err);
	if (!error && (sim_new(&v->options, start_ns, &v->sim) || sim_out_init(&v->out)))
		error = error_sys(err, -ENOMEM, "Cannot make a simulated device");
	if (error) {
		if (v)
			sim_free(v->sim);
		free(v);
		return error;
	}
	v->bus.ops = &vbus_ops;
	v->bus.chip = v->options.chip;
	v->bus.request_fd = v->bus.error_fd = -1;
	snprintf(v->bus.name, sizeof(v->bus.name), "sim:%s", v->options.chip->name);
	v->now_ns = start_ns;
	v->next_iova = IOVA_BASE;
	v->last = &v->first;
	*ret_bus = &v->bus;
	return 0;
}
