/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: which process runs a sweep, in which environment, and how its time was spent. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tuner/store_private.h"

/* Start time of a process in clock ticks since boot, so that a reused pid is told apart; 0: gone.
 */
static int64_t process_started(pid_t pid)
{
	char path[64], line[1024], *after_name;
	unsigned long long started = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* the name in field 2 may hold spaces; field 22 is the 20th after its bracket */
	if (fgets(line, sizeof(line), file) && (after_name = strrchr(line, ')')))
		(void)sscanf(after_name + 2,
			"%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			"%*s "
			"%llu",
			&started);
	(void)fclose(file);
	return (int64_t)started;
}

static int refuse_if_run_by_another(struct store *store, int64_t sweep, struct error *err)
{
	pid_t holder = 0;
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT pid, pid_started FROM session WHERE sweep = ? AND ended_ns IS NULL", "i",
		sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		pid_t pid = (pid_t)sqlite3_column_int64(stmt, 0);

		if (pid != getpid() && process_started(pid) == sqlite3_column_int64(stmt, 1))
			holder = pid;
	}
	sqlite3_finalize(stmt);
	if (r == 0 && holder)
		return error_set(err, -EBUSY, "process %d is running this sweep in %s already",
			(int)holder, store->path);
	return r;
}

static int put_environment(
	struct store *store, const json_t *environment, int64_t *ret_id, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_exec(
		store, err, "INSERT OR IGNORE INTO environment(json) VALUES(?)", "j", environment);

	if (r == 0)
		r = store_query(store, &stmt, err, "SELECT id FROM environment WHERE json = ?", "j",
			environment);
	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0)
		*ret_id = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

static int add_session(struct store *store, int64_t sweep, const json_t *environment,
	int64_t *ret_session, struct error *err)
{
	int64_t id = 0;
	int r = environment ? put_environment(store, environment, &id, err) : 0;

	if (r == 0)
		r = store_exec(store, err,
			"INSERT INTO session(sweep, environment, pid, pid_started, started_ns)"
			" VALUES(?, nullif(?, 0), ?, ?, ?)",
			"iiiii", sweep, id, (int64_t)getpid(), process_started(getpid()),
			(int64_t)clock_read_ns(CLOCK_REALTIME));
	if (r == 0)
		*ret_session = sqlite3_last_insert_rowid(store->db);
	return r;
}

int store_begin_session(struct store *store, int64_t sweep, const json_t *environment,
	int64_t *ret_session, unsigned *ret_lost, struct error *err)
{
	int64_t session = 0;
	unsigned lost;
	int r = store_begin(store, err);

	if (r < 0)
		return r;
	r = refuse_if_run_by_another(store, sweep, err);
	if (r == 0)
		r = store_exec(store, err,
			"UPDATE trial SET status = 'planned', started_ns = NULL,"
			" interrupted = interrupted + 1 WHERE sweep = ? AND status = 'running'",
			"i", sweep);
	lost = (unsigned)sqlite3_changes(store->db);
	if (r == 0)
		r = add_session(store, sweep, environment, &session, err);
	if (r < 0) {
		store_rollback(store);
		return r;
	}
	r = store_commit(store, err);
	if (r < 0)
		return r;
	*ret_session = session;
	if (ret_lost)
		*ret_lost = lost;
	return 0;
}

int store_end_session(
	struct store *store, int64_t session, const struct session_times *times, struct error *err)
{
	return store_exec(store, err,
		"UPDATE session SET ended_ns = ?, wall_ns = ?, measured_ns = ?, settling_ns = ?"
		" WHERE id = ?",
		"iiiii", (int64_t)clock_read_ns(CLOCK_REALTIME), (int64_t)times->wall_ns,
		(int64_t)times->measured_ns, (int64_t)times->settling_ns, session);
}

int store_read_times(
	struct store *store, int64_t sweep, struct session_times *ret_times, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT total(wall_ns), total(measured_ns), total(settling_ns)"
		" FROM session WHERE sweep = ?",
		"i", sweep);

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0) {
		ret_times->wall_ns = (uint64_t)sqlite3_column_int64(stmt, 0);
		ret_times->measured_ns = (uint64_t)sqlite3_column_int64(stmt, 1);
		ret_times->settling_ns = (uint64_t)sqlite3_column_int64(stmt, 2);
	}
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

int store_read_environment(
	struct store *store, int64_t sweep, json_t **ret_environment, struct error *err)
{
	json_t *environment = NULL;
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT json FROM environment JOIN session ON environment.id ="
		" session.environment WHERE sweep = ? ORDER BY session.id DESC LIMIT 1",
		"i", sweep);

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0)
		environment = store_column_json(stmt, 0);
	sqlite3_finalize(stmt);
	if (r < 0)
		return r;
	if (!environment)
		return error_set(err, -ENOENT, "%s holds no environment for sweep %" PRId64,
			store->path, sweep);
	*ret_environment = environment;
	return 0;
}
