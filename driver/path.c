/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds and takes down the path of a device's traffic. */
#include "driver/path.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/netns.h"

#define PEER_INTERFACE "peer0"

/* 198.18.0.0/15 is set aside for benchmarks (RFC 2544, appendix C.2.2): no host's route meets it.
 */
#define LOCAL_DEFAULT 0xc6120001u
#define PEER_DEFAULT  0xc6120002u

void path_options_default(struct path_options *options)
{
	*options = (struct path_options){
		.local.s_addr = htonl(LOCAL_DEFAULT),
		.prefix_len = 24,
		.peer.s_addr = htonl(PEER_DEFAULT),
		.mtu = 1500,
		.netns = "own",
		.interface = "moderato0",
		.queue_len = TAP_QUEUE_LEN,
		.offloads = true,
	};
}

static int check_addresses(const struct path_options *options, struct error *err)
{
	char local[INET_ADDRSTRLEN], peer[INET_ADDRSTRLEN];
	uint32_t mask;

	(void)inet_ntop(AF_INET, &options->local, local, sizeof(local));
	(void)inet_ntop(AF_INET, &options->peer, peer, sizeof(peer));
	if (options->prefix_len < 1 || options->prefix_len > 31)
		return error_usage(err, "address %s/%u: the prefix must be 1 to 31 bits", local,
			options->prefix_len);
	if (options->local.s_addr == options->peer.s_addr)
		return error_usage(err, "local and peer address are both %s", local);
	mask = htonl(UINT32_MAX << (32 - options->prefix_len));
	if ((options->local.s_addr ^ options->peer.s_addr) & mask)
		return error_usage(err, "peer %s is not in the network of %s/%u", peer, local,
			options->prefix_len);
	return 0;
}

static int open_netns(const char *name, int *ret_fd, struct error *err)
{
	if (strcmp(name, "host") == 0)
		return 0;
	if (strcmp(name, "own") == 0)
		return netns_new(ret_fd, err);
	return netns_open(name, ret_fd, err);
}

static int open_local(struct path *path, const uint8_t mac[6], struct error *err)
{
	struct tap_options options = {
		.name = path->options.interface,
		.netns_fd = path->netns_fd,
		.mtu = path->options.mtu,
		.mac = mac,
		.offloads = path->options.offloads,
		.queue_len = path->options.queue_len,
	};
	int r;

	r = tap_open(&path->tap, &options, err);
	if (r < 0)
		return r;
	r = tap_set_address(&path->tap, path->options.local, path->options.prefix_len, err);
	if (r < 0)
		return r;
	/* The driver switches it on when the device's link comes up. */
	(void)tap_set_carrier(&path->tap, false);
	return tap_set_up(&path->tap, true, err);
}

/* The far end of a simulated wire; its TAP is @peer until the device takes it over. */
static int open_peer(struct path *path, const uint8_t peer_mac[6], const uint8_t local_mac[6],
	struct tap *peer, struct error *err)
{
	struct tap_options options = {
		.name = PEER_INTERFACE,
		.mtu = path->options.mtu,
		.mac = peer_mac,
		.offloads = path->options.offloads,
		.queue_len = path->options.queue_len,
	};
	int r;

	r = netns_new(&path->peer_netns_fd, err);
	if (r < 0)
		return r;
	options.netns_fd = path->peer_netns_fd;
	r = tap_open(peer, &options, err);
	if (r < 0)
		return r;
	r = tap_set_address(peer, path->options.peer, path->options.prefix_len, err);
	if (r < 0)
		return r;
	r = tap_set_up(peer, true, err);
	if (r < 0)
		return r;
	r = tap_add_neighbour(peer, path->options.local, local_mac, err);
	if (r < 0)
		return r;
	memcpy(path->peer_interface, peer->name, sizeof(path->peer_interface));
	return tap_add_neighbour(&path->tap, path->options.peer, peer_mac, err);
}

static int attach_peer(
	struct path *path, struct bus *bus, const uint8_t local_mac[6], struct error *err)
{
	struct tap peer = {.fd = -1, .sock = -1};
	uint8_t peer_mac[6];
	int r;

	bus->ops->sim->get_mac_of_peer(bus, peer_mac);
	r = open_peer(path, peer_mac, local_mac, &peer, err);
	if (r < 0) {
		tap_close(&peer);
		return error_context(err, "far end of the simulated wire");
	}
	bus->ops->sim->attach_peer(bus, &peer);
	path->peer_local = true;
	return 0;
}

int path_open(struct path *path, const struct path_options *options, struct bus *bus,
	const uint8_t mac[6], struct error *err)
{
	int r;

	*path = (struct path){
		.options = *options,
		.tap = {.fd = -1, .sock = -1},
		.netns_fd = -1,
		.peer_netns_fd = -1,
	};
	r = check_addresses(options, err);
	if (r == 0)
		r = open_netns(options->netns, &path->netns_fd, err);
	if (r == 0)
		r = open_local(path, mac, err);
	if (r == 0 && bus->ops->sim)
		r = attach_peer(path, bus, mac, err);
	if (r < 0)
		path_close(path);
	return r;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void path_close(struct path *path)
{
	tap_close(&path->tap);
	close_fd(&path->netns_fd);
	close_fd(&path->peer_netns_fd);
	path->peer_interface[0] = '\0';
}
