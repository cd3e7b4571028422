/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicted tables, in the form of measured ones. */
#include "tuner/predict/forecast.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "common/util.h"

static const struct forecast_metric {
	const char *name, *unit, *better, *meaning;
	size_t member;
} metrics[] = {
#define FORECAST(name, unit, better, meaning, member)                                              \
	{name, unit, better, meaning, offsetof(struct predict_result, member)},
#include "tuner/predict/forecast.def"
};

static const char *const dir_names[] = {
	[WORKLOAD_TX] = "tx", [WORKLOAD_RX] = "rx", [WORKLOAD_BIDIR] = "bidir"};
static const enum workload_dir dir_order[] = {WORKLOAD_RX, WORKLOAD_TX, WORKLOAD_BIDIR};

int forecast_run(struct forecast *forecast, struct error *err)
{
	size_t count = forecast->cell_count * forecast->setting_count;
	int r = 0;

	forecast->results = calloc(count ? count : 1, sizeof(*forecast->results));
	if (!forecast->results)
		return error_set(err, -ENOMEM, "no memory for a table of predictions");
	for (size_t i = 0; !r && i < count; i++) {
		const struct forecast_setting *setting =
			&forecast->settings[i % forecast->setting_count];
		struct predict_job job = {
			.host = forecast->host,
			.chip = forecast->chip,
			.settings = setting->settings,
			.imtimer_us = setting->imtimer_us,
			.workload = forecast->cells[i / forecast->setting_count],
			.speed_mbps = forecast->speed_mbps,
		};

		predict_default_times(&job);
		r = predict_run(&job, &forecast->results[i], err);
	}
	return r;
}

void forecast_clear(struct forecast *forecast)
{
	free(forecast->results);
	forecast->results = NULL;
}

static const struct forecast_metric *find_metric(const char *name, struct error *err)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
		nearest_offer(&nearest, metrics[i].name);
	}
	(void)error_usage(err, "the predictor has no figure \"%.40s\"%s%s", name,
		nearest.best ? ": did you mean " : "", nearest.best ? nearest.best : "");
	return NULL;
}

static void buffer_label(uint32_t bytes, char *buf, size_t size)
{
	if (bytes >= 1024 && bytes % 1024 == 0)
		(void)snprintf(buf, size, "%uk", bytes / 1024);
	else
		(void)snprintf(buf, size, "%u", bytes);
}

/* Rows and directions in the order of R1: buffers as given, rx before tx. */
static size_t collect_rows(const struct forecast *f, enum workload_kind kind,
	struct table_row *rows, bool *ret_dirs)
{
	size_t count = 0;

	for (size_t c = 0; c < f->cell_count; c++) {
		const struct workload *w = &f->cells[c];
		size_t i = 0;

		if (w->kind != kind)
			continue;
		ret_dirs[w->dir] = true;
		while (i < count && rows[i].buffer_bytes != w->buffer_bytes)
			i++;
		if (i < count)
			continue;
		rows[count].buffer_bytes = w->buffer_bytes;
		buffer_label(w->buffer_bytes, rows[count].label, sizeof(rows[count].label));
		count++;
	}
	return count;
}

static void caption(const struct forecast *f, enum workload_kind kind,
	const struct forecast_metric *metric, struct table *table)
{
	static const char *const kinds[] = {
		[WORKLOAD_TCP] = "tcp", [WORKLOAD_UDP] = "udp", [WORKLOAD_RR] = "rr"};
	uint32_t window = 0;

	for (size_t c = 0; c < f->cell_count; c++)
		if (f->cells[c].kind == kind)
			window = f->cells[c].window_bytes;
	(void)snprintf(table->metric, sizeof(table->metric), "%s", metric->name);
	(void)snprintf(table->unit, sizeof(table->unit), "%s", metric->unit);
	(void)snprintf(table->meaning, sizeof(table->meaning), "%s", metric->meaning);
	(void)snprintf(table->better, sizeof(table->better), "%s", metric->better);
	(void)snprintf(table->protocol, sizeof(table->protocol), "%s", kinds[kind]);
	(void)snprintf(table->workload, sizeof(table->workload), "%s", kinds[kind]);
	if (window)
		(void)snprintf(table->workload, sizeof(table->workload), "%s, window %uk",
			kinds[kind], window / 1024);
	(void)snprintf(table->chip, sizeof(table->chip), "%s", f->chip ? f->chip->name : "imtimer");
	(void)snprintf(table->device, sizeof(table->device), "%s", table->chip);
	(void)snprintf(table->cpu, sizeof(table->cpu), "host model %s", f->host->name);
	(void)snprintf(table->path, sizeof(table->path), "predicted");
	(void)snprintf(table->date, sizeof(table->date), "virtual time");
	table->blocks = 1;
}

