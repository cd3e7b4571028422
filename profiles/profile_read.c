/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a profile from JSON: types, members, units; what it claims is checked in profile_check.c.
 */
#include "profiles/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/json.h"
#include "profiles/field.h"

/* {"knob", "value", "ns", "mark"} with members nobody knows refused. */
static int check_value_members(json_t *row, const char *knob, struct error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach (row, name, value) {
		if (strcmp(name, "knob") && strcmp(name, "value") && strcmp(name, "ns") &&
			strcmp(name, "mark"))
			return error_usage(err, "%s: unknown member \"%.40s\"", knob, name);
	}
	return 0;
}

static int read_value(
	json_t *row, struct settings *settings, const struct knob **ret_knob, struct error *err)
{
	struct settings one = {0};
	const char *name;
	json_t *pair;
	int rc;

	if (!json_is_object(row))
		return error_usage(err, "every value must be an object with knob and value");
	rc = json_member_string(row, "knob", true, &name, err);
	if (rc)
		return rc;
	if (!json_object_get(row, "value"))
		return error_usage(err, "%s: member \"value\" is missing", name);
	pair = json_pack("{s:O}", name, json_object_get(row, "value"));
	if (!pair)
		return error_sys(err, -ENOMEM, "cannot read %s", name);
	rc = json_to_settings(pair, &one, err);
	json_decref(pair);
	rc = rc ?: check_value_members(row, name, err);
	if (rc)
		return rc;
	*ret_knob = knob_find(name);
	if (settings_has(settings, (*ret_knob)->id))
		return error_usage(err, "knob %s is given twice", name);
	settings_merge(settings, &one);
	return 0;
}

/* Nanoseconds are there for people and other programs; they must say the same as the units. */
static int check_ns(const struct profile *profile, const struct chip *chip, const struct knob *knob,
	uint32_t value, json_t *row, struct error *err)
{
	json_t *given = json_object_get(row, "ns");
	uint64_t ns;

	if (!chip)
		return 0;
	if (!profile_knob_ns(chip, knob->id, value, (unsigned)profile->chip.speed_mbps, &ns))
		return given ? error_usage(err, "%s is not a time, but has \"ns\"", knob->name) : 0;
	if (!json_is_integer(given) || (uint64_t)json_integer_value(given) != ns)
		return error_usage(err,
			"%s: %" PRIu32 " is %" PRIu64 " ns at %" PRId64
			" Mb/s, but \"ns\" says otherwise or is missing",
			knob->name, value, ns, profile->chip.speed_mbps);
	return 0;
}

static int check_mark(
	const struct profile *profile, const struct knob *knob, json_t *row, struct error *err)
{
	const char *mark = json_string_value(json_object_get(row, "mark"));
	bool wanted = !profile->tx_transferable && profile_knob_is_tx(knob->id);

	if (wanted && (!mark || strcmp(mark, PROFILE_TX_MARK)))
		return error_usage(
			err, "%s must carry the mark \"" PROFILE_TX_MARK "\" here", knob->name);
	if (!wanted && json_object_get(row, "mark"))
		return error_usage(err, "%s carries a mark that is not its own", knob->name);
	return 0;
}

static int read_values(
	struct profile *profile, json_t *values, struct settings *settings, struct error *err)
{
	const struct chip *chip = chip_find(profile->chip.name);
	const struct knob *knob = NULL;
	size_t index;
	json_t *row;
	int rc;

	if (!json_is_array(values))
		return error_usage(err, "member \"values\" must be an array");
	json_array_foreach (values, index, row) {
		rc = read_value(row, settings, &knob, err);
		rc = rc ?: check_ns(profile, chip, knob, settings->value[knob->id], row, err);
		rc = rc ?: check_mark(profile, knob, row, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_setting(struct profile *profile, json_t *document, const char *member,
	struct profile_setting *setting, struct error *err)
{
	json_t *object = json_object_get(document, member), *value;
	const char *name;
	int rc;

	if (!json_is_object(object))
		return error_usage(err, "member \"%s\" must be an object", member);
	json_object_foreach (object, name, value) {
		if (strcmp(name, "name") && strcmp(name, "values"))
			return error_usage(err, "%s: unknown member \"%.40s\"", member, name);
	}
	rc = json_member_string(object, "name", true, &name, err);
	if (!rc && strlen(name) >= sizeof(setting->name))
		rc = error_usage(
			err, "the name is longer than %zu bytes", sizeof(setting->name) - 1);
	if (!rc) {
		(void)strcpy(setting->name, name);
		rc = read_values(profile, json_object_get(object, "values"), &setting->values, err);
	}
	if (rc)
		error_context(err, "%s", member);
	return rc;
}

static int read_effects(struct profile *profile, json_t *array, struct error *err)
{
	struct profile_effect *effect;
	size_t index;
	json_t *row;
	int rc;

	if (!json_is_array(array))
		return error_usage(err, "member \"effects\" must be an array");
	json_array_foreach (array, index, row) {
		effect = profile_add_effect(profile);
		if (!effect)
			return error_sys(err, -ENOMEM, "cannot read effects");
		rc = fields_read(&section_effect, row, effect, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_trials(struct profile *profile, json_t *array, struct error *err)
{
	size_t index;
	json_t *id;

	if (!json_is_array(array))
		return error_usage(err, "evidence: member \"trials\" must be an array");
	json_array_foreach (array, index, id) {
		if (!json_is_integer(id))
			return error_usage(err, "evidence: trials must be integers");
		if (profile_add_trial(profile, json_integer_value(id)))
			return error_sys(err, -ENOMEM, "cannot read trials");
	}
	return 0;
}

static int read_environment(struct profile *profile, json_t *object, struct error *err)
{
	if (!json_is_object(object))
		return error_usage(err, "member \"environment\" must be an object");
	json_decref(profile->environment);
	profile->environment = json_incref(object);
	return 0;
}

static int read_sections(struct profile *p, json_t *document, struct error *err)
{
	json_t *evidence = json_object_get(document, "evidence");
	int rc;

	rc = fields_read(&section_profile, document, p, err);
	rc = rc ?: fields_read(&section_chip, json_object_get(document, "chip"), &p->chip, err);
	rc = rc ?: fields_read(&section_cpu, json_object_get(document, "cpu"), &p->cpu, err);
	rc = rc ?: read_setting(p, document, "setting", &p->setting, err);
	rc = rc ?: read_setting(p, document, "baseline", &p->baseline, err);
	rc = rc ?: read_effects(p, json_object_get(document, "effects"), err);
	rc = rc ?: read_environment(p, json_object_get(document, "environment"), err);
	rc = rc ?: fields_read(&section_evidence, evidence, &p->evidence, err);
	rc = rc ?: read_trials(p, json_object_get(evidence, "trials"), err);
	return rc ?: profile_check(p, err);
}

int profile_from_json(json_t *document, struct profile *ret_profile, struct error *err)
{
	struct profile profile;
	int rc = profile_init(&profile);

	if (rc)
		return error_sys(err, rc, "cannot read a profile");
	rc = read_sections(&profile, document, err);
	if (rc) {
		profile_fini(&profile);
		return rc;
	}
	*ret_profile = profile;
	return 0;
}

int profile_read_file(const char *path, struct profile *ret_profile, struct error *err)
{
	json_t *document;
	int rc = json_read_file(path, &document, err);

	if (rc)
		return rc;
	rc = profile_from_json(document, ret_profile, err);
	json_decref(document);
	if (rc)
		error_context(err, "%s", path);
	return rc;
}
