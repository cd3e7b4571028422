/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real trials: over loopback, over two namespaces, against closed ports and frozen peers, and with
 * a daemon whose counters grow by the clock. BENCH_TRIALS=200 makes the leak test as long as it
 * should be before a release.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
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

static void run(const struct bench_env *env, const char *text, struct bench_result *ret_result)
{
	struct error err = {0};
	struct workload w;

	if (workload_parse(text, &w, &err) < 0 || bench_run(env, &w, ret_result, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

/* A busy machine voids trials, rightly; try again before calling it a failure. */
static void run_valid(
	const struct bench_env *env, const char *text, struct bench_result *ret_result)
{
	unsigned attempt;

	for (attempt = 0; attempt < 5; attempt++) {
		run(env, text, ret_result);
		if (ret_result->status == BENCH_OK)
			return;
		if (!strstr(ret_result->reason, "hypervisor") &&
			!strstr(ret_result->reason, "too busy"))
			break;
		bench_result_fini(ret_result);
	}
	if (attempt == 5) {
		print_message("the machine is too busy for a trial\n");
		skip();
	}
	fail_msg("%s: void: %s", text, ret_result->reason);
}

static void expect_void(const struct bench_result *result, const char *words)
{
	unsigned i;

	assert_int_equal(result->status, BENCH_VOID);
	if (!strstr(result->reason, words))
		fail_msg("\"%s\" does not say \"%s\"", result->reason, words);
	for (i = 0; i < METRIC_COUNT; i++)
		assert_true(isnan(result->metric[i]));
	assert_null(result->hist);
}

/* --- what a process holds --- */

static unsigned count_dir(const char *path)
{
	DIR *dir = opendir(path);
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	(void)closedir(dir);
	return count;
}

static unsigned count_maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count++;
	(void)fclose(file);
	return count;
}

static unsigned closed_port(void)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(name);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &len), 0);
	(void)close(fd);
	return ntohs(name.sin_port);
}

static void trials_in_a_row_leave_nothing_behind(void **state)
{
	const char *wanted = getenv("BENCH_TRIALS");
	unsigned trials = wanted ? (unsigned)atoi(wanted) : 4, fds = 0, threads = 0, maps = 0, i;
	struct bench_env env, refused;
	struct bench_result result;

	bench_env_init(&env);
	bench_env_init(&refused);
	refused.peer_external = true;
	for (i = 0; i <= trials; i++) {
		/* The first is the warm-up: libraries load what they load lazily. */
		if (i == 1) {
			fds = count_dir("/proc/self/fd");
			threads = count_dir("/proc/self/task");
			maps = count_maps();
		}
		if (i % 10 == 3) {
			refused.peer_port = closed_port();
			run(&refused, "tcp:tx:128k", &result);
			expect_void(&result, "refused");
		} else {
			run_valid(&env, i % 2 ? "tcp:rx:128k" : "tcp:tx:128k", &result);
			assert_true(result.metric[METRIC_GOODPUT_MBPS] > 1);
			/* Everything but the traffic, the settling excluded from the budget. */
			print_message("trial %u: %.1f ms beside its second\n", i,
				(double)(result.end_ns - result.begin_ns) / 1e6 - 1000);
		}
		bench_result_fini(&result);
	}
	assert_int_equal(count_dir("/proc/self/fd"), fds);
	assert_int_equal(count_dir("/proc/self/task"), threads);
	/* The heap may grow by a mapping; a leak would grow with the trials. */
	assert_true(count_maps() <= maps + 2);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void udp_and_rr_have_their_own_figures(void **state)
{
	struct bench_env env;
	struct bench_result result;

	bench_env_init(&env);
	run_valid(&env, "udp:rx:1k@20M", &result);
	assert_true(fabs(result.metric[METRIC_GOODPUT_RX_MBPS] - 20) < 2);
	assert_true(result.metric[METRIC_LOSS_PCT] >= 0);
	assert_true(result.metric[METRIC_JITTER_US] >= 0);
	assert_true(isnan(result.metric[METRIC_RETRANSMITS]));
	bench_result_fini(&result);

	run_valid(&env, "rr:64/samples=500", &result);
	assert_non_null(result.hist);
	assert_int_equal(result.hist->count, 500);
	assert_true(result.metric[METRIC_RR_P50_US] > 0);
	assert_true(isnan(result.metric[METRIC_RR_P99_US]));
	assert_true(isnan(result.metric[METRIC_GOODPUT_MBPS]));
	bench_result_fini(&result);
}

static void a_server_of_somebody_else_gives_what_it_can(void **state)
{
	struct bench_result result;
	struct bench_env env;
	char port[16];
	int status;
	pid_t pid;

	bench_env_init(&env);
	env.peer_external = true;
	env.peer_port = closed_port();
	(void)snprintf(port, sizeof(port), "%u", env.peer_port);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)freopen("/dev/null", "w", stdout);
		(void)execlp("iperf3", "iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port, NULL);
		_exit(127);
	}
	run(&env, "tcp:tx:128k", &result);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		print_message("needs the program iperf3\n");
		bench_result_fini(&result);
		skip();
	}
	/* Its intervals are a second long: no window in them, so the sender's own stand in. */
	if (result.status == BENCH_OK) {
		assert_true(result.notes & BENCH_NOTE_BIT(BENCH_NOTE_SENDER_SIDE));
		assert_true(result.metric[METRIC_GOODPUT_TX_MBPS] > 1);
		assert_true(result.metric[METRIC_RETRANSMITS] >= 0);
	} else if (!strstr(result.reason, "hypervisor") && !strstr(result.reason, "too busy")) {
		fail_msg("%s", result.reason);
	}
	bench_result_fini(&result);
}

