/* SPDX-License-Identifier: BSD-2-Clause */
/* Collecting rows, measuring them, printing them aligned. */
#include "tuner/columns.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/util.h"

#define COLUMNS_MAX	  16
#define COLUMN_GAP	  2
#define LAST_COLUMN_LEAST 20 /* narrower than this it is not worth wrapping */

struct row {
	char *cell[COLUMNS_MAX];
	bool heading;
};

struct columns {
	char alignment[COLUMNS_MAX + 1];
	unsigned count, filled;
	struct row *rows;
	size_t row_count; /* without the one being filled */
};

/* A few hundred short strings: running out of memory here leaves nothing useful to do. */
static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void columns_open_row(struct columns *columns)
{
	columns->rows = must(realloc(columns->rows, (columns->row_count + 1) * sizeof(struct row)));
	memset(&columns->rows[columns->row_count], 0, sizeof(struct row));
	columns->filled = 0;
}

struct columns *columns_new(const char *alignment)
{
	struct columns *columns = must(calloc(1, sizeof(*columns)));

	(void)snprintf(columns->alignment, sizeof(columns->alignment), "%s", alignment);
	columns->count = (unsigned)strlen(columns->alignment);
	columns_open_row(columns);
	return columns;
}

void columns_cell(struct columns *columns, const char *fmt, ...)
{
	struct row *row = &columns->rows[columns->row_count];
	va_list ap;

	if (columns->filled >= columns->count)
		return;
	va_start(ap, fmt);
	if (vasprintf(&row->cell[columns->filled], fmt, ap) < 0)
		abort();
	va_end(ap);
	columns->filled++;
}

void columns_end_row(struct columns *columns)
{
	columns->row_count++;
	columns_open_row(columns);
}

void columns_end_heading(struct columns *columns)
{
	columns->rows[columns->row_count].heading = true;
	columns_end_row(columns);
}

static const char *cell_text(const struct row *row, unsigned column)
{
	return row->cell[column] ? row->cell[column] : "";
}

/* Columns on the screen: bytes that do not continue a UTF-8 sequence. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void measure(const struct columns *columns, size_t *width)
{
	for (unsigned c = 0; c < columns->count; c++) {
		width[c] = 0;
		for (size_t i = 0; i < columns->row_count; i++)
			width[c] = MAX(width[c], text_width(cell_text(&columns->rows[i], c)));
	}
}

static void pad(FILE *out, size_t count)
{
	while (count--)
		(void)fputc(' ', out);
}

/* Print @text with lines of at most @width, later lines indented by @indent. */
static void print_paragraph(FILE *out, const char *text, size_t indent, size_t width)
{
	while (text_width(text) > width) {
		size_t cut = width;

		while (cut && text[cut] != ' ')
			cut--;
		if (!cut)
			break;
		(void)fprintf(out, "%.*s\n", (int)cut, text);
		pad(out, indent);
		text += cut + 1;
	}
	(void)fprintf(out, "%s\n", text);
}

static void print_row(
	const struct columns *columns, const struct row *row, const size_t *width, FILE *out)
{
	size_t at = 0, spaces = 0;
	unsigned last = columns->count - 1;

	if (row->heading)
		(void)fputs(console_bold(out), out);
	for (unsigned c = 0; c < last; c++) {
		const char *text = cell_text(row, c);
		size_t fill = width[c] - text_width(text);

		if (columns->alignment[c] == 'r')
			spaces += fill;
		if (*text) {
			pad(out, spaces);
			(void)fputs(text, out);
			spaces = 0;
		}
		if (columns->alignment[c] != 'r')
			spaces += fill;
		spaces += COLUMN_GAP;
		at += width[c] + COLUMN_GAP;
	}
	if (columns->alignment[last] == 'r')
		spaces += width[last] - text_width(cell_text(row, last));
	if (*cell_text(row, last))
		pad(out, spaces);
	print_paragraph(out, cell_text(row, last), at,
		COLUMNS_PAGE_WIDTH > at + LAST_COLUMN_LEAST ? COLUMNS_PAGE_WIDTH - at : SIZE_MAX);
	if (row->heading)
		(void)fputs(console_plain(out), out);
}

void columns_print_free(struct columns *columns, FILE *out)
{
	size_t width[COLUMNS_MAX];

	if (!columns)
		return;
	measure(columns, width);
	for (size_t i = 0; i < columns->row_count; i++)
		print_row(columns, &columns->rows[i], width, out);
	for (size_t i = 0; i <= columns->row_count; i++)
		for (unsigned c = 0; c < columns->count; c++)
			free(columns->rows[i].cell[c]);
	free(columns->rows);
	free(columns);
}

bool console_has_color(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return isatty(fileno(out)) && term && *term && strcmp(term, "dumb");
}

const char *console_bold(FILE *out)
{
	return console_has_color(out) ? "\033[1m" : "";
}

const char *console_plain(FILE *out)
{
	return console_has_color(out) ? "\033[0m" : "";
}

void print_wrapped(FILE *out, const char *prefix, const char *text)
{
	size_t indent = text_width(prefix);

	(void)fputs(prefix, out);
	print_paragraph(out, text, indent, COLUMNS_PAGE_WIDTH - indent);
}
