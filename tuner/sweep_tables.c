/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and prints the tables of several metrics of one sweep as one document. */
#include "tuner/sweep_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/table_load.h"

static const char *const default_metrics[] = {
	"goodput_mbps", "irq_per_s", "driver_cpu_per_gbit_s", NULL};

int sweep_tables_print(struct store *store, int64_t sweep, const char *const *metrics,
	const struct table_view *view, FILE *out, struct error *err)
{
	struct table_set sets[SWEEP_TABLES_METRICS_MAX] = {{0}};
	struct table *tables = NULL, *more;
	size_t count = 0, set_count = 0;
	int rc = 0;

	metrics = metrics ? metrics : default_metrics;
	for (; set_count < SWEEP_TABLES_METRICS_MAX && metrics[set_count] && !rc; set_count++) {
		struct table_set *set = &sets[set_count];

		rc = table_load(store, sweep, metrics[set_count], set, err);
		if (rc)
			break;
		more = reallocarray(tables, count + set->count, sizeof(*tables));
		if (!more) {
			rc = error_sys(err, -ENOMEM, "cannot print the tables");
			break;
		}
		tables = more;
		memcpy(tables + count, set->tables, set->count * sizeof(*tables));
		count += set->count;
	}
	if (!rc)
		table_print(tables, count, view, out);
	free(tables);
	for (size_t i = 0; i < SWEEP_TABLES_METRICS_MAX; i++)
		table_set_free(&sets[i]);
	return rc;
}

int sweep_tables_write(struct store *store, int64_t sweep, const struct table_view *view,
	const char *path, struct error *err)
{
	FILE *file = fopen(path, "we");
	int rc;

	if (!file)
		return error_sys(err, -errno, "cannot write %s", path);
	rc = sweep_tables_print(store, sweep, NULL, view, file, err);
	if (ferror(file) | fclose(file) && !rc)
		rc = error_sys(err, -EIO, "cannot write %s", path);
	return rc;
}
