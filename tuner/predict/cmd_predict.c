/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato predict: the table of settings that nobody has run yet. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/command.h"
#include "tuner/options.h"
#include "tuner/predict/forecast.h"

#define METRICS_MAX 8

struct predict_command {
	const char *host, *chip, *presets, *buffers, *dirs, *window, *format, *imtimers;
	struct option_list sets, workloads, metrics;
	int64_t speed;
	bool bounds;
};

static int make_cells(const struct predict_command *command, struct plan *plan, struct error *err)
{
	char options[64] = "";
	int r = 0;

	if (command->window)
		(void)snprintf(options, sizeof(options), "/window=%.40s", command->window);
	if (!command->workloads.count)
		return plan_add_matrix(plan,
			command->buffers ? command->buffers : PLAN_DEFAULT_BUFFERS,
			command->dirs ? command->dirs : PLAN_DEFAULT_DIRS, options, err);
	for (unsigned i = 0; !r && i < command->workloads.count; i++) {
		struct workload workload;

		r = workload_parse(command->workloads.item[i], &workload, err);
		if (r == 0)
			r = plan_add_cell(plan, &workload, err);
	}
	return r;
}

static int make_plan(const struct predict_command *command, struct plan *plan, struct error *err)
{
	int r = 0;

	plan->device.speed_mbps = (unsigned)command->speed;
	if (command->chip) {
		const char *near = chip_suggest(command->chip);

		plan->device.chip = chip_find(command->chip);
		if (!plan->device.chip)
			return error_usage(err, "there is no model of a chip \"%.40s\"%s%s",
				command->chip, near ? ": did you mean " : "", near ? near : "");
		chip_initial_settings(plan->device.chip, &plan->device.base);
	}
	for (unsigned i = 0; !r && i < command->sets.count; i++)
		r = plan_add_product(plan, command->sets.item[i], err);
	if (r == 0 && command->presets)
		r = plan_add_presets(plan, command->presets, err);
	if (r == 0 && command->chip && !plan->config_count)
		r = error_usage(err, "nothing to predict: name settings by --set or --preset");
	return r == 0 ? make_cells(command, plan, err) : r;
}

static struct forecast_setting *plan_settings(const struct plan *plan, size_t *ret_count)
{
	struct forecast_setting *settings = calloc(plan->config_count + 1, sizeof(*settings));

	for (size_t i = 0; settings && i < plan->config_count; i++) {
		(void)snprintf(settings[i].name, sizeof(settings[i].name), "%s",
			plan->configs[i].name);
		settings[i].settings = plan->configs[i].complete;
	}
	*ret_count = plan->config_count;
	return settings;
}

/* "0,-125,-250": timers instead of registers. */
static struct forecast_setting *timer_settings(
	const char *text, size_t *ret_count, struct error *err)
{
	struct forecast_setting *settings = calloc(strlen(text) / 2 + 2, sizeof(*settings));
	size_t count = 0;
	char *end;

	while (settings && *text) {
		long us = strtol(text, &end, 10);

		if (end == text || us < -100000 || us > 100000 || (*end && *end != ',')) {
			(void)error_usage(err, "--imtimer: \"%.20s\" is no number of microseconds "
					       "from -100000 to 100000", text);
			free(settings);
			return NULL;
		}
		(void)snprintf(settings[count].name, sizeof(settings[count].name), "imtimer %ld",
			us);
		settings[count++].imtimer_us = (int)us;
		text = *end ? end + 1 : end;
	}
	*ret_count = count;
	return settings;
}

static int print_tables(
	const struct predict_command *command, const struct forecast *forecast, struct error *err)
{
	struct table tables[3 * METRICS_MAX];
	struct table_view view = {0};
	unsigned metrics = command->metrics.count ? command->metrics.count : 1;
	size_t count = 0;
	int r = table_format_parse(command->format, &view.format, err);

	for (unsigned m = 0; r >= 0 && m < metrics; m++) {
		const char *metric = command->metrics.count ? command->metrics.item[m] : NULL;

		for (int kind = WORKLOAD_TCP; r >= 0 && kind <= WORKLOAD_RR; kind++) {
			r = forecast_table(
				forecast, (enum workload_kind)kind, metric, &tables[count], err);
			count += r == 0;
		}
	}
	if (r >= 0)
		table_print(tables, count, &view, stdout);
	while (count)
		table_free(&tables[--count]);
	return r < 0 ? r : 0;
}

