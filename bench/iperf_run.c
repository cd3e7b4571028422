/* SPDX-License-Identifier: BSD-2-Clause */
/* Client and server of one libiperf test, and the hooks that tell when it starts. */
#include "bench/iperf_run.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Without it the header of 3.16 and later warns, and defines types that stdatomic.h has too. */
#define HAVE_STDATOMIC_H 1
/* 3.15 to 3.18 declare callbacks as "void (*)()"; outside /usr/include that is our warning. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <iperf_api.h>
#pragma GCC diagnostic pop

#include "bench/bench.h"
#include "bench/iperf_json.h"
#include "common/clock.h"

#define CONNECT_TIMEOUT_MS 2500 /* a lost SYN is sent again after 1 s */
#define READY_WAIT_MS	   100
#define REFUSED_RETRY_NS   (200 * NS_PER_MS)
#define REFUSED_RETRY_US   5000
#define BUSY_RETRIES	   3
#define BUSY_RETRY_US	   100000
#define DISCARD_FILE	   "/dev/null" /* the library prints the JSON by itself too */

/* The test that this process runs; NULL in the parent, where no hook is called. */
static const struct bench_job *running_job;

/*
 * Hooks. Our executable exports these names (-rdynamic), so the library's own references to them
 * resolve here. They stamp and pass on; if a library were linked so that they are not called, the
 * trial ends void for want of a start, it does not guess.
 */
typedef void (*test_hook)(struct iperf_test *);

static test_hook original(const char *name)
{
	test_hook hook;

	/* POSIX's way to turn an object pointer into a function pointer. */
	*(void **)&hook = dlsym(RTLD_NEXT, name);
	return hook;
}

void iperf_on_test_start(struct iperf_test *test)
{
	if (running_job) {
		atomic_store(
			&running_job->shared->side[running_job->side].start_ns, clock_now_ns());
		(void)eventfd_write(running_job->notify_fd, 1);
	}
	original(__func__)(test);
}

/* Called at the end of each interval. */
void iperf_stats_callback(struct iperf_test *test)
{
	if (running_job) {
		struct shared_side *side = &running_job->shared->side[running_job->side];
		uint64_t begin_ns = atomic_load(&side->start_ns) + BENCH_SETTLE_NS;

		/* The callback that ends the settling may come a little early or late. */
		if (clock_now_ns() + 20 * NS_PER_MS >= begin_ns)
			tcp_meter_sample(&side->tcp, iperf_get_control_socket(test));
	}
	original(__func__)(test);
}

int iperf_server_listen(struct iperf_test *test)
{
	int (*listen_original)(struct iperf_test *);
	int ret;

	*(void **)&listen_original = dlsym(RTLD_NEXT, __func__);
	ret = listen_original(test);
	if (ret == 0 && running_job)
		(void)eventfd_write(running_job->ready_fd, 1);
	return ret;
}

const char *iperf_version(void)
{
	const char *text = iperf_get_iperf_version(), *number = strpbrk(text, "0123456789");

	return number ? number : text;
}

static void print_all(const char *text, size_t len)
{
	while (len) {
		ssize_t put = write(STDOUT_FILENO, text, len);

		if (put < 0 && errno != EINTR)
			return;
		if (put > 0) {
			text += put;
			len -= (size_t)put;
		}
	}
}

/* The run's JSON, or one line when it never got that far. */
static void print_result(struct iperf_test *test, int ret)
{
	const char *json = iperf_get_test_json_output_string(test);
	char line[256];

	if (json) {
		print_all(json, strlen(json));
	} else {
		/* The error number means something only after a failure. */
		int len = snprintf(line, sizeof(line), "iperf: %s\n",
			ret < 0 ? iperf_strerror(i_errno) : "no result");

		print_all(line, (size_t)len);
	}
}

static struct iperf_test *new_test(char role)
{
	struct iperf_test *test = iperf_new_test();

	i_errno = 0; /* the library never clears it */
	if (!test || iperf_defaults(test) < 0) {
		dprintf(STDOUT_FILENO, "iperf: out of memory\n");
		return NULL;
	}
	iperf_set_test_role(test, role);
	iperf_set_test_json_output(test, 1);
	iperf_set_test_logfile(test, DISCARD_FILE);
	iperf_set_test_stats_interval(test, BENCH_INTERVAL_S);
	iperf_set_test_reporter_interval(test, BENCH_INTERVAL_S);
	return test;
}

