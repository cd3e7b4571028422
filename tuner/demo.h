/* SPDX-License-Identifier: BSD-2-Clause */
/* The demo's measurements: one block of a table, then two contrasts by pairs. */
#ifndef MODERATO_TUNER_DEMO_H
#define MODERATO_TUNER_DEMO_H

#include <signal.h>
#include <stdbool.h>

#include "tuner/compare.h"
#include "tuner/progress.h"
#include "tuner/store.h"

#define DEMO_CONTRASTS	2
#define DEMO_PRESETS	"netbsd-old,netbsd-new,netbsd-mod-new,linux-static"
#define DEMO_CONTRAST_A "linux-static" /* also the baseline of the table */
#define DEMO_CONTRAST_B "netbsd-new"

struct demo_plan {
	const char *buffers; /* of the table */
	unsigned pairs;	     /* of each contrast */
};
/* The demo as documented, and a short one for tests: fewer cells, the fewest pairs that can prove.
 */
extern const struct demo_plan demo_plan_full, demo_plan_quick;

struct demo_result {
	int64_t sweep; /* of the table */
	struct compare_result contrast[DEMO_CONTRASTS];
	unsigned contrast_count;
	struct sweep_summary table;
};

/**
 * demo_measure() - run everything on the daemon called @daemon, into @store
 * @progress: one line over all trials with a bar and the time that is left.
 * Return: 0; -EINTR when @stop was set; else as sweep_run() and compare_run().
 */
int demo_measure(const struct demo_plan *plan, const char *daemon, struct store *store,
	struct progress *progress, const volatile sig_atomic_t *stop,
	struct demo_result *ret_result, struct error *err);

#endif
