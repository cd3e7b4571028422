/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a sweep's trials into a figure: which cells make which panel, medians, and the words. */
#include "tuner/plot_build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/workload.h"
#include "common/chips/knob.h"
#include "common/util.h"

static const struct {
	const char *metric;
	const char *title;
	double scale;
} column_metric[PLOT_COLUMNS] = {
	{"goodput_mbps", "goodput (Mbit/s)", 1},
	{"irq_per_s", "interrupts (1000/s)", 1e-3},
	{"cpu_per_gbit_s", "CPU (ms per Gbit)", 1e3},
};
static const char *const row_names[] = {
	[WORKLOAD_TX] = "TX", [WORKLOAD_RX] = "RX", [WORKLOAD_BIDIR] = "both ways"};

/* Values of one point while they are collected. */
struct samples {
	double *value;
	unsigned count;
};

struct build {
	struct store *store;
	struct plot_figure *figure;
	struct store_sweep sweep;
	struct store_config *configs;
	struct store_cell *cells;
	size_t config_count, cell_count;
	struct workload *workloads; /* per cell */
	int *row, *category;	    /* per cell, -1: not drawn */
	int *series;		    /* per configuration, -1: not drawn */
	enum workload_kind kind;
	uint32_t buffer[PLOT_CATEGORIES_MAX];
	unsigned skipped_cells, skipped_configs;
	enum workload_dir dir[PLOT_ROWS_MAX];
	struct samples (*samples)[PLOT_ROWS_MAX][PLOT_CATEGORIES_MAX]; /* [series] */
	json_t *environment;
	bool no_memory;
};

static void build_fini(struct build *b)
{
	store_sweep_clear(&b->sweep);
	store_configs_free(b->configs, b->config_count);
	free(b->cells);
	free(b->workloads);
	free(b->row);
	free(b->category);
	free(b->series);
	free(b->samples);
	json_decref(b->environment);
}

int plot_choose_sweep(struct store *store, int64_t *ret_sweep, struct error *err)
{
	int64_t id;
	int rc = store_last_sweep(store, &id, err);

	if (rc == -ENOENT)
		return error_set(err, -ENODATA, "%s holds no sweep", store_path(store));
	for (; !rc && id > 0; id--) {
		struct store_sweep sweep;
		bool found;

		if (store_read_sweep(store, id, &sweep, NULL))
			continue;
		found = sweep.kind == SWEEP_KIND_SWEEP;
		store_sweep_clear(&sweep);
		if (found) {
			*ret_sweep = id;
			return 0;
		}
	}
	return rc ? rc
		  : error_set(err, -ENODATA,
			    "%s holds comparisons only; a figure needs a sweep over buffer sizes",
			    store_path(store));
}

static int read_plan(struct build *b, int64_t id, struct error *err)
{
	struct store *store = b->store;
	int rc = store_read_sweep(store, id, &b->sweep, err);

	if (rc)
		return rc;
	rc = store_read_configs(store, id, &b->configs, &b->config_count, err);
	if (rc)
		return rc;
	rc = store_read_cells(store, id, &b->cells, &b->cell_count, err);
	if (rc)
		return rc;
	b->workloads = calloc(b->cell_count, sizeof(*b->workloads));
	b->row = calloc(b->cell_count, sizeof(*b->row));
	b->category = calloc(b->cell_count, sizeof(*b->category));
	b->series = calloc(b->config_count, sizeof(*b->series));
	b->samples = calloc(PLOT_SERIES_MAX, sizeof(*b->samples));
	if (!b->workloads || !b->row || !b->category || !b->series || !b->samples)
		return error_sys(err, -ENOMEM, "cannot build a figure");
	for (size_t i = 0; i < b->cell_count; i++) {
		rc = workload_parse(b->cells[i].workload, &b->workloads[i], err);
		if (rc)
			return rc;
	}
	if (store_read_environment(store, id, &b->environment, NULL))
		b->environment = NULL;
	return 0;
}

