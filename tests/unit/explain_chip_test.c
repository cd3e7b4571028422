/* SPDX-License-Identifier: BSD-2-Clause */
/* What a chip does with settings: which knobs are dead, interrupts at full load, what to try next. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/chips/effective.h"
#include "common/util.h"
#include "tuner/explain/candidates.h"
#include "tuner/explain/explain_chip.h"
#include "tuner/explain/full_load.h"

static struct settings complete(const struct chip *chip, const char *text)
{
	struct settings all, named = {0};
	struct error err = {0};

	chip_initial_settings(chip, &all);
	if (settings_parse_list(&named, text, &err) || chip_check_settings(chip, &named, &err))
		fail_msg("%s", err.text);
	settings_merge(&all, &named);
	return all;
}

static struct load_result load(
	const char *chip_name, const char *text, unsigned bytes, enum load_direction direction)
{
	const struct chip *chip = card_chip(card_find(chip_name));
	struct load_case spec = {.chip = chip,
		.settings = complete(chip, text),
		.speed_mbps = 1000,
		.frame_bytes = bytes,
		.direction = direction};
	struct load_result result;

	full_load_run(&spec, &result);
	return result;
}

static double rate(const char *text, unsigned bytes, enum load_direction direction)
{
	return load("82574L", text, bytes, direction).interrupts_per_s;
}

static void assert_near(double got, double want, double tolerance)
{
	if (fabs(got - want) > tolerance)
		fail_msg("%f instead of %f", got, want);
}

static void line_rates_are_those_of_the_wire(void **state)
{
	/* fact 15: 1 KiB UDP, 1066 bytes and FCS within them, 1090 byte times */
	assert_near(1e9 / full_load_frame_ns(1070, 1000), 114679, 0.5);
	/* fact 16 */
	assert_near(1e9 / full_load_frame_ns(64, 1000), 1488095, 0.5);
	assert_near(1e9 / full_load_frame_ns(1518, 1000), 81274, 0.5);
	assert_near(load("82574L", "ITR=488", 64, LOAD_RX).frames_per_s, 1488095, 1);
	assert_near(load("82574L", "ITR=488", 1518, LOAD_BOTH).frames_per_s, 81274, 1);
	/* C01: 12.30 us each with MTU 1500, 74.03 with MTU 9216 */
	assert_near(full_load_frame_ns(1518, 1000), 12304, 0.5);
	assert_near(full_load_frame_ns(9234, 1000), 74032, 0.5);
}

static void the_throttle_spaces_interrupts_at_full_load(void **state)
{
	static const struct {
		unsigned itr;
		double rate;
	} rows[] = {
		{488, 8004.6}, /* fact 1 */
		{500, 7812.5}, /* fact 2 */
		{651, 6000.4}, {5580, 700.04}, /* fact 3 */
		{65535, 59.6}, /* fact 4 */
		{976, 4002.3}, {195, 20032}, {55, 71023}, {39, 100160}, /* fact 5 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[40];

		/* a frame every 0.672 us never makes the throttle wait; small ones would overrun */
		(void)snprintf(text, sizeof(text), "ITR=%u rx-ring=4096", rows[i].itr);
		assert_near(rate(text, rows[i].itr > 5580 ? 9234 : rows[i].itr > 1000 ? 1518 : 64,
				    LOAD_RX),
			rows[i].rate, rows[i].rate / 1e4);
	}
}

static void frames_share_interrupts(void **state)
{
	/* fact 17 */
	assert_near(load("82574L", "ITR=488", 1518, LOAD_RX).frames_per_interrupt, 10.15, 0.01);
	assert_near(load("82574L", "ITR=195", 1518, LOAD_RX).frames_per_interrupt, 4.06, 0.01);
}

static void without_throttle_and_timers_every_frame_interrupts(void **state)
{
	/* fact 6 */
	assert_near(rate("ITR=0", 1518, LOAD_RX), 81274, 10);
	assert_near(rate("ITR=0", 1518, LOAD_TX), 81274, 10);
	assert_near(load("82545EM", "ITR=0", 1518, LOAD_BOTH).interrupts_per_s,
		rate("ITR=0", 1518, LOAD_BOTH), 20);
}

static void the_receive_timers_act_as_documented(void **state)
{
	/* fact 9: the packet timer is restarted by every frame; only low descriptors interrupt */
	assert_near(rate("RDTR=375 RADV=0", 1518, LOAD_RX), 81274.0 / 128, 5);
	/* fact 10: a bound of 384 us from the first frame, and up to one frame more */
	assert_in_range((int)rate("RDTR=375 RADV=375", 1518, LOAD_RX), 2500, 2604);
	/* fact 11: RADV has no effect while RDTR is 0 */
	assert_near(rate("RDTR=0 RADV=375", 1518, LOAD_RX), 81274, 10);
	/* fact 12: RDTR = RADV + 1 is a pure absolute timer */
	assert_near(rate("RDTR=376 RADV=375", 1518, LOAD_RX),
		rate("RDTR=375 RADV=375", 1518, LOAD_RX), 60);
	/* fact 8: RDTR 375 and ITR 1500 are the same interval */
	assert_int_equal(knob_ticks_to_ns(&knob_table[KNOB_RDTR], 375, 1),
		knob_ticks_to_ns(&knob_table[KNOB_ITR], 1500, 1));
}

