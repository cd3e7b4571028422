/* SPDX-License-Identifier: BSD-2-Clause */
/* Forked children: what they hold, what is collected, how they end. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/child.h"
#include "common/clock.h"

static const struct child_place anywhere = {.userns_fd = -1, .netns_fd = -1, .cpu = -1};

static void start(struct child *child, const struct child_place *place, child_fn fn, void *ctx)
{
	struct error err = {0};

	if (child_start(child, "client", place, NULL, 0, fn, ctx, &err) < 0)
		fail_msg("%s", err.text);
}

static void wait_end(struct child *child)
{
	uint64_t limit_ns = clock_now_ns() + 10 * NS_PER_S;

	while (child_pump(child)) {
		assert_true(clock_now_ns() < limit_ns);
		(void)usleep(1000);
	}
}

static int print_descriptors(void *ctx)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(dir))
			dprintf(1, "%s ", entry->d_name);
	return 0;
}

static void a_child_holds_only_what_it_was_given(void **state)
{
	int kept = open("/dev/null", O_RDONLY), other = open("/dev/null", O_RDONLY);
	int later = open("/dev/null", O_RDONLY);
	struct error err = {0};
	struct child child;
	char wanted[32];

	assert_int_equal(
		child_start(&child, "client", &anywhere, &other, 1, print_descriptors, NULL, &err),
		0);
	wait_end(&child);
	(void)snprintf(wanted, sizeof(wanted), "%d ", other);
	assert_string_equal(child.text, wanted);
	child_fini(&child);
	(void)close(kept);
	(void)close(other);
	(void)close(later);
}

#define MUCH (1024 * 1024)

static int print_much(void *ctx)
{
	char block[4096];
	unsigned i;

	memset(block, 'x', sizeof(block));
	for (i = 0; i < MUCH / sizeof(block); i++)
		if (write(1, block, sizeof(block)) != sizeof(block))
			return 1;
	return 7;
}

static void more_than_a_pipe_holds_is_collected_and_the_exit_code_kept(void **state)
{
	struct child child;

	start(&child, &anywhere, print_much, NULL);
	wait_end(&child);
	assert_int_equal(child.text_len, MUCH);
	assert_int_equal(strlen(child.text), MUCH);
	assert_true(child.reaped && WIFEXITED(child.wait_status));
	assert_int_equal(WEXITSTATUS(child.wait_status), 7);
	assert_int_equal(child.pid, 0);
	child_fini(&child);
}

static int print_and_freeze(void *ctx)
{
	dprintf(1, "before");
	(void)raise(SIGSTOP);
	dprintf(1, "after");
	return 0;
}

static void a_frozen_child_is_killed_and_its_words_are_kept(void **state)
{
	struct child child;
	unsigned i;

	start(&child, &anywhere, print_and_freeze, NULL);
	for (i = 0; i < 5000 && child_pump(&child) && !child.text_len; i++)
		(void)usleep(1000);
	child_kill(&child);
	assert_string_equal(child.text, "before");
	assert_true(child.reaped && WIFSIGNALED(child.wait_status));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	child_fini(&child);
	child_fini(&child);
}

static int print_signals(void *ctx)
{
	struct sigaction action;
	sigset_t mask;

	(void)sigaction(SIGTERM, NULL, &action);
	dprintf(1, "%s ", action.sa_handler == SIG_DFL ? "default" : "inherited");
	(void)sigaction(SIGPIPE, NULL, &action);
	dprintf(1, "%s ", action.sa_handler == SIG_IGN ? "ignored" : "deadly");
	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	dprintf(1, "%s", sigismember(&mask, SIGTERM) ? "blocked" : "open");
	return 0;
}

static void on_term(int number)
{
}

static void the_parents_handlers_do_not_run_in_a_child(void **state)
{
	struct child child;

	(void)signal(SIGTERM, on_term);
	start(&child, &anywhere, print_signals, NULL);
	wait_end(&child);
	(void)signal(SIGTERM, SIG_DFL);
	assert_string_equal(child.text, "default ignored open");
	child_fini(&child);
}

static int never(void *ctx)
{
	return 0;
}

static void a_place_that_cannot_be_entered_is_an_error_with_a_reason(void **state)
{
	struct child_place place = anywhere;
	struct error err = {0};
	struct child child;

	place.netns_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	start(&child, &place, never, NULL);
	wait_end(&child);
	assert_true(child_failed_place(&child, &err));
	assert_non_null(strstr(err.text, "client: cannot enter the network namespace"));
	child_fini(&child);
	(void)close(place.netns_fd);

	start(&child, &anywhere, never, NULL);
	wait_end(&child);
	assert_false(child_failed_place(&child, &err));
	child_fini(&child);
}

/* A parent that starts a child which would live for ever, tells its number, and dies. */
static int start_and_die(void *ctx)
{
	struct child child;

	if (child_start(&child, "server", &anywhere, NULL, 0, print_and_freeze, NULL, NULL) == 0)
		dprintf(1, "%d", child.pid);
	return 0;
}

static void a_child_dies_with_its_parent(void **state)
{
	struct child parent;
	pid_t orphan;
	unsigned i;

	start(&parent, &anywhere, start_and_die, NULL);
	wait_end(&parent);
	orphan = atoi(parent.text);
	assert_true(orphan > 0);
	for (i = 0; i < 5000 && kill(orphan, 0) == 0; i++) {
		/* Where nobody reaps orphans it stays a zombie: dead all the same. */
		char path[64], line[256] = "";
		FILE *file;

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", orphan);
		file = fopen(path, "re");
		if (file && fgets(line, sizeof(line), file) && strstr(line, ") Z"))
			i = 5000;
		if (file)
			(void)fclose(file);
		(void)usleep(1000);
	}
	assert_true(i != 5000);
	child_fini(&parent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_holds_only_what_it_was_given),
		cmocka_unit_test(more_than_a_pipe_holds_is_collected_and_the_exit_code_kept),
		cmocka_unit_test(a_frozen_child_is_killed_and_its_words_are_kept),
		cmocka_unit_test(the_parents_handlers_do_not_run_in_a_child),
		cmocka_unit_test(a_place_that_cannot_be_entered_is_an_error_with_a_reason),
		cmocka_unit_test(a_child_dies_with_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
