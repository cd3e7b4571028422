/* SPDX-License-Identifier: BSD-2-Clause */
/* Which NICs the machine cannot do without: those of the default route and of this session. */
#ifndef MODERATO_TUNER_NIC_USES_H
#define MODERATO_TUNER_NIC_USES_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/pci.h"
#include "tuner/host.h"

#define NIC_USES_MAX 32

enum nic_use_kind { NIC_USE_DEFAULT_ROUTE, NIC_USE_SESSION };

struct nic_use {
	char address[PCI_ADDRESS_BYTES];
	enum nic_use_kind kind;
};

struct nic_uses {
	struct nic_use use[NIC_USES_MAX];
	unsigned count;
};

/** nic_uses_read() - through bonds, bridges and VLANs down to the PCI devices below them. */
void nic_uses_read(const struct host *host, struct nic_uses *ret_uses);

/** nic_uses_text() - "carries the default route", "carries this session's connection", both, or
 * NULL when the NIC at @address carries neither. */
const char *nic_uses_text(const struct nic_uses *uses, const char *address);

/** nic_interface_address() - address of the PCI device that the interface belongs to; false for
 * one without (a TAP, a bridge). */
bool nic_interface_address(const struct host *host, const char *ifname,
	char ret_address[PCI_ADDRESS_BYTES]);

#endif
