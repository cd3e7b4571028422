/* SPDX-License-Identifier: BSD-2-Clause */
/* A table in Markdown, one column for each setting and direction, as people post it. */
#include <string.h>

#include "plots/table.h"

#define CELL_TEXT 64

/* A bar would end the cell. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|' || *text == '\\')
			(void)fputc('\\', out);
		(void)fputc(*text, out);
	}
}

static void print_header(const struct table *table, FILE *out)
{
	fprintf(out, "| buffer |");
	for (size_t s = 0; s < table->setting_count; s++) {
		for (size_t d = 0; d < table->direction_count; d++) {
			(void)fputc(' ', out);
			print_escaped(out, table->settings[s].name);
			fprintf(out, "%s%s |", *table->directions[d] ? " " : "",
				table->directions[d]);
		}
	}
	fprintf(out, "\n|---:|");
	for (size_t i = 0; i < table->setting_count * table->direction_count; i++)
		fprintf(out, "---:|");
	fprintf(out, "\n");
}

static void print_row(
	const struct table *table, const struct table_view *view, size_t row, FILE *out)
{
	fprintf(out, "| %s |", table->rows[row].label);
	for (size_t s = 0; s < table->setting_count; s++) {
		for (size_t d = 0; d < table->direction_count; d++) {
			char text[CELL_TEXT];

			(void)table_format_cell(
				table, table_at(table, row, s, d), view, text, sizeof(text));
			text[strlen(text) - (*text && text[strlen(text) - 1] == ' ')] = '\0';
			fprintf(out, " %s |", text);
		}
	}
	fprintf(out, "\n");
}

static void print_judgements(const struct table *table, FILE *out)
{
	char text[512];
	size_t at = 0;

	if (!table_next_judgement(table, &at, text, sizeof(text)))
		return;
	fprintf(out, "\nRatios to ");
	print_escaped(out, table_baseline(table));
	fprintf(out, " (+ better, - worse, = same, ? not proven):\n\n");
	do {
		fprintf(out, "- ");
		print_escaped(out, text);
		fprintf(out, "\n");
	} while (table_next_judgement(table, &at, text, sizeof(text)));
}

void table_print_markdown(const struct table *table, const struct table_view *view, FILE *out)
{
	char caption[1024];

	print_header(table, out);
	for (size_t r = 0; r < table->row_count; r++)
		print_row(table, view, r, out);
	fprintf(out, "\n");
	print_escaped(out, table_format_caption(table, caption, sizeof(caption)));
	fprintf(out, "\n");
	for (size_t s = 0; s < table->setting_count; s++) {
		const struct table_setting *setting = &table->settings[s];

		if (strcmp(setting->name, setting->knobs) == 0)
			continue;
		fprintf(out, "%s- ", s ? "" : "\n");
		print_escaped(out, setting->name);
		fprintf(out, "%s: ", setting->baseline ? " (baseline)" : "");
		print_escaped(out, setting->knobs);
		fprintf(out, "\n");
	}
	for (size_t i = 0; i < table->note_count; i++) {
		fprintf(out, "\n");
		print_escaped(out, table->notes[i]);
		fprintf(out, "\n");
	}
	if (view->verdicts)
		print_judgements(table, out);
}
