/* SPDX-License-Identifier: BSD-2-Clause */
/* The client side of the control socket: one connection, one call at a time. */
#include "common/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/control.h"
#include "common/util.h"

#define CALL_TIMEOUT_MS	  10000
#define NOTIFICATIONS_MAX 4096 /* the oldest go when a caller never collects them */
#define FDS_MAX		  8
#define INPUT_MAX	  (16u << 20) /* a longer reply is not from a daemon of ours */

struct control_client {
	int fd;
	uint64_t next_id;
	char *input; /* bytes of unfinished lines */
	size_t input_len, input_size;
	size_t scanned; /* bytes of `input` known to hold no newline */
	json_t *notifications;
	int fds[FDS_MAX]; /* came with the reply that is being read */
	unsigned fd_count;
};

int control_connect(const char *name_or_path, struct control_client **ret_client, struct error *err)
{
	struct control_client *client = calloc(1, sizeof(*client));
	int rc;

	if (!client)
		return error_sys(err, -ENOMEM, "cannot connect");
	client->fd = -1;
	client->notifications = json_array();
	rc = client->notifications ? control_socket_connect(name_or_path, &client->fd, err)
				   : error_sys(err, -ENOMEM, "cannot connect");
	if (rc) {
		control_disconnect(client);
		return rc;
	}
	*ret_client = client;
	return 0;
}

static void close_fds(struct control_client *client)
{
	while (client->fd_count)
		(void)close(client->fds[--client->fd_count]);
}

void control_disconnect(struct control_client *client)
{
	if (!client)
		return;
	close_fds(client);
	if (client->fd >= 0)
		(void)close(client->fd);
	json_decref(client->notifications);
	free(client->input);
	free(client);
}

int control_fd(const struct control_client *client)
{
	return client->fd;
}

/* --- lines in and out --- */

static int went_away(struct error *err)
{
	return error_set(err, -EPIPE,
		"moderatod closed the connection: it ended, or it dropped this "
		"client");
}

