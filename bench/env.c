/* SPDX-License-Identifier: BSD-2-Clause */
/* The environment record, read from /proc, /sys and the daemon. */
#include "bench/env.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench/cpu_id.h"
#include "bench/iperf_run.h"
#include "common/version.h"

#define CALL_TIMEOUT_MS 2000
#define TEXT_MAX	(1024 * 1024)

/* Return: text of a file without its last newline, NULL when it cannot be read; freed by the
 * caller. */
static char *read_text(const char *root, const char *path)
{
	char name[512], *text = NULL, *more;
	size_t len = 0, size = 0;
	ssize_t got = 1;
	int fd;

	(void)snprintf(name, sizeof(name), "%s%s", root, path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	while (got > 0 && len < TEXT_MAX) {
		if (size - len < 2) {
			size = size ? 2 * size : 4096;
			more = realloc(text, size);
			if (!more)
				break;
			text = more;
		}
		got = read(fd, text + len, size - len - 1);
		if (got > 0)
			len += (size_t)got;
	}
	(void)close(fd);
	if (!text || got < 0) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	return text;
}

/* A file's text as a JSON string, null when there is none. */
static json_t *file_json(const char *root, const char *path)
{
	char *text = read_text(root, path);
	json_t *value = text ? json_string(text) : NULL;

	free(text);
	return value ? value : json_null();
}

static json_t *kernel_json(const char *root, const struct utsname *name)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "release", name->release, "version",
		name->version, "machine", name->machine, "cmdline",
		file_json(root, "/proc/cmdline"), "clocksource",
		file_json(root, "/sys/devices/system/clocksource/clocksource0/"
				"current_clocksource"));
}

static json_t *cpu_json(const char *root, const struct utsname *name)
{
	char *cpuinfo = read_text(root, "/proc/cpuinfo");
	char *model = read_text(root, "/sys/firmware/devicetree/base/model");
	struct cpu_id id;

	cpu_id_parse(cpuinfo ? cpuinfo : "", model, name->machine, &id);
	free(cpuinfo);
	free(model);
	if (!id.cpus)
		id.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "key", id.key, "name", id.name,
		"count", (int)id.cpus, "governor",
		file_json(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		"frequency_driver",
		file_json(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
		"idle_driver", file_json(root, "/sys/devices/system/cpu/cpuidle/current_driver"),
		"isolated", file_json(root, "/sys/devices/system/cpu/isolated"));
}

static json_t *tcp_json(const char *root, const struct bench_env *env)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "congestion", env->congestion,
		"congestion_default", file_json(root, "/proc/sys/net/ipv4/tcp_congestion_control"),
		"rmem", file_json(root, "/proc/sys/net/ipv4/tcp_rmem"), "wmem",
		file_json(root, "/proc/sys/net/ipv4/tcp_wmem"), "rmem_max",
		file_json(root, "/proc/sys/net/core/rmem_max"), "wmem_max",
		file_json(root, "/proc/sys/net/core/wmem_max"));
}

static const char *cpu_meaning(const struct bench_env *env)
{
	if (!env->control)
		return "local traffic process";
	if (env->simulated)
		return "driver thread + local traffic process; device thread and peer excluded";
	return "driver thread + local traffic process";
}

static json_t *placement_json(const struct bench_env *env)
{
	return json_pack("{s:i, s:i, s:b, s:s, s:s, s:s, s:s, s:b}", "client_cpu", env->client_cpu,
		"server_cpu", env->server_cpu, "driver_fifo", env->driver_fifo, "path",
		env->path_kind, "local", env->local, "peer", env->peer, "cpu_means",
		cpu_meaning(env), "peer_external", env->peer_external);
}

static int daemon_json(const struct bench_env *env, json_t *record, struct error *err)
{
	json_t *info;
	int ret;

	if (!env->control)
		return 0;
	ret = control_call(env->control, "info", NULL, &info, CALL_TIMEOUT_MS, err);
	if (ret < 0)
		return ret;
	/* Descriptions, the same in every record of this version. */
	json_object_del(info, "knobs");
	json_object_del(info, "methods");
	json_object_del(info, "events");
	json_object_del(info, "counters");
	json_object_del(info, "sim_counters");
	json_object_set_new(record, "daemon", info);
	return 0;
}

int env_record(
	const char *root, const struct bench_env *env, json_t **ret_record, struct error *err)
{
	struct utsname name;
	json_t *record;
	int ret;

	(void)uname(&name);
	record = json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "tool", MODERATO_VERSION, "iperf",
		iperf_version(), "time", (json_int_t)time(NULL), "kernel", kernel_json(root, &name),
		"cpu", cpu_json(root, &name), "tcp", tcp_json(root, env), "placement",
		placement_json(env));
	if (!record)
		return error_set(err, -ENOMEM, "out of memory for the environment record");
	ret = daemon_json(env, record, err);
	if (ret < 0) {
		json_decref(record);
		return ret;
	}
	*ret_record = record;
	return 0;
}
