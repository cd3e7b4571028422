/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato calibrate: fits a host model's costs to measured cells and says how well it holds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/predict/calibrate.h"
#include "tuner/predict/recipe.h"
#include "tuner/table_load.h"

struct calibrate_command {
	const char *host, *recipe, *setting, *out;
	int64_t evaluations;
	bool peer;
};

static struct calibrate_cell *next_cell(struct calibrate_fit *fit, struct error *err)
{
	if (fit->cell_count < CALIBRATE_CELLS_MAX)
		return &fit->cells[fit->cell_count++];
	(void)error_set(err, -E2BIG, "more than %d measured cells", CALIBRATE_CELLS_MAX);
	return NULL;
}

/* The cells of one setting of a recipe; no other is looked at. */
static int cells_of_recipe(
	const struct calibrate_command *command, struct calibrate_fit *fit, struct error *err)
{
	struct recipe recipe;
	int r = recipe_load(command->recipe, &recipe, err);

	for (unsigned i = 0; !r && i < recipe.claim_count; i++) {
		const struct recipe_claim *claim = &recipe.claim[i];
		struct calibrate_cell *cell;

		if (strcmp(recipe.setting[claim->setting].name, command->setting) != 0 ||
			strcmp(claim->metric, "goodput_mbps") != 0 || !recipe.chip)
			continue;
		cell = next_cell(fit, err);
		if (!cell)
			return -E2BIG;
		*cell = (struct calibrate_cell){
			.chip = recipe.chip,
			.settings = recipe.setting[claim->setting].settings,
			.workload = claim->workload,
			.speed_mbps = 1000,
			.measured = claim->value,
		};
		(void)snprintf(cell->label, sizeof(cell->label), "%s", claim->workload_text);
	}
	return r;
}

/* One value of a measured table. */
static int cell_of_table(const struct table *table, size_t row, size_t s, size_t d,
	struct calibrate_fit *fit, struct error *err)
{
	const struct table_cell *from = table_at(table, row, s, d);
	const char *window = strstr(table->workload, "window ");
	struct calibrate_cell *cell;
	char text[WORKLOAD_TEXT_MAX];
	int r;

	if (from->state != TABLE_VALUE || !(from->median > 0))
		return 0;
	cell = next_cell(fit, err);
	if (!cell)
		return -E2BIG;
	cell->chip = chip_find(table->chip);
	if (!cell->chip)
		return error_usage(err, "chip: there is no model of a chip \"%.32s\"", table->chip);
	chip_initial_settings(cell->chip, &cell->settings);
	r = settings_parse_list(&cell->settings, table->settings[s].knobs, err);
	if (r)
		return r;
	(void)snprintf(text, sizeof(text), "%s%s%s:%s%s%.*s", table->protocol,
		*table->directions[d] ? ":" : "", table->directions[d], table->rows[row].label,
		window ? "/window=" : "", window ? (int)strcspn(window + 7, ",") : 0,
		window ? window + 7 : "");
	cell->speed_mbps = 1000;
	cell->measured = from->median;
	(void)snprintf(cell->label, sizeof(cell->label), "%.40s, %.50s", text,
		table->settings[s].name);
	return workload_parse(text, &cell->workload, err);
}

static int cells_of_store(const char *path, struct calibrate_fit *fit, struct error *err)
{
	struct store *store;
	struct table_set set;
	int64_t sweep;
	int r = store_open(path, STORE_READ, &store, err);

	if (r)
		return r;
	r = store_last_sweep(store, &sweep, err);
	r = r ?: table_load(store, sweep, "goodput_mbps", &set, err);
	store_close(store);
	if (r)
		return r;
	for (size_t t = 0; t < set.count; t++) {
		const struct table *table = &set.tables[t];

		for (size_t row = 0; !strcmp(table->protocol, "tcp") && row < table->row_count; row++)
			for (size_t s = 0; s < table->setting_count; s++)
				for (size_t d = 0; !r && d < table->direction_count; d++)
					r = cell_of_table(table, row, s, d, fit, err);
	}
	table_set_free(&set);
	return r;
}

