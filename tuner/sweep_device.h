/* SPDX-License-Identifier: BSD-2-Clause */
/* The world of a real sweep: a daemon's control socket and traffic by bench. */
#ifndef MODERATO_TUNER_SWEEP_DEVICE_H
#define MODERATO_TUNER_SWEEP_DEVICE_H

#include "tuner/plan.h"
#include "tuner/sweep.h"

struct sweep_device {
	struct control_client *client;
	bool owns_client;
	struct bench_env env;
	struct plan_device plan;   /* chip, settings in force when it was opened */
	struct settings in_force;  /* as the daemon was last told */
	json_t *environment;	   /* env_record(); owned */
	char device[256];	   /* device argument of the daemon */
	char holder[64];	   /* shown to others that meet the lease */
};

/**
 * sweep_device_open() - connect, ask what the device is, prepare traffic
 * @name: of the daemon, or its socket path; NULL: the only one that runs.
 * @stop: set by a signal handler; ends a trial in flight.
 * The structure must not move afterwards. Close with sweep_device_close().
 */
int sweep_device_open(struct sweep_device *device, const char *name,
		      const volatile sig_atomic_t *stop, struct error *err);
/** sweep_device_attach() - the same over a connection that stays the caller's. */
int sweep_device_attach(struct sweep_device *device, struct control_client *client,
			const volatile sig_atomic_t *stop, struct error *err);
void sweep_device_close(struct sweep_device *device);

/* Operations for struct sweep_run; their context is a struct sweep_device. begin takes a lease that
 * restores the settings, end releases it; if this process dies the daemon does so by itself. */
extern const struct sweep_ops sweep_device_ops;

#endif
