/* SPDX-License-Identifier: BSD-2-Clause */
/* DMA memory: device addresses chosen from what the IOMMU takes, mappings, the locked-memory limit. */
#include "driver/bus_vfio_private.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define IOVA_FLOOR  0x100000ull	   /* below: legacy holes; and 0 is left to fault */
#define IOVA_LOW    0x100000000ull /* every chip takes these; ring addresses stay short */
#define MSI_FIRST   0xfee00000ull  /* x86: writes there are interrupts */
#define MSI_LAST    0xfeefffffull
#define IOVA_39BITS 0x7fffffffffull

void iova_default(struct iova_space *space)
{
	space->range[0] = (struct iova_range){0, MSI_FIRST - 1};
	space->range[1] = (struct iova_range){MSI_LAST + 1, IOVA_39BITS};
	space->range_count = 2;
}

static bool iova_meets(uint64_t at, uint64_t size, uint64_t first, uint64_t end)
{
	return at < end + IOVA_GAP && at + size + IOVA_GAP > first;
}

/* End of something in the way of [@at, @at + @size) with its margins, 0 when the way is free. */
static uint64_t iova_obstacle(const struct iova_space *space, uint64_t at, uint64_t size)
{
	if (iova_meets(at, size, MSI_FIRST, MSI_LAST + 1))
		return MSI_LAST + 1;
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++) {
		const struct dma_mem *map = &space->map[i];

		if (map->va && iova_meets(at, size, map->iova, map->iova + map->size))
			return map->iova + map->size;
	}
	return 0;
}

static bool iova_find_in(const struct iova_space *space, const struct iova_range *range, uint64_t size,
	uint64_t limit, uint64_t *ret_iova)
{
	uint64_t last = MIN(range->last, limit - 1);
	uint64_t at = ALIGN_UP(MAX(range->first, IOVA_FLOOR), (uint64_t)IOVA_GAP);

	while (at <= last && last - at >= size - 1) {
		uint64_t past = iova_obstacle(space, at, size);

		if (!past) {
			*ret_iova = at;
			return true;
		}
		at = ALIGN_UP(past + IOVA_GAP, (uint64_t)IOVA_GAP);
	}
	return false;
}

bool iova_find(const struct iova_space *space, uint64_t size, uint64_t *ret_iova)
{
	static const uint64_t limits[] = {IOVA_LOW, UINT64_MAX};

	if (!size)
		return false;
	for (size_t l = 0; l < ARRAY_SIZE(limits); l++)
		for (unsigned i = 0; i < space->range_count; i++)
			if (iova_find_in(space, &space->range[i], size, limits[l], ret_iova))
				return true;
	return false;
}

/* --- how much --- */

static int over_memlock(struct vfio_bus *self, size_t need, uint64_t limit, struct error *err)
{
	return error_set(err, -ENOMEM,
		"%s: DMA memory is locked memory, of which at least %zu KiB are needed and RLIMIT_MEMLOCK allows "
		"%llu KiB: \"prlimit --memlock=%zu --pid $$\" as root in the shell that starts it (a service has "
		"LimitMEMLOCK=), make rx-ring smaller, or run with CAP_IPC_LOCK",
		self->bus.name, need / 1024, (unsigned long long)limit / 1024, need);
}

int vfio_dma_check(struct bus *bus, size_t bytes, struct error *err)
{
	struct vfio_bus *self = vfio_bus(bus);
	uint64_t limit = self->sys->ops->memlock_limit(self->sys->ctx);

	if (bytes > bus->dma_limit)
		return error_set(err, -ENOSPC,
			"%s: %zu KiB of memory for the device are over the %zu KiB that one daemon gives it: make "
			"rx-ring or the MTU smaller", bus->name, bytes / 1024, bus->dma_limit / 1024);
	return bytes > limit ? over_memlock(self, bytes, limit, err) : 0;
}

/* The limit may be used up by others: with iommufd it counts for all processes of a user. */
static int map_failed(struct vfio_bus *self, int r, size_t size, struct error *err)
{
	if (r != -ENOMEM)
		return error_sys(err, r, "%s: cannot map %zu KiB of memory for the device", self->bus.name,
			size / 1024);
	return over_memlock(self, self->bus.dma_bytes + size, self->sys->ops->memlock_limit(self->sys->ctx), err);
}

/* --- memory --- */

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Shared: a page pinned for the device must stay the same page after a fork. No huge pages: the IOMMU
 * makes scattered ones contiguous. */
static int memory_get(const struct sys *sys, size_t size, void **ret_va)
{
	size_t page = page_bytes();
	void *va;
	int r = sys->ops->mmap(sys->ctx, size + 2 * page, PROT_NONE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, &va);

	if (r < 0)
		return r;
	r = sys->ops->mprotect(sys->ctx, (char *)va + page, size, PROT_READ | PROT_WRITE);
	if (r < 0)
		(void)sys->ops->munmap(sys->ctx, va, size + 2 * page);
	else
		*ret_va = (char *)va + page;
	return r;
}

static void memory_put(const struct sys *sys, void *va, size_t size)
{
	size_t page = page_bytes();

	(void)sys->ops->munmap(sys->ctx, (char *)va - page, size + 2 * page);
}

static struct dma_mem *free_slot(struct vfio_bus *self)
{
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++)
		if (!self->iova.map[i].va)
			return &self->iova.map[i];
	return NULL;
}

int vfio_dma_alloc(struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err)
{
	struct vfio_bus *self = vfio_bus(bus);
	struct dma_mem mem = {.size = ALIGN_UP(size, page_bytes())};
	struct dma_mem *slot = free_slot(self);
	int r = vfio_dma_check(bus, bus->dma_bytes + mem.size, err);

	if (r < 0)
		return r;
	if (!slot || !iova_find(&self->iova, mem.size, &mem.iova))
		return error_set(err, -ENOSPC, "%s: no device address is free for %zu KiB", bus->name,
			mem.size / 1024);
	r = memory_get(self->sys, mem.size, &mem.va);
	if (r < 0)
		return error_sys(err, r, "%s: cannot get %zu KiB of memory", bus->name, mem.size / 1024);
	r = self->backend->map(self, &mem);
	if (r < 0) {
		memory_put(self->sys, mem.va, mem.size);
		return map_failed(self, r, mem.size, err);
	}
	bus->dma_bytes += mem.size;
	*slot = mem;
	*ret_mem = mem;
	return 0;
}

static void slot_release(struct vfio_bus *self, struct dma_mem *slot)
{
	memory_put(self->sys, slot->va, slot->size);
	self->bus.dma_bytes -= slot->size;
	*slot = (struct dma_mem){0};
}

void vfio_dma_free(struct bus *bus, struct dma_mem *mem)
{
	struct vfio_bus *self = vfio_bus(bus);

	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++) {
		struct dma_mem *slot = &self->iova.map[i];

		/* Memory that the device may still reach stays ours until the IOMMU is closed. */
		if (slot->va && slot->va == mem->va && self->backend->unmap(self, slot) == 0)
			slot_release(self, slot);
	}
	*mem = (struct dma_mem){0};
}

void vfio_dma_release(struct vfio_bus *self)
{
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++)
		if (self->iova.map[i].va)
			slot_release(self, &self->iova.map[i]);
}
