/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato down: end a daemon and wait until it is gone. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tuner/client.h"
#include "tuner/command.h"

#define GONE_TIMEOUT_MS 15000

/* Taken before the daemon is told to end, so that the id cannot be that of another process. */
static int open_process(const json_t *info, struct error *err)
{
	pid_t pid = (pid_t)reply_int(info, "pid");
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? error_sys(err, -errno, "cannot watch moderatod (pid %d)", (int)pid) : fd;
}

static int wait_gone(int pidfd, const json_t *info, struct error *err)
{
	struct pollfd pollfd = {.fd = pidfd, .events = POLLIN};
	int n;

	do {
		n = poll(&pollfd, 1, GONE_TIMEOUT_MS);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	return error_set(err, -ETIMEDOUT,
		"%s was told to end and is still there after %d s; look at its log, or end process "
		"%lld with kill -9",
		reply_string(info, "name"), GONE_TIMEOUT_MS / 1000,
		(long long)reply_int(info, "pid"));
}

static int end(struct control_client *client, const json_t *info, struct error *err)
{
	int pidfd = open_process(info, err), r;

	if (pidfd < 0)
		return pidfd;
	r = control_call(client, "shutdown", NULL, NULL, 0, err);
	/* a daemon that ends at once may close before its reply is read */
	if (r == -EPIPE)
		r = 0;
	if (!r)
		r = wait_gone(pidfd, info, err);
	(void)close(pidfd);
	return r;
}

/* A real NIC stays with VFIO, so that the next start needs no root; it is easily forgotten. */
static void print_down(const json_t *info)
{
	const char *device = reply_string(info, "device");

	printf("%s is down\n", reply_string(info, "name"));
	if (json_object_get(info, "dma"))
		printf("its NIC stays with vfio-pci; \"moderato unbind %.*s\" gives it back to the kernel\n",
			(int)strcspn(device, ","), device);
}

int cmd_down(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	const struct option_row rows[] = {OPT_DAEMON(&name), OPT_END};
	struct options options = {.rows = rows, .operands_max = 1};
	struct control_client *client;
	json_t *info;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (options.operand_count)
		name = options.operand[0];
	r = control_connect(name, &client, err);
	if (r)
		return r;
	r = control_call(client, "info", NULL, &info, 0, err);
	if (!r) {
		r = end(client, info, err);
		if (!r)
			print_down(info);
		json_decref(info);
	}
	control_disconnect(client);
	return r;
}
