/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings at the edges of a window: the daemon's counters, a process's CPU clock, /proc/stat. */
#ifndef MODERATO_BENCH_METER_H
#define MODERATO_BENCH_METER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/control_client.h"
#include "common/error.h"

/* CPU time of the whole machine in ticks of /proc/stat, all CPUs together. */
struct cpu_ticks {
	uint64_t busy; /* everything but idle, iowait and steal */
	uint64_t irq, softirq, steal;
	uint64_t total;
};

/** meter_parse_stat() - first line of /proc/stat. Return: 0 or -EPROTO. */
int meter_parse_stat(const char *text, struct cpu_ticks *ret_ticks);

struct meter {
	int stat_fd; /* kept open: a pread costs 2 us, an open ten times as much */
	struct control_client *control;
};

/** meter_open() - @control may be NULL. Without /proc/stat its figures are absent. */
void meter_open(struct meter *meter, struct control_client *control);
void meter_close(struct meter *meter);

struct meter_edge {
	uint64_t at_ns;	   /* of the daemon's counters; without a daemon, of the reading */
	json_t *stats;	   /* reply of `stats`, NULL without a daemon; owned */
	uint64_t local_ns; /* when the next member was read */
	uint64_t local_cpu_ns;
	bool has_local; /* the process was alive */
	struct cpu_ticks ticks;
	bool has_ticks;
};

/**
 * meter_read() - all readings, now
 * @local: process whose CPU time is wanted, 0 for none.
 * Return: 0, or the daemon's failure. @ret_edge is freed by meter_edge_fini().
 */
int meter_read(
	const struct meter *meter, pid_t local, struct meter_edge *ret_edge, struct error *err);
void meter_edge_fini(struct meter_edge *edge);

/** meter_counter() - one of the daemon's counters ("rx_frames"), or of the simulated device
 * ("sim.raised_0"). Return: false when this daemon does not have it. */
bool meter_counter(const struct meter_edge *edge, const char *name, double *ret_value);
/** meter_delta() - growth from @a to @b; false when either lacks the counter. */
bool meter_delta(const struct meter_edge *a, const struct meter_edge *b, const char *name,
	double *ret_value);

#endif
