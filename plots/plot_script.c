/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the gnuplot script of a figure: styles, data blocks, panels, one legend for all. */
#include "plots/plot_private.h"

#include <ctype.h>
#include <math.h>

/* Okabe and Ito's colours without yellow: told apart with any kind of colour vision, and by shape.
 */
static const struct {
	const char *color;
	int point;
} series_style[PLOT_SERIES_MAX] = {
	{"#0072B2", 7},
	{"#D55E00", 5},
	{"#009E73", 9},
	{"#CC79A7", 13},
	{"#E69F00", 11},
	{"#56B4E9", 6},
	{"#000000", 4},
	{"#7F7F7F", 8},
};

/* Panels, in parts of the picture: room for the heading above and the legend below. */
#define TOP	    0.860
#define BOTTOM	    0.155
#define ROW_GAP	    0.050
#define LINEAR_ROOM 1.07
#define LOG_ROOM    1.25
#define DODGE_SHARE                                                                                \
	0.014 /* of the axis, so that whiskers of several settings do not lie on each other */

static const struct {
	double left, right;
} column_place[PLOT_COLUMNS] = {{0.062, 0.440}, {0.495, 0.720}, {0.765, 0.990}};

void plot_script_quote(const char *text, FILE *script)
{
	fputc('\'', script);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("''", script);
		else if (!iscntrl((unsigned char)*text))
			fputc(*text, script);
	}
	fputc('\'', script);
}

static double dodge(const struct plot_figure *figure, unsigned series)
{
	return (series - (figure->series_count - 1) / 2.0) * DODGE_SHARE * figure->category_count;
}

static void write_number(double value, FILE *script)
{
	if (isfinite(value))
		fprintf(script, " %.6g", value);
	else
		fputs(" NaN", script);
}

static void write_block(const struct plot_figure *figure, unsigned row, unsigned column,
	unsigned series, FILE *script)
{
	const struct plot_point *points = figure->panel[row][column].point[series];

	fprintf(script, "$r%uc%us%u << EOD\n", row, column, series);
	for (unsigned i = 0; i < figure->category_count; i++) {
		bool present = points[i].n > 0;

		fprintf(script, "%.4g", i + dodge(figure, series));
		write_number(present ? points[i].median : NAN, script);
		write_number(present ? points[i].low : NAN, script);
		write_number(present ? points[i].high : NAN, script);
		fprintf(script, " %u\n", points[i].n);
	}
	fputs("EOD\n", script);
}

static void write_data(const struct plot_figure *figure, FILE *script)
{
	fputs("# columns: place on the axis, median, least, greatest, trials\n", script);
	for (unsigned row = 0; row < figure->row_count; row++) {
		for (unsigned column = 0; column < PLOT_COLUMNS; column++) {
			fputs("# ", script);
			plot_script_quote(figure->row_title[row], script);
			fputc(' ', script);
			plot_script_quote(figure->column_title[column], script);
			fputc('\n', script);
			for (unsigned s = 0; s < figure->series_count; s++)
				write_block(figure, row, column, s, script);
		}
	}
}

static void write_styles(const struct plot_figure *figure, double point_size, FILE *script)
{
	for (unsigned s = 0; s < figure->series_count; s++)
		fprintf(script, "set style line %u lc rgb '%s' lw 2 pt %d ps %g\n", s + 1,
			series_style[s].color, series_style[s].point, point_size);
	fputs("set border 3 lc rgb '#606060' lw 1\n"
	      "set tics nomirror out scale 0.6 tc rgb '#202020'\n"
	      "set grid ytics lc rgb '#E4E4E4' lw 1 lt 1\n"
	      "set bars 0.6\n"
	      "unset key\n",
		script);
	fprintf(script, "set xrange [-0.5:%g]\n", figure->category_count - 0.5);
}

static void write_xtics(const struct plot_figure *figure, bool labels, FILE *script)
{
	fputs("set xtics (", script);
	for (unsigned i = 0; i < figure->category_count; i++) {
		if (i)
			fputs(", ", script);
		plot_script_quote(labels ? figure->category[i] : "", script);
		fprintf(script, " %u", i);
	}
	fputs(")\n", script);
}

static bool series_has_whiskers(const struct plot_figure *figure, const struct plot_point *points)
{
	for (unsigned i = 0; i < figure->category_count; i++) {
		if (points[i].n > 1)
			return true;
	}
	return false;
}

static void write_limit(const struct plot_panel *panel, FILE *script)
{
	if (!(panel->limit > 0))
		return;
	fprintf(script,
		"set arrow 1 from graph 0,first %.6g to graph 1,first %.6g nohead back"
		" lc rgb '#909090' lw 1 dt 2\n",
		panel->limit, panel->limit);
	fputs("set label 1 ", script);
	plot_script_quote(panel->limit_label, script);
	fprintf(script, " at graph 0.01,first %.6g left offset 0,0.6 tc rgb '#707070'\n",
		panel->limit);
}

/* Marks at 1, 2 and 5 of each decade; gnuplot alone would label whole decades only. */
static void write_log_axis(double low, double high, FILE *script)
{
	static const double steps[] = {1, 2, 5};
	const char *separator = "";

	low /= LOG_ROOM;
	high *= LOG_ROOM;
	fprintf(script, "set logscale y\nset yrange [%.6g:%.6g]\nset ytics (", low, high);
	for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); decade++) {
		for (unsigned i = 0; i < 3; i++) {
			double mark = steps[i] * pow(10, decade);

			if (mark < low || mark > high)
				continue;
			fprintf(script, "%s%.6g", separator, mark);
			separator = ", ";
		}
	}
	fputs(")\n", script);
}

