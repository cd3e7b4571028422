/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a trial in the store: next, running, finished with its figures, or planned again. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "common/clock.h"
#include "tuner/store_private.h"

static const char *const status_names[TRIAL_STATUS_COUNT] = {
	[TRIAL_PLANNED] = "planned",
	[TRIAL_RUNNING] = "running",
	[TRIAL_OK] = "ok",
	[TRIAL_VOID] = "void",
	[TRIAL_FAILED] = "failed",
};

const char *trial_status_name(enum trial_status status)
{
	return status_names[status];
}

static int64_t real_now_ns(void)
{
	return (int64_t)clock_read_ns(CLOCK_REALTIME);
}

int store_next_trial(
	struct store *store, int64_t sweep, struct store_trial *ret_trial, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT id, config, cell, block, position, attempt, pair, interrupted"
		" FROM trial WHERE sweep = ? AND status = 'planned'"
		" ORDER BY position, attempt LIMIT 1",
		"i", sweep);

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0)
		*ret_trial = (struct store_trial){
			.id = sqlite3_column_int64(stmt, 0),
			.sweep = sweep,
			.config = sqlite3_column_int64(stmt, 1),
			.cell = sqlite3_column_int64(stmt, 2),
			.block = (unsigned)sqlite3_column_int64(stmt, 3),
			.position = (unsigned)sqlite3_column_int64(stmt, 4),
			.attempt = (unsigned)sqlite3_column_int64(stmt, 5),
			.pair = (unsigned)sqlite3_column_int64(stmt, 6),
			.interrupted = (unsigned)sqlite3_column_int64(stmt, 7),
			.status = TRIAL_PLANNED,
		};
	sqlite3_finalize(stmt);
	return r == 0 ? -ENOENT : r < 0 ? r : 0;
}

int store_start_trial(
	struct store *store, const struct store_trial *trial, int64_t session, struct error *err)
{
	return store_exec(store, err,
		"UPDATE trial SET status = 'running', session = ?, started_ns = ? WHERE id = ?",
		"iii", session, real_now_ns(), trial->id);
}

int store_abandon_trial(struct store *store, const struct store_trial *trial, struct error *err)
{
	return store_exec(store, err,
		"UPDATE trial SET status = 'planned', started_ns = NULL,"
		" interrupted = interrupted + 1 WHERE id = ? AND status = 'running'",
		"i", trial->id);
}

static int put_metrics(
	struct store *store, int64_t trial, const struct store_outcome *outcome, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < outcome->metric_count && r == 0; i++)
		if (!isnan(outcome->metrics[i].value))
			r = store_exec(store, err,
				"INSERT INTO metric(name, trial, value) VALUES(?,?,?)", "sid",
				outcome->metrics[i].name, trial, outcome->metrics[i].value);
	return r;
}

static int put_blob(
	struct store *store, int64_t trial, const struct store_blob *blob, struct error *err)
{
	uLongf bytes = compressBound(blob->bytes);
	void *packed = malloc(bytes);
	int r;

	if (!packed || compress(packed, &bytes, blob->data, blob->bytes) != Z_OK) {
		free(packed);
		return error_set(err, -ENOMEM, "out of memory for the raw data of a trial");
	}
	r = store_exec(store, err, "INSERT INTO raw(trial, kind, bytes, zlib) VALUES(?,?,?,?)",
		"isib", trial, blob->kind, (int64_t)blob->bytes, (const void *)packed,
		(size_t)bytes);
	free(packed);
	return r;
}

static int put_outcome(struct store *store, const struct store_trial *trial,
	const struct store_outcome *outcome, struct error *err)
{
	int r = store_exec(store, err,
		"UPDATE trial SET status = ?, ended_ns = ?, reason = ?, note = ?,"
		" requested = ?, readback = ?, effective = ? WHERE id = ?",
		"sissjjji", status_names[outcome->status], real_now_ns(), outcome->reason,
		outcome->note, outcome->requested, outcome->readback, outcome->effective,
		trial->id);

	if (r == 0 && outcome->status == TRIAL_OK)
		r = put_metrics(store, trial->id, outcome, err);
	for (size_t i = 0; i < outcome->blob_count && r == 0; i++)
		r = put_blob(store, trial->id, &outcome->blobs[i], err);
	return r;
}

int store_finish_trial(struct store *store, const struct store_trial *trial,
	const struct store_outcome *outcome, bool retry, struct error *err)
{
	struct store_trial again = *trial;
	int r = store_begin(store, err);

	if (r < 0)
		return r;
	r = put_outcome(store, trial, outcome, err);
	if (r == 0 && retry) {
		again.attempt++;
		r = store_add_trial(store, &again, err);
	}
	if (r < 0) {
		store_rollback(store);
		return r;
	}
	return store_commit(store, err);
}

static void count_status(struct store_progress *progress, const char *name, unsigned count)
{
	for (unsigned i = 0; i < TRIAL_STATUS_COUNT; i++)
		if (strcmp(name, status_names[i]) == 0)
			progress->count[i] = count;
}

int store_read_progress(
	struct store *store, int64_t sweep, struct store_progress *ret_progress, struct error *err)
{
	struct store_progress progress = {0};
	unsigned waiting = 0;
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT status, count(*), (SELECT max(position) FROM trial"
		" WHERE sweep = ?1) FROM trial WHERE sweep = ?1 GROUP BY status",
		"i", sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		count_status(&progress, (const char *)sqlite3_column_text(stmt, 0),
			(unsigned)sqlite3_column_int64(stmt, 1));
		progress.positions = (unsigned)sqlite3_column_int64(stmt, 2);
	}
	sqlite3_finalize(stmt);
	if (r < 0)
		return r;
	waiting = progress.count[TRIAL_PLANNED] + progress.count[TRIAL_RUNNING];
	progress.done = progress.positions - waiting;
	*ret_progress = progress;
	return 0;
}
