/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames the chip passes on: own address, multicast groups, all of them. */
#ifndef MODERATO_DRIVER_NIC_FILTER_H
#define MODERATO_DRIVER_NIC_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct nic;

#define NIC_GROUPS_MAX 128

struct nic_filter {
	bool promiscuous;   /* all unicast and multicast frames */
	bool all_multicast; /* all multicast frames */
	uint8_t mac[6];	    /* own address */
	unsigned group_count;
	uint8_t group[NIC_GROUPS_MAX][6]; /* multicast addresses to pass */
};

/**
 * nic_set_filter() - receive these frames from now on, and after every restart
 * At first only broadcasts and frames to the address of the NVM pass. Groups go through the chip's hash
 * table, which lets some others through; a broadcast always passes. An address that is no unicast address
 * is refused (-EINVAL) and nothing is changed. On a NIC that does not run it is remembered for the start.
 */
int nic_set_filter(struct nic *nic, const struct nic_filter *filter);
/** nic_filter_of() - the filter in force. */
const struct nic_filter *nic_filter_of(const struct nic *nic);

#endif
