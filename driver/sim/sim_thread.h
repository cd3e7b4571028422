/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated device in real time: one thread that lets the model keep up with the clock, raises
 * eventfds and stands in for the station at the far end of the wire.
 */
#ifndef MODERATO_DRIVER_SIM_SIM_THREAD_H
#define MODERATO_DRIVER_SIM_SIM_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/bus.h"
#include "driver/sim/sim.h"
#include "driver/tap.h"

/* What the bus operations (driver thread) and the device thread share. */
struct sim_device {
	pthread_mutex_t lock; /* around every call of the model, and for the two fields after it */
	struct sim *sim;
	bool sleeping;	      /* the device thread waits: whoever gives it work rings the bell */
	bool source_on;	      /* the frame source of the wire is in use */
	int irq_fd[BUS_VECTORS_MAX]; /* open as long as the device is */
	int bell_fd;
	struct tap peer; /* the device thread's own while that runs; fd -1: nobody at the far end */
	unsigned peer_usecs; /* how long the peer's NIC holds received frames */
	pthread_t thread;
	bool running; /* there is a thread to join */
	atomic_bool stop;
	_Atomic uint64_t late_ns_max;
	uint64_t final_cpu_ns; /* the thread's CPU time once it is gone */
};

/** sim_device_init() - lock and eventfds. Return: 0 or negative errno; fini accepts a failed one. */
int sim_device_init(struct sim_device *device);
void sim_device_fini(struct sim_device *device);

/** sim_device_lock() / sim_device_unlock() - the model, for a look at it. */
void sim_device_lock(struct sim_device *device);
void sim_device_unlock(struct sim_device *device);
/** sim_device_unlock_changed() - as above after a change: wakes the device thread if it sleeps. */
void sim_device_unlock_changed(struct sim_device *device);

/** sim_thread_start() - run the device on CPU @cpu (-1: where the caller may run). */
int sim_thread_start(struct sim_device *device, int cpu, struct error *err);
/** sim_thread_stop() - end the thread and wait for it; nothing to do when none runs. */
void sim_thread_stop(struct sim_device *device);
/** sim_thread_cpu_ns() - CPU time that the device thread has used so far. */
uint64_t sim_thread_cpu_ns(const struct sim_device *device);

#endif