static void the_transmit_timers_act_outside_msix_only(void **state)
{
	/* fact 14: TADV 1000 allows 976.6/s in INTx and MSI, nothing in MSI-X, where EITR bounds */
	assert_in_range((int)rate("intmode=msi TIDV=100 TADV=1000", 1070, LOAD_TX), 960, 977);
	assert_in_range((int)rate("intmode=intx TIDV=100 TADV=1000", 1070, LOAD_TX), 960, 977);
	assert_near(rate("intmode=msix TIDV=100 TADV=1000", 1070, LOAD_TX), 114679, 20);
	assert_near(rate("intmode=msix TIDV=100 TADV=1000 EITR1=488", 1070, LOAD_TX), 8004.6, 1);
	/* TIDV alone has no bound: the ring fills, the sender stops, the timer ends */
	assert_in_range((int)rate("TIDV=100 TADV=0", 1518, LOAD_TX), 280, 320);
	/* fact 13 */
	assert_int_equal(knob_ticks_to_ns(&knob_table[KNOB_TIDV], 8, 1), 8192);
	assert_int_equal(knob_ticks_to_ns(&knob_table[KNOB_TADV], 32, 1), 32768);
}

static void a_wire_that_is_slower_has_longer_ticks(void **state)
{
	const struct chip *chip = chip_find("82574L");
	struct load_case spec = {.chip = chip,
		.settings = complete(chip, "ITR=488"),
		.speed_mbps = 100,
		.frame_bytes = 64,
		.direction = LOAD_RX};
	struct load_result result;

	full_load_run(&spec, &result);
	assert_near(result.interrupts_per_s, 8004.6 / 4, 0.5);
	assert_near(result.frames_per_s, 148809, 10);
}

/* --- the whole explanation --- */

static json_t *explain(const char *chip, const char *text, unsigned frame)
{
	struct explain_request request = {.card = card_find(chip), .speed_mbps = 1000};
	struct error err = {0};
	json_t *json = NULL;

	if (frame)
		request.frames[request.frame_count++] = frame;
	if (settings_parse_list(&request.asked, text, &err) ||
		explain_chip_json(&request, &json, &err))
		fail_msg("%s", err.text);
	return json;
}

static json_t *find(json_t *array, const char *member, const char *value)
{
	json_t *item;
	size_t i;

	json_array_foreach (array, i, item)
		if (!strcmp(json_string_value(json_object_get(item, member)), value))
			return item;
	fail_msg("no %s %s", member, value);
	return NULL;
}

static bool mentions(const json_t *array, const char *word)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)array, i, item)
		if (strstr(json_string_value(item), word))
			return true;
	return false;
}

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

/* C01: five em(4) timers, two of which do nothing. */
static void five_timers_two_of_which_do_nothing(void **state)
{
	json_t *json = explain("82574L", "intmode=msi ITR=488 TIDV=64 TADV=64 RDTR=0 RADV=64", 1518);
	json_t *knobs = json_object_get(json, "knobs");
	json_t *frame = json_array_get(json_object_get(json, "frames"), 0);
	json_t *radv = find(knobs, "name", "RADV"), *itr = find(knobs, "name", "ITR");
	json_t *tx = find(json_object_get(frame, "load"), "direction", "tx");

	assert_true(json_is_false(json_object_get(radv, "acts")));
	assert_string_equal(json_string_value(json_object_get(radv, "reason")), "RDTR is 0");
	assert_near(number(itr, "rate_per_s"), 8004.6, 0.1);
	assert_near(number(json, "rate_limit_per_s"), 8004.6, 0.1);
	assert_near(number(json, "tx_timer_limit_per_s"), 15259, 0.5);
	assert_near(number(frame, "tx_window_frames"), 5.3, 0.05);
	assert_near(number(tx, "interrupts_per_s"), 8004.6, 0.5);
	assert_true(number(tx, "interrupts_per_s_without_throttle") > 8100);
	assert_true(mentions(json_object_get(json, "warnings"), "RADV 64 has no effect"));
	json_decref(json);
	json = explain("82574L", "intmode=msi ITR=488 TIDV=64 TADV=64 RADV=64", 9234);
	frame = json_array_get(json_object_get(json, "frames"), 0);
	assert_near(number(frame, "tx_window_frames"), 0.9, 0.05);
	assert_near(number(frame, "line_rate_per_s"), 13508, 0.5);
	tx = find(json_object_get(frame, "load"), "direction", "tx");
	assert_near(number(tx, "interrupts_per_s"), 8004.6, 0.5);
	json_decref(json);
}

