/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading plans and figures back, for tables, charts, profiles and --resume. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "tuner/store_private.h"

int store_last_sweep(struct store *store, int64_t *ret_sweep, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err, "SELECT id FROM sweep ORDER BY id DESC LIMIT 1", "");

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0)
		*ret_sweep = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	if (r == 0)
		return error_set(err, -ENOENT, "%s holds no sweep", store->path);
	return r < 0 ? r : 0;
}

static void read_sweep_row(sqlite3_stmt *stmt, struct store_sweep *sweep)
{
	const char *kind = (const char *)sqlite3_column_text(stmt, 0);

	sweep->kind = strcmp(kind, "compare") == 0 ? SWEEP_KIND_COMPARE : SWEEP_KIND_SWEEP;
	store_column_text(stmt, 1, sweep->created, sizeof(sweep->created));
	store_column_text(stmt, 2, sweep->version, sizeof(sweep->version));
	store_column_text(stmt, 3, sweep->device, sizeof(sweep->device));
	store_column_text(stmt, 4, sweep->chip, sizeof(sweep->chip));
	store_column_text(stmt, 5, sweep->path_kind, sizeof(sweep->path_kind));
	sweep->seed = (uint64_t)sqlite3_column_int64(stmt, 6);
	sweep->blocks = (unsigned)sqlite3_column_int64(stmt, 7);
	sweep->seconds = (unsigned)sqlite3_column_int64(stmt, 8);
	sweep->baseline = sqlite3_column_int(stmt, 9);
	sweep->options = store_column_json(stmt, 10);
	sweep->base = store_column_json(stmt, 11);
}

int store_read_sweep(
	struct store *store, int64_t sweep, struct store_sweep *ret_sweep, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT kind, created, version, device, chip, path, seed, blocks, seconds,"
		" baseline, options, base FROM sweep WHERE id = ?",
		"i", sweep);

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0) {
		*ret_sweep = (struct store_sweep){.id = sweep};
		read_sweep_row(stmt, ret_sweep);
	}
	sqlite3_finalize(stmt);
	if (r == 0)
		return error_set(err, -ENOENT, "%s holds no sweep %" PRId64, store->path, sweep);
	return r < 0 ? r : 0;
}

/* A growing array of rows of @size bytes; returns the new, zeroed last one. */
static void *add_row(void **rows, size_t *count, size_t size)
{
	void *grown = realloc(*rows, (*count + 1) * size);

	if (!grown)
		return NULL;
	*rows = grown;
	return memset((char *)grown + (*count)++ * size, 0, size);
}

int store_read_configs(struct store *store, int64_t sweep, struct store_config **ret_configs,
	size_t *ret_count, struct error *err)
{
	void *rows = NULL;
	size_t count = 0;
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT id, ordinal, name, settings, asked, note FROM config WHERE sweep = ?"
		" ORDER BY ordinal",
		"i", sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		struct store_config *config = add_row(&rows, &count, sizeof(*config));

		if (!config) {
			r = error_set(err, -ENOMEM, "out of memory for %s", store->path);
			break;
		}
		config->id = sqlite3_column_int64(stmt, 0);
		config->ordinal = (unsigned)sqlite3_column_int64(stmt, 1);
		store_column_text(stmt, 2, config->name, sizeof(config->name));
		config->settings = store_column_json(stmt, 3);
		config->asked = store_column_json(stmt, 4);
		store_column_text(stmt, 5, config->note, sizeof(config->note));
	}
	sqlite3_finalize(stmt);
	if (r < 0) {
		store_configs_free(rows, count);
		return r;
	}
	*ret_configs = rows;
	*ret_count = count;
	return 0;
}

void store_configs_free(struct store_config *configs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		store_config_clear(&configs[i]);
	free(configs);
}

int store_read_cells(struct store *store, int64_t sweep, struct store_cell **ret_cells,
	size_t *ret_count, struct error *err)
{
	void *rows = NULL;
	size_t count = 0;
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT id, ordinal, workload FROM cell WHERE sweep = ? ORDER BY ordinal", "i",
		sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		struct store_cell *cell = add_row(&rows, &count, sizeof(*cell));

		if (!cell) {
			r = error_set(err, -ENOMEM, "out of memory for %s", store->path);
			break;
		}
		cell->id = sqlite3_column_int64(stmt, 0);
		cell->ordinal = (unsigned)sqlite3_column_int64(stmt, 1);
		store_column_text(stmt, 2, cell->workload, sizeof(cell->workload));
	}
	sqlite3_finalize(stmt);
	if (r < 0) {
		free(rows);
		return r;
	}
	*ret_cells = rows;
	*ret_count = count;
	return 0;
}

