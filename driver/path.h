/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a device's traffic: TAP, namespaces, addresses, and who runs the peer. */
#ifndef MODERATO_DRIVER_PATH_H
#define MODERATO_DRIVER_PATH_H

#include <netinet/in.h>

#include "driver/bus.h"
#include "driver/tap.h"

struct path_options {
	struct in_addr local;	   /* default 198.18.0.1 (the benchmark network of RFC 2544) */
	unsigned prefix_len;	   /* default 24 */
	struct in_addr peer;	   /* default 198.18.0.2 */
	unsigned mtu;		   /* default 1500 */
	const char *netns;	   /* "own" (default), "host", or a path */
	const char *interface;	   /* default "moderato0" */
	unsigned queue_len;	   /* TAP queue, default TAP_QUEUE_LEN */
	bool offloads;		   /* default true */
};
void path_options_default(struct path_options *options);

struct path {
	struct path_options options;
	struct tap tap;		   /* the local end */
	int netns_fd;		   /* where `tap` lives; -1 for host */
	int peer_netns_fd;	   /* where the peer TAP lives, -1 when the peer is not ours */
	char peer_interface[16];   /* "" when the peer is not ours */
	bool peer_local;	   /* simulated device: the daemon runs the far end too */
};

/**
 * path_open() - make namespaces and the TAP(s), addresses, static neighbours; everything up
 * On a simulated bus the peer TAP is made too and handed to it (bus_sim_ops.attach_peer).
 * @mac: the NIC's address, given to the local TAP.
 */
int path_open(struct path *path, const struct path_options *options, struct bus *bus,
	      const uint8_t mac[6], struct error *err);
void path_close(struct path *path);

#endif
