/* SPDX-License-Identifier: BSD-2-Clause */
/* What the renderers of tables share: cells, numbers, marks, caption. */
#include "plots/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"

int table_alloc(struct table *table)
{
	size_t count = table->row_count * table->setting_count * table->direction_count;

	table->cells = calloc(count ? count : 1, sizeof(*table->cells));
	return table->cells ? 0 : -ENOMEM;
}

void table_free(struct table *table)
{
	free(table->rows);
	free(table->settings);
	free(table->cells);
	for (size_t i = 0; i < table->note_count; i++)
		free(table->notes[i]);
	memset(table, 0, sizeof(*table));
}

struct table_cell *table_at(const struct table *table, size_t row, size_t setting, size_t direction)
{
	return &table->cells[(row * table->setting_count + setting) * table->direction_count +
			     direction];
}

void table_add_note(struct table *table, const char *text)
{
	char *copy;

	if (table->note_count == TABLE_NOTES_MAX)
		return;
	copy = strdup(text);
	if (copy)
		table->notes[table->note_count++] = copy;
}

int table_format_parse(const char *text, enum table_format *ret_format, struct error *err)
{
	static const struct {
		const char *name;
		enum table_format format;
	} names[] = {
		{"text", TABLE_TEXT},
		{"md", TABLE_MARKDOWN},
		{"markdown", TABLE_MARKDOWN},
		{"csv", TABLE_CSV},
		{"json", TABLE_JSON},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i].name) == 0) {
			*ret_format = names[i].format;
			return 0;
		}
	}
	return error_usage(
		err, "there is no table format \"%.40s\"; there are text, md, csv and json", text);
}

int table_decimals(const struct table *table)
{
	size_t count = table->row_count * table->setting_count * table->direction_count;
	double most = 0.0;

	for (size_t i = 0; i < count; i++)
		if (table->cells[i].state == TABLE_VALUE)
			most = fmax(most, fabs(table->cells[i].median));
	return most >= 10000 ? 0 : most >= 100 ? 1 : most >= 10 ? 2 : most >= 1 ? 3 : 4;
}

void table_trials(const struct table *table, unsigned *ret_least, unsigned *ret_most)
{
	size_t count = table->row_count * table->setting_count * table->direction_count;
	unsigned least = 0, most = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned n = table->cells[i].n;

		if (table->cells[i].state != TABLE_VALUE)
			continue;
		least = least ? MIN(least, n) : n;
		most = MAX(most, n);
	}
	*ret_least = least;
	*ret_most = most;
}

/* One sign behind the number, explained below the table. */
static const char *mark(const struct table_cell *cell)
{
	if (!cell->judged)
		return " ";
	if (strcmp(cell->verdict, "better") == 0)
		return "+";
	if (strcmp(cell->verdict, "worse") == 0)
		return "-";
	return strcmp(cell->verdict, "same") == 0 ? "=" : "?";
}

char *table_format_cell(const struct table *table, const struct table_cell *cell,
	const struct table_view *view, char *buf, size_t size)
{
	int decimals = table_decimals(table);
	unsigned least, most;
	size_t used;

	switch (cell->state) {
	case TABLE_ABSENT:
		(void)snprintf(buf, size, "%s", "");
		return buf;
	case TABLE_MISSING:
		(void)snprintf(buf, size, "-");
		return buf;
	case TABLE_VOID:
		(void)snprintf(buf, size, "void");
		return buf;
	case TABLE_VALUE:
		break;
	}
	table_trials(table, &least, &most);
	used = (size_t)snprintf(buf, size, "%.*f", decimals, cell->median);
	if (view->verdicts && used < size)
		used += (size_t)snprintf(buf + used, size - used, "%s", mark(cell));
	if (view->spread && cell->n > 1 && used < size)
		used += (size_t)snprintf(buf + used, size - used, " %.*f..%.*f", decimals,
			cell->low, decimals, cell->high);
	if (cell->n != most && used < size)
		used += (size_t)snprintf(buf + used, size - used, " (%u)", cell->n);
	if (cell->two_modes && used < size)
		(void)snprintf(buf + used, size - used, " 2m");
	return buf;
}

