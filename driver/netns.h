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

/** netns_new() - a fresh namespace (loopback up, IPv6 off) as a close-on-exec fd; the calling thread
 * stays in its own. */
int netns_new(int *ret_fd, struct error *err);
/** netns_open() - by path ("/run/netns/x", "/proc/PID/ns/net"). */
int netns_open(const char *path, int *ret_fd, struct error *err);
/** netns_enter() - move the calling thread into @fd; *@ret_old_fd (if not NULL) leads back. */
int netns_enter(int fd, int *ret_old_fd, struct error *err);
/** netns_leave() - go back and close @old_fd. */
void netns_leave(int old_fd);

#endif
