/* SPDX-License-Identifier: BSD-2-Clause */
/* Host memory as the simulated device sees it: regions by device address, rings in them. */
#include <errno.h>

#include "driver/sim/sim_internal.h"

static bool region_holds(const struct sim_region *region, uint64_t iova, size_t len)
{
	return iova >= region->iova && iova - region->iova <= region->size &&
	       len <= region->size - (iova - region->iova);
}

int sim_dma_map(struct sim *sim, void *va, uint64_t iova, size_t size)
{
	struct sim_dma *dma = &sim->dma;

	if (dma->count == SIM_REGIONS)
		return -ENOSPC;
	for (unsigned i = 0; i < dma->count; i++) {
		const struct sim_region *r = &dma->region[i];

		if (iova < r->iova + r->size && r->iova < iova + size)
			return -EEXIST;
	}
	dma->region[dma->count++] = (struct sim_region){.va = va, .iova = iova, .size = size};
	return 0;
}

void sim_dma_unmap(struct sim *sim, uint64_t iova)
{
	struct sim_dma *dma = &sim->dma;

	for (unsigned i = 0; i < dma->count; i++) {
		if (dma->region[i].iova != iova)
			continue;
		dma->region[i] = dma->region[--dma->count];
		break;
	}
	sim_tx_abort(sim);
	sim->tx.ring.desc = NULL;
	sim->rx.ring.desc = NULL;
}

static bool may_master(const struct sim *sim)
{
	if (sim->chip->family == FAM_E1000E && (sim_reg(sim, REG_CTRL) & CTRL_GIO_MASTER_DISABLE))
		return false;
	return sim->dma.master;
}

uint8_t *sim_dma_at(struct sim *sim, uint64_t iova, size_t len, unsigned *hint)
{
	struct sim_dma *dma = &sim->dma;
	const struct sim_region *r = &dma->region[*hint];

	if (may_master(sim)) {
		if (*hint < dma->count && region_holds(r, iova, len))
			return r->va + (iova - r->iova);
		for (unsigned i = 0; i < dma->count; i++) {
			if (!region_holds(&dma->region[i], iova, len))
				continue;
			*hint = i;
			return dma->region[i].va + (iova - dma->region[i].iova);
		}
	}
	sim->counters.dma_dropped++;
	return NULL;
}

bool sim_ring_ready(struct sim *sim, struct sim_ring *ring)
{
	unsigned hint = 0;

	if (!ring->count || !may_master(sim))
		return false;
	if (!ring->desc)
		ring->desc = (struct desc *)(void *)sim_dma_at(sim, ring->base, ring->bytes, &hint);
	return ring->desc && ring->head < ring->count;
}

void sim_ring_write(struct sim_ring *ring, uint32_t which, uint32_t value)
{
	switch (which) {
	case RING_BASE_LOW:
		ring->base = (ring->base & ~UINT64_C(0xffffffff)) | (value & ~15u);
		break;
	case RING_BASE_HIGH:
		ring->base = (ring->base & 0xffffffff) | (uint64_t)value << 32;
		break;
	case RING_BYTES:
		ring->bytes = value & 0xfff80u; /* bits 19:7 [SDM-8254x 13.4.27] */
		ring->count = ring->bytes / sizeof(struct desc);
		break;
	default:
		ring->head = value & 0xffff;
		return;
	}
	ring->desc = NULL;
}
