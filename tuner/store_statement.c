/* SPDX-License-Identifier: BSD-2-Clause */
/* One-line SQL statements with typed arguments, and columns as C values. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/store_private.h"

static int bind_json(sqlite3_stmt *stmt, int index, const json_t *value)
{
	char *text;

	if (!value)
		return sqlite3_bind_null(stmt, index);
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (!text)
		return SQLITE_NOMEM;
	return sqlite3_bind_text(stmt, index, text, -1, free);
}

static int bind_bytes(sqlite3_stmt *stmt, int index, const void *data, size_t bytes)
{
	return sqlite3_bind_blob64(stmt, index, data, bytes, SQLITE_TRANSIENT);
}

static int bind_arguments(sqlite3_stmt *stmt, const char *types, va_list ap)
{
	int rc = SQLITE_OK;

	for (int index = 1; *types && rc == SQLITE_OK; types++, index++) {
		const void *data;

		switch (*types) {
		case 'i':
			rc = sqlite3_bind_int64(stmt, index, va_arg(ap, int64_t));
			break;
		case 'd':
			rc = sqlite3_bind_double(stmt, index, va_arg(ap, double));
			break;
		case 's':
			rc = sqlite3_bind_text(
				stmt, index, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
			break;
		case 'j':
			rc = bind_json(stmt, index, va_arg(ap, const json_t *));
			break;
		case 'b':
			data = va_arg(ap, const void *);
			rc = bind_bytes(stmt, index, data, va_arg(ap, size_t));
			break;
		default:
			rc = SQLITE_MISUSE;
		}
	}
	return rc;
}

static int query(struct store *store, sqlite3_stmt **ret_stmt, struct error *err, const char *sql,
	const char *types, va_list ap)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = bind_arguments(stmt, types, ap);
	if (rc != SQLITE_OK) {
		int r = store_fail(store, rc, err);

		sqlite3_finalize(stmt);
		return r;
	}
	*ret_stmt = stmt;
	return 0;
}

int store_query(struct store *store, sqlite3_stmt **ret_stmt, struct error *err, const char *sql,
	const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = query(store, ret_stmt, err, sql, types, ap);
	va_end(ap);
	return r;
}

int store_step(struct store *store, sqlite3_stmt *stmt, struct error *err)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : store_fail(store, rc, err);
}

int store_exec(struct store *store, struct error *err, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt;
	va_list ap;
	int r;

	va_start(ap, types);
	r = query(store, &stmt, err, sql, types, ap);
	va_end(ap);
	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

void store_column_text(sqlite3_stmt *stmt, int column, char *buf, size_t size)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	(void)snprintf(buf, size, "%s", text ? (const char *)text : "");
}

json_t *store_column_json(sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return text ? json_loads((const char *)text, JSON_DECODE_ANY, NULL) : NULL;
}
