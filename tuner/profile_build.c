/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads sweeps and comparisons of a store and writes down what they prove about one setting. */
#include "tuner/profile_build_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/metric.h"
#include "bench/workload.h"
#include "common/version.h"
#include "tuner/compare.h"
#include "tuner/compare_pairs.h"

/* What a sweep's cells are judged by; a comparison has its own metric. */
static const char *const stream_metrics[] = {"goodput_mbps", "driver_cpu_per_gbit_s", NULL};
static const char *const rr_metrics[] = {"rr_p50_us", NULL};

static void source_fini(struct profile_source *source)
{
	store_sweep_clear(&source->sweep);
	store_configs_free(source->configs, source->config_count);
	free(source->cells);
}

static const struct store_config *find_config(const struct profile_source *source, const char *name)
{
	for (size_t i = 0; i < source->config_count; i++) {
		if (!strcmp(source->configs[i].name, name))
			return &source->configs[i];
	}
	return NULL;
}

static int source_read(
	struct store *store, int64_t id, struct profile_source *ret_source, struct error *err)
{
	int rc = store_read_sweep(store, id, &ret_source->sweep, err);

	rc = rc ? rc
		: store_read_configs(
			  store, id, &ret_source->configs, &ret_source->config_count, err);
	return rc ? rc
		  : store_read_cells(store, id, &ret_source->cells, &ret_source->cell_count, err);
}

