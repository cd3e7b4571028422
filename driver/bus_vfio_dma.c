/* SPDX-License-Identifier: BSD-2-Clause */
/* DMA memory: device addresses chosen from what the IOMMU takes, mappings, the locked-memory limit. */
#include "driver/bus_vfio_private.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

/* End of something in the way of [@at, @at + @size) with its margins, 0 when the way is free. */
static uint64_t iova_obstacle(const struct iova_space *space, uint64_t at, uint64_t size)
{
	if (at <= MSI_LAST && at + size > MSI_FIRST)
		return MSI_LAST + 1;
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++) {
		const struct dma_mem *map = &space->map[i];

		if (map->va && at < map->iova + map->size + VFIO_PAGE && at + size + VFIO_PAGE > map->iova)
			return map->iova + map->size + VFIO_PAGE;
	}
	return 0;
}

static bool iova_find_in(const struct iova_space *space, const struct iova_range *range, uint64_t size,
	uint64_t limit, uint64_t *ret_iova)
{
	uint64_t last = MIN(range->last, limit - 1);
	uint64_t at = (MAX(range->first, IOVA_FLOOR) + VFIO_PAGE - 1) & ~(uint64_t)(VFIO_PAGE - 1);

	while (at <= last && last - at >= size - 1) {
		uint64_t past = iova_obstacle(space, at, size);

		if (!past) {
			*ret_iova = at;
			return true;
		}
		at = past;
	}
	return false;
}

bool iova_find(const struct iova_space *space, uint64_t size, uint64_t *ret_iova)
{
	static const uint64_t limits[] = {IOVA_LOW, UINT64_MAX};

	if (!size || size % VFIO_PAGE)
		return false;
	for (size_t l = 0; l < ARRAY_SIZE(limits); l++)
		for (unsigned i = 0; i < space->range_count; i++)
			if (iova_find_in(space, &space->range[i], size, limits[l], ret_iova))
				return true;
	return false;
}

static struct dma_mem *free_slot(struct vfio_bus *self)
{
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++)
		if (!self->iova.map[i].va)
			return &self->iova.map[i];
	return NULL;
}

/* ENOMEM of a mapping is the limit on locked memory, nearly always: say how much is needed. */
static int map_failed(struct vfio_bus *self, int r, size_t size, struct error *err)
{
	struct rlimit limit = {0};
	size_t need = size;

	if (r != -ENOMEM)
		return error_sys(err, r, "%s: cannot map %zu KiB of memory for the device", self->bus.name,
			size / 1024);
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++)
		need += self->iova.map[i].va ? self->iova.map[i].size : 0;
	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	return error_set(err, -ENOMEM,
		"%s: DMA memory is locked memory, of which at least %zu KiB are needed and RLIMIT_MEMLOCK allows "
		"%llu KiB: raise it (ulimit -l, LimitMEMLOCK=), make rx-ring smaller, or run with CAP_IPC_LOCK",
		self->bus.name, need / 1024, (unsigned long long)limit.rlim_cur / 1024);
}

int vfio_dma_alloc(struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err)
{
	struct vfio_bus *self = vfio_bus(bus);
	const struct sys *sys = self->sys;
	struct dma_mem mem = {.size = (size + VFIO_PAGE - 1) & ~(size_t)(VFIO_PAGE - 1)};
	struct dma_mem *slot = free_slot(self);
	int r;

	if (!slot || !iova_find(&self->iova, mem.size, &mem.iova))
		return error_set(err, -ENOSPC, "%s: no device address is free for %zu KiB", bus->name,
			mem.size / 1024);
	/* Shared: a page pinned for the device must stay the same page after a fork. */
	r = sys->ops->mmap(sys->ctx, mem.size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0, &mem.va);
	if (r < 0)
		return error_sys(err, r, "%s: cannot get %zu KiB of memory", bus->name, mem.size / 1024);
	r = self->backend->map(self, &mem);
	if (r < 0) {
		(void)sys->ops->munmap(sys->ctx, mem.va, mem.size);
		return map_failed(self, r, mem.size, err);
	}
	*slot = mem;
	*ret_mem = mem;
	return 0;
}

void vfio_dma_free(struct bus *bus, struct dma_mem *mem)
{
	struct vfio_bus *self = vfio_bus(bus);

	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++) {
		struct dma_mem *slot = &self->iova.map[i];

		/* Memory that the device may still reach stays ours until the IOMMU is closed. */
		if (!slot->va || slot->va != mem->va || self->backend->unmap(self, slot) < 0)
			continue;
		(void)self->sys->ops->munmap(self->sys->ctx, slot->va, slot->size);
		*slot = (struct dma_mem){0};
	}
	*mem = (struct dma_mem){0};
}

void vfio_dma_release(struct vfio_bus *self)
{
	for (unsigned i = 0; i < VFIO_MAPS_MAX; i++) {
		struct dma_mem *slot = &self->iova.map[i];

		if (slot->va)
			(void)self->sys->ops->munmap(self->sys->ctx, slot->va, slot->size);
		*slot = (struct dma_mem){0};
	}
}
