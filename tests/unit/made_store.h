/* SPDX-License-Identifier: BSD-2-Clause */
/* A store with made-up results, for tests of what reads stores. */
#ifndef MODERATO_TESTS_UNIT_MADE_STORE_H
#define MODERATO_TESTS_UNIT_MADE_STORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/json.h"
#include "profiles/preset.h"
#include "tuner/store.h"

#define MADE_METRICS 4
#define MADE_MAX     24

static const char *const made_metrics[MADE_METRICS] = {
	"goodput_mbps", "irq_per_s", "cpu_per_gbit_s", "driver_cpu_per_gbit_s"};

struct made_sweep {
	enum sweep_kind kind;
	const char *presets[MADE_MAX]; /* the first is the baseline; ends with NULL */
	const char *cells[MADE_MAX];   /* ends with NULL */
	unsigned blocks;
	/* value of a metric, NAN: the trial is void */
	double (*value)(unsigned config, unsigned cell, const char *metric, unsigned block);
};

static char made_dir[40], made_path[64];

static int made_setup(void **state)
{
	(void)strcpy(made_dir, "/tmp/moderato-made-XXXXXX");
	if (!mkdtemp(made_dir))
		return -1;
	(void)snprintf(made_path, sizeof(made_path), "%s/made.db", made_dir);
	return 0;
}

static int made_teardown(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -r %s", made_dir);
	return system(command);
}

static void made_must(int rc, const struct error *err)
{
	if (rc)
		fail_msg("%s", err->text);
}

static void made_finish(struct store *store, const struct made_sweep *made, int64_t session,
	const struct store_trial *trial, unsigned config, unsigned cell)
{
	struct store_metric metrics[MADE_METRICS + 1];
	struct store_outcome outcome = {.status = TRIAL_OK, .metrics = metrics};
	struct preset_result preset;
	struct error err = {0};
	json_t *held;

	made_must(preset_resolve(made->presets[config], chip_find("82574L"), &preset, &err), &err);
	held = json_settings(&preset.settings);
	outcome.requested = outcome.readback = outcome.effective = held;
	for (unsigned m = 0; m < MADE_METRICS; m++)
		metrics[outcome.metric_count++] = (struct store_metric){
			made_metrics[m], made->value(config, cell, made_metrics[m], trial->block)};
	if (!strncmp(made->cells[cell], "rr:", 3)) {
		metrics[0] = (struct store_metric){
			"rr_p50_us", made->value(config, cell, "rr_p50_us", trial->block)};
		outcome.metric_count = 1;
	}
	if (metrics[0].value != metrics[0].value) {
		outcome.status = TRIAL_VOID;
		outcome.reason = "made void";
		outcome.metric_count = 0;
	}
	made_must(store_start_trial(store, trial, session, &err), &err);
	made_must(store_finish_trial(store, trial, &outcome, false, &err), &err);
	json_decref(held);
}

static void made_add_configs(
	struct store *store, const struct made_sweep *made, int64_t sweep, int64_t ids[MADE_MAX])
{
	struct error err = {0};

	for (unsigned i = 0; made->presets[i]; i++) {
		struct store_config config = {.ordinal = i};
		struct preset_result preset;

		made_must(
			preset_resolve(made->presets[i], chip_find("82574L"), &preset, &err), &err);
		(void)snprintf(config.name, sizeof(config.name), "%s", made->presets[i]);
		config.settings = json_settings(&preset.settings);
		config.asked = json_settings(&preset.settings);
		made_must(store_add_config(store, sweep, &config, &err), &err);
		ids[i] = config.id;
		store_config_clear(&config);
	}
}

static void made_add_trials(struct store *store, const struct made_sweep *made, int64_t sweep,
	int64_t session, const int64_t *configs, const int64_t *cells)
{
	struct error err = {0};
	unsigned position = 0;

	for (unsigned block = 1; block <= made->blocks; block++) {
		for (unsigned c = 0; made->cells[c]; c++) {
			for (unsigned i = 0; made->presets[i]; i++) {
				struct store_trial trial = {.sweep = sweep,
					.config = configs[i],
					.cell = cells[c],
					.block = block,
					.pair = made->kind == SWEEP_KIND_COMPARE ? block : 0,
					.position = ++position,
					.attempt = 1};

				made_must(store_add_trial(store, &trial, &err), &err);
				made_finish(store, made, session, &trial, i, c);
			}
		}
	}
}

static const char made_environment[] =
	"{\"cpu\": {\"key\": \"GenuineIntel-6-85-7\", \"name\": \"Test CPU\", \"count\": 2},"
	" \"kernel\": {\"release\": \"6.1.0-test\"},"
	" \"placement\": {\"cpu_means\": \"driver thread + local traffic process\"},"
	" \"daemon\": {\"link\": {\"speed_mbps\": 1000}, \"path\": {\"mtu\": 1500}}}";

/* Returns the id of the sweep; @ret_configs and @ret_cells may be NULL. */
static int64_t made_add(struct store *store, const struct made_sweep *made,
	int64_t ret_configs[MADE_MAX], int64_t ret_cells[MADE_MAX])
{
	struct store_sweep sweep = {.kind = made->kind,
		.device = "sim:82574L",
		.chip = "82574L",
		.path_kind = "tap",
		.blocks = made->blocks,
		.seconds = 1,
		.options = json_object(),
		.base = json_pack("{s:i, s:s}", "ITR", 0, "intmode", "msi")};
	json_t *environment = json_loads(made_environment, 0, NULL);
	int64_t configs[MADE_MAX], cells[MADE_MAX], session, id;
	struct error err = {0};

	made_must(store_add_sweep(store, &sweep, &err), &err);
	id = sweep.id;
	store_sweep_clear(&sweep);
	made_add_configs(store, made, id, configs);
	for (unsigned i = 0; made->cells[i]; i++) {
		struct store_cell cell = {.ordinal = i};

		(void)snprintf(cell.workload, sizeof(cell.workload), "%s", made->cells[i]);
		made_must(store_add_cell(store, id, &cell, &err), &err);
		cells[i] = cell.id;
	}
	made_must(store_begin_session(store, id, environment, &session, NULL, &err), &err);
	json_decref(environment);
	made_add_trials(store, made, id, session, configs, cells);
	made_must(store_end_session(store, session, &(struct session_times){0}, &err), &err);
	if (ret_configs)
		memcpy(ret_configs, configs, sizeof(configs));
	if (ret_cells)
		memcpy(ret_cells, cells, sizeof(cells));
	return id;
}

static struct store *made_open(void)
{
	struct store *store = NULL;
	struct error err = {0};

	made_must(store_open(made_path, STORE_CREATE, &store, &err), &err);
	return store;
}

#endif
