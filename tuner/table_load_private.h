/* SPDX-License-Identifier: BSD-2-Clause */
/* What loading and judging tables share. */
#ifndef MODERATO_TUNER_TABLE_LOAD_PRIVATE_H
#define MODERATO_TUNER_TABLE_LOAD_PRIVATE_H

#include "bench/metric.h"
#include "bench/workload.h"
#include "tuner/plan.h"
#include "tuner/table_load.h"

/* Values of one configuration in one cell, by block or pair. */
struct series {
	double *value;
	unsigned *block;
	size_t count;
	unsigned lost, missing;
};

struct table_source {
	struct store *store;
	struct store_sweep sweep;
	struct plan_device device;
	bool has_device; /* false for a chip unknown to this version: no notes on equal effect */
	json_t *environment; /* NULL when nothing was run */
	struct store_config *configs;
	size_t config_count;
	struct settings *complete; /* per configuration */
	struct store_cell *cells;
	size_t cell_count;
	struct workload *workloads; /* per cell */
	struct series *series;	    /* [cell * config_count + config] */
	enum metric_id metric;	    /* of the series */
	size_t baseline;
};

int table_source_open(struct table_source *source, struct store *store, int64_t sweep,
		      struct error *err);
void table_source_close(struct table_source *source);
/** table_source_read() - the series of one metric, in place of those of an earlier one. */
int table_source_read(struct table_source *source, enum metric_id metric, struct error *err);
struct series *table_source_series(const struct table_source *source, size_t cell, size_t config);

/** table_judge() - @config against the baseline in @cell, into @out. */
int table_judge(const struct table_source *source, size_t cell, size_t config, unsigned comparisons,
		struct table_cell *out, struct error *err);

#endif
