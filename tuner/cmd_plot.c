/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato plot: a sweep as a picture, and as a table where no picture can be drawn. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/plot_build.h"
#include "tuner/sweep_tables.h"

#define BASE_NAME "throughput"

static int make_directory(const char *dir, struct error *err)
{
	if (mkdir(dir, 0777) && errno != EEXIST)
		return error_sys(err, -errno, "cannot make the directory %s", dir);
	return 0;
}

/* Measured, but not drawn: the numbers are shown, and the exit code says so. */
static int without_picture(struct store *store, int64_t sweep, struct error *err)
{
	struct table_view view = {.format = TABLE_TEXT, .spread = true};
	int rc;

	rc = sweep_tables_print(store, sweep, NULL, &view, stdout, NULL);
	if (rc)
		return rc;
	error_context(err, "measured, not plotted");
	return COMMAND_PARTIAL;
}

static int draw(struct store *store, struct plot_request *request, const char *dir,
	unsigned formats, struct error *err)
{
	struct plot_figure *figure = calloc(1, sizeof(*figure));
	struct plot_result result = {.file_count = 0};
	char note[PLOT_TEXT_MAX] = "";
	int rc;

	if (!figure)
		return error_sys(err, -ENOMEM, "cannot plot");
	rc = request->sweep ? 0 : plot_choose_sweep(store, &request->sweep, err);
	rc = rc ? rc : plot_build(store, request, figure, note, sizeof(note), err);
	rc = rc ? rc : make_directory(dir, err);
	if (!rc) {
		rc = plot_draw(figure, dir, BASE_NAME, formats, &result, err);
		if (rc == -ENOENT || rc == -EIO)
			rc = without_picture(store, request->sweep, err);
	}
	for (unsigned i = 0; i < result.file_count && !rc; i++)
		printf("%s\n", result.file[i]);
	if (!rc && *result.note)
		fprintf(stderr, "note: %s\n", result.note);
	if (rc >= 0 && *note)
		fprintf(stderr, "note: %s\n", note);
	free(figure);
	return rc;
}

int cmd_plot(int argc, char **argv, struct error *err)
{
	struct plot_request request = {0};
	const char *dir = ".", *format = "both";
	const struct option_row rows[] = {
		OPT_STRING("out", 'o', &dir, "DIR", "where pictures and scripts go (default .)"),
		OPT_STRING(
			"format", 'f', &format, "png|svg|both", "kind of picture (default both)"),
		OPT_STRING("settings", 's', &request.settings, "A,B,...",
			"settings to draw, at most 8 (default: the first of the sweep)"),
		OPT_INT("sweep", 0, &request.sweep, "N", 1, 1e9,
			"which sweep of the file (default: the newest)"),
		OPT_END};
	struct options options = {.rows = rows,
		.operands_min = 1,
		.operands_max = 1,
		.details = "Exit code 3: measured, but no picture could be drawn; the tables are "
			   "then printed.\n"};
	struct store *store;
	unsigned formats;
	int rc = options_parse(&options, argc, argv, err);

	if (rc)
		return rc;
	rc = plot_format_parse(format, &formats, err);
	rc = rc ? rc : store_open(options.operand[0], STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = draw(store, &request, dir, formats, err);
	store_close(store);
	return rc;
}
