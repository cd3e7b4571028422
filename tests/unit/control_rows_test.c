/* SPDX-License-Identifier: BSD-2-Clause */
/* Every row of control.def and of the knob table over the socket: limits, beyond, wrong types. */
#include "tests/unit/control_rig_client.h"

#include "driver/control_text.h"

/* Params that are legal for @method, whatever its other rows are tried with. */
static json_t *legal_params(const char *method)
{
	if (!strcmp(method, "set"))
		return json_pack("{s:{}}", "knobs");
	if (!strcmp(method, "capture.start"))
		return json_pack("{s:s}", "path", "/nonexistent/x");
	if (!strcmp(method, "sim.fault"))
		return json_pack("{s:s}", "name", "rx-hang");
	if (!strcmp(method, "sim.source") || !strcmp(method, "sim.sink"))
		return json_pack("{s:b}", "on", 0);
	return json_object();
}

static json_int_t code_with(const struct control_param *param, json_t *value)
{
	json_t *params = legal_params(param->method), *reply;
	json_int_t code;

	json_object_set_new(params, param->name, value);
	reply = client_call(&client, param->method, params);
	code = json_integer_value(json_object_get(json_object_get(reply, "error"), "code"));
	json_decref(reply);
	/* what it may have begun */
	json_decref(client_call(&client, "pktgen.stop", NULL));
	json_decref(client_call(&client, "lease.release", NULL));
	json_decref(client_call(&client, "set", json_pack("{s:{}}", "knobs")));
	return code;
}

static void expect_params_error(const struct control_param *param, json_t *value, bool expected)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY);
	json_int_t code = code_with(param, value);

	if ((code == CONTROL_ERR_PARAMS) != expected)
		print_error("%s %s = %.60s: %" JSON_INTEGER_FORMAT "\n", param->method, param->name,
			text, code);
	assert_true((code == CONTROL_ERR_PARAMS) == expected);
	free(text);
}

static void parameters_of_a_wrong_type_are_refused(void **state)
{
	for (size_t i = 0; i < control_param_count; i++) {
		const struct control_param *param = &control_param_table[i];
		const char *type = param->type;
		bool number = !strcmp(type, "number"), integer = !strcmp(type, "int");

		expect_params_error(param, json_null(), true);
		if (strcmp(type, "bool"))
			expect_params_error(param, json_true(), true);
		if (strcmp(type, "string"))
			expect_params_error(param, json_string("x"), true);
		if (strcmp(type, "array"))
			expect_params_error(param, json_array(), true);
		if (strcmp(type, "object") && strcmp(type, "knobs"))
			expect_params_error(param, json_object(), true);
		if (!integer && !number)
			expect_params_error(param, json_integer(64), true);
		if (!number)
			expect_params_error(param, json_real(64.5), true);
	}
}

/* A string of that length that the parameter can hold, else the number itself. */
static json_t *value_at(const struct control_param *param, int64_t at)
{
	char text[8192];

	if (strcmp(param->type, "string"))
		return json_integer(at);
	memset(text, 'x', sizeof(text));
	text[0] = '/';
	text[at] = '\0';
	return json_string(text);
}

static void parameters_are_tried_at_and_beyond_their_limits(void **state)
{
	for (size_t i = 0; i < control_param_count; i++) {
		const struct control_param *param = &control_param_table[i];
		const struct control_range *range = control_range_find(param->method, param->name);

		if (!range)
			continue;
		expect_params_error(param, value_at(param, range->min), false);
		expect_params_error(
			param, value_at(param, range->min - 1), !(range->zero && range->min == 1));
		if (range->max != INT64_MAX) {
			expect_params_error(param, value_at(param, range->max), false);
			expect_params_error(param, value_at(param, range->max + 1), true);
		}
		if (strcmp(param->type, "string"))
			expect_params_error(param, json_integer(-1), true);
		if (strcmp(param->type, "string") && range->zero)
			expect_params_error(param, json_integer(0), false);
	}
}

static json_int_t knob_code(const struct knob *knob, json_t *value)
{
	json_t *reply = client_call(&client, knob->restart ? "restart" : "set",
		json_pack("{s:{s:o}}", "knobs", knob->name, value));
	json_t *error = json_object_get(reply, "error");
	json_int_t code = json_integer_value(json_object_get(error, "code"));

	if (code == CONTROL_ERR_PARAMS)
		assert_string_equal(string_of(json_object_get(error, "data"), "knob"), knob->name);
	json_decref(reply);
	return code;
}

static void knobs_are_tried_at_and_beyond_their_limits(void **state)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		const struct knob *knob = &knob_table[id];
		uint32_t before = rig_value(&rig, id);

		assert_int_equal(knob_code(knob, json_integer((json_int_t)knob->max + 1)),
			CONTROL_ERR_PARAMS);
		assert_int_equal(knob_code(knob, json_integer((json_int_t)knob->min - 1)),
			CONTROL_ERR_PARAMS);
		assert_int_equal(knob_code(knob, json_real(1.5)), CONTROL_ERR_PARAMS);
		assert_int_equal(knob_code(knob, json_true()), CONTROL_ERR_PARAMS);
		assert_int_equal(rig_value(&rig, id), before);
		assert_int_equal(knob_code(knob, json_integer(knob->max)), 0);
		assert_int_equal(rig_value(&rig, id), knob->max);
		assert_int_equal(knob_code(knob, json_integer(knob->min)), 0);
		assert_int_equal(rig_value(&rig, id), knob->min);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		rig_test(parameters_of_a_wrong_type_are_refused),
		rig_test(parameters_are_tried_at_and_beyond_their_limits),
		rig_test(knobs_are_tried_at_and_beyond_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
