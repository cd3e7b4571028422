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
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>

#include "driver/netns.h"

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

/** socket_in() - a socket inside the network namespace @netns. */
static inline int socket_in(int netns, int domain, int type)
{
	struct error err = {0};
	int old, sock;

	assert_int_equal(netns_enter(netns, &old, &err), 0);
	sock = socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	netns_leave(old);
	assert_true(sock >= 0);
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

#endif
