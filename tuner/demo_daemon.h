/* SPDX-License-Identifier: BSD-2-Clause */
/* The demo's own daemon: started for it, and taken down on every way out. */
#ifndef MODERATO_TUNER_DEMO_DAEMON_H
#define MODERATO_TUNER_DEMO_DAEMON_H

#include <sys/types.h>

#include "common/error.h"

struct demo_daemon {
	char name[64];
	pid_t pid; /* 0: does not run */
};

/**
 * demo_daemon_start() - a daemon of its own name for @device, ready for traffic
 * @log_path: its messages.
 * Return: 0, or negative with the daemon's sentence (no permission for TAP, unknown chip ...).
 */
int demo_daemon_start(
	struct demo_daemon *daemon, const char *device, const char *log_path, struct error *err);

/**
 * demo_daemon_stop() - end it and wait until it is gone
 * Asks, then SIGTERM, then SIGKILL, a few seconds each. Harmless when it does not run.
 */
void demo_daemon_stop(struct demo_daemon *daemon);

#endif
