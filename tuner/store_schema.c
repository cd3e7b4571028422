/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a store. A change here needs a new STORE_VERSION. */
#include "tuner/store_private.h"

/*
 * Times are nanoseconds of CLOCK_REALTIME. JSON columns hold what no query asks for; what tables
 * and charts are made of are columns. metric has no rowid: its key (name, trial) is the order in
 * which one metric of a whole sweep is read.
 */
static const char schema[] =
	"CREATE TABLE environment("
	" id INTEGER PRIMARY KEY,"
	" json TEXT NOT NULL UNIQUE) STRICT;"

	"CREATE TABLE sweep("
	" id INTEGER PRIMARY KEY,"
	" kind TEXT NOT NULL CHECK(kind IN ('sweep','compare')),"
	" created TEXT NOT NULL,"
	" version TEXT NOT NULL,"
	" device TEXT NOT NULL,"
	" chip TEXT NOT NULL,"
	" path TEXT NOT NULL,"
	" seed INTEGER NOT NULL,"
	" blocks INTEGER NOT NULL,"
	" seconds INTEGER NOT NULL,"
	" baseline INTEGER NOT NULL,"
	" options TEXT NOT NULL,"
	" base TEXT NOT NULL) STRICT;"

	"CREATE TABLE session("
	" id INTEGER PRIMARY KEY,"
	" sweep INTEGER NOT NULL REFERENCES sweep(id),"
	" environment INTEGER REFERENCES environment(id),"
	" pid INTEGER NOT NULL,"
	" pid_started INTEGER NOT NULL,"
	" started_ns INTEGER NOT NULL,"
	" ended_ns INTEGER,"
	" wall_ns INTEGER NOT NULL DEFAULT 0,"
	" measured_ns INTEGER NOT NULL DEFAULT 0,"
	" settling_ns INTEGER NOT NULL DEFAULT 0) STRICT;"
	"CREATE INDEX session_by_sweep ON session(sweep);"

	"CREATE TABLE config("
	" id INTEGER PRIMARY KEY,"
	" sweep INTEGER NOT NULL REFERENCES sweep(id),"
	" ordinal INTEGER NOT NULL,"
	" name TEXT NOT NULL,"
	" settings TEXT NOT NULL,"
	" asked TEXT NOT NULL,"
	" note TEXT NOT NULL,"
	" UNIQUE(sweep, name), UNIQUE(sweep, ordinal)) STRICT;"

	"CREATE TABLE cell("
	" id INTEGER PRIMARY KEY,"
	" sweep INTEGER NOT NULL REFERENCES sweep(id),"
	" ordinal INTEGER NOT NULL,"
	" workload TEXT NOT NULL,"
	" UNIQUE(sweep, workload), UNIQUE(sweep, ordinal)) STRICT;"

	"CREATE TABLE trial("
	" id INTEGER PRIMARY KEY,"
	" sweep INTEGER NOT NULL REFERENCES sweep(id),"
	" config INTEGER NOT NULL REFERENCES config(id),"
	" cell INTEGER NOT NULL REFERENCES cell(id),"
	" block INTEGER NOT NULL,"
	" position INTEGER NOT NULL,"
	" attempt INTEGER NOT NULL,"
	" pair INTEGER NOT NULL,"
	" interrupted INTEGER NOT NULL DEFAULT 0,"
	" status TEXT NOT NULL CHECK(status IN ('planned','running','ok','void','failed')),"
	" session INTEGER REFERENCES session(id),"
	" started_ns INTEGER,"
	" ended_ns INTEGER,"
	" reason TEXT,"
	" note TEXT,"
	" requested TEXT,"
	" readback TEXT,"
	" effective TEXT,"
	" UNIQUE(sweep, position, attempt)) STRICT;"
	"CREATE INDEX trial_by_status ON trial(sweep, status, position);"

	"CREATE TABLE metric("
	" name TEXT NOT NULL,"
	" trial INTEGER NOT NULL REFERENCES trial(id),"
	" value REAL NOT NULL,"
	" PRIMARY KEY(name, trial)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX metric_by_trial ON metric(trial);"

	"CREATE TABLE raw("
	" trial INTEGER NOT NULL REFERENCES trial(id),"
	" kind TEXT NOT NULL,"
	" bytes INTEGER NOT NULL,"
	" zlib BLOB NOT NULL,"
	" PRIMARY KEY(trial, kind)) STRICT;"

	"CREATE TABLE look("
	" id INTEGER PRIMARY KEY,"
	" sweep INTEGER NOT NULL REFERENCES sweep(id),"
	" metric TEXT NOT NULL,"
	" cell INTEGER NOT NULL REFERENCES cell(id),"
	" config_a INTEGER NOT NULL REFERENCES config(id),"
	" config_b INTEGER NOT NULL REFERENCES config(id),"
	" pairs INTEGER NOT NULL,"
	" ratio REAL NOT NULL,"
	" low REAL,"
	" high REAL,"
	" confidence REAL NOT NULL,"
	" p_value REAL NOT NULL,"
	" verdict TEXT NOT NULL,"
	" UNIQUE(sweep, metric, cell, config_a, config_b, pairs)) STRICT;";

int store_create_schema(struct store *store, struct error *err)
{
	char *sql;
	int rc, r = store_begin(store, err);

	if (r < 0)
		return r;
	sql = sqlite3_mprintf("%s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema,
		STORE_APPLICATION_ID, STORE_VERSION);
	rc = sql ? sqlite3_exec(store->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	if (rc != SQLITE_OK) {
		r = store_fail(store, rc, err);
		store_rollback(store);
		return r;
	}
	return store_commit(store, err);
}
