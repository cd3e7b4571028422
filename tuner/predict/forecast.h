/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicted tables: a plan's settings and workloads through the engine, in the tables of a sweep. */
#ifndef MODERATO_TUNER_PREDICT_FORECAST_H
#define MODERATO_TUNER_PREDICT_FORECAST_H

#include "plots/table.h"
#include "tuner/plan.h"
#include "tuner/predict/engine.h"

/* One column: a setting of a plan, or a timer of a chip that is moderated by one. */
struct forecast_setting {
	char name[PLAN_NAME_MAX];
	struct settings settings; /* complete */
	int imtimer_us;
};

struct forecast {
	const struct host *host;
	const struct chip *chip; /* NULL: moderated by a timer */
	unsigned speed_mbps;
	const struct forecast_setting *settings;
	size_t setting_count, baseline;
	const struct workload *cells;
	size_t cell_count;
	struct predict_result *results; /* [cell * setting_count + setting], owned */
};

/** forecast_run() - every cell; results are allocated. */
int forecast_run(struct forecast *forecast, struct error *err);
void forecast_clear(struct forecast *forecast);
/**
 * forecast_table() - the TCP or UDP streams, or the ping-pongs, of a forecast as a table
 * @metric: a name of forecast.def; NULL: goodput_mbps, for ping-pongs rr_p50_us
 * Return: 0; 1 when there is no such workload; a usage error for an unknown metric.
 */
int forecast_table(const struct forecast *forecast, enum workload_kind kind, const char *metric,
	struct table *ret_table, struct error *err);

#endif
