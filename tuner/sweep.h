/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a stored plan: settings, trials, retries, progress; knows neither sockets nor devices. */
#ifndef MODERATO_TUNER_SWEEP_H
#define MODERATO_TUNER_SWEEP_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/bench.h"
#include "common/chips/knob.h"
#include "common/error.h"
#include "tuner/store.h"

#define SWEEP_RETRIES		 2   /* of a trial that came out void or failed */
#define SWEEP_FAILURES_IN_A_ROW 5   /* then something is wrong that retrying does not mend */
#define SWEEP_PAUSE_MS		 500 /* after a failure that cost no time, longer each time */

/* What the device holds after settings were applied. */
struct sweep_state {
	json_t *requested, *readback; /* knob -> value */
	json_t *effective;	      /* knob -> nanoseconds it acts for, 0 when it does not act */
	struct settings held;	      /* readback once more */
};
void sweep_state_clear(struct sweep_state *state);

/*
 * The world: a daemon and real traffic (sweep_device.h), or a fake in tests. All return 0 or
 * negative with a sentence; -EPIPE means that the device's daemon is gone.
 */
struct sweep_ops {
	/* before the first trial: become the only writer, so that the end restores everything */
	int (*begin)(void *context, struct error *err);
	int (*apply)(void *context, const struct settings *settings, struct sweep_state *ret_state,
		     struct error *err);
	/* what the device holds now */
	int (*read)(void *context, struct settings *ret_held, struct error *err);
	/* one trial; -EINTR when the user wants to stop; result freed with bench_result_fini() */
	int (*run)(void *context, const struct workload *workload, struct bench_result *ret_result,
		   struct error *err);
	/* on every way out, when begin() succeeded */
	void (*end)(void *context);
};

struct sweep_progress {
	unsigned done, total;	/* positions of the plan */
	uint64_t left_ns;	/* estimate, from the trials of this run; 0 while unknown */
	const struct store_trial *trial; /* the one that just ended; NULL before the first */
	const char *config_name, *workload;
	enum trial_status status; /* PLANNED: interrupted */
	const char *reason;	  /* of a void or failed one, else "" */
	bool retried;		  /* it will be run again */
	const struct bench_result *result; /* NULL when there is none */
};

struct sweep_run {
	struct store *store;
	int64_t sweep;
	const struct sweep_ops *ops;
	void *context; /* of the operations */
	const json_t *environment;		  /* stored with the session; may be NULL */
	const volatile sig_atomic_t *stop; /* not 0: stop; may be NULL */
	unsigned pause_ms;			  /* SWEEP_PAUSE_MS; 0 in tests */
	/* after every trial, and once before the first; > 0 ends the run early as complete */
	int (*report)(void *context, const struct sweep_progress *progress, struct error *err);
	void *report_context;
};

struct sweep_summary {
	unsigned lost;		 /* trials that an earlier, dead process had in flight */
	unsigned ok, voided, failed; /* attempts of this run */
	unsigned done, total;	 /* positions of the plan, all runs together */
	struct session_times times; /* of this run */
};

/**
 * sweep_run() - the trials that are left of a stored plan, in its order
 * A void or failed trial stays in the store, marked, and is tried again up to SWEEP_RETRIES times.
 * Return: 0 when the plan is done (or report() ended it); -EINTR when stopped: the trial in flight
 * is planned again; -EIO after SWEEP_FAILURES_IN_A_ROW, with the last one's sentence (those trials
 * are planned once more); other negative numbers for a lost daemon or store. @ret_summary is always
 * written.
 */
int sweep_run(const struct sweep_run *run, struct sweep_summary *ret_summary, struct error *err);

/** sweep_not_measuring() - share of the time from the first window to the end of the last in which
 * neither a window nor its settling ran; 0..1. */
double sweep_not_measuring(const struct session_times *times);

#endif
