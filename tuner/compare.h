/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing two settings: pairs run for it, or pairs that a store holds. */
#ifndef MODERATO_TUNER_COMPARE_H
#define MODERATO_TUNER_COMPARE_H

#include "bench/metric.h"
#include "bench/workload.h"
#include "tuner/pairs.h"
#include "tuner/plan.h"
#include "tuner/store.h"
#include "tuner/sweep.h"

#define COMPARE_LOOKS_MAX     5
#define COMPARE_PAIRS_MAX     30
#define COMPARE_DEFAULT_PAIRS 10

/* What one comparison found; the ratio is B / A. */
struct compare_result {
	int64_t sweep;
	char name_a[PLAN_NAME_MAX], name_b[PLAN_NAME_MAX];
	char workload[WORKLOAD_TEXT_MAX];
	enum metric_id metric;
	struct pairs_rule rule;
	unsigned look_count;
	struct pairs_result look[COMPARE_LOOKS_MAX]; /* in the order they were taken */
	struct pairs_result last; /* the verdict that holds: the last look, or all pairs below 7 */
	bool two_modes;	/* the last look had to be set aside: see modes_spoil_pairs() */
	unsigned lost;		  /* pairs that a void or failed trial left incomplete */
	double median_a, median_b;
	char difference[512];	 /* knobs in which the sides differ */
	char same_effect[512];	 /* a sentence when both come to the same intervals, else "" */
};

/** compare_find_metric() - 0, or a usage error that names the nearest. */
int compare_find_metric(const char *name, enum metric_id *ret_metric, struct error *err);

/**
 * compare_rule() - direction and smallest effect worth having of a metric
 * @smallest_effect: 0 for the metric's own: 5 % for times, 2 % for CPU, 1 % for the rest.
 * Return: 0, or a usage error for an unknown metric (with the nearest) or one that has no better.
 */
int compare_rule(const char *metric, double smallest_effect, enum metric_id *ret_metric,
		 struct pairs_rule *ret_rule, struct error *err);

/** compare_confidence() - of each interval when so many are judged in one go: 1 - 5 % / @comparisons
 * (Bonferroni), at least that of a look. */
double compare_confidence(unsigned comparisons);

struct compare_request {
	const char *a, *b; /* preset names, or settings "ITR=1500 RDTR=0" */
	const char *metric;
	struct workload workload;
	unsigned pairs;		/* 7, 10, 15, 20 or 30; below 7 nothing is ever proven */
	bool all_pairs;		/* do not stop at the first look that decides */
	double smallest_effect; /* 0: the metric's own */
	uint64_t seed;		/* of the order inside the pairs */

	struct store *store; /* NULL: in memory, gone afterwards */
	const struct sweep_ops *ops;
	void *context; /* of the operations */
	const struct plan_device *device;
	const char *device_name, *path_kind;
	const json_t *environment;
	const volatile sig_atomic_t *stop;
	unsigned pause_ms;
	/* progress, as struct sweep_run's report without the power to end it; and every look */
	void (*report)(void *context, const struct sweep_progress *progress);
	void (*report_look)(void *context, const struct pairs_result *look);
	void *report_context;
};

struct sweep_device;
/** compare_on_device() - fill operations, device, path and environment from an open device. */
void compare_on_device(struct compare_request *request, struct sweep_device *device);

/**
 * compare_check_pairs() - is it a number of pairs that a look falls on, or one below 7?
 * Return: 0 or a usage error.
 */
int compare_check_pairs(unsigned pairs, struct error *err);

/**
 * compare_run() - run randomised adjacent pairs, look at 7, 10, 15, 20 and 30, stop at a verdict
 * A pair with a lost trial is run anew, at most half as many as asked for.
 * Return: 0; -EINVAL as a usage error when both sides are the same to the chip or for a wrong
 * request; -ENOTUNIQ when both sides read back equal although they were asked to differ; else as
 * sweep_run(). Pairs that were complete stay in the store.
 */
int compare_run(const struct compare_request *request, struct compare_result *ret_result,
		struct error *err);

/**
 * compare_resume() - go on with a comparison in @request->store that was interrupted
 * Sides, workload, pairs and seed are the stored ones; metric and the rest are @request's.
 */
int compare_resume(const struct compare_request *request, int64_t sweep,
		   struct compare_result *ret_result, struct error *err);

/**
 * compare_stored() - the pairs that a store holds: those of a comparison, or the blocks of a sweep
 * @cell: one of the sweep's cells. @a, @b: configurations of the sweep.
 * @comparisons: how many such comparisons are made in one go; a sweep's interval gets the confidence
 * 1 - 5 % / comparisons (Bonferroni), at least that of a look. A comparison's own looks are taken.
 * Return: 0; -ENODATA without a complete pair; -ENOTUNIQ when both sides read back equal.
 */
int compare_stored(struct store *store, int64_t sweep, const struct store_cell *cell,
		   const struct store_config *a, const struct store_config *b, const char *metric,
		   double smallest_effect, unsigned comparisons, struct compare_result *ret_result,
		   struct error *err);

#endif
