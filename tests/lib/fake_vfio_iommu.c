/* SPDX-License-Identifier: BSD-2-Clause */
/* The pretend kernel's IOMMU: container and group, iommufd, and what is mapped for the device. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "common/util.h"
#include "tests/lib/fake_vfio_private.h"

/* --- container and group --- */

static int get_info(const struct fake_vfio *f, struct vfio_iommu_type1_info *info)
{
	struct {
		struct vfio_iommu_type1_info info;
		uint32_t padding;
		struct vfio_iommu_type1_info_cap_iova_range cap;
		struct vfio_iova_range range[2];
	} full = {
		.info = {.argsz = sizeof(full), .flags = VFIO_IOMMU_INFO_CAPS},
		.cap = {.header = {.id = VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE}, .nr_iovas = 2},
		.range = {{0, 0xfedfffff}, {0xfef00000, 0x7fffffffff}},
	};
	uint32_t room = info->argsz;

	full.info.cap_offset = (uint32_t)((char *)&full.cap - (char *)&full);
	if (f->no_ranges)
		return 0;
	if (room >= sizeof(full))
		memcpy(info, &full, sizeof(full));
	info->argsz = sizeof(full);
	return 0;
}

static int map_memory(struct fake_vfio *f, bool ready, uint64_t va, uint64_t iova, uint64_t size)
{
	uint64_t end = iova + size;

	if (f->map_error)
		return f->map_error;
	if ((iova | va | size) % 4096 || !ready || (iova <= 0xfeefffff && end > 0xfee00000))
		return -EINVAL;
	for (unsigned i = 0; i < FAKE_MAPS; i++)
		if (iova < f->map[i].iova + f->map[i].size && end > f->map[i].iova)
			return -EEXIST;
	for (unsigned i = 0; i < FAKE_MAPS; i++) {
		if (f->map[i].size)
			continue;
		f->map[i].iova = iova;
		f->map[i].size = size;
		f->mapped_most = MAX(f->mapped_most, fake_vfio_mapped(f));
		return 0;
	}
	return -ENOSPC;
}

/* Return: bytes that were mapped there. */
static uint64_t unmap_memory(struct fake_vfio *f, uint64_t iova, uint64_t size)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < FAKE_MAPS; i++) {
		if (f->map[i].iova != iova || f->map[i].size != size)
			continue;
		done = f->map[i].size - f->unmap_lie;
		f->map[i].size = 0;
		f->unmapped_active |= f->device_active(f);
		f->unmapped_with_master |= (f->config[PCI_COMMAND] & PCI_COMMAND_MASTER) != 0;
	}
	return done;
}

static int map_dma(struct fake_vfio *f, const struct vfio_iommu_type1_dma_map *map)
{
	return map_memory(f, f->iommu_on, map->vaddr, map->iova, map->size);
}

static int unmap_dma(struct fake_vfio *f, struct vfio_iommu_type1_dma_unmap *unmap)
{
	unmap->size = unmap_memory(f, unmap->iova, unmap->size);
	return 0;
}

int fake_container_ioctl(struct fake_vfio *f, unsigned long request, void *arg)
{
	switch (request) {
	case VFIO_GET_API_VERSION:
		return VFIO_API_VERSION;
	case VFIO_CHECK_EXTENSION:
		return !f->no_type1 && (uintptr_t)arg == VFIO_TYPE1v2_IOMMU;
	case VFIO_SET_IOMMU:
		if (!f->attached || f->iommu_on)
			return -EINVAL;
		if (f->iommu_error)
			return f->iommu_error;
		f->iommu_on = true;
		return 0;
	case VFIO_IOMMU_GET_INFO:
		return f->iommu_on ? get_info(f, arg) : -EINVAL;
	case VFIO_IOMMU_MAP_DMA:
		return map_dma(f, arg);
	case VFIO_IOMMU_UNMAP_DMA:
		return unmap_dma(f, arg);
	}
	return -ENOTTY;
}

int fake_group_ioctl(struct fake_vfio *f, unsigned long request, void *arg)
{
	switch (request) {
	case VFIO_GROUP_GET_STATUS:
		((struct vfio_group_status *)arg)->flags = f->not_viable ? 0 : VFIO_GROUP_FLAGS_VIABLE;
		return 0;
	case VFIO_GROUP_SET_CONTAINER:
		if (f->not_viable || fake_kind_of(f, *(int *)arg) != FAKE_CONTAINER)
			return -EPERM;
		f->attached = true;
		return 0;
	case VFIO_GROUP_UNSET_CONTAINER:
		f->attached = f->iommu_on = false;
		return 0;
	case VFIO_GROUP_GET_DEVICE_FD:
		if (!f->iommu_on || strcmp(arg, "0000:03:00.0"))
			return -EINVAL;
		return fake_new_fd(f, FAKE_DEVICE);
	}
	return -ENOTTY;
}

/* --- iommufd --- */

static int get_ranges(struct fake_vfio *f, struct iommufd_ioas_ranges *ask)
{
	static const struct iommufd_range ranges[] = {{0, 0xfedfffff}, {0xfef00000, 0x7fffffffff}};
	uint32_t room = ask->count;

	if (ask->ioas_id != f->ioas || !f->pt_attached) /* the ranges are those of the device */
		return -ENOENT;
	ask->count = f->no_ranges ? 0 : ARRAY_SIZE(ranges);
	ask->out_alignment = 4096;
	if (room < ask->count)
		return -EMSGSIZE;
	if (ask->count)
		memcpy((void *)(uintptr_t)ask->ranges, ranges, sizeof(ranges));
	return 0;
}

int fake_iommufd_ioctl(struct fake_vfio *f, unsigned long request, void *arg)
{
	struct iommufd_ioas_alloc *alloc = arg;
	struct iommufd_ioas_map *map = arg;
	struct iommufd_ioas_unmap *unmap = arg;

	switch (request) {
	case IOMMUFD_IOAS_ALLOC:
		f->order_errors += !f->bound; /* the order of the kernel's own example */
		alloc->out_ioas_id = f->ioas = 7;
		return 0;
	case IOMMUFD_IOAS_RANGES:
		return get_ranges(f, arg);
	case IOMMUFD_IOAS_MAP:
		if (map->ioas_id != f->ioas || !(map->flags & IOMMUFD_MAP_FIXED))
			return -ENOENT;
		return map_memory(f, f->pt_attached, map->va, map->iova, map->length);
	case IOMMUFD_IOAS_UNMAP:
		unmap->length = unmap_memory(f, unmap->iova, unmap->length);
		return unmap->length ? 0 : -ENOENT;
	case IOMMUFD_DESTROY:
		if (f->pt_attached || ((struct iommufd_destroy *)arg)->id != f->ioas)
			return -EBUSY;
		f->ioas = 0;
		memset(f->map, 0, sizeof(f->map));
		return 0;
	}
	return -ENOTTY;
}
