/* SPDX-License-Identifier: BSD-2-Clause */
/* Namespaces by descriptor: what a new one is like, the way back, and root for a user. */
#include "driver/netns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/lib/need_tap.h"

/* Which network namespace the calling thread is in. */
static ino_t own_netns(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/thread-self/ns/net", &st), 0);
	return st.st_ino;
}

static void new_namespace_is_another_and_the_caller_stays(void **state)
{
	struct error err = {0};
	ino_t before = own_netns();
	struct stat st;
	int fd;

	need_tap();
	assert_int_equal(netns_new(&fd, &err), 0);
	assert_int_equal(own_netns(), before);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_ino != before);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	(void)close(fd);
}

static int note_netns(void *ctx, struct error *err)
{
	*(ino_t *)ctx = own_netns();
	return -ENOANO; /* something that nobody else returns */
}

static void run_happens_inside_and_the_caller_stays(void **state)
{
	struct error err = {0};
	ino_t before = own_netns(), inside = 0;
	struct stat st;
	int fd;

	need_tap();
	assert_int_equal(netns_new(&fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(netns_run(fd, note_netns, &inside, &err), -ENOANO);
	assert_int_equal(inside, st.st_ino);
	assert_int_equal(own_netns(), before);
	assert_int_equal(netns_run(-1, note_netns, &inside, &err), -ENOANO);
	assert_int_equal(inside, before);
	(void)close(fd);
	assert_int_equal(netns_run(fd, note_netns, &inside, &err), -EBADF);
}

static int read_disable_ipv6(void *ctx, struct error *err)
{
	FILE *file = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "r");
	int *off = ctx, fields = 1;

	if (file) { /* a kernel without IPv6 is as good */
		fields = fscanf(file, "%d", off);
		(void)fclose(file);
	}
	return fields == 1 ? 0 : -EIO;
}

static void loopback_is_up_and_ipv6_off(void **state)
{
	struct ifreq request = {.ifr_name = "lo"};
	struct error err = {0};
	int fd, sock, off = 1;

	need_tap();
	assert_int_equal(netns_new(&fd, &err), 0);
	sock = socket_in(fd, AF_INET, SOCK_DGRAM);
	assert_int_equal(ioctl(sock, SIOCGIFFLAGS, &request), 0);
	assert_true(request.ifr_flags & IFF_UP);
	assert_int_equal(netns_run(fd, read_disable_ipv6, &off, &err), 0);
	assert_int_equal(off, 1);
	(void)close(sock);
	(void)close(fd);
}

static void what_is_no_namespace_is_refused(void **state)
{
	struct error err = {0};
	int fd = -1;

	assert_int_equal(netns_open("/run/netns/nonexistent", &fd, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/run/netns/nonexistent"));
	assert_int_equal(netns_open("/proc/self/ns/user", &fd, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a network namespace"));
	assert_int_equal(fd, -1);
	assert_int_equal(netns_open("/proc/self/ns/net", &fd, &err), 0);
	(void)close(fd);
}

static void root_stays_as_it_is(void **state)
{
	struct error err = {0};
	int fd = 7;

	if (geteuid() != 0) {
		print_message("skipped: not root\n");
		skip();
	}
	assert_int_equal(netns_become_unprivileged_root(&fd, &err), 0);
	assert_int_equal(fd, -1);
}

/* In a child, since a process does not leave a user namespace again. */
static void make_namespace_as_user(void)
{
	struct error err = {0};
	int netns = -1;

	become_user();
	_exit(netns_new(&netns, &err) < 0 ? 4 : 0);
}

static void user_becomes_root_of_namespaces_of_his_own(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		make_namespace_as_user();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: no user namespaces for users here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_namespace_is_another_and_the_caller_stays),
		cmocka_unit_test(run_happens_inside_and_the_caller_stays),
		cmocka_unit_test(loopback_is_up_and_ipv6_off),
		cmocka_unit_test(what_is_no_namespace_is_refused),
		cmocka_unit_test(root_stays_as_it_is),
		cmocka_unit_test(user_becomes_root_of_namespaces_of_his_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
