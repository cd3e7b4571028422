/* SPDX-License-Identifier: BSD-2-Clause */
/* One client's connection: lines in, replies out, and a client that does not read is dropped. */
#include "driver/control_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"

static void conn_drop(struct control_conn *conn, const char *why)
{
	if (conn->dropped)
		return;
	conn->dropped = true;
	conn->control->reap = true;
	log_info("control: client %s (pid %d) dropped: %s", conn->command, (int)conn->pid, why);
}

static void conn_watch(struct control_conn *conn)
{
	uint32_t events = 0;

	if (!conn->ended && conn->queue_bytes <= CONTROL_QUEUE_BUSY)
		events |= EPOLLIN;
	if (!STAILQ_EMPTY(&conn->queue))
		events |= EPOLLOUT;
	if (conn->dropped)
		events = 0;
	if (loop_watch(conn->control->daemon->loop, &conn->source, events))
		conn_drop(conn, "cannot be watched");
}

/* --- out --- */

/* Return: bytes sent, 0 when the socket takes nothing now, or negative. */
static ssize_t conn_send_some(
	struct control_conn *conn, const char *data, size_t len, const int *fds, unsigned fd_count)
{
	char space[CMSG_SPACE(CONTROL_FDS_MAX * sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t sent;

	if (fd_count) {
		struct cmsghdr *cmsg = (struct cmsghdr *)(void *)space;

		message.msg_control = space;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, fd_count * sizeof(int));
	}
	do
		sent = sendmsg(conn->source.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == EAGAIN ? 0 : -errno;
	return sent;
}

static void chunk_free(struct control_chunk *chunk)
{
	free(chunk->line);
	free(chunk);
}

static void conn_flush(struct control_conn *conn)
{
	struct control_chunk *chunk;

	while (!conn->dropped && (chunk = STAILQ_FIRST(&conn->queue))) {
		ssize_t sent = conn_send_some(conn, chunk->line + chunk->sent,
			chunk->len - chunk->sent, chunk->fds, chunk->sent ? 0 : chunk->fd_count);

		if (sent < 0)
			conn_drop(conn, "it closed before it read its replies");
		if (sent <= 0)
			return;
		chunk->sent += (size_t)sent;
		conn->queue_bytes -= (size_t)sent;
		if (chunk->sent == chunk->len) {
			STAILQ_REMOVE_HEAD(&conn->queue, link);
			chunk_free(chunk);
		}
	}
}

static void conn_enqueue(struct control_conn *conn, char *line, size_t len, size_t sent,
	const int *fds, unsigned fd_count)
{
	struct control_chunk *chunk;

	if (conn->queue_bytes + len > CONTROL_QUEUE_MAX) {
		conn_drop(conn, "it does not read");
		free(line);
		return;
	}
	chunk = calloc(1, sizeof(*chunk));
	if (!chunk) {
		conn_drop(conn, "out of memory");
		free(line);
		return;
	}
	chunk->line = line;
	chunk->len = len;
	chunk->sent = sent;
	chunk->fd_count = fd_count;
	if (fd_count)
		memcpy(chunk->fds, fds, fd_count * sizeof(*fds));
	STAILQ_INSERT_TAIL(&conn->queue, chunk, link);
	conn->queue_bytes += len - sent;
}

void control_conn_send(
	struct control_conn *conn, char *line, size_t len, const int *fds, unsigned fd_count)
{
	ssize_t sent = 0;

	if (!line)
		conn_drop(conn, "out of memory");
	if (conn->dropped) {
		free(line);
		return;
	}
	if (STAILQ_EMPTY(&conn->queue))
		sent = conn_send_some(conn, line, len, fds, fd_count);
	if (sent < 0) {
		conn_drop(conn, "it closed before it read its replies");
		free(line);
	} else if ((size_t)sent == len) {
		free(line);
	} else {
		conn_enqueue(conn, line, len, (size_t)sent, fds, fd_count);
	}
	conn_watch(conn);
}

void control_conn_answer(struct control_conn *conn, json_t *id, json_t *result,
	const struct control_failure *failure, const int *fds, unsigned fd_count)
{
	size_t len = 0;
	char *line;

	if (!conn || !id) {
		json_decref(result);
		return;
	}
	if (result && !json_object_get(result, "time_ns"))
		json_object_set_new(result, "time_ns", json_integer((json_int_t)clock_now_ns()));
	line = result ? control_text_result(id, result, &len)
		      : control_text_failure(id, failure, &len);
	control_conn_send(conn, line, len, fds, fd_count);
}

/* --- in --- */

static void conn_refuse(
	struct control_conn *conn, json_t *id, const struct control_failure *failure)
{
	control_conn_answer(conn, id, NULL, failure, NULL, 0);
}

static void conn_serve_line(
	struct control_conn *conn, const char *line, size_t len, uint64_t now_ns)
{
	struct control_request request;
	struct control_failure failure;

	if (control_request_parse(line, len, &request, &failure))
		conn_refuse(conn, request.id, &failure);
	else
		control_dispatch(conn, &request, now_ns);
	control_request_fini(&request);
}

static void conn_consume(struct control_conn *conn, size_t len)
{
	conn->input_len -= len;
	memmove(conn->input, conn->input + len, conn->input_len);
}

/* A full buffer without a newline: say so once and skip to the line's end. */
static void conn_skip(struct control_conn *conn)
{
	struct control_failure failure = {0};

	conn->input_len = 0;
	if (conn->skipping)
		return;
	conn->skipping = true;
	(void)control_fail(&failure, CONTROL_ERR_TOO_LONG, "the line is longer than %d bytes",
		CONTROL_LINE_MAX);
	conn_refuse(conn, json_null(), &failure);
}

static bool conn_is_choked(const struct control_conn *conn)
{
	return conn->dropped || conn->queue_bytes > CONTROL_QUEUE_BUSY || conn->control->stopping;
}

bool control_conn_serve(struct control_conn *conn, uint64_t now_ns)
{
	size_t done = 0;

	for (unsigned i = 0; i < CONTROL_LINES_PER_ROUND && !conn_is_choked(conn); i++) {
		char *line = conn->input + done;
		char *end = memchr(line, '\n', conn->input_len - done);

		if (!end)
			break;
		if (!conn->skipping)
			conn_serve_line(conn, line, (size_t)(end - line), now_ns);
		conn->skipping = false;
		done += (size_t)(end - line) + 1;
	}
	conn_consume(conn, done);
	if (memchr(conn->input, '\n', conn->input_len))
		return !conn_is_choked(conn);
	if (conn->input_len == CONTROL_LINE_MAX || conn->skipping)
		conn_skip(conn);
	return false;
}

static void conn_read(struct control_conn *conn)
{
	ssize_t n;

	/* a full buffer holds whole lines that wait for their turn */
	if (conn->input_len == CONTROL_LINE_MAX)
		return;
	n = recv(conn->source.fd, conn->input + conn->input_len, CONTROL_LINE_MAX - conn->input_len,
		MSG_DONTWAIT);
	if (n > 0)
		conn->input_len += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		conn->ended = true;
}

static void conn_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct control_conn *conn = source->ctx;

	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		conn_flush(conn);
	if (!conn->dropped && !conn->ended && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		conn_read(conn);
	(void)control_conn_serve(conn, now_ns);
	conn_watch(conn);
}

bool control_conn_is_done(const struct control_conn *conn)
{
	const struct control *control = conn->control;
	bool waits = control->operation.active && control->operation.conn == conn;

	waits |= control->lease.answer && control->lease.conn == conn;
	return conn->ended && !waits && STAILQ_EMPTY(&conn->queue) &&
	       !memchr(conn->input, '\n', conn->input_len);
}

/* --- life --- */

static void conn_identify(struct control_conn *conn)
{
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	char path[64];
	FILE *file;

	(void)getsockopt(conn->source.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	conn->pid = peer.pid;
	(void)snprintf(conn->command, sizeof(conn->command), "client");
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)peer.pid);
	file = fopen(path, "re");
	if (!file)
		return;
	(void)fscanf(file, "%15[^\n]", conn->command);
	(void)fclose(file);
}

int control_conn_new(struct control *control, int fd)
{
	struct control_conn *conn = calloc(1, sizeof(*conn));
	char *input = malloc(CONTROL_LINE_MAX);
	int rc;

	if (!conn || !input) {
		free(conn);
		free(input);
		(void)close(fd);
		return -ENOMEM;
	}
	conn->control = control;
	conn->input = input;
	conn->source = (struct loop_fd){.fd = fd, .ready = conn_ready, .ctx = conn};
	conn->stats_at_ns = TIME_NEVER;
	STAILQ_INIT(&conn->queue);
	conn_identify(conn);
	rc = loop_watch(control->daemon->loop, &conn->source, EPOLLIN);
	LIST_INSERT_HEAD(&control->conns, conn, link);
	control->conn_count++;
	if (rc)
		control_conn_free(conn);
	return rc;
}

void control_conn_free(struct control_conn *conn)
{
	struct control_chunk *chunk;

	(void)loop_watch(conn->control->daemon->loop, &conn->source, 0);
	LIST_REMOVE(conn, link);
	conn->control->conn_count--;
	(void)close(conn->source.fd);
	while ((chunk = STAILQ_FIRST(&conn->queue))) {
		STAILQ_REMOVE_HEAD(&conn->queue, link);
		chunk_free(chunk);
	}
	free(conn->input);
	free(conn);
}
