/* SPDX-License-Identifier: BSD-2-Clause */
/* The results store: one SQLite file with plans, trials, metrics and verdicts. */
#ifndef MODERATO_TUNER_STORE_H
#define MODERATO_TUNER_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/*
 * Life of a trial: planned -> running -> ok, void or failed. A sweep's whole plan is in the store
 * before its first trial; `running` is committed before the trial starts and its result, with all
 * metrics, in one transaction after. A process killed at any instant loses the trial in flight and
 * nothing else: store_begin_session() makes that one `planned` again.
 */
struct store;

#define STORE_VERSION 1 /* of the schema; in the file as SQLite's user_version */

enum store_mode {
	STORE_READ,   /* must exist; never written, also not its directory */
	STORE_WRITE,  /* must exist */
	STORE_CREATE, /* made when it is not there */
};

/**
 * store_open() - open and check a store
 * @path: NULL: in memory, gone with store_close().
 * Return: 0, or negative with one sentence: -ENOENT, -EACCES, -EMEDIUMTYPE (not a store of
 * moderato), -EPROTONOSUPPORT (a store of another version), -EUCLEAN (damaged), -ENOSPC (disk full).
 */
int store_open(const char *path, enum store_mode mode, struct store **ret_store, struct error *err);
void store_close(struct store *store); /* NULL is accepted */
const char *store_path(const struct store *store);

/* A transaction; inside it the functions below are one unit. Nested calls are counted. */
int store_begin(struct store *store, struct error *err);
int store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* ---- the plan ---- */

enum sweep_kind { SWEEP_KIND_SWEEP, SWEEP_KIND_COMPARE };

struct store_sweep {
	int64_t id;	      /* 1.. ; given by the store */
	enum sweep_kind kind;
	char created[24];     /* UTC, 2026-01-31T12:00:00Z; given by the store */
	char version[16];     /* of moderato; given by the store */
	char device[256];     /* device argument of the daemon */
	char chip[32];
	char path_kind[16];   /* tap, kernel or ring */
	uint64_t seed;	      /* of the random order */
	unsigned blocks;      /* pairs for a comparison */
	unsigned seconds;     /* of traffic in a trial, settling included */
	int baseline;	      /* ordinal of the baseline's configuration, -1: none */
	json_t *options;      /* what was asked for, for --resume; owned */
	json_t *base;	      /* settings in force before; knobs no configuration names; owned */
};

struct store_config {
	int64_t id;
	unsigned ordinal;	/* 0.. , column order */
	char name[320];		/* preset name, or "ITR=1500 RDTR=0" */
	json_t *settings;	/* canonical, complete; owned */
	json_t *asked;		/* as the user named them; owned */
	char note[512];		/* merged duplicates, warnings; "" for none */
};

struct store_cell {
	int64_t id;
	unsigned ordinal;	/* row order */
	char workload[128];	/* text that workload_parse() reads: "tcp:rx:128k" */
};

/** store_*_clear() - drop what a read or made struct owns. */
void store_sweep_clear(struct store_sweep *sweep);
void store_config_clear(struct store_config *config);

/** store_add_sweep() etc. - add a row; ids are filled in. */
int store_add_sweep(struct store *store, struct store_sweep *sweep, struct error *err);
int store_add_config(struct store *store, int64_t sweep, struct store_config *config,
		     struct error *err);
int store_add_cell(struct store *store, int64_t sweep, struct store_cell *cell, struct error *err);

enum trial_status { TRIAL_PLANNED, TRIAL_RUNNING, TRIAL_OK, TRIAL_VOID, TRIAL_FAILED };
#define TRIAL_STATUS_COUNT 5
/** trial_status_name() - "planned", "running", "ok", "void", "failed". */
const char *trial_status_name(enum trial_status status);

struct store_trial {
	int64_t id, sweep, config, cell;
	unsigned block;	     /* 1.. */
	unsigned position;   /* 1.. over the whole sweep without gaps: the order of running */
	unsigned attempt;    /* 1, and one more for each retry of a void trial */
	unsigned pair;	     /* 1.. in a comparison, 0 otherwise */
	unsigned interrupted; /* how often it was begun and lost with its process */
	enum trial_status status;
};

int store_add_trial(struct store *store, struct store_trial *trial, struct error *err);

/* ---- running it ---- */

/**
 * store_begin_session() - this process runs @sweep from now on
 * Trials that a dead process left `running` become `planned` again.
 * @environment: kernel, CPU and so on; stored once if equal to an earlier one. Borrowed.
 * @ret_lost: how many trials that were; may be NULL.
 * Return: 0 or negative; -EBUSY when a live process runs it already, naming its pid.
 */
int store_begin_session(struct store *store, int64_t sweep, const json_t *environment,
			int64_t *ret_session, unsigned *ret_lost, struct error *err);

struct session_times {
	uint64_t wall_ns;	/* from the first trial's start to the last one's end */
	uint64_t measured_ns;	/* sum of the windows */
	uint64_t settling_ns;	/* sum of the discarded times in front of them */
};
int store_end_session(struct store *store, int64_t session, const struct session_times *times,
		      struct error *err);

