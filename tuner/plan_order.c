/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of a plan's trials: randomised blocks or pairs, few restarts, an estimate, warnings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/chips/effective.h"
#include "common/clock.h"
#include "tuner/plan.h"
#include "tuner/random.h"

/* For the estimate only; the progress line then counts real time. */
#define TRIAL_OVERHEAD_NS (UINT64_C(60) * NS_PER_MS)
#define RESTART_NS	  (UINT64_C(300) * NS_PER_MS)

static bool needs_restart(const struct settings *a, const struct settings *b)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (knob_table[id].restart && a->value[id] != b->value[id])
			return true;
	return false;
}

/* Group number of every configuration: equal restart knobs, equal number. Returns how many. */
static unsigned group_configs(const struct plan *plan, unsigned *group)
{
	unsigned groups = 0;

	for (size_t i = 0; i < plan->config_count; i++) {
		group[i] = groups;
		for (size_t j = 0; j < i; j++) {
			if (!needs_restart(
				    &plan->configs[i].complete, &plan->configs[j].complete)) {
				group[i] = group[j];
				break;
			}
		}
		groups += group[i] == groups;
	}
	return groups;
}

static void estimate(struct plan *plan)
{
	const struct settings *in_force = &plan->device.base;

	plan->restarts = 0;
	plan->estimate_ns = 0;
	for (size_t i = 0; i < plan->trial_count; i++) {
		const struct plan_trial *trial = &plan->trials[i];
		const struct settings *next = &plan->configs[trial->config].complete;

		plan->restarts += needs_restart(in_force, next);
		plan->estimate_ns +=
			plan->cells[trial->cell].seconds * NS_PER_S + TRIAL_OVERHEAD_NS;
		in_force = next;
	}
	plan->estimate_ns += plan->restarts * RESTART_NS;
}

static void fill_identity(unsigned *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		items[i] = (unsigned)i;
}

/* What plan_order_blocks() shuffles. */
struct shuffle {
	struct random_source source;
	unsigned *group;		    /* of each configuration */
	unsigned *groups, *cells, *configs; /* orders */
	unsigned group_count;
};

static void order_cell(
	struct plan *plan, struct shuffle *shuffle, unsigned block, unsigned group, unsigned cell)
{
	random_shuffle(&shuffle->source, shuffle->configs, (unsigned)plan->config_count);
	for (size_t i = 0; i < plan->config_count; i++) {
		unsigned config = shuffle->configs[i];

		if (shuffle->group[config] == group)
			plan->trials[plan->trial_count++] =
				(struct plan_trial){.config = config, .cell = cell, .block = block};
	}
}

static void order_block(struct plan *plan, struct shuffle *shuffle, unsigned block)
{
	random_shuffle(&shuffle->source, shuffle->groups, shuffle->group_count);
	for (unsigned g = 0; g < shuffle->group_count; g++) {
		random_shuffle(&shuffle->source, shuffle->cells, (unsigned)plan->cell_count);
		for (size_t c = 0; c < plan->cell_count; c++)
			order_cell(plan, shuffle, block, shuffle->groups[g], shuffle->cells[c]);
	}
}

static int check_size(const struct plan *plan, size_t blocks, struct error *err)
{
	if (plan->config_count == 0 || plan->cell_count == 0 || blocks == 0)
		return error_usage(err,
			"nothing to measure: %zu settings, %zu workloads, %zu blocks",
			plan->config_count, plan->cell_count, blocks);
	if (plan->config_count * plan->cell_count > PLAN_TRIALS_MAX / blocks)
		return error_usage(err,
			"%zu settings in %zu workloads and %zu blocks are more than %d trials",
			plan->config_count, plan->cell_count, blocks, PLAN_TRIALS_MAX);
	return 0;
}

int plan_order_blocks(struct plan *plan, unsigned blocks, uint64_t seed, struct error *err)
{
	size_t configs = plan->config_count, cells = plan->cell_count;
	struct shuffle shuffle = {0};
	unsigned *memory;
	int r = check_size(plan, blocks, err);

	if (r < 0)
		return r;
	memory = calloc(3 * configs + cells, sizeof(*memory));
	free(plan->trials);
	plan->trials = calloc(configs * cells * blocks, sizeof(*plan->trials));
	if (!memory || !plan->trials) {
		free(memory);
		return error_set(err, -ENOMEM, "out of memory for the plan");
	}
	shuffle.group = memory;
	shuffle.groups = memory + configs;
	shuffle.configs = memory + 2 * configs;
	shuffle.cells = memory + 3 * configs;
	shuffle.group_count = group_configs(plan, shuffle.group);
	fill_identity(shuffle.groups, shuffle.group_count);
	fill_identity(shuffle.configs, configs);
	fill_identity(shuffle.cells, cells);
	random_init(&shuffle.source, seed);
	plan->trial_count = 0;
	for (unsigned block = 1; block <= blocks; block++)
		order_block(plan, &shuffle, block);
	free(memory);
	plan->seed = seed;
	plan->blocks = blocks;
	estimate(plan);
	return 0;
}

bool plan_pair_starts_with_b(uint64_t seed, unsigned pair)
{
	struct random_source source;

	/* by itself, so that a pair added later does not change the order of the others */
	random_init(&source, seed + pair);
	return random_next(&source) >> 63;
}

int plan_order_pairs(struct plan *plan, unsigned pairs, uint64_t seed, struct error *err)
{
	int r = check_size(plan, pairs, err);

	if (r < 0)
		return r;
	free(plan->trials);
	plan->trials = calloc((size_t)pairs * 2, sizeof(*plan->trials));
	if (!plan->trials)
		return error_set(err, -ENOMEM, "out of memory for the plan");
	for (unsigned i = 0; i < pairs; i++) {
		unsigned first = plan_pair_starts_with_b(seed, i + 1);

		plan->trials[2 * i] =
			(struct plan_trial){.config = first, .block = i + 1, .pair = i + 1};
		plan->trials[2 * i + 1] =
			(struct plan_trial){.config = !first, .block = i + 1, .pair = i + 1};
	}
	plan->trial_count = (size_t)pairs * 2;
	plan->seed = seed;
	plan->blocks = pairs;
	estimate(plan);
	return 0;
}

struct seen_warnings {
	char (*text)[200];
	size_t count;
};

/* Is @warning new? Remembers it. */
static bool remember_warning(struct seen_warnings *seen, const char *warning)
{
	void *grown;

	for (size_t i = 0; i < seen->count; i++)
		if (strcmp(seen->text[i], warning) == 0)
			return false;
	grown = realloc(seen->text, (seen->count + 1) * sizeof(*seen->text));
	if (grown) {
		seen->text = grown;
		strncpy(seen->text[seen->count], warning, sizeof(*seen->text) - 1);
		seen->text[seen->count++][sizeof(*seen->text) - 1] = '\0';
	}
	return true;
}

void plan_each_warning(const struct plan *plan,
	void (*visit)(void *context, const struct plan_config *config, const char *warning),
	void *context)
{
	struct seen_warnings seen = {0};

	for (size_t i = 0; i < plan->config_count; i++) {
		struct effective effective;

		effective_compute(plan->device.chip, &plan->configs[i].complete,
			plan->device.speed_mbps, plan->device.msix_rx_timers, &effective);
		for (unsigned w = 0; w < effective.warning_count; w++)
			if (remember_warning(&seen, effective.warning[w]))
				visit(context, &plan->configs[i], effective.warning[w]);
	}
	free(seen.text);
}
