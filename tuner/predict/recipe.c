/* SPDX-License-Identifier: BSD-2-Clause */
/* Recipes: reading, and from a claim to a prediction. */
#include "tuner/predict/recipe.h"

#include <stddef.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/util.h"
#include "tuner/predict/forecast.h"

static int read_setting(json_t *row, const struct recipe *recipe, struct recipe_setting *setting,
	struct error *err)
{
	const char *name = NULL, *set = "";
	int64_t us = 0;
	int r = json_member_string(row, "name", true, &name, err);

	r = r ?: json_member_string(row, "set", !!recipe->chip, &set, err);
	r = r ?: json_member_int(row, "imtimer_us", !recipe->chip, &us, err);
	if (r)
		return r;
	(void)snprintf(setting->name, sizeof(setting->name), "%s", name);
	setting->imtimer_us = (int)us;
	if (!recipe->chip)
		return 0;
	chip_initial_settings(recipe->chip, &setting->settings);
	r = settings_parse_list(&setting->settings, set, err);
	r = r ?: chip_check_settings(recipe->chip, &setting->settings, err);
	return r ? error_context(err, "setting %s", name) : 0;
}

static int find_setting(const struct recipe *recipe, const char *name, unsigned *ret,
	struct error *err)
{
	for (unsigned i = 0; i < recipe->setting_count; i++) {
		if (strcmp(recipe->setting[i].name, name) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return error_usage(err, "no setting is called \"%.40s\"", name);
}

/* "fitted" names a setting; what a model was made from does not count as found by it. */
static int read_fitted(json_t *json, struct recipe *recipe, struct error *err)
{
	const char *name = "";
	unsigned setting = 0;
	int r = json_member_string(json, "fitted", false, &name, err);

	recipe->fitted = -1;
	if (r || !*name)
		return r;
	r = find_setting(recipe, name, &setting, err);
	recipe->fitted = (int)setting;
	return r ? error_context(err, "fitted") : 0;
}

static int read_claim(
	json_t *row, const struct recipe *recipe, struct recipe_claim *claim, struct error *err)
{
	const char *setting = NULL, *workload = NULL, *metric = NULL, *relation = "about",
		   *why = "";
	int r = json_member_string(row, "setting", true, &setting, err);

	claim->tolerance = 0.1;
	r = r ?: json_member_string(row, "workload", true, &workload, err);
	r = r ?: json_member_string(row, "metric", true, &metric, err);
	r = r ?: json_member_number(row, "value", true, &claim->value, err);
	r = r ?: json_member_number(row, "tolerance", false, &claim->tolerance, err);
	r = r ?: json_member_string(row, "relation", false, &relation, err);
	r = r ?: json_member_string(row, "why", false, &why, err);
	r = r ?: find_setting(recipe, setting, &claim->setting, err);
	r = r ?: workload_parse(workload, &claim->workload, err);
	if (r)
		return r;
	if (!strcmp(relation, "at-least"))
		claim->relation = RECIPE_AT_LEAST;
	else if (!strcmp(relation, "at-most"))
		claim->relation = RECIPE_AT_MOST;
	else if (strcmp(relation, "about") != 0)
		return error_usage(err, "relation \"%.20s\" is not about, at-least or at-most",
			relation);
	(void)snprintf(claim->workload_text, sizeof(claim->workload_text), "%s", workload);
	(void)snprintf(claim->metric, sizeof(claim->metric), "%s", metric);
	(void)snprintf(claim->why, sizeof(claim->why), "%s", why);
	return 0;
}

static int read_head(json_t *json, struct recipe *recipe, struct error *err)
{
	const char *schema = NULL, *name = NULL, *title = NULL, *source = "", *host = NULL,
		   *chip = "", *device = "", *intro = "";
	int r = json_member_string(json, "schema", true, &schema, err);

	r = r ?: json_member_string(json, "name", true, &name, err);
	r = r ?: json_member_string(json, "title", true, &title, err);
	r = r ?: json_member_string(json, "source", false, &source, err);
	r = r ?: json_member_string(json, "host", true, &host, err);
	r = r ?: json_member_string(json, "chip", false, &chip, err);
	r = r ?: json_member_string(json, "device", false, &device, err);
	r = r ?: json_member_string(json, "intro", false, &intro, err);
	if (r)
		return r;
	if (strcmp(schema, RECIPE_SCHEMA) != 0)
		return error_usage(err, "the schema is not \"" RECIPE_SCHEMA "\"");
	recipe->chip = *chip ? chip_find(chip) : NULL;
	if (*chip && !recipe->chip)
		return error_usage(err, "chip: there is no model of a chip \"%.40s\"", chip);
	(void)snprintf(recipe->name, sizeof(recipe->name), "%s", name);
	(void)snprintf(recipe->title, sizeof(recipe->title), "%s", title);
	(void)snprintf(recipe->source, sizeof(recipe->source), "%s", source);
	(void)snprintf(recipe->host, sizeof(recipe->host), "%s", host);
	(void)snprintf(recipe->device, sizeof(recipe->device), "%s", device);
	(void)snprintf(recipe->intro, sizeof(recipe->intro), "%s", intro);
	return 0;
}

static int read_recipe(json_t *json, struct recipe *recipe, struct error *err)
{
	json_t *settings = json_object_get(json, "settings"), *row;
	json_t *claims = json_object_get(json, "claims");
	size_t i;
	int r = read_head(json, recipe, err);

	if (r == 0 && (json_array_size(settings) == 0 ||
			      json_array_size(settings) > RECIPE_SETTINGS_MAX))
		r = error_usage(err, "settings must be an array of 1 to %d", RECIPE_SETTINGS_MAX);
	if (r == 0 &&
		(json_array_size(claims) == 0 || json_array_size(claims) > RECIPE_CLAIMS_MAX))
		r = error_usage(err, "claims must be an array of 1 to %d", RECIPE_CLAIMS_MAX);
	if (r)
		return r;
	json_array_foreach (settings, i, row) {
		r = read_setting(row, recipe, &recipe->setting[i], err);
		if (r)
			return error_context(err, "settings[%zu]", i);
	}
	recipe->setting_count = (unsigned)json_array_size(settings);
	r = read_fitted(json, recipe, err);
	if (r)
		return r;
	json_array_foreach (claims, i, row) {
		r = read_claim(row, recipe, &recipe->claim[i], err);
		if (r)
			return error_context(err, "claims[%zu]", i);
	}
	recipe->claim_count = (unsigned)json_array_size(claims);
	return 0;
}

int recipe_load(const char *name, struct recipe *ret_recipe, struct error *err)
{
	char file[128], path[512];
	json_t *json;
	int r = 0;

	memset(ret_recipe, 0, sizeof(*ret_recipe));
	(void)snprintf(path, sizeof(path), "%s", name);
	(void)snprintf(file, sizeof(file), "recipes/%.100s.json", name);
	if (!strchr(name, '/') && !strstr(name, ".json"))
		r = host_find_file(file, path, sizeof(path), err);
	r = r ?: json_read_file(path, &json, err);
	if (r)
		return r;
	r = read_recipe(json, ret_recipe, err);
	json_decref(json);
	return r ? error_context(err, "recipe %s", path) : 0;
}

void recipe_job(const struct recipe *recipe, const struct recipe_claim *claim,
	const struct host *host, struct predict_job *ret_job)
{
	*ret_job = (struct predict_job){
		.host = host,
		.chip = recipe->chip,
		.settings = recipe->setting[claim->setting].settings,
		.imtimer_us = recipe->setting[claim->setting].imtimer_us,
		.workload = claim->workload,
		.speed_mbps = 1000,
	};
	predict_default_times(ret_job);
}

int recipe_metric(const struct predict_result *result, const char *metric, double *ret,
	struct error *err)
{
	static const struct {
		const char *name;
		size_t member;
	} rows[] = {
#define FORECAST(name, unit, better, meaning, member) {name, offsetof(struct predict_result, member)},
#include "tuner/predict/forecast.def"
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].name, metric) != 0)
			continue;
		*ret = *(const double *)(const void *)((const char *)result + rows[i].member);
		return 0;
	}
	return error_usage(err, "the predictor has no figure \"%.40s\"", metric);
}

bool recipe_agrees(const struct recipe_claim *claim, double found)
{
	switch (claim->relation) {
	case RECIPE_AT_LEAST:
		return found >= claim->value;
	case RECIPE_AT_MOST:
		return found <= claim->value;
	case RECIPE_ABOUT:
		break;
	}
	return fabs(found - claim->value) <= claim->tolerance * claim->value;
}
