/* SPDX-License-Identifier: BSD-2-Clause */
/* The control client against a daemon made of lines, and how daemons are named and found. */
#include "common/control_client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/control.h"
#include "common/util.h"

static char dir[64], path[128];

static int listen_at(const char *where)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", where);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static void send_with_fd(int socket, const char *text, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {.iov_base = (void *)text, .iov_len = strlen(text)};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *cmsg;

	if (fd >= 0) {
		message.msg_control = space;
		message.msg_controllen = sizeof(space);
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	(void)sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* A daemon that answers each line it gets with the next of @answers, then closes. */
static pid_t serve(const char *const *answers, int fd_to_pass)
{
	int listener = listen_at(path), conn;
	pid_t pid = fork();
	char data[4096];

	if (pid) {
		(void)close(listener);
		return pid;
	}
	conn = accept(listener, NULL, NULL);
	for (size_t i = 0; answers[i] && read(conn, data, sizeof(data)) > 0; i++)
		send_with_fd(conn, answers[i], fd_to_pass);
	_exit(0);
}

static struct control_client *connect_to(void)
{
	struct control_client *client = NULL;
	struct error err = {0};

	assert_int_equal(control_connect(path, &client, &err), 0);
	return client;
}

static void finish(struct control_client *client, pid_t pid)
{
	control_disconnect(client);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(unlink(path), 0);
}

static int make_dir(void **state)
{
	strcpy(dir, "/tmp/moderato-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/x.sock", dir);
	return 0;
}

static int remove_dir(void **state)
{
	return rmdir(dir);
}

/* --- calls --- */

static void a_call_gives_the_result_and_keeps_notifications(void **state)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"name\":\"a\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":5}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"name\":\"b\"}}\n",
		NULL};
	pid_t pid = serve(answers, -1);
	struct control_client *client = connect_to();
	struct error err = {0};
	json_t *result, *message;

	assert_int_equal(control_call(client, "get", NULL, &result, 0, &err), 0);
	assert_int_equal(json_integer_value(json_object_get(result, "x")), 5);
	json_decref(result);
	for (const char *name = "a"; name; name = *name == 'a' ? "b" : NULL) {
		assert_int_equal(control_next_notification(client, 1000, &message, &err), 0);
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(message, "params"), "name")),
			name);
		json_decref(message);
	}
	finish(client, pid);
}

static void error_codes_become_error_numbers(void **state)
{
	static const struct {
		int code, number, expected;
		bool usage;
	} table[] = {
		{CONTROL_ERR_PARAMS, 0, -EINVAL, true},
		{CONTROL_ERR_LEASED, EBUSY, -EBUSY, false},
		{CONTROL_ERR_BUSY, 0, -EBUSY, false},
		{CONTROL_ERR_RESTART, 0, -ENOTUNIQ, false},
		{CONTROL_ERR_UNAVAILABLE, ENODEV, -ENODEV, false},
		{CONTROL_ERR_FAILED, ENOSPC, -ENOSPC, false},
		{CONTROL_ERR_FAILED, 0, -EIO, false},
		{CONTROL_ERR_METHOD, 0, -ENOSYS, false},
	};
	char text[ARRAY_SIZE(table)][256];
	const char *answers[ARRAY_SIZE(table) + 1] = {NULL};
	struct control_client *client;
	pid_t pid;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		(void)snprintf(text[i], sizeof(text[i]),
			"{\"jsonrpc\":\"2.0\",\"id\":%zu,\"error\":{\"code\":%d,\"message\":"
			"\"sentence %zu\",\"data\":{\"errno\":%d}}}\n",
			i + 1, table[i].code, i, table[i].number);
		answers[i] = text[i];
	}
	pid = serve(answers, -1);
	client = connect_to();
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct error err = {0};
		json_t *result = NULL;
		char sentence[32];

		(void)snprintf(sentence, sizeof(sentence), "sentence %zu", i);
		assert_int_equal(control_call(client, "set", json_object(), &result, 0, &err),
			table[i].expected);
		assert_string_equal(err.text, sentence);
		assert_int_equal(err.usage, table[i].usage);
		assert_null(result);
	}
	finish(client, pid);
}

static void descriptors_come_with_the_reply(void **state)
{
	static const char *const answers[] = {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", NULL};
	int fds[3], passed = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid = serve(answers, passed);
	struct control_client *client = connect_to();
	struct error err = {0};
	struct stat got, expected;

	assert_int_equal(control_call_fds(client, "info", NULL, NULL, fds, 3, &err), 0);
	assert_true(fds[0] >= 0);
	assert_int_equal(fds[1], -1);
	assert_int_equal(fds[2], -1);
	assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(fds[0], &got), 0);
	assert_int_equal(stat("/dev/null", &expected), 0);
	assert_int_equal(got.st_rdev, expected.st_rdev);
	(void)close(fds[0]);
	/* a plain call does not leak them */
	assert_int_equal(control_call(client, "info", NULL, NULL, 0, &err), 0);
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
	(void)close(passed);
	finish(client, pid);
}

