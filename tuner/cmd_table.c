/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato table: the comparison table of a stored sweep. */
#include <stdio.h>

#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/sweep_tables.h"
#include "tuner/table_load.h"

/* The command line. */
struct table_command {
	const char *format;
	struct option_list metrics;
	int64_t sweep;
	struct table_view view;
};

/* Without a metric asked for, each kind of workload has its own. */
static int print_default(
	struct store *store, int64_t sweep, const struct table_view *view, struct error *err)
{
	struct table_set set;
	int r = table_load(store, sweep, NULL, &set, err);

	if (r < 0)
		return r;
	table_print(set.tables, set.count, view, stdout);
	table_set_free(&set);
	return 0;
}

static int print_tables(struct store *store, const struct table_command *command, struct error *err)
{
	const char *metrics[SWEEP_TABLES_METRICS_MAX + 1] = {NULL};
	int64_t sweep = command->sweep;
	int r = sweep ? 0 : store_last_sweep(store, &sweep, err);

	if (r < 0)
		return r;
	if (!command->metrics.count)
		return print_default(store, sweep, &command->view, err);
	if (command->metrics.count > SWEEP_TABLES_METRICS_MAX)
		return error_usage(err, "at most %d metrics at a time", SWEEP_TABLES_METRICS_MAX);
	for (unsigned i = 0; i < command->metrics.count; i++)
		metrics[i] = command->metrics.item[i];
	return sweep_tables_print(store, sweep, metrics, &command->view, stdout, err);
}

int cmd_table(int argc, char **argv, struct error *err)
{
	struct table_command command = {.format = "text"};
	const struct option_row rows[] = {
		OPT_STRING("format", 'f', &command.format, "FORMAT",
			"text (default), md, csv or json"),
		OPT_LIST("metric", 'm', &command.metrics, "NAME",
			"figure to show, may be repeated; default goodput_mbps, for ping-pongs "
			"rr_p50_us"),
		OPT_FLAG("verdicts", 'v', &command.view.verdicts,
			"judge every setting against the baseline: marks, ratios, intervals"),
		OPT_FLAG("spread", 0, &command.view.spread,
			"smallest and largest trial beside each median"),
		OPT_INT("sweep", 0, &command.sweep, "N", 1, INT32_MAX,
			"number of the sweep in FILE, default the last"),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	struct store *store;
	int r = options_parse(&options, argc, argv, err);

	if (r == 0)
		r = table_format_parse(command.format, &command.view.format, err);
	if (r == 0)
		r = store_open(options.operand[0], STORE_READ, &store, err);
	if (r)
		return r;
	r = print_tables(store, &command, err);
	store_close(store);
	return r;
}
