/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings about settings to sweep. */
#include "tuner/lint/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/chips/effective.h"
#include "common/util.h"
#include "profiles/preset.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

__attribute__((format(printf, 5, 6))) static void find(struct lint *lint, unsigned line,
	enum severity severity, const char *knob, const char *fmt, ...)
{
	static const char *const names[] = {"error", "warning", "note"};
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lint->errors += severity == SEVERITY_ERROR;
	(void)json_array_append_new(
		lint->findings, json_pack("{s:i, s:s, s:s, s:s}", "line", line, "severity",
					names[severity], "knob", knob, "text", text));
}

int lint_init(struct lint *lint, const struct card *card, unsigned speed_mbps, bool msix_rx_timers,
	struct error *err)
{
	const struct chip *chip = card_chip(card);

	if (!chip)
		return error_usage(err,
			"the %s has another logic than the Intel cores: no rules to check a sweep",
			card->name);
	*lint = (struct lint){.card = card, .findings = json_array()};
	lint->plan.device = (struct plan_device){
		.chip = chip, .speed_mbps = speed_mbps, .msix_rx_timers = msix_rx_timers};
	chip_initial_settings(chip, &lint->plan.device.base);
	if (card_state(card) != CARD_DRIVEN)
		find(lint, 0, SEVERITY_NOTE, "", "the %s is known, not driven: it can be judged, not swept",
			card->name);
	return 0;
}

void lint_fini(struct lint *lint)
{
	plan_fini(&lint->plan);
	json_decref(lint->findings);
	lint->findings = NULL;
}

static void remember_value(struct lint *lint, const struct settings *one, enum knob_id id)
{
	uint32_t value = one->value[id];

	if (settings_has(&lint->named, id) && lint->named.value[id] != value)
		lint->varied |= 1u << id;
	if (!settings_has(&lint->named, id) || value > lint->named.value[id])
		settings_put(&lint->named, id, value);
}

/* Is a value one that the chip can hold? If not, it becomes a finding. */
static bool check_value(struct lint *lint, unsigned line, const char *name, const char *value)
{
	struct settings one = {0};
	struct error err = {0};
	char assignment[140];

	(void)snprintf(assignment, sizeof(assignment), "%.60s=%.60s", name, value);
	if (settings_parse_assignment(&one, assignment, &err) ||
		chip_check_settings(lint->plan.device.chip, &one, &err)) {
		find(lint, line, SEVERITY_ERROR, knob_find(name) ? knob_find(name)->name : "", "%s",
			err.text);
		return false;
	}
	remember_value(lint, &one, knob_find(name)->id);
	return true;
}

/* The values of "KNOB=V,V" that can be had, appended to @good as text of the same form. */
static bool check_word(struct lint *lint, unsigned line, char *word, FILE *good)
{
	char *values = strchr(word, '='), *save = NULL;
	unsigned taken = 0;

	if (!values || values == word || !values[1]) {
		find(lint, line, SEVERITY_ERROR, "",
			"\"%.60s\" is no list of values; write KNOB=VALUE,VALUE", word);
		return false;
	}
	*values++ = '\0';
	for (char *v = strtok_r(values, ",", &save); v; v = strtok_r(NULL, ",", &save)) {
		if (!check_value(lint, line, word, v))
			continue;
		if (!taken++)
			fprintf(good, " %s=%s", word, v);
		else
			fprintf(good, ",%s", v);
	}
	return taken > 0;
}

void lint_set(struct lint *lint, unsigned line, const char *text)
{
	const char *colon = strchr(text, ':');
	bool named = colon && !memchr(text, '=', (size_t)(colon - text)), complete = true;
	char *copy = strdup(named ? colon + 1 : text), *good = NULL, *save = NULL;
	size_t size;
	FILE *out = open_memstream(&good, &size);
	struct error err = {0};

	if (!copy || !out)
		abort();
	if (named)
		fprintf(out, "%.*s:", (int)(colon - text), text);
	for (char *word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		complete &= check_word(lint, line, word, out);
	(void)fclose(out);
	/* a knob without any value that the chip can hold has been named; the rest is no setting then */
	if (complete && plan_add_product(&lint->plan, good, &err))
		find(lint, line, SEVERITY_ERROR, "", "%s", err.text);
	free(good);
	free(copy);
}

void lint_presets(struct lint *lint, unsigned line, const char *names)
{
	char copy[512], *save = NULL;

	(void)snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, ", \t", &save); name; name = strtok_r(NULL, ", \t", &save)) {
		struct error err = {0};

		if (plan_add_presets(&lint->plan, name, &err))
			find(lint, line, SEVERITY_ERROR, "", "%s", err.text);
	}
}

/* --- all settings together --- */

static void find_warning(void *context, const struct plan_config *config, const char *warning)
{
	find(context, 0, SEVERITY_WARNING, "", "%s: %s", config->name, warning);
}

