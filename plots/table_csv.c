/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as CSV (RFC 4180), one line for each setting, workload and metric. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "plots/table.h"

static void print_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', out);
		(void)fputc(*text, out);
	}
	(void)fputc('"', out);
}

/* With a comma in front; an absent number is an empty field. */
static void print_number(FILE *out, bool present, double value)
{
	(void)fputc(',', out);
	if (present && isfinite(value))
		fprintf(out, "%.10g", value);
}

static void print_cell(
	const struct table *table, size_t row, size_t setting, size_t direction, FILE *out)
{
	const struct table_cell *cell = table_at(table, row, setting, direction);
	bool has_value = cell->state == TABLE_VALUE;

	if (cell->state == TABLE_ABSENT)
		return;
	print_field(out, table->settings[setting].name);
	(void)fputc(',', out);
	print_field(out, table->settings[setting].knobs);
	fprintf(out, ",%d,", table->settings[setting].baseline);
	print_field(out, table->workload);
	fprintf(out, ",%s,%s,%" PRIu64 ",%s,%s,%u,%u,%u", table->protocol,
		table->directions[direction], table->rows[row].buffer_bytes, table->metric,
		table->unit, cell->n, cell->lost, cell->missing);
	print_number(out, has_value, cell->median);
	print_number(out, has_value, cell->low);
	print_number(out, has_value, cell->high);
	fprintf(out, ",%d", cell->two_modes);
	print_number(out, cell->judged, cell->pairs);
	print_number(out, cell->judged, cell->ratio);
	print_number(out, cell->judged, cell->ratio_low);
	print_number(out, cell->judged, cell->ratio_high);
	print_number(out, cell->judged && !isnan(cell->ratio_low), cell->confidence);
	fprintf(out, ",%s\r\n", cell->judged ? cell->verdict : "");
}

void table_print_csv(const struct table *tables, size_t count, FILE *out)
{
	fprintf(out, "setting,knobs,baseline,workload,protocol,direction,buffer_bytes,metric,unit,"
		     "n,lost,"
		     "missing,median,min,max,two_modes,pairs,ratio,ratio_low,ratio_high,confidence,"
		     "verdict\r\n");
	for (size_t t = 0; t < count; t++)
		for (size_t s = 0; s < tables[t].setting_count; s++)
			for (size_t r = 0; r < tables[t].row_count; r++)
				for (size_t d = 0; d < tables[t].direction_count; d++)
					print_cell(&tables[t], r, s, d, out);
}
