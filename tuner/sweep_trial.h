/* SPDX-License-Identifier: BSD-2-Clause */
/* One trial of a stored plan: apply, run, read back, judge, store. */
#ifndef MODERATO_TUNER_SWEEP_TRIAL_H
#define MODERATO_TUNER_SWEEP_TRIAL_H

#include "bench/bench.h"
#include "tuner/store.h"
#include "tuner/sweep.h"

/* Configurations and workloads of a plan, as sweep_trial_run() needs them. */
struct sweep_plan {
	struct store_config *configs;
	size_t config_count;
	struct settings *complete; /* per configuration: what is applied */
	struct store_cell *cells;
	size_t cell_count;
	struct workload *workloads; /* per cell */
};
int sweep_plan_read(struct store *store, int64_t sweep, struct sweep_plan *ret_plan,
		    struct error *err);
void sweep_plan_free(struct sweep_plan *plan);
const char *sweep_plan_config_name(const struct sweep_plan *plan, const struct store_trial *trial);
const char *sweep_plan_workload(const struct sweep_plan *plan, const struct store_trial *trial);

/* Adds up the windows; zero-initialise. */
struct sweep_clock {
	struct session_times times;
	uint64_t first_window_ns; /* start of the first window, 0: none yet */
};

struct sweep_trial_result {
	enum trial_status status;
	char reason[512];
	bool retry;
	bool has_bench;
	struct bench_result bench;
};
void sweep_trial_result_clear(struct sweep_trial_result *result);

/**
 * sweep_trial_run() - one trial from "running" to its stored result
 * Return: 0 also for a void or failed trial; -EINTR and -EPIPE leave it planned; else the store
 * failed.
 */
int sweep_trial_run(const struct sweep_run *run, const struct sweep_plan *plan,
	      const struct store_trial *trial, int64_t session, struct sweep_clock *clock,
	      struct sweep_trial_result *ret_result, struct error *err);

#endif
