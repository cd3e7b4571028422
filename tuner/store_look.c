/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks: what a comparison said, after how many pairs. */
#include "tuner/store_private.h"

#include <math.h>

int store_put_look(
	struct store *store, int64_t sweep, const struct store_look *look, struct error *err)
{
	return store_exec(store, err,
		"INSERT OR REPLACE INTO look(sweep, metric, cell, config_a, config_b, pairs,"
		" ratio, low, high, confidence, p_value, verdict)"
		" VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
		"isiiiiddddds", sweep, look->metric, look->cell, look->config_a, look->config_b,
		(int64_t)look->pairs, look->ratio, look->low, look->high, look->confidence,
		look->p_value, look->verdict);
}

static double column_or_nan(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(stmt, column);
}

int store_each_look(struct store *store, int64_t sweep,
	int (*visit)(void *context, const struct store_look *look), void *context,
	struct error *err)
{
	sqlite3_stmt *stmt;
	int r = store_query(store, &stmt, err,
		"SELECT metric, cell, config_a, config_b, pairs, ratio, low, high, confidence,"
		" p_value, verdict FROM look WHERE sweep = ? ORDER BY id",
		"i", sweep);

	if (r < 0)
		return r;
	while ((r = store_step(store, stmt, err)) > 0) {
		struct store_look look = {
			.cell = sqlite3_column_int64(stmt, 1),
			.config_a = sqlite3_column_int64(stmt, 2),
			.config_b = sqlite3_column_int64(stmt, 3),
			.pairs = (unsigned)sqlite3_column_int64(stmt, 4),
			.ratio = sqlite3_column_double(stmt, 5),
			.low = column_or_nan(stmt, 6),
			.high = column_or_nan(stmt, 7),
			.confidence = sqlite3_column_double(stmt, 8),
			.p_value = sqlite3_column_double(stmt, 9),
		};

		store_column_text(stmt, 0, look.metric, sizeof(look.metric));
		store_column_text(stmt, 10, look.verdict, sizeof(look.verdict));
		r = visit(context, &look);
		if (r != 0)
			break;
	}
	sqlite3_finalize(stmt);
	return r;
}