/** store_next_trial() - the planned trial that comes next; -ENOENT when all have run. */
int store_next_trial(struct store *store, int64_t sweep, struct store_trial *ret_trial,
		     struct error *err);
/** store_start_trial() - mark it running, durably, before anything of it happens. */
int store_start_trial(struct store *store, const struct store_trial *trial, int64_t session,
		      struct error *err);

struct store_metric {
	const char *name;
	double value; /* NaN is not stored */
};
struct store_blob {
	const char *kind; /* "result", "latency" ... */
	const void *data;
	size_t bytes;
};

struct store_outcome {
	enum trial_status status; /* OK, VOID or FAILED */
	const char *reason;	  /* a sentence for VOID and FAILED */
	const char *note;	  /* remarks on a trial that counts, or NULL */
	const json_t *requested, *readback, *effective; /* borrowed, may be NULL */
	const struct store_metric *metrics;		/* of OK trials only: a void trial yields no number */
	size_t metric_count;
	const struct store_blob *blobs; /* kept compressed, also for void and failed trials */
	size_t blob_count;
};

/**
 * store_finish_trial() - result, metrics and raw data in one transaction
 * @retry: also plan the same trial once more, right after this one, with the next attempt number.
 */
int store_finish_trial(struct store *store, const struct store_trial *trial,
		       const struct store_outcome *outcome, bool retry, struct error *err);
/** store_abandon_trial() - a running trial becomes planned again (interrupted by the user). */
int store_abandon_trial(struct store *store, const struct store_trial *trial, struct error *err);

struct store_progress {
	unsigned count[TRIAL_STATUS_COUNT]; /* by enum trial_status */
	unsigned positions;		    /* trials the plan has, retries not counted */
	unsigned done;			    /* positions without a planned or running attempt */
};
int store_read_progress(struct store *store, int64_t sweep, struct store_progress *ret_progress,
			struct error *err);

/* ---- looks of comparisons ---- */

struct store_look {
	char metric[64];
	int64_t cell, config_a, config_b; /* the ratio is b / a */
	unsigned pairs;
	double ratio, low, high; /* low and high NaN without an interval */
	double confidence, p_value;
	char verdict[16];
};
/** store_put_look() - add it, or replace the one of the same pairs, cell, metric and sides. */
int store_put_look(struct store *store, int64_t sweep, const struct store_look *look,
		   struct error *err);
/** store_each_look() - in the order they were taken; @visit returns non-zero to stop. */
int store_each_look(struct store *store, int64_t sweep,
		    int (*visit)(void *context, const struct store_look *look), void *context,
		    struct error *err);

/* ---- reading ---- */

/** store_last_sweep() - id of the newest; -ENOENT for an empty store. */
int store_last_sweep(struct store *store, int64_t *ret_sweep, struct error *err);
int store_read_sweep(struct store *store, int64_t sweep, struct store_sweep *ret_sweep,
		     struct error *err);
/** store_read_configs() - in order; free with store_configs_free(). */
int store_read_configs(struct store *store, int64_t sweep, struct store_config **ret_configs,
		       size_t *ret_count, struct error *err);
void store_configs_free(struct store_config *configs, size_t count);
/** store_read_cells() - in order; free() the array. */
int store_read_cells(struct store *store, int64_t sweep, struct store_cell **ret_cells,
		     size_t *ret_count, struct error *err);

/* One value of a trial that counts, or a trial without one. */
struct store_value {
	int64_t trial, config, cell;
	unsigned block, pair;
	enum trial_status status; /* of the last attempt at this position */
	bool present;		  /* the trial is ok and has the metric */
	double value;
};
/** store_each_value() - last attempt of every position, in order of position. */
int store_each_value(struct store *store, int64_t sweep, const char *metric,
		     int (*visit)(void *context, const struct store_value *value), void *context,
		     struct error *err);
/** store_each_metric() - names of the metrics that ok trials of the sweep have, sorted. */
int store_each_metric(struct store *store, int64_t sweep,
		      int (*visit)(void *context, const char *name), void *context,
		      struct error *err);

/** store_read_environment() - of the sweep's last session; new reference; -ENOENT without one. */
int store_read_environment(struct store *store, int64_t sweep, json_t **ret_environment,
			   struct error *err);
/** store_read_state() - what a trial stored; new references or NULL; any pointer may be NULL. */
int store_read_state(struct store *store, int64_t trial, json_t **ret_requested,
		     json_t **ret_readback, json_t **ret_effective, struct error *err);
/** store_read_blob() - uncompressed, NUL added behind the end; free() it; -ENOENT without one. */
int store_read_blob(struct store *store, int64_t trial, const char *kind, void **ret_data,
		    size_t *ret_bytes, struct error *err);
/** store_read_times() - summed over the sweep's sessions. */
int store_read_times(struct store *store, int64_t sweep, struct session_times *ret_times,
		     struct error *err);

#endif
