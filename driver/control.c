/* SPDX-License-Identifier: BSD-2-Clause */
/* The control server: its socket, its clients, events to them, and what is due. */
#include "driver/control_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/util.h"

#define BACKLOG	       16
#define LOCK_TRIES     100 /* of 10 ms */
#define ACCEPT_WAIT_NS (100 * NS_PER_MS)

/* --- the socket --- */

static int socket_path_choose(struct control *control, struct error *err)
{
	const struct daemon_options *options = control->daemon->options;
	char name[NAME_MAX], path[PATH_MAX];

	if (options->socket_path)
		(void)snprintf(path, sizeof(path), "%s", options->socket_path);
	else if (options->name)
		control_socket_path(options->name, path, sizeof(path));
	else
		control_socket_path(control_default_name(options->device, name, sizeof(name)), path,
			sizeof(path));
	if (strlen(path) >= sizeof(control->path))
		return error_usage(err, "control socket %s: the path is longer than %zu bytes",
			path, sizeof(control->path) - 1);
	memcpy(control->path, path, strlen(path) + 1);
	return 0;
}

/* In a directory of our own nobody else may write; elsewhere only a sticky bit protects. */
static int directory_check(int fd, const char *dir, bool own, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_sys(err, -errno, "control socket: %s", dir);
	if (own && st.st_uid != geteuid())
		return error_set(err, -EPERM,
			"control socket: %s belongs to another user: remove it, "
			"or choose another place with --socket",
			dir);
	if (own && (st.st_mode & 077) && fchmod(fd, 0700))
		return error_sys(err, -errno, "control socket: cannot close %s to others", dir);
	if (!own && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return error_set(err, -EPERM,
			"control socket: everybody may write to %s: choose "
			"another place",
			dir);
	return 0;
}

/* Return: the directory's descriptor, locked against another daemon that starts, or negative. */
static int directory_lock(const char *path, struct error *err)
{
	char dir[PATH_MAX], usual[PATH_MAX];
	char *slash;
	int fd, rc;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (!slash)
		(void)snprintf(dir, sizeof(dir), ".");
	else
		slash[slash == dir ? 1 : 0] = '\0';
	if (mkdir(dir, 0700) && errno != EEXIST)
		return error_sys(err, -errno, "control socket: cannot make %s", dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, -errno, "control socket: cannot open %s", dir);
	rc = directory_check(fd, dir, !strcmp(dir, control_socket_dir(usual, sizeof(usual))), err);
	for (int i = 0; !rc && flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (i == LOCK_TRIES)
			rc = error_set(err, -EBUSY,
				"control socket: %s stays locked by another "
				"daemon that starts",
				dir);
		(void)usleep(10000);
	}
	if (rc) {
		(void)close(fd);
		return rc;
	}
	return fd;
}

/* Somebody has the path. Return: 0 when it was a dead daemon's and is removed. */
static int stale_remove(const char *path, struct error *err)
{
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	struct stat st;
	int fd, rc;

	if (lstat(path, &st) || !S_ISSOCK(st.st_mode))
		return error_set(
			err, -EEXIST, "control socket: %s exists and is not a socket", path);
	rc = control_socket_connect(path, &fd, NULL);
	if (rc == 0) {
		(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
		(void)close(fd);
		return error_set(err, -EADDRINUSE,
			"a live moderatod (pid %d) has the control socket "
			"%s: end it with `moderato down`, or give this one another name",
			(int)peer.pid, path);
	}
	if (rc != -ECONNREFUSED)
		return error_sys(
			err, rc, "control socket: cannot tell whether a daemon lives at %s", path);
	log_info("control: socket %s of a daemon that is gone is replaced", path);
	return unlink(path) ? error_sys(err, -errno, "control socket: cannot remove %s", path) : 0;
}

static int socket_bind(struct control *control, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = control->listener.fd;
	struct stat st;
	int rc;

	memcpy(address.sun_path, control->path, strlen(control->path) + 1);
	/* before bind() the mode of the socket is that of the file to be; no moment with another */
	(void)fchmod(fd, 0600);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		if (errno != EADDRINUSE)
			return error_sys(
				err, -errno, "control socket: cannot make %s", control->path);
		rc = stale_remove(control->path, err);
		if (rc)
			return rc;
		if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
			return error_sys(
				err, -errno, "control socket: cannot make %s", control->path);
	}
	if (stat(control->path, &st) == 0) {
		control->path_dev = st.st_dev;
		control->path_ino = st.st_ino;
	}
	if (chmod(control->path, 0600) || listen(fd, BACKLOG))
		return error_sys(err, -errno, "control socket: cannot listen on %s", control->path);
	return 0;
}

static int socket_open(struct control *control, struct error *err)
{
	int dir, rc;

	rc = socket_path_choose(control, err);
	if (rc)
		return rc;
	control->listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (control->listener.fd < 0)
		return error_sys(err, -errno, "control socket: cannot make a socket");
	dir = directory_lock(control->path, err);
	if (dir < 0)
		return dir;
	rc = socket_bind(control, err);
	(void)close(dir);
	return rc;
}

/* Remove the path only if it still is our socket. */
static void socket_remove(const struct control *control)
{
	struct stat st;

	if (control->path_ino && lstat(control->path, &st) == 0 && st.st_ino == control->path_ino &&
		st.st_dev == control->path_dev)
		(void)unlink(control->path);
}

/* --- clients --- */

static void refuse_crowd(int fd)
{
	struct control_failure failure = {0};
	size_t len = 0;
	char *line;

	(void)control_fail(&failure, CONTROL_ERR_FAILED, "%d clients are connected already",
		CONTROL_CONNS_MAX);
	line = control_text_failure(json_null(), &failure, &len);
	if (line)
		(void)send(fd, line, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(line);
	(void)close(fd);
}

static void listener_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct control *control = source->ctx;
	int fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS)
			return;
		/* the client stays in the backlog, and the listener would report it for ever */
		control->accept_at_ns = now_ns + ACCEPT_WAIT_NS;
		(void)loop_watch(control->daemon->loop, source, 0);
		return;
	}
	if (control->conn_count >= CONTROL_CONNS_MAX)
		refuse_crowd(fd);
	else if (control_conn_new(control, fd))
		log_warning("control: a client could not be served: out of memory");
}

