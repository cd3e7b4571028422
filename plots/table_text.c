/* SPDX-License-Identifier: BSD-2-Clause */
/* A table for the terminal: aligned, at most a page wide, settings in several panels if need be. */
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "plots/table.h"

#define CELL_TEXT      64
#define GAP	       2  /* blanks between columns */
#define NAME_WIDTH_MAX 24 /* longer names get a number and stand below */

/* What a page of the table looks like. */
struct layout {
	const struct table *table;
	const struct table_view *view;
	size_t label_width; /* of the buffer column */
	size_t cell_width;  /* of one direction */
	size_t per_panel;   /* settings side by side */
	bool numbered;	    /* "(1)" instead of names */
};

static char *heading(const struct layout *layout, size_t setting, char *buf, size_t size)
{
	if (layout->numbered)
		(void)snprintf(buf, size, "(%zu)", setting + 1);
	else
		(void)snprintf(
			buf, size, "%.*s", NAME_WIDTH_MAX, layout->table->settings[setting].name);
	return buf;
}

static size_t widest_cell(const struct table *table, const struct table_view *view)
{
	size_t count = table->row_count * table->setting_count * table->direction_count, width = 5;

	for (size_t i = 0; i < count; i++) {
		char text[CELL_TEXT];

		width = MAX(width, strlen(table_format_cell(
					   table, &table->cells[i], view, text, sizeof(text))));
	}
	return width;
}

static struct layout make_layout(const struct table *table, const struct table_view *view)
{
	struct layout layout = {.table = table, .view = view, .label_width = strlen("buffer")};
	size_t group, names = 0;

	for (size_t i = 0; i < table->row_count; i++)
		layout.label_width = MAX(layout.label_width, strlen(table->rows[i].label));
	for (size_t i = 0; i < table->setting_count; i++)
		names = MAX(names, strlen(table->settings[i].name));
	layout.numbered = names > NAME_WIDTH_MAX;
	if (layout.numbered)
		names = strlen("(999)");
	layout.cell_width = widest_cell(table, view);
	/* the name stands over all directions of its setting */
	group = table->direction_count * (layout.cell_width + GAP) - GAP;
	if (group < names)
		layout.cell_width +=
			(names - group + table->direction_count - 1) / table->direction_count;
	group = table->direction_count * (layout.cell_width + GAP);
	layout.per_panel = MAX((TABLE_PAGE_WIDTH - layout.label_width) / group, 1u);
	return layout;
}

static const char *row_heading(const struct table *table)
{
	return strcmp(table->protocol, "rr") ? "buffer" : "bytes";
}

static bool has_directions(const struct table *table)
{
	return table->direction_count > 1 || *table->directions[0];
}

static void print_names(const struct layout *layout, size_t first, size_t last, FILE *out)
{
	const struct table *table = layout->table;
	int group = (int)(table->direction_count * (layout->cell_width + GAP));
	char text[CELL_TEXT];

	fprintf(out, "%*s", (int)layout->label_width,
		has_directions(table) ? "" : row_heading(table));
	for (size_t s = first; s < last; s++)
		fprintf(out, "%*s", group, heading(layout, s, text, sizeof(text)));
	fprintf(out, "\n");
}

static void print_directions(const struct layout *layout, size_t first, size_t last, FILE *out)
{
	const struct table *table = layout->table;

	if (!has_directions(table))
		return;
	fprintf(out, "%*s", (int)layout->label_width, row_heading(table));
	for (size_t s = first; s < last; s++)
		for (size_t d = 0; d < table->direction_count; d++)
			fprintf(out, "%*s", (int)(layout->cell_width + GAP), table->directions[d]);
	fprintf(out, "\n");
}

static void print_row(const struct layout *layout, size_t row, size_t first, size_t last, FILE *out)
{
	const struct table *table = layout->table;

	fprintf(out, "%*s", (int)layout->label_width, table->rows[row].label);
	for (size_t s = first; s < last; s++) {
		for (size_t d = 0; d < table->direction_count; d++) {
			char text[CELL_TEXT];

			fprintf(out, "%*s", (int)(layout->cell_width + GAP),
				table_format_cell(table, table_at(table, row, s, d), layout->view,
					text, sizeof(text)));
		}
	}
	fprintf(out, "\n");
}

static void wrap(FILE *out, const char *first, const char *text)
{
	size_t column = strlen(first), indent = column;

	fprintf(out, "%s", first);
	while (*text) {
		size_t word = strcspn(text, " ");

		if (column > indent && column + 1 + word > TABLE_PAGE_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			(void)fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)word, text);
		column += word;
		text += word + strspn(text + word, " ");
	}
	fprintf(out, "\n");
}

static void print_legend(const struct layout *layout, FILE *out)
{
	const struct table *table = layout->table;

	for (size_t s = 0; s < table->setting_count; s++) {
		const struct table_setting *setting = &table->settings[s];
		char first[400];
		bool named = strcmp(setting->name, setting->knobs) != 0;

		if (!layout->numbered && !named)
			continue;
		if (layout->numbered)
			(void)snprintf(first, sizeof(first), "(%zu) ", s + 1);
		else
			(void)snprintf(first, sizeof(first), "%s%s: ", setting->name,
				setting->baseline ? " (baseline)" : "");
		if (layout->numbered && named)
			wrap(out, first, setting->name);
		wrap(out, layout->numbered && named ? "    " : first, setting->knobs);
	}
}

static void print_judgements(const struct table *table, FILE *out)
{
	char text[512];
	size_t at = 0;

	if (!table_next_judgement(table, &at, text, sizeof(text)))
		return;
	fprintf(out, "\nratios to %s (interval), verdict:\n", table_baseline(table));
	do {
		wrap(out, "  ", text);
	} while (table_next_judgement(table, &at, text, sizeof(text)));
	fprintf(out, "+ better, - worse, = same, ? not proven\n");
}

void table_print_text(const struct table *table, const struct table_view *view, FILE *out)
{
	struct layout layout = make_layout(table, view);
	char caption[1024];

	for (size_t first = 0; first < table->setting_count; first += layout.per_panel) {
		size_t last = MIN(first + layout.per_panel, table->setting_count);

		if (first)
			fprintf(out, "\n");
		print_names(&layout, first, last, out);
		print_directions(&layout, first, last, out);
		for (size_t r = 0; r < table->row_count; r++)
			print_row(&layout, r, first, last, out);
	}
	fprintf(out, "\n");
	wrap(out, "", table_format_caption(table, caption, sizeof(caption)));
	print_legend(&layout, out);
	for (size_t i = 0; i < table->note_count; i++)
		wrap(out, "note: ", table->notes[i]);
	if (view->verdicts)
		print_judgements(table, out);
}
