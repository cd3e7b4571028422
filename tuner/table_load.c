/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables out of a store: one for each kind of workload, cells with medians, notes on equal effect.
 */
#include "tuner/table_load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/compare.h"
#include "tuner/spacing.h"
#include "tuner/table_load_private.h"

/* Workloads of one table differ in buffer size and direction only. */
static struct workload kind_of(const struct workload *workload)
{
	struct workload kind = *workload;

	kind.buffer_bytes = 0;
	kind.dir = WORKLOAD_TX;
	return kind;
}

static bool same_kind(const struct workload *a, const struct workload *b)
{
	struct workload x = kind_of(a), y = kind_of(b);

	return workload_equal(&x, &y);
}

static int compare_rows(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;

	return (x->buffer_bytes > y->buffer_bytes) - (x->buffer_bytes < y->buffer_bytes);
}

static bool has_row(const struct table *table, uint64_t bytes)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (table->rows[i].buffer_bytes == bytes)
			return true;
	return false;
}

static void add_row(struct table *table, uint64_t bytes)
{
	struct table_row *row;

	if (has_row(table, bytes))
		return;
	row = &table->rows[table->row_count++];
	row->buffer_bytes = bytes;
	(void)workload_format_bytes(bytes, row->label, sizeof(row->label));
}

/* R1's order: what is received first. */
static void add_directions(struct table *table, const bool *present)
{
	static const struct {
		enum workload_dir dir;
		const char *name;
	} order[] = {{WORKLOAD_RX, "rx"}, {WORKLOAD_TX, "tx"}, {WORKLOAD_BIDIR, "bidir"}};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (present[order[i].dir])
			(void)snprintf(table->directions[table->direction_count++],
				sizeof(table->directions[0]), "%s", order[i].name);
}

static int fill_rows(
	struct table *table, const struct table_source *source, const struct workload *kind)
{
	bool present[3] = {false};

	table->rows = calloc(source->cell_count, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	for (size_t i = 0; i < source->cell_count; i++) {
		if (!same_kind(&source->workloads[i], kind))
			continue;
		add_row(table, source->workloads[i].buffer_bytes);
		present[source->workloads[i].dir] = true;
	}
	qsort(table->rows, table->row_count, sizeof(*table->rows), compare_rows);
	if (kind->kind == WORKLOAD_RR)
		table->direction_count = 1; /* without a name: there and back */
	else
		add_directions(table, present);
	return 0;
}

static int fill_settings(struct table *table, const struct table_source *source)
{
	table->settings = calloc(source->config_count, sizeof(*table->settings));
	if (!table->settings)
		return -ENOMEM;
	table->setting_count = source->config_count;
	for (size_t i = 0; i < source->config_count; i++) {
		struct table_setting *setting = &table->settings[i];
		struct settings asked = {0};
		const char *name;
		json_t *value;

		/* the knobs that were named, with the values that they got */
		json_object_foreach (source->configs[i].asked, name, value)
			settings_put(&asked, knob_find(name)->id,
				source->complete[i].value[knob_find(name)->id]);
		(void)snprintf(setting->name, sizeof(setting->name), "%s", source->configs[i].name);
		(void)settings_format(&asked, setting->knobs, sizeof(setting->knobs));
		setting->baseline = source->config_count > 1 && i == source->baseline;
	}
	return 0;
}

/* "tcp", "tcp, window 64k, 4 streams" */
static void describe_kind(const struct workload *kind, char *buf, size_t size)
{
	struct workload plain;
	char bytes[16];
	size_t used = (size_t)snprintf(buf, size, "%s",
		kind->kind == WORKLOAD_RR    ? "udp ping-pong"
		: kind->kind == WORKLOAD_UDP ? "udp"
					     : "tcp");

	workload_default(&plain);
	if (kind->window_bytes)
		used += (size_t)snprintf(buf + used, size - used, ", window %s",
			workload_format_bytes(kind->window_bytes, bytes, sizeof(bytes)));
	if (kind->streams != plain.streams)
		used += (size_t)snprintf(buf + used, size - used, ", %u streams", kind->streams);
	if (kind->rate_bps)
		used += (size_t)snprintf(buf + used, size - used, ", %.6g Mbit/s asked",
			(double)kind->rate_bps / 1e6);
	(void)snprintf(buf + used, size - used, ", %u s a trial", kind->seconds);
}

static bool all_hold(const struct table_source *source, enum knob_id id)
{
	for (size_t i = 1; i < source->config_count; i++)
		if (source->complete[i].value[id] != source->complete[0].value[id])
			return false;
	return true;
}

/* Interrupt mode and, when it is not the usual one, link speed; or that the settings differ in it.
 */
static void describe_intmode(const struct table_source *source, char *buf, size_t size)
{
	uint32_t mode = source->complete[0].value[KNOB_INTMODE];
	size_t used = (size_t)snprintf(buf, size, "%s",
		!all_hold(source, KNOB_INTMODE) ? "several modes"
		: mode < INTMODE_COUNT		? intmode_name((enum intmode)mode)
						: "");

	if (!all_hold(source, KNOB_SPEED))
		(void)snprintf(buf + used, size - used, ", several speeds");
	else if (source->device.speed_mbps != 1000)
		(void)snprintf(buf + used, size - used, ", %u Mb/s", source->device.speed_mbps);
}

static void fill_caption(
	struct table *table, const struct table_source *source, const struct workload *kind)
{
	static const char *const protocols[] = {"tcp", "udp", "rr"};
	const struct metric_row *metric = &metric_table[source->metric];
	const json_t *cpu = json_object_get(source->environment, "cpu");
	const char *cpu_name = json_string_value(json_object_get(cpu, "name"));

