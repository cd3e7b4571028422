/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking a NIC, with its IOMMU group, from the kernel for VFIO, and giving it back. */
#ifndef MODERATO_TUNER_NIC_BIND_H
#define MODERATO_TUNER_NIC_BIND_H

#include <stdbool.h>

#include "common/pci.h"
#include "tuner/host.h"

struct nic_bind_request {
	const char *address; /* as typed */
	bool force;	     /* also what the machine or the session depends on */
	bool group;	     /* also the other members of the IOMMU group */
	const char *user;    /* who shall own the group's node, NULL: nobody new */
};

/* What was done, for the report. */
struct nic_bind_result {
	int group;
	unsigned count; /* devices moved; 0: nothing was left to do */
	struct {
		char address[PCI_ADDRESS_BYTES];
		char driver[PCI_DRIVER_BYTES]; /* bind: had it before; unbind: has it now */
	} moved[PCI_GROUP_MEMBERS];
};

/**
 * nic_bind() - bind a NIC to vfio-pci
 * All is checked first: that the NIC is one that the driver supports, in a group that can be used
 * whole, and that neither the default route nor this session goes through what would be moved. The
 * kernel drivers are then remembered on disk before the first device moves. On failure everything is
 * as it was; if even that failed, the record stays and nic_unbind() can use it.
 * Return: 0, or negative with a sentence (usage error for a word that is no address or user).
 */
int nic_bind(const struct host *host, const struct nic_bind_request *request,
	struct nic_bind_result *ret_result, struct error *err);

/** nic_unbind() - give the NIC at @address, and what was moved along with it, back to the drivers
 * they had. Return: 0, or negative with a sentence (a process has it: -EBUSY). */
int nic_unbind(const struct host *host, const char *address, struct nic_bind_result *ret_result,
	struct error *err);

/** nic_unbind_all() - give back everything that is on record, as after a crash; what a process has open
 * stays. Return: 0, or negative with the first sentence; *@ret_result says in either case what went back. */
int nic_unbind_all(const struct host *host, struct nic_bind_result *ret_result, struct error *err);

#endif