static bool cell_drawable(const struct build *b, size_t i)
{
	return b->workloads[i].kind == b->kind;
}

static void choose_kind(struct build *b)
{
	b->kind = WORKLOAD_UDP;
	for (size_t i = 0; i < b->cell_count; i++) {
		if (b->workloads[i].kind == WORKLOAD_TCP)
			b->kind = WORKLOAD_TCP;
	}
}

/* Rows in the order rx, tx, both, as the tables have them. */
static void choose_rows(struct build *b)
{
	static const enum workload_dir order[] = {WORKLOAD_RX, WORKLOAD_TX, WORKLOAD_BIDIR};
	struct plot_figure *figure = b->figure;

	for (unsigned d = 0; d < ARRAY_SIZE(order); d++) {
		bool found = false;

		for (size_t i = 0; i < b->cell_count; i++)
			found |= cell_drawable(b, i) && b->workloads[i].dir == order[d];
		if (!found)
			continue;
		b->dir[figure->row_count] = order[d];
		(void)snprintf(figure->row_title[figure->row_count++], sizeof(figure->row_title[0]),
			"%s", row_names[order[d]]);
	}
}

static void add_buffer(struct build *b, uint32_t bytes)
{
	unsigned *count = &b->figure->category_count, at = 0;

	while (at < *count && b->buffer[at] < bytes)
		at++;
	if ((at < *count && b->buffer[at] == bytes) || *count == PLOT_CATEGORIES_MAX)
		return;
	memmove(&b->buffer[at + 1], &b->buffer[at], (*count - at) * sizeof(b->buffer[0]));
	b->buffer[at] = bytes;
	(*count)++;
}

static void choose_categories(struct build *b)
{
	for (size_t i = 0; i < b->cell_count; i++) {
		if (cell_drawable(b, i))
			add_buffer(b, b->workloads[i].buffer_bytes);
	}
	for (unsigned c = 0; c < b->figure->category_count; c++)
		(void)workload_format_bytes(
			b->buffer[c], b->figure->category[c], sizeof(b->figure->category[c]));
}

/* Where cell @i is drawn; a place taken by an earlier cell (of another window, say) stays its. */
static void place_cell(struct build *b, size_t i)
{
	b->row[i] = b->category[i] = -1;
	if (!cell_drawable(b, i))
		return;
	for (unsigned r = 0; r < b->figure->row_count; r++) {
		if (b->dir[r] == b->workloads[i].dir)
			b->row[i] = (int)r;
	}
	for (unsigned c = 0; c < b->figure->category_count; c++) {
		if (b->buffer[c] == b->workloads[i].buffer_bytes)
			b->category[i] = (int)c;
	}
	for (size_t j = 0; j < i; j++) {
		if (b->category[i] >= 0 && b->row[j] == b->row[i] &&
			b->category[j] == b->category[i])
			b->category[i] = -1;
	}
	b->skipped_cells += b->category[i] < 0;
}

static void add_series(struct build *b, size_t config)
{
	struct plot_figure *figure = b->figure;

	if (b->series[config] >= 0)
		return;
	if (figure->series_count == PLOT_SERIES_MAX) {
		b->skipped_configs++;
		return;
	}
	(void)snprintf(figure->series[figure->series_count], sizeof(figure->series[0]), "%.63s",
		b->configs[config].name);
	b->series[config] = (int)figure->series_count++;
}

static int choose_named(struct build *b, const char *names, struct error *err)
{
	while (*names) {
		size_t len = strcspn(names, ","), i = 0;

		while (i < b->config_count && (strlen(b->configs[i].name) != len ||
						      strncmp(b->configs[i].name, names, len)))
			i++;
		if (i == b->config_count)
			return error_usage(err, "the sweep has no setting \"%.*s\"",
				(int)MIN(len, (size_t)80), names);
		add_series(b, i);
		names += len + (names[len] == ',');
	}
	return 0;
}

