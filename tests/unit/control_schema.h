/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies against the rows of control.def: undeclared keys, wrong types, rows that were never seen.
 */
#ifndef MODERATO_TESTS_UNIT_CONTROL_SCHEMA_H
#define MODERATO_TESTS_UNIT_CONTROL_SCHEMA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "common/util.h"

#define FIELD(method, name, type, meaning) {method, name, type, meaning},
static const struct schema_field {
	const char *method, *name, *type, *meaning;
} schema_fields[] = {
#include "common/control.def"
};

#define METHOD(name, meaning) name,
static const char *const schema_methods[] = {
#include "common/control.def"
};

static bool schema_field_seen[ARRAY_SIZE(schema_fields)];
static bool schema_method_seen[ARRAY_SIZE(schema_methods)];

static inline bool schema_type_is(const char *type, const json_t *value)
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
	return !strcmp(type, "object") && json_is_object(value);
}

/* Is @word one of the words of @text? Names hold letters, digits and _. */
static inline bool schema_has_word(const char *text, const char *word)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	while (*text) {
		size_t len = strspn(text, letters);

		if (len == strlen(word) && !strncmp(text, word, len))
			return true;
		text += len ? len : 1;
	}
	return false;
}

/* Members of what a field holds are named in its meaning. */
static inline void schema_check_words(const struct schema_field *field, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		if (!schema_has_word(field->meaning, name))
			print_error("%s: %s has an undeclared member %s\n", field->method,
				field->name, name);
		assert_true(schema_has_word(field->meaning, name));
	}
}

static inline void schema_check_inside(const struct schema_field *field, json_t *value)
{
	bool per_member = !strncmp(field->meaning, "per ", 4);
	const char *name;
	json_t *item;
	size_t i;

	if (!strcmp(field->name, "counters") && json_is_object(value))
		return; /* one member per row of counters.def */
	if (!strcmp(field->name, "sim") || !strcmp(field->name, "lease"))
		return;
	if (json_is_object(value) && per_member) {
		json_object_foreach (value, name, item)
			schema_check_words(field, item);
	} else if (json_is_object(value)) {
		schema_check_words(field, value);
	}
	json_array_foreach (value, i, item)
		if (json_is_object(item))
			schema_check_words(field, item);
}

static inline const struct schema_field *schema_find(const char *method, const char *name)
{
	const struct schema_field *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(schema_fields); i++) {
		const struct schema_field *field = &schema_fields[i];

		if (strcmp(field->name, name))
			continue;
		/* the reply of set is that of get and its own */
		if (!strcmp(field->method, method) || !strcmp(field->method, "*") ||
			(!strcmp(method, "set") && !strcmp(field->method, "get"))) {
			schema_field_seen[i] = true;
			found = field;
		}
	}
	return found;
}

static inline void schema_check_members(const char *method, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		const struct schema_field *field = schema_find(method, name);

		if (!field)
			print_error("%s: undeclared member %s\n", method, name);
		assert_non_null(field);
		if (!schema_type_is(field->type, value))
			print_error("%s: %s is no %s\n", method, name, field->type);
		assert_true(schema_type_is(field->type, value));
		schema_check_inside(field, value);
	}
}

static inline void schema_check_error(json_t *error)
{
	const char *name;
	json_t *value;

	assert_true(json_is_integer(json_object_get(error, "code")));
	assert_true(json_is_string(json_object_get(error, "message")));
	assert_true(json_string_length(json_object_get(error, "message")) > 10);
	json_object_foreach (error, name, value)
		assert_true(
			!strcmp(name, "code") || !strcmp(name, "message") || !strcmp(name, "data"));
	json_object_foreach (json_object_get(error, "data"), name, value)
		assert_true((!strcmp(name, "errno") && json_is_integer(value)) ||
			    (!strcmp(name, "knob") && json_is_string(value)));
}

static inline void schema_check_reply(const char *method, json_t *reply)
{
	json_t *result = json_object_get(reply, "result");

	assert_string_equal(json_string_value(json_object_get(reply, "jsonrpc")), "2.0");
	assert_non_null(json_object_get(reply, "id"));
	assert_int_equal(json_object_size(reply), 3);
	if (!result) {
		schema_check_error(json_object_get(reply, "error"));
		return;
	}
	assert_true(json_is_integer(json_object_get(result, "time_ns")));
	schema_check_members(method, result);
	for (size_t i = 0; i < ARRAY_SIZE(schema_methods); i++)
		if (!strcmp(schema_methods[i], method))
			schema_method_seen[i] = true;
}

static inline void schema_check_notification(json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));

	assert_null(json_object_get(message, "id"));
	assert_true(!strcmp(method, "event") || !strcmp(method, "stats"));
	schema_check_members(method, json_object_get(message, "params"));
}

/* Fails naming the rows that no reply of this program has shown. */
static inline void schema_check_all_seen(void)
{
	unsigned missing = 0;

	for (size_t i = 0; i < ARRAY_SIZE(schema_methods); i++)
		if (!schema_method_seen[i]) {
			print_error("method %s was never answered\n", schema_methods[i]);
			missing++;
		}
	for (size_t i = 0; i < ARRAY_SIZE(schema_fields); i++)
		if (!schema_field_seen[i]) {
			print_error("field %s.%s was never seen\n", schema_fields[i].method,
				schema_fields[i].name);
			missing++;
		}
	assert_int_equal(missing, 0);
}

#endif
