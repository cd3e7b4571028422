/* SPDX-License-Identifier: BSD-2-Clause */
/* Knob table, unit conversion, and what a person may write as a setting. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/chips/knob.h"
#include "common/chips/regs.h"
#include "common/util.h"

static const struct knob *const itr = &knob_table[KNOB_ITR];
static const struct knob *const rdtr = &knob_table[KNOB_RDTR];

static const char *row_fault(const struct knob *row, const struct knob *rows, size_t index)
{
	if (row->min > row->max || row->initial < row->min || row->initial > row->max)
		return "has an initial value outside its range";
	if (!row->source[0] || !row->meaning[0])
		return "has no source or meaning";
	if ((row->kind == KNOB_KIND_REGISTER) != (row->reg != 0))
		return "has a register although it is the driver's, or none";
	if (row->kind == KNOB_KIND_REGISTER && (row->max > 0xffff || !reg_at(row->reg)))
		return "does not fit its register";
	for (size_t j = 0; j < index; j++)
		if (!strcmp(rows[j].name, row->name) || (row->reg && rows[j].reg == row->reg))
			return "repeats an earlier row";
	return NULL;
}

static void every_knob_row_is_sane(void **state)
{
	for (size_t i = 0; i < KNOB_COUNT; i++) {
		const char *fault = row_fault(&knob_table[i], knob_table, i);

		if (fault)
			fail_msg("%s %s", knob_table[i].name, fault);
		assert_int_equal(knob_table[i].id, i);
		assert_ptr_equal(knob_find(knob_table[i].name), &knob_table[i]);
	}
}

static void the_check_finds_a_repeated_row(void **state)
{
	const struct knob twice[] = {*itr, *itr};

	assert_null(row_fault(&twice[0], twice, 0));
	assert_string_equal(row_fault(&twice[1], twice, 1), "repeats an earlier row");
}

/* Values of a published rate table: field, interval in us, interrupts a second. */
static void throttle_fields_give_the_known_rates(void **state)
{
	static const struct {
		uint32_t field;
		double us, per_s;
	} rows[] = {
		{39062, 9999.9, 100.0},
		{1953, 499.97, 2000.1},
		{1500, 384.0, 2604.2},
		{1302, 333.3, 3000.2},
		{976, 249.86, 4002.3},
		{651, 166.66, 6000.4},
		{500, 128.0, 7812.5},
		{488, 124.93, 8004.6},
		{195, 49.92, 20032},
		{55, 14.08, 71023},
		{39, 9.984, 100160},
		{65535, 16776.96, 59.6},
		{5580, 1428.48, 700.04},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double us = (double)knob_ticks_to_ns(itr, rows[i].field, 1) / 1000;
		double per_s = knob_rate_per_s(itr, rows[i].field, 1);

		if (fabs(us - rows[i].us) > rows[i].us * 1e-4 ||
			fabs(per_s - rows[i].per_s) > rows[i].per_s * 5e-4)
			fail_msg("ITR %u: %.3f us, %.2f/s", rows[i].field, us, per_s);
	}
	assert_true(knob_rate_per_s(itr, 0, 1) == 0);
}

static void intervals_become_the_nearest_field(void **state)
{
	assert_int_equal(knob_ns_to_ticks(itr, 384000, 1), 1500);
	assert_int_equal(knob_ns_to_ticks(rdtr, 384000, 1), 375);
	assert_int_equal(knob_ns_to_ticks(rdtr, 8192, 1), 8);
	assert_int_equal(knob_ns_to_ticks(rdtr, 511, 1), 0);
	assert_int_equal(knob_ns_to_ticks(rdtr, 513, 1), 1);
	assert_int_equal(knob_ns_to_ticks(itr, UINT64_MAX, 1), 65535);
	assert_int_equal(knob_ns_to_ticks(itr, 384000, 4), 375);
}

static void every_field_survives_the_way_to_nanoseconds_and_back(void **state)
{
	for (unsigned scale = 1; scale <= 4; scale += 3)
		for (uint32_t field = 0; field <= 65535; field++) {
			assert_int_equal(field,
				knob_ns_to_ticks(itr, knob_ticks_to_ns(itr, field, scale), scale));
			assert_int_equal(
				field, knob_ns_to_ticks(
					       rdtr, knob_ticks_to_ns(rdtr, field, scale), scale));
		}
}

