/* SPDX-License-Identifier: BSD-2-Clause */
/* The control server as a server: its socket, lines cut anywhere, slow, dead and many clients. */
#include "tests/unit/control_rig_client.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "driver/control_private.h"

#define GET "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"get\"}\n"

static void write_text(struct rig_client *c, const char *text)
{
	client_write(c, text, strlen(text));
}

/* --- lines --- */

static void a_line_may_come_byte_by_byte(void **state)
{
	const char *line = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"get\"}\n";
	json_t *reply;

	for (const char *c = line; *c; c++) {
		assert_null(client_line(&client));
		client_write(&client, c, 1);
	}
	reply = client_reply(&client, 0);
	assert_string_equal(string_of(reply, "id"), "x");
	json_decref(reply);
}

static void many_requests_in_one_write_are_answered_in_order(void **state)
{
	char text[64 * 100] = "";
	json_t *reply;

	for (int i = 0; i < 100; i++)
		(void)snprintf(text + strlen(text), 64, GET, i);
	write_text(&client, text);
	for (int i = 0; i < 100; i++) {
		reply = client_reply(&client, 10);
		assert_non_null(reply);
		assert_int_equal(int_of(reply, "id"), i);
		json_decref(reply);
	}
}

static void one_round_serves_a_few_requests_only(void **state)
{
	char text[64 * 50] = "";
	size_t count = 0;
	json_t *reply;

	for (int i = 0; i < 50; i++)
		(void)snprintf(text + strlen(text), 64, GET, i);
	assert_int_equal(send(client.fd, text, strlen(text), 0), strlen(text));
	rig_round(&rig);
	while ((reply = client_line(&client))) {
		json_decref(reply);
		count++;
	}
	assert_in_range(count, 1, 2 * CONTROL_LINES_PER_ROUND);
	/* and the loop is told to come back at once */
	assert_true(control_run(rig.daemon.control, rig.now) <= rig.now);
	while ((reply = client_reply(&client, 20))) {
		json_decref(reply);
		count++;
	}
	assert_int_equal(count, 50);
}

static void an_overlong_line_is_skipped_to_its_end(void **state)
{
	char *text = malloc(3 * CONTROL_LINE_MAX);
	json_t *reply;

	memset(text, 'x', 3 * CONTROL_LINE_MAX);
	client_write(&client, text, 3 * CONTROL_LINE_MAX);
	free(text);
	reply = client_reply(&client, 2);
	assert_int_equal(int_of(json_object_get(reply, "error"), "code"), CONTROL_ERR_TOO_LONG);
	assert_true(json_is_null(json_object_get(reply, "id")));
	json_decref(reply);
	assert_null(client_reply(&client, 2)); /* said once */
	write_text(&client, "rest\n");
	assert_null(client_reply(&client, 2));
	json_decref(client_ok(&client, "get", NULL));
}

static void the_longest_line_is_taken(void **state)
{
	char *text = malloc(CONTROL_LINE_MAX);
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\"}";
	json_t *reply;

	memset(text, ' ', CONTROL_LINE_MAX);
	memcpy(text, line, sizeof(line) - 1);
	text[CONTROL_LINE_MAX - 1] = '\n';
	client_write(&client, text, CONTROL_LINE_MAX);
	free(text);
	reply = client_reply(&client, 2);
	assert_non_null(json_object_get(reply, "result"));
	json_decref(reply);
}

static void a_notification_is_done_and_not_answered(void **state)
{
	write_text(&client,
		"{\"jsonrpc\":\"2.0\",\"method\":\"set\",\"params\":{\"knobs\":{\"ITR\":9}}}\n");
	write_text(&client,
		"{\"jsonrpc\":\"2.0\",\"method\":\"set\",\"params\":{\"knobs\":{\"ITR\":-1}}}\n");
	assert_null(client_reply(&client, 5));
	assert_int_equal(rig_value(&rig, KNOB_ITR), 9);
	write_text(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"reset\"}\n");
	assert_null(client_reply(&client, 300));
	json_decref(client_ok(&client, "get", NULL));
}

