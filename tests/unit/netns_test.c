/* SPDX-License-Identifier: BSD-2-Clause */
/* Namespaces by descriptor: what a new one is like, the way back, and root for a user. */
#include "driver/netns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sys/prctl.h>
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

static void enter_and_leave_come_back(void **state)
{
	struct error err = {0};
	ino_t before = own_netns();
	int fd, old;

	need_tap();
	assert_int_equal(netns_new(&fd, &err), 0);
	assert_int_equal(netns_enter(fd, &old, &err), 0);
	assert_true(own_netns() != before);
	netns_leave(old);
	assert_int_equal(own_netns(), before);
	assert_int_equal(fcntl(old, F_GETFD), -1);
	(void)close(fd);
}

static void loopback_is_up_and_ipv6_off(void **state)
{
	struct ifreq request = {.ifr_name = "lo"};
	struct error err = {0};
	FILE *file;
	int fd, old, sock, off = 1;

	need_tap();
	assert_int_equal(netns_new(&fd, &err), 0);
	sock = socket_in(fd, AF_INET, SOCK_DGRAM);
	assert_int_equal(ioctl(sock, SIOCGIFFLAGS, &request), 0);
	assert_true(request.ifr_flags & IFF_UP);
	assert_int_equal(netns_enter(fd, &old, &err), 0);
	file = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "r");
	if (file) { /* a kernel without IPv6 is as good */
		assert_int_equal(fscanf(file, "%d", &off), 1);
		(void)fclose(file);
	}
	netns_leave(old);
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

/* In a child, since a process does not leave a user namespace again. Exit: 0 good, 77 not allowed.
 */
static void become_root_as_user(void)
{
	struct error err = {0};
	int userns = -1, netns = -1;

	if (geteuid() == 0 &&
		(setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0))
		_exit(2);
	(void)prctl(PR_SET_DUMPABLE, 1); /* else /proc/self stays root's, unlike after an exec */
	if (netns_become_unprivileged_root(&userns, &err) < 0) {
		print_message("%s\n", err.text);
		_exit(77);
	}
	if (geteuid() != 0 || getegid() != 0 || userns < 0)
		_exit(3);
	_exit(netns_new(&netns, &err) < 0 ? 4 : 0);
}

static void user_becomes_root_of_namespaces_of_his_own(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		become_root_as_user();
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
		cmocka_unit_test(enter_and_leave_come_back),
		cmocka_unit_test(loopback_is_up_and_ipv6_off),
		cmocka_unit_test(what_is_no_namespace_is_refused),
		cmocka_unit_test(root_stays_as_it_is),
		cmocka_unit_test(user_becomes_root_of_namespaces_of_his_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
