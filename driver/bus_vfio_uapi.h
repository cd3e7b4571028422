/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's iommufd interface, as far as it is used here. Debian 12's headers are of Linux 6.1, which
 * had neither; the layouts are ABI, from the kernel's Documentation/userspace-api/iommufd.rst and vfio.rst
 * (include/uapi/linux/iommufd.h since 6.2, the device node in include/uapi/linux/vfio.h since 6.6). The
 * names are our own, so that newer headers do not clash.
 */
#ifndef MODERATO_DRIVER_BUS_VFIO_UAPI_H
#define MODERATO_DRIVER_BUS_VFIO_UAPI_H

#include <linux/vfio.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* --- requests on /dev/vfio/devices/vfioN --- */

#define DEV_BIND_IOMMUFD _IO(VFIO_TYPE, VFIO_BASE + 18)
#define DEV_ATTACH_PT	 _IO(VFIO_TYPE, VFIO_BASE + 19)
#define DEV_DETACH_PT	 _IO(VFIO_TYPE, VFIO_BASE + 20)

/* Makes the device usable at all: every other request fails before. */
struct dev_bind_iommufd {
	uint32_t argsz, flags;
	int32_t iommufd;
	uint32_t out_devid;
};
_Static_assert(sizeof(struct dev_bind_iommufd) == 16, "ABI");

/* Puts the device behind an address space. */
struct dev_attach_pt {
	uint32_t argsz, flags;
	uint32_t pt_id; /* in: the address space; out: the page table made for it */
};
_Static_assert(sizeof(struct dev_attach_pt) == 12, "ABI");

struct dev_detach_pt {
	uint32_t argsz, flags;
};

/* --- requests on /dev/iommu; every struct begins with its size --- */

#define IOMMUFD_REQUEST(n)  _IO(';', 0x80 + (n))
#define IOMMUFD_DESTROY	    IOMMUFD_REQUEST(0)
#define IOMMUFD_IOAS_ALLOC  IOMMUFD_REQUEST(1)
#define IOMMUFD_IOAS_RANGES IOMMUFD_REQUEST(4)
#define IOMMUFD_IOAS_MAP    IOMMUFD_REQUEST(5)
#define IOMMUFD_IOAS_UNMAP  IOMMUFD_REQUEST(6)

struct iommufd_destroy {
	uint32_t size, id;
};

/* A new I/O address space. */
struct iommufd_ioas_alloc {
	uint32_t size, flags, out_ioas_id;
};

struct iommufd_range {
	uint64_t start, last; /* inclusive */
};

/* Device addresses that can be had; too few in @count: EMSGSIZE, and @count says how many there are. They
 * change with every attached device. */
struct iommufd_ioas_ranges {
	uint32_t size, ioas_id, count, reserved;
	uint64_t ranges; /* pointer to struct iommufd_range */
	uint64_t out_alignment;
};
_Static_assert(sizeof(struct iommufd_ioas_ranges) == 32, "ABI");

#define IOMMUFD_MAP_FIXED (1u << 0)
#define IOMMUFD_MAP_WRITE (1u << 1)
#define IOMMUFD_MAP_READ  (1u << 2)

struct iommufd_ioas_map {
	uint32_t size, flags, ioas_id, reserved;
	uint64_t va, length, iova;
};
_Static_assert(sizeof(struct iommufd_ioas_map) == 40, "ABI");

struct iommufd_ioas_unmap {
	uint32_t size, ioas_id;
	uint64_t iova, length; /* out: bytes that were unmapped */
};
_Static_assert(sizeof(struct iommufd_ioas_unmap) == 24, "ABI");

#endif