static size_t append(char *buf, size_t size, size_t used, const char *separator, const char *text)
{
	if (!*text || used >= size)
		return used;
	return used +
	       (size_t)snprintf(buf + used, size - used, "%s%s", used ? separator : "", text);
}

char *table_format_caption(const struct table *table, char *buf, size_t size)
{
	char part[320];
	unsigned least, most;
	size_t used = 0;

	buf[0] = '\0';
	(void)snprintf(part, sizeof(part), "%s in %s", table->metric, table->unit);
	used = append(buf, size, used, "", part);
	if (*table->better) {
		(void)snprintf(part, sizeof(part), "%s is better", table->better);
		used = append(buf, size, used, ", ", part);
	}
	used = append(buf, size, used, "; ", table->workload);
	(void)snprintf(part, sizeof(part), "%s%s%s", table->device, *table->intmode ? ", " : "",
		table->intmode);
	used = append(buf, size, used, "; ", part);
	used = append(buf, size, used, "; ", table->cpu);
	(void)snprintf(part, sizeof(part), "path %s", table->path);
	used = append(buf, size, used, "; ", part);
	used = append(buf, size, used, "; ", table->date);
	(void)snprintf(part, sizeof(part), "%u %s%s", table->blocks,
		table->pairs ? "pair" : "block", table->blocks == 1 ? "" : "s");
	used = append(buf, size, used, "; ", part);
	table_trials(table, &least, &most);
	if (most == 0)
		(void)snprintf(part, sizeof(part), "nothing measured yet");
	else if (most == 1)
		(void)snprintf(part, sizeof(part), "n = 1, no verdicts");
	else if (least == most)
		(void)snprintf(part, sizeof(part), "medians of n = %u", most);
	else
		(void)snprintf(part, sizeof(part), "medians of n = %u, (n) where it is less", most);
	(void)append(buf, size, used, "; ", part);
	return buf;
}

static void format_judgement(const struct table *table, size_t row, size_t setting,
	size_t direction, char *buf, size_t size)
{
	const struct table_cell *cell = table_at(table, row, setting, direction);
	char interval[64] = "no interval";

	if (!isnan(cell->ratio_low))
		(void)snprintf(interval, sizeof(interval), "%.3f to %.3f", cell->ratio_low,
			cell->ratio_high);
	(void)snprintf(buf, size, "%s%s%s, %s: %.3f (%s), %s, %u pairs", table->rows[row].label,
		*table->directions[direction] ? " " : "", table->directions[direction],
		table->settings[setting].name, cell->ratio, interval, cell->verdict, cell->pairs);
}

bool table_next_judgement(const struct table *table, size_t *at, char *buf, size_t size)
{
	size_t per_setting = table->row_count * table->direction_count;

	for (; *at < per_setting * table->setting_count; (*at)++) {
		size_t setting = *at / per_setting,
		       row = *at % per_setting / table->direction_count;
		size_t direction = *at % table->direction_count;

		if (!table_at(table, row, setting, direction)->judged)
			continue;
		format_judgement(table, row, setting, direction, buf, size);
		(*at)++;
		return true;
	}
	return false;
}

const char *table_baseline(const struct table *table)
{
	for (size_t s = 0; s < table->setting_count; s++)
		if (table->settings[s].baseline)
			return table->settings[s].name;
	return "the baseline";
}

static void print_json(const struct table *tables, size_t count, FILE *out)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		(void)json_array_append_new(array, table_json(&tables[i]));
	(void)json_dumpf(array, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	(void)fputc('\n', out);
	json_decref(array);
}

void table_print(const struct table *tables, size_t count, const struct table_view *view, FILE *out)
{
	switch (view->format) {
	case TABLE_CSV:
		table_print_csv(tables, count, out);
		return;
	case TABLE_JSON:
		print_json(tables, count, out);
		return;
	case TABLE_TEXT:
	case TABLE_MARKDOWN:
		break;
	}
	for (size_t i = 0; i < count; i++) {
		if (i)
			(void)fputc('\n', out);
		if (view->format == TABLE_TEXT)
			table_print_text(&tables[i], view, out);
		else
			table_print_markdown(&tables[i], view, out);
	}
}