/* A port that is free at this address now: in the host's namespace 5201 may be somebody's. */
static unsigned free_port(const char *address)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *info;
	union {
		struct sockaddr any;
		struct sockaddr_in in4;
		struct sockaddr_in6 in6;
	} name = {.any.sa_family = AF_UNSPEC};
	socklen_t len = sizeof(name);
	int fd = -1;

	if (getaddrinfo(address, "0", &hints, &info) == 0) {
		fd = socket(info->ai_family, SOCK_STREAM, 0);
		if (fd >= 0 && bind(fd, info->ai_addr, info->ai_addrlen) == 0)
			(void)getsockname(fd, &name.any, &len);
		freeaddrinfo(info);
	}
	if (fd >= 0)
		(void)close(fd);
	return ntohs(name.any.sa_family == AF_INET6 ? name.in6.sin6_port : name.in4.sin_port);
}

int iperf_server_child(void *ctx)
{
	const struct bench_job *job = ctx;
	struct iperf_test *test = new_test('s');
	unsigned port = free_port(job->env->peer);
	int ret;

	if (!test)
		return 1;
	if (!port) {
		dprintf(STDOUT_FILENO, "iperf: cannot bind to %s\n", job->env->peer);
		return 1;
	}
	iperf_set_test_bind_address(test, job->env->peer);
	iperf_set_test_server_port(test, (int)port);
	atomic_store(&job->shared->port, port);
	running_job = job;
	ret = iperf_run_server(test);
	print_result(test, ret);
	return ret < 0;
}

static void set_client_options(struct iperf_test *test, const struct bench_job *job)
{
	const struct workload *w = job->workload;

	iperf_set_test_server_hostname(test, job->env->peer);
	iperf_set_test_server_port(test, (int)atomic_load(&job->shared->port));
	if (job->env->local[0])
		iperf_set_test_bind_address(test, job->env->local);
	iperf_set_test_connect_timeout(test, CONNECT_TIMEOUT_MS);
	iperf_set_test_duration(test, (int)w->seconds);
	iperf_set_test_reverse(test, w->dir == WORKLOAD_RX);
	iperf_set_test_bidirectional(test, w->dir == WORKLOAD_BIDIR);
	iperf_set_test_num_streams(test, (int)w->streams);
	if (w->window_bytes)
		iperf_set_test_socket_bufsize(test, (int)w->window_bytes);
	/* A peer of somebody else has intervals of its own length; ask for them all the same. */
	if (job->env->peer_external)
		iperf_set_test_get_server_output(test, 1);
	(void)set_protocol(test, w->kind == WORKLOAD_UDP ? Pudp : Ptcp);
	/* After set_protocol(): it leaves TCP's block size and no rate limit for UDP. */
	iperf_set_test_blksize(test, (int)w->buffer_bytes);
	iperf_set_test_rate(test, w->rate_bps / w->streams);
	iperf_set_test_pacing_timer(test, (int)w->pacing_us);
	if (w->kind == WORKLOAD_TCP)
		iperf_set_test_congestion_control(test, (char *)(uintptr_t)job->env->congestion);
}

static enum iperf_shape result_shape(struct iperf_test *test, int ret)
{
	const char *json = iperf_get_test_json_output_string(test);
	enum iperf_shape shape;
	struct iperf_doc doc;

	if (!json)
		return ret < 0 && strstr(iperf_strerror(i_errno), "refused") ? IPERF_REFUSED
									     : IPERF_EMPTY;
	iperf_doc_parse(json, strlen(json), &doc);
	shape = doc.shape;
	iperf_doc_fini(&doc);
	return shape;
}

/* Return: true when another attempt is worth while; waits before it. */
static bool retry_wanted(enum iperf_shape shape, uint64_t since_ns, unsigned *busy)
{
	if (shape == IPERF_REFUSED && clock_now_ns() - since_ns < REFUSED_RETRY_NS) {
		(void)usleep(REFUSED_RETRY_US);
		return true;
	}
	if (shape == IPERF_BUSY && *busy < BUSY_RETRIES) {
		(void)usleep(BUSY_RETRY_US << (*busy)++);
		return true;
	}
	return false;
}

int iperf_client_child(void *ctx)
{
	const struct bench_job *job = ctx;
	struct pollfd ready = {.fd = job->ready_fd, .events = POLLIN};
	uint64_t since_ns;
	unsigned busy = 0;

	if (!job->env->peer_external)
		(void)poll(&ready, 1, READY_WAIT_MS);
	since_ns = clock_now_ns();
	running_job = job;
	for (;;) {
		struct iperf_test *test = new_test('c');
		int ret;

		if (!test)
			return 1;
		set_client_options(test, job);
		ret = iperf_run_client(test);
		if (!retry_wanted(result_shape(test, ret), since_ns, &busy)) {
			print_result(test, ret);
			return ret < 0;
		}
		iperf_free_test(test);
	}
}
