/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real trials over loopback: what they leave behind, closed ports, foreign servers, dead and frozen
 * peers. BENCH_TRIALS=200 makes the leak test as long as it should be before a release.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/bench.h"
#include "common/clock.h"
#include "tests/unit/bench_trial.h"

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
			run(&env, i % 2 ? "tcp:rx:128k" : "tcp:tx:128k", &result);
			if (result.status == BENCH_VOID && !was_busy(&result))
				fail_msg("%s", result.reason);
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
	} else if (!was_busy(&result)) {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