static uint32_t parsed(const char *text, enum knob_id id)
{
	struct settings settings = {0};
	struct error err = {0};

	if (settings_parse_assignment(&settings, text, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(settings.present, 1u << id);
	return settings.value[id];
}

static void numbers_times_and_modes_are_understood(void **state)
{
	assert_int_equal(parsed("ITR=1500", KNOB_ITR), 1500);
	assert_int_equal(parsed("itr=0x5DC", KNOB_ITR), 1500);
	assert_int_equal(parsed("ITR=0010", KNOB_ITR), 10);
	assert_int_equal(parsed("ITR=384us", KNOB_ITR), 1500);
	assert_int_equal(parsed("RDTR=0.384ms", KNOB_RDTR), 375);
	assert_int_equal(parsed("RADV=600ns", KNOB_RADV), 1);
	assert_int_equal(parsed("EITR0=0us", KNOB_EITR0), 0);
	assert_int_equal(parsed("ITR=16.777ms", KNOB_ITR), 65535);
	assert_int_equal(parsed("intmode=MSI-X", KNOB_INTMODE), INTMODE_MSIX);
	assert_int_equal(parsed("rx-ring=4096", KNOB_RX_RING), 4096);
}

/* Wrong input and its exact sentence. */
static void wrong_assignments_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"ITR", "\"ITR\" is not NAME=VALUE, for example ITR=1500 or RDTR=384us"},
		{"ITR=", "\"ITR=\" is not NAME=VALUE, for example ITR=1500 or RDTR=384us"},
		{"RDTX=1", "no knob is called \"RDTX\"; did you mean RDTR?"},
		{"speeed=10", "no knob is called \"speeed\"; did you mean speed?"},
		{"ITR=70000", "ITR=70000 is out of range: 0 to 65535 units of 0.256 us, at most "
			      "16.77696 ms"},
		{"ITR=-1", "ITR=-1 is out of range: 0 to 65535 units of 0.256 us, at most 16.77696 "
			   "ms"},
		{"ITR=20ms", "ITR=20ms is out of range: 0 to 65535 units of 0.256 us, at most "
			     "16.77696 ms"},
		{"ITR=99999999999999999999", "ITR=99999999999999999999 is out of range: 0 to 65535 "
					     "units of 0.256 us, at most 16.77696 ms"},
		{"ITR=100ns", "ITR=100ns is less than half of the unit, 0.256 us; give 0 to switch "
			      "it off"},
		{"ITR=fast", "ITR: \"fast\" is neither a whole number of 0 to 65535 nor a time "
			     "such as 384us"},
		{"ITR=1.5", "ITR: \"1.5\" is neither a whole number of 0 to 65535 nor a time such "
			    "as 384us"},
		{"ITR=1.5.1us", "ITR: \"1.5.1us\" is neither a whole number of 0 to 65535 nor a "
				"time such as 384us"},
		{"ITR=1.us", "ITR: \"1.us\" is neither a whole number of 0 to 65535 nor a time "
			     "such as 384us"},
		{"ITR=5min", "ITR: \"5min\" is neither a whole number of 0 to 65535 nor a time "
			     "such as 384us"},
		{"ITR=0xZZ", "ITR: \"0xZZ\" is neither a whole number of 0 to 65535 nor a time "
			     "such as 384us"},
		{"ITR=inf", "ITR: \"inf\" is neither a whole number of 0 to 65535 nor a time such "
			    "as 384us"},
		{"rx-ring=40", "rx-ring=40 is out of range: 80 to 4096"},
		{"rx-ring=1ms",
			"rx-ring=1ms: rx-ring is not a time; give a whole number of 80 to 4096"},
		{"rx-ring=big", "rx-ring: \"big\" is not a whole number of 80 to 4096"},
		{"intmode=legacy", "intmode: \"legacy\" is not intx, msi or msix"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct settings settings = {0};
		struct error err = {0};

		assert_int_equal(settings_parse_assignment(&settings, rows[i].text, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].sentence);
		assert_true(err.usage);
		assert_int_equal(settings.present, 0);
	}
}

