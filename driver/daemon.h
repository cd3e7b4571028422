/* SPDX-License-Identifier: BSD-2-Clause */
/* What moderatod is made of; the control methods work on this. */
#ifndef MODERATO_DRIVER_DAEMON_H
#define MODERATO_DRIVER_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/bus.h"
#include "driver/loop.h"
#include "driver/nic.h"
#include "driver/path.h"

struct bridge;
struct capture;
struct control;
struct follow;
struct pktgen;
struct sys;

struct daemon_options {
	const char *device;	 /* device argument */
	const char *name;	 /* daemon name, default made from the device: "sim-82574L" */
	const char *socket_path; /* control socket; default by control_socket_path() */
	struct path_options path;
	int cpu;		 /* CPU of driver and device thread, -1: chosen by the daemon */
	bool no_fifo;		 /* do not ask for SCHED_FIFO */
	int ready_fd;		 /* one line "ready\n" or an error sentence is written here; -1: none */
	struct settings initial; /* applied at the first start */
	const struct sys *sys;	 /* the kernel below a real device, NULL: the running one */
};

struct daemon {
	const struct daemon_options *options;
	struct loop *loop;
	struct bus *bus;
	struct nic *nic;
	struct path path;
	struct bridge *bridge;
	struct follow *follow;
	struct pktgen *pktgen;
	struct capture *capture;
	struct control *control;
	bool fifo;	/* the driver thread runs SCHED_FIFO */
	int cpu;	/* CPU of driver and device thread, -1: not pinned */
	int userns_fd;	/* user namespace made for an unprivileged run, -1: none */
	int device_cpu; /* CPU of the simulated device's thread, -1: not pinned or no such thread */
	uint64_t started_ns;
};

/** daemon_run() - open the device, serve until shutdown or a signal, close. Return: 0 or negative. */
int daemon_run(const struct daemon_options *options, struct error *err);
/** daemon_refresh_counters() - bring the counters that cost a system call or a register read up to
 * date (CPU time, switches, TAP drops, missed frames); call before reporting nic_counters(). */
void daemon_refresh_counters(struct daemon *daemon);

#endif