static double row_height(const struct plot_figure *figure)
{
	return (TOP - BOTTOM - ROW_GAP * (figure->row_count - 1)) / figure->row_count;
}

static double row_top(const struct plot_figure *figure, unsigned row)
{
	return TOP - row * (row_height(figure) + ROW_GAP);
}

static void write_place(
	const struct plot_figure *figure, unsigned row, unsigned column, FILE *script)
{
	double top = row_top(figure, row);

	fprintf(script, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
		column_place[column].left, column_place[column].right);
	fprintf(script, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", top,
		top - row_height(figure));
}

static void write_axes(
	const struct plot_figure *figure, unsigned row, unsigned column, FILE *script)
{
	const struct plot_panel *panel = &figure->panel[row][column];
	bool last = row + 1 == figure->row_count;
	double low, high;

	(void)plot_column_range(figure, column, &low, &high);
	fputs("set ytics autofreq\nunset arrow\nunset label\n", script);
	if (figure->log_y[column])
		write_log_axis(low, high, script);
	else
		fprintf(script, "unset logscale y\nset yrange [0:%.6g]\n",
			high > 0 ? fmax(high, panel->limit) * LINEAR_ROOM : 1);
	write_xtics(figure, last, script);
	write_limit(panel, script);
}

/* Whiskers of all series first, so that no marker is crossed by one. */
static void write_curves(
	const struct plot_figure *figure, unsigned row, unsigned column, FILE *script)
{
	const struct plot_panel *panel = &figure->panel[row][column];
	const char *separator = "plot";

	for (unsigned s = 0; s < figure->series_count; s++) {
		if (!series_has_whiskers(figure, panel->point[s]))
			continue;
		fprintf(script,
			"%s $r%uc%us%u using 1:2:3:4 with yerrorbars ls %u lw 1.3 pt -1 notitle",
			separator, row, column, s, s + 1);
		separator = ", \\\n ";
	}
	for (unsigned s = 0; s < figure->series_count; s++) {
		fprintf(script, "%s $r%uc%us%u using 1:2 with linespoints ls %u notitle", separator,
			row, column, s, s + 1);
		separator = ", \\\n ";
	}
	fputc('\n', script);
}

static void write_panel(
	const struct plot_figure *figure, unsigned row, unsigned column, FILE *script)
{
	write_place(figure, row, column, script);
	write_axes(figure, row, column, script);
	if (plot_panel_points(&figure->panel[row][column])) {
		write_curves(figure, row, column, script);
		return;
	}
	fputs("unset logscale y\nset yrange [0:1]\n"
	      "set label 2 'not measured' at graph 0.5,0.5 center tc rgb '#707070'\n"
	      "plot -1 notitle\n",
		script);
}

static void write_label(const char *text, double x, double y, const char *style, FILE *script)
{
	fputs("set label ", script);
	plot_script_quote(text, script);
	fprintf(script, " at screen %.4f,%.4f center %s\n", x, y, style);
}

/* By places on the page, because offsets in characters differ between terminals. */
static void write_texts(const struct plot_figure *figure, FILE *script)
{
	write_label(figure->title, 0.5, 0.970, "font ',15' tc rgb '#101010'", script);
	write_label(figure->subtitle, 0.5, 0.930, "tc rgb '#404040'", script);
	write_label(figure->footnote, 0.5, 0.018, "font ',9' tc rgb '#606060'", script);
	for (unsigned column = 0; column < PLOT_COLUMNS; column++) {
		double middle = (column_place[column].left + column_place[column].right) / 2;

		write_label(
			figure->column_title[column], middle, TOP + 0.025, "font ',13'", script);
		write_label(figure->x_label, middle, BOTTOM - 0.060, "tc rgb '#202020'", script);
	}
	for (unsigned row = 0; row < figure->row_count; row++)
		write_label(figure->row_title[row], 0.013,
			row_top(figure, row) - row_height(figure) / 2, "rotate font ',15'", script);
}

/* An empty plot over the whole picture carries the legend and the words around the panels. */
static void write_frame(const struct plot_figure *figure, FILE *script)
{
	fputs("set lmargin at screen 0\nset rmargin at screen 1\nset tmargin at screen 1\n"
	      "set bmargin at screen 0\nunset border\nunset tics\nunset grid\n"
	      "unset arrow\nunset label\nunset logscale y\n"
	      "set xrange [0:1]\nset yrange [0:1]\n",
		script);
	write_texts(figure, script);
	fputs("set key at screen 0.5,0.056 center center horizontal Left reverse samplen 2.5 width "
	      "1\n",
		script);
	for (unsigned s = 0; s < figure->series_count; s++) {
		fputs(s ? ", \\\n  -1 with linespoints" : "plot -1 with linespoints", script);
		fprintf(script, " ls %u title ", s + 1);
		plot_script_quote(figure->series[s], script);
	}
	fputc('\n', script);
}

void plot_script_write(const struct plot_figure *figure, enum plot_terminal terminal,
	const char *output, FILE *script)
{
	fputs("# Made by moderato; \"gnuplot FILE\" in this directory draws the picture again.\n",
		script);
	fprintf(script, "reset\n%s\nset output ", plot_terminal_table[terminal].set);
	plot_script_quote(output, script);
	fputs("\nset encoding utf8\n", script);
	write_data(figure, script);
	fputs("set multiplot\n", script);
	write_styles(figure, plot_terminal_table[terminal].point_size, script);
	for (unsigned row = 0; row < figure->row_count; row++) {
		for (unsigned column = 0; column < PLOT_COLUMNS; column++)
			write_panel(figure, row, column, script);
	}
	write_frame(figure, script);
	fputs("unset multiplot\nunset output\n", script);
}
