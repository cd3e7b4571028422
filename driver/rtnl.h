/* SPDX-License-Identifier: BSD-2-Clause */
/* The few route netlink requests that a TAP needs; one request, one answer. */
#ifndef MODERATO_DRIVER_RTNL_H
#define MODERATO_DRIVER_RTNL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * All take a route netlink socket, which acts on the network namespace in which it was opened, and
 * return 0 or the negative errno that the kernel answered.
 */

/** rtnl_open() - a socket in the calling thread's namespace; ordinary close() ends it. */
int rtnl_open(int *ret_sock);
/** rtnl_link_index() - number of the interface @name; -ENODEV when there is none. */
int rtnl_link_index(int sock, const char *name, unsigned *ret_index);

struct rtnl_link {
	unsigned flags; /* IFF_* */
	uint8_t mac[6];
};
/** rtnl_link_get() - flags and Ethernet address. */
int rtnl_link_get(int sock, unsigned index, struct rtnl_link *ret_link);
/** rtnl_open_events() - a non-blocking socket that becomes readable when a link of the calling thread's
 * namespace changes. */
int rtnl_open_events(int *ret_sock);
/** rtnl_drain() - throw away what came; ask afresh what changed. */
void rtnl_drain(int sock);
int rtnl_link_set_up(int sock, unsigned index, bool up);
/** rtnl_link_set_limits() - MTU in bytes and the length of the transmit queue in packets. */
int rtnl_link_set_limits(int sock, unsigned index, unsigned mtu, unsigned queue_len);
/** rtnl_link_tx_dropped() - packets the interface could not hand on. */
int rtnl_link_tx_dropped(int sock, unsigned index, uint64_t *ret_dropped);
int rtnl_address_add(int sock, unsigned index, struct in_addr address, unsigned prefix_len);
/** rtnl_neighbour_add() - a permanent entry: never asked for, never forgotten. */
int rtnl_neighbour_add(int sock, unsigned index, struct in_addr address, const uint8_t mac[6]);

#endif
