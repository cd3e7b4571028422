/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control server over the real driver core on the null device, in virtual time: a loop that
 * goes round when told, and clients that speak raw lines. Every reply is checked against
 * control.def. To be included by one source of a program: it defines the loop's, the bridge's and
 * the daemon's functions, so that the archive's are not linked.
 */
#ifndef MODERATO_TESTS_UNIT_CONTROL_RIG_H
#define MODERATO_TESTS_UNIT_CONTROL_RIG_H

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/bridge.h"
#include "driver/control.h"
#include "driver/daemon.h"
#include "driver/nic.h"
#include "driver/sim/sim.h"
#include "tests/lib/null_bus.h"

/* --- a loop that the test turns --- */

#define RIG_SOURCES 64
#define RIG_RUNNERS 8

struct loop {
	struct loop_fd *source[RIG_SOURCES];
	loop_run_fn run[RIG_RUNNERS];
	void *ctx[RIG_RUNNERS];
	unsigned runners;
	bool quit;
};

int loop_watch(struct loop *loop, struct loop_fd *source, uint32_t events)
{
	int free_slot = -1;

	source->events = events;
	for (int i = 0; i < RIG_SOURCES; i++) {
		if (loop->source[i] == source) {
			if (!events)
				loop->source[i] = NULL;
			return 0;
		}
		if (!loop->source[i] && free_slot < 0)
			free_slot = i;
	}
	if (events)
		loop->source[free_slot] = source;
	return 0;
}

int loop_add_runner(struct loop *loop, loop_run_fn run, void *ctx)
{
	loop->run[loop->runners] = run;
	loop->ctx[loop->runners++] = ctx;
	return 0;
}

void loop_quit(struct loop *loop)
{
	loop->quit = true;
}

/* --- the data path and the daemon, as far as the server touches them --- */

static struct capture *rig_capture;
static struct pktgen *rig_pktgen;

void bridge_set_capture(struct bridge *bridge, struct capture *capture)
{
	rig_capture = capture;
}

void bridge_set_pktgen(struct bridge *bridge, struct pktgen *pktgen)
{
	rig_pktgen = pktgen;
}

void daemon_refresh_counters(struct daemon *daemon)
{
	nic_counters_of(daemon->nic)->thread_cpu_ns++;
}

/* --- a simulated device's extras, remembered --- */

static struct {
	struct sim_source source;
	bool sink;
	char fault[32];
	uint64_t fault_count;
	bool refuse; /* the device says no to a source */
} rig_sim;

static inline int rig_set_source(
	struct bus *bus, const struct sim_source *source, struct error *err)
{
	if (rig_sim.refuse)
		return error_set(err, -EIO, "null: the source does not start");
	rig_sim.source = *source;
	return 0;
}

static inline void rig_set_sink(struct bus *bus, bool on)
{
	rig_sim.sink = on;
}

static inline int rig_set_fault(
	struct bus *bus, const char *name, uint64_t count, struct error *err)
{
	if (strcmp(name, "rx-hang") && strcmp(name, "all-ones"))
		return error_usage(err, "unknown fault %.40s", name);
	(void)snprintf(rig_sim.fault, sizeof(rig_sim.fault), "%s", name);
	rig_sim.fault_count = count;
	return 0;
}

static inline void rig_get_counters(struct bus *bus, struct sim_counters *ret_counters)
{
	*ret_counters = (struct sim_counters){.sink_frames = 7};
}

static inline bool rig_msix_rx_timers(struct bus *bus)
{
	return true;
}

static const struct bus_sim_ops rig_sim_ops = {
	.set_source = rig_set_source,
	.set_sink = rig_set_sink,
	.set_fault = rig_set_fault,
	.get_counters = rig_get_counters,
	.msix_rx_timers = rig_msix_rx_timers,
};

/* --- the rig --- */

