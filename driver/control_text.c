/* SPDX-License-Identifier: BSD-2-Clause */
/* Control protocol: lines to requests checked against the tables, and replies to lines. */
#include "driver/control_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/nearest.h"
#include "common/util.h"

#define METHOD(name, meaning) {name, meaning},
const struct control_method control_method_table[] = {
#include "common/control.def"
};
const size_t control_method_count = ARRAY_SIZE(control_method_table);

#define PARAM(method, name, type, required, meaning) {method, name, type, required, meaning},
const struct control_param control_param_table[] = {
#include "common/control.def"
};
const size_t control_param_count = ARRAY_SIZE(control_param_table);

#define RANGE(method, name, zero, min, max) {method, name, zero, min, max},
static const struct control_range range_table[] = {
#include "common/control.def"
};

#define GUARD(method) method,
static const char *const guard_table[] = {
#include "common/control.def"
};

const struct control_method *control_method_find(const char *name)
{
	for (size_t i = 0; i < control_method_count; i++)
		if (!strcmp(control_method_table[i].name, name))
			return &control_method_table[i];
	return NULL;
}

bool control_method_is_guarded(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(guard_table); i++)
		if (!strcmp(guard_table[i], name))
			return true;
	return false;
}

const struct control_range *control_range_find(const char *method, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(range_table); i++)
		if (!strcmp(range_table[i].method, method) && !strcmp(range_table[i].name, name))
			return &range_table[i];
	return NULL;
}

int control_fail(struct control_failure *failure, int code, const char *fmt, ...)
{
	va_list ap;

	failure->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(failure->text, sizeof(failure->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int control_fail_error(struct control_failure *failure, const struct error *err)
{
	failure->number = -err->code;
	return control_fail(
		failure, err->usage ? CONTROL_ERR_PARAMS : CONTROL_ERR_FAILED, "%s", err->text);
}

/* --- the envelope --- */

static const struct control_param *param_find(const char *method, const char *name)
{
	for (size_t i = 0; i < control_param_count; i++)
		if (!strcmp(control_param_table[i].method, method) &&
			!strcmp(control_param_table[i].name, name))
			return &control_param_table[i];
	return NULL;
}

static int check_id(
	json_t *message, struct control_request *request, struct control_failure *failure)
{
	json_t *id = json_object_get(message, "id");

	if (id && !json_is_string(id) && !json_is_number(id) && !json_is_null(id))
		return control_fail(
			failure, CONTROL_ERR_REQUEST, "the id must be a string, a number or null");
	json_decref(request->id);
	request->id = json_incref(id); /* NULL: a notification */
	return 0;
}

static int check_members(json_t *message, struct control_failure *failure)
{
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	const char *name;
	json_t *value;

	if (!version || strcmp(version, "2.0"))
		return control_fail(failure, CONTROL_ERR_REQUEST,
			"the request has no member \"jsonrpc\" with the value \"2.0\"");
	json_object_foreach (message, name, value)
		if (strcmp(name, "jsonrpc") && strcmp(name, "id") && strcmp(name, "method") &&
			strcmp(name, "params"))
			return control_fail(failure, CONTROL_ERR_REQUEST,
				"a request has no member \"%.40s\": only jsonrpc, id, "
				"method and params",
				name);
	return 0;
}

static int unknown_method(const char *name, struct control_failure *failure)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < control_method_count; i++)
		nearest_offer(&nearest, control_method_table[i].name);
	if (nearest.best)
		return control_fail(failure, CONTROL_ERR_METHOD,
			"unknown method \"%.40s\": did you mean %s?", name, nearest.best);
	return control_fail(
		failure, CONTROL_ERR_METHOD, "unknown method \"%.40s\": info lists them", name);
}

static int check_method(
	json_t *message, struct control_request *request, struct control_failure *failure)
{
	const char *name = json_string_value(json_object_get(message, "method"));

	if (!name)
		return control_fail(failure, CONTROL_ERR_REQUEST,
			"the request has no member \"method\" that is a string");
	request->method = control_method_find(name);
	return request->method ? 0 : unknown_method(name, failure);
}

/* --- parameters --- */

static const char *unknown_param_hint(const char *method, const char *name)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < control_param_count; i++)
		if (!strcmp(control_param_table[i].method, method))
			nearest_offer(&nearest, control_param_table[i].name);
	return nearest.best;
}