static void fill_head(struct profile_build *b)
{
	const char *slash = strrchr(store_path(b->store), '/');
	struct profile *p = b->profile;
	time_t now = time(NULL);
	struct tm tm;

	(void)snprintf(p->tool, sizeof(p->tool), "moderato %s", MODERATO_VERSION);
	(void)strftime(p->created, sizeof(p->created), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	profile_copy_text(p->objective, b->request->objective);
	profile_copy_text(p->evidence.store, slash ? slash + 1 : store_path(b->store));
	profile_copy_text(p->evidence.command, b->request->command);
}

static int add_effect(struct profile_build *b, const struct compare_result *result,
	const char *cell, struct error *err)
{
	const struct metric_row *metric = &metric_table[result->metric];
	const struct pairs_result *last = &result->last;
	struct profile_effect *effect = profile_add_effect(b->profile);

	if (!effect)
		return error_sys(err, -ENOMEM, "cannot build a profile");
	profile_copy_text(effect->cell, cell);
	profile_copy_text(effect->metric, metric->name);
	profile_copy_text(effect->unit, metric->unit);
	profile_copy_text(
		effect->better, result->rule.direction == PAIRS_MORE_IS_BETTER ? "more" : "less");
	effect->ratio = last->ratio;
	if (last->has_interval) {
		effect->low = last->low;
		effect->high = last->high;
		effect->confidence = last->confidence;
	}
	effect->smallest_effect = result->rule.smallest_effect;
	effect->n = last->pairs;
	profile_copy_text(effect->verdict, pairs_verdict_name(last->verdict));
	effect->proven = last->verdict != PAIRS_NOT_PROVEN;
	return 0;
}

static int add_trials(struct profile_build *b, const struct profile_source *source,
	const struct store_cell *cell, const char *metric, struct error *err)
{
	struct compare_pairs *pairs = calloc(1, sizeof(*pairs));
	int rc;

	if (!pairs)
		return error_sys(err, -ENOMEM, "cannot build a profile");
	rc = compare_pairs_read(b->store, source->sweep.id, cell->id, source->baseline->id,
		source->setting->id, metric, pairs, err);
	for (unsigned i = 0; i < pairs->count && !rc; i++) {
		if (profile_add_trial(b->profile, pairs->trial_a[i]) ||
			profile_add_trial(b->profile, pairs->trial_b[i]))
			rc = error_sys(err, -ENOMEM, "cannot build a profile");
	}
	free(pairs);
	return rc;
}

static int add_comparison(struct profile_build *b, const struct profile_source *source,
	const struct store_cell *cell, const char *metric, unsigned comparisons, struct error *err)
{
	struct compare_result result;
	int rc = compare_stored(b->store, source->sweep.id, cell, source->baseline, source->setting,
		metric, 0, comparisons, &result, err);

	if (rc == -ENODATA)
		return 0;
	rc = rc ? rc : add_effect(b, &result, cell->workload, err);
	return rc ? rc : add_trials(b, source, cell, metric, err);
}

static const char *const *cell_metrics(const struct store_cell *cell)
{
	return strncmp(cell->workload, "rr:", 3) ? stream_metrics : rr_metrics;
}

static int add_sweep(
	struct profile_build *b, const struct profile_source *source, struct error *err)
{
	unsigned comparisons = 0;
	int rc = 0;

	for (size_t i = 0; i < source->cell_count; i++) {
		for (const char *const *m = cell_metrics(&source->cells[i]); *m; m++)
			comparisons++;
	}
	for (size_t i = 0; i < source->cell_count; i++) {
		for (const char *const *m = cell_metrics(&source->cells[i]); *m && !rc; m++)
			rc = add_comparison(b, source, &source->cells[i], *m, comparisons, err);
	}
	return rc;
}

struct look_search {
	const struct profile_source *source;
	char metric[64]; /* of the last look that has these sides */
};

static int visit_look(void *context, const struct store_look *look)
{
	struct look_search *search = context;

	if (look->config_a == search->source->baseline->id &&
		look->config_b == search->source->setting->id)
		(void)snprintf(search->metric, sizeof(search->metric), "%s", look->metric);
	return 0;
}

/* A comparison proves something about the metric it looked at, and about no other. */
static int add_compare(
	struct profile_build *b, const struct profile_source *source, struct error *err)
{
	struct look_search search = {.source = source};
	const char *metric = json_string_value(json_object_get(source->sweep.options, "metric"));
	int rc;

	/* Too few pairs for a look leave no look, but what it was made for is known. */
	(void)snprintf(search.metric, sizeof(search.metric), "%s", metric ? metric : "");
	rc = store_each_look(b->store, source->sweep.id, visit_look, &search, err);
	if (rc < 0 || !*search.metric || !source->cell_count)
		return rc < 0 ? rc : 0;
	return add_comparison(b, source, &source->cells[0], search.metric, 1, err);
}

static bool same_place(const struct profile_build *b, const struct profile_source *source)
{
	return !strcasecmp(b->profile->chip.name, source->sweep.chip) &&
	       !strcmp(b->profile->path, source->sweep.path_kind);
}

static int take_source(struct profile_build *b, struct profile_source *source, struct error *err)
{
	int rc = 0;

	source->setting = find_config(source, b->request->setting);
	b->setting_known |= source->setting != NULL;
	if (source->setting && !*b->baseline && source->sweep.baseline >= 0 &&
		(size_t)source->sweep.baseline < source->config_count)
		(void)snprintf(b->baseline, sizeof(b->baseline), "%s",
			source->configs[source->sweep.baseline].name);
	source->baseline = *b->baseline ? find_config(source, b->baseline) : NULL;
	if (!source->setting || !source->baseline || source->setting == source->baseline)
		return 0;
	if (!b->sources)
		rc = profile_fill_place(b, source, err);
	else if (!same_place(b, source))
		return 0;
	if (rc)
		return rc;
	b->sources++;
	return source->sweep.kind == SWEEP_KIND_COMPARE ? add_compare(b, source, err)
							: add_sweep(b, source, err);
}

static int take_all(struct profile_build *b, struct error *err)
{
	int64_t id;
	int rc = store_last_sweep(b->store, &id, err);

	if (rc == -ENOENT)
		return error_set(err, -ENODATA, "%s holds no sweep", store_path(b->store));
	for (; id > 0 && !rc; id--) {
		struct profile_source source = {0};

		if (!source_read(b->store, id, &source, NULL))
			rc = take_source(b, &source, err);
		source_fini(&source);
	}
	return rc;
}

static int compare_ids(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Several effects rest on the same trials. */
static void sort_trials(struct profile_evidence *evidence)
{
	size_t kept = 0;

	if (evidence->trial_count)
		qsort(evidence->trials, evidence->trial_count, sizeof(*evidence->trials),
			compare_ids);
	for (size_t i = 0; i < evidence->trial_count; i++) {
		if (!kept || evidence->trials[kept - 1] != evidence->trials[i])
			evidence->trials[kept++] = evidence->trials[i];
	}
	evidence->trial_count = kept;
}

static void describe_workload(struct profile *p)
{
	size_t used = 0;

	for (size_t i = 0; i < p->effect_count && used < sizeof(p->workload) - 4; i++) {
		const char *cell = p->effects[i].cell;
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen |= !strcmp(p->effects[j].cell, cell);
		if (seen)
			continue;
		if (used + strlen(cell) + 8 > sizeof(p->workload)) {
			(void)strcpy(p->workload + used, " ...");
			return;
		}
		used += (size_t)snprintf(p->workload + used, sizeof(p->workload) - used, "%s%s",
			used ? " " : "", cell);
	}
}

static int no_source(const struct profile_build *b, struct error *err)
{
	const char *name = b->request->setting, *path = store_path(b->store);

	if (!*b->baseline)
		return error_usage(err,
			"%s names no baseline for \"%.80s\"; --baseline NAME gives one", path,
			name);
	if (!strcmp(name, b->baseline))
		return error_usage(err,
			"\"%.80s\" is the baseline itself in %s; --baseline NAME gives another",
			name, path);
	return error_set(err, -ENODATA, "no sweep in %s has both \"%.80s\" and \"%.80s\"", path,
		name, b->baseline);
}

int profile_build(struct store *store, const struct profile_request *request,
	struct profile *ret_profile, struct error *err)
{
	struct profile_build b = {.store = store, .request = request, .profile = ret_profile};
	int rc = profile_init(ret_profile);

	if (rc)
		return error_sys(err, rc, "cannot build a profile");
	if (request->baseline)
		(void)snprintf(b.baseline, sizeof(b.baseline), "%s", request->baseline);
	fill_head(&b);
	rc = take_all(&b, err);
	if (!rc && !b.setting_known)
		rc = error_usage(err, "%s has no setting \"%.80s\"; \"moderato table\" shows them",
			store_path(store), request->setting);
	else if (!rc && !b.sources)
		rc = no_source(&b, err);
	else if (!rc && !ret_profile->effect_count)
		rc = error_set(err, -ENODATA, "no pair of trials in %s counts for \"%.80s\"",
			store_path(store), request->setting);
	if (rc) {
		profile_fini(ret_profile);
		return rc;
	}
	sort_trials(&ret_profile->evidence);
	describe_workload(ret_profile);
	return 0;
}
