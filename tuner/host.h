/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine as device commands see it: roots of its trees, and the calls that tests replace. */
#ifndef MODERATO_TUNER_HOST_H
#define MODERATO_TUNER_HOST_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

struct host {
	const char *sysfs, *proc, *dev;
	char state_dir[1024]; /* where bindings are remembered; need not exist */
	const char *session;	  /* local address of the session's connection, NULL: none */
	void *ctx;		  /* of the calls below */
	/* which interface has the IP address @text; false: none */
	bool (*address_owner)(void *ctx, const char *text, char ret_ifname[IF_NAMESIZE]);
	/* the IP addresses of an interface but link-local ones, "192.0.2.1 2001:db8::1"; "": none */
	void (*addresses_of)(void *ctx, const char *ifname, char *ret, size_t size);
	/* write @text to a file of sysfs; 0 or negative errno */
	int (*write)(void *ctx, const char *path, const char *text);
	/* modprobe; 0 or negative errno */
	int (*load_module)(void *ctx, const char *name);
};

/** host_init() - this machine. Return: 0, or negative with a sentence. */
int host_init(struct host *host, struct error *err);

#endif