static void errors_are_answered_and_the_connection_lives(void **state)
{
	json_t *reply;

	write_text(&client, "nonsense\n");
	reply = client_reply(&client, 2);
	assert_int_equal(int_of(json_object_get(reply, "error"), "code"), CONTROL_ERR_PARSE);
	json_decref(reply);
	client_fails(&client, "gets", NULL, CONTROL_ERR_METHOD, "did you mean get");
	client_fails(&client, "get", json_pack("{s:i}", "x", 1), CONTROL_ERR_PARAMS, "\"x\"");
	json_decref(client_ok(&client, "get", NULL));
}

static void what_was_asked_before_the_end_is_answered(void **state)
{
	json_t *reply;

	write_text(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"reset\"}\n"
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"get\"}\n"
			    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ge");
	assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
	reply = client_reply(&client, 2);
	assert_int_equal(int_of(reply, "id"), 2);
	json_decref(reply);
	reply = client_reply(&client, 1000);
	assert_int_equal(int_of(reply, "id"), 1);
	json_decref(reply);
	rig_pass(&rig, 2);
	client_read(&client);
	assert_true(client.closed);
}

/* Legal lines with bytes changed, cut and sent in pieces of any size; a fixed series of numbers. */
static void noise_does_not_break_the_server(void **state)
{
	static const char *const lines[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"set\",\"params\":{\"knobs\":{\"ITR\":1}"
		"}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"lease.take\",\"params\":{\"ttl_ms\":"
		"100}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"lease.release\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"restart\",\"params\":{\"knobs\":{}}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"subscribe\",\"params\":{\"stats_ms\":"
		"10}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"info\",\"params\":{\"fds\":true}}\n",
	};
	struct rig_client noisy;
	json_t *reply;

	srand(1);
	for (int round = 0; round < 60; round++) {
		client_open(&noisy, &rig);
		for (int i = 0; i < 40; i++) {
			char line[256];
			size_t len;

			strcpy(line, lines[(size_t)rand() % ARRAY_SIZE(lines)]);
			len = strlen(line);
			for (int j = rand() % 3; j > 0; j--)
				line[(size_t)rand() % len] = (char)rand();
			client_write(&noisy, line, rand() % 4 ? len : (size_t)rand() % len);
			if (rand() % 8 == 0)
				rig_pass(&rig, 20);
			while ((reply = client_line(&noisy)))
				json_decref(reply);
		}
		client_close(&noisy);
	}
	rig_pass(&rig, 1000);
	json_decref(client_ok(&client, "set", rig_knob("ITR", 9)));
}

/* --- clients --- */

static void a_client_that_does_not_read_is_dropped(void **state)
{
	struct rig_client lazy;

	client_open(&lazy, &rig);
	json_decref(client_ok(&lazy, "subscribe", NULL));
	/* events are owed to it without its asking; statistics would be skipped */
	for (int i = 0; i < 20000 && rig.daemon.control->conn_count == 2; i++) {
		control_event(rig.daemon.control, "link-up",
			"a sentence of some length, again and again");
		if (i % 100 == 0)
			rig_round(&rig);
	}
	rig_round(&rig);
	assert_int_equal(rig.daemon.control->conn_count, 1);
	client_close(&lazy);
	json_decref(client_ok(&client, "get", NULL));
}

static void statistics_are_skipped_for_a_slow_client(void **state)
{
	struct rig_client slow;

	client_open(&slow, &rig);
	json_decref(client_ok(
		&slow, "subscribe", json_pack("{s:b, s:i}", "events", 0, "stats_ms", 10)));
	rig_pass(&rig, 20000);
	assert_int_equal(rig.daemon.control->conn_count, 2);
	assert_true(LIST_FIRST(&rig.daemon.control->conns)->queue_bytes <
		    CONTROL_QUEUE_MAX / 2 + 16384);
	assert_null(client_reply(&slow, 0));
	assert_true(json_array_size(slow.notifications) > 10);
	json_decref(client_ok(&slow, "get", NULL));
	client_close(&slow);
}

static void requests_wait_while_replies_are_not_read(void **state)
{
	char line[64];
	json_t *reply;
	int sent = 0, got = 0;

	(void)snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"info\"}\n");
	for (int i = 0; i < 2000; i++) {
		if (send(client.fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line))
			sent++;
		rig_round(&rig);
	}
	assert_int_equal(rig.daemon.control->conn_count, 1);
	while ((reply = client_reply(&client, 20))) {
		json_decref(reply);
		got++;
	}
	assert_true(sent > 50);
	assert_int_equal(got, sent);
}

