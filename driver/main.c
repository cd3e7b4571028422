/* SPDX-License-Identifier: BSD-2-Clause */
/* moderatod: options in, daemon_run(), exit code out. Start reading here. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/control.h"
#include "common/log.h"
#include "common/util.h"
#include "common/version.h"
#include "driver/daemon.h"

enum option_id {
	OPT_NAME = 256, OPT_SOCKET, OPT_LOCAL, OPT_PEER, OPT_MTU, OPT_NETNS, OPT_INTERFACE,
	OPT_QUEUE_LEN, OPT_NO_OFFLOADS, OPT_CPU, OPT_NO_FIFO, OPT_SET, OPT_READY_FD, OPT_VERBOSE,
	OPT_HELP, OPT_VERSION,
};

static const struct option long_options[] = {
	{"name", required_argument, NULL, OPT_NAME},
	{"socket", required_argument, NULL, OPT_SOCKET},
	{"local", required_argument, NULL, OPT_LOCAL},
	{"peer", required_argument, NULL, OPT_PEER},
	{"mtu", required_argument, NULL, OPT_MTU},
	{"netns", required_argument, NULL, OPT_NETNS},
	{"interface", required_argument, NULL, OPT_INTERFACE},
	{"queue-len", required_argument, NULL, OPT_QUEUE_LEN},
	{"no-offloads", no_argument, NULL, OPT_NO_OFFLOADS},
	{"cpu", required_argument, NULL, OPT_CPU},
	{"no-fifo", no_argument, NULL, OPT_NO_FIFO},
	{"set", required_argument, NULL, OPT_SET},
	{"ready-fd", required_argument, NULL, OPT_READY_FD},
	{"verbose", no_argument, NULL, OPT_VERBOSE},
	{"help", no_argument, NULL, OPT_HELP},
	{"version", no_argument, NULL, OPT_VERSION},
	{0},
};

static const char usage_text[] =
	"usage: moderatod DEVICE [OPTION...]\n"
	"Drive a NIC from user space and serve its moderation registers on a control socket.\n"
	"  DEVICE                a PCI address (0000:03:00.0) bound to vfio-pci, or\n"
	"                        sim:82574L or sim:82545EM, options after a comma\n"
	"  --name NAME           name of this daemon (default from the device: sim-82574L)\n"
	"  --socket PATH         control socket (default /run/moderato/NAME.sock)\n"
	"  --local ADDR[/LEN]    address of the TAP (default 198.18.0.1/24)\n"
	"  --peer ADDR           address of the far end (default 198.18.0.2)\n"
	"  --mtu N               68 and up, default 1500\n"
	"  --netns own|host|PATH namespace of the TAP (default own)\n"
	"  --interface NAME      name of the TAP (default moderato0)\n"
	"  --queue-len N         frames the kernel may queue for the TAP (default 8192)\n"
	"  --no-offloads         no checksum and segmentation offload on the TAP\n"
	"  --cpu N               CPU of the driver (and device) thread\n"
	"  --no-fifo             do not ask for SCHED_FIFO\n"
	"  --set LIST            settings at start: \"ITR=195,RDTR=32,intmode=msi\"\n"
	"  --ready-fd FD         write \"ready\" or a reason there\n"
	"  --verbose             say what happens on stderr\n"
	"  --version, --help\n";

static int parse_number(const char *what, const char *text, long min, long max, long *ret,
			struct error *err)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < min || value > max)
		return error_usage(err, "--%s %s: a number from %ld to %ld is wanted", what, text, min, max);
	*ret = value;
	return 0;
}

static int parse_address(const char *what, const char *text, struct in_addr *ret_addr,
			 unsigned *ret_prefix, struct error *err)
{
	char copy[64];
	char *slash;
	long prefix;
	int r;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	slash = ret_prefix ? strchr(copy, '/') : NULL;
	if (slash) {
		*slash = '\0';
		r = parse_number(what, slash + 1, 1, 32, &prefix, err);
		if (r < 0)
			return r;
		*ret_prefix = (unsigned)prefix;
	}
	if (inet_pton(AF_INET, copy, ret_addr) != 1)
		return error_usage(err, "--%s %s: not an IPv4 address", what, text);
	return 0;
}

static int parse_path_option(int id, const char *arg, struct path_options *path, struct error *err)
{
	long n;
	int r = 0;

	switch (id) {
	case OPT_LOCAL:
		return parse_address("local", arg, &path->local, &path->prefix_len, err);
	case OPT_PEER:
		return parse_address("peer", arg, &path->peer, NULL, err);
	case OPT_MTU:
		r = parse_number("mtu", arg, 68, 16000, &n, err);
		if (r == 0)
			path->mtu = (unsigned)n;
		break;
	case OPT_NETNS:
		path->netns = arg;
		break;
	case OPT_INTERFACE:
		path->interface = arg;
		break;
	case OPT_QUEUE_LEN:
		r = parse_number("queue-len", arg, 1, 100000, &n, err);
		if (r == 0)
			path->queue_len = (unsigned)n;
		break;
	case OPT_NO_OFFLOADS:
		path->offloads = false;
		break;
	default:
		return 1;
	}
	return r;
}

static int parse_daemon_option(int id, const char *arg, struct daemon_options *o, struct error *err)
{
	long n;
	int r;

	switch (id) {
	case OPT_NAME:
		o->name = arg;
		return 0;
	case OPT_SOCKET:
		o->socket_path = arg;
		return 0;
	case OPT_CPU:
		r = parse_number("cpu", arg, 0, 1023, &n, err);
		if (r == 0)
			o->cpu = (int)n;
		return r;
	case OPT_NO_FIFO:
		o->no_fifo = true;
		return 0;
	case OPT_SET:
		return settings_parse_list(&o->initial, arg, err);
	case OPT_READY_FD:
		r = parse_number("ready-fd", arg, 0, INT_MAX, &n, err);
		if (r == 0)
			o->ready_fd = (int)n;
		return r;
	case OPT_VERBOSE:
		log_set_level(LOG_LEVEL_DEBUG);
		return 0;
	default:
		return error_usage(err, "unknown option; see moderatod --help");
	}
}

/* Return: 0 go on, 1 done (help or version printed), negative error. */
static int parse_options(int argc, char **argv, struct daemon_options *o, struct error *err)
{
	int id, r;

	opterr = 0;
	while ((id = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (id == OPT_HELP) {
			fputs(usage_text, stdout);
			return 1;
		}
		if (id == OPT_VERSION) {
			puts("moderatod " MODERATO_VERSION);
			return 1;
		}
		if (id == '?')
			return error_usage(err, "%s: unknown option or missing value; see moderatod --help",
					   argv[optind - 1]);
		r = parse_path_option(id, optarg, &o->path, err);
		if (r > 0)
			r = parse_daemon_option(id, optarg, o, err);
		if (r < 0)
			return r;
	}
	if (optind != argc - 1)
		return error_usage(err, "give one device, for example 0000:03:00.0 or sim:82574L; see moderatod --help");
	o->device = argv[optind];
	return 0;
}

int main(int argc, char **argv)
{
	static char name[64], socket_path[108];
	struct daemon_options options = {.cpu = -1, .ready_fd = -1};
	struct error err = {0};
	int r;

	path_options_default(&options.path);
	r = parse_options(argc, argv, &options, &err);
	if (r > 0)
		return 0;
	if (r == 0) {
		if (!options.name)
			options.name = control_default_name(options.device, name, sizeof(name));
		if (!options.socket_path)
			options.socket_path =
				control_socket_path(options.name, socket_path, sizeof(socket_path));
		r = daemon_run(&options, &err);
	}
	return r < 0 ? error_report(&err, "moderatod") : 0;
}
