/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings as JSON, members with a checked type, and JSON files that are whole or absent. */
#include "common/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

json_t *json_settings(const struct settings *settings)
{
	json_t *object = json_object();

	for (unsigned id = 0; object && id < KNOB_COUNT; id++) {
		json_t *value;

		if (!settings_has(settings, id))
			continue;
		if (id == KNOB_INTMODE && settings->value[id] < INTMODE_COUNT)
			value = json_string(intmode_name(settings->value[id]));
		else
			value = json_integer(settings->value[id]);
		if (json_object_set_new(object, knob_table[id].name, value)) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static const char *type_name(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a real number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a boolean";
	case JSON_NULL:
		return "null";
	}
	return "something else";
}

static int unknown_knob(const char *name, struct error *err)
{
	const char *near = knob_suggest(name);

	if (near)
		return error_usage(err, "unknown knob \"%.40s\": did you mean %s?", name, near);
	return error_usage(err, "unknown knob \"%.40s\": `moderato info` lists them", name);
}

static int knob_value(
	const struct knob *knob, const json_t *value, uint32_t *ret_value, struct error *err)
{
	enum intmode mode;
	json_int_t number;

	if (json_is_string(value) && knob->id == KNOB_INTMODE) {
		if (intmode_parse(json_string_value(value), &mode))
			return error_usage(err, "knob %s: \"%.40s\" is not intx, msi or msix",
				knob->name, json_string_value(value));
		*ret_value = mode;
		return 0;
	}
	if (!json_is_integer(value))
		return error_usage(err, "knob %s must be an integer%s, not %s", knob->name,
			knob->id == KNOB_INTMODE ? " or a mode name" : "", type_name(value));
	number = json_integer_value(value);
	if (number < (json_int_t)knob->min || number > (json_int_t)knob->max)
		return error_usage(err,
			"knob %s: %" JSON_INTEGER_FORMAT " is outside %" PRIu32 "..%" PRIu32,
			knob->name, number, knob->min, knob->max);
	*ret_value = (uint32_t)number;
	return 0;
}

int json_to_settings(json_t *object, struct settings *ret_settings, struct error *err)
{
	struct settings settings = {0};
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		return error_usage(err,
			"settings must be an object of knob names and values, not %s",
			object ? type_name(object) : "nothing");
	json_object_foreach (object, name, value) {
		const struct knob *knob = knob_find(name);
		uint32_t number = 0;
		int rc;

		if (!knob)
			return unknown_knob(name, err);
		if (settings_has(&settings, knob->id))
			return error_usage(err, "knob %s is given twice", knob->name);
		rc = knob_value(knob, value, &number, err);
		if (rc)
			return rc;
		settings_put(&settings, knob->id, number);
	}
	*ret_settings = settings;
	return 0;
}

/* The member, or NULL with 0 when it may be absent. */
static int member_find(
	json_t *object, const char *name, bool required, json_t **ret_value, struct error *err)
{
	*ret_value = json_object_get(object, name);
	if (!*ret_value && required)
		return error_usage(err, "member \"%s\" is missing", name);
	return 0;
}

static int member_wrong(
	const char *name, const char *wanted, const json_t *value, struct error *err)
{
	return error_usage(err, "member \"%s\" must be %s, not %s", name, wanted, type_name(value));
}

int json_member_int(
	json_t *object, const char *name, bool required, int64_t *ret, struct error *err)
{
	json_t *value;
	int rc = member_find(object, name, required, &value, err);

	if (rc || !value)
		return rc;
	if (!json_is_integer(value))
		return member_wrong(name, "an integer", value, err);
	*ret = json_integer_value(value);
	return 0;
}

int json_member_number(
	json_t *object, const char *name, bool required, double *ret, struct error *err)
{
	json_t *value;
	int rc = member_find(object, name, required, &value, err);

	if (rc || !value)
		return rc;
	if (!json_is_number(value))
		return member_wrong(name, "a number", value, err);
	*ret = json_number_value(value);
	return 0;
}

int json_member_bool(json_t *object, const char *name, bool required, bool *ret, struct error *err)
{
	json_t *value;
	int rc = member_find(object, name, required, &value, err);

	if (rc || !value)
		return rc;
	if (!json_is_boolean(value))
		return member_wrong(name, "true or false", value, err);
	*ret = json_is_true(value);
	return 0;
}

int json_member_string(
	json_t *object, const char *name, bool required, const char **ret, struct error *err)
{
	json_t *value;
	int rc = member_find(object, name, required, &value, err);

	if (rc || !value)
		return rc;
	if (!json_is_string(value))
		return member_wrong(name, "a string", value, err);
	*ret = json_string_value(value);
	return 0;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) ? -errno : 0;
}

/* A rename is only durable once its directory is. */
static void sync_directory_of(const char *path)
{
	char dir[PATH_MAX];
	char *slash;
	int fd;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (!slash)
		(void)snprintf(dir, sizeof(dir), ".");
	else
		slash[slash == dir ? 1 : 0] = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	(void)close(fd);
}

static int replace_file(const char *path, const char *text, struct error *err)
{
	char temporary[PATH_MAX];
	int fd, rc;

	rc = snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, (int)getpid());
	if (rc >= (int)sizeof(temporary))
		return error_sys(err, -ENAMETOOLONG, "cannot write %.100s...", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_sys(err, -errno, "cannot create %s", temporary);
	rc = write_all(fd, text, strlen(text));
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temporary, path))
		rc = -errno;
	if (rc) {
		(void)unlink(temporary);
		return error_sys(err, rc, "cannot write %s", path);
	}
	sync_directory_of(path);
	return 0;
}

int json_write_file(json_t *value, const char *path, struct error *err)
{
	char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
	char *line;
	int rc;

	if (!text)
		return error_set(err, -EINVAL, "cannot write %s: not a JSON value", path);
	rc = asprintf(&line, "%s\n", text);
	free(text);
	if (rc < 0)
		return error_sys(err, -ENOMEM, "cannot write %s", path);
	rc = replace_file(path, line, err);
	free(line);
	return rc;
}

int json_read_file(const char *path, json_t **ret_value, struct error *err)
{
	json_error_t where;
	json_t *value;
	FILE *file = fopen(path, "re");

	if (!file)
		return error_sys(err, -errno, "cannot read %s", path);
	value = json_loadf(file, JSON_REJECT_DUPLICATES, &where);
	(void)fclose(file);
	if (!value)
		return error_set(err, -EBADMSG, "%s: line %d, column %d: %s", path, where.line,
			where.column, where.text);
	*ret_value = value;
	return 0;
}
