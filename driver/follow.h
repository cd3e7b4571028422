/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC receives what its TAP asks for: promiscuous mode, multicast groups, another Ethernet address. */
#ifndef MODERATO_DRIVER_FOLLOW_H
#define MODERATO_DRIVER_FOLLOW_H

#include "common/error.h"

struct follow;
struct loop;
struct nic;
struct tap;

/**
 * follow_start() - set the NIC's filter as @tap has it, now and after every change
 * Flags and address are followed by netlink notices. The kernel gives none for multicast addresses, which are
 * looked at four times a second, nor for every promiscuous user: once in two seconds all is looked at.
 * @netns_fd: namespace of the TAP, -1: the caller's.
 */
int follow_start(struct loop *loop, struct nic *nic, struct tap *tap, int netns_fd, struct follow **ret_follow,
		 struct error *err);
/** follow_stop() - NULL is accepted; before the loop, the NIC and the TAP go. */
void follow_stop(struct follow *follow);

#endif