static int choose_series(struct build *b, const char *names, struct error *err)
{
	for (size_t i = 0; i < b->config_count; i++)
		b->series[i] = -1;
	if (names)
		return choose_named(b, names, err);
	if (b->sweep.baseline >= 0 && b->config_count > PLOT_SERIES_MAX)
		add_series(b, (size_t)b->sweep.baseline);
	for (size_t i = 0; i < b->config_count; i++)
		add_series(b, i);
	return 0;
}

static int collect(void *context, const struct store_value *value)
{
	struct build *b = context;
	size_t cell = 0, config = 0;
	struct samples *samples;
	double *more;

	while (cell < b->cell_count && b->cells[cell].id != value->cell)
		cell++;
	while (config < b->config_count && b->configs[config].id != value->config)
		config++;
	if (!value->present || cell == b->cell_count || config == b->config_count ||
		b->row[cell] < 0 || b->category[cell] < 0 || b->series[config] < 0)
		return 0;
	samples = &b->samples[b->series[config]][b->row[cell]][b->category[cell]];
	more = reallocarray(samples->value, samples->count + 1, sizeof(*more));
	if (!more) {
		b->no_memory = true;
		return 1;
	}
	samples->value = more;
	samples->value[samples->count++] = value->value;
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void take_point(struct samples *samples, double scale, struct plot_point *point)
{
	unsigned n = samples->count;

	if (n) {
		qsort(samples->value, n, sizeof(*samples->value), compare_doubles);
		point->n = n;
		point->low = samples->value[0] * scale;
		point->high = samples->value[n - 1] * scale;
		point->median = (samples->value[(n - 1) / 2] + samples->value[n / 2]) / 2 * scale;
	}
	free(samples->value);
	*samples = (struct samples){0};
}

static int fill_column(struct build *b, unsigned column, struct error *err)
{
	int rc = store_each_value(
		b->store, b->sweep.id, column_metric[column].metric, collect, b, err);

	for (unsigned s = 0; s < PLOT_SERIES_MAX; s++) {
		for (unsigned r = 0; r < PLOT_ROWS_MAX; r++) {
			for (unsigned c = 0; c < PLOT_CATEGORIES_MAX; c++)
				take_point(&b->samples[s][r][c], column_metric[column].scale,
					&b->figure->panel[r][column].point[s][c]);
		}
	}
	(void)snprintf(b->figure->column_title[column], sizeof(b->figure->column_title[0]), "%s",
		column_metric[column].title);
	if (b->no_memory)
		return error_sys(err, -ENOMEM, "cannot build a figure");
	return rc < 0 ? rc : 0;
}

static const char *member(const json_t *object, const char *a, const char *b)
{
	const char *text = json_string_value(json_object_get(json_object_get(object, a), b));

	return text ? text : "?";
}

static void add_limits(struct build *b)
{
	const json_t *daemon = json_object_get(b->environment, "daemon");
	unsigned speed = (unsigned)json_integer_value(
		json_object_get(json_object_get(daemon, "link"), "speed_mbps"));
	unsigned mtu = (unsigned)json_integer_value(
		json_object_get(json_object_get(daemon, "path"), "mtu"));

	for (size_t i = 0; i < b->cell_count && speed && mtu; i++) {
		struct plot_panel *panel;

		if (b->row[i] < 0 || b->workloads[i].dir == WORKLOAD_BIDIR)
			continue;
		panel = &b->figure->panel[b->row[i]][0];
		panel->limit = workload_wire_limit_mbps(&b->workloads[i], speed, mtu);
		(void)snprintf(panel->limit_label, sizeof(panel->limit_label), "wire limit %.0f",
			panel->limit);
	}
}

/* Interrupt mode that all drawn settings share. */
static const char *common_mode(const struct build *b)
{
	static const char *const shown[] = {
		[INTMODE_INTX] = "INTx", [INTMODE_MSI] = "MSI", [INTMODE_MSIX] = "MSI-X"};
	enum intmode common = INTMODE_COUNT, mode;

	for (size_t i = 0; i < b->config_count; i++) {
		const char *own =
			json_string_value(json_object_get(b->configs[i].settings, "intmode"));

		own = own ? own : json_string_value(json_object_get(b->sweep.base, "intmode"));
		if (b->series[i] < 0 || !own || intmode_parse(own, &mode))
			continue;
		if (common != INTMODE_COUNT && common != mode)
			return "several interrupt modes";
		common = mode;
	}
	return common == INTMODE_COUNT ? "interrupt mode not recorded" : shown[common];
}

static void add_words(struct build *b)
{
	struct plot_figure *f = b->figure;
	bool simulated = !strncmp(b->sweep.device, "sim:", 4);

	(void)snprintf(f->title, sizeof(f->title), "%s%s, %s: %s throughput by buffer size",
		b->sweep.chip, simulated ? " (simulated)" : "", common_mode(b),
		b->kind == WORKLOAD_TCP ? "TCP" : "UDP");
	(void)snprintf(f->subtitle, sizeof(f->subtitle), "%.90s, Linux %.60s, %u trial%s of %u s%s",
		member(b->environment, "cpu", "name"), member(b->environment, "kernel", "release"),
		b->sweep.blocks, b->sweep.blocks == 1 ? "" : "s", b->sweep.seconds,
		b->sweep.blocks == 1 ? " (n = 1: no verdicts)" : "");
	(void)snprintf(f->footnote, sizeof(f->footnote), "%sPath: %s. CPU: %.120s.",
		b->sweep.blocks == 1 ? "" : "Medians, whiskers from the least to the greatest. ",
		b->sweep.path_kind, member(b->environment, "placement", "cpu_means"));
	(void)snprintf(f->x_label, sizeof(f->x_label), "%s (bytes)",
		b->kind == WORKLOAD_TCP ? "buffer size" : "datagram size");
}

static void write_note(const struct build *b, char *note, size_t size)
{
	note[0] = '\0';
	if (b->skipped_configs)
		(void)snprintf(note, size,
			"%u of %zu settings are drawn; --settings A,B,... chooses others",
			b->figure->series_count, b->config_count);
	else if (b->skipped_cells)
		(void)snprintf(note, size,
			"%u cells that differ from a drawn one in more than buffer and direction "
			"are not drawn",
			b->skipped_cells);
}

static int build_figure(struct build *b, const struct plot_request *request, struct error *err)
{
	int64_t id = request->sweep;
	int rc = id ? 0 : plot_choose_sweep(b->store, &id, err);

	rc = rc ? rc : read_plan(b, id, err);
	if (rc)
		return rc;
	choose_kind(b);
	choose_rows(b);
	if (!b->figure->row_count)
		return error_set(err, -ENODATA,
			"sweep %lld of %s has no TCP or UDP cells to draw; --sweep N chooses "
			"another",
			(long long)id, store_path(b->store));
	choose_categories(b);
	for (size_t i = 0; i < b->cell_count; i++)
		place_cell(b, i);
	rc = choose_series(b, request->settings, err);
	for (unsigned column = 0; column < PLOT_COLUMNS && !rc; column++)
		rc = fill_column(b, column, err);
	if (rc)
		return rc;
	add_limits(b);
	add_words(b);
	plot_choose_scales(b->figure);
	return 0;
}

int plot_build(struct store *store, const struct plot_request *request,
	struct plot_figure *ret_figure, char *note, size_t note_size, struct error *err)
{
	struct build build = {.store = store, .figure = ret_figure};
	int rc;

	memset(ret_figure, 0, sizeof(*ret_figure));
	rc = build_figure(&build, request, err);
	if (!rc)
		write_note(&build, note, note_size);
	build_fini(&build);
	return rc;
}