	(void)snprintf(table->metric, sizeof(table->metric), "%s", metric->name);
	(void)snprintf(table->unit, sizeof(table->unit), "%s", metric->unit);
	(void)snprintf(table->meaning, sizeof(table->meaning), "%s", metric->meaning);
	(void)snprintf(table->better, sizeof(table->better), "%s",
		metric->better == METRIC_BETTER_HIGHER	? "more"
		: metric->better == METRIC_BETTER_LOWER ? "less"
							: "");
	(void)snprintf(table->protocol, sizeof(table->protocol), "%s", protocols[kind->kind]);
	describe_kind(kind, table->workload, sizeof(table->workload));
	(void)snprintf(table->device, sizeof(table->device), "%s", source->sweep.device);
	(void)snprintf(table->chip, sizeof(table->chip), "%s", source->sweep.chip);
	describe_intmode(source, table->intmode, sizeof(table->intmode));
	(void)snprintf(
		table->cpu, sizeof(table->cpu), "%s", cpu_name ? cpu_name : "CPU not recorded");
	(void)snprintf(table->path, sizeof(table->path), "%s", source->sweep.path_kind);
	(void)snprintf(table->date, sizeof(table->date), "%.10s", source->sweep.created);
	table->blocks = source->sweep.blocks;
	table->pairs = source->sweep.kind == SWEEP_KIND_COMPARE;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int fill_cell(struct table_cell *out, const struct series *series)
{
	double *sorted;

	out->n = (unsigned)series->count;
	out->lost = series->lost;
	out->missing = series->missing;
	out->state = series->count     ? TABLE_VALUE
		     : series->missing ? TABLE_MISSING
		     : series->lost    ? TABLE_VOID
				       : TABLE_MISSING;
	if (!series->count)
		return 0;
	sorted = malloc(series->count * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, series->value, series->count * sizeof(*sorted));
	qsort(sorted, series->count, sizeof(*sorted), compare_doubles);
	out->low = sorted[0];
	out->high = sorted[series->count - 1];
	out->median = (sorted[(series->count - 1) / 2] + sorted[series->count / 2]) / 2.0;
	free(sorted);
	return 0;
}

static size_t row_of(const struct table *table, const struct workload *workload)
{
	size_t row = 0;

	while (row + 1 < table->row_count &&
		table->rows[row].buffer_bytes != workload->buffer_bytes)
		row++;
	return row;
}

static size_t direction_of(const struct table *table, const struct workload *workload)
{
	static const char *const names[] = {
		[WORKLOAD_TX] = "tx", [WORKLOAD_RX] = "rx", [WORKLOAD_BIDIR] = "bidir"};
	size_t d = 0;

	while (d + 1 < table->direction_count &&
		strcmp(table->directions[d], names[workload->dir]) != 0)
		d++;
	return d;
}

static int fill_cells(struct table *table, const struct table_source *source,
	const struct workload *kind, unsigned comparisons, struct error *err)
{
	int r = table_alloc(table);

	for (size_t cell = 0; cell < source->cell_count && r == 0; cell++) {
		const struct workload *workload = &source->workloads[cell];

		if (!same_kind(workload, kind))
			continue;
		for (size_t config = 0; config < source->config_count && r == 0; config++) {
			struct table_cell *out = table_at(table, row_of(table, workload), config,
				direction_of(table, workload));

			r = fill_cell(out, table_source_series(source, cell, config));
			if (r == 0)
				r = table_judge(source, cell, config, comparisons, out, err);
		}
	}
	return r == -ENOMEM ? error_set(err, r, "out of memory for a table") : r;
}

/* Settings that differ and cannot differ much in effect: readers would wonder. */
static void add_notes(struct table *table, const struct table_source *source)
{
	char same[512], note[1200];

	for (size_t i = 0; source->has_device && i < source->config_count; i++) {
		for (size_t j = i + 1; j < source->config_count; j++) {
			if (!spacing_explain_same(&source->device, &source->complete[i],
				    &source->complete[j], same, sizeof(same)))
				continue;
			(void)snprintf(note, sizeof(note), "%s and %s come to the same here: %s",
				source->configs[i].name, source->configs[j].name, same);
			table_add_note(table, note);
		}
	}
}

static int make_table(struct table *table, const struct table_source *source,
	const struct workload *kind, unsigned comparisons, struct error *err)
{
	int r = fill_rows(table, source, kind);

	if (r == 0)
		r = fill_settings(table, source);
	if (r < 0)
		return error_set(err, r, "out of memory for a table");
	fill_caption(table, source, kind);
	r = fill_cells(table, source, kind, comparisons, err);
	if (r < 0)
		return r;
	add_notes(table, source);
	for (size_t i = 0; i < table->row_count * table->setting_count * table->direction_count;
		i++) {
		if (!table->cells[i].two_modes)
			continue;
		table_add_note(table,
			"2m: two modes, the trials of the cell fall into two clusters; such a cell "
			"gets no verdict from fewer than 20 pairs unless both sides move together");
		break;
	}
	return r;
}

static bool kind_has_values(const struct table_source *source, const struct workload *kind)
{
	for (size_t cell = 0; cell < source->cell_count; cell++)
		for (size_t config = 0; config < source->config_count; config++)
			if (same_kind(&source->workloads[cell], kind) &&
				table_source_series(source, cell, config)->count)
				return true;
	return false;
}

/* Judgements of the whole set: cells that have values, times the settings beside the baseline. */
static unsigned count_comparisons(const struct table_source *source)
{
	unsigned count = 0;

	for (size_t cell = 0; cell < source->cell_count; cell++)
		for (size_t config = 0; config < source->config_count; config++)
			count += config != source->baseline &&
				 table_source_series(source, cell, config)->count > 0;
	return count;
}

/* The first cell of each kind stands for it. */
static bool is_first_of_kind(const struct table_source *source, size_t cell)
{
	for (size_t i = 0; i < cell; i++)
		if (same_kind(&source->workloads[i], &source->workloads[cell]))
			return false;
	return true;
}

static int default_metric(const struct workload *kind)
{
	return kind->kind == WORKLOAD_RR ? METRIC_RR_P50_US : METRIC_GOODPUT_MBPS;
}

static int load_kinds(
	struct table_source *source, int metric, struct table_set *set, struct error *err)
{
	int r = 0;