static void fill_settings(const struct forecast *f, struct table *table)
{
	for (size_t s = 0; s < f->setting_count; s++) {
		(void)snprintf(table->settings[s].name, sizeof(table->settings[s].name), "%s",
			f->settings[s].name);
		table->settings[s].baseline = s == f->baseline;
		if (f->chip)
			settings_format(&f->settings[s].settings, table->settings[s].knobs,
				sizeof(table->settings[s].knobs));
	}
}

/* What bounds the cells of a row, setting after setting. */
static void note_bounds(const struct forecast *f, enum workload_kind kind, struct table *table)
{
	for (size_t c = 0; c < f->cell_count; c++) {
		const struct workload *w = &f->cells[c];
		char label[16], text[512];
		size_t used;

		if (w->kind != kind)
			continue;
		buffer_label(w->buffer_bytes, label, sizeof(label));
		used = (size_t)snprintf(text, sizeof(text), "%s %s is bound by", label,
			kind == WORKLOAD_RR ? "" : dir_names[w->dir]);
		for (size_t s = 0; s < f->setting_count && used < sizeof(text); s++) {
			const struct predict_result *r = &f->results[c * f->setting_count + s];

			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s",
				s ? "," : "", predict_bound_name(r->bound));
		}
		table_add_note(table, text);
	}
}

static void fill_cells(const struct forecast *f, enum workload_kind kind,
	const struct forecast_metric *metric, struct table *table)
{
	for (size_t c = 0; c < f->cell_count; c++) {
		const struct workload *w = &f->cells[c];
		size_t row = 0, dir = 0;

		if (w->kind != kind)
			continue;
		while (table->rows[row].buffer_bytes != w->buffer_bytes)
			row++;
		while (kind != WORKLOAD_RR && strcmp(table->directions[dir], dir_names[w->dir]))
			dir++;
		for (size_t s = 0; s < f->setting_count; s++) {
			const struct predict_result *r = &f->results[c * f->setting_count + s];
			double value = *(const double *)(const void *)((const char *)r +
								       metric->member);

			*table_at(table, row, s, dir) = (struct table_cell){.state = TABLE_VALUE,
				.n = 1,
				.median = value,
				.low = value,
				.high = value};
		}
	}
}

int forecast_table(const struct forecast *forecast, enum workload_kind kind, const char *metric,
	struct table *ret_table, struct error *err)
{
	const struct forecast_metric *row = find_metric(
		metric ? metric : kind == WORKLOAD_RR ? "rr_p50_us" : "goodput_mbps", err);
	bool dirs[3] = {false, false, false};
	struct table table = {.setting_count = forecast->setting_count};

	if (!row)
		return -EINVAL;
	table.rows = calloc(forecast->cell_count + 1, sizeof(*table.rows));
	table.settings = calloc(forecast->setting_count + 1, sizeof(*table.settings));
	if (!table.rows || !table.settings) {
		table_free(&table);
		return error_set(err, -ENOMEM, "no memory for a table");
	}
	table.row_count = collect_rows(forecast, kind, table.rows, dirs);
	for (unsigned i = 0; i < ARRAY_SIZE(dir_order); i++)
		if (kind != WORKLOAD_RR && dirs[dir_order[i]])
			(void)snprintf(table.directions[table.direction_count++],
				sizeof(table.directions[0]), "%s", dir_names[dir_order[i]]);
	if (kind == WORKLOAD_RR)
		table.direction_count = 1;
	if (!table.row_count || table_alloc(&table)) {
		table_free(&table);
		return table.row_count ? error_set(err, -ENOMEM, "no memory for a table") : 1;
	}
	caption(forecast, kind, row, &table);
	fill_settings(forecast, &table);
	fill_cells(forecast, kind, row, &table);
	note_bounds(forecast, kind, &table);
	*ret_table = table;
	return 0;
}
