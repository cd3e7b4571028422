/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings about settings to sweep: out of range, dead, the same to the chip, hazardous. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/lint/lint.h"

static struct lint lint;

static void begin(const char *chip)
{
	struct error err = {0};

	if (lint_init(&lint, card_find(chip), 1000, false, &err))
		fail_msg("%s", err.text);
}

/* The finding whose text has @word, or NULL. */
static const json_t *finding(const char *severity, const char *word)
{
	json_t *row;
	size_t i;

	json_array_foreach (lint.findings, i, row)
		if (!strcmp(json_string_value(json_object_get(row, "severity")), severity) &&
			strstr(json_string_value(json_object_get(row, "text")), word))
			return row;
	return NULL;
}

static void assert_found(const char *severity, const char *word)
{
	json_t *row;
	size_t i;

	if (finding(severity, word))
		return;
	json_array_foreach (lint.findings, i, row)
		print_error("%s\n", json_string_value(json_object_get(row, "text")));
	fail_msg("no %s: %s", severity, word);
}

static void every_value_out_of_range_is_found_and_the_rest_counts(void **state)
{
	begin("82574L");
	lint_set(&lint, 3, "ITR=0,70000,651,80000 RDTR=0,-1 FOO=1,2");
	assert_int_equal(lint.errors, 5);
	assert_found("error", "ITR=70000 is out of range");
	assert_found("error", "ITR=80000 is out of range");
	assert_found("error", "RDTR=-1");
	assert_found("error", "no knob is called \"FOO\"");
	assert_int_equal(
		json_integer_value(json_object_get(finding("error", "ITR=70000"), "line")), 3);
	/* FOO has no value at all, so the line gives no setting */
	assert_int_equal(lint.plan.config_count, 0);
	lint_set(&lint, 4, "ITR=0,70000,651");
	assert_int_equal(lint.plan.config_count, 2);
	lint_fini(&lint);
}

