/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding moderatod and starting it, in the foreground or as a daemon that has said it is ready. */
#ifndef MODERATO_TUNER_SPAWN_H
#define MODERATO_TUNER_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

#define SPAWN_ARGUMENTS_MAX 40

/* A command line of moderatod; words are borrowed. */
struct spawn_arguments {
	const char *word[SPAWN_ARGUMENTS_MAX];
	unsigned count;
};

/** spawn_add() - append "--name value", or "--name" alone when @value is NULL; nothing with a NULL
 * @option but the value. */
void spawn_add(struct spawn_arguments *arguments, const char *option, const char *value);

/** spawn_find() - path of moderatod: beside this program, where `make install` puts it, in PATH.
 * Return: 0, or -ENOENT with a sentence that says where it was looked for. */
int spawn_find(char *buf, size_t size, struct error *err);

/** spawn_replace() - become moderatod; returns only on failure. */
int spawn_replace(const char *program, struct spawn_arguments *arguments, struct error *err);

/**
 * spawn_daemon() - start moderatod in a session of its own and wait until it is ready
 * @log_path: its stdout and stderr; an older file is kept with ".old" appended.
 * @timeout_ms: when it is not ready by then it is killed.
 * Return: 0 with its process id, or negative with the daemon's own sentence.
 */
int spawn_daemon(const char *program, struct spawn_arguments *arguments, const char *log_path,
	unsigned timeout_ms, pid_t *ret_pid, struct error *err);

#endif
