/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests that make TAPs in namespaces of their own: can they run here, and if not, why? */
#ifndef MODERATO_TESTS_LIB_NEED_TAP_H
#define MODERATO_TESTS_LIB_NEED_TAP_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>

#include "driver/netns.h"
#include "driver/rtnl.h"

/** need_tap() - skip the running test, with a printed reason, unless TAPs can be made. */
static inline void need_tap(void)
{
	struct error err = {0};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), netns = -1;

	if (fd < 0) {
		print_message("skipped: /dev/net/tun: %s\n", strerror(errno));
		skip();
	}
	(void)close(fd);
	if (netns_new(&netns, &err) < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	(void)close(netns);
}

struct socket_wish {
	int domain, type, sock;
};

static inline int socket_open(void *ctx, struct error *err)
{
	struct socket_wish *wish = ctx;

	wish->sock = socket(wish->domain, wish->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return wish->sock < 0 ? -errno : 0;
}

/** socket_in() - a socket inside the network namespace @netns. */
static inline int socket_in(int netns, int domain, int type)
{
	struct socket_wish wish = {.domain = domain, .type = type};
	struct error err = {0};

	assert_int_equal(netns_run(netns, socket_open, &wish, &err), 0);
	return wish.sock;
}

static inline int rtnl_open_here(void *ctx, struct error *err)
{
	return rtnl_open(ctx);
}

/** rtnl_in() - a route netlink socket inside the network namespace @netns. */
static inline int rtnl_in(int netns)
{
	struct error err = {0};
	int sock = -1;

	assert_int_equal(netns_run(netns, rtnl_open_here, &sock, &err), 0);
	return sock;
}

/** has_carrier() - of the interface @name, seen through any @sock of its namespace. */
static inline bool has_carrier(int sock, const char *name)
{
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
	struct ifreq request = {.ifr_data = (char *)&link};

	assert_true(strlen(name) < sizeof(request.ifr_name));
	memcpy(request.ifr_name, name, strlen(name));
	assert_int_equal(ioctl(sock, SIOCETHTOOL, &request), 0);
	return link.data;
}

/**
 * become_user() - in a child: from root to a user, and from there to root of a user namespace
 * Leaves with 77 where users may not have one, which is the tests' exit code for "skipped".
 */
static inline void become_user(void)
{
	struct error err = {0};
	int userns;

	if (geteuid() == 0 &&
		(setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0))
		_exit(77);
	(void)prctl(PR_SET_DUMPABLE, 1); /* else /proc/self stays root's, unlike after an exec */
	if (netns_become_unprivileged_root(&userns, &err) < 0) {
		print_message("%s\n", err.text);
		_exit(strstr(err.text, "cannot make") ? 77 : 2);
	}
	if (geteuid() != 0 || getegid() != 0 || userns < 0)
		_exit(3);
}

#endif
