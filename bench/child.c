/* SPDX-License-Identifier: BSD-2-Clause */
/* Fork, namespaces, pinning, pipe and reaping of a traffic process. */
#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/util.h"

static int enter_place(const struct child_place *place)
{
	cpu_set_t cpus;

	if (place->userns_fd >= 0 && setns(place->userns_fd, CLONE_NEWUSER) < 0) {
		dprintf(1, "cannot enter the daemon's user namespace: %s\n", strerror(errno));
		return -1;
	}
	if (place->netns_fd >= 0 && setns(place->netns_fd, CLONE_NEWNET) < 0) {
		dprintf(1,
			"cannot enter the network namespace of the path: %s; run as the user who "
			"started the daemon\n",
			strerror(errno));
		return -1;
	}
	if (place->cpu < 0)
		return 0;
	CPU_ZERO(&cpus);
	CPU_SET((unsigned)place->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0) {
		dprintf(1, "cannot run on CPU %d: %s\n", place->cpu, strerror(errno));
		return -1;
	}
	return 0;
}

static void reset_signals(void)
{
	sigset_t none;
	int number;

	for (number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_all_but(const int *keep, unsigned keep_count)
{
	unsigned first = STDERR_FILENO + 1, i;

	for (i = 0; i < keep_count; i++) {
		if ((unsigned)keep[i] > first)
			(void)close_range(first, (unsigned)keep[i] - 1, 0);
		first = (unsigned)keep[i] + 1;
	}
	(void)close_range(first, ~0u, 0);
}

/* For ps: "bench-client" in place of the whole tuner's name. */
static void set_process_name(const char *name)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "bench-%s", name);
	(void)prctl(PR_SET_NAME, text);
}

static void child_main(const char *name, int out_fd, pid_t parent, const struct child_place *place,
	const int *keep, unsigned keep_count, child_fn fn, void *ctx)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	set_process_name(name);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before the line above */
		_exit(1);
	reset_signals();
	(void)dup2(null_fd, STDIN_FILENO);
	(void)dup2(out_fd, STDOUT_FILENO);
	(void)dup2(out_fd, STDERR_FILENO);
	if (enter_place(place) < 0)
		_exit(CHILD_EXIT_PLACE);
	close_all_but(keep, keep_count);
	_exit(fn(ctx));
}

int child_start(struct child *child, const char *name, const struct child_place *place,
	const int *keep, unsigned keep_count, child_fn fn, void *ctx, struct error *err)
{
	pid_t parent = getpid();
	sigset_t all, old;
	int fds[2];

	*child = (struct child){.name = name, .out_fd = -1};
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_sys(err, -errno, "cannot make a pipe for the %s", name);
	/* Unwritten stdio would be written twice; a handler must not run in the child. */
	(void)fflush(NULL);
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &old);
	child->pid = fork();
	if (child->pid == 0)
		child_main(name, fds[1], parent, place, keep, keep_count, fn, ctx);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)close(fds[1]);
	if (child->pid < 0) {
		int code = -errno;

		(void)close(fds[0]);
		child->pid = 0;
		return error_sys(err, code, "cannot start the %s process", name);
	}
	child->out_fd = fds[0];
	(void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return 0;
}

static int make_room(struct child *child)
{
	size_t size = child->text_size ? 2 * child->text_size : 65536;
	char *text;

	if (child->text_size - child->text_len > 1)
		return 0;
	if (size > CHILD_TEXT_MAX)
		return -E2BIG;
	text = realloc(child->text, size);
	if (!text)
		return -ENOMEM;
	child->text = text;
	child->text_size = size;
	child->text[child->text_len] = '\0';
	return 0;
}

/* Return: false at the end of the output. */
static bool read_output(struct child *child)
{
	ssize_t got;

	for (;;) {
		if (make_room(child) < 0) {
			(void)kill(child->pid, SIGKILL); /* talks without end */
			return false;
		}
		got = read(child->out_fd, child->text + child->text_len,
			child->text_size - child->text_len - 1);
		if (got < 0)
			return errno == EAGAIN || errno == EINTR;
		if (got == 0)
			return false;
		child->text_len += (size_t)got;
		child->text[child->text_len] = '\0';
	}
}

static void child_reap(struct child *child, int flags)
{
	pid_t got;

	do
		got = waitpid(child->pid, &child->wait_status, flags);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return;
	child->reaped = true;
	child->pid = 0;
}

bool child_pump(struct child *child)
{
	if (child->out_fd >= 0 && !read_output(child)) {
		(void)close(child->out_fd);
		child->out_fd = -1;
		/* It closes its end by ending: the wait is as short as an exit. */
		if (child->pid)
			child_reap(child, 0);
	}
	return child->pid != 0;
}

void child_kill(struct child *child)
{
	if (!child->pid)
		return;
	(void)kill(child->pid, SIGKILL);
	child_reap(child, 0);
	if (child->out_fd >= 0) {
		(void)read_output(child);
		(void)close(child->out_fd);
		child->out_fd = -1;
	}
}

void child_fini(struct child *child)
{
	child_kill(child);
	free(child->text);
	*child = (struct child){.out_fd = -1};
}

bool child_failed_place(const struct child *child, struct error *err)
{
	if (!child->reaped || !WIFEXITED(child->wait_status) ||
		WEXITSTATUS(child->wait_status) != CHILD_EXIT_PLACE)
		return false;
	error_set(err, -EPERM, "%s: %.*s", child->name,
		(int)strcspn(child->text ? child->text : "", "\n"), child->text ? child->text : "");
	return true;
}
