/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's NICs: what each is, who drives it, and whether this driver could. */
#ifndef MODERATO_TUNER_NIC_SCAN_H
#define MODERATO_TUNER_NIC_SCAN_H

#include <jansson.h>
#include <net/if.h>

#include "common/chips/chip.h"
#include "common/pci.h"
#include "tuner/host.h"
#include "tuner/nic_uses.h"

#define NIC_SCAN_MAX 128

enum nic_support {
	NIC_SUPPORTED,
	NIC_REFUSED,  /* a known part that the driver does not drive, with the reason */
	NIC_UNKNOWN,  /* no row in the table */
};

struct nic_found {
	struct pci_device pci;
	enum nic_support support;
	const struct pci_id *part; /* NULL: unknown */
	const struct chip *chip;   /* NULL unless supported */
	char ifname[IF_NAMESIZE];  /* "": none here */
	char link[16];		   /* "up", "down", ... as the kernel says; "": no interface */
	int speed_mbps;		   /* 0: no link */
};

/** nic_look() - the device at @address (full form), of whatever class. */
int nic_look(const struct host *host, const char *address, struct nic_found *ret_nic,
	struct error *err);

/**
 * nic_scan() - all Ethernet controllers by address; with @all also other network controllers
 * Return: how many were written to @ret_nics (at most @max), or negative with a sentence.
 */
int nic_scan(const struct host *host, bool all, struct nic_found *ret_nics, unsigned max,
	struct error *err);

/** nic_support_name() - "supported", "refused", "unknown". */
const char *nic_support_name(enum nic_support support);
/** nic_support_reason() - why it is not supported, as a clause; "" when it is. */
const char *nic_support_reason(const struct nic_found *nic);

#endif
