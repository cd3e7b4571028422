/* SPDX-License-Identifier: BSD-2-Clause */
/* Fitting a host model: nlopt over the logarithms of the costs. */
#include "tuner/predict/calibrate.h"

#include <errno.h>
#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <string.h>

#include "common/util.h"

#define EVALUATIONS  18000
#define SEED	     1
#define STARTS	     5
#define LEAST	     0.01 /* a range that starts at 0 is searched from here, in logarithms */
#define PEER_LEAST   10
#define PEER_MOST    800

/* What the search moves. */
struct search {
	struct calibrate_fit *fit;
	double *target[CALIBRATE_FREE_MAX];
	double low[CALIBRATE_FREE_MAX], high[CALIBRATE_FREE_MAX];
	unsigned count;
	int failed;
	struct error *err;
};

static void add_target(struct search *s, double *target, const char *key, double low, double high)
{
	struct calibrate_constant *constant = &s->fit->constant[s->fit->constant_count++];

	*constant = (struct calibrate_constant){.key = key, .min = low, .max = high};
	s->target[s->count] = target;
	s->low[s->count] = log(MAX(low, LEAST));
	s->high[s->count++] = log(high);
}

static void collect(struct search *s)
{
	struct host *host = s->fit->host;

	s->fit->constant_count = 0;
	for (unsigned i = 0; i < HOST_COST_COUNT; i++)
		if (!host->cost[i].fixed)
			add_target(s, &host->cost[i].value, host_cost_table[i].key,
				host->cost[i].min, host->cost[i].max);
	if (s->fit->fit_peer)
		add_target(s, &host->peer[HOST_PEER_THROTTLE], "peer.throttle_us", PEER_LEAST,
			PEER_MOST);
}

static int predict_cell(const struct host *host, struct calibrate_cell *cell, struct error *err)
{
	struct predict_job job = {
		.host = host,
		.chip = cell->chip,
		.settings = cell->settings,
		.workload = cell->workload,
		.speed_mbps = cell->speed_mbps,
	};
	struct predict_result result;
	int r;

	predict_default_times(&job);
	r = predict_run(&job, &result, err);
	if (r == 0)
		cell->predicted = cell->workload.kind == WORKLOAD_RR ? result.rr_p50_us
								     : result.goodput_mbps;
	return r;
}

/* Mean square of the log error over all cells. */
static double evaluate(struct search *s)
{
	double sum = 0;

	for (unsigned i = 0; i < s->fit->cell_count && !s->failed; i++) {
		struct calibrate_cell *cell = &s->fit->cells[i];
		double error;

		s->failed = predict_cell(s->fit->host, cell, s->err);
		error = log(MAX(cell->predicted, 1e-3) / cell->measured);
		sum += error * error;
	}
	return sum / s->fit->cell_count;
}

static void place(struct search *s, const double *x)
{
	for (unsigned i = 0; i < s->count; i++)
		*s->target[i] = exp(x[i]);
}

static double objective(unsigned n, const double *x, double *gradient, void *context)
{
	struct search *s = context;

	place(s, x);
	return evaluate(s);
}

static double search_with(
	struct search *s, nlopt_algorithm algorithm, unsigned evaluations, double *x)
{
	nlopt_opt opt = nlopt_create(algorithm, s->count);
	double least = HUGE_VAL;

	if (!opt)
		return least;
	nlopt_set_lower_bounds(opt, s->low);
	nlopt_set_upper_bounds(opt, s->high);
	nlopt_set_min_objective(opt, objective, s);
	nlopt_set_maxeval(opt, (int)evaluations);
	nlopt_set_xtol_rel(opt, 1e-5);
	(void)nlopt_optimize(opt, x, &least);
	nlopt_destroy(opt);
	return least;
}

/* From one good point with its last constant at several places: the throttle of the peer makes
 * valleys that one descent does not leave. Called twice: the second starts with fresh steps. */
static void descend(struct search *s, unsigned evaluations, double *x)
{
	double best[CALIBRATE_FREE_MAX] = {0}, least = HUGE_VAL;
	unsigned last = s->count - 1;

	for (unsigned i = 0; i < STARTS; i++) {
		double from[CALIBRATE_FREE_MAX], found;

		memcpy(from, x, sizeof(from));
		from[last] = s->low[last] + (s->high[last] - s->low[last]) * i / (STARTS - 1);
		found = search_with(s, NLOPT_LN_SBPLX, evaluations / STARTS, from);
		if (found >= least)
			continue;
		least = found;
		memcpy(best, from, sizeof(best));
	}
	memcpy(x, best, sizeof(best));
}

/* The file keeps four digits: what is reported belongs to those. */
static double four_digits(double value)
{
	char text[32];
	double rounded = value;

	(void)snprintf(text, sizeof(text), "%.4g", value);
	(void)sscanf(text, "%lf", &rounded);
	return rounded;
}

static void find_sensitivity(struct search *s, unsigned i)
{
	struct calibrate_constant *constant = &s->fit->constant[i];
	double value = *s->target[i];

	*s->target[i] = value * 1.1;
	for (unsigned c = 0; c < s->fit->cell_count && !s->failed; c++) {
		struct calibrate_cell cell = s->fit->cells[c];
		double change;

		s->failed = predict_cell(s->fit->host, &cell, s->err);
		change = 100 * (cell.predicted / MAX(s->fit->cells[c].predicted, 1e-3) - 1);
		if (fabs(change) <= fabs(constant->sensitivity))
			continue;
		constant->sensitivity = change;
		(void)snprintf(constant->cell, sizeof(constant->cell), "%s", cell.label);
	}
	*s->target[i] = value;
}

static void report(struct search *s, const double *x)
{
	place(s, x);
	for (unsigned i = 0; i < s->count; i++) {
		struct calibrate_constant *constant = &s->fit->constant[i];

		*s->target[i] = MIN(MAX(four_digits(exp(x[i])), constant->min), constant->max);
		constant->value = *s->target[i];
		constant->at_edge = constant->value > 0.99 * constant->max ||
				    constant->value < 1.01 * MAX(constant->min, LEAST);
	}
	s->fit->rms_log_error = sqrt(evaluate(s));
	for (unsigned i = 0; i < s->count && !s->failed; i++)
		find_sensitivity(s, i);
}

int calibrate_run(struct calibrate_fit *fit, struct error *err)
{
	unsigned evaluations = fit->evaluations ? fit->evaluations : EVALUATIONS;
	struct search s = {.fit = fit, .err = err};
	double x[CALIBRATE_FREE_MAX] = {0};

	collect(&s);
	if (fit->cell_count < s.count)
		return error_set(err, -EINVAL,
			"%u measured cells cannot settle %u costs: measure more buffer sizes or "
			"directions, or mark costs as fixed in the host file",
			fit->cell_count, s.count);
	for (unsigned i = 0; i < s.count; i++)
		x[i] = (s.low[i] + s.high[i]) / 2;
	nlopt_srand(SEED);
	(void)search_with(&s, NLOPT_GN_CRS2_LM, evaluations / 3, x);
	descend(&s, evaluations / 3, x);
	descend(&s, evaluations / 3, x);
	if (!s.failed)
		report(&s, x);
	return s.failed;
}