static int predict(const struct predict_command *command, struct plan *plan, struct error *err)
{
	struct forecast_setting *settings;
	struct host host;
	struct forecast forecast = {.host = &host, .speed_mbps = (unsigned)command->speed};
	int r = make_plan(command, plan, err);

	if (r < 0)
		return r;
	settings = command->imtimers
			   ? timer_settings(command->imtimers, &forecast.setting_count, err)
			   : plan_settings(plan, &forecast.setting_count);
	if (!settings)
		return err->code ? err->code : error_set(err, -ENOMEM, "no memory for settings");
	forecast.settings = settings;
	forecast.chip = plan->device.chip;
	forecast.cells = plan->cells;
	forecast.cell_count = plan->cell_count;
	r = host_load(command->host, &host, err);
	if (r == 0) {
		r = forecast_run(&forecast, err);
		if (r == 0)
			r = print_tables(command, &forecast, err);
		forecast_clear(&forecast);
		host_clear(&host);
	}
	free(settings);
	return r;
}

int cmd_predict(int argc, char **argv, struct error *err)
{
	struct predict_command command = {.format = "text", .speed = 1000};
	const struct option_row rows[] = {
		OPT_STRING("host", 'H', &command.host, "HOST",
			"host model: a shipped one (iq80321, pc2008) or a file of moderato calibrate"),
		OPT_STRING("chip", 'c', &command.chip, "CHIP", "chip, as in sim:CHIP"),
		OPT_STRING("imtimer", 0, &command.imtimers, "US,...",
			"instead of a chip: moderation by a timer as nfe(4) has it; 0, 125, -125"),
		OPT_LIST("set", 's', &command.sets, "KNOBS",
			"settings as in moderato sweep, may be repeated"),
		OPT_STRING("preset", 'p', &command.presets, "NAMES", "presets, by commas"),
		OPT_STRING("buffers", 'b', &command.buffers, "SIZES",
			"default " PLAN_DEFAULT_BUFFERS),
		OPT_STRING("dirs", 'd', &command.dirs, "DIRS", "default " PLAN_DEFAULT_DIRS),
		OPT_STRING("window", 0, &command.window, "SIZE", "socket buffers of both ends"),
		OPT_LIST("workload", 'w', &command.workloads, "WORKLOAD",
			"instead of the matrix: tcp:tx:128k, udp:tx:1k@1G, rr:64; may be repeated"),
		OPT_LIST("metric", 'm', &command.metrics, "NAME",
			"figure to show, may be repeated: goodput_mbps, irq_per_s, cpu_pct, rtt_us, "
			"hold_us, rr_p50_us, ..."),
		OPT_INT("speed", 0, &command.speed, "MBPS", 10, 1000, "link speed: 10, 100, 1000"),
		OPT_STRING("format", 'f', &command.format, "FORMAT",
			"text (default), md, csv or json"),
		OPT_END,
	};
	struct options options = {.rows = rows};
	struct plan plan = {0};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (!command.host)
		return error_usage(err, "name a host model: --host iq80321, or a file that moderato "
					"calibrate has written");
	if (!command.chip == !command.imtimers)
		return error_usage(err, "name either a chip (--chip 82574L) or timers (--imtimer)");
	if (command.metrics.count > METRICS_MAX)
		return error_usage(err, "at most %d figures at a time", METRICS_MAX);
	if (command.speed != 10 && command.speed != 100 && command.speed != 1000)
		return error_usage(err, "--speed is 10, 100 or 1000");
	r = predict(&command, &plan, err);
	plan_fini(&plan);
	return r;
}
