/* SPDX-License-Identifier: BSD-2-Clause */
/* What a hardened process can no longer do, seen from a child that hardened itself. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "driver/harden.h"

static int in_child(int (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct error err = {0};

		_exit(harden_process(&err) < 0 ? 100 : check());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int starts_no_program(void)
{
	char *const argv[] = {(char *)"true", NULL};

	return execv("/bin/true", argv) < 0 && errno == EPERM ? 0 : 1;
}

static int changes_no_namespace(void)
{
	return unshare(CLONE_NEWNET) < 0 && errno == EPERM ? 0 : 1;
}

static int mounts_nothing(void)
{
	return mount("none", "/tmp", "tmpfs", 0, NULL) < 0 && errno == EPERM ? 0 : 1;
}

static int still_reads_and_writes(void)
{
	int fds[2];
	char c = 'x';

	if (pipe(fds) < 0 || write(fds[1], &c, 1) != 1 || read(fds[0], &c, 1) != 1)
		return 1;
	return open("/dev/null", O_RDWR) < 0;
}

static void a_hardened_process_is_confined(void **state)
{
	assert_int_equal(in_child(starts_no_program), 0);
	assert_int_equal(in_child(changes_no_namespace), 0);
	assert_int_equal(in_child(mounts_nothing), 0);
}

static void a_hardened_process_still_works(void **state)
{
	assert_int_equal(in_child(still_reads_and_writes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hardened_process_is_confined),
		cmocka_unit_test(a_hardened_process_still_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
