/* SPDX-License-Identifier: BSD-2-Clause */
/* A moderatod of one's own for a figure or a test: started, connected to, ended. */
#ifndef MODERATO_TESTS_LIB_DAEMON_CHILD_H
#define MODERATO_TESTS_LIB_DAEMON_CHILD_H

#include <sys/types.h>

#include "common/control_client.h"

struct daemon_child {
	pid_t pid; /* 0: not running */
	char socket_path[64];
	struct control_client *client;
};

/** daemon_child_start() - run @program for @device; waits until its link is up.
 * @option: one more option ("--no-fifo") or NULL. */
int daemon_child_start(struct daemon_child *child, const char *program, const char *device,
		       const char *option, struct error *err);
void daemon_child_stop(struct daemon_child *child);
/** daemon_child_restart() - `restart` with a settings list ("intmode=msi,ITR=195"). */
int daemon_child_restart(struct daemon_child *child, const char *list, struct error *err);

/** figure_median() - sorts @values. */
double figure_median(double *values, unsigned count);
/** figure_print() - one line "figure name value unit target met|missed"; @limit 0 with @target "-":
 * a figure without a target. @target begins with "<=" or ">=". */
void figure_print(const char *name, double value, const char *unit, const char *target);

#endif