static void a_receive_timer_is_never_proposed_without_its_warning(void **state)
{
	static const char *const texts[] = {"ITR=488 TIDV=64 TADV=64 RADV=64", "",
		"RDTR=0 RADV=375 ITR=1500", "intmode=msix RADV=8 EITR0=195", "RDTR=32 RADV=32"};
	bool proposed = false;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		json_t *json = explain("82574L", texts[i], 1518), *row;
		size_t k;

		json_array_foreach (json_object_get(json, "candidates"), k, row) {
			const char *settings = json_string_value(json_object_get(row, "settings"));
			const char *hazard = json_string_value(json_object_get(row, "hazard"));

			if (strstr(settings, "RDTR=") && !strstr(settings, "RDTR=0")) {
				proposed = true;
				assert_non_null(strstr(hazard, "hang"));
			}
		}
		json_decref(json);
	}
	assert_true(proposed);
}

static void candidates_are_ones_that_the_chip_can_tell_apart(void **state)
{
	static const char *const chips[] = {"82574L", "82545EM", "82544GC", "82583V", "I219"};
	static const char *const texts[] = {"", "TIDV=64", "RDTR=0", "TIDV=8 RDTR=10"};

	for (size_t c = 0; c < ARRAY_SIZE(chips); c++)
		for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
			const struct chip *chip = card_chip(card_find(chips[c]));
			struct settings now = complete(chip, texts[t]), canonical[CANDIDATES_MAX + 1];
			struct candidate rows[CANDIDATES_MAX];
			size_t count = candidates_make(chip, &now, 1000, false, rows);

			assert_true(count > 0);
			settings_canonical(chip, &now, false, &canonical[count]);
			for (size_t i = 0; i < count; i++) {
				struct settings all = now;

				settings_merge(&all, &rows[i].change);
				assert_int_equal(chip_check_settings(chip, &all, NULL), 0);
				settings_canonical(chip, &all, false, &canonical[i]);
				assert_false(settings_equal(&canonical[i], &canonical[count]));
				for (size_t j = 0; j < i; j++)
					assert_false(settings_equal(&canonical[i], &canonical[j]));
			}
		}
}

static void hazards_of_the_very_part_are_told(void **state)
{
	json_t *json = explain("82543GC", "RDTR=10", 1518);

	assert_true(mentions(json_object_get(json, "hazards"), "erratum 37"));
	json_decref(json);
	json = explain("82543GC", "RDTR=0", 1518);
	assert_false(mentions(json_object_get(json, "hazards"), "erratum 37"));
	json_decref(json);
}

static void tidv_zero_is_written_as_one(void **state)
{
	/* fact 18 */
	json_t *json = explain("82574L", "TIDV=0", 1518);
	json_t *tidv = find(json_object_get(json, "knobs"), "name", "TIDV");

	assert_int_equal(json_integer_value(json_object_get(tidv, "register")), 1);
	assert_int_equal(json_integer_value(json_object_get(tidv, "requested")), 0);
	json_decref(json);
}

static void what_a_chip_lacks_is_refused(void **state)
{
	static const struct {
		const char *chip, *text, *sentence;
	} rows[] = {
		{"82544GC", "ITR=488", "the 82544GC has no ITR"},
		{"82545EM", "intmode=msix", "intmode=msix: the 82545EM has only intx"},
		{"MCP55", "", "the MCP55 has another logic than the Intel cores: \"moderato chips "
			      "MCP55\" tells what its registers do"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct explain_request request = {
			.card = card_find(rows[i].chip), .speed_mbps = 1000};
		struct error err = {0};
		json_t *json;

		assert_int_equal(settings_parse_list(&request.asked, rows[i].text, &err), 0);
		assert_true(explain_chip_json(&request, &json, &err) < 0);
		assert_string_equal(err.text, rows[i].sentence);
		assert_true(err.usage);
	}
}

static void every_core_can_be_explained(void **state)
{
	for (size_t i = 0; i < card_table_count; i++) {
		json_t *json;

		if (!card_chip(&card_table[i]))
			continue;
		json = explain(card_table[i].name, "", 1518);
		assert_true(json_array_size(json_object_get(json, "knobs")) > 0);
		assert_true(json_array_size(json_object_get(json, "candidates")) > 0);
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_rates_are_those_of_the_wire),
		cmocka_unit_test(the_throttle_spaces_interrupts_at_full_load),
		cmocka_unit_test(frames_share_interrupts),
		cmocka_unit_test(without_throttle_and_timers_every_frame_interrupts),
		cmocka_unit_test(the_receive_timers_act_as_documented),
		cmocka_unit_test(the_transmit_timers_act_outside_msix_only),
		cmocka_unit_test(a_wire_that_is_slower_has_longer_ticks),
		cmocka_unit_test(five_timers_two_of_which_do_nothing),
		cmocka_unit_test(a_receive_timer_is_never_proposed_without_its_warning),
		cmocka_unit_test(candidates_are_ones_that_the_chip_can_tell_apart),
		cmocka_unit_test(hazards_of_the_very_part_are_told),
		cmocka_unit_test(tidv_zero_is_written_as_one),
		cmocka_unit_test(what_a_chip_lacks_is_refused),
		cmocka_unit_test(every_core_can_be_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