static void conn_release(struct control_conn *conn, uint64_t now_ns)
{
	struct control *control = conn->control;

	control_lease_forget(control, conn, now_ns);
	if (control->lease.conn == conn)
		control->lease.conn = NULL;
	if (control->operation.conn == conn)
		control->operation.conn = NULL;
	control_conn_free(conn);
}

/* Return: deadline of the connections: statistics, and lines that wait for their turn. */
static uint64_t conns_run(struct control *control, uint64_t now_ns)
{
	struct control_conn *conn, *next;
	uint64_t deadline_ns = TIME_NEVER;
	bool more;

	control->reap = false;
	for (conn = LIST_FIRST(&control->conns); conn; conn = next) {
		next = LIST_NEXT(conn, link);
		more = control_conn_serve(conn, now_ns);
		if (more)
			deadline_ns = now_ns;
		if (conn->stats_at_ns <= now_ns)
			control_stats_send(conn, now_ns);
		deadline_ns = MIN(deadline_ns, conn->stats_at_ns);
		if (conn->dropped || control_conn_is_done(conn))
			conn_release(conn, now_ns);
		else if (conn->ended && !more)
			control_lease_forget(control, conn, now_ns);
	}
	return deadline_ns;
}

/* --- events --- */

static void notify(struct control *control, const struct control_conn *except, const char *name,
	pid_t pid, const char *detail)
{
	json_t *params = json_pack("{s:s, s:o, s:I, s:i}", "name", name, "detail",
		control_text_string(detail), "time_ns", (json_int_t)clock_now_ns(), "pid",
		(int)pid);
	struct control_conn *conn;
	size_t len = 0;
	char *line = control_text_notification("event", params, &len);

	if (!line)
		return;
	LIST_FOREACH (conn, &control->conns, link)
		if (conn->events && conn != except)
			control_conn_send(conn, strdup(line), len, NULL, 0);
	free(line);
}