static int unknown_param(const char *method, const char *name, struct control_failure *failure)
{
	const char *near = unknown_param_hint(method, name);

	if (near)
		return control_fail(failure, CONTROL_ERR_PARAMS,
			"%s has no member \"%.40s\": did you mean %s?", method, name, near);
	return control_fail(
		failure, CONTROL_ERR_PARAMS, "%s has no member \"%.40s\"", method, name);
}

/* One knob at a time, so that the refused one can be named in the reply's data. */
static int check_knobs(
	json_t *object, struct control_request *request, struct control_failure *failure)
{
	struct error err = {0};
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		const struct knob *knob = knob_find(name);
		json_t *one = json_object();
		struct settings settings;
		int rc;

		json_object_set(one, name, value);
		rc = json_to_settings(one, &settings, &err);
		json_decref(one);
		if (rc) {
			failure->knob = knob ? knob->name : NULL;
			return control_fail_error(failure, &err);
		}
	}
	/* the whole: names that differ in case only */
	if (json_to_settings(object, &request->knobs, &err))
		return control_fail_error(failure, &err);
	return 0;
}

static bool type_matches(const char *type, const json_t *value)
{
	if (!strcmp(type, "int"))
		return json_is_integer(value);
	if (!strcmp(type, "number"))
		return json_is_number(value);
	if (!strcmp(type, "bool"))
		return json_is_boolean(value);
	if (!strcmp(type, "string"))
		return json_is_string(value);
	if (!strcmp(type, "array"))
		return json_is_array(value);
	return json_is_object(value); /* object, knobs */
}

static const char *type_words(const char *type)
{
	static const struct {
		const char *type, *words;
	} table[] = {
		{"int", "an integer"},
		{"number", "a number"},
		{"bool", "true or false"},
		{"string", "a string"},
		{"array", "an array"},
		{"object", "an object"},
		{"knobs", "an object of knob names and values"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].type, type))
			return table[i].words;
	return type;
}

static int out_of_range(const struct control_param *param, const struct control_range *range,
	struct control_failure *failure)
{
	const char *what = !strcmp(param->type, "string") ? "the length of " : "";
	const char *zero = range->zero ? ", or 0" : "";

	if (range->max == INT64_MAX)
		return control_fail(failure, CONTROL_ERR_PARAMS,
			"%s: %s\"%s\" must be at least %" PRId64 "%s", param->method, what,
			param->name, range->min, zero);
	return control_fail(failure, CONTROL_ERR_PARAMS,
		"%s: %s\"%s\" must be in %" PRId64 "..%" PRId64 "%s", param->method, what,
		param->name, range->min, range->max, zero);
}

static int check_range(
	const struct control_param *param, const json_t *value, struct control_failure *failure)
{
	const struct control_range *range = control_range_find(param->method, param->name);
	bool inside;

	if (!range)
		return 0;
	if (json_is_real(value)) {
		double number = json_real_value(value);

		inside = (range->zero && number == 0) ||
			 (number >= (double)range->min && number <= (double)range->max);
	} else {
		int64_t number = json_is_string(value) ? (int64_t)json_string_length(value)
						       : json_integer_value(value);

		inside = (range->zero && number == 0) ||
			 (number >= range->min && number <= range->max);
	}
	return inside ? 0 : out_of_range(param, range, failure);
}

static int check_param(const struct control_param *param, json_t *value,
	struct control_request *request, struct control_failure *failure)
{
	if (!type_matches(param->type, value))
		return control_fail(failure, CONTROL_ERR_PARAMS, "%s: \"%s\" must be %s",
			param->method, param->name, type_words(param->type));
	if (!strcmp(param->type, "knobs"))
		return check_knobs(value, request, failure);
	return check_range(param, value, failure);
}

