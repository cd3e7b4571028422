/* SPDX-License-Identifier: BSD-2-Clause */
/* Profile files: round trips byte for byte, refusals by name, and one list of members everywhere.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/util.h"
#include "profiles/field.h"
#include "common/list.h"
#include "profiles/profile.h"

#define DATA   "tests/unit/data/profiles/"
#define SCHEMA "profiles/profile.schema.json"

static const char *const good_files[] = {
	"good-sim-82574l.json", "good-kernel-82574l.json", "good-sim-82545em-arm.json"};

/* Every bad file and what its sentence must say. */
static const struct {
	const char *file, *says;
} bad_files[] = {
	{"bad-schema.json", "\"schema\" is \"moderato-profile/2\""},
	{"bad-unknown-member.json", "unknown member \"hint\""},
	{"bad-missing-cpu.json", "cpu must be an object"},
	{"bad-unknown-chip.json", "unknown chip \"82599\""},
	{"bad-pci-id.json", "the 82574L is 8086:10d3"},
	{"bad-mode-of-chip.json", "setting: intmode"},
	{"bad-empty-cpu-key.json", "cpu.key is empty"},
	{"bad-unknown-knob.json", "ITTR"},
	{"bad-range.json", "65536"},
	{"bad-ns.json", "ITR: 1500 is 384000 ns"},
	{"bad-ns-missing.json", "RDTR: 375 is 384000 ns"},
	{"bad-mark-missing.json", "TIDV must carry the mark"},
	{"bad-mark-on-rx.json", "RDTR carries a mark"},
	{"bad-tap-transfers.json", "path is tap"},
	{"bad-proven-by-one.json", "cannot be proven"},
	{"bad-proven-without-interval.json", "cannot be proven"},
	{"bad-better-but-crosses-1.json", "does not carry the verdict \"better\""},
	{"bad-worse-but-better.json", "does not carry the verdict \"worse\""},
	{"bad-same-but-wide.json", "does not carry the verdict \"same\""},
	{"bad-claim-not-verdict.json", "disagree"},
	{"bad-ratio-outside.json", "does not hold the ratio"},
	{"bad-half-interval.json", "go together"},
	{"bad-control-character.json", "control character"},
	{"bad-trial-type.json", "trials must be integers"},
	{"bad-verdict-word.json", "better|worse|same|not proven"},
	{"bad-type.json", "\"simulated\" must be true or false"},
	{"bad-duplicate.json", "duplicate"},
	{"bad-not-json.json", "line 1"},
};

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 65536);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, 65535, file) > 0);
	(void)fclose(file);
	return text;
}

static void read_data(const char *file, struct profile *profile)
{
	struct error err = {0};
	char path[256];

	(void)snprintf(path, sizeof(path), DATA "%s", file);
	if (profile_read_file(path, profile, &err))
		fail_msg("%s", err.text);
}

static void a_profile_read_and_written_is_the_same_byte_for_byte(void **state)
{
	char copy[] = "/tmp/moderato-profile-XXXXXX";
	int fd = mkstemp(copy);

	assert_true(fd >= 0);
	(void)close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(good_files); i++) {
		struct profile profile;
		struct error err = {0};
		char path[256];
		char *before, *after;

		(void)snprintf(path, sizeof(path), DATA "%s", good_files[i]);
		read_data(good_files[i], &profile);
		if (profile_write_file(&profile, copy, &err))
			fail_msg("%s", err.text);
		before = read_text(path);
		after = read_text(copy);
		assert_string_equal(before, after);
		free(before);
		free(after);
		profile_fini(&profile);
	}
	(void)unlink(copy);
}

static void every_bad_file_is_refused_with_a_sentence_that_names_it(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_files); i++) {
		struct profile profile;
		struct error err = {0};
		char path[256];

		(void)snprintf(path, sizeof(path), DATA "%s", bad_files[i].file);
		if (!profile_read_file(path, &profile, &err))
			fail_msg("%s was accepted", bad_files[i].file);
		if (!strstr(err.text, bad_files[i].says) || !strstr(err.text, bad_files[i].file))
			fail_msg("%s: \"%s\" does not say: %s", bad_files[i].file, err.text,
				bad_files[i].says);
	}
}

static void no_bad_file_is_left_out_of_the_test(void **state)
{
	DIR *dir = opendir(DATA);
	struct dirent *entry;
	unsigned found = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		found += !strncmp(entry->d_name, "bad-", 4);
	(void)closedir(dir);
	assert_int_equal(found, ARRAY_SIZE(bad_files));
}

static bool schema_requires(json_t *object, const char *name)
{
	size_t index;
	json_t *value;

	json_array_foreach (json_object_get(object, "required"), index, value) {
		if (!strcmp(json_string_value(value), name))
			return true;
	}
	return false;
}

