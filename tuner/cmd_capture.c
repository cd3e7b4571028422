/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato capture start|stop: the bridge's frames into a pcap file, written by the daemon. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tuner/client.h"
#include "tuner/command.h"

/* The daemon has another working directory, so it gets an absolute path. */
static int absolute_path(const char *path, char *buf, size_t size, struct error *err)
{
	char dir[PATH_MAX] = "";
	int len;

	if (path[0] != '/' && !getcwd(dir, sizeof(dir)))
		return error_sys(err, -errno, "cannot tell the working directory");
	len = snprintf(buf, size, "%s%s%s", dir, *dir ? "/" : "", path);
	if (len < 0 || (size_t)len >= size)
		return error_usage(err, "the path \"%.60s...\" is too long", path);
	return 0;
}

static int start(const char *name, const char *file, int64_t snaplen, struct error *err)
{
	char path[PATH_MAX];
	json_t *params;
	int r = absolute_path(file, path, sizeof(path), err);

	if (r)
		return r;
	params = json_pack("{s:s}", "path", path);
	if (!params)
		return error_usage(err, "the path \"%.60s\" is not UTF-8", file);
	if (snaplen)
		(void)json_object_set_new(params, "snaplen", json_integer(snaplen));
	r = client_call_once(name, "capture.start", params, NULL, 0, err);
	if (!r)
		printf("capturing into %s; \"moderato capture stop\" ends it\n", path);
	return r;
}

static int stop(const char *name, struct error *err)
{
	json_t *result;
	int r = client_call_once(name, "capture.stop", NULL, &result, 0, err);

	if (r)
		return r;
	printf("captured %lld frames, %lld bytes; %lld dropped\n",
		(long long)reply_int(result, "frames"), (long long)reply_int(result, "bytes"),
		(long long)reply_int(result, "dropped"));
	json_decref(result);
	return 0;
}

int cmd_capture(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	int64_t snaplen = 0;
	const struct option_row rows[] = {
		OPT_DAEMON(&name),
		OPT_INT("snaplen", 's', &snaplen, "N", 14, 262144,
			"bytes kept of each frame (default all)"),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.operands_min = 1,
		.operands_max = 2,
		.details = "Frames appear as they pass between ring and TAP: super-frames before "
			   "the chip cuts\n"
			   "them, single frames as received. \"moderato ns -- tcpdump\" shows the "
			   "TAP's side.\n",
	};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (!strcmp(options.operand[0], "start") && options.operand_count == 2)
		return start(name, options.operand[1], snaplen, err);
	if (!strcmp(options.operand[0], "stop") && options.operand_count == 1)
		return stop(name, err);
	return error_usage(err, "write moderato capture start FILE, or moderato capture stop");
}
