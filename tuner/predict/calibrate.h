/* SPDX-License-Identifier: BSD-2-Clause */
/* Fitting a host model's costs to measured cells. */
#ifndef MODERATO_TUNER_PREDICT_CALIBRATE_H
#define MODERATO_TUNER_PREDICT_CALIBRATE_H

#include "tuner/predict/engine.h"

#define CALIBRATE_CELLS_MAX 512
/* Costs that are not fixed, and the peer's throttle. */
#define CALIBRATE_FREE_MAX (HOST_COST_COUNT + 1)

/* A measured cell: goodput in Mbit/s, or with a ping-pong its median round trip in us. */
struct calibrate_cell {
	const struct chip *chip;
	struct settings settings;
	struct workload workload;
	unsigned speed_mbps;
	char label[96];
	double measured;
	double predicted; /* by the fit */
};

struct calibrate_constant {
	const char *key;
	double value, min, max;
	bool at_edge;	    /* within 1 % of its range's end: the cells ask for more than it gives */
	double sensitivity; /* largest change of a cell in %, for 10 % more of it */
	char cell[96];	    /* that cell */
};

struct calibrate_fit {
	struct host *host;	      /* in: rules, ranges; out: costs */
	struct calibrate_cell *cells; /* in and out */
	unsigned cell_count;
	unsigned evaluations; /* at most; 0: 18000 */
	bool fit_peer;	      /* the peer's throttle too */
	/* out */
	struct calibrate_constant constant[CALIBRATE_FREE_MAX];
	unsigned constant_count;
	double rms_log_error;
};

/**
 * calibrate_run() - the costs that make the predicted cells come nearest to the measured ones
 * Least mean square of log(predicted / measured): controlled random search with a fixed seed over the
 * ranges, then Subplex from its best with the last constant at five places. The values in the host file are not looked at, so the same
 * cells give the same result.
 * Return: 0; -EINVAL when there are fewer cells than constants; a usage error of the engine.
 */
int calibrate_run(struct calibrate_fit *fit, struct error *err);

#endif
