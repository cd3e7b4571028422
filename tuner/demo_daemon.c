/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting the demo's daemon and taking it down, politely first. */
#include "tuner/demo_daemon.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/client.h"
#include "tuner/spawn.h"

#define READY_TIMEOUT_MS 30000
#define ASK_TIMEOUT_MS	 2000
#define GONE_TIMEOUT_MS	 5000

int demo_daemon_start(
	struct demo_daemon *daemon, const char *device, const char *log_path, struct error *err)
{
	struct spawn_arguments arguments = {0};
	char program[PATH_MAX];
	int rc = spawn_find(program, sizeof(program), err);

	if (rc)
		return rc;
	(void)snprintf(daemon->name, sizeof(daemon->name), "demo-%d", (int)getpid());
	spawn_add(&arguments, NULL, program);
	spawn_add(&arguments, NULL, device);
	spawn_add(&arguments, "--name", daemon->name);
	daemon->pid = 0;
	return spawn_daemon(program, &arguments, log_path, READY_TIMEOUT_MS, &daemon->pid, err);
}

/* It is our child: nobody else takes its process id before it is waited for. */
static bool wait_gone(pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd pollfd = {.fd = pidfd, .events = POLLIN};
	int n;

	if (pidfd < 0)
		return errno == ESRCH;
	do {
		n = poll(&pollfd, 1, GONE_TIMEOUT_MS);
	} while (n < 0 && errno == EINTR);
	(void)close(pidfd);
	return n > 0;
}

void demo_daemon_stop(struct demo_daemon *daemon)
{
	struct error ignored = {0};

	if (!daemon->pid)
		return;
	if (client_call_once(daemon->name, "shutdown", NULL, NULL, ASK_TIMEOUT_MS, &ignored))
		(void)kill(daemon->pid, SIGTERM);
	if (!wait_gone(daemon->pid)) {
		(void)kill(daemon->pid, SIGTERM);
		if (!wait_gone(daemon->pid))
			(void)kill(daemon->pid, SIGKILL);
	}
	while (waitpid(daemon->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	daemon->pid = 0;
}
