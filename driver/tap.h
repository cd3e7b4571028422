/* SPDX-License-Identifier: BSD-2-Clause */
/* A TAP interface with vnet header, in a chosen network namespace, and its addresses. */
#ifndef MODERATO_DRIVER_TAP_H
#define MODERATO_DRIVER_TAP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "driver/vnet.h"

struct tap {
	int fd;		/* non-blocking; -1 when closed */
	int sock;	/* route netlink inside the interface's namespace; -1 when closed */
	char name[16];
	unsigned index; /* of the interface, in its namespace */
	unsigned mtu;
	unsigned offloads; /* TUN_F_* in force */
	uint64_t write_drops; /* writes that the kernel refused (EIO: down, ENOMEM, ...) */
};

/* The kernel forgets the socket when a frame enters a TAP: nothing stops a TCP sender at a full queue,
 * the queue drops. One socket's send buffer (4 MiB by default at most) in small frames fits. */
#define TAP_QUEUE_LEN 8192

struct tap_options {
	const char *name;  /* "moderato0" or with %d */
	int netns_fd;	   /* namespace to create it in, -1: the caller's */
	unsigned mtu;
	const uint8_t *mac; /* 6 bytes or NULL */
	bool offloads;	   /* checksum and TSO towards us */
	unsigned queue_len; /* packets the kernel may queue for us, default TAP_QUEUE_LEN */
};

/**
 * tap_open() - create the interface; down, no address
 * Return: 0 or negative; the sentence tells a closed /dev/net/tun (and what to do) from a taken name
 * and from missing CAP_NET_ADMIN.
 */
int tap_open(struct tap *tap, const struct tap_options *options, struct error *err);
void tap_close(struct tap *tap);
int tap_set_address(struct tap *tap, struct in_addr address, unsigned prefix_len, struct error *err);
/** tap_add_neighbour() - a static ARP entry, so that no broadcast disturbs a measurement. */
int tap_add_neighbour(struct tap *tap, struct in_addr address, const uint8_t mac[6], struct error *err);
int tap_set_up(struct tap *tap, bool up, struct error *err);
/** tap_set_carrier() - mirror the physical link (TUNSETCARRIER); on when the TAP is new. */
int tap_set_carrier(struct tap *tap, bool on);
/** tap_drops() - frames the kernel threw away because our queue was full (tx_dropped of the
 * interface, read by netlink in its namespace). */
uint64_t tap_drops(struct tap *tap);
/** tap_read() - one frame into @data. Return: bytes (without vnet header), -EAGAIN, or negative. A
 * frame that fills @size is given up as truncated (-EMSGSIZE): make it larger than any frame. */
int tap_read(struct tap *tap, struct vnet *ret_vnet, uint8_t *data, uint32_t size);
struct iovec;
/** tap_writev() - iov[0] is the vnet header. Return 0 or negative. Signature of gro_output. */
int tap_writev(void *tap, const struct iovec *iov, int count);

#endif
