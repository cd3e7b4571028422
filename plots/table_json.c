/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as JSON, with everything that a cell knows. */
#include <math.h>

#include "plots/table.h"

static json_t *number(bool present, double value)
{
	return present && isfinite(value) ? json_real(value) : json_null();
}

static json_t *judgement_json(const struct table_cell *cell)
{
	if (!cell->judged)
		return json_null();
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:s}", "pairs", (int)cell->pairs, "ratio",
		number(true, cell->ratio), "low", number(true, cell->ratio_low), "high",
		number(true, cell->ratio_high), "confidence",
		number(!isnan(cell->ratio_low), cell->confidence), "verdict", cell->verdict);
}

static json_t *cell_json(const struct table *table, size_t row, size_t setting, size_t direction)
{
	static const char *const states[] = {
		[TABLE_ABSENT] = "absent",
		[TABLE_MISSING] = "missing",
		[TABLE_VOID] = "void",
		[TABLE_VALUE] = "value",
	};
	const struct table_cell *cell = table_at(table, row, setting, direction);
	bool present = cell->state == TABLE_VALUE;

	return json_pack("{s:s, s:I, s:s, s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:b, s:o}", "setting",
		table->settings[setting].name, "buffer_bytes",
		(json_int_t)table->rows[row].buffer_bytes, "direction",
		table->directions[direction], "state", states[cell->state], "n", (int)cell->n,
		"lost", (int)cell->lost, "missing", (int)cell->missing, "median",
		number(present, cell->median), "min", number(present, cell->low), "max",
		number(present, cell->high), "two_modes", cell->two_modes, "baseline_ratio",
		judgement_json(cell));
}

static json_t *settings_json(const struct table *table)
{
	json_t *array = json_array();

	for (size_t s = 0; s < table->setting_count; s++)
		(void)json_array_append_new(array,
			json_pack("{s:s, s:s, s:b}", "name", table->settings[s].name, "knobs",
				table->settings[s].knobs, "baseline", table->settings[s].baseline));
	return array;
}

static json_t *cells_json(const struct table *table)
{
	json_t *array = json_array();

	for (size_t r = 0; r < table->row_count; r++)
		for (size_t s = 0; s < table->setting_count; s++)
			for (size_t d = 0; d < table->direction_count; d++)
				if (table_at(table, r, s, d)->state != TABLE_ABSENT)
					(void)json_array_append_new(
						array, cell_json(table, r, s, d));
	return array;
}

json_t *table_json(const struct table *table)
{
	json_t *notes = json_array();

	for (size_t i = 0; i < table->note_count; i++)
		(void)json_array_append_new(notes, json_string(table->notes[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o}",
		"metric", table->metric, "unit", table->unit, "meaning", table->meaning, "better",
		table->better, "workload", table->workload, "protocol", table->protocol, "device",
		table->device, "chip", table->chip, "intmode", table->intmode, "cpu", table->cpu,
		"path", table->path, "date", table->date, table->pairs ? "pairs" : "blocks",
		(int)table->blocks, "settings", settings_json(table), "cells", cells_json(table),
		"notes", notes);
}
