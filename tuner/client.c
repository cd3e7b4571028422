/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to a daemon and reading of its replies. */
#include "tuner/client.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/control.h"

#define SOCKET_SUFFIX ".sock"

int client_call_once(const char *name, const char *method, json_t *params, json_t **ret_result,
	unsigned timeout_ms, struct error *err)
{
	struct control_client *client;
	int r = control_connect(name, &client, err);

	if (r) {
		json_decref(params);
		return r;
	}
	r = control_call(client, method, params, ret_result, timeout_ms, err);
	control_disconnect(client);
	return r;
}

static int is_socket(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(SOCKET_SUFFIX);

	return len > suffix && !strcmp(entry->d_name + len - suffix, SOCKET_SUFFIX);
}

json_t *client_names(void)
{
	struct dirent **entries = NULL;
	json_t *names = json_array();
	char dir[PATH_MAX];
	int count = scandir(control_socket_dir(dir, sizeof(dir)), &entries, is_socket, alphasort);

	for (int i = 0; i < count; i++) {
		size_t len = strlen(entries[i]->d_name) - strlen(SOCKET_SUFFIX);

		(void)json_array_append_new(names, json_stringn(entries[i]->d_name, len));
		free(entries[i]);
	}
	free(entries);
	return names;
}

void client_print_json(const json_t *value)
{
	(void)json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	(void)putchar('\n');
}

const char *reply_string(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

int64_t reply_int(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

double reply_number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}
