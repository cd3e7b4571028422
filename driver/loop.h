/* SPDX-License-Identifier: BSD-2-Clause */
/* The daemon's event loop: file descriptors with callbacks, and modules with deadlines. */
#ifndef MODERATO_DRIVER_LOOP_H
#define MODERATO_DRIVER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

struct loop_fd;
typedef void (*loop_fd_fn)(struct loop_fd *source, uint32_t events, uint64_t now_ns);

/* Owned by the caller; must stay in place while added. */
struct loop_fd {
	int fd;
	loop_fd_fn ready;
	void *ctx;
	uint32_t events; /* EPOLLIN ... in force, 0 when not added */
};

/* Called after each round of events; returns its next deadline (TIME_NEVER for none, a time not
 * after @now_ns to be called again at once). */
typedef uint64_t (*loop_run_fn)(void *ctx, uint64_t now_ns);

struct loop;
int loop_new(struct loop **ret_loop, struct error *err);
void loop_free(struct loop *loop);
/** loop_watch() - add, change, or (events 0) remove. Return 0 or negative errno. A source removed
 * from a callback gets no further events of the same round. */
int loop_watch(struct loop *loop, struct loop_fd *source, uint32_t events);
/** loop_add_runner() - at most 8. */
int loop_add_runner(struct loop *loop, loop_run_fn run, void *ctx);
/** loop_run() - until loop_quit(). */
int loop_run(struct loop *loop, struct error *err);
void loop_quit(struct loop *loop);

#endif
