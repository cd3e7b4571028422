/* SPDX-License-Identifier: BSD-2-Clause */
/* VFIO by the device's own node and iommufd: for kernels that have no group and container. */
#include "driver/bus_vfio_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "driver/bus_vfio_uapi.h"

#define IOMMU_PATH "/dev/iommu"

static int open_device(struct vfio_bus *self, struct error *err)
{
	int number = pci_vfio_number(self->sys->sysfs, self->pci.address), r;
	char path[48];

	if (number < 0)
		return error_set(err, -ENOENT,
			"%s: it has no VFIO node of its own (the kernel lacks CONFIG_VFIO_DEVICE_CDEV, as Debian's "
			"do): use vfio=group", self->bus.name);
	(void)snprintf(path, sizeof(path), "/dev/vfio/devices/vfio%d", number);
	r = sys_open(self->sys, path, O_RDWR);
	if (r < 0)
		return vfio_node_refused(self, r, path, err);
	self->device = r;
	return 0;
}

static int open_iommu(struct vfio_bus *self, struct error *err)
{
	int r = sys_open(self->sys, IOMMU_PATH, O_RDWR);

	if (r == -ENOENT || r == -ENODEV)
		return error_set(err, r, "%s: there is no " IOMMU_PATH ": modprobe iommufd, or use vfio=group",
			self->bus.name);
	if (r < 0)
		return vfio_node_refused(self, r, IOMMU_PATH, err);
	self->iommufd = r;
	return 0;
}

static int bind(struct vfio_bus *self, struct error *err)
{
	struct dev_bind_iommufd request = {.argsz = sizeof(request), .iommufd = self->iommufd};
	int r = sys_ioctl(self->sys, self->device, DEV_BIND_IOMMUFD, &request);

	if (r == -EBUSY)
		return vfio_not_viable(self, err);
	if (r == -EPERM)
		return vfio_unsafe_interrupts(self, "iommufd", err);
	if (r < 0)
		return error_sys(err, r, "%s: cannot bind it to " IOMMU_PATH, self->bus.name);
	return 0;
}

static int attach(struct vfio_bus *self, struct error *err)
{
	struct iommufd_ioas_alloc alloc = {.size = sizeof(alloc)};
	struct dev_attach_pt request = {.argsz = sizeof(request)};
	int r = sys_ioctl(self->sys, self->iommufd, IOMMUFD_IOAS_ALLOC, &alloc);

	if (r < 0)
		return error_sys(err, r, "%s: cannot make an I/O address space", self->bus.name);
	self->ioas = alloc.out_ioas_id;
	self->ioas_made = true;
	request.pt_id = self->ioas;
	r = sys_ioctl(self->sys, self->device, DEV_ATTACH_PT, &request);
	if (r < 0)
		return error_sys(err, r, "%s: cannot switch the IOMMU on", self->bus.name);
	self->attached = true;
	return 0;
}

/* Asked with no room first: the refusal says how many there are. More than fit here are left unused. */
static int read_ranges(struct vfio_bus *self, struct error *err)
{
	struct iommufd_range found[IOVA_RANGES_MAX] = {{0}};
	struct iommufd_ioas_ranges request = {.size = sizeof(request), .ioas_id = self->ioas};
	int r = sys_ioctl(self->sys, self->iommufd, IOMMUFD_IOAS_RANGES, &request);

	if (r == -EMSGSIZE && request.count <= IOVA_RANGES_MAX) {
		request.ranges = (uintptr_t)found;
		r = sys_ioctl(self->sys, self->iommufd, IOMMUFD_IOAS_RANGES, &request);
	}
	if (r < 0)
		return error_sys(err, r, "%s: cannot ask the IOMMU for its addresses", self->bus.name);
	for (uint32_t i = 0; i < request.count && i < IOVA_RANGES_MAX; i++)
		self->iova.range[self->iova.range_count++] =
			(struct iova_range){.first = found[i].start, .last = found[i].last};
	if (!self->iova.range_count)
		iova_default(&self->iova);
	return 0;
}

static int iommufd_open(struct vfio_bus *self, struct error *err)
{
	int r;

	r = open_device(self, err);
	if (r == 0)
		r = open_iommu(self, err);
	if (r == 0)
		r = bind(self, err);
	if (r == 0)
		r = attach(self, err);
	return r == 0 ? read_ranges(self, err) : r;
}

static void iommufd_close(struct vfio_bus *self)
{
	struct dev_detach_pt detach = {.argsz = sizeof(detach)};
	struct iommufd_destroy destroy = {.size = sizeof(destroy), .id = self->ioas};

	if (self->attached)
		(void)sys_ioctl(self->sys, self->device, DEV_DETACH_PT, &detach);
	self->attached = false;
	sys_close(self->sys, &self->device);
	if (self->ioas_made)
		(void)sys_ioctl(self->sys, self->iommufd, IOMMUFD_DESTROY, &destroy);
	self->ioas_made = false;
	sys_close(self->sys, &self->iommufd);
}

static int iommufd_map(struct vfio_bus *self, const struct dma_mem *mem)
{
	struct iommufd_ioas_map map = {
		.size = sizeof(map),
		.flags = IOMMUFD_MAP_FIXED | IOMMUFD_MAP_READ | IOMMUFD_MAP_WRITE,
		.ioas_id = self->ioas,
		.va = (uintptr_t)mem->va,
		.length = mem->size,
		.iova = mem->iova,
	};

	return sys_ioctl(self->sys, self->iommufd, IOMMUFD_IOAS_MAP, &map);
}

static int iommufd_unmap(struct vfio_bus *self, const struct dma_mem *mem)
{
	struct iommufd_ioas_unmap unmap = {
		.size = sizeof(unmap),
		.ioas_id = self->ioas,
		.iova = mem->iova,
		.length = mem->size,
	};
	int r = sys_ioctl(self->sys, self->iommufd, IOMMUFD_IOAS_UNMAP, &unmap);

	return r < 0 ? r : unmap.length == mem->size ? 0 : -EIO;
}

const struct vfio_backend vfio_iommufd_backend = {
	.name = "iommufd",
	.open = iommufd_open,
	.map = iommufd_map,
	.unmap = iommufd_unmap,
	.close = iommufd_close,
};
