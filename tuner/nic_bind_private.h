/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks, the taking and the giving back of NICs share. */
#ifndef MODERATO_TUNER_NIC_BIND_PRIVATE_H
#define MODERATO_TUNER_NIC_BIND_PRIVATE_H

#include <sys/types.h>

#include "tuner/nic_bind.h"
#include "tuner/nic_scan.h"

struct nic_bind_plan {
	struct nic_found nic; /* the one asked for */
	struct pci_device move[PCI_GROUP_MEMBERS];
	unsigned count;
	uid_t uid; /* of request->user */
};

/** nic_bind_plan() - all checks of nic_bind(), and which devices it would move; no device is
 * touched, vfio-pci is loaded when it was not. */
int nic_bind_plan(const struct host *host, const struct nic_bind_request *request,
	struct nic_bind_plan *ret_plan, struct error *err);

/** nic_bind_look() - the device by the address as typed. */
int nic_bind_look(const struct host *host, const char *text, struct nic_found *ret_nic,
	struct error *err);

/** nic_bind_check_free() - -EBUSY with the process's name when the group's node is open. */
int nic_bind_check_free(const struct host *host, const struct pci_device *pci, struct error *err);

#endif
