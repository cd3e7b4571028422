/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations and cells of a plan: parsed, completed, made canonical, duplicates merged. */
#include "tuner/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/chips/effective.h"
#include "profiles/preset.h"

void plan_fini(struct plan *plan)
{
	free(plan->configs);
	free(plan->merged);
	free(plan->cells);
	free(plan->trials);
	memset(plan, 0, sizeof(*plan));
}

static int grow(void **rows, size_t count, size_t size, struct error *err)
{
	/* doubles at powers of two */
	if (count == 0 || (count & (count - 1)) == 0) {
		void *grown = realloc(*rows, (count ? count * 2 : 1) * size);

		if (!grown)
			return error_set(
				err, -ENOMEM, "out of memory for a plan of %zu rows", count);
		*rows = grown;
	}
	return 0;
}

/* "ITR=1500 RDTR=0" of the knobs that decide; the name when it has one of its own. */
static void name_config(struct plan_config *config, const char *name)
{
	if (name)
		(void)snprintf(config->name, sizeof(config->name), "%s", name);
	else if (config->asked.present)
		(void)settings_format(&config->asked, config->name, sizeof(config->name));
	else
		(void)snprintf(config->name, sizeof(config->name), "as-is");
}

static int remember_merged(struct plan *plan, size_t config, const char *name, struct error *err)
{
	int r;

	if (strcmp(plan->configs[config].name, name) == 0)
		return 0;
	r = grow((void **)&plan->merged, plan->merged_count, sizeof(*plan->merged), err);
	if (r < 0)
		return r;
	(void)snprintf(plan->merged[plan->merged_count].name, PLAN_NAME_MAX, "%s", name);
	plan->merged[plan->merged_count++].config = config;
	return 0;
}

int plan_add_config(struct plan *plan, const char *name, const struct settings *asked,
	size_t *ret_index, struct error *err)
{
	struct plan_config config = {.asked = *asked, .complete = plan->device.base};
	int r;

	name_config(&config, name);
	r = chip_check_settings(plan->device.chip, asked, err);
	if (r < 0)
		return error_context(err, "%s", config.name);
	settings_merge(&config.complete, asked);
	settings_canonical(plan->device.chip, &config.complete, plan->device.msix_rx_timers,
		&config.canonical);
	for (size_t i = 0; i < plan->config_count; i++) {
		if (settings_equal(&plan->configs[i].canonical, &config.canonical)) {
			if (ret_index)
				*ret_index = i;
			return remember_merged(plan, i, config.name, err);
		}
		if (strcmp(plan->configs[i].name, config.name) == 0)
			return error_usage(
				err, "two different settings are called \"%s\"", config.name);
	}
	if (plan->config_count == PLAN_CONFIGS_MAX)
		return error_usage(err, "more than %d settings; sweep fewer values at a time",
			PLAN_CONFIGS_MAX);
	r = grow((void **)&plan->configs, plan->config_count, sizeof(config), err);
	if (r < 0)
		return r;
	if (ret_index)
		*ret_index = plan->config_count;
	plan->configs[plan->config_count++] = config;
	return 0;
}

static int add_preset(struct plan *plan, const char *name, size_t *ret_index, struct error *err)
{
	struct preset_result preset;
	size_t index;
	int r = preset_resolve(name, plan->device.chip, &preset, err);

	if (r == 0)
		r = plan_add_config(plan, preset.preset->name, &preset.settings, &index, err);
	if (r < 0)
		return r;
	(void)snprintf(
		plan->configs[index].note, sizeof(plan->configs[index].note), "%s", preset.note);
	if (ret_index)
		*ret_index = index;
	return 0;
}

int plan_add_presets(struct plan *plan, const char *names, struct error *err)
{
	char *copy = strdup(names), *save = NULL;
	int r = copy ? 0 : error_set(err, -ENOMEM, "out of memory for the names of presets");

	for (char *name = copy ? strtok_r(copy, ", ", &save) : NULL; name && r == 0;
		name = strtok_r(NULL, ", ", &save))
		r = add_preset(plan, name, NULL, err);
	free(copy);
	return r;
}

static int expand(struct plan *plan, const char *name, const char *rest,
	const struct settings *chosen, struct error *err);

/* One knob with its list of values: the rest of the text once for each of them. */
static int expand_knob(struct plan *plan, const char *name, char *word, const char *rest,
	const struct settings *chosen, struct error *err)
{
	char *values = strchr(word, '='), *save = NULL;
	unsigned count = 0;
	int r = 0;

	if (!values)
		return error_usage(
			err, "\"%s\" is no list of values; write KNOB=VALUE,VALUE", word);
	*values++ = '\0';
	for (char *value = strtok_r(values, ",", &save); value && r == 0;
		value = strtok_r(NULL, ",", &save), count++) {
		struct settings with_value = *chosen;
		char assignment[128];

		(void)snprintf(assignment, sizeof(assignment), "%.60s=%.60s", word, value);
		r = settings_parse_assignment(&with_value, assignment, err);
		if (r == 0)
			r = expand(plan, name, rest, &with_value, err);
	}
	if (r == 0 && count == 0)
		return error_usage(err, "%s has no value; write %s=VALUE,VALUE", word, word);
	return r;
}

