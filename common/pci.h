/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI devices as sysfs shows them; @sysfs is PCI_SYSFS except in tests, which make their own tree. */
#ifndef MODERATO_COMMON_PCI_H
#define MODERATO_COMMON_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/error.h"

#define PCI_SYSFS	     "/sys"
#define PCI_ADDRESS_BYTES    16 /* "0000:03:00.0" and its end */
#define PCI_DRIVER_BYTES     32
#define PCI_GROUP_MEMBERS    32
#define PCI_CLASS_ETHERNET   0x0200 /* base class and subclass */
#define PCI_BASE_CLASS_BRIDGE 0x06
#define PCI_DRIVER_VFIO	     "vfio-pci"

struct pci_device {
	char address[PCI_ADDRESS_BYTES];
	uint16_t vendor, device;
	uint32_t class_code;		/* 24 bits: base class, subclass, interface */
	char driver[PCI_DRIVER_BYTES];	/* "" when none is bound */
	int group;			/* IOMMU group, -1: none */
};

/** pci_address_parse() - "03:00.0" or "0000:03:00.0" in any case to the full lower-case form
 * Return: false when @text is not a PCI address. */
bool pci_address_parse(const char *text, char ret_address[PCI_ADDRESS_BYTES]);

/**
 * pci_device_read() - what sysfs says about the device at @address (full form)
 * Return: 0, or -ENODEV with a sentence when there is no such device.
 */
int pci_device_read(const char *sysfs, const char *address, struct pci_device *ret_device,
	struct error *err);

/** pci_vfio_number() - N of /dev/vfio/devices/vfioN, the device's own VFIO node, which kernels with
 * CONFIG_VFIO_DEVICE_CDEV make beside the group's; -1: none. */
int pci_vfio_number(const char *sysfs, const char *address);

/**
 * pci_group_read() - the members of an IOMMU group by address, the device itself among them
 * Return: number of members written to @ret_members (at most @max), or negative with a sentence.
 */
int pci_group_read(const char *sysfs, int group, struct pci_device *ret_members, unsigned max,
	struct error *err);

/** pci_is_bridge() - bridges do not count when the kernel judges whether a group may be used. */
static inline bool pci_is_bridge(const struct pci_device *device)
{
	return device->class_code >> 16 == PCI_BASE_CLASS_BRIDGE;
}

/** pci_is_ethernet() - an Ethernet controller by its class. */
static inline bool pci_is_ethernet(const struct pci_device *device)
{
	return device->class_code >> 8 == PCI_CLASS_ETHERNET;
}

/** pci_is_vfio() - bound to the driver that hands it to user space. */
static inline bool pci_is_vfio(const struct pci_device *device)
{
	return !strcmp(device->driver, PCI_DRIVER_VFIO);
}

/** pci_hinders_group() - a member with a kernel driver keeps VFIO from its group; bridges, free
 * devices and pci-stub do not (the kernel's vfio_dev_viable() and driver_managed_dma). */
static inline bool pci_hinders_group(const struct pci_device *member)
{
	return member->driver[0] && !pci_is_vfio(member) && strcmp(member->driver, "pci-stub") != 0 &&
	       !pci_is_bridge(member);
}

#endif
