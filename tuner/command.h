/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of moderato as a table; commands.def has the rows. */
#ifndef MODERATO_TUNER_COMMAND_H
#define MODERATO_TUNER_COMMAND_H

#include <stddef.h>

#include "common/error.h"

/* Returned with a sentence in @err by a command whose main work is done but not all of it (measured,
 * not plotted): the sentence is printed and this is the exit code. */
#define COMMAND_PARTIAL 3

/*
 * A command: @argv[0] is its name, the rest its own words. It prints its result on stdout and
 * progress on stderr; a failure is one sentence in @err.
 * Return: 0 or positive for success, negative for failure (exit code 1, or 2 for a usage error).
 */
typedef int (*command_fn)(int argc, char **argv, struct error *err);

#define COMMAND(id, name, group, arguments, help) command_fn_decl cmd_##id;
typedef int command_fn_decl(int argc, char **argv, struct error *err);
#include "tuner/commands.def"

#define GROUP(id, title) COMMAND_GROUP_##id,
enum command_group {
#include "tuner/commands.def"
	COMMAND_GROUP_COUNT
};

struct command {
	const char *name;
	enum command_group group;
	const char *arguments; /* of the usage line, after the name */
	const char *help;      /* one line */
	command_fn run;
};

extern const struct command command_table[];
extern const size_t command_count;
extern const char *const command_group_title[COMMAND_GROUP_COUNT];

/** command_find() - row by exact name or NULL. */
const struct command *command_find(const char *name);
/** command_suggest() - name nearest to a misspelt one, or NULL. */
const char *command_suggest(const char *name);

#endif