static void clients_beyond_the_limit_are_refused(void **state)
{
	struct rig_client crowd[CONTROL_CONNS_MAX];
	json_t *reply;

	for (unsigned i = 0; i < ARRAY_SIZE(crowd); i++) {
		client_open(&crowd[i], &rig);
		rig_round(&rig);
	}
	assert_int_equal(rig.daemon.control->conn_count, CONTROL_CONNS_MAX);
	reply = client_reply(&crowd[ARRAY_SIZE(crowd) - 1], 2);
	assert_non_null(strstr(string_of(json_object_get(reply, "error"), "message"), "clients"));
	json_decref(reply);
	for (unsigned i = 0; i < ARRAY_SIZE(crowd); i++)
		client_close(&crowd[i]);
	rig_round(&rig);
	assert_int_equal(rig.daemon.control->conn_count, 1);
	json_decref(client_ok(&client, "get", NULL));
}

/* --- the socket --- */

static void the_socket_is_for_its_owner_only(void **state)
{
	char dir[96];
	struct stat st;

	assert_int_equal(stat(rig.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	(void)snprintf(dir, sizeof(dir), "%s/s", rig.dir);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void a_live_daemons_socket_is_refused(void **state)
{
	struct error err = {0};
	struct control *second = NULL;

	assert_int_equal(control_start(&rig.daemon, &second, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, "live moderatod"));
	assert_null(second);
	json_decref(client_ok(&client, "get", NULL));
}

static void a_stale_socket_is_replaced(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct error err = {0};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	rig_stop_control(&rig);
	strcpy(address.sun_path, rig.path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	(void)close(fd);
	assert_int_equal(access(rig.path, F_OK), 0);
	assert_int_equal(control_start(&rig.daemon, &rig.daemon.control, &err), 0);
	client_close(&client);
	client_open(&client, &rig);
	json_decref(client_ok(&client, "get", NULL));
}

static void what_is_no_socket_is_left_alone(void **state)
{
	struct error err = {0};
	struct control *second = NULL;
	char path[96];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/file", rig.dir);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	(void)close(fd);
	rig.options.socket_path = path;
	assert_int_equal(control_start(&rig.daemon, &second, &err), -EEXIST);
	assert_int_equal(unlink(path), 0);
	rig.options.socket_path = "/nonexistent/dir/x.sock";
	assert_true(control_start(&rig.daemon, &second, &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/dir"));
	rig.options.socket_path =
		"/tmp/"
		"0123456789012345678901234567890123456789012345678901234567890123456"
		"7890123456789012345678901234567890123456789.sock";
	assert_true(control_start(&rig.daemon, &second, &err) < 0);
	assert_true(err.usage);
	assert_null(second);
}

static void anothers_socket_at_our_path_is_not_removed(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(unlink(rig.path), 0);
	strcpy(address.sun_path, rig.path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	rig_stop_control(&rig);
	assert_int_equal(access(rig.path, F_OK), 0);
	assert_int_equal(unlink(rig.path), 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		rig_test(a_line_may_come_byte_by_byte),
		rig_test(many_requests_in_one_write_are_answered_in_order),
		rig_test(one_round_serves_a_few_requests_only),
		rig_test(an_overlong_line_is_skipped_to_its_end),
		rig_test(the_longest_line_is_taken),
		rig_test(a_notification_is_done_and_not_answered),
		rig_test(errors_are_answered_and_the_connection_lives),
		rig_test(what_was_asked_before_the_end_is_answered),
		rig_test(noise_does_not_break_the_server),
		rig_test(a_client_that_does_not_read_is_dropped),
		rig_test(statistics_are_skipped_for_a_slow_client),
		rig_test(requests_wait_while_replies_are_not_read),
		rig_test(clients_beyond_the_limit_are_refused),
		rig_test(the_socket_is_for_its_owner_only),
		rig_test(a_live_daemons_socket_is_refused),
		rig_test(a_stale_socket_is_replaced),
		rig_test(what_is_no_socket_is_left_alone),
		rig_test(anothers_socket_at_our_path_is_not_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
