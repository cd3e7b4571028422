/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of counters and CPU clocks at one instant. */
#include "bench/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

#define STATS_TIMEOUT_MS 1000
#define SIM_PREFIX	 "sim."

int meter_parse_stat(const char *text, struct cpu_ticks *ret_ticks)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal = 0;

	/* Guest time is part of user time already. */
	if (sscanf(text,
		    "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		    " %" SCNu64 " %" SCNu64,
		    &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) < 7)
		return -EPROTO;
	ret_ticks->busy = user + nice + system + irq + softirq;
	ret_ticks->irq = irq;
	ret_ticks->softirq = softirq;
	ret_ticks->steal = steal;
	ret_ticks->total = ret_ticks->busy + idle + iowait + steal;
	return 0;
}

void meter_open(struct meter *meter, struct control_client *control)
{
	meter->control = control;
	meter->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
}

void meter_close(struct meter *meter)
{
	if (meter->stat_fd >= 0)
		(void)close(meter->stat_fd);
	meter->stat_fd = -1;
}

static bool read_ticks(int fd, struct cpu_ticks *ret_ticks)
{
	char text[512];
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, text, sizeof(text) - 1, 0);
	if (got <= 0)
		return false;
	text[got] = '\0';
	return meter_parse_stat(text, ret_ticks) == 0;
}

static bool read_cpu_clock(pid_t pid, uint64_t *ret_ns)
{
	struct timespec ts;
	clockid_t id;

	if (pid <= 0 || clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &ts) < 0)
		return false;
	*ret_ns = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	return true;
}

static int read_daemon(const struct meter *meter, struct meter_edge *edge, struct error *err)
{
	json_int_t at_ns;
	int ret;

	edge->at_ns = clock_now_ns();
	if (!meter->control)
		return 0;
	ret = control_call(meter->control, "stats", NULL, &edge->stats, STATS_TIMEOUT_MS, err);
	if (ret < 0)
		return ret;
	at_ns = json_integer_value(json_object_get(edge->stats, "time_ns"));
	if (at_ns > 0)
		edge->at_ns = (uint64_t)at_ns;
	return 0;
}

int meter_read(
	const struct meter *meter, pid_t local, struct meter_edge *ret_edge, struct error *err)
{
	struct meter_edge edge = {0};
	int ret;

	edge.local_ns = clock_now_ns();
	edge.has_local = read_cpu_clock(local, &edge.local_cpu_ns);
	edge.has_ticks = read_ticks(meter->stat_fd, &edge.ticks);
	ret = read_daemon(meter, &edge, err);
	if (ret < 0)
		return ret;
	*ret_edge = edge;
	return 0;
}

void meter_edge_fini(struct meter_edge *edge)
{
	json_decref(edge->stats);
	*edge = (struct meter_edge){0};
}

bool meter_counter(const struct meter_edge *edge, const char *name, double *ret_value)
{
	const char *group = "counters";
	json_t *member;

	if (strncmp(name, SIM_PREFIX, strlen(SIM_PREFIX)) == 0) {
		group = "sim";
		name += strlen(SIM_PREFIX);
	}
	member = json_object_get(json_object_get(edge->stats, group), name);
	if (!json_is_number(member))
		return false;
	*ret_value = json_number_value(member);
	return true;
}

bool meter_delta(
	const struct meter_edge *a, const struct meter_edge *b, const char *name, double *ret_value)
{
	double before, after;

	if (!meter_counter(a, name, &before) || !meter_counter(b, name, &after))
		return false;
	*ret_value = after - before;
	return true;
}
