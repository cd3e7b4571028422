/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that go with a figure: throughput, interrupts and CPU of one sweep. */
#ifndef MODERATO_TUNER_SWEEP_TABLES_H
#define MODERATO_TUNER_SWEEP_TABLES_H

#include "plots/table.h"
#include "tuner/store.h"

#define SWEEP_TABLES_METRICS_MAX 8

/**
 * sweep_tables_print() - one document with a table for each metric
 * @metrics: names, at most SWEEP_TABLES_METRICS_MAX, ends with NULL. NULL: throughput, interrupts, driver's CPU per Gbit.
 * Return: 0 or as table_load().
 */
int sweep_tables_print(struct store *store, int64_t sweep, const char *const *metrics,
	const struct table_view *view, FILE *out, struct error *err);

/** sweep_tables_write() - the same into a file, whole or with an error. */
int sweep_tables_write(struct store *store, int64_t sweep, const struct table_view *view,
	const char *path, struct error *err);

#endif
