/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a plan: sweep, configurations, cells, planned trials. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/version.h"
#include "tuner/store_private.h"

static const char *const kind_names[] = {
	[SWEEP_KIND_SWEEP] = "sweep",
	[SWEEP_KIND_COMPARE] = "compare",
};

void store_sweep_clear(struct store_sweep *sweep)
{
	json_decref(sweep->options);
	json_decref(sweep->base);
	memset(sweep, 0, sizeof(*sweep));
}

void store_config_clear(struct store_config *config)
{
	json_decref(config->settings);
	json_decref(config->asked);
	memset(config, 0, sizeof(*config));
}

static void stamp_now(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	(void)strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

int store_add_sweep(struct store *store, struct store_sweep *sweep, struct error *err)
{
	int r;

	stamp_now(sweep->created, sizeof(sweep->created));
	(void)snprintf(sweep->version, sizeof(sweep->version), "%s", MODERATO_VERSION);
	r = store_exec(store, err,
		"INSERT INTO sweep(kind, created, version, device, chip, path, seed, blocks,"
		" seconds, baseline, options, base) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
		"ssssssiiiijj", kind_names[sweep->kind], sweep->created, sweep->version,
		sweep->device, sweep->chip, sweep->path_kind, (int64_t)sweep->seed,
		(int64_t)sweep->blocks, (int64_t)sweep->seconds, (int64_t)sweep->baseline,
		sweep->options, sweep->base);
	if (r == 0)
		sweep->id = sqlite3_last_insert_rowid(store->db);
	return r;
}

int store_add_config(
	struct store *store, int64_t sweep, struct store_config *config, struct error *err)
{
	int r = store_exec(store, err,
		"INSERT INTO config(sweep, ordinal, name, settings, asked, note) "
		"VALUES(?,?,?,?,?,?)",
		"iisjjs", sweep, (int64_t)config->ordinal, config->name, config->settings,
		config->asked, config->note);

	if (r == 0)
		config->id = sqlite3_last_insert_rowid(store->db);
	return r;
}

int store_add_cell(struct store *store, int64_t sweep, struct store_cell *cell, struct error *err)
{
	int r = store_exec(store, err, "INSERT INTO cell(sweep, ordinal, workload) VALUES(?,?,?)",
		"iis", sweep, (int64_t)cell->ordinal, cell->workload);

	if (r == 0)
		cell->id = sqlite3_last_insert_rowid(store->db);
	return r;
}

int store_add_trial(struct store *store, struct store_trial *trial, struct error *err)
{
	int r = store_exec(store, err,
		"INSERT INTO trial(sweep, config, cell, block, position, attempt, pair, status)"
		" VALUES(?,?,?,?,?,?,?,'planned')",
		"iiiiiii", trial->sweep, trial->config, trial->cell, (int64_t)trial->block,
		(int64_t)trial->position, (int64_t)trial->attempt, (int64_t)trial->pair);

	if (r == 0) {
		trial->id = sqlite3_last_insert_rowid(store->db);
		trial->status = TRIAL_PLANNED;
	}
	return r;
}