static void a_late_reply_is_not_taken_for_the_next(void **state)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":2}}\n",
		NULL};
	pid_t pid = serve(answers, -1);
	struct control_client *client = connect_to();
	struct error err = {0};
	json_t *result;

	assert_int_equal(control_call(client, "get", NULL, NULL, 50, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "get"));
	assert_int_equal(control_call(client, "get", NULL, &result, 0, &err), 0);
	assert_int_equal(json_integer_value(json_object_get(result, "x")), 2);
	json_decref(result);
	finish(client, pid);
}

static void a_daemon_that_ends_is_a_broken_pipe(void **state)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", NULL};
	pid_t pid = serve(answers, -1);
	struct control_client *client = connect_to();
	struct error err = {0};
	json_t *message;

	assert_int_equal(control_call(client, "shutdown", NULL, NULL, 0, &err), 0);
	assert_int_equal(control_next_notification(client, 1000, &message, &err), -EPIPE);
	assert_int_equal(control_call(client, "get", NULL, NULL, 0, &err), -EPIPE);
	assert_non_null(strstr(err.text, "moderatod"));
	finish(client, pid);
}

static void nonsense_is_a_protocol_error(void **state)
{
	static const char *const answers[] = {
		"hello\n", "[1]\n", "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":7}\n", NULL};
	pid_t pid = serve(answers, -1);
	struct control_client *client = connect_to();
	struct error err = {0};

	for (int i = 0; i < 3; i++)
		assert_int_equal(control_call(client, "get", NULL, NULL, 0, &err), -EPROTO);
	finish(client, pid);
}

static void no_notification_is_try_again(void **state)
{
	static const char *const answers[] = {NULL};
	int listener = listen_at(path);
	struct control_client *client = connect_to();
	uint64_t before_ns = clock_now_ns();
	struct error err = {0};
	json_t *message;

	assert_int_equal(control_next_notification(client, 0, &message, &err), -EAGAIN);
	assert_int_equal(control_next_notification(client, 20, &message, &err), -EAGAIN);
	assert_true(clock_now_ns() - before_ns >= 20 * NS_PER_MS);
	assert_null(answers[0]);
	control_disconnect(client);
	(void)close(listener);
	(void)unlink(path);
}

/* --- names --- */

static void a_name_is_made_from_the_device(void **state)
{
	char name[64];

	assert_string_equal(
		control_default_name("sim:82574L,speed=100", name, sizeof(name)), "sim-82574L");
	assert_string_equal(
		control_default_name("0000:03:00.0", name, sizeof(name)), "0000-03-00.0");
	assert_string_equal(control_default_name("sim:../x", name, sizeof(name)), "sim-..-x");
	assert_string_equal(control_default_name("sim:82574L", name, 5), "sim-");
}

static void a_missing_daemon_is_said_with_what_to_do(void **state)
{
	struct control_client *client = NULL;
	struct error err = {0};
	int listener;

	assert_int_equal(control_connect(path, &client, &err), -ENOENT);
	assert_non_null(strstr(err.text, "moderato up"));
	listener = listen_at(path);
	(void)close(listener); /* stale */
	assert_int_equal(control_connect(path, &client, &err), -ECONNREFUSED);
	assert_non_null(strstr(err.text, path));
	assert_null(client);
	(void)unlink(path);
}

/* In a child, because the places depend on who runs it and on the environment. */
static int find_the_only_one(void)
{
	char at[PATH_MAX], name[256];
	struct control_client *client = NULL;
	struct error err = {0};
	int one, two;

	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		return 10;
	(void)setenv("XDG_RUNTIME_DIR", dir, 1);
	if (strncmp(control_socket_dir(at, sizeof(at)), dir, strlen(dir)) || mkdir(at, 0700))
		return 11;
	if (control_connect(NULL, &client, &err) != -ENOENT || !strstr(err.text, "no moderatod"))
		return 12;
	one = listen_at(control_socket_path("one", at, sizeof(at)));
	if (control_connect(NULL, &client, &err) || control_connect("one", &client, &err))
		return 13;
	two = listen_at(control_socket_path("sim-82574L", at, sizeof(at)));
	if (control_connect(NULL, &client, &err) != -EINVAL || !err.usage ||
		!strstr(err.text, "one, sim-82574L"))
		return 14;
	if (control_connect("sim:82574L,speed=10", &client, &err))
		return 15;
	(void)close(two);
	if (control_connect(NULL, &client, &err)) /* a stale one does not count */
		return 16;
	(void)close(one);
	(void)unlink(control_socket_path("one", name, sizeof(name)));
	(void)unlink(at);
	return rmdir(control_socket_dir(at, sizeof(at))) ? 17 : 0;
}

static void the_only_daemon_is_found_and_several_are_named(void **state)
{
	int status = 0;
	pid_t pid;

	assert_int_equal(chmod(dir, 0777), 0);
	pid = fork();
	if (pid == 0)
		_exit(find_the_only_one());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define client_test(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		client_test(a_call_gives_the_result_and_keeps_notifications),
		client_test(error_codes_become_error_numbers),
		client_test(descriptors_come_with_the_reply),
		client_test(a_late_reply_is_not_taken_for_the_next),
		client_test(a_daemon_that_ends_is_a_broken_pipe),
		client_test(nonsense_is_a_protocol_error),
		client_test(no_notification_is_try_again),
		client_test(a_name_is_made_from_the_device),
		client_test(a_missing_daemon_is_said_with_what_to_do),
		client_test(the_only_daemon_is_found_and_several_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
