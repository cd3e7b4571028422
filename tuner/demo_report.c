/* SPDX-License-Identifier: BSD-2-Clause */
/* The demo's table, verdicts, charts and profile, and its parting words. */
#include "tuner/demo_report.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/util.h"
#include "plots/plot.h"
#include "profiles/profile.h"
#include "tuner/columns.h"
#include "tuner/command.h"
#include "tuner/plot_build.h"
#include "tuner/profile_build.h"
#include "tuner/sweep_tables.h"

/* Tried by a test at small size; both lines must work as printed. */
#define NEXT_SWEEP                                                                                 \
	"sweep --name sim --out %s/sweep.db --buffers 1k,128k --blocks 7 \\\n"                     \
	"      --set 'ITR=195,1500 RDTR=0,375 RADV=128,375 TIDV=64 TADV=128,375'"

void demo_report_begin(const struct demo_plan *plan, const char *device, FILE *out)
{
	fprintf(out,
		"Demo on %s: real TCP through a userspace driver and a simulated NIC.\n"
		"First one block of a table (settings x buffer sizes x directions, one second "
		"each), "
		"then %u pairs\neach of two contrasts. About %s; Ctrl-C stops it in order.\n\n",
		device, plan->pairs, plan == &demo_plan_full ? "two minutes" : "one minute");
	(void)fflush(out);
}

/* How this program is called from where the user stands. */
static const char *program_path(char *buf, size_t size)
{
	char cwd[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	size_t len;

	if (n <= 0)
		return "moderato";
	buf[n] = '\0';
	if (!strcmp(buf, "/usr/bin/moderato") || !strcmp(buf, "/usr/local/bin/moderato"))
		return "moderato";
	len = getcwd(cwd, sizeof(cwd)) ? strlen(cwd) : 0;
	return len > 1 && !strncmp(buf, cwd, len) && buf[len] == '/' ? buf + len + 1 : buf;
}

static int write_tables(struct store *store, int64_t sweep, const char *dir, struct error *err)
{
	static const struct {
		const char *suffix;
		enum table_format format;
	} files[] = {{"txt", TABLE_TEXT}, {"md", TABLE_MARKDOWN}, {"csv", TABLE_CSV},
		{"json", TABLE_JSON}};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && !rc; i++) {
		struct table_view view = {.format = files[i].format};
		char path[PATH_MAX];

		(void)snprintf(path, sizeof(path), "%s/table.%s", dir, files[i].suffix);
		rc = sweep_tables_write(store, sweep, &view, path, err);
	}
	return rc;
}

static int print_tables(struct store *store, int64_t sweep, struct error *err)
{
	static const char *const shown[] = {"goodput_mbps", NULL};
	struct table_view view = {.format = TABLE_TEXT};

	return sweep_tables_print(store, sweep, shown, &view, stdout, err);
}

static void add_verdict(struct columns *columns, const struct compare_result *contrast)
{
	const struct pairs_result *last = &contrast->last;

	columns_cell(columns, "  %s", contrast->workload);
	columns_cell(columns, "%s", metric_table[contrast->metric].name);
	columns_cell(columns, "%.4g", contrast->median_a);
	columns_cell(columns, "%.4g", contrast->median_b);
	columns_cell(columns, "%.3f", last->ratio);
	if (last->has_interval)
		columns_cell(columns, "%.3f to %.3f", last->low, last->high);
	else
		columns_cell(columns, "-");
	columns_cell(columns, "%u", last->pairs);
	columns_cell(columns, "%s", pairs_verdict_name(last->verdict));
	columns_end_row(columns);
}

static void print_verdicts(const struct demo_result *result, FILE *out)
{
	struct columns *columns = columns_new("llrrrrrl");
	static const char *const heading[] = {"  WORKLOAD", "METRIC", DEMO_CONTRAST_A,
		DEMO_CONTRAST_B, "RATIO", "INTERVAL", "PAIRS", "VERDICT"};

	fprintf(out, "\n%sVerdicts%s on %s against %s, by pairs in random order:\n",
		console_bold(out), console_plain(out), DEMO_CONTRAST_B, DEMO_CONTRAST_A);
	for (size_t i = 0; i < ARRAY_SIZE(heading); i++)
		columns_cell(columns, "%s", heading[i]);
	columns_end_heading(columns);
	for (unsigned i = 0; i < result->contrast_count; i++)
		add_verdict(columns, &result->contrast[i]);
	columns_print_free(columns, out);
}

static int draw_charts(struct store *store, const char *dir, struct error *err)
{
	struct plot_figure *figure = calloc(1, sizeof(*figure));
	struct plot_request request = {.settings = NULL};
	struct plot_result drawn;
	char note[PLOT_TEXT_MAX];
	int rc;

	if (!figure)
		return error_sys(err, -ENOMEM, "cannot plot");
	rc = plot_build(store, &request, figure, note, sizeof(note), err);
	if (!rc)
		rc = plot_draw(
			figure, dir, "throughput", PLOT_FORMAT_PNG | PLOT_FORMAT_SVG, &drawn, err);
	free(figure);
	if (rc == -ENOENT || rc == -EIO) {
		error_context(err, "measured, not plotted");
		return COMMAND_PARTIAL;
	}
	return rc;
}

static int write_profile(struct store *store, const char *dir, struct error *err)
{
	struct profile_request request = {.setting = DEMO_CONTRAST_B,
		.baseline = DEMO_CONTRAST_A,
		.objective = "efficiency",
		.command = "moderato demo"};
	struct profile profile;
	char path[PATH_MAX];
	int rc = profile_build(store, &request, &profile, err);

	if (rc)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/profile.json", dir);
	rc = profile_write_file(&profile, path, err);
	profile_fini(&profile);
	return rc;
}

static void print_files(const char *dir, bool drawn, FILE *out)
{
	fprintf(out, "\n%sResults%s in %s/:\n", console_bold(out), console_plain(out), dir);
	fprintf(out,
		"  table.txt .md .csv .json      the table, with those of interrupts and CPU\n");
	if (drawn)
		fprintf(out, "  throughput.png .svg           the chart, each with its gnuplot "
			     "script\n");
	fprintf(out, "  profile.json                  what is proven of %s, and what is not\n",
		DEMO_CONTRAST_B);
	fprintf(out,
		"  demo.db                       every trial, for table, plot, compare, profile\n");
}

static void print_next(const char *dir, FILE *out)
{
	char buf[PATH_MAX];
	const char *program = program_path(buf, sizeof(buf));

	fprintf(out,
		"\n%sNext%s, a real sweep, ITR x RDTR x RADV x TIDV x TADV x buffers (Ctrl-C, then "
		"--resume, at any time):\n",
		console_bold(out), console_plain(out));
	fprintf(out, "  %s up sim:82574L --name sim\n  %s " NEXT_SWEEP "\n", program, program, dir);
	fprintf(out, "or turn the knobs by hand and watch the interrupts:\n");
	fprintf(out, "  %s set --name sim ITR=0 RDTR=0; %s watch --name sim\n", program, program);
}

int demo_report(
	struct store *store, const char *dir, const struct demo_result *result, struct error *err)
{
	int drawn, rc = print_tables(store, result->sweep, err);

	rc = rc ? rc : write_tables(store, result->sweep, dir, err);
	if (rc)
		return rc;
	print_verdicts(result, stdout);
	drawn = draw_charts(store, dir, err);
	if (drawn < 0)
		return drawn;
	rc = write_profile(store, dir, err);
	if (rc)
		return rc;
	print_files(dir, !drawn, stdout);
	print_next(dir, stdout);
	return drawn;
}
