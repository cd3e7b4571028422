/* SPDX-License-Identifier: BSD-2-Clause */
/* Real trials beside a daemon whose counters grow by the clock, and over two namespaces. */
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/bench.h"
#include "common/clock.h"
#include "common/util.h"
#include "tests/unit/bench_trial.h"

/* --- a daemon made of a clock --- */

#define FAKE_IRQ_PER_S 8000.
#define FAKE_CPU_SHARE 0.3

static json_t *fake_info(void)
{
	return json_pack("{s:b, s:{s:s, s:s, s:s, s:s, s:i}, s:{s:s, s:i}, s:{s:b, s:i}, s:[]}",
		"simulated", 1, "path", "kind", "tap", "local", "127.0.0.1", "peer", "127.0.0.1",
		"peer_runs", "local", "mtu", 1500, "scheduling", "driver", "other", "cpu", 0,
		"link", "up", 1, "speed_mbps", 1000, "fds");
}

static json_t *fake_stats(uint64_t begin_ns)
{
	static unsigned calls;
	uint64_t now_ns;
	double s;

	/* Every other request waits 5 ms: only the time in the reply tells when it was read. */
	(void)usleep(calls++ % 2 ? 5000 : 0);
	now_ns = clock_now_ns();
	s = (double)(now_ns - begin_ns) / 1e9;

	return json_pack("{s:I, s:{s:f, s:f}}", "time_ns", (json_int_t)now_ns, "counters",
		"irq_messages", FAKE_IRQ_PER_S * s, "thread_cpu_ns", FAKE_CPU_SHARE * 1e9 * s);
}

/* After "set", ITR drifts: every reading differs from the last. */
static json_t *fake_result(const char *method, uint64_t begin_ns, int *itr)
{
	if (strcmp(method, "info") == 0)
		return fake_info();
	if (strcmp(method, "stats") == 0)
		return fake_stats(begin_ns);
	if (strcmp(method, "set") == 0)
		*itr = 500;
	if (strcmp(method, "get") == 0)
		return json_pack("{s:i, s:{s:{s:i}}}", "speed_mbps", 1000, "knobs", "ITR",
			"readback", *itr ? (*itr)++ : 0);
	return json_object();
}

static void fake_serve(FILE *in, int out)
{
	uint64_t begin_ns = clock_now_ns();
	char line[4096];
	int itr = 0;

	while (fgets(line, sizeof(line), in)) {
		json_t *request = json_loads(line, 0, NULL), *reply;
		const char *method = json_string_value(json_object_get(request, "method"));
		char *text;

		reply = json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id",
			json_object_get(request, "id"), "result",
			fake_result(method, begin_ns, &itr));
		text = json_dumps(reply, JSON_COMPACT);
		dprintf(out, "%s\n", text);
		free(text);
		json_decref(reply);
		json_decref(request);
	}
}

static pid_t start_fake_daemon(char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char dir[] = "/tmp/bench-test-XXXXXX";
	pid_t pid;

	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(name.sun_path), "%s/socket", dir);
	strcpy(name.sun_path, path);
	assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(listener, 1), 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int fd;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = accept(listener, NULL, NULL);
		fake_serve(fdopen(fd, "r"), fd);
		_exit(0);
	}
	(void)close(listener);
	return pid;
}

static void stop_fake_daemon(pid_t pid, char *path)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)unlink(path);
	*strrchr(path, '/') = '\0';
	(void)rmdir(path);
}

static void counters_are_read_over_the_window_and_a_change_is_seen(void **state)
{
	struct control_client *client;
	struct bench_result result;
	struct error err = {0};
	struct bench_env env;
	char path[128];
	pid_t daemon = start_fake_daemon(path);

	assert_int_equal(control_connect(path, &client, &err), 0);
	assert_int_equal(bench_env_from_daemon(client, &env, &err), 0);
	assert_string_equal(env.path_kind, "tap");
	assert_true(env.simulated && !env.peer_external && !env.driver_fifo);
	assert_true(env.client_cpu != 0);

	run_valid(&env, "tcp:tx:128k", &result);
	/* The rates are exact whatever the delays, since each reply carries its time. */
	assert_true(fabs(result.metric[METRIC_IRQ_PER_S] - FAKE_IRQ_PER_S) < 1);
	assert_true(fabs(result.metric[METRIC_DRIVER_CPU_PCT] - 100 * FAKE_CPU_SHARE) < 0.1);
	assert_true(result.metric[METRIC_CPU_PER_GBIT] > 0);
	assert_true(result.notes & BENCH_NOTE_BIT(BENCH_NOTE_SCHEDULING_OTHER));
	assert_true(result.window_end_ns - result.window_begin_ns > 780 * NS_PER_MS);
	bench_result_fini(&result);

	assert_int_equal(control_call(client, "set", NULL, NULL, 0, &err), 0);
	run(&env, "rr:64", &result);
	expect_void(&result, "ITR read back 500 before and 501 after");
	bench_result_fini(&result);
	bench_env_fini(&env);
	control_disconnect(client);
	stop_fake_daemon(daemon, path);
}

