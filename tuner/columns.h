/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned columns of text for a terminal or a pipe; the last column wraps at the width of the page.
 */
#ifndef MODERATO_TUNER_COLUMNS_H
#define MODERATO_TUNER_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#define COLUMNS_PAGE_WIDTH 100

struct columns;

/** columns_new() - one letter a column: 'l' left, 'r' right aligned. Aborts when out of memory. */
struct columns *columns_new(const char *alignment);
/** columns_cell() - the next cell of the present row; cells past the last column are dropped. */
void columns_cell(struct columns *columns, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** columns_end_row() - cells not given are empty. */
void columns_end_row(struct columns *columns);
/** columns_end_heading() - as columns_end_row(); the row is shown bold on a terminal. */
void columns_end_heading(struct columns *columns);
/** columns_print_free() - print all rows and free. NULL is accepted. */
void columns_print_free(struct columns *columns, FILE *out);

/** console_has_color() - is @out a terminal, TERM not "dumb", and NO_COLOR unset? */
bool console_has_color(FILE *out);
/** console_bold() / console_plain() - escape sequences, or "" without colour. */
const char *console_bold(FILE *out);
const char *console_plain(FILE *out);

/** print_wrapped() - @text after @prefix, wrapped at the page's width, later lines indented as far
 * as the prefix reaches. */
void print_wrapped(FILE *out, const char *prefix, const char *text);

#endif