static void knobs_that_the_chip_lacks_are_errors(void **state)
{
	static const struct {
		const char *chip, *text, *word;
	} rows[] = {
		{"82544GC", "ITR=0,651", "the 82544GC has no ITR"},
		{"82545EM", "intmode=intx,msix", "the 82545EM has only intx"},
		{"82583V", "EITR0=1,2", "the 82583V has no EITR0"},
		{"82574L", "rx-ring=100,128", "not a multiple of 8"},
		{"82574L", "speed=250", "not a link speed"},
		{"82574L", "ITR", "no list of values"},
		{"82574L", "ITR=", "no list of values"},
		{"82574L", "ITR=fast", "neither a whole number"},
		{"82574L", "name: ITR=1,2", "one value a knob"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(rows[i].chip);
		lint_set(&lint, 0, rows[i].text);
		assert_found("error", rows[i].word);
		lint_fini(&lint);
	}
}

static void a_knob_that_never_acts_is_found_with_its_reason(void **state)
{
	static const struct {
		const char *text, *word;
	} rows[] = {
		{"RADV=0,64,375 RDTR=0", "RADV is swept and never acts: RDTR is 0"},
		{"TADV=64 ITR=0,651", "TADV is set and never acts: TIDV is 0"},
		{"intmode=msix ITR=0,651", "ITR is swept and never acts: in MSI-X"},
		{"intmode=msix TIDV=8,64 EITR1=0,651", "TIDV is swept and never acts: does not bound"},
		{"intmode=msi EITR0=0,651", "EITR0 is swept and never acts: acts in MSI-X only"},
		{"RAID=0,5 ITR=0,651", "RAID is swept and never acts"},
		{"intmode=msix EITR3=1,2", "EITR3 is swept and never acts: no cause"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin("82574L");
		lint_set(&lint, 0, rows[i].text);
		lint_finish(&lint);
		assert_found("warning", rows[i].word);
		lint_fini(&lint);
	}
	begin("82574L");
	lint_set(&lint, 0, "RADV=0,64 RDTR=0,65");
	lint_finish(&lint);
	assert_null(finding("warning", "never acts"));
	lint_fini(&lint);
}

static void settings_that_are_the_same_to_the_chip_are_found_with_why(void **state)
{
	begin("82574L");
	lint_set(&lint, 0, "ITR=651 RADV=0,128");
	lint_set(&lint, 0, "intmode=msix TIDV=0,64");
	lint_finish(&lint);
	assert_found("warning", "the chip cannot tell \"ITR=651 RADV=128\" from \"ITR=651 RADV=0\": RADV "
				"does not act (RDTR is 0)");
	assert_found("warning", "TIDV does not act (does not bound the rate in MSI-X)");
	assert_int_equal(lint.plan.config_count, 2);
	lint_fini(&lint);
}

static void hazards_are_those_of_the_very_part(void **state)
{
	begin("82543GC");
	lint_set(&lint, 0, "RDTR=0,10");
	lint_finish(&lint);
	assert_found("warning", "erratum 37");
	assert_found("note", "known, not driven");
	lint_fini(&lint);
	begin("82574L");
	lint_set(&lint, 0, "RDTR=0,10");
	lint_finish(&lint);
	assert_null(finding("warning", "erratum 37"));
	assert_found("warning", "may hang");
	lint_fini(&lint);
	begin("82574L");
	lint_set(&lint, 0, "RDTR=0 ITR=651,1500");
	lint_finish(&lint);
	assert_null(finding("warning", "hang"));
	assert_null(finding("warning", "hazard"));
	lint_fini(&lint);
}

static void presets_and_restarts_and_single_settings(void **state)
{
	begin("82574L");
	lint_presets(&lint, 2, "netbsd-old, nosuch netbsd-new");
	assert_int_equal(lint.errors, 1);
	assert_found("error", "unknown preset \"nosuch\"");
	assert_int_equal(lint.plan.config_count, 2);
	lint_set(&lint, 3, "intmode=msi,msix");
	lint_finish(&lint);
	assert_found("note", "intmode needs a restart");
	assert_found("warning", "netbsd-old: RADV 128 has no effect");
	lint_fini(&lint);
	begin("82574L");
	lint_set(&lint, 0, "ITR=651");
	lint_finish(&lint);
	assert_found("warning", "nothing to compare");
	lint_fini(&lint);
}

static int read_file(const char *text, const char *chip, struct error *err)
{
	return lint_file(&lint, chip ? card_find(chip) : NULL, 1000, text, err);
}

static void a_sweep_file_names_chip_speed_and_settings(void **state)
{
	struct error err = {0};
	json_t *json;

	assert_int_equal(read_file("# comment\n\n  chip 82574L\r\nspeed 100\nmsix-rx-timers\n"
				   "preset netbsd-new   # R1\nset ITR=0,651\nfast: ITR=100\nRDTR=7 \n",
				 NULL, &err),
		0);
	assert_int_equal(lint.plan.device.speed_mbps, 100);
	assert_true(lint.plan.device.msix_rx_timers);
	assert_int_equal(lint.plan.config_count, 5);
	assert_string_equal(lint.plan.configs[3].name, "fast");
	lint_finish(&lint);
	json = lint_json(&lint);
	assert_int_equal(json_integer_value(json_object_get(json, "distinct")), 5);
	assert_int_equal(json_array_size(json_object_get(json, "configurations")), 5);
	assert_int_equal(json_integer_value(json_object_get(json, "errors")), 0);
	json_decref(json);
	lint_fini(&lint);
	assert_int_equal(read_file("ITR=1,2\n", "82545EM", &err), 0);
	assert_string_equal(lint.card->name, "82545EM");
	lint_fini(&lint);
}

static void a_sweep_file_that_is_none_is_refused_by_line(void **state)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"\n# x\nset ITR=1\n", "line 3: no chip named yet"},
		{"chip 82574K\n", "line 1: unknown chip \"82574K\"; did you mean 82574L?"},
		{"chip 82574L\nspeed 7\n", "line 2: speed \"7\" is not 10, 100 or 1000"},
		{"chip 82574L\n", "no setting in the file"},
		{"", "no setting in the file"},
		{"chip MCP55\nset ITR=1\n", "the MCP55 has another logic"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};

		assert_true(read_file(rows[i].text, NULL, &err) < 0);
		if (!strstr(err.text, rows[i].sentence))
			fail_msg("%s", err.text);
		assert_true(err.usage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_out_of_range_is_found_and_the_rest_counts),
		cmocka_unit_test(knobs_that_the_chip_lacks_are_errors),
		cmocka_unit_test(a_knob_that_never_acts_is_found_with_its_reason),
		cmocka_unit_test(settings_that_are_the_same_to_the_chip_are_found_with_why),
		cmocka_unit_test(hazards_are_those_of_the_very_part),
		cmocka_unit_test(presets_and_restarts_and_single_settings),
		cmocka_unit_test(a_sweep_file_names_chip_speed_and_settings),
		cmocka_unit_test(a_sweep_file_that_is_none_is_refused_by_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
