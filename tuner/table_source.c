/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what tables are made of: settings, workloads and series of values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "tuner/table_load_private.h"

static int read_workloads(struct table_source *source, struct error *err)
{
	int r = 0;

	source->workloads = calloc(source->cell_count + 1, sizeof(*source->workloads));
	if (!source->workloads)
		return error_set(err, -ENOMEM, "out of memory for a table");
	for (size_t i = 0; i < source->cell_count && r == 0; i++)
		r = workload_parse(source->cells[i].workload, &source->workloads[i], err);
	return r;
}

static int read_complete(struct table_source *source, struct error *err)
{
	int r = 0;

	source->complete = calloc(source->config_count + 1, sizeof(*source->complete));
	if (!source->complete)
		return error_set(err, -ENOMEM, "out of memory for a table");
	for (size_t i = 0; i < source->config_count && r == 0; i++) {
		struct settings asked;

		r = json_to_settings(source->configs[i].asked, &asked, err);
		if (r == 0) {
			source->complete[i] = source->device.base;
			settings_merge(&source->complete[i], &asked);
		}
	}
	return r;
}

static int read_all(struct table_source *source, int64_t sweep, struct error *err)
{
	int r = store_read_sweep(source->store, sweep, &source->sweep, err);

	if (r < 0)
		return r;
	source->has_device = plan_read_device(&source->sweep, &source->device, NULL) == 0;
	r = store_read_environment(source->store, sweep, &source->environment, NULL);
	if (r < 0 && r != -ENOENT)
		return error_set(
			err, r, "cannot read the environment in %s", store_path(source->store));
	r = store_read_configs(source->store, sweep, &source->configs, &source->config_count, err);
	if (r == 0)
		r = store_read_cells(
			source->store, sweep, &source->cells, &source->cell_count, err);
	if (r == 0)
		r = read_workloads(source, err);
	if (r == 0)
		r = read_complete(source, err);
	if (r == 0 && source->sweep.baseline > 0 &&
		(size_t)source->sweep.baseline < source->config_count)
		source->baseline = (size_t)source->sweep.baseline;
	return r;
}

int table_source_open(
	struct table_source *source, struct store *store, int64_t sweep, struct error *err)
{
	int r;

	memset(source, 0, sizeof(*source));
	source->store = store;
	r = read_all(source, sweep, err);
	if (r < 0)
		table_source_close(source);
	return r;
}

static void free_series(struct table_source *source)
{
	for (size_t i = 0; source->series && i < source->cell_count * source->config_count; i++) {
		free(source->series[i].value);
		free(source->series[i].block);
	}
	free(source->series);
	source->series = NULL;
}

void table_source_close(struct table_source *source)
{
	free_series(source);
	store_sweep_clear(&source->sweep);
	json_decref(source->environment);
	store_configs_free(source->configs, source->config_count);
	free(source->complete);
	free(source->cells);
	free(source->workloads);
	memset(source, 0, sizeof(*source));
}

struct series *table_source_series(const struct table_source *source, size_t cell, size_t config)
{
	return &source->series[cell * source->config_count + config];
}

static struct series *find_series(
	const struct table_source *source, const struct store_value *value)
{
	for (size_t cell = 0; cell < source->cell_count; cell++) {
		if (source->cells[cell].id != value->cell)
			continue;
		for (size_t config = 0; config < source->config_count; config++)
			if (source->configs[config].id == value->config)
				return table_source_series(source, cell, config);
	}
	return NULL;
}

static int grow(void **rows, size_t bytes)
{
	void *grown = realloc(*rows, bytes);

	if (!grown)
		return -ENOMEM;
	*rows = grown;
	return 0;
}

static int add_value(struct series *series, double value, unsigned block)
{
	int r = grow((void **)&series->value, (series->count + 1) * sizeof(*series->value));

	if (r == 0)
		r = grow((void **)&series->block, (series->count + 1) * sizeof(*series->block));
	if (r < 0)
		return r;
	series->value[series->count] = value;
	series->block[series->count++] = block;
	return 0;
}

static int visit_value(void *context, const struct store_value *value)
{
	struct series *series = find_series(context, value);

	if (!series)
		return 0;
	if (value->present)
		return add_value(series, value->value, value->pair ? value->pair : value->block);
	series->missing += value->status == TRIAL_PLANNED || value->status == TRIAL_RUNNING;
	series->lost += value->status == TRIAL_VOID || value->status == TRIAL_FAILED;
	return 0;
}

int table_source_read(struct table_source *source, enum metric_id metric, struct error *err)
{
	free_series(source);
	source->metric = metric;
	source->series =
		calloc(source->cell_count * source->config_count + 1, sizeof(*source->series));
	if (!source->series)
		return error_set(err, -ENOMEM, "out of memory for a table");
	return store_each_value(source->store, source->sweep.id, metric_table[metric].name,
		visit_value, source, err);
}