/* The settings of a name in the plan: a preset, or the settings that are the name. */
static bool settings_of_name(const struct lint *lint, const char *name, struct settings *ret)
{
	struct preset_result preset;
	struct settings asked = {0};

	if (!strchr(name, '=')) {
		if (preset_resolve(name, lint->plan.device.chip, &preset, NULL))
			return false;
		asked = preset.settings;
	} else if (settings_parse_list(&asked, name, NULL)) {
		return false;
	}
	*ret = lint->plan.device.base;
	settings_merge(ret, &asked);
	return true;
}

/* "RADV does not act (RDTR is 0)" of the knobs in which two equal configurations differ. */
static void explain_same(const struct lint *lint, const struct settings *a, const struct settings *b,
	char *buf, size_t size)
{
	const struct plan_device *device = &lint->plan.device;
	struct effective effective;
	size_t used = 0;

	*buf = '\0';
	effective_compute(device->chip, b, device->speed_mbps, device->msix_rx_timers, &effective);
	for (unsigned id = 0; id < KNOB_COUNT && used < size; id++)
		if (a->value[id] != b->value[id] && !effective.knob[id].acts)
			used += (size_t)snprintf(buf + used, size - used, "%s%s does not act (%s)",
				used ? ", " : ": ", knob_table[id].name, effective.knob[id].reason);
}

static void find_same(struct lint *lint)
{
	for (size_t i = 0; i < lint->plan.merged_count; i++) {
		const struct plan_merged *merged = &lint->plan.merged[i];
		const struct plan_config *stays = &lint->plan.configs[merged->config];
		struct settings settings;
		char why[300] = "";

		if (settings_of_name(lint, merged->name, &settings))
			explain_same(lint, &stays->complete, &settings, why, sizeof(why));
		find(lint, 0, SEVERITY_WARNING, "",
			"the chip cannot tell \"%.120s\" from \"%.120s\"%s", merged->name,
			stays->name, why);
	}
}

/* Does the knob act in any configuration? If not, @ret_reason is why. */
static bool acts_anywhere(const struct lint *lint, enum knob_id id, const char **ret_reason)
{
	const struct plan_device *device = &lint->plan.device;

	for (size_t i = 0; i < lint->plan.config_count; i++) {
		static struct effective effective;

		effective_compute(device->chip, &lint->plan.configs[i].complete, device->speed_mbps,
			device->msix_rx_timers, &effective);
		if (effective.knob[id].acts)
			return true;
		*ret_reason = effective.knob[id].reason;
	}
	return !lint->plan.config_count;
}

static void find_dead(struct lint *lint)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		const char *reason = "";

		if (!settings_has(&lint->named, (enum knob_id)id) || !lint->named.value[id] ||
			acts_anywhere(lint, (enum knob_id)id, &reason))
			continue;
		find(lint, 0, SEVERITY_WARNING, knob_table[id].name, "%s %s and never acts: %s",
			knob_table[id].name, lint->varied >> id & 1 ? "is swept" : "is set", reason);
	}
}

static void find_hazards(struct lint *lint)
{
	const struct chip *chip = lint->plan.device.chip;

	for (size_t i = 0; i < card_fact_count; i++) {
		const struct card_fact *fact = &card_fact_table[i];
		const struct knob *knob = knob_find(fact->knob);

		if (fact->kind != FACT_HAZARD || !knob || !chip_has_knob(chip, knob->id) ||
			!settings_has(&lint->named, knob->id) || !lint->named.value[knob->id] ||
			!card_fits(lint->card, fact->families, fact->cards))
			continue;
		find(lint, 0, SEVERITY_WARNING, knob->name, "hazard of %s: %s [%s]", knob->name,
			fact->text, fact->source);
	}
}

static void find_restarts(struct lint *lint)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (knob_table[id].restart && (lint->varied >> id & 1))
			find(lint, 0, SEVERITY_NOTE, knob_table[id].name,
				"%s needs a restart of the device: its values are compared between restarts",
				knob_table[id].name);
}

void lint_finish(struct lint *lint)
{
	find_dead(lint);
	find_same(lint);
	find_hazards(lint);
	plan_each_warning(&lint->plan, find_warning, lint);
	find_restarts(lint);
	if (lint->plan.config_count < 2)
		find(lint, 0, SEVERITY_WARNING, "",
			"%zu configuration%s for the chip: nothing to compare",
			lint->plan.config_count, lint->plan.config_count == 1 ? "" : "s");
}

json_t *lint_json(const struct lint *lint)
{
	json_int_t distinct = (json_int_t)lint->plan.config_count;
	json_int_t merged = (json_int_t)lint->plan.merged_count;
	json_t *names = json_array();

	for (size_t i = 0; i < lint->plan.config_count; i++)
		(void)json_array_append_new(names, json_string(lint->plan.configs[i].name));
	return json_pack("{s:s, s:I, s:I, s:o, s:i, s:O}", "chip", lint->card->name, "settings",
		distinct + merged, "distinct", distinct, "configurations", names, "errors", lint->errors,
		"findings", lint->findings);
}