static void print_fit(const struct calibrate_fit *fit)
{
	printf("%-32s %9s %9s %7s\n", "cell", "measured", "fitted", "error");
	for (unsigned i = 0; i < fit->cell_count; i++) {
		const struct calibrate_cell *cell = &fit->cells[i];

		printf("%-32s %9.4g %9.4g %+6.1f%%\n", cell->label, cell->measured, cell->predicted,
			100 * (cell->predicted / cell->measured - 1));
	}
	printf("\n%-18s %9s %9s %9s  10 %% more of it changes\n", "constant", "value", "least",
		"most");
	for (unsigned i = 0; i < fit->constant_count; i++) {
		const struct calibrate_constant *c = &fit->constant[i];

		printf("%-18s %9.4g %9.4g %9.4g  %s by %+.1f%%%s\n", c->key, c->value, c->min,
			c->max, *c->cell ? c->cell : "no cell", c->sensitivity,
			c->at_edge ? "  (at the edge of its range)" : "");
	}
	printf("\n%u cells, %u constants, RMS log error %.3f\n", fit->cell_count,
		fit->constant_count, fit->rms_log_error);
}

static int write_host(
	const struct calibrate_command *command, const struct calibrate_fit *fit, struct error *err)
{
	json_t *json;
	char what[256];
	int r;

	(void)snprintf(what, sizeof(what), "%.100s%s%.100s", command->recipe, *command->setting ? ", " : "",
		command->setting);
	json_decref(fit->host->fit);
	fit->host->fit = json_pack("{s:s, s:i, s:i, s:f}", "cells_of", what, "cells",
		(int)fit->cell_count, "constants", (int)fit->constant_count, "rms_log_error",
		round(fit->rms_log_error * 1000) / 1000);
	json = host_json(fit->host);
	r = json ? json_write_file(json, command->out, err)
		 : error_set(err, -ENOMEM, "no memory for a host file");
	json_decref(json);
	return r;
}

static int calibrate(const struct calibrate_command *command, struct error *err)
{
	struct host host;
	struct calibrate_fit fit = {.host = &host,
		.evaluations = (unsigned)command->evaluations,
		.fit_peer = command->peer};
	int r = host_load(command->host, &host, err);

	if (r)
		return r;
	fit.cells = calloc(CALIBRATE_CELLS_MAX, sizeof(*fit.cells));
	if (!fit.cells)
		r = error_set(err, -ENOMEM, "no memory for the measured cells");
	if (r == 0)
		r = *command->setting ? cells_of_recipe(command, &fit, err)
				      : cells_of_store(command->recipe, &fit, err);
	if (r == 0)
		r = calibrate_run(&fit, err);
	if (r == 0)
		print_fit(&fit);
	if (r == 0 && command->out)
		r = write_host(command, &fit, err);
	free(fit.cells);
	host_clear(&host);
	return r;
}

int cmd_calibrate(int argc, char **argv, struct error *err)
{
	struct calibrate_command command = {.setting = "", .evaluations = 18000};
	const struct option_row rows[] = {
		OPT_STRING("host", 'H', &command.host, "HOST",
			"host model with the rules and ranges: a shipped one or a file"),
		OPT_STRING("setting", 's', &command.setting, "NAME",
			"SOURCE is a recipe: fit to the cells of this setting alone"),
		OPT_FLAG("peer", 0, &command.peer, "fit the peer's interrupt distance too"),
		OPT_INT("evaluations", 0, &command.evaluations, "N", 10, 1000000,
			"tables to try, default 18000"),
		OPT_STRING("out", 'o', &command.out, "FILE", "write the fitted host model"),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (!command.host)
		return error_usage(err, "name a host model with the rules and ranges: --host FILE");
	command.recipe = options.operand[0];
	return calibrate(&command, err);
}