static int check_missing(const struct control_request *request, struct control_failure *failure)
{
	for (size_t i = 0; i < control_param_count; i++) {
		const struct control_param *param = &control_param_table[i];

		if (param->required && !strcmp(param->method, request->method->name) &&
			!json_object_get(request->params, param->name))
			return control_fail(failure, CONTROL_ERR_PARAMS,
				"%s needs the member \"%s\": %s", param->method, param->name,
				param->meaning);
	}
	return 0;
}

static int check_params(
	json_t *message, struct control_request *request, struct control_failure *failure)
{
	json_t *params = json_object_get(message, "params");
	const char *name;
	json_t *value;

	if (params && !json_is_object(params))
		return control_fail(failure, CONTROL_ERR_PARAMS,
			"params must be an object: members go by name");
	request->params = params ? json_incref(params) : json_object();
	json_object_foreach (request->params, name, value) {
		const struct control_param *param = param_find(request->method->name, name);
		int rc;

		if (!param)
			return unknown_param(request->method->name, name, failure);
		rc = check_param(param, value, request, failure);
		if (rc)
			return rc;
	}
	return check_missing(request, failure);
}

static int check_message(
	json_t *message, struct control_request *request, struct control_failure *failure)
{
	int rc;

	if (json_is_array(message))
		return control_fail(failure, CONTROL_ERR_REQUEST,
			"batches are not taken: send one object a line");
	if (!json_is_object(message))
		return control_fail(failure, CONTROL_ERR_REQUEST, "a request must be an object");
	rc = check_id(message, request, failure);
	if (!rc)
		rc = check_members(message, failure);
	if (!rc)
		rc = check_method(message, request, failure);
	return rc ? rc : check_params(message, request, failure);
}

/* A line whose envelope is wrong is answered even without an id: it may not be a notification. */
static void answer_anyway(struct control_request *request, const struct control_failure *failure)
{
	if (!request->id && failure->code == CONTROL_ERR_REQUEST)
		request->id = json_null();
}

int control_request_parse(const char *line, size_t len, struct control_request *ret_request,
	struct control_failure *failure)
{
	json_error_t where;
	json_t *message;
	int rc;

	memset(failure, 0, sizeof(*failure));
	*ret_request = (struct control_request){.id = json_null()};
	if (len >= CONTROL_LINE_MAX)
		return control_fail(failure, CONTROL_ERR_TOO_LONG,
			"the line is longer than %d bytes", CONTROL_LINE_MAX);
	message = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
	if (!message)
		return control_fail(failure, CONTROL_ERR_PARSE, "not JSON: column %d: %s",
			where.column, where.text);
	rc = check_message(message, ret_request, failure);
	if (rc)
		answer_anyway(ret_request, failure);
	json_decref(message);
	return rc;
}

void control_request_fini(struct control_request *request)
{
	json_decref(request->id);
	json_decref(request->params);
	*request = (struct control_request){0};
}

/* --- replies --- */

json_t *control_text_string(const char *text)
{
	json_t *string = json_string(text);
	char copy[512];

	if (string)
		return string;
	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return json_string(copy);
}

static char *line_of(json_t *message, size_t *ret_len)
{
	char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
	char *line = NULL;
	size_t len;

	json_decref(message);
	if (!text)
		return NULL;
	len = strlen(text);
	line = realloc(text, len + 2);
	if (!line) {
		free(text);
		return NULL;
	}
	line[len] = '\n';
	line[len + 1] = '\0';
	*ret_len = len + 1;
	return line;
}

char *control_text_result(json_t *id, json_t *result, size_t *ret_len)
{
	return line_of(json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result),
		ret_len);
}

char *control_text_failure(json_t *id, const struct control_failure *failure, size_t *ret_len)
{
	json_t *data = json_object();
	json_t *error;

	if (failure->number)
		json_object_set_new(data, "errno", json_integer(failure->number));
	if (failure->knob)
		json_object_set_new(data, "knob", json_string(failure->knob));
	error = json_pack(
		"{s:i, s:o}", "code", failure->code, "message", control_text_string(failure->text));
	if (error && json_object_size(data))
		json_object_set(error, "data", data);
	json_decref(data);
	return line_of(
		json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "error", error), ret_len);
}

char *control_text_notification(const char *method, json_t *params, size_t *ret_len)
{
	return line_of(
		json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params),
		ret_len);
}
