/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato up: start a daemon that owns a device, and say where everything is. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/control.h"
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/info_view.h"
#include "tuner/spawn.h"
#include "tuner/state_dir.h"

#define READY_TIMEOUT_MS 30000
#define NUMBER_UNSET	 (-1)

struct up_request {
	const char *device, *name, *local, *peer, *netns, *interface;
	int64_t mtu, queue_len, cpu;
	bool no_offloads, no_fifo, foreground, verbose;
	struct settings settings;
	char default_name[64], netns_path[PATH_MAX];
	char mtu_text[16], queue_len_text[16], cpu_text[16], settings_text[512];
};

static void add_number(struct spawn_arguments *arguments, const char *option, int64_t value,
	char *buf, size_t size)
{
	if (value == NUMBER_UNSET)
		return;
	(void)snprintf(buf, size, "%" PRId64, value);
	spawn_add(arguments, option, buf);
}

static void add_text(struct spawn_arguments *arguments, const char *option, const char *value)
{
	if (value)
		spawn_add(arguments, option, value);
}

static void add_flag(struct spawn_arguments *arguments, const char *option, bool on)
{
	if (on)
		spawn_add(arguments, option, NULL);
}

static void build_arguments(
	struct up_request *request, const char *program, struct spawn_arguments *ret_arguments)
{
	struct spawn_arguments arguments = {0};

	spawn_add(&arguments, NULL, program);
	spawn_add(&arguments, NULL, request->device);
	add_text(&arguments, "--name", request->name);
	add_text(&arguments, "--local", request->local);
	add_text(&arguments, "--peer", request->peer);
	add_text(&arguments, "--netns", request->netns);
	add_text(&arguments, "--interface", request->interface);
	add_number(&arguments, "--mtu", request->mtu, request->mtu_text, sizeof(request->mtu_text));
	add_number(&arguments, "--queue-len", request->queue_len, request->queue_len_text,
		sizeof(request->queue_len_text));
	add_number(&arguments, "--cpu", request->cpu, request->cpu_text, sizeof(request->cpu_text));
	add_flag(&arguments, "--no-offloads", request->no_offloads);
	add_flag(&arguments, "--no-fifo", request->no_fifo);
	add_flag(&arguments, "--verbose", request->verbose);
	if (request->settings.present)
		spawn_add(&arguments, "--set",
			settings_format(&request->settings, request->settings_text,
				sizeof(request->settings_text)));
	*ret_arguments = arguments;
}

/* The daemon has no business with our working directory. */
static int settle_netns(struct up_request *request, struct error *err)
{
	const char *netns = request->netns;

	if (!netns || !strcmp(netns, "own") || !strcmp(netns, "host"))
		return 0;
	if (!realpath(netns, request->netns_path))
		return error_sys(err, -errno,
			"--netns is neither own nor host, and the path %.100s cannot be used",
			netns);
	request->netns = request->netns_path;
	return 0;
}

static int refuse_second(const struct up_request *request, struct error *err)
{
	struct error ignored = {0};
	json_t *info;

	if (client_call_once(request->name, "info", NULL, &info, 0, &ignored))
		return 0;
	error_set(err, -EEXIST,
		"%s already runs (pid %lld, device %s); end it with \"moderato down %s\", or give "
		"another --name",
		request->name, (long long)reply_int(info, "pid"), reply_string(info, "device"),
		request->name);
	json_decref(info);
	return -EEXIST;
}

static int log_path(const char *name, char *buf, size_t size, struct error *err)
{
	char dir[PATH_MAX];
	int len, r = state_dir(dir, sizeof(dir), err);

	if (r)
		return r;
	len = snprintf(buf, size, "%s/%s.log", dir, name);
	if (len < 0 || (size_t)len >= size)
		return error_usage(err, "the name \"%.40s...\" is too long", name);
	return 0;
}