/* --- two namespaces --- */

/* A process that holds a fresh network namespace. */
static pid_t start_namespace(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		byte = unshare(CLONE_NEWNET) == 0;
		(void)write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return byte ? pid : 0;
}

static void stop_namespace(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* "ip @words" inside the namespace of @pid. */
static bool ip(pid_t pid, const char *words)
{
	char number[16], copy[128], *argv[24] = {"nsenter", "-t", number, "-n", "ip"}, *save = NULL;
	unsigned count = 5;
	pid_t child;
	int status;
	char *word;

	(void)snprintf(number, sizeof(number), "%d", pid);
	(void)snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &save); word && count + 1 < ARRAY_SIZE(argv);
		word = strtok_r(NULL, " ", &save))
		argv[count++] = word;
	argv[count] = NULL;
	if (posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) != 0)
		return false;
	return waitpid(child, &status, 0) == child && status == 0;
}

static bool join_with_veth(pid_t local, pid_t peer)
{
	char words[96];

	(void)snprintf(words, sizeof(words), "link add v0 type veth peer name v1 netns %d", peer);
	return ip(local, words) && ip(local, "addr add 198.18.0.1/24 dev v0") &&
	       ip(peer, "addr add 198.18.0.2/24 dev v1") && ip(local, "link set v0 up") &&
	       ip(peer, "link set v1 up");
}

static int open_namespace(pid_t pid)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void run_over_veth(struct bench_env *env, int elsewhere_fd)
{
	struct bench_result result;

	run_valid(env, "tcp:bidir:16k", &result);
	assert_true(result.metric[METRIC_GOODPUT_TX_MBPS] > 1);
	assert_true(result.metric[METRIC_GOODPUT_RX_MBPS] > 1);
	/* On a path without delay a sample may find nothing in flight. */
	assert_true(result.metric[METRIC_IN_FLIGHT_BYTES] >= 0);
	assert_true(result.metric[METRIC_LOCAL_CPU_PCT] > 0);
	bench_result_fini(&result);

	run_valid(env, "udp:tx:1400@10M", &result);
	assert_true(fabs(result.metric[METRIC_GOODPUT_TX_MBPS] - 10) < 1);
	bench_result_fini(&result);

	/* The client really is where it was put: elsewhere there is no route. */
	env->local_netns_fd = elsewhere_fd;
	run(env, "rr:64", &result);
	expect_void(&result, "cannot reach 198.18.0.2");
	bench_result_fini(&result);
}

static void trials_run_between_two_namespaces(void **state)
{
	struct bench_env env;
	pid_t local, peer, empty;
	int local_fd;

	if (geteuid() != 0) {
		print_message("needs root: makes network namespaces and a veth pair\n");
		skip();
	}
	local = start_namespace();
	peer = start_namespace();
	empty = start_namespace();
	if (!local || !peer || !empty || !join_with_veth(local, peer)) {
		print_message("no veth pair between namespaces on this machine\n");
		skip();
	}
	bench_env_init(&env);
	env.local_netns_fd = local_fd = open_namespace(local);
	env.peer_netns_fd = open_namespace(peer);
	strcpy(env.local, "198.18.0.1");
	strcpy(env.peer, "198.18.0.2");
	run_over_veth(&env, open_namespace(empty));
	(void)close(local_fd);
	bench_env_fini(&env);
	stop_namespace(local);
	stop_namespace(peer);
	stop_namespace(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_read_over_the_window_and_a_change_is_seen),
		cmocka_unit_test(trials_run_between_two_namespaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
