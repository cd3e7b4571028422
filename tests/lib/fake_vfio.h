/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pretend kernel below the VFIO backend: container and group, iommufd, one device with BAR0,
 * configuration space and interrupts, and a sysfs tree of its own. It refuses what the kernel refuses, and any one call can
 * be made to fail.
 */
#ifndef MODERATO_TESTS_LIB_FAKE_VFIO_H
#define MODERATO_TESTS_LIB_FAKE_VFIO_H

#include <linux/vfio.h>
#include <stdbool.h>

#include "common/chips/regs.h"
#include "driver/bus_vfio_uapi.h"
#include "driver/sys.h"

#define FAKE_FDS  32
#define FAKE_MAPS 32

#define FAKE_CDEV "3" /* N of /dev/vfio/devices/vfioN */

enum fake_kind {
	FAKE_CLOSED, FAKE_CONTAINER, FAKE_GROUP, FAKE_DEVICE, FAKE_EVENTFD,
	FAKE_IOMMUFD, FAKE_CDEVICE, /* the device by its own node */
};

struct fake_vfio {
	struct sys sys;
	char root[64]; /* of the sysfs tree */
	char proc[80];

	/* What this kernel is like; set before opening. */
	int container_error, group_error, iommu_error, map_error; /* negative errno, 0: fine */
	int cdev_error, iommufd_error, bind_error;
	bool not_viable, no_type1, no_ranges, no_mmap, io_bar;
	uint32_t irq_count[VFIO_PCI_NUM_IRQS];
	uint64_t mappable; /* bytes of BAR0 that may be mapped, as the kernel lists them; 0: no list */
	uint64_t memlock; /* bytes that may be locked, 0: no limit */
	int irq_grant; /* what SET_IRQS answers to more vectors than this, 0: all are had */
	uint64_t unmap_lie; /* bytes less that UNMAP_DMA says it unmapped */
	bool real_eventfds; /* for an event loop */
	bool no_unmask_fd;  /* INTx is unmasked by ioctl only */
	unsigned act_in;    /* at the n-th call from now act() is called, 0: never */
	void (*act)(struct fake_vfio *fake);
	bool (*device_active)(struct fake_vfio *fake); /* may the chip send anything? */
	unsigned fail_at; /* the n-th call from now fails with EIO, 0: none */

	/* What happened. */
	unsigned calls, device_calls; /* all, and those that reach the device */
	enum fake_kind fd[FAKE_FDS];
	int number[FAKE_FDS]; /* of the descriptor, while it is open */
	bool attached, iommu_on;
	bool bound, pt_attached; /* iommufd: the device to it, and to its address space */
	uint32_t ioas;		 /* id of the address space, 0: none */
	struct {
		uint64_t iova, size;
	} map[FAKE_MAPS];
	uint64_t mapped_most; /* bytes mapped for the device at the same time */
	bool unmapped_with_master; /* bus mastering was on while memory went away */
	unsigned mappings; /* memory mappings that are not undone */
	int irq_mode; /* index of the mode that is on, -1: none */
	unsigned irq_vectors, unmasks, resets, order_errors;
	bool notice_on[VFIO_PCI_NUM_IRQS];
	int notice_fd[VFIO_PCI_NUM_IRQS]; /* while on */
	int unmask_fd;			  /* a write to it unmasks INTx, -1: none */
	bool intx_masked;
	bool closed_active, unmapped_active; /* the chip might still send when the device or memory went */
	bool master_at_reset; /* bus mastering was on during a reset */
	uint32_t io_written[2];
	uint8_t config[256];
	bool chip_on;	    /* see fake_vfio_chip() */
	uint32_t causes_on; /* interrupt causes that the chip would raise */
	uint32_t *bar; /* while mapped */
	uint32_t regs[REG_SPACE_BYTES / 4]; /* when not mapped */
};

/** fake_vfio_new() - a kernel with an 82574L at 0000:03:00.0 in group 14, bound to vfio-pci. */
struct fake_vfio *fake_vfio_new(void);
/** fake_vfio_free() - removes the sysfs tree too. */
void fake_vfio_free(struct fake_vfio *fake);
/** fake_vfio_device() - put a device into the sysfs tree; @group -1 and @driver NULL: none. */
void fake_vfio_device(struct fake_vfio *fake, const char *address, unsigned vendor, unsigned device,
	unsigned class_code, const char *driver, int group);
/** fake_vfio_no_cdev() - what sysfs of Linux 6.1 has although there is no such node. */
void fake_vfio_no_cdev(struct fake_vfio *fake);
/** fake_vfio_cdev() - the kernel has a node of its own for the device. */
void fake_vfio_cdev(struct fake_vfio *fake);
/** fake_vfio_process() - a process that has @node open. */
void fake_vfio_process(struct fake_vfio *fake, int pid, const char *name, const char *node);
/** fake_vfio_mapped() - bytes that the device may reach now. */
uint64_t fake_vfio_mapped(const struct fake_vfio *fake);
/** fake_vfio_interrupt() - the device asserts INTx. Return: whether that reached the driver; VFIO masks the
 * line then until it is unmasked. */
bool fake_vfio_interrupt(struct fake_vfio *fake);
/** fake_vfio_chip() - registers that are not mapped act like a chip's: reset, masks, link up, a MAC. */
void fake_vfio_chip(struct fake_vfio *fake);
void fake_vfio_chip_written(struct fake_vfio *fake, uint64_t offset);
bool fake_vfio_chip_active(struct fake_vfio *fake);
/** fake_vfio_leaks() - descriptors, memory and DMA mappings still there. */
unsigned fake_vfio_leaks(const struct fake_vfio *fake);

#endif
