/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato ns: run a command where the daemon's interface lives, without any named namespace. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "tuner/client.h"
#include "tuner/command.h"

#define FDS_MAX 8

static int fetch_fds(const char *name, json_t **ret_info, int *fds, struct error *err)
{
	struct control_client *client;
	int r = control_connect(name, &client, err);

	if (r)
		return r;
	r = control_call_fds(
		client, "info", json_pack("{s:b}", "fds", 1), ret_info, fds, FDS_MAX, err);
	control_disconnect(client);
	return r;
}

/* The descriptor that info.fds calls @wanted, or -1. */
static int fd_called(const json_t *info, const int *fds, const char *wanted)
{
	json_t *name;
	size_t i;

	json_array_foreach (json_object_get(info, "fds"), i, name)
		if (i < FDS_MAX && json_is_string(name) && !strcmp(json_string_value(name), wanted))
			return fds[i];
	return -1;
}

/*
 * The user namespace first: being its owner gives the rights that entering the network namespace
 * needs. Entering the one we are in already fails with EINVAL and is no fault.
 */
static int enter(const json_t *info, const int *fds, bool peer, struct error *err)
{
	int user = fd_called(info, fds, "userns");
	int net = fd_called(info, fds, peer ? "peer_netns" : "netns");

	if (peer && net < 0)
		return error_set(err, -ENOENT,
			"the far end of this device is not run by the daemon, so there is no "
			"namespace of it");
	if (user >= 0 && setns(user, CLONE_NEWUSER) && errno != EINVAL)
		return error_sys(err, -errno, "cannot enter the user namespace of %s",
			reply_string(info, "name"));
	if (net >= 0 && setns(net, CLONE_NEWNET))
		return error_sys(err, -errno, "cannot enter the network namespace of %s",
			reply_string(info, "name"));
	return 0;
}

int cmd_ns(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	bool peer = false;
	const struct option_row rows[] = {
		OPT_DAEMON(&name),
		OPT_FLAG("peer", 'p', &peer, "at the far end of a simulated device's wire"),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.operands_min = 1,
		.operands_max = (unsigned)argc,
		.options_first = true,
		.details = "Examples:\n  moderato ns -- ping -c 3 198.18.0.2\n  moderato ns --peer "
			   "iperf3 -s\n"
			   "  moderato ns tcpdump -ni moderato0\n",
	};
	int fds[FDS_MAX] = {-1, -1, -1, -1, -1, -1, -1, -1};
	json_t *info;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	r = fetch_fds(name, &info, fds, err);
	if (r)
		return r;
	r = enter(info, fds, peer, err);
	json_decref(info);
	if (r)
		return r;
	(void)execvp(options.operand[0], options.operand);
	return error_sys(err, -errno, "cannot run %s", options.operand[0]);
}
