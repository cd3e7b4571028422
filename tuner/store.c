/* SPDX-License-Identifier: BSD-2-Clause */
/* The store's file: open, check, close, transactions, and SQLite's failures as sentences. */
#include "tuner/store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/store_private.h"

#define BUSY_TIMEOUT_MS 5000
#define IN_MEMORY	":memory:" /* SQLite's name for it */

static int fail_disk_full(struct store *store, struct error *err)
{
	return error_set(err, -ENOSPC,
		"cannot write %s: the disk is full; what was measured before is kept, make "
		"room and go on with --resume",
		store->path);
}

static int fail_foreign(struct store *store, struct error *err)
{
	return error_set(
		err, -EMEDIUMTYPE, "%s is not a store of moderato; name another file", store->path);
}

static int fail_damaged(struct store *store, const char *detail, struct error *err)
{
	return error_set(err, -EUCLEAN, "%s is damaged (%.*s); use a copy or a new file",
		store->path, (int)strcspn(detail, "\n"), detail);
}

int store_fail(struct store *store, int rc, struct error *err)
{
	int sys = store->db ? sqlite3_system_errno(store->db) : 0;

	/* on a full tmpfs growing the shared-memory index fails as an I/O error */
	if ((rc & 0xff) == SQLITE_IOERR && sys == ENOSPC)
		return fail_disk_full(store, err);
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return fail_disk_full(store, err);
	case SQLITE_NOTADB:
		return fail_foreign(store, err);
	case SQLITE_CORRUPT:
		return fail_damaged(store, sqlite3_errmsg(store->db), err);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(err, -EBUSY, "%s is locked by another program", store->path);
	case SQLITE_NOMEM:
		return error_set(err, -ENOMEM, "out of memory for %s", store->path);
	case SQLITE_READONLY:
		return error_set(
			err, -EACCES, "cannot write %s: file or folder is read-only", store->path);
	case SQLITE_CANTOPEN:
		return error_sys(err, sys ? -sys : -EIO, "cannot open %s", store->path);
	default:
		return error_set(err, -EIO, "cannot use %s: %s", store->path,
			store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc));
	}
}

int store_begin(struct store *store, struct error *err)
{
	int rc;

	if (store->depth == 0) {
		rc = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			return store_fail(store, rc, err);
	}
	store->depth++;
	return 0;
}

int store_commit(struct store *store, struct error *err)
{
	int rc, r;

	if (store->depth > 1) {
		store->depth--;
		return 0;
	}
	rc = sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
	if (rc == SQLITE_OK) {
		store->depth = 0;
		return 0;
	}
	r = store_fail(store, rc, err);
	store_rollback(store);
	return r;
}

void store_rollback(struct store *store)
{
	/* a full disk may have rolled back already */
	if (!sqlite3_get_autocommit(store->db))
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->depth = 0;
}

static int pragma_int(
	struct store *store, const char *pragma, int64_t *ret_value, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err, pragma, "");

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0)
		*ret_value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

static int check_whole(struct store *store, struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err, "PRAGMA quick_check(1)", "");

	if (r < 0)
		return r;
	r = store_step(store, stmt, err);
	if (r > 0 && strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0)
		r = fail_damaged(store, (const char *)sqlite3_column_text(stmt, 0), err);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

static int check_identity(struct store *store, bool may_create, struct error *err)
{
	int64_t id = 0, version = 0, pages = 0;
	int r = pragma_int(store, "PRAGMA application_id", &id, err);

	if (r == 0)
		r = pragma_int(store, "PRAGMA user_version", &version, err);
	if (r == 0)
		r = pragma_int(store, "PRAGMA page_count", &pages, err);
	if (r < 0)
		return r;
	if (pages == 0 && may_create)
		return store_create_schema(store, err);
	if (id != STORE_APPLICATION_ID)
		return fail_foreign(store, err);
	if (version != STORE_VERSION)
		return error_set(err, -EPROTONOSUPPORT,
			"%s is a store of version %lld, this moderato knows version %d; use the "
			"moderato that wrote it or name a new file",
			store->path, (long long)version, STORE_VERSION);
	return check_whole(store, err);
}

static int prepare_writer(struct store *store, struct error *err)
{
	/* In WAL, NORMAL loses no commit to a killed process; a power cut may cost the last ones.
	 */
	int rc = sqlite3_exec(store->db,
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
		"PRAGMA foreign_keys = ON;",
		NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_fail(store, rc, err);
}

/* "file:PATH?immutable=1" with the path's special characters escaped. */
static char *immutable_uri(const char *path)
{
	char *uri = malloc(strlen(path) * 3 + sizeof("file:?immutable=1")), *to = uri;

	if (!uri)
		return NULL;
	to = stpcpy(to, "file:");
	for (; *path; path++) {
		if (strchr("?#%", *path))
			to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*path);
		else
			*to++ = *path;
	}
	strcpy(to, "?immutable=1");
	return uri;
}

/* A running or killed writer leaves its journal; without one the file is complete and at rest. */
static bool has_journal(const char *path)
{
	char *journal = sqlite3_mprintf("%s-wal", path);
	struct stat st;
	bool present = journal && stat(journal, &st) == 0;

	sqlite3_free(journal);
	return present;
}

static int open_file(struct store *store, enum store_mode mode, struct error *err)
{
	int flags = mode == STORE_READ	  ? SQLITE_OPEN_READONLY
		    : mode == STORE_WRITE ? SQLITE_OPEN_READWRITE
					  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	char *uri = NULL;
	int rc;

	if (mode == STORE_READ && !has_journal(store->path)) {
		/* else SQLite would make files beside it, or refuse in a read-only folder */
		uri = immutable_uri(store->path);
		flags |= SQLITE_OPEN_URI;
	}
	rc = sqlite3_open_v2(uri ? uri : store->path, &store->db, flags, NULL);
	free(uri);
	if (rc != SQLITE_OK)
		return store_fail(store, rc, err);
	(void)sqlite3_extended_result_codes(store->db, 1);
	(void)sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
	return 0;
}

static int check_path(const char *path, enum store_mode mode, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		if (errno == ENOENT && mode == STORE_CREATE)
			return 0;
		if (errno == ENOENT)
			return error_set(err, -ENOENT, "there is no store %s", path);
		return error_sys(err, -errno, "cannot open %s", path);
	}
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EMEDIUMTYPE, "%s is not a file", path);
	return 0;
}

int store_open(const char *path, enum store_mode mode, struct store **ret_store, struct error *err)
{
	struct store *store;
	int r = path ? check_path(path, mode, err) : 0;

	if (r < 0)
		return r;
	store = calloc(1, sizeof(*store));
	if (!store)
		return error_set(err, -ENOMEM, "out of memory for a store");
	store->path = strdup(path ? path : IN_MEMORY);
	store->writable = mode != STORE_READ;
	r = store->path ? open_file(store, mode, err) : -ENOMEM;
	if (r == 0)
		r = check_identity(store, mode == STORE_CREATE, err);
	if (r == 0 && store->writable)
		r = prepare_writer(store, err);
	if (r < 0) {
		store_close(store);
		return r;
	}
	*ret_store = store;
	return 0;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->db && store->depth > 0)
		store_rollback(store);
	(void)sqlite3_close_v2(store->db);
	free(store->path);
	free(store);
}

const char *store_path(const struct store *store)
{
	return store->path;
}
