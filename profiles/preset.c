/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: the table, looking a name up, and turning a row into the settings of one chip. */
#include "profiles/preset.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/nearest.h"
#include "common/util.h"
#include "common/list.h"

#define V(knob, value, source) {KNOB_##knob, value, source},
#define PRESET(name, families, chips, mode, meaning, values)                                       \
	{name, families, chips, INTMODE_##mode, meaning, (const struct preset_value[]){values},    \
		sizeof((const struct preset_value[]){values}) / sizeof(struct preset_value)},
const struct preset preset_table[] = {
#include "profiles/presets.def"
};
#undef V
const size_t preset_table_count = ARRAY_SIZE(preset_table);

static const struct {
	enum intmode mode;
	enum knob_id knob;
} throttle_table[] = {
#define THROTTLE(mode, knob) {INTMODE_##mode, KNOB_##knob},
#include "profiles/presets.def"
};

static bool mode_fits(enum intmode mode, const struct chip *chip)
{
	return (chip->intmodes & INTMODE_BIT(mode)) || mode == INTMODE_MSI;
}

bool preset_fits(const struct preset *preset, const struct chip *chip)
{
	if (!(preset->families & chip->family) ||
		!list_allows(preset->chips, chip->name) ||
		!mode_fits(preset->intmode, chip))
		return false;
	for (size_t i = 0; i < preset->value_count; i++) {
		if (!chip_has_knob(chip, preset->values[i].knob))
			return false;
	}
	return true;
}

const struct preset *preset_find(const char *name, const struct chip *chip)
{
	for (size_t i = 0; i < preset_table_count; i++) {
		if (!strcasecmp(preset_table[i].name, name) &&
			(!chip || preset_fits(&preset_table[i], chip)))
			return &preset_table[i];
	}
	return NULL;
}

const char *preset_suggest(const char *name)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < preset_table_count; i++)
		nearest_offer(&nearest, preset_table[i].name);
	return nearest.best;
}

static int preset_not_found(const char *name, const struct chip *chip, struct error *err)
{
	const char *near = preset_suggest(name);

	if (preset_find(name, NULL))
		return error_usage(err,
			"preset %s is not for the %s; \"moderato preset list --chip %s\" shows "
			"those that are",
			name, chip->name, chip->name);
	if (near)
		return error_usage(err, "unknown preset \"%.64s\"; did you mean %s?", name, near);
	return error_usage(
		err, "unknown preset \"%.64s\"; \"moderato preset list\" shows all", name);
}

static bool is_throttle(enum knob_id knob)
{
	return knob == KNOB_ITR || (knob >= KNOB_EITR0 && knob <= KNOB_EITR4);
}

static void put_throttle(struct settings *settings, enum intmode mode, uint32_t value)
{
	for (size_t i = 0; i < ARRAY_SIZE(throttle_table); i++) {
		if (throttle_table[i].mode == mode)
			settings_put(settings, throttle_table[i].knob, value);
	}
}

/* INTx and MSI share ITR, so only a change to or from MSI-X moves the throttle. A preset gives all
 * its vectors the same value, so it does not matter which of them becomes ITR. */
static void fill_settings(const struct preset *preset, enum intmode mode, struct settings *settings)
{
	bool move = (preset->intmode == INTMODE_MSIX) != (mode == INTMODE_MSIX);

	*settings = (struct settings){0};
	for (size_t i = 0; i < preset->value_count; i++) {
		const struct preset_value *v = &preset->values[i];

		if (move && is_throttle(v->knob))
			put_throttle(settings, mode, v->value);
		else
			settings_put(settings, v->knob, v->value);
	}
	settings_put(settings, KNOB_INTMODE, mode);
}

int preset_resolve(const char *name, const struct chip *chip, struct preset_result *ret_result,
	struct error *err)
{
	const struct preset *preset = preset_find(name, chip);
	enum intmode mode;

	if (!preset)
		return preset_not_found(name, chip, err);
	mode = chip->intmodes & INTMODE_BIT(preset->intmode) ? preset->intmode : INTMODE_INTX;
	ret_result->preset = preset;
	ret_result->note[0] = '\0';
	fill_settings(preset, mode, &ret_result->settings);
	if (mode != preset->intmode)
		(void)snprintf(ret_result->note, sizeof(ret_result->note),
			"the %s has no MSI: preset %s runs in INTx", chip->name, preset->name);
	return 0;
}

int preset_resolve_mode(const char *name, const struct chip *chip, enum intmode mode,
	struct preset_result *ret_result, struct error *err)
{
	const struct preset *preset = preset_find(name, chip);

	if (!preset)
		return preset_not_found(name, chip, err);
	if (!(chip->intmodes & INTMODE_BIT(mode)))
		return error_usage(
			err, "the %s has no interrupt mode %s", chip->name, intmode_name(mode));
	ret_result->preset = preset;
	ret_result->note[0] = '\0';
	fill_settings(preset, mode, &ret_result->settings);
	if (mode != preset->intmode)
		(void)snprintf(ret_result->note, sizeof(ret_result->note),
			"preset %s is written for %s and runs in %s here", preset->name,
			intmode_name(preset->intmode), intmode_name(mode));
	return 0;
}