/* Milliseconds until @deadline_ns for poll(), rounded up. */
static int remaining_ms(uint64_t deadline_ns)
{
	uint64_t now_ns = clock_now_ns();

	return deadline_ns <= now_ns ? 0
				     : (int)((deadline_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS);
}

/* Return: 0, -EAGAIN at the deadline, or negative with a sentence. */
static int wait_for(
	struct control_client *client, short events, uint64_t deadline_ns, struct error *err)
{
	for (;;) {
		struct pollfd pollfd = {.fd = client->fd, .events = events};
		int n = poll(&pollfd, 1, remaining_ms(deadline_ns));

		if (n > 0)
			return 0;
		if (n == 0)
			return -EAGAIN;
		if (errno != EINTR)
			return error_sys(err, -errno, "cannot wait for moderatod");
	}
}

static int send_line(struct control_client *client, const char *line, size_t len,
	uint64_t deadline_ns, struct error *err)
{
	while (len) {
		ssize_t n = send(client->fd, line, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		int rc;

		if (n >= 0) {
			line += n;
			len -= (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EPIPE || errno == ECONNRESET)
			return went_away(err);
		if (errno != EAGAIN)
			return error_sys(err, -errno, "cannot send to moderatod");
		rc = wait_for(client, POLLOUT, deadline_ns, err);
		if (rc == -EAGAIN)
			return error_set(err, -ETIMEDOUT, "moderatod takes no requests");
		if (rc)
			return rc;
	}
	return 0;
}

static void take_fds(struct control_client *client, struct msghdr *message)
{
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(message); cmsg; cmsg = CMSG_NXTHDR(message, cmsg)) {
		size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (client->fd_count < FDS_MAX)
				client->fds[client->fd_count++] = fd;
			else
				(void)close(fd);
		}
	}
}

static int grow_input(struct control_client *client, struct error *err)
{
	size_t size = client->input_size ? client->input_size * 2 : 16384;
	char *input;

	if (client->input_len < client->input_size)
		return 0;
	if (size > INPUT_MAX)
		return error_set(
			err, -EMSGSIZE, "moderatod sent a line of more than %u bytes", INPUT_MAX);
	input = realloc(client->input, size);
	if (!input)
		return error_sys(err, -ENOMEM, "cannot read from moderatod");
	client->input = input;
	client->input_size = size;
	return 0;
}

/* Read what is there. Return: 0 (also when nothing was), or negative with a sentence. */
static int read_some(struct control_client *client, struct error *err)
{
	char control[CMSG_SPACE(FDS_MAX * sizeof(int))];
	struct iovec iov;
	struct msghdr message = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	ssize_t n;
	int rc = grow_input(client, err);

	if (rc)
		return rc;
	iov.iov_base = client->input + client->input_len;
	iov.iov_len = client->input_size - client->input_len;
	n = recvmsg(client->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return went_away(err);
	if (n < 0)
		return error_sys(err, -errno, "cannot read from moderatod");
	take_fds(client, &message);
	client->input_len += (size_t)n;
	return 0;
}

/* Cut the first whole line out of the input. Return: 0 with a value, -EAGAIN, or negative. */
static int take_line(struct control_client *client, json_t **ret_message, struct error *err)
{
	json_error_t where;
	json_t *message;
	char *end = NULL;
	size_t len;

	if (client->input_len > client->scanned)
		end = memchr(
			client->input + client->scanned, '\n', client->input_len - client->scanned);
	if (!end) {
		client->scanned = client->input_len;
		return -EAGAIN;
	}
	len = (size_t)(end - client->input);
	message = json_loadb(client->input, len, 0, &where);
	client->input_len -= len + 1;
	client->scanned = 0;
	memmove(client->input, end + 1, client->input_len);
	if (!json_is_object(message)) {
		json_decref(message);
		return error_set(err, -EPROTO, "moderatod sent a line that is not a JSON object");
	}
	*ret_message = message;
	return 0;
}

/* Return: 0 with the next message, -EAGAIN at the deadline, or negative with a sentence. */
static int read_message(struct control_client *client, uint64_t deadline_ns, json_t **ret_message,
	struct error *err)
{
	for (;;) {
		int rc = take_line(client, ret_message, err);

		if (rc != -EAGAIN)
			return rc;
		rc = wait_for(client, POLLIN, deadline_ns, err);
		if (!rc)
			rc = read_some(client, err);
		if (rc)
			return rc;
	}
}

static void keep_notification(struct control_client *client, json_t *message)
{
	if (json_array_size(client->notifications) >= NOTIFICATIONS_MAX)
		(void)json_array_remove(client->notifications, 0);
	(void)json_array_append_new(client->notifications, message);
}

/* --- calls --- */

static int errno_of(json_int_t code, const json_t *error)
{
	json_int_t number;

	switch (code) {
	case CONTROL_ERR_UNAVAILABLE:
		return -ENODEV;
	case CONTROL_ERR_LEASED:
	case CONTROL_ERR_BUSY:
		return -EBUSY;
	case CONTROL_ERR_RESTART:
		return -ENOTUNIQ;
	case CONTROL_ERR_METHOD:
		return -ENOSYS;
	case CONTROL_ERR_TOO_LONG:
		return -EMSGSIZE;
	default:
		number = json_integer_value(
			json_object_get(json_object_get(error, "data"), "errno"));
		return number > 0 && number < 4096 ? -(int)number : -EIO;
	}
}

static int fail_with_reply(const json_t *error, struct error *err)
{
	json_int_t code = json_integer_value(json_object_get(error, "code"));
	const char *sentence = json_string_value(json_object_get(error, "message"));

	if (!sentence)
		sentence = "moderatod refused the request and gave no reason";
	if (code == CONTROL_ERR_PARAMS)
		return error_usage(err, "%s", sentence);
	return error_set(err, errno_of(code, error), "%s", sentence);
}

static int send_request(struct control_client *client, const char *method, json_t *params,
	uint64_t deadline_ns, struct error *err)
{
	json_t *request = json_pack("{s:s, s:I, s:s, s:o*}", "jsonrpc", "2.0", "id",
		(json_int_t)client->next_id, "method", method, "params", params);
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	size_t len;
	int rc;

	json_decref(request);
	if (!text)
		return error_set(err, -EINVAL, "cannot put the request %s into JSON", method);
	len = strlen(text);
	text[len] = '\n'; /* the terminating zero is not sent */
	rc = send_line(client, text, len + 1, deadline_ns, err);
	free(text);
	return rc;
}

/* Wait for the reply to the request just sent; earlier requests' late replies are thrown away. */
static int read_reply(struct control_client *client, const char *method, uint64_t deadline_ns,
	json_t **ret_reply, struct error *err)
{
	for (;;) {
		json_t *message, *id;
		int rc = read_message(client, deadline_ns, &message, err);

		if (rc == -EAGAIN)
			return error_set(
				err, -ETIMEDOUT, "moderatod did not answer %s in time", method);
		if (rc)
			return rc;
		id = json_object_get(message, "id");
		if (!id && json_object_get(message, "method")) {
			keep_notification(client, message);
			continue;
		}
		/* a request that could not be read is answered with id null */
		if (json_is_null(id) || json_integer_value(id) == (json_int_t)client->next_id) {
			*ret_reply = message;
			return 0;
		}
		close_fds(client);
		json_decref(message);
	}
}

static int call(struct control_client *client, const char *method, json_t *params,
	json_t **ret_result, unsigned timeout_ms, struct error *err)
{
	uint64_t deadline_ns =
		clock_now_ns() + (timeout_ms ? timeout_ms : CALL_TIMEOUT_MS) * NS_PER_MS;
	json_t *reply = NULL, *error;
	int rc;

	client->next_id++;
	rc = send_request(client, method, params, deadline_ns, err);
	if (!rc)
		rc = read_reply(client, method, deadline_ns, &reply, err);
	if (rc)
		return rc;
	error = json_object_get(reply, "error");
	if (error)
		rc = fail_with_reply(error, err);
	else if (!json_is_object(json_object_get(reply, "result")))
		rc = error_set(err, -EPROTO, "moderatod's answer to %s has no result", method);
	else if (ret_result)
		*ret_result = json_incref(json_object_get(reply, "result"));
	json_decref(reply);
	return rc;
}

int control_call(struct control_client *client, const char *method, json_t *params,
	json_t **ret_result, unsigned timeout_ms, struct error *err)
{
	int rc = call(client, method, params, ret_result, timeout_ms, err);

	close_fds(client);
	return rc;
}

int control_call_fds(struct control_client *client, const char *method, json_t *params,
	json_t **ret_result, int *fds, unsigned max, struct error *err)
{
	int rc = call(client, method, params, ret_result, 0, err);

	for (unsigned i = 0; i < max; i++) {
		fds[i] = -1;
		if (!rc && i < client->fd_count) {
			fds[i] = client->fds[i];
			client->fds[i] = -1;
		}
	}
	for (unsigned i = 0; i < client->fd_count; i++)
		if (client->fds[i] >= 0)
			(void)close(client->fds[i]);
	client->fd_count = 0;
	return rc;
}

int control_next_notification(
	struct control_client *client, unsigned timeout_ms, json_t **ret_message, struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + timeout_ms * NS_PER_MS;
	json_t *message;
	int rc;

	if (json_array_size(client->notifications)) {
		*ret_message = json_incref(json_array_get(client->notifications, 0));
		(void)json_array_remove(client->notifications, 0);
		return 0;
	}
	for (;;) {
		rc = read_message(client, deadline_ns, &message, err);
		if (rc)
			return rc;
		if (json_object_get(message, "method")) {
			*ret_message = message;
			return 0;
		}
		close_fds(client);
		json_decref(message);
	}
}