static void a_far_fetched_name_gets_the_list_of_knobs(void **state)
{
	struct settings settings = {0};
	struct error err = {0};

	assert_int_equal(settings_parse_assignment(&settings, "frequency=1", &err), -EINVAL);
	assert_non_null(strstr(err.text, "the knobs are ITR, EITR0, "));
	assert_non_null(strstr(err.text, "livelock-limit, speed"));
}

static void lists_are_taken_whole_or_not_at_all(void **state)
{
	struct settings settings = {0};
	struct error err = {0};
	char buf[256];

	assert_int_equal(settings_parse_list(&settings, " ITR=1500, intmode=msi RDTR=0,", &err), 0);
	assert_string_equal(
		settings_format(&settings, buf, sizeof(buf)), "ITR=1500 RDTR=0 intmode=msi");
	assert_int_equal(settings_parse_list(&settings, "ITR=1,RDTR=99999", &err), -EINVAL);
	assert_int_equal(settings_parse_list(&settings, "ITR=1 ITR=2", &err), -EINVAL);
	assert_string_equal(err.text, "ITR is given twice in one list");
	assert_string_equal(
		settings_format(&settings, buf, sizeof(buf)), "ITR=1500 RDTR=0 intmode=msi");
	assert_int_equal(settings_parse_list(&settings, "", &err), 0);
}

static void what_is_formatted_can_be_parsed_again(void **state)
{
	struct settings all = {0}, again = {0};
	struct error err = {0};
	char buf[512];

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		settings_put(&all, (enum knob_id)id, knob_table[id].max);
	assert_int_equal(
		settings_parse_list(&again, settings_format(&all, buf, sizeof(buf)), &err), 0);
	assert_true(settings_equal(&all, &again));
	settings_put(&again, KNOB_RADV, 1);
	assert_false(settings_equal(&all, &again));
}

static void a_short_buffer_never_overflows(void **state)
{
	struct settings all = {0};
	char buf[16];

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		settings_put(&all, (enum knob_id)id, knob_table[id].max);
	memset(buf, 'x', sizeof(buf));
	(void)settings_format(&all, buf, 8);
	assert_int_equal(buf[7], '\0');
	assert_int_equal(buf[8], 'x');
}

static void merging_overwrites_only_what_is_present(void **state)
{
	struct settings into = {0}, from = {0};

	settings_put(&into, KNOB_ITR, 1);
	settings_put(&into, KNOB_RDTR, 2);
	settings_put(&from, KNOB_RDTR, 3);
	settings_put(&from, KNOB_TADV, 4);
	settings_merge(&into, &from);
	assert_int_equal(into.value[KNOB_ITR], 1);
	assert_int_equal(into.value[KNOB_RDTR], 3);
	assert_int_equal(into.value[KNOB_TADV], 4);
}

static void suggestions_stop_at_two_edits(void **state)
{
	assert_string_equal(knob_suggest("RTDR"), "RDTR");
	assert_string_equal(knob_suggest("rx_ring"), "rx-ring");
	assert_null(knob_suggest("xyz"));
	assert_null(knob_suggest("RDxyz")); /* three edits from RDTR */
	assert_null(knob_suggest(""));
	assert_null(knob_suggest(
		"a-name-that-is-much-longer-than-any-knob-could-ever-be-in-this-program"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_knob_row_is_sane),
		cmocka_unit_test(the_check_finds_a_repeated_row),
		cmocka_unit_test(throttle_fields_give_the_known_rates),
		cmocka_unit_test(intervals_become_the_nearest_field),
		cmocka_unit_test(every_field_survives_the_way_to_nanoseconds_and_back),
		cmocka_unit_test(numbers_times_and_modes_are_understood),
		cmocka_unit_test(wrong_assignments_are_refused_with_a_reason),
		cmocka_unit_test(a_far_fetched_name_gets_the_list_of_knobs),
		cmocka_unit_test(lists_are_taken_whole_or_not_at_all),
		cmocka_unit_test(what_is_formatted_can_be_parsed_again),
		cmocka_unit_test(a_short_buffer_never_overflows),
		cmocka_unit_test(merging_overwrites_only_what_is_present),
		cmocka_unit_test(suggestions_stop_at_two_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