/* Every field stands in the schema with its type, need and values, and nothing else does. */
static void assert_section(const struct field_section *section, json_t *object)
{
	static const char *const types[] = {"string", "integer", "boolean", "number"};
	json_t *properties = json_object_get(object, "properties"), *value;
	const char *name;
	size_t known = 0, index;

	for (size_t i = 0; i < section->count; i++) {
		const struct field *f = &section->fields[i];
		json_t *property = json_object_get(properties, f->name);
		json_t *type = json_object_get(property, "type");
		json_t *words = json_object_get(property, "enum");

		if (!property)
			fail_msg("the schema lacks %s.%s", section->name, f->name);
		known++;
		assert_int_equal(schema_requires(object, f->name), f->required);
		if (type)
			assert_string_equal(json_string_value(type), types[f->type]);
		json_array_foreach (words, index, value) {
			if (f->type == FIELD_STRING)
				assert_true(list_has(f->allowed, json_string_value(value), '|'));
		}
	}
	json_object_foreach (properties, name, value)
		known -= !list_has(section->others, name, ' ');
	assert_int_equal(known, 0);
}

static void the_schema_has_the_members_of_the_table(void **state)
{
	json_error_t where;
	json_t *schema = json_load_file(SCHEMA, JSON_REJECT_DUPLICATES, &where);
	json_t *properties = json_object_get(schema, "properties");

	if (!schema)
		fail_msg("%s:%d: %s", SCHEMA, where.line, where.text);
	assert_section(&section_profile, schema);
	assert_section(&section_chip, json_object_get(properties, "chip"));
	assert_section(&section_cpu, json_object_get(properties, "cpu"));
	assert_section(&section_evidence, json_object_get(properties, "evidence"));
	assert_section(
		&section_effect, json_object_get(json_object_get(schema, "$defs"), "effect"));
	json_decref(schema);
}

static void an_independent_validator_accepts_the_good_files(void **state)
{
	static const char command[] =
		"python3 -W ignore -c 'import json,glob,jsonschema,sys\n"
		"v=jsonschema.Draft202012Validator(json.load(open(\"" SCHEMA "\")))\n"
		"v.check_schema(v.schema)\n"
		"good=sorted(glob.glob(\"" DATA "good-*.json\"))\n"
		"bad=[\"" DATA "bad-%s.json\" % n for n in (\"schema\",\"unknown-member\","
		"\"tap-transfers\",\"proven-by-one\",\"verdict-word\",\"type\",\"claim-not-"
		"verdict\")]\n"
		"sys.exit(not good or any(list(v.iter_errors(json.load(open(f)))) for f in good)\n"
		"  or any(v.is_valid(json.load(open(f))) for f in bad))'";

	if (system("python3 -W ignore -c 'import jsonschema; jsonschema.Draft202012Validator' "
		   "2> /dev/null")) {
		print_message("skipped: no python3-jsonschema\n");
		skip();
	}
	assert_int_equal(system(command), 0);
}

static void writing_refuses_to_claim_more_than_the_numbers_carry(void **state)
{
	struct profile profile;
	struct profile_effect *effect;
	struct error err = {0};

	read_data(good_files[0], &profile);
	effect = profile_add_effect(&profile);
	assert_non_null(effect);
	(void)strcpy(effect->cell, "128k tx");
	(void)strcpy(effect->metric, "goodput_mbps");
	(void)strcpy(effect->better, "more");
	(void)strcpy(effect->verdict, "better");
	effect->ratio = 1.5;
	effect->n = 1;
	effect->proven = true;
	assert_int_equal(profile_write_file(&profile, "/nonexistent/x", &err), -EINVAL);
	assert_non_null(strstr(err.text, "cannot be proven"));
	profile_fini(&profile);
}

static void times_follow_the_link_speed(void **state)
{
	const struct chip *chip = chip_find("82574L");
	uint64_t ns = 0;

	assert_true(profile_knob_ns(chip, KNOB_ITR, 1500, 1000, &ns));
	assert_int_equal(ns, 384000);
	assert_true(profile_knob_ns(chip, KNOB_ITR, 1500, 100, &ns));
	assert_int_equal(ns, 4 * 384000);
	assert_false(profile_knob_ns(chip, KNOB_RX_RING, 256, 1000, &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_read_and_written_is_the_same_byte_for_byte),
		cmocka_unit_test(every_bad_file_is_refused_with_a_sentence_that_names_it),
		cmocka_unit_test(no_bad_file_is_left_out_of_the_test),
		cmocka_unit_test(the_schema_has_the_members_of_the_table),
		cmocka_unit_test(an_independent_validator_accepts_the_good_files),
		cmocka_unit_test(writing_refuses_to_claim_more_than_the_numbers_carry),
		cmocka_unit_test(times_follow_the_link_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
