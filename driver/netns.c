/* SPDX-License-Identifier: BSD-2-Clause */
/* Network namespaces as file descriptors. */
#include "driver/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/nsfs.h>

#include "common/log.h"

/* Namespaces belong to threads, not to processes. */
#define OWN_NETNS  "/proc/thread-self/ns/net"
#define OWN_USERNS "/proc/self/ns/user"

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		r = -errno;
	(void)close(fd);
	return r;
}

static int map_ids(uid_t uid, gid_t gid)
{
	char line[32];
	int r;

	/* Without "deny" the kernel refuses a group map written by a user. */
	r = write_text("/proc/self/setgroups", "deny");
	if (r < 0)
		return r;
	(void)snprintf(line, sizeof(line), "0 %u 1", uid);
	r = write_text("/proc/self/uid_map", line);
	if (r < 0)
		return r;
	(void)snprintf(line, sizeof(line), "0 %u 1", gid);
	return write_text("/proc/self/gid_map", line);
}

int netns_become_unprivileged_root(int *ret_userns_fd, struct error *err)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int fd, r;

	*ret_userns_fd = -1;
	if (uid == 0)
		return 0;
	if (unshare(CLONE_NEWUSER) < 0)
		return error_sys(err, -errno,
			"cannot make a user namespace for user %u (run as root, or allow it with "
			"sysctl "
			"kernel.unprivileged_userns_clone and user.max_user_namespaces)",
			uid);
	r = map_ids(uid, gid);
	if (r < 0)
		return error_sys(err, r,
			"cannot map user %u to root in a user namespace (run as root)", uid);
	fd = open(OWN_USERNS, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, -errno, "cannot open %s", OWN_USERNS);
	*ret_userns_fd = fd;
	return 0;
}

/* Acts on the calling thread's namespace. */
static int loopback_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = 0;

	if (sock < 0)
		return -errno;
	if (ioctl(sock, SIOCSIFFLAGS, &request) < 0)
		r = -errno;
	(void)close(sock);
	return r;
}

/* Router solicitations and duplicate address detection would be frames that nobody asked for. A
 * kernel without IPv6 has no such file; a read-only /proc/sys leaves a few frames at the start. */
static void ipv6_off(void)
{
	static const char *const files[] = {
		"/proc/sys/net/ipv6/conf/all/disable_ipv6",
		"/proc/sys/net/ipv6/conf/default/disable_ipv6",
	};

	for (int i = 0; i < 2; i++) {
		int r = write_text(files[i], "1");

		if (r < 0 && r != -ENOENT)
			log_debug("%s: %s", files[i], strerror(-r));
	}
}

/* One stay in another namespace. */
struct visit {
	int fd; /* -1: a new one */
	netns_fn fn;
	void *ctx;
	struct error *err;
	int result;
};

static int visit_enter(const struct visit *visit)
{
	if (visit->fd < 0 && unshare(CLONE_NEWNET) < 0)
		return error_sys(visit->err, -errno,
			"cannot make a network namespace (CAP_SYS_ADMIN is needed: run as root)");
	if (visit->fd >= 0 && setns(visit->fd, CLONE_NEWNET) < 0)
		return error_sys(visit->err, -errno,
			"cannot enter a network namespace (CAP_SYS_ADMIN is needed: run as root)");
	return 0;
}

static void *visit_thread(void *arg)
{
	struct visit *visit = arg;

	visit->result = visit_enter(visit);
	if (visit->result == 0)
		visit->result = visit->fn(visit->ctx, visit->err);
	return NULL;
}

static int visit_run(struct visit *visit)
{
	pthread_t thread;
	int r = pthread_create(&thread, NULL, visit_thread, visit);

	if (r != 0)
		return error_sys(visit->err, -r, "cannot start a thread for a network namespace");
	(void)pthread_join(thread, NULL);
	return visit->result;
}

static int set_up_new(void *ctx, struct error *err)
{
	int *ret_fd = ctx, fd, r;

	fd = open(OWN_NETNS, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, -errno, "cannot open %s (is /proc mounted?)", OWN_NETNS);
	r = loopback_up();
	if (r < 0) {
		(void)close(fd);
		return error_sys(err, r, "cannot set loopback up in a new network namespace");
	}
	ipv6_off();
	*ret_fd = fd;
	return 0;
}

int netns_new(int *ret_fd, struct error *err)
{
	struct visit visit = {.fd = -1, .fn = set_up_new, .ctx = ret_fd, .err = err};

	return visit_run(&visit);
}

int netns_run(int fd, netns_fn fn, void *ctx, struct error *err)
{
	struct visit visit = {.fd = fd, .fn = fn, .ctx = ctx, .err = err};

	return fd < 0 ? fn(ctx, err) : visit_run(&visit);
}

int netns_open(const char *path, int *ret_fd, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_sys(err, -errno, "cannot open network namespace %s", path);
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET) {
		(void)close(fd);
		return error_set(err, -EINVAL,
			"%s is not a network namespace; give own, host, /run/netns/NAME or "
			"/proc/PID/ns/net",
			path);
	}
	*ret_fd = fd;
	return 0;
}
