/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients of the control rig: raw lines over the socket, every reply checked against control.def.
 */
#ifndef MODERATO_TESTS_UNIT_CONTROL_RIG_CLIENT_H
#define MODERATO_TESTS_UNIT_CONTROL_RIG_CLIENT_H

#include "tests/unit/control_rig.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <jansson.h>

#include "tests/unit/control_schema.h"

#define RIG_INPUT (4u << 20)

struct rig_client {
	struct rig *rig;
	int fd;
	char *input;
	size_t len;
	json_t *notifications;
	bool closed; /* the server closed the connection */
};

static inline void client_open(struct rig_client *client, struct rig *rig)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	strcpy(address.sun_path, rig->path);
	*client = (struct rig_client){.rig = rig, .notifications = json_array()};
	client->input = malloc(RIG_INPUT);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(client->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	rig_round(rig);
}

static inline void client_close(struct rig_client *client)
{
	(void)close(client->fd);
	free(client->input);
	json_decref(client->notifications);
	rig_round(client->rig);
}

static inline void client_write(struct rig_client *client, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(client->fd, text, len, MSG_NOSIGNAL);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
		rig_round(client->rig);
	}
}

static inline void client_read(struct rig_client *client)
{
	ssize_t n = recv(client->fd, client->input + client->len, RIG_INPUT - client->len, 0);

	if (n > 0)
		client->len += (size_t)n;
	client->closed |= n == 0;
}

/* The next line that has come, or NULL. */
static inline json_t *client_line(struct rig_client *client)
{
	char *end;
	json_t *message;

	client_read(client);
	end = memchr(client->input, '\n', client->len);
	if (!end)
		return NULL;
	message = json_loadb(
		client->input, (size_t)(end - client->input), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(message);
	client->len -= (size_t)(end + 1 - client->input);
	memmove(client->input, end + 1, client->len);
	return message;
}

/* The next reply within @ms of virtual time; notifications are put aside. New reference. */
static inline json_t *client_reply(struct rig_client *client, unsigned ms)
{
	for (unsigned i = 0; i <= ms; i++) {
		json_t *message;

		while ((message = client_line(client))) {
			if (!json_object_get(message, "method"))
				return message;
			schema_check_notification(message);
			json_array_append_new(client->notifications, message);
		}
		if (i < ms)
			rig_pass(client->rig, 1);
	}
	return NULL;
}

static inline void client_post(struct rig_client *client, const char *method, json_t *params)
{
	json_t *request = json_pack("{s:s, s:i, s:s, s:o*}", "jsonrpc", "2.0", "id", 1, "method",
		method, "params", params);
	char *text = json_dumps(request, JSON_COMPACT);

	client_write(client, text, strlen(text));
	client_write(client, "\n", 1);
	free(text);
	json_decref(request);
}

/* A call whose reply, checked against the tables, is returned whole: result or error. */
static inline json_t *client_call(struct rig_client *client, const char *method, json_t *params)
{
	json_t *reply;

	client_post(client, method, params);
	reply = client_reply(client, 2000);
	assert_non_null(reply);
	schema_check_reply(method, reply);
	return reply;
}

/* A call that must succeed. Return: the result, new reference. */
static inline json_t *client_ok(struct rig_client *client, const char *method, json_t *params)
{
	json_t *reply = client_call(client, method, params);
	json_t *result = json_incref(json_object_get(reply, "result"));

	if (!result)
		print_error("%s: %s\n", method,
			json_string_value(
				json_object_get(json_object_get(reply, "error"), "message")));
	assert_non_null(result);
	json_decref(reply);
	return result;
}

/* A call that must fail with @code, the sentence holding @words. */
static inline void client_fails(
	struct rig_client *client, const char *method, json_t *params, int code, const char *words)
{
	json_t *reply = client_call(client, method, params);
	json_t *error = json_object_get(reply, "error");
	const char *message = json_string_value(json_object_get(error, "message"));

	assert_non_null(error);
	if (json_integer_value(json_object_get(error, "code")) != code || !strstr(message, words))
		print_error("%s: got %" JSON_INTEGER_FORMAT " %s\n", method,
			json_integer_value(json_object_get(error, "code")), message);
	assert_int_equal(json_integer_value(json_object_get(error, "code")), code);
	assert_non_null(strstr(message, words));
	json_decref(reply);
}

/* Forget everything that was notified so far. */
static inline void client_forget(struct rig_client *client)
{
	json_t *reply = client_reply(client, 0);

	assert_null(reply);
	json_array_clear(client->notifications);
}

/* The first event called @name since client_forget(): its params (borrowed), or NULL. */
static inline json_t *client_event(struct rig_client *client, const char *name)
{
	json_t *message;
	size_t i;

	assert_null(client_reply(client, 0));
	json_array_foreach (client->notifications, i, message) {
		json_t *params = json_object_get(message, "params");
		const char *got = json_string_value(json_object_get(params, "name"));

		if (got && !strcmp(got, name))
			return params;
	}
	return NULL;
}

/* Requested value of a knob. */
static inline uint32_t rig_value(const struct rig *rig, enum knob_id id)
{
	return nic_requested(rig->daemon.nic)->value[id];
}

static inline json_t *rig_knob(const char *name, json_int_t value)
{
	return json_pack("{s:{s:I}}", "knobs", name, value);
}

/* --- what most tests want: one device, one client --- */

static struct rig rig;
static struct rig_client client;

static inline int rig_setup(void **state)
{
	rig_open(&rig, "82574L", true);
	client_open(&client, &rig);
	return 0;
}

static inline int rig_teardown(void **state)
{
	client_close(&client);
	rig_close(&rig);
	return 0;
}

#define rig_test(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

static inline json_int_t int_of(json_t *object, const char *name)
{
	assert_true(json_is_integer(json_object_get(object, name)));
	return json_integer_value(json_object_get(object, name));
}

static inline const char *string_of(json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* The element of an array of objects whose `name` is @name. */
static inline json_t *named(json_t *array, const char *name)
{
	json_t *item;
	size_t i;

	json_array_foreach (array, i, item)
		if (!strcmp(string_of(item, "name"), name))
			return item;
	return NULL;
}

static inline bool holds_string(json_t *array, const char *text)
{
	json_t *item;
	size_t i;

	json_array_foreach (array, i, item)
		if (!strcmp(json_string_value(item), text))
			return true;
	return false;
}

#endif
