/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings on chips of another logic: igb's throttles, nForce's timer, Broadcom's coalescing block. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/explain/explain_chip.h"

static int try(const char *chip, const char *text, unsigned frame, json_t **ret, struct error *err)
{
	char copy[200], *words[16] = {NULL}, *save = NULL;
	struct explain_request request = {
		.card = card_find(chip), .speed_mbps = 1000, .words = words, .frames = {frame}};
	size_t count = 0;

	request.frame_count = frame ? 1 : 0;
	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " ", &save); w && count < 15; w = strtok_r(NULL, " ", &save))
		words[count++] = w;
	return explain_other_json(&request, ret, err);
}

static json_t *explain(const char *chip, const char *text, unsigned frame)
{
	struct error err = {0};
	json_t *json;

	if (try(chip, text, frame, &json, &err))
		fail_msg("%s", err.text);
	return json;
}

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

/* Interrupts a second in direction @i (0 receive, 1 transmit) of the first frame size. */
static double rate(json_t *json, size_t i)
{
	json_t *frame = json_array_get(json_object_get(json, "frames"), 0);

	return number(json_array_get(json_object_get(frame, "load"), i), "interrupts_per_s");
}

static void assert_near(double got, double want, double tolerance)
{
	if (fabs(got - want) > tolerance)
		fail_msg("%f instead of %f", got, want);
}

static void throttles_and_timers_have_the_units_of_their_chips(void **state)
{
	static const struct {
		const char *chip, *text;
		double limit; /* interrupts a second */
		unsigned reg;
	} rows[] = {
		{"82576", "EITR0=488", 8196.7, 488},   /* fact 22: 122 us */
		{"I350", "EITR=500", 8000, 500},
		{"82575EB", "EITRn=500", 7812.5, 500}, /* fact 23: 128 us */
		{"82575EB", "EITR3=450", 8680.6, 450}, /* fact 24 */
		{"I211", "EITR4=450", 8928.6, 448},    /* fact 24: bits 14:2 */
		{"I210", "EITR0=32764", 122.1, 32764}, /* fact 26 */
		{"MCP55", "imtimer=125", 8138.0, 12},  /* fact 36 */
		{"CK804", "imtimer=-250", 4069.0, 24},
		{"MCP61", "imtimer=10", 0, 0},	       /* fact 36: below 11 us */
		{"MCP61", "imtimer=0", 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *json = explain(rows[i].chip, rows[i].text, 64);
		json_t *knob = json_array_get(json_object_get(json, "knobs"), 0);

		assert_near(number(json, "rate_limit_per_s"), rows[i].limit, 0.05);
		assert_int_equal(number(knob, "register"), rows[i].reg);
		assert_near(rate(json, 0), rows[i].limit ? rows[i].limit : 1488095, 0.5);
		json_decref(json);
	}
}

static void a_negative_timer_acts_above_its_rate_only(void **state)
{
	/* fact 37: 13 508 frames/s are above 8000/s, with -74 the limit is 13 514/s */
	json_t *json = explain("MCP55", "imtimer=-125", 9234);

	assert_near(rate(json, 0), 8138.0, 0.1);
	json_decref(json);
	json = explain("MCP55", "imtimer=-74", 9234);
	assert_near(rate(json, 0), 13507.7, 0.1);
	json_decref(json);
	json = explain("MCP55", "imtimer=74", 9234);
	assert_near(rate(json, 0), 1e9 / (7 * 10240), 0.1);
	json_decref(json);
}

static void time_or_count_whichever_is_first(void **state)
{
	/* fact 34: the defaults of tg3; 20 us are 2 frames of 12.3 us, 5 frames of 0.67 us are sooner */
	static const char tg3[] = "rx_coal_ticks=20 rx_max_coal_bds=5 tx_coal_ticks=72 tx_max_coal_bds=53";
	json_t *json = explain("BCM5721", tg3, 1518);

	assert_near(rate(json, 0), 81274.4 / 2, 0.1);
	assert_near(rate(json, 1), 81274.4 / 6, 0.1);
	json_decref(json);
	json = explain("BCM5721", tg3, 64);
	assert_near(rate(json, 0), 1488095.2 / 5, 0.1);
	assert_near(rate(json, 1), 1488095.2 / 53, 0.1);
	json_decref(json);
	/* fact 35: FreeBSD's */
	json = explain("BCM5701", "rx_coal_ticks=150 rx_max_coal_bds=10", 1518);
	assert_near(rate(json, 0), 81274.4 / 10, 0.1);
	json_decref(json);
}

static void what_the_chip_lacks_or_cannot_hold_is_refused(void **state)
{
	static const struct {
		const char *chip, *text, *sentence;
	} rows[] = {
		{"MCP55", "ITR=488", "\"ITR=488\": the MCP55 has IMTIMER, IRQ mask"},
		{"I210", "EITR0=40000", "EITR0=40000 is out of range: 0 to 32764"},
		{"BCM5721", "rx_coal_ticks=0", "rx_coal_ticks=0 is out of range: 1 to 1023"},
		{"BCM5721", "rx_coal_ticks_int=5", "the BCM5721 has rx_coal_ticks"},
		{"BCM5721", "rx_max_coal_bds=256", "out of range: 0 to 255"},
		{"I210", "EITR", "\"EITR\" is no setting; write NAME=VALUE"},
		{"I210", "EITRx=3", "the I210 has"},
		{"MCP55", "imtimer=fast", "not microseconds"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {0};
		json_t *json;

		assert_true(try(rows[i].chip, rows[i].text, 64, &json, &err) < 0);
		if (!strstr(err.text, rows[i].sentence))
			fail_msg("%s", err.text);
		assert_true(err.usage);
	}
}

static void every_card_of_another_logic_can_be_explained(void **state)
{
	for (size_t i = 0; i < card_table_count; i++) {
		json_t *json;

		if (card_chip(&card_table[i]))
			continue;
		json = explain(card_table[i].name, "", 0);
		assert_int_equal(json_array_size(json_object_get(json, "frames")), 2);
		assert_string_equal(json_string_value(json_object_get(json, "model")), "closed form");
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throttles_and_timers_have_the_units_of_their_chips),
		cmocka_unit_test(a_negative_timer_acts_above_its_rate_only),
		cmocka_unit_test(time_or_count_whichever_is_first),
		cmocka_unit_test(what_the_chip_lacks_or_cannot_hold_is_refused),
		cmocka_unit_test(every_card_of_another_logic_can_be_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
