/* SPDX-License-Identifier: BSD-2-Clause */
/* A real NIC behind the bus seam, by VFIO. */
#ifndef MODERATO_DRIVER_BUS_VFIO_H
#define MODERATO_DRIVER_BUS_VFIO_H

#include "driver/bus.h"
#include "driver/sys.h"

/**
 * bus_vfio_open_on() - open the NIC at a PCI address ("03:00.0", "0000:03:00.0,vfio=iommufd")
 * @sys: the kernel: sys_kernel, or that of a test
 * Without the option the way is group and container, and iommufd where the kernel has no such.
 * The device must be bound to vfio-pci. It is left masked, quiet, and without bus mastering.
 * Return: 0 and a bus in *@ret_bus, or negative with a sentence that says what to do: no such device,
 * not an Ethernet controller, chip not driven, no IOMMU, wrong driver, group not viable (its members
 * and their drivers), busy (the process), no rights, no interrupt remapping.
 */
int bus_vfio_open_on(const struct sys *sys, const char *device, struct bus **ret_bus, struct error *err);

#endif