static enum trial_status parse_status(const char *name)
{
	for (unsigned i = 0; i < TRIAL_STATUS_COUNT; i++)
		if (strcmp(name, trial_status_name(i)) == 0)
			return i;
	return TRIAL_FAILED;
}

int store_each_value(struct store *store, int64_t sweep, const char *metric,
	int (*visit)(void *context, const struct store_value *value), void *context,
	struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT t.id, config, cell, block, pair, status, m.value FROM trial t"
		" LEFT JOIN metric m ON m.name = ? AND m.trial = t.id AND t.status = 'ok'"
		" WHERE sweep = ? AND attempt = (SELECT max(attempt) FROM trial l"
		"  WHERE l.sweep = t.sweep AND l.position = t.position)"
		" ORDER BY position",
		"si", metric, sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		struct store_value value = {
			.trial = sqlite3_column_int64(stmt, 0),
			.config = sqlite3_column_int64(stmt, 1),
			.cell = sqlite3_column_int64(stmt, 2),
			.block = (unsigned)sqlite3_column_int64(stmt, 3),
			.pair = (unsigned)sqlite3_column_int64(stmt, 4),
			.status = parse_status((const char *)sqlite3_column_text(stmt, 5)),
			.present = sqlite3_column_type(stmt, 6) != SQLITE_NULL,
			.value = sqlite3_column_double(stmt, 6),
		};

		r = visit(context, &value);
		if (r != 0)
			break;
	}
	sqlite3_finalize(stmt);
	return r;
}

int store_each_metric(struct store *store, int64_t sweep,
	int (*visit)(void *context, const char *name), void *context, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT DISTINCT name FROM metric JOIN trial ON trial.id = metric.trial"
		" WHERE sweep = ? ORDER BY name",
		"i", sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		r = visit(context, (const char *)sqlite3_column_text(stmt, 0));
		if (r != 0)
			break;
	}
	sqlite3_finalize(stmt);
	return r;
}

int store_read_state(struct store *store, int64_t trial, json_t **ret_requested,
	json_t **ret_readback, json_t **ret_effective, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT requested, readback, effective FROM trial WHERE id = ?", "i", trial);

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0 && ret_requested)
		*ret_requested = store_column_json(stmt, 0);
	if (r > 0 && ret_readback)
		*ret_readback = store_column_json(stmt, 1);
	if (r > 0 && ret_effective)
		*ret_effective = store_column_json(stmt, 2);
	sqlite3_finalize(stmt);
	if (r == 0)
		return error_set(err, -ENOENT, "%s holds no trial %" PRId64, store->path, trial);
	return r < 0 ? r : 0;
}

static void *unpack(const void *packed, size_t packed_bytes, size_t bytes)
{
	char *data = malloc(bytes + 1);
	uLongf got = bytes;

	if (!data)
		return NULL;
	if (uncompress((Bytef *)data, &got, packed, packed_bytes) != Z_OK || got != bytes) {
		free(data);
		return NULL;
	}
	data[bytes] = '\0';
	return data;
}

int store_read_blob(struct store *store, int64_t trial, const char *kind, void **ret_data,
	size_t *ret_bytes, struct error *err)
{
	void *data = NULL;
	size_t bytes = 0;
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT bytes, zlib FROM raw WHERE trial = ? AND kind = ?", "is", trial, kind);

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0) {
		bytes = (size_t)sqlite3_column_int64(stmt, 0);
		data = unpack(
			sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1), bytes);
	}
	sqlite3_finalize(stmt);
	if (r == 0)
		return error_set(err, -ENOENT, "trial %" PRId64 " of %s has no %s data", trial,
			store->path, kind);
	if (r > 0 && !data)
		return error_set(err, -EUCLEAN, "the %s data of trial %" PRId64 " of %s is damaged",
			kind, trial, store->path);
	if (r < 0)
		return r;
	*ret_data = data;
	*ret_bytes = bytes;
	return 0;
}