struct rig {
	struct loop loop;
	struct bus_ops ops;
	struct daemon_options options;
	struct daemon daemon;
	uint64_t now;
	char dir[64], path[96];
};

static inline void rig_event(void *ctx, enum nic_event event, const char *detail)
{
	struct rig *rig = ctx;

	control_event(rig->daemon.control, nic_event_name(event), detail);
}

static inline uint64_t rig_run_nic(void *ctx, uint64_t now_ns)
{
	return nic_run(((struct rig *)ctx)->daemon.nic, now_ns);
}

/* One round: what is ready, then the runners. */
static inline void rig_round(struct rig *rig)
{
	for (int i = 0; i < RIG_SOURCES; i++) {
		struct loop_fd *source = rig->loop.source[i];
		struct pollfd pollfd;

		if (!source)
			continue;
		/* the event bits of poll and epoll are the same numbers */
		pollfd = (struct pollfd){.fd = source->fd, .events = (short)source->events};
		if (poll(&pollfd, 1, 0) > 0)
			source->ready(source, (uint32_t)pollfd.revents, rig->now);
	}
	for (unsigned i = 0; i < rig->loop.runners; i++)
		(void)rig->loop.run[i](rig->loop.ctx[i], rig->now);
}

static inline void rig_pass(struct rig *rig, uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i++) {
		rig->now += NS_PER_MS;
		rig_round(rig);
	}
}

static inline void rig_open_device(struct rig *rig, const char *chip, bool simulated)
{
	struct error err = {0};

	assert_int_equal(null_bus_open(chip, &rig->daemon.bus, &err), 0);
	rig->ops = *rig->daemon.bus->ops;
	rig->ops.sim = simulated ? &rig_sim_ops : NULL;
	rig->daemon.bus->ops = &rig->ops;
	assert_int_equal(nic_open(rig->daemon.bus, rig_event, rig, &rig->daemon.nic, &err), 0);
	(void)loop_add_runner(&rig->loop, rig_run_nic, rig);
	(void)nic_start(rig->daemon.nic, NULL, rig->now, &err);
	rig_pass(rig, 100);
	assert_int_equal(nic_state(rig->daemon.nic), NIC_RUNNING);
}

static inline void rig_open(struct rig *rig, const char *chip, bool simulated)
{
	struct error err = {0};

	memset(rig, 0, sizeof(*rig));
	memset(&rig_sim, 0, sizeof(rig_sim));
	rig->now = NS_PER_S;
	strcpy(rig->dir, "/tmp/moderato-test-XXXXXX");
	assert_non_null(mkdtemp(rig->dir));
	(void)snprintf(rig->path, sizeof(rig->path), "%s/s/rig.sock", rig->dir);
	path_options_default(&rig->options.path);
	rig->options.device = "sim:82574L,test=yes";
	rig->options.socket_path = rig->path;
	rig->daemon = (struct daemon){.options = &rig->options,
		.loop = &rig->loop,
		.path = {.options = rig->options.path,
			.tap = {.fd = -1, .sock = -1, .name = "moderato0"},
			.netns_fd = -1,
			.peer_netns_fd = -1,
			.peer_local = simulated},
		.cpu = -1,
		.device_cpu = -1,
		.userns_fd = -1};
	rig_open_device(rig, chip, simulated);
	assert_int_equal(control_start(&rig->daemon, &rig->daemon.control, &err), 0);
}

/* End the server, and its runner with it. */
static inline void rig_stop_control(struct rig *rig)
{
	control_stop(rig->daemon.control);
	rig->daemon.control = NULL;
	rig->loop.runners = 1; /* the device's */
}

static inline void rig_close(struct rig *rig)
{
	rig_stop_control(rig);
	nic_close(rig->daemon.nic);
	rig->daemon.bus->ops->close(rig->daemon.bus);
	*strrchr(rig->path, '/') = '\0';
	(void)rmdir(rig->path);
	assert_int_equal(rmdir(rig->dir), 0);
}

#endif
