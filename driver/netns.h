/* SPDX-License-Identifier: BSD-2-Clause */
/* Network namespaces without names: made by the daemon, passed around as file descriptors. */
#ifndef MODERATO_DRIVER_NETNS_H
#define MODERATO_DRIVER_NETNS_H

#include <stdbool.h>

#include "common/error.h"

/**
 * netns_become_unprivileged_root() - enter a new user namespace when not root
 * Maps the caller to root inside it, so that namespaces and TAPs can be made where the kernel and the
 * mode of /dev/net/tun allow it. Call before any thread exists. No-op as root.
 * @ret_userns_fd: the new user namespace, -1 when none was made.
 */
int netns_become_unprivileged_root(int *ret_userns_fd, struct error *err);

/** netns_new() - a fresh namespace (loopback up, IPv6 off) as a close-on-exec fd. */
int netns_new(int *ret_fd, struct error *err);
/** netns_open() - by path ("/run/netns/x", "/proc/PID/ns/net"). */
int netns_open(const char *path, int *ret_fd, struct error *err);

typedef int (*netns_fn)(void *ctx, struct error *err);
/**
 * netns_run() - call @fn inside namespace @fd (-1: where the caller is) and wait for it
 * It runs in a thread of its own, since the way back into the former namespace is closed to a user
 * who is root in a user namespace only. Files opened there serve anywhere.
 * Return: what @fn returned, or a negative error.
 */
int netns_run(int fd, netns_fn fn, void *ctx, struct error *err);

#endif
