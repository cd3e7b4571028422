/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato table: the comparison table of a stored sweep. */
#include <stdio.h>

#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/table_load.h"

/* The command line. */
struct table_command {
	const char *format;
	struct option_list metrics;
	int64_t sweep;
	struct table_view view;
};

static int print_tables(struct store *store, const struct table_command *command, struct error *err)
{
	struct table_set sets[OPTION_LIST_MAX] = {{0}}, all = {0};
	struct table tables[256];
	unsigned wanted = command->metrics.count ? command->metrics.count : 1;
	int64_t sweep = command->sweep;
	int r = sweep ? 0 : store_last_sweep(store, &sweep, err);

	for (unsigned i = 0; i < wanted && r == 0; i++) {
		r = table_load(store, sweep,
			command->metrics.count ? command->metrics.item[i] : NULL, &sets[i], err);
		for (size_t t = 0; r == 0 && t < sets[i].count && all.count < 256; t++)
			tables[all.count++] = sets[i].tables[t];
	}
	if (r == 0)
		table_print(tables, all.count, &command->view, stdout);
	for (unsigned i = 0; i < wanted; i++)
		table_set_free(&sets[i]);
	return r;
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