void control_notify(struct control *control, const struct control_conn *except, const char *name,
	pid_t pid, const char *fmt, ...)
{
	char detail[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	log_info("control: %s: %s", name, detail);
	notify(control, except, name, pid, detail);
}

void control_event(struct control *control, const char *name, const char *detail)
{
	static const enum nic_event failures[] = {
		NIC_EVENT_START_FAILED, NIC_EVENT_SETTINGS_LOST, NIC_EVENT_GONE};

	if (!control)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
		if (!strcmp(name, nic_event_name(failures[i])))
			(void)snprintf(control->failure, sizeof(control->failure), "%s", detail);
	notify(control, NULL, name, 0, detail); /* the caller has logged it */
}

/* --- life --- */

bool control_is_busy(const struct control *control)
{
	return control->operation.active || control->lease.state == LEASE_ENDING ||
	       control->lease.state == LEASE_RESTARTING ||
	       nic_state(control->daemon->nic) == NIC_RESETTING;
}

static uint64_t listener_run(struct control *control, uint64_t now_ns)
{
	if (control->accept_at_ns <= now_ns) {
		control->accept_at_ns = TIME_NEVER;
		(void)loop_watch(control->daemon->loop, &control->listener, EPOLLIN);
	}
	return control->accept_at_ns;
}

uint64_t control_run(void *ctx, uint64_t now_ns)
{
	struct control *control = ctx;
	uint64_t deadline_ns, next_ns;

	control_operation_run(control, now_ns);
	deadline_ns = listener_run(control, now_ns);
	next_ns = conns_run(control, now_ns);
	deadline_ns = MIN(deadline_ns, next_ns);
	next_ns = control_lease_run(control, now_ns);
	deadline_ns = MIN(deadline_ns, next_ns);
	next_ns = control_revert_run(control, now_ns);
	deadline_ns = MIN(deadline_ns, next_ns);
	return control->reap || control->stopping ? now_ns : deadline_ns;
}

int control_start(struct daemon *daemon, struct control **ret_control, struct error *err)
{
	struct control *control = calloc(1, sizeof(*control));
	int rc;

	if (!control)
		return error_sys(err, -ENOMEM, "control socket");
	control->daemon = daemon;
	control->accept_at_ns = TIME_NEVER;
	control->lease.expires_ns = TIME_NEVER;
	LIST_INIT(&control->conns);
	control->listener = (struct loop_fd){.fd = -1, .ready = listener_ready, .ctx = control};
	rc = socket_open(control, err);
	if (!rc) {
		rc = loop_watch(daemon->loop, &control->listener, EPOLLIN);
		if (!rc)
			rc = loop_add_runner(daemon->loop, control_run, control);
		if (rc)
			(void)error_sys(err, rc, "control socket: cannot be served");
	}
	if (rc) {
		control_stop(control);
		return rc;
	}
	*ret_control = control;
	return 0;
}

void control_stop(struct control *control)
{
	struct control_conn *conn;

	if (!control)
		return;
	socket_remove(control);
	control_operation_abort(control, "moderatod is ending");
	control_lease_abort(control, "moderatod is ending");
	control_notify(control, NULL, "shutdown", 0, "moderatod is ending");
	control_capture_end(control);
	control_pktgen_end(control, clock_now_ns());
	while ((conn = LIST_FIRST(&control->conns)))
		control_conn_free(conn);
	if (control->listener.fd >= 0) {
		(void)loop_watch(control->daemon->loop, &control->listener, 0);
		(void)close(control->listener.fd);
	}
	free(control);
}
