/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures drawn by gnuplot: panels of series over categories, each point a median with its
 * extremes. */
#ifndef MODERATO_PLOTS_PLOT_H
#define MODERATO_PLOTS_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

#define PLOT_SERIES_MAX	    8
#define PLOT_CATEGORIES_MAX 16
#define PLOT_COLUMNS	    3
#define PLOT_ROWS_MAX	    3
#define PLOT_TEXT_MAX	    200

struct plot_point {
	unsigned n; /* trials; 0: nothing measured here */
	double median, low, high;
};

struct plot_panel {
	double limit; /* a line across with its label, 0: none */
	char limit_label[48];
	struct plot_point point[PLOT_SERIES_MAX][PLOT_CATEGORIES_MAX];
};

/* Rows of PLOT_COLUMNS panels over the same categories; the first column is the wide one. */
struct plot_figure {
	char title[PLOT_TEXT_MAX], subtitle[PLOT_TEXT_MAX], footnote[PLOT_TEXT_MAX];
	char x_label[64];
	unsigned series_count, category_count, row_count;
	char series[PLOT_SERIES_MAX][64];
	char category[PLOT_CATEGORIES_MAX][24];
	char column_title[PLOT_COLUMNS][64]; /* what, with its unit */
	char row_title[PLOT_ROWS_MAX][32];
	bool log_y[PLOT_COLUMNS]; /* an axis is shared by the rows */
	struct plot_panel panel[PLOT_ROWS_MAX][PLOT_COLUMNS];
};

enum plot_format { PLOT_FORMAT_PNG = 1, PLOT_FORMAT_SVG = 2 };

#define PLOT_FILES_MAX 4

struct plot_result {
	unsigned file_count;
	char file[PLOT_FILES_MAX][256]; /* pictures made, each with its script at "<file>.gp" */
	char note[PLOT_TEXT_MAX]; /* a sentence when another terminal than wished drew one, or "" */
};

/**
 * plot_format_parse() - "png", "svg" or "both" to bits of enum plot_format
 * Return: 0 or a usage error.
 */
int plot_format_parse(const char *text, unsigned *ret_formats, struct error *err);

/** plot_choose_scales() - logarithmic where a column's values span more than a factor of 15; never
 * the first column, whose axis begins at 0. */
void plot_choose_scales(struct plot_figure *figure);

/**
 * plot_draw() - draw @figure as DIR/BASE.png and DIR/BASE.svg, as @formats ask
 * The gnuplot script, data included, is kept beside each picture, also when gnuplot is missing or
 * fails. Terminals are tried in the order pngcairo, png, svg, dumb. Pictures appear whole or not.
 * @base: a plain file name without directory.
 * Return: 0; -ENODATA when nothing was measured; -ENOENT without gnuplot; -EIO when no terminal
 * produced a picture (the sentence has gnuplot's own last words).
 */
int plot_draw(const struct plot_figure *figure, const char *dir, const char *base, unsigned formats,
	struct plot_result *ret_result, struct error *err);

#endif
