/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles in memory and as JSON text: life cycle, building, writing. */
#include "profiles/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "profiles/field.h"

int profile_init(struct profile *profile)
{
	memset(profile, 0, sizeof(*profile));
	fields_clear(&section_profile, profile);
	fields_clear(&section_chip, &profile->chip);
	fields_clear(&section_cpu, &profile->cpu);
	fields_clear(&section_evidence, &profile->evidence);
	(void)strcpy(profile->schema, PROFILE_SCHEMA);
	profile->environment = json_object();
	return profile->environment ? 0 : -ENOMEM;
}

void profile_fini(struct profile *profile)
{
	free(profile->effects);
	free(profile->evidence.trials);
	json_decref(profile->environment);
	memset(profile, 0, sizeof(*profile));
}

struct profile_effect *profile_add_effect(struct profile *profile)
{
	size_t count = profile->effect_count;
	struct profile_effect *effects =
		reallocarray(profile->effects, count + 1, sizeof(*profile->effects));

	if (!effects)
		return NULL;
	profile->effects = effects;
	profile->effect_count = count + 1;
	fields_clear(&section_effect, &effects[count]);
	return &effects[count];
}

int profile_add_trial(struct profile *profile, int64_t id)
{
	struct profile_evidence *evidence = &profile->evidence;
	int64_t *trials = reallocarray(
		evidence->trials, evidence->trial_count + 1, sizeof(*evidence->trials));

	if (!trials)
		return -ENOMEM;
	evidence->trials = trials;
	trials[evidence->trial_count++] = id;
	return 0;
}

bool profile_knob_is_tx(enum knob_id knob)
{
	return knob == KNOB_TIDV || knob == KNOB_TADV || knob == KNOB_TX_BYTE_LIMIT ||
	       knob == KNOB_TX_RING;
}

bool profile_knob_ns(const struct chip *chip, enum knob_id knob, uint32_t value,
	unsigned speed_mbps, uint64_t *ret_ns)
{
	if (!knob_table[knob].unit_ps)
		return false;
	*ret_ns = knob_ticks_to_ns(&knob_table[knob], value, chip_tick_scale(chip, speed_mbps));
	return true;
}

static int value_add(json_t *array, const struct profile *profile, const struct chip *chip,
	enum knob_id knob, uint32_t value)
{
	json_t *row = json_object();
	uint64_t ns;
	int rc = json_array_append_new(array, row);

	rc = rc ?: json_object_set_new(row, "knob", json_string(knob_table[knob].name));
	rc = rc
		     ?: json_object_set_new(row, "value",
				knob == KNOB_INTMODE ? json_string(intmode_name(value))
						     : json_integer(value));
	if (chip && profile_knob_ns(chip, knob, value, (unsigned)profile->chip.speed_mbps, &ns))
		rc = rc ?: json_object_set_new(row, "ns", json_integer((json_int_t)ns));
	if (!profile->tx_transferable && profile_knob_is_tx(knob))
		rc = rc ?: json_object_set_new(row, "mark", json_string(PROFILE_TX_MARK));
	return rc;
}

static json_t *setting_to_json(const struct profile *profile, const struct profile_setting *setting)
{
	const struct chip *chip = chip_find(profile->chip.name);
	json_t *object = json_object(), *values = json_array();
	int rc;

	rc = json_object_set_new(object, "name", json_string(setting->name));
	for (unsigned id = 0; id < KNOB_COUNT && !rc; id++) {
		if (settings_has(&setting->values, id))
			rc = value_add(values, profile, chip, id, setting->values.value[id]);
	}
	if (json_object_set_new(object, "values", values) || rc) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *section_to_json(const struct field_section *section, const void *base)
{
	json_t *object = json_object();

	if (object && fields_write(section, base, object)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *effects_to_json(const struct profile *profile)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < profile->effect_count; i++) {
		if (json_array_append_new(
			    array, section_to_json(&section_effect, &profile->effects[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *evidence_to_json(const struct profile_evidence *evidence)
{
	json_t *object = section_to_json(&section_evidence, evidence);
	json_t *trials = json_array();
	int rc = json_object_set_new(object, "trials", trials);

	for (size_t i = 0; i < evidence->trial_count && !rc; i++)
		rc = json_array_append_new(trials, json_integer(evidence->trials[i]));
	if (rc) {
		json_decref(object);
		return NULL;
	}
	return object;
}

json_t *profile_to_json(const struct profile *profile)
{
	json_t *object = section_to_json(&section_profile, profile);
	int rc;

	rc = json_object_set_new(object, "chip", section_to_json(&section_chip, &profile->chip));
	rc |= json_object_set_new(object, "cpu", section_to_json(&section_cpu, &profile->cpu));
	rc |= json_object_set_new(object, "setting", setting_to_json(profile, &profile->setting));
	rc |= json_object_set_new(object, "baseline", setting_to_json(profile, &profile->baseline));
	rc |= json_object_set_new(object, "effects", effects_to_json(profile));
	rc |= json_object_set(object, "environment", profile->environment);
	rc |= json_object_set_new(object, "evidence", evidence_to_json(&profile->evidence));
	if (rc) {
		json_decref(object);
		return NULL;
	}
	return object;
}

int profile_write_file(const struct profile *profile, const char *path, struct error *err)
{
	json_t *document;
	int rc = profile_check(profile, err);

	if (rc) {
		error_context(err, "profile not written");
		return rc;
	}
	document = profile_to_json(profile);
	if (!document)
		return error_sys(err, -ENOMEM, "cannot write %s", path);
	rc = json_write_file(document, path, err);
	json_decref(document);
	return rc;
}
