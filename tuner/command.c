/* SPDX-License-Identifier: BSD-2-Clause */
/* The command table and look-ups in it. */
#include "tuner/command.h"

#include <string.h>

#include "common/nearest.h"
#include "common/util.h"

#define COMMAND(id, name, group, arguments, help)                                                  \
	{name, COMMAND_GROUP_##group, arguments, help, cmd_##id},
const struct command command_table[] = {
#include "tuner/commands.def"
};
const size_t command_count = ARRAY_SIZE(command_table);

#define GROUP(id, title) [COMMAND_GROUP_##id] = title,
const char *const command_group_title[COMMAND_GROUP_COUNT] = {
#include "tuner/commands.def"
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (!strcmp(command_table[i].name, name))
			return &command_table[i];
	return NULL;
}

const char *command_suggest(const char *name)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < command_count; i++)
		nearest_offer(&nearest, command_table[i].name);
	return nearest.best;
}