static int expand(struct plan *plan, const char *name, const char *rest,
	const struct settings *chosen, struct error *err)
{
	size_t length;
	char *word;
	int r;

	rest += strspn(rest, " 	");
	length = strcspn(rest, " 	");
	if (length == 0)
		return plan_add_config(plan, name, chosen, NULL, err);
	word = strndup(rest, length);
	if (!word)
		return error_set(err, -ENOMEM, "out of memory for a list of values");
	r = expand_knob(plan, name, word, rest + length, chosen, err);
	free(word);
	return r;
}

int plan_add_product(struct plan *plan, const char *text, struct error *err)
{
	const struct settings nothing = {0};
	const char *colon = strchr(text, ':');
	char name[PLAN_NAME_MAX];

	if (!colon || memchr(text, '=', (size_t)(colon - text)))
		return text[strspn(text, " \t")] ? expand(plan, NULL, text, &nothing, err)
						 : error_usage(err, "an empty list of settings");
	(void)snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	if (strchr(colon, ','))
		return error_usage(
			err, "\"%s\": settings with a name have one value a knob, no lists", name);
	return expand(plan, name, colon + 1, &nothing, err);
}

static bool find_by_name(const struct plan *plan, const char *name, size_t *ret_index)
{
	for (size_t i = 0; i < plan->config_count; i++) {
		if (strcasecmp(plan->configs[i].name, name) == 0) {
			*ret_index = i;
			return true;
		}
	}
	for (size_t i = 0; i < plan->merged_count; i++) {
		if (strcasecmp(plan->merged[i].name, name) == 0) {
			*ret_index = plan->merged[i].config;
			return true;
		}
	}
	return false;
}

int plan_find_config(struct plan *plan, const char *name, size_t *ret_index, struct error *err)
{
	struct settings settings = {0};
	int r;

	if (find_by_name(plan, name, ret_index))
		return 0;
	if (strchr(name, '=')) {
		r = settings_parse_list(&settings, name, err);
		return r < 0 ? r : plan_add_config(plan, NULL, &settings, ret_index, err);
	}
	if (strcmp(name, "as-is") == 0)
		return plan_add_config(plan, NULL, &settings, ret_index, err);
	return add_preset(plan, name, ret_index, err);
}

int plan_add_cell(struct plan *plan, const struct workload *workload, struct error *err)
{
	int r = workload_check(workload, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->cell_count; i++)
		if (workload_equal(&plan->cells[i], workload))
			return 0;
	r = grow((void **)&plan->cells, plan->cell_count, sizeof(*workload), err);
	if (r == 0)
		plan->cells[plan->cell_count++] = *workload;
	return r;
}

/* All directions of one buffer size. */
static int add_matrix_row(struct plan *plan, const char *buffer, const char *dirs,
	const char *options, struct error *err)
{
	char list[64], text[WORKLOAD_TEXT_MAX * 2], *save = NULL;
	int r = 0;

	(void)snprintf(list, sizeof(list), "%s", dirs);
	for (char *dir = strtok_r(list, ", ", &save); dir && r == 0;
		dir = strtok_r(NULL, ", ", &save)) {
		struct workload workload;

		(void)snprintf(text, sizeof(text), "tcp:%s:%s%s", dir, buffer, options);
		r = workload_parse(text, &workload, err);
		if (r == 0)
			r = plan_add_cell(plan, &workload, err);
	}
	return r;
}

int plan_add_matrix(struct plan *plan, const char *buffers, const char *dirs, const char *options,
	struct error *err)
{
	char *copy, *save = NULL;
	int r;

	if (!buffers[strspn(buffers, ", ")] || !dirs[strspn(dirs, ", ")])
		return error_usage(
			err, "no buffer size or no direction: \"%s\", \"%s\"", buffers, dirs);
	copy = strdup(buffers);
	r = copy ? 0 : error_set(err, -ENOMEM, "out of memory for the buffer sizes");
	for (char *buffer = copy ? strtok_r(copy, ", ", &save) : NULL; buffer && r == 0;
		buffer = strtok_r(NULL, ", ", &save))
		r = add_matrix_row(plan, buffer, dirs, options, err);
	free(copy);
	return r;
}

char *plan_format_difference(
	const struct settings *a, const struct settings *b, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned id = 0; id < KNOB_COUNT && used < size; id++) {
		char from[32] = "-", to[32] = "-";

		if (settings_has(a, id))
			(void)knob_format_value(&knob_table[id], a->value[id], from, sizeof(from));
		if (settings_has(b, id))
			(void)knob_format_value(&knob_table[id], b->value[id], to, sizeof(to));
		if (strcmp(from, to) != 0)
			used += (size_t)snprintf(buf + used, size - used, "%s%s %s -> %s",
				used ? ", " : "", knob_table[id].name, from, to);
	}
	return buf;
}
