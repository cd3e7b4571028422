/* SPDX-License-Identifier: BSD-2-Clause */
/* One trial from start to judgement. Private to bench. */
#ifndef MODERATO_BENCH_TRIAL_H
#define MODERATO_BENCH_TRIAL_H

#include "bench/bench.h"
#include "bench/child.h"
#include "bench/iperf_json.h"
#include "bench/meter.h"
#include "bench/shared.h"

/* What must be the same before and after. */
struct trial_snapshot {
	json_t *settings; /* reply of `get`, NULL without a daemon */
	struct meter_edge counters;
};

enum trial_edge { TRIAL_BEGIN, TRIAL_END, TRIAL_EDGES };

/* One direction as both ends saw it over the measured window. */
struct trial_flow {
	bool wanted;	  /* the workload has this direction */
	bool has_goodput; /* `received` is filled */
	bool has_sent;	  /* `sent` is filled */
	bool sender_side; /* the receiver gave no intervals: `received` is a copy of `sent` */
	struct iperf_window received, sent;
	double sent_total, received_total; /* bytes of the whole test; 0 when not known */
};

struct trial {
	const struct bench_env *env;
	const struct workload *workload;
	struct bench_shared *shared;
	int ready_fd, notify_fd;
	struct child child[BENCH_SIDES];
	struct meter meter;
	uint64_t begin_ns;    /* of the trial */
	uint64_t deadline_ns; /* children are killed then */
	bool timed_out;
	struct trial_snapshot before, after;
	struct meter_edge edge[TRIAL_EDGES];
	bool has_edge[TRIAL_EDGES];
	char foreign[BENCH_REASON_MAX]; /* sentence about a change by somebody else, "" for none */

	/* After the traffic; not used by RR. */
	struct iperf_doc doc[BENCH_SIDES];
	struct trial_flow tx, rx;
};

/** trial_run_traffic() - start the children, read the meters at the edges, wait for the end
 * Return: 0 also when a child failed or hung (see `timed_out` and the documents); negative when the
 * trial cannot be made. */
int trial_run_traffic(struct trial *trial, struct error *err);

/** trial_read_results() - documents and flows from what the children printed. */
void trial_read_results(struct trial *trial);

/** trial_judge() - NULL when the trial counts, else @buf with one sentence why it is void. */
const char *trial_judge(const struct trial *trial, char *buf, unsigned long size);
/** trial_compute() - all figures that this trial has; the others become NAN. */
void trial_compute(const struct trial *trial, double *ret_metric);
/** trial_notes() - set of BENCH_NOTE_BIT(). @metric: from trial_compute(). */
uint32_t trial_notes(const struct trial *trial, const double *metric);

/** trial_watched_side() - whose start and intervals define the window: the receiver; for bidir and
 * RR, and for a peer that is not ours, the client. */
enum bench_side trial_watched_side(const struct trial *trial);
/** trial_skew_ns() - largest distance between the edges of goodput and counter window. */
double trial_skew_ns(const struct trial *trial);

#endif
