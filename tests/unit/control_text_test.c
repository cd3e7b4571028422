/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of the control protocol: what is taken, and each way of being refused. */
#include "driver/control_text.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"

static struct control_request request;
static struct control_failure failure;

static int parse(const char *line)
{
	control_request_fini(&request);
	return control_request_parse(line, strlen(line), &request, &failure);
}

/* Refused with @code, a sentence that has @words, and the id @id (JSON text, NULL: no answer). */
static void refuses(const char *line, int code, const char *words, const char *id)
{
	char *got;

	assert_true(parse(line) < 0);
	if (failure.code != code || !strstr(failure.text, words))
		print_error("%s\n  gave %d %s\n", line, failure.code, failure.text);
	assert_int_equal(failure.code, code);
	assert_non_null(strstr(failure.text, words));
	if (!id) {
		assert_null(request.id);
		return;
	}
	got = json_dumps(request.id, JSON_ENCODE_ANY);
	assert_string_equal(got, id);
	free(got);
}

static void a_request_is_taken_with_its_parameters(void **state)
{
	assert_int_equal(parse("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"set\",\"params\":"
			       "{\"knobs\":{\"ITR\":1500,\"rdtr\":0},\"revert_after_ms\":100}}"),
		0);
	assert_string_equal(request.method->name, "set");
	assert_int_equal(json_integer_value(request.id), 7);
	assert_int_equal(request.knobs.value[KNOB_ITR], 1500);
	assert_true(settings_has(&request.knobs, KNOB_RDTR));
	assert_false(settings_has(&request.knobs, KNOB_RADV));
}

static void ids_of_every_legal_type_are_kept(void **state)
{
	static const char *const ids[] = {"1", "-3", "1.5", "\"a\"", "null", "9007199254740993"};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		char line[128], *got;

		(void)snprintf(line, sizeof(line),
			"{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"get\"}", ids[i]);
		assert_int_equal(parse(line), 0);
		got = json_dumps(request.id, JSON_ENCODE_ANY);
		assert_string_equal(got, ids[i]);
		free(got);
	}
}

static void without_an_id_it_is_a_notification(void **state)
{
	assert_int_equal(parse("{\"jsonrpc\":\"2.0\",\"method\":\"get\"}"), 0);
	assert_null(request.id);
	assert_true(json_is_object(request.params));
	/* also when it is refused: nobody waits for an answer */
	refuses("{\"jsonrpc\":\"2.0\",\"method\":\"gte\"}", CONTROL_ERR_METHOD, "did you mean get",
		NULL);
}

static void what_is_not_json_is_a_parse_error(void **state)
{
	refuses("", CONTROL_ERR_PARSE, "not JSON", "null");
	refuses("hello", CONTROL_ERR_PARSE, "not JSON", "null");
	refuses("{\"jsonrpc\":\"2.0\"", CONTROL_ERR_PARSE, "not JSON", "null");
	refuses("{\"a\":1,\"a\":2}", CONTROL_ERR_PARSE, "duplicate", "null");
	refuses("{\"id\":1}{}", CONTROL_ERR_PARSE, "not JSON", "null");
	refuses("{\"id\":\"\xff\"}", CONTROL_ERR_PARSE, "decode", "null");
	refuses("{\"id\":99999999999999999999}", CONTROL_ERR_PARSE, "too big", "null");
}

static void a_wrong_envelope_is_an_invalid_request(void **state)
{
	refuses("7", CONTROL_ERR_REQUEST, "must be an object", "null");
	refuses("[]", CONTROL_ERR_REQUEST, "batches", "null");
	refuses("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\"}]", CONTROL_ERR_REQUEST,
		"batches", "null");
	refuses("{\"id\":1,\"method\":\"get\"}", CONTROL_ERR_REQUEST, "jsonrpc", "1");
	refuses("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"get\"}", CONTROL_ERR_REQUEST, "jsonrpc",
		"1");
	refuses("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"get\"}", CONTROL_ERR_REQUEST, "jsonrpc",
		"1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1}", CONTROL_ERR_REQUEST, "method", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":3}", CONTROL_ERR_REQUEST, "method", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"extra\":0}",
		CONTROL_ERR_REQUEST, "extra", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"get\"}", CONTROL_ERR_REQUEST, "id",
		"null");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"get\"}", CONTROL_ERR_REQUEST, "id",
		"null");
	refuses("{\"jsonrpc\":\"2.0\"}", CONTROL_ERR_REQUEST, "method", "null");
}

static void unknown_names_are_refused_with_the_nearest(void **state)
{
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sat\"}", CONTROL_ERR_METHOD, "set",
		"1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"frobnicate\"}", CONTROL_ERR_METHOD,
		"info lists them", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SET\",\"params\":{}}",
		CONTROL_ERR_METHOD, "did you mean", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":{\"knob\":[]}}",
		CONTROL_ERR_PARAMS, "did you mean knobs", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\",\"params\":{\"now\":true}}",
		CONTROL_ERR_PARAMS, "no member \"now\"", "1");
}

static void parameters_by_position_are_refused(void **state)
{
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":[]}",
		CONTROL_ERR_PARAMS, "by name", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":null}",
		CONTROL_ERR_PARAMS, "object", "1");
}

static void missing_members_are_named(void **state)
{
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"set\"}", CONTROL_ERR_PARAMS,
		"needs the member \"knobs\"", "1");
	refuses("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sim.sink\",\"params\":{}}",
		CONTROL_ERR_PARAMS, "\"on\"", "1");
}

#define SET(knobs)                                                                                 \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"set\",\"params\":{\"knobs\":" knobs "}}"

