/* SPDX-License-Identifier: BSD-2-Clause */
/* Cards as JSON: every card has every member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/card_view.h"

struct member {
	const char *name;
	json_type type, other; /* other: allowed too, for what may be unknown */
};

static void assert_members(json_t *object, const struct member *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_t *value = json_object_get(object, rows[i].name);

		if (!value || (json_typeof(value) != rows[i].type &&
				      json_typeof(value) != rows[i].other))
			fail_msg("%s of %s", rows[i].name,
				json_string_value(json_object_get(object, "name")));
	}
	assert_int_equal(json_object_size(object), count);
}

static json_t *without_booleans(json_t *object)
{
	const char *name;
	json_t *value;
	void *tmp;

	json_object_foreach_safe (object, tmp, name, value)
		if (json_is_boolean(value))
			(void)json_object_set_new(object, name, json_string("yes or no"));
	return object;
}

static void the_json_of_every_card_has_every_member(void **state)
{
	static const struct member card_rows[] = {
		{"name", JSON_STRING, JSON_STRING},	{"family", JSON_STRING, JSON_STRING},
		{"state", JSON_STRING, JSON_STRING},	{"simulated", JSON_STRING, JSON_STRING},
		{"intmodes", JSON_ARRAY, JSON_ARRAY},	{"pci", JSON_ARRAY, JSON_ARRAY},
		{"note", JSON_STRING, JSON_STRING},	{"parts", JSON_ARRAY, JSON_ARRAY},
		{"core", JSON_STRING, JSON_NULL},	{"msix_vectors", JSON_INTEGER, JSON_NULL},
		{"rx_queues", JSON_INTEGER, JSON_INTEGER}, {"tx_queues", JSON_INTEGER, JSON_INTEGER},
		{"ring_max", JSON_INTEGER, JSON_NULL},	{"max_frame", JSON_INTEGER, JSON_NULL},
		{"rx_buffer_kib", JSON_INTEGER, JSON_NULL}, {"source", JSON_STRING, JSON_STRING},
		{"knobs", JSON_ARRAY, JSON_ARRAY},	{"facts", JSON_ARRAY, JSON_ARRAY},
		{"quirks", JSON_ARRAY, JSON_ARRAY},	{"drivers", JSON_ARRAY, JSON_ARRAY},
		{"presets", JSON_ARRAY, JSON_ARRAY},	{"writes", JSON_ARRAY, JSON_ARRAY},
	};
	static const struct member knob_rows[] = {
		{"name", JSON_STRING, JSON_STRING},    {"settable", JSON_STRING, JSON_STRING},
		{"register", JSON_STRING, JSON_NULL},  {"bits", JSON_STRING, JSON_STRING},
		{"unit_ns", JSON_REAL, JSON_NULL},     {"min", JSON_INTEGER, JSON_INTEGER},
		{"max", JSON_INTEGER, JSON_INTEGER},   {"reset", JSON_INTEGER, JSON_NULL},
		{"recommended", JSON_ARRAY, JSON_NULL}, {"meaning", JSON_STRING, JSON_STRING},
		{"hazard", JSON_STRING, JSON_STRING},  {"source", JSON_STRING, JSON_STRING},
	};

	for (size_t i = 0; i < card_table_count; i++) {
		json_t *json = card_json(&card_table[i]), *knob;
		size_t k;

		assert_members(without_booleans(json), card_rows, ARRAY_SIZE(card_rows));
		json_array_foreach (json_object_get(json, "knobs"), k, knob)
			assert_members(without_booleans(knob), knob_rows, ARRAY_SIZE(knob_rows));
		assert_true(json_array_size(json_object_get(json, "drivers")) > 0);
		json_decref(json);
	}
}

static void the_list_has_every_card(void **state)
{
	json_t *list = card_list_json(), *row;
	size_t i;

	assert_int_equal(json_array_size(list), card_table_count);
	json_array_foreach (list, i, row)
		assert_true(json_array_size(json_object_get(row, "pci")) > 0);
	json_decref(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_json_of_every_card_has_every_member),
		cmocka_unit_test(the_list_has_every_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
