/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan into the store, whole or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "tuner/plan.h"
#include "tuner/store.h"

static void format_note(const struct plan *plan, size_t config, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "%s", plan->configs[config].note);

	for (size_t i = 0; i < plan->merged_count && used < size; i++)
		if (plan->merged[i].config == config)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
				used ? "; also " : "also ", plan->merged[i].name);
}

static int put_configs(const struct plan *plan, struct store *store, int64_t sweep,
	int64_t *ret_ids, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->config_count && r == 0; i++) {
		const struct plan_config *config = &plan->configs[i];
		struct store_config row = {.ordinal = (unsigned)i,
			.settings = json_settings(&config->canonical),
			.asked = json_settings(&config->asked)};

		(void)snprintf(row.name, sizeof(row.name), "%s", config->name);
		format_note(plan, i, row.note, sizeof(row.note));
		r = store_add_config(store, sweep, &row, err);
		ret_ids[i] = row.id;
		store_config_clear(&row);
	}
	return r;
}

static int put_cells(const struct plan *plan, struct store *store, int64_t sweep, int64_t *ret_ids,
	struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->cell_count && r == 0; i++) {
		struct store_cell row = {.ordinal = (unsigned)i};

		(void)workload_format(&plan->cells[i], row.workload, sizeof(row.workload));
		r = store_add_cell(store, sweep, &row, err);
		ret_ids[i] = row.id;
	}
	return r;
}

static int put_trials(const struct plan *plan, struct store *store, int64_t sweep,
	const int64_t *configs, const int64_t *cells, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->trial_count && r == 0; i++) {
		const struct plan_trial *trial = &plan->trials[i];
		struct store_trial row = {.sweep = sweep,
			.config = configs[trial->config],
			.cell = cells[trial->cell],
			.block = trial->block,
			.pair = trial->pair,
			.position = (unsigned)i + 1,
			.attempt = 1};

		r = store_add_trial(store, &row, err);
	}
	return r;
}

static int put_all(const struct plan *plan, struct store *store, struct store_sweep *sweep,
	int64_t *ids, struct error *err)
{
	int64_t *configs = ids, *cells = ids + plan->config_count;
	int r = store_add_sweep(store, sweep, err);

	if (r == 0)
		r = put_configs(plan, store, sweep->id, configs, err);
	if (r == 0)
		r = put_cells(plan, store, sweep->id, cells, err);
	if (r == 0)
		r = put_trials(plan, store, sweep->id, configs, cells, err);
	return r;
}

int plan_store(
	const struct plan *plan, struct store *store, struct store_sweep *sweep, struct error *err)
{
	int64_t *ids = calloc(plan->config_count + plan->cell_count, sizeof(*ids));
	int r;

	if (!ids)
		return error_set(err, -ENOMEM, "out of memory for the plan");
	(void)snprintf(sweep->chip, sizeof(sweep->chip), "%s", plan->device.chip->name);
	sweep->seed = plan->seed;
	sweep->blocks = plan->blocks;
	sweep->seconds = plan->cells[0].seconds;
	sweep->baseline = (int)plan->baseline;
	sweep->base = json_settings(&plan->device.base);
	(void)json_object_set_new(
		sweep->options, "speed_mbps", json_integer(plan->device.speed_mbps));
	(void)json_object_set_new(
		sweep->options, "msix_rx_timers", json_boolean(plan->device.msix_rx_timers));
	r = store_begin(store, err);
	if (r == 0) {
		r = put_all(plan, store, sweep, ids, err);
		if (r == 0)
			r = store_commit(store, err);
		else
			store_rollback(store);
	}
	free(ids);
	return r;
}

int plan_read_device(
	const struct store_sweep *sweep, struct plan_device *ret_device, struct error *err)
{
	struct plan_device device = {.chip = chip_find(sweep->chip)};
	json_t *speed = json_object_get(sweep->options, "speed_mbps");
	int r;

	if (!device.chip)
		return error_set(err, -ENOTSUP,
			"the plan is for a chip that this moderato does not know: %s", sweep->chip);
	device.speed_mbps = (unsigned)json_integer_value(speed);
	device.msix_rx_timers = json_is_true(json_object_get(sweep->options, "msix_rx_timers"));
	r = json_to_settings(sweep->base, &device.base, err);
	if (r == 0)
		*ret_device = device;
	return r;
}
