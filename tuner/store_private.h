/* SPDX-License-Identifier: BSD-2-Clause */
/* What the store's own files and its tests share: the handle and one-line statements. */
#ifndef MODERATO_TUNER_STORE_PRIVATE_H
#define MODERATO_TUNER_STORE_PRIVATE_H

#include <sqlite3.h>

#include "tuner/store.h"

struct store {
	sqlite3 *db;
	char *path;
	bool writable;
	unsigned depth; /* of nested transactions */
};

/* "modr": marks our files among SQLite's */
#define STORE_APPLICATION_ID 0x6d6f6472

/** store_create_schema() - tables of an empty file, in one transaction. */
int store_create_schema(struct store *store, struct error *err);

/** store_fail() - turn SQLite's result into an error number and one sentence. */
int store_fail(struct store *store, int rc, struct error *err);

/**
 * store_query() - prepare and bind
 * @types: one letter per argument: i int64_t, d double (NaN: NULL), s string (NULL: NULL),
 * j const json_t * (NULL: NULL), b const void * and size_t.
 */
int store_query(struct store *store, sqlite3_stmt **ret_stmt, struct error *err, const char *sql,
		const char *types, ...);
/** store_step() - 1 for a row, 0 at the end, negative on failure. */
int store_step(struct store *store, sqlite3_stmt *stmt, struct error *err);
/** store_exec() - one statement that returns no rows; arguments as for store_query(). */
int store_exec(struct store *store, struct error *err, const char *sql, const char *types, ...);

/** store_column_text() - copy a text column, cut to @size; "" for NULL. */
void store_column_text(sqlite3_stmt *stmt, int column, char *buf, size_t size);
/** store_column_json() - parsed column; new reference, NULL for NULL or damaged text. */
json_t *store_column_json(sqlite3_stmt *stmt, int column);

#endif