static void knobs_are_checked_by_the_table(void **state)
{
	refuses(SET("[]"), CONTROL_ERR_PARAMS, "knob names", "1");
	refuses(SET("{\"ITRR\":1}"), CONTROL_ERR_PARAMS, "did you mean ITR", "1");
	assert_null(failure.knob);
	refuses(SET("{\"ITR\":65536}"), CONTROL_ERR_PARAMS, "outside 0..65535", "1");
	assert_string_equal(failure.knob, "ITR");
	refuses(SET("{\"RDTR\":1,\"ITR\":-1}"), CONTROL_ERR_PARAMS, "ITR", "1");
	refuses(SET("{\"ITR\":1.5}"), CONTROL_ERR_PARAMS, "integer", "1");
	refuses(SET("{\"ITR\":\"8\"}"), CONTROL_ERR_PARAMS, "integer", "1");
	refuses(SET("{\"ITR\":null}"), CONTROL_ERR_PARAMS, "null", "1");
	refuses(SET("{\"intmode\":\"irq\"}"), CONTROL_ERR_PARAMS, "intx, msi or msix", "1");
	refuses(SET("{\"ITR\":1,\"itr\":2}"), CONTROL_ERR_PARAMS, "twice", "1");
	assert_int_equal(parse(SET("{}")), 0);
	assert_int_equal(request.knobs.present, 0);
	assert_int_equal(parse(SET("{\"intmode\":\"msix\"}")), 0);
	assert_int_equal(request.knobs.value[KNOB_INTMODE], INTMODE_MSIX);
}

static void a_line_over_the_limit_is_refused(void **state)
{
	char *line = malloc(CONTROL_LINE_MAX + 1);

	memset(line, ' ', CONTROL_LINE_MAX);
	line[CONTROL_LINE_MAX] = '\0';
	refuses(line, CONTROL_ERR_TOO_LONG, "longer", "null");
	line[CONTROL_LINE_MAX - 1] = '\0';
	refuses(line, CONTROL_ERR_PARSE, "not JSON", "null");
	free(line);
}

static void deep_nesting_is_refused_and_survived(void **state)
{
	char line[CONTROL_LINE_MAX];

	memset(line, '[', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	refuses(line, CONTROL_ERR_PARSE, "depth", "null");
}

static void every_range_stands_in_its_parameters_meaning(void **state)
{
	for (size_t i = 0; i < control_param_count; i++) {
		const struct control_param *param = &control_param_table[i];
		const struct control_range *range = control_range_find(param->method, param->name);
		char words[64];

		if (!range || range->max == INT64_MAX || !strcmp(param->name, "path"))
			continue;
		(void)snprintf(
			words, sizeof(words), "%" PRId64 "..%" PRId64, range->min, range->max);
		if (!strstr(param->meaning, words))
			print_error("%s %s: no \"%s\"\n", param->method, param->name, words);
		assert_non_null(strstr(param->meaning, words));
	}
}

#define RANGE(method, name, zero, min, max) {method, name},
#define GUARD(method)			    {method, NULL},
static const struct {
	const char *method, *name;
} side_rows[] = {
#include "common/control.def"
};

static void rows_beside_the_methods_belong_to_one(void **state)
{
	for (size_t i = 0; i < control_param_count; i++)
		assert_non_null(control_method_find(control_param_table[i].method));
	for (size_t i = 0; i < ARRAY_SIZE(side_rows); i++) {
		bool found = !side_rows[i].name;

		assert_non_null(control_method_find(side_rows[i].method));
		for (size_t j = 0; j < control_param_count; j++)
			found |= side_rows[i].name &&
				 !strcmp(control_param_table[j].method, side_rows[i].method) &&
				 !strcmp(control_param_table[j].name, side_rows[i].name);
		assert_true(found);
	}
}

static void replies_are_one_line_of_json(void **state)
{
	struct control_failure no = {.number = EIO, .knob = "ITR"};
	json_t *id = json_string("a\nb"), *read;
	size_t len = 0;
	char *line;

	(void)control_fail(&no, CONTROL_ERR_FAILED, "broken \xff by\nfar");
	line = control_text_failure(id, &no, &len);
	assert_int_equal(strlen(line), len);
	assert_ptr_equal(strchr(line, '\n'), line + len - 1);
	read = json_loads(line, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(read, "id")), "a\nb");
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(json_object_get(read, "error"), "data"), "errno")),
		EIO);
	json_decref(read);
	free(line);

	line = control_text_result(id, json_pack("{s:i}", "x", 1), &len);
	assert_string_equal(line, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\nb\",\"result\":{\"x\":1}}\n");
	free(line);
	line = control_text_notification("event", json_object(), &len);
	assert_string_equal(line, "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{}}\n");
	free(line);
	json_decref(id);
}

static int forget(void **state)
{
	control_request_fini(&request);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_taken_with_its_parameters),
		cmocka_unit_test(ids_of_every_legal_type_are_kept),
		cmocka_unit_test(without_an_id_it_is_a_notification),
		cmocka_unit_test(what_is_not_json_is_a_parse_error),
		cmocka_unit_test(a_wrong_envelope_is_an_invalid_request),
		cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
		cmocka_unit_test(parameters_by_position_are_refused),
		cmocka_unit_test(missing_members_are_named),
		cmocka_unit_test(knobs_are_checked_by_the_table),
		cmocka_unit_test(a_line_over_the_limit_is_refused),
		cmocka_unit_test(deep_nesting_is_refused_and_survived),
		cmocka_unit_test(every_range_stands_in_its_parameters_meaning),
		cmocka_unit_test(rows_beside_the_methods_belong_to_one),
		cmocka_unit_test(replies_are_one_line_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
