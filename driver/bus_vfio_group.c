/* SPDX-License-Identifier: BSD-2-Clause */
/* VFIO by group and container: the interface that every kernel with VFIO has. */
#include "driver/bus_vfio_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#define CONTAINER_PATH "/dev/vfio/vfio"

static int open_container(struct vfio_bus *self, struct error *err)
{
	int r = sys_open(self->sys, CONTAINER_PATH, O_RDWR);

	self->no_group = r == -ENOENT || r == -ENODEV;
	if (self->no_group)
		return error_set(err, r, "%s: there is no " CONTAINER_PATH ": modprobe vfio-pci", self->bus.name);
	if (r < 0)
		return error_sys(err, r, "%s: " CONTAINER_PATH, self->bus.name);
	self->container = r;
	r = sys_ioctl(self->sys, self->container, VFIO_GET_API_VERSION, NULL);
	if (r != VFIO_API_VERSION)
		return error_set(err, -EPROTO, "%s: the kernel speaks VFIO version %d, this driver version %d",
			self->bus.name, r, VFIO_API_VERSION);
	r = sys_ioctl(self->sys, self->container, VFIO_CHECK_EXTENSION, (void *)(uintptr_t)VFIO_TYPE1v2_IOMMU);
	if (r <= 0)
		return error_set(err, -EOPNOTSUPP, "%s: the kernel's VFIO has no type 1 IOMMU: modprobe "
			"vfio_iommu_type1", self->bus.name);
	return 0;
}

static int open_group(struct vfio_bus *self, struct error *err)
{
	char path[32];
	int r;

	(void)snprintf(path, sizeof(path), "/dev/vfio/%d", self->pci.group);
	r = sys_open(self->sys, path, O_RDWR);
	self->no_group = r == -ENOENT;
	if (r < 0)
		return vfio_node_refused(self, r, path, err);
	self->group = r;
	return 0;
}

static int attach_group(struct vfio_bus *self, struct error *err)
{
	struct vfio_group_status status = {.argsz = sizeof(status)};
	int r;

	r = sys_ioctl(self->sys, self->group, VFIO_GROUP_GET_STATUS, &status);
	if (r < 0)
		return error_sys(err, r, "%s: status of IOMMU group %d", self->bus.name, self->pci.group);
	if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE))
		return vfio_not_viable(self, err);
	r = sys_ioctl(self->sys, self->group, VFIO_GROUP_SET_CONTAINER, &self->container);
	if (r < 0)
		return error_sys(err, r, "%s: cannot attach IOMMU group %d", self->bus.name, self->pci.group);
	self->attached = true;
	r = sys_ioctl(self->sys, self->container, VFIO_SET_IOMMU, (void *)(uintptr_t)VFIO_TYPE1v2_IOMMU);
	if (r == -EPERM)
		return vfio_unsafe_interrupts(self, "vfio_iommu_type1", err);
	if (r < 0)
		return error_sys(err, r, "%s: cannot switch the IOMMU on", self->bus.name);
	return 0;
}

static void take_ranges(struct iova_space *space, const struct vfio_iommu_type1_info_cap_iova_range *cap)
{
	for (uint32_t i = 0; i < cap->nr_iovas && space->range_count < IOVA_RANGES_MAX; i++)
		space->range[space->range_count++] = (struct iova_range){
			.first = cap->iova_ranges[i].start, .last = cap->iova_ranges[i].end};
}

/* Asked twice: the first answer says how much room the capabilities take. */
static int read_ranges(struct vfio_bus *self, struct error *err)
{
	struct vfio_iommu_type1_info first = {.argsz = sizeof(first)}, *info = &first;
	int r;

	r = sys_ioctl(self->sys, self->container, VFIO_IOMMU_GET_INFO, info);
	if (r == 0 && first.argsz > sizeof(first)) {
		info = calloc(1, first.argsz);
		if (!info)
			return error_set(err, -ENOMEM, "%s: out of memory", self->bus.name);
		info->argsz = first.argsz;
		r = sys_ioctl(self->sys, self->container, VFIO_IOMMU_GET_INFO, info);
	}
	if (r == 0 && (info->flags & VFIO_IOMMU_INFO_CAPS) && info != &first) {
		uint32_t at = info->cap_offset;

		while (at && at + sizeof(struct vfio_info_cap_header) <= first.argsz) {
			struct vfio_info_cap_header *head = (void *)((char *)info + at);

			if (head->id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE)
				take_ranges(&self->iova, (void *)head);
			at = head->next;
		}
	}
	if (info != &first)
		free(info);
	if (r < 0)
		return error_sys(err, r, "%s: cannot ask the IOMMU for its addresses", self->bus.name);
	if (!self->iova.range_count)
		iova_default(&self->iova);
	return 0;
}

static int open_device(struct vfio_bus *self, struct error *err)
{
	int r = sys_ioctl(self->sys, self->group, VFIO_GROUP_GET_DEVICE_FD, self->pci.address);

	if (r < 0)
		return error_sys(err, r, "%s: VFIO does not give the device", self->bus.name);
	self->device = r;
	return 0;
}

static int group_open(struct vfio_bus *self, struct error *err)
{
	int r;

	r = open_container(self, err);
	if (r == 0)
		r = open_group(self, err);
	if (r == 0)
		r = attach_group(self, err);
	if (r == 0)
		r = read_ranges(self, err);
	return r == 0 ? open_device(self, err) : r;
}

static void group_close(struct vfio_bus *self)
{
	sys_close(self->sys, &self->device);
	if (self->attached)
		(void)sys_ioctl(self->sys, self->group, VFIO_GROUP_UNSET_CONTAINER, &self->container);
	self->attached = false;
	sys_close(self->sys, &self->group);
	sys_close(self->sys, &self->container);
}

static int group_map(struct vfio_bus *self, const struct dma_mem *mem)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)mem->va,
		.iova = mem->iova,
		.size = mem->size,
	};

	return sys_ioctl(self->sys, self->container, VFIO_IOMMU_MAP_DMA, &map);
}

static int group_unmap(struct vfio_bus *self, const struct dma_mem *mem)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = mem->iova,
		.size = mem->size,
	};
	int r = sys_ioctl(self->sys, self->container, VFIO_IOMMU_UNMAP_DMA, &unmap);

	/* Success with less than was mapped means that nothing was there. */
	return r < 0 ? r : unmap.size == mem->size ? 0 : -EIO;
}

const struct vfio_backend vfio_group_backend = {
	.name = "group",
	.open = group_open,
	.map = group_map,
	.unmap = group_unmap,
	.close = group_close,
};
