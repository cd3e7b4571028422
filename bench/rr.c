/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ends of the UDP ping-pong. */
#include "bench/rr.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netinet/in.h>

#include "bench/bench.h"
#include "common/clock.h"

#define READY_WAIT_MS 1000
#define TAIL_NS	      (50 * NS_PER_MS)
#define DATAGRAM_MAX  2048

/* At the front of every datagram; never compared across machines, so host byte order. */
struct rr_header {
	uint64_t sequence;
	uint64_t run; /* start time: answers to an earlier run do not count */
};
_Static_assert(sizeof(struct rr_header) == WORKLOAD_RR_BUFFER_MIN, "fits the smallest request");

/* Return: a UDP socket bound to @address (port 0) or connected to it, or -1 with a line printed. */
static int open_socket(const char *address, unsigned port, bool server)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_DGRAM}, *info;
	char service[8];
	int fd, ret;

	(void)snprintf(service, sizeof(service), "%u", port);
	ret = getaddrinfo(address, service, &hints, &info);
	if (ret) {
		dprintf(STDOUT_FILENO, "rr: address %s: %s\n", address, gai_strerror(ret));
		return -1;
	}
	fd = socket(info->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ret = fd < 0   ? -1
	      : server ? bind(fd, info->ai_addr, info->ai_addrlen)
		       : connect(fd, info->ai_addr, info->ai_addrlen);
	if (ret < 0) {
		dprintf(STDOUT_FILENO, "rr: cannot %s %s: %s\n", server ? "bind to" : "reach",
			address, strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		fd = -1;
	}
	freeaddrinfo(info);
	return fd;
}

static unsigned socket_port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in4;
		struct sockaddr_in6 in6;
	} name = {.any.sa_family = AF_UNSPEC};
	socklen_t len = sizeof(name);

	(void)getsockname(fd, &name.any, &len);
	return ntohs(name.any.sa_family == AF_INET6 ? name.in6.sin6_port : name.in4.sin_port);
}

int rr_server_child(void *ctx)
{
	const struct bench_job *job = ctx;
	int fd = open_socket(job->env->peer, 0, true);
	uint8_t data[DATAGRAM_MAX];

	if (fd < 0)
		return 1;
	atomic_store(&job->shared->port, socket_port(fd));
	(void)eventfd_write(job->ready_fd, 1);
	for (;;) {
		struct sockaddr_storage from;
		socklen_t from_len = sizeof(from);
		ssize_t got =
			recvfrom(fd, data, sizeof(data), 0, (struct sockaddr *)&from, &from_len);

		if (got > 0)
			(void)sendto(fd, data, (size_t)got, 0, (struct sockaddr *)&from, from_len);
	}
}

/* Return: true when the answer to @want came; false after RR_REPLY_TIMEOUT_MS or an error. */
static bool wait_reply(int fd, const struct rr_header *want, uint64_t sent_ns)
{
	uint8_t data[DATAGRAM_MAX];
	struct rr_header header;

	for (;;) {
		ssize_t got = recv(fd, data, sizeof(data), 0);

		if (got >= (ssize_t)sizeof(header)) {
			memcpy(&header, data, sizeof(header));
			if (header.sequence == want->sequence && header.run == want->run)
				return true;
		}
		/* A late answer to an earlier request is skipped, but not for ever. */
		if (clock_now_ns() - sent_ns >= RR_REPLY_TIMEOUT_MS * NS_PER_MS)
			return false;
	}
}

/* One round trip. Return: its time in ns, 0 when it was lost. */
static uint64_t round_trip(int fd, uint8_t *data, uint32_t bytes, const struct rr_header *header)
{
	uint64_t sent_ns;

	memcpy(data, header, sizeof(*header));
	sent_ns = clock_now_ns();
	/* A refused datagram (error of an earlier one) counts as lost, as any other. */
	(void)send(fd, data, bytes, 0);
	if (!wait_reply(fd, header, sent_ns))
		return 0;
	return clock_now_ns() - sent_ns;
}

static void stamp(const struct bench_job *job, _Atomic uint64_t *where, uint64_t now_ns)
{
	atomic_store(where, now_ns);
	(void)eventfd_write(job->notify_fd, 1);
}

static bool window_full(
	const struct workload *w, const struct hist *hist, uint64_t start_ns, uint64_t now_ns)
{
	return now_ns - start_ns >= w->seconds * NS_PER_S ||
	       (w->samples && hist->count >= w->samples);
}

/* Return: false when the traffic may end. Opens and closes the window on the way. */
static bool advance_window(const struct bench_job *job, uint64_t start_ns, uint64_t now_ns)
{
	struct shared_rr *rr = &job->shared->rr;
	uint64_t end_ns = atomic_load(&rr->end_ns);

	if (end_ns)
		return !atomic_load(&rr->stop) && now_ns - end_ns < TAIL_NS;
	if (!atomic_load(&rr->begin_ns)) {
		if (now_ns - start_ns >= BENCH_SETTLE_NS)
			stamp(job, &rr->begin_ns, now_ns);
	} else if (window_full(job->workload, &rr->hist, start_ns, now_ns)) {
		stamp(job, &rr->end_ns, now_ns);
	}
	return true;
}

static void count_round_trip(struct shared_rr *rr, uint64_t took_ns)
{
	if (!atomic_load(&rr->begin_ns) || atomic_load(&rr->end_ns))
		return;
	if (took_ns)
		hist_add(&rr->hist, took_ns);
	else
		rr->lost++;
}

int rr_client_child(void *ctx)
{
	const struct bench_job *job = ctx;
	struct timeval timeout = {.tv_usec = RR_REPLY_TIMEOUT_MS * 1000};
	struct pollfd ready = {.fd = job->ready_fd, .events = POLLIN};
	uint8_t data[DATAGRAM_MAX] = {0};
	struct rr_header header = {0};
	uint64_t now_ns;
	int fd;

	if (poll(&ready, 1, READY_WAIT_MS) != 1) {
		dprintf(STDOUT_FILENO, "rr: the server did not start\n");
		return 1;
	}
	fd = open_socket(job->env->peer, atomic_load(&job->shared->port), false);
	if (fd < 0)
		return 1;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	header.run = clock_now_ns();
	stamp(job, &job->shared->side[BENCH_CLIENT].start_ns, header.run);
	for (now_ns = header.run; advance_window(job, header.run, now_ns);
		now_ns = clock_now_ns()) {
		header.sequence++;
		count_round_trip(&job->shared->rr,
			round_trip(fd, data, job->workload->buffer_bytes, &header));
	}
	return 0;
}
