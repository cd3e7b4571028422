/* SPDX-License-Identifier: BSD-2-Clause */
/* A forked traffic process: in its namespace, on its CPU, its output collected, never left behind.
 */
#ifndef MODERATO_BENCH_CHILD_H
#define MODERATO_BENCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

struct child_place {
	int userns_fd; /* -1: none */
	int netns_fd;  /* -1: stay */
	int cpu;       /* -1: not pinned */
};

struct child {
	const char *name; /* for sentences: "client", "server" */
	pid_t pid;	  /* 0: not started, or reaped */
	int out_fd;	  /* read end of its stdout and stderr, not blocking; -1 after its end */
	int wait_status;  /* as of waitpid(), valid when `reaped` */
	bool reaped;
	char *text; /* what it printed, NUL-terminated; owned */
	size_t text_len, text_size;
};

#define CHILD_EXIT_PLACE 125 /* the namespace or the CPU was refused; the text says why */
#define CHILD_TEXT_MAX	 (32u * 1024 * 1024)

/* Runs in the child; its return value is the exit code. May print; must not call exit(). */
typedef int (*child_fn)(void *ctx);

/**
 * child_start() - fork, place, run @fn
 * The child has default signal actions (SIGPIPE and SIGINT ignored: the parent decides about an
 * interruption), dies with its parent, and holds no descriptor but 0 to 2 and @keep.
 * @keep: descriptors that stay open in the child, ascending.
 * Return: 0 or negative errno of pipe or fork; @child is then as after child_fini().
 */
int child_start(struct child *child, const char *name, const struct child_place *place,
	const int *keep, unsigned keep_count, child_fn fn, void *ctx, struct error *err);

/** child_pump() - take what it printed and notice its end; never blocks. Return: true while it
 * lives. */
bool child_pump(struct child *child);
/** child_kill() - SIGKILL and reap; nothing when it has ended. */
void child_kill(struct child *child);
/** child_fini() - child_kill() and free; a zeroed struct is accepted. */
void child_fini(struct child *child);
/** child_failed_place() - when the child ended because it could not enter its place, put its
 * sentence in @err and return true. */
bool child_failed_place(const struct child *child, struct error *err);

#endif
