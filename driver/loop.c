/* SPDX-License-Identifier: BSD-2-Clause */
/* Event loop on epoll; deadlines have nanosecond resolution (epoll_pwait2). */
#include "driver/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/util.h"

#define LOOP_EVENTS  16
#define LOOP_RUNNERS 8

struct loop {
	int epoll;
	bool quit;
	unsigned runner_count;
	struct {
		loop_run_fn run;
		void *ctx;
	} runner[LOOP_RUNNERS];
	struct epoll_event events[LOOP_EVENTS];
	int event_count, event_next;
};

int loop_new(struct loop **ret_loop, struct error *err)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return error_set(err, -ENOMEM, "event loop: out of memory");
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0) {
		int r = -errno;

		free(loop);
		return error_sys(err, r, "event loop: epoll_create1");
	}
	*ret_loop = loop;
	return 0;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	(void)close(loop->epoll);
	free(loop);
}

/* Events of this round that a removed source still has coming. */
static void loop_forget(struct loop *loop, const struct loop_fd *source)
{
	for (int i = loop->event_next; i < loop->event_count; i++)
		if (loop->events[i].data.ptr == source)
			loop->events[i].data.ptr = NULL;
}

int loop_watch(struct loop *loop, struct loop_fd *source, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = source};
	int op;

	if (events == source->events)
		return 0;
	op = !events ? EPOLL_CTL_DEL : source->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	if (epoll_ctl(loop->epoll, op, source->fd, &ev) < 0 && op != EPOLL_CTL_DEL)
		return -errno;
	source->events = events;
	if (!events)
		loop_forget(loop, source);
	return 0;
}

int loop_add_runner(struct loop *loop, loop_run_fn run, void *ctx)
{
	if (loop->runner_count == LOOP_RUNNERS)
		return -ENOSPC;
	loop->runner[loop->runner_count].run = run;
	loop->runner[loop->runner_count++].ctx = ctx;
	return 0;
}

static uint64_t loop_run_runners(struct loop *loop)
{
	uint64_t deadline = TIME_NEVER, now = clock_now_ns();

	for (unsigned i = 0; i < loop->runner_count; i++) {
		uint64_t next = loop->runner[i].run(loop->runner[i].ctx, now);

		deadline = MIN(deadline, next);
	}
	return deadline;
}

/* For kernels before 5.11, and emulators of them, which lack epoll_pwait2: as exact, one call more. */
static int loop_wait_older(struct loop *loop, const struct timespec *timeout)
{
	struct pollfd ready = {.fd = loop->epoll, .events = POLLIN};
	int n = ppoll(&ready, 1, timeout, NULL);

	return n <= 0 ? n : epoll_wait(loop->epoll, loop->events, LOOP_EVENTS, 0);
}

static int loop_wait(struct loop *loop, uint64_t deadline)
{
	uint64_t now = clock_now_ns(), wait = deadline > now ? deadline - now : 0;
	struct timespec ts = {.tv_sec = (time_t)(wait / NS_PER_S), .tv_nsec = (long)(wait % NS_PER_S)};
	const struct timespec *timeout = deadline == TIME_NEVER ? NULL : &ts;
	int n = epoll_pwait2(loop->epoll, loop->events, LOOP_EVENTS, timeout, NULL);

	return n < 0 && errno == ENOSYS ? loop_wait_older(loop, timeout) : n;
}

int loop_run(struct loop *loop, struct error *err)
{
	while (!loop->quit) {
		int n = loop_wait(loop, loop_run_runners(loop));
		uint64_t now;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, -errno, "event loop: waiting");
		now = clock_now_ns();
		loop->event_count = n;
		for (int i = 0; i < n && !loop->quit; i++) {
			struct loop_fd *source = loop->events[i].data.ptr;

			loop->event_next = i + 1;
			if (source)
				source->ready(source, loop->events[i].events, now);
		}
		loop->event_count = 0;
	}
	return 0;
}

void loop_quit(struct loop *loop)
{
	loop->quit = true;
}