static int tell(const struct up_request *request, const char *log, struct error *err)
{
	char socket[PATH_MAX];
	json_t *info;
	int r = client_call_once(request->name, "info", NULL, &info, 0, err);

	if (r)
		return r;
	info_view_print_summary(info);
	printf("  socket      %s\n", control_socket_path(request->name, socket, sizeof(socket)));
	printf("  log         %s\n", log);
	json_decref(info);
	return 0;
}

static int run(struct up_request *request, struct error *err)
{
	char program[PATH_MAX], log[PATH_MAX];
	struct spawn_arguments arguments;
	pid_t pid;
	int r = settle_netns(request, err);

	if (!r)
		r = refuse_second(request, err);
	if (!r)
		r = spawn_find(program, sizeof(program), err);
	if (!r)
		r = log_path(request->name, log, sizeof(log), err);
	if (r)
		return r;
	build_arguments(request, program, &arguments);
	if (request->foreground)
		return spawn_replace(program, &arguments, err);
	r = spawn_daemon(program, &arguments, log, READY_TIMEOUT_MS, &pid, err);
	return r ? r : tell(request, log, err);
}

static int check_name(const char *name, struct error *err)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (*name && *name != '.' && *name != '-' && strlen(name) < 64 &&
		!name[strspn(name, allowed)])
		return 0;
	return error_usage(err,
		"--name \"%.40s\": a name has letters, digits, '.', '_' and '-', at most 63 of "
		"them",
		name);
}

int cmd_up(int argc, char **argv, struct error *err)
{
	struct up_request request = {
		.mtu = NUMBER_UNSET, .queue_len = NUMBER_UNSET, .cpu = NUMBER_UNSET};
	const struct option_row rows[] = {
		OPT_STRING("local", 'l', &request.local, "ADDR/LEN",
			"address of the TAP (default 198.18.0.1/24)"),
		OPT_STRING("peer", 'p', &request.peer, "ADDR",
			"address of the far end (default 198.18.0.2)"),
		OPT_INT("mtu", 'm', &request.mtu, "N", 68, 16000, "of the TAP (default 1500)"),
		OPT_STRING("netns", 0, &request.netns, "own|host|PATH",
			"namespace that the TAP lives in: one of the daemon's own (default), this "
			"one, or that of a file such as /run/netns/NAME"),
		OPT_STRING("interface", 'i', &request.interface, "NAME",
			"name of the TAP (default moderato0)"),
		OPT_STRING("name", 'n', &request.name, "NAME",
			"name of the daemon (default from the device)"),
		OPT_INT("queue-len", 'q', &request.queue_len, "N", 1, 100000,
			"frames the kernel may queue for the TAP (default 8192)"),
		OPT_FLAG("no-offloads", 0, &request.no_offloads,
			"no checksum and segmentation offload on the TAP"),
		OPT_INT("cpu", 'c', &request.cpu, "N", 0, 1023,
			"CPU of the driver (and device) thread"),
		OPT_FLAG("no-fifo", 0, &request.no_fifo, "do not ask for SCHED_FIFO"),
		OPT_SETTINGS("set", 's', &request.settings, "LIST",
			"knobs at the start: ITR=195,intmode=msi"),
		OPT_FLAG("foreground", 'f', &request.foreground,
			"do not leave the terminal, log on stderr"),
		OPT_FLAG("verbose", 'v', &request.verbose, "log more"),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.operands_min = 1,
		.operands_max = 1,
		.details =
			"DEVICE is the PCI address of a NIC that vfio-pci has (0000:03:00.0), or\n"
			"sim:CHIP[,option=value...], a simulated NIC: sim:82574L or sim:82545EM.\n"
			"Options of a simulated device: speed=10|100|1000, msix-rx-timers=on|off,\n"
			"wire=infinite, peer-usecs=N, reset-usecs=N, link-usecs=N, mac=ADDR.\n",
	};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	request.device = options.operand[0];
	if (!request.name)
		request.name = control_default_name(
			request.device, request.default_name, sizeof(request.default_name));
	r = check_name(request.name, err);
	return r ? r : run(&request, err);
}