	for (size_t cell = 0; cell < source->cell_count && r == 0; cell++) {
		const struct workload *kind = &source->workloads[cell];

		if (!is_first_of_kind(source, cell))
			continue;
		r = table_source_read(source, metric >= 0 ? metric : default_metric(kind), err);
		if (r == 0 && (metric < 0 || kind_has_values(source, kind)))
			r = make_table(&set->tables[set->count++], source, kind,
				count_comparisons(source), err);
	}
	return r;
}

int table_load(struct store *store, int64_t sweep, const char *metric, struct table_set *ret_set,
	struct error *err)
{
	struct table_set set = {0};
	struct table_source source;
	enum metric_id id = 0;
	int r = metric ? compare_find_metric(metric, &id, err) : 0;

	if (r == 0)
		r = table_source_open(&source, store, sweep, err);
	if (r < 0)
		return r;
	set.tables = calloc(source.cell_count + 1, sizeof(*set.tables));
	r = set.tables ? load_kinds(&source, metric ? (int)id : -1, &set, err)
		       : error_set(err, -ENOMEM, "out of memory for tables");
	if (r == 0 && set.count == 0)
		r = error_set(err, -ENODATA, "no trial in %s has a value of %s", store_path(store),
			metric);
	table_source_close(&source);
	if (r < 0)
		table_set_free(&set);
	else
		*ret_set = set;
	return r;
}

void table_set_free(struct table_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		table_free(&set->tables[i]);
	free(set->tables);
	memset(set, 0, sizeof(*set));
}
