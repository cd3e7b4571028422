/* SPDX-License-Identifier: BSD-2-Clause */
/* struct vfio_bus, for driver/bus_vfio*.c and their tests only. */
#ifndef MODERATO_DRIVER_BUS_VFIO_PRIVATE_H
#define MODERATO_DRIVER_BUS_VFIO_PRIVATE_H

#include <linux/vfio.h>

#include "common/pci.h"
#include "common/util.h"
#include "driver/bus.h"
#include "driver/sys.h"

#define IOVA_RANGES_MAX 16
#define VFIO_MAPS_MAX	16 /* rings, buffers, arena, templates: a handful */
/* Device addresses are multiples of this and at least this far apart: more than the longest transfer of
 * one descriptor (16 KiB), so that a device which runs over the end of its memory faults in the IOMMU. A
 * multiple of every page size there is. */
#define IOVA_GAP      65536u
/* All that one daemon lets the device reach: the longest rings with the largest buffers need 66 MiB. */
#define VFIO_DMA_LIMIT (80u << 20)

struct iova_range {
	uint64_t first, last; /* inclusive */
};

/* Device addresses: what the IOMMU takes and what we gave out. */
struct iova_space {
	struct iova_range range[IOVA_RANGES_MAX];
	unsigned range_count;
	struct dma_mem map[VFIO_MAPS_MAX]; /* va NULL: free slot */
};

struct vfio_region {
	uint64_t offset, size;
	uint32_t flags;
};

struct vfio_bus;

/* How to get at the device and its IOMMU: group and container, or iommufd. */
struct vfio_backend {
	const char *name; /* as in the device argument: "group", "iommufd" */
	/* Opens self->device; accepts being closed half-open. */
	int (*open)(struct vfio_bus *self, struct error *err);
	int (*map)(struct vfio_bus *self, const struct dma_mem *mem);
	int (*unmap)(struct vfio_bus *self, const struct dma_mem *mem);
	void (*close)(struct vfio_bus *self);
};
extern const struct vfio_backend vfio_group_backend, vfio_iommufd_backend;

struct vfio_bus {
	struct bus bus;
	const struct sys *sys;
	const struct vfio_backend *backend; /* NULL until chosen */
	struct pci_device pci;
	int device;
	int container, group; /* vfio_group_backend */
	bool no_group;	      /* that way the kernel has not */
	int iommufd;	      /* vfio_iommufd_backend */
	uint32_t ioas;	      /* its address space, while ioas_made */
	bool ioas_made;
	bool attached; /* the group to the container, the device to the address space */
	struct vfio_region region[VFIO_PCI_NUM_REGIONS];
	uint32_t irq_count[VFIO_PCI_NUM_IRQS];
	bool can_reset;
	int io_region; /* index of the I/O BAR, -1: none */
	void *bar;
	size_t bar_bytes;
	struct iova_space iova;
	bool irq_on;
	uint32_t irq_index; /* while irq_on */
	int unmask_fd;	    /* a write unmasks INTx, -1: by ioctl */
};

static inline struct vfio_bus *vfio_bus(struct bus *bus)
{
	return CONTAINER_OF(bus, struct vfio_bus, bus);
}

/* bus_vfio_backend.c */
/** vfio_backend_find() - by its name in the device argument; NULL: no such. */
const struct vfio_backend *vfio_backend_find(const char *name);
/** vfio_backend_open() - open the device by self->backend, or choose one: the group, and iommufd where the
 * kernel has no groups and containers. */
int vfio_backend_open(struct vfio_bus *self, struct error *err);
/** vfio_node_refused() - why @node did not open (-EBUSY: who has it; no rights; else the errno). */
int vfio_node_refused(struct vfio_bus *self, int r, const char *node, struct error *err);
/** vfio_not_viable() - names every member that keeps the group from being used, with its driver. */
int vfio_not_viable(struct vfio_bus *self, struct error *err);
/** vfio_unsafe_interrupts() - no interrupt remapping, and @module may not do without. */
int vfio_unsafe_interrupts(struct vfio_bus *self, const char *module, struct error *err);

/* bus_vfio_dma.c */
/** iova_find() - lowest free device address for @size bytes: above 1 MiB, below 4 GiB when possible,
 * never in the MSI window, IOVA_GAP away from it and from what was given out. False: no room. */
bool iova_find(const struct iova_space *space, uint64_t size, uint64_t *ret_iova);
/** iova_default() - when the kernel reports no ranges: what every IOMMU of 39 bits has. */
void iova_default(struct iova_space *space);
int vfio_dma_check(struct bus *bus, size_t bytes, struct error *err);
/* Between pages that nobody may touch, on both sides. */
int vfio_dma_alloc(struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err);
void vfio_dma_free(struct bus *bus, struct dma_mem *mem);
/* After the backend is closed, which ended every mapping: give the memory back. */
void vfio_dma_release(struct vfio_bus *self);

/* bus_vfio_irq.c */
int vfio_irq_enable(struct bus *bus, enum intmode mode, unsigned count, struct error *err);
void vfio_irq_disable(struct bus *bus);
void vfio_irq_unmask(struct bus *bus);
/* The eventfds of the kernel's notices: give the device back, PCIe error. */
int vfio_notices_open(struct vfio_bus *self, struct error *err);
void vfio_notices_close(struct vfio_bus *self);

/* bus_vfio_config.c */
int vfio_config_read(struct vfio_bus *self, uint32_t offset, unsigned bytes, uint32_t *ret_value);
int vfio_config_write(struct vfio_bus *self, uint32_t offset, unsigned bytes, uint32_t value);
/* Memory and I/O space on, bus master off, link power states as the chip's quirks want. */
int vfio_config_start(struct vfio_bus *self, struct error *err);
int vfio_set_master(struct bus *bus, bool on, struct error *err);
int vfio_reset(struct bus *bus, struct error *err);
/* Offset of the capability @id, 0: none. */
uint32_t vfio_find_capability(struct vfio_bus *self, uint8_t id);

/* bus_vfio_guard.c */
/* A touch of the mapped registers that ends in SIGBUS (unplugged, memory space off) marks the bus
 * dead and reads all ones from then on. One range at a time. */
void vfio_guard_start(struct vfio_bus *self);
void vfio_guard_stop(struct vfio_bus *self);

#endif
