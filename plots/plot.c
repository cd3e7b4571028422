/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawing a figure: terminals in order of preference, scripts kept beside the pictures. */
#include "plots/plot.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/util.h"
#include "plots/plot_private.h"

#define LOG_SPAN 15.0
#define PIXELS	 "size 1600,900"
#define POINTS	 "size 1200,675" /* the same in points, as SVG counts its fonts */

/* noenhanced: names may hold _ ^ { } @; fonts by name, an unknown one is replaced in silence. */
const struct plot_terminal_info plot_terminal_table[PLOT_TERMINAL_COUNT] = {
	[PLOT_TERMINAL_PNGCAIRO] = {"pngcairo", "png",
		"set terminal pngcairo noenhanced " PIXELS
		" font 'DejaVu Sans,12' background '#FFFFFF'",
		1.1, "\x89PNG"},
	[PLOT_TERMINAL_PNG] = {"png", "png",
		"set terminal png noenhanced truecolor " PIXELS
		" font 'DejaVu Sans,11' background '#FFFFFF'",
		1.1, "\x89PNG"},
	[PLOT_TERMINAL_SVG] = {"svg", "svg",
		"set terminal svg noenhanced dynamic " POINTS
		" font 'DejaVu Sans,12' background '#FFFFFF'",
		0.75, "<svg"},
	[PLOT_TERMINAL_DUMB] = {"dumb", "txt", "set terminal dumb noenhanced size 200,64", 1, ""},
};

int plot_format_parse(const char *text, unsigned *ret_formats, struct error *err)
{
	if (!strcmp(text, "png"))
		*ret_formats = PLOT_FORMAT_PNG;
	else if (!strcmp(text, "svg"))
		*ret_formats = PLOT_FORMAT_SVG;
	else if (!strcmp(text, "both"))
		*ret_formats = PLOT_FORMAT_PNG | PLOT_FORMAT_SVG;
	else
		return error_usage(
			err, "unknown format \"%.40s\": it may be png, svg or both", text);
	return 0;
}

unsigned plot_panel_points(const struct plot_panel *panel)
{
	unsigned count = 0;

	for (unsigned s = 0; s < PLOT_SERIES_MAX; s++) {
		for (unsigned i = 0; i < PLOT_CATEGORIES_MAX; i++)
			count += panel->point[s][i].n > 0;
	}
	return count;
}

static void panel_range(const struct plot_panel *panel, double *low, double *high)
{
	for (unsigned s = 0; s < PLOT_SERIES_MAX; s++) {
		for (unsigned i = 0; i < PLOT_CATEGORIES_MAX; i++) {
			const struct plot_point *p = &panel->point[s][i];

			if (!p->n)
				continue;
			*low = fmin(*low, p->low);
			*high = fmax(*high, p->high);
		}
	}
}

bool plot_column_range(
	const struct plot_figure *figure, unsigned column, double *ret_low, double *ret_high)
{
	*ret_low = INFINITY;
	*ret_high = -INFINITY;
	for (unsigned row = 0; row < figure->row_count; row++)
		panel_range(&figure->panel[row][column], ret_low, ret_high);
	return *ret_low <= *ret_high;
}

void plot_choose_scales(struct plot_figure *figure)
{
	for (unsigned column = 1; column < PLOT_COLUMNS; column++) {
		double low, high;

		figure->log_y[column] = plot_column_range(figure, column, &low, &high) && low > 0 &&
					high / low > LOG_SPAN;
	}
}

static bool figure_has_data(const struct plot_figure *figure)
{
	double low, high;

	for (unsigned column = 0; column < PLOT_COLUMNS; column++) {
		if (plot_column_range(figure, column, &low, &high))
			return true;
	}
	return false;
}

/* One attempt: write DIR/BASE.SUFFIX.gp, run it. */
static int draw_with(const struct plot_figure *figure, const char *dir, const char *base,
	enum plot_terminal terminal, bool run, struct plot_result *result, struct error *err)
{
	const struct plot_terminal_info *info = &plot_terminal_table[terminal];
	char output[128], script[160], path[PATH_MAX];
	FILE *file;
	int rc = 0;

	(void)snprintf(output, sizeof(output), "%.100s.%s", base, info->suffix);
	(void)snprintf(script, sizeof(script), "%s.gp", output);
	(void)snprintf(path, sizeof(path), "%s/%s", dir, script);
	file = fopen(path, "we");
	if (!file)
		return error_sys(err, -errno, "cannot write %s", path);
	plot_script_write(figure, terminal, output, file);
	if (ferror(file) | fclose(file))
		return error_sys(err, -EIO, "cannot write %s", path);
	if (run)
		rc = gnuplot_run(dir, script, output, info->signature, err);
	if (run && !rc && result->file_count < PLOT_FILES_MAX)
		(void)snprintf(result->file[result->file_count++], sizeof(result->file[0]),
			"%.120s/%s", dir, output);
	return rc;
}

static int draw_format(const struct plot_figure *figure, const char *dir, const char *base,
	enum plot_terminal wished, unsigned available, struct plot_result *result,
	struct error *err)
{
	int rc = -EOPNOTSUPP;

	for (unsigned t = wished; t < PLOT_TERMINAL_COUNT; t++) {
		if (!(available >> t & 1u))
			continue;
		rc = draw_with(figure, dir, base, t, true, result, err);
		if (rc == -ENOENT)
			return rc;
		if (!rc &&
			strcmp(plot_terminal_table[t].suffix, plot_terminal_table[wished].suffix))
			(void)snprintf(result->note, sizeof(result->note),
				"this gnuplot cannot draw %s: %s was drawn instead",
				plot_terminal_table[wished].suffix, plot_terminal_table[t].name);
		if (!rc)
			return 0;
	}
	if (rc == -EOPNOTSUPP)
		return error_set(
			err, -EIO, "gnuplot has none of the terminals pngcairo, png, svg and dumb");
	return rc;
}

/* Without gnuplot the scripts are still worth having. */
static int keep_scripts(const struct plot_figure *figure, const char *dir, const char *base,
	unsigned formats, struct plot_result *result)
{
	struct error ignored = {0};
	int rc = 0;

	if (formats & PLOT_FORMAT_PNG)
		rc = draw_with(figure, dir, base, PLOT_TERMINAL_PNGCAIRO, false, result, &ignored);
	if (!rc && (formats & PLOT_FORMAT_SVG))
		rc = draw_with(figure, dir, base, PLOT_TERMINAL_SVG, false, result, &ignored);
	return rc;
}

int plot_draw(const struct plot_figure *figure, const char *dir, const char *base, unsigned formats,
	struct plot_result *ret_result, struct error *err)
{
	struct plot_result result = {0};
	unsigned available;
	int rc;

	if (!figure_has_data(figure))
		return error_set(err, -ENODATA, "nothing to draw: no trial has a value");
	rc = gnuplot_probe(&available, err);
	if (rc) {
		(void)keep_scripts(figure, dir, base, formats, &result);
		return rc;
	}
	if (formats & PLOT_FORMAT_PNG)
		rc = draw_format(
			figure, dir, base, PLOT_TERMINAL_PNGCAIRO, available, &result, err);
	if (!rc && (formats & PLOT_FORMAT_SVG) && !strstr(result.note, "svg was drawn"))
		rc = draw_format(figure, dir, base, PLOT_TERMINAL_SVG, available, &result, err);
	if (!rc)
		*ret_result = result;
	return rc;
}