static void impossible_requests_are_usage_errors_and_run_nothing(void **state)
{
	struct workload w = {.kind = WORKLOAD_UDP,
		.buffer_bytes = 1024,
		.streams = 1,
		.seconds = 1,
		.pacing_us = 100};
	struct bench_result result;
	struct error err = {0};
	struct bench_env env;

	bench_env_init(&env);
	assert_int_equal(bench_run(&env, &w, &result, &err), -EINVAL);
	assert_true(err.usage);
	workload_default(&w);
	w.window_bytes = WORKLOAD_WINDOW_MAX;
	assert_int_equal(bench_run(&env, &w, &result, &err), -EINVAL);
	assert_non_null(strstr(err.text, "rmem_max"));
}

static void a_set_stop_flag_ends_a_trial_at_once(void **state)
{
	static volatile sig_atomic_t stop = 1;
	struct bench_result result;
	struct error err = {0};
	struct bench_env env;
	struct workload w;

	bench_env_init(&env);
	env.stop = &stop;
	workload_default(&w);
	w.seconds = 30;
	assert_int_equal(bench_run(&env, &w, &result, &err), -EINTR);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* --- a peer that dies or freezes --- */

static pid_t find_child_of(pid_t parent, const char *name)
{
	char path[64], line[256], comm[32];
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;
	int ppid;

	while (dir && !found && (entry = readdir(dir))) {
		FILE *file;

		(void)snprintf(path, sizeof(path), "/proc/%.20s/stat", entry->d_name);
		file = atoi(entry->d_name) > 0 ? fopen(path, "re") : NULL;
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file) &&
			sscanf(line, "%*d (%31[^)]) %*c %d", comm, &ppid) == 2 && ppid == parent &&
			strcmp(comm, name) == 0)
			found = atoi(entry->d_name);
		(void)fclose(file);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

/* A process that sends @number to our server child 0.3 s after it appeared. */
static pid_t start_assassin(int number)
{
	pid_t parent = getpid(), pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		pid_t victim = 0;
		unsigned i;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (i = 0; i < 2000 && !victim; i++) {
			victim = find_child_of(parent, "bench-server");
			(void)usleep(1000);
		}
		(void)usleep(300000);
		_exit(victim ? kill(victim, number) : 1);
	}
	return pid;
}

static void run_with_assassin(const char *text, int number, struct bench_result *ret_result)
{
	pid_t assassin = start_assassin(number);
	struct bench_env env;
	int status;

	bench_env_init(&env);
	run(&env, text, ret_result);
	assert_int_equal(waitpid(assassin, &status, 0), assassin);
	assert_int_equal(status, 0);
}

static void a_killed_server_is_control_lost(void **state)
{
	struct bench_result result;

	run_with_assassin("tcp:tx:128k/seconds=2", SIGKILL, &result);
	expect_void(&result, "client: control lost");
	bench_result_fini(&result);
}

static void a_frozen_server_meets_the_deadline(void **state)
{
	struct bench_result result;

	run_with_assassin("tcp:tx:128k/seconds=2", SIGSTOP, &result);
	expect_void(&result, "hung");
	assert_true(result.end_ns - result.begin_ns < 6 * NS_PER_S);
	bench_result_fini(&result);
}

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
	uint64_t now_ns = clock_now_ns();
	double s = (double)(now_ns - begin_ns) / 1e9;

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

static bool shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool shell(const char *fmt, ...)
{
	char command[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return system(command) == 0;
}

static bool join_with_veth(pid_t local, pid_t peer)
{
	return shell("nsenter -t %d -n ip link add v0 type veth peer name v1 netns %d", local,
		       peer) &&
	       shell("nsenter -t %d -n ip addr add 198.18.0.1/24 dev v0", local) &&
	       shell("nsenter -t %d -n ip addr add 198.18.0.2/24 dev v1", peer) &&
	       shell("nsenter -t %d -n ip link set v0 up", local) &&
	       shell("nsenter -t %d -n ip link set v1 up", peer);
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
	assert_true(result.metric[METRIC_IN_FLIGHT_BYTES] > 0);
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
		cmocka_unit_test(trials_in_a_row_leave_nothing_behind),
		cmocka_unit_test(udp_and_rr_have_their_own_figures),
		cmocka_unit_test(a_server_of_somebody_else_gives_what_it_can),
		cmocka_unit_test(impossible_requests_are_usage_errors_and_run_nothing),
		cmocka_unit_test(a_set_stop_flag_ends_a_trial_at_once),
		cmocka_unit_test(a_killed_server_is_control_lost),
		cmocka_unit_test(a_frozen_server_meets_the_deadline),
		cmocka_unit_test(counters_are_read_over_the_window_and_a_change_is_seen),
		cmocka_unit_test(trials_run_between_two_namespaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
