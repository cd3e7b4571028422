/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the parts that draw: terminals, scripts, and running gnuplot. */
#ifndef MODERATO_PLOTS_PLOT_PRIVATE_H
#define MODERATO_PLOTS_PLOT_PRIVATE_H

#include <stdio.h>

#include "plots/plot.h"

enum plot_terminal {
	PLOT_TERMINAL_PNGCAIRO,
	PLOT_TERMINAL_PNG,
	PLOT_TERMINAL_SVG,
	PLOT_TERMINAL_DUMB,
	PLOT_TERMINAL_COUNT
};

struct plot_terminal_info {
	const char *name;
	const char *suffix;    /* of the picture */
	const char *set;       /* the script's "set terminal" line */
	double point_size;     /* of markers, gnuplot's unit */
	const char *signature; /* what the picture holds near its start, "" = anything */
};
extern const struct plot_terminal_info plot_terminal_table[PLOT_TERMINAL_COUNT];

/** plot_panel_points() - how many points of a panel are measured. */
unsigned plot_panel_points(const struct plot_panel *panel);
/** plot_column_range() - least and greatest over the rows, which share an axis; false: nothing. */
bool plot_column_range(
	const struct plot_figure *figure, unsigned column, double *ret_low, double *ret_high);

/** plot_script_write() - the whole script, data blocks included, for a picture called @output. */
void plot_script_write(const struct plot_figure *figure, enum plot_terminal terminal,
	const char *output, FILE *script);
/** plot_script_quote() - 'text' for gnuplot: quotes doubled, control characters left out. */
void plot_script_quote(const char *text, FILE *script);

/**
 * gnuplot_probe() - which terminals has the gnuplot in PATH?
 * @ret_available: bit per enum plot_terminal; all when gnuplot does not tell.
 * Return: 0, -ENOENT without gnuplot, or negative.
 */
int gnuplot_probe(unsigned *ret_available, struct error *err);
/**
 * gnuplot_run() - run DIR/SCRIPT in a private directory and move what it draws to DIR/OUTPUT
 * Exit code, size and signature of the picture are checked.
 * Return: 0, -ENOENT without gnuplot, -EIO when it failed.
 */
int gnuplot_run(const char *dir, const char *script, const char *output, const char *signature,
	struct error *err);

#endif
