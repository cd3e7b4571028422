/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato: finds the command named on the command line, runs it, and prints its error if it fails.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/version.h"
#include "tuner/columns.h"
#include "tuner/command.h"

static void print_group(enum command_group group)
{
	struct columns *columns = columns_new("ll");

	printf("\n%s%s:%s\n", console_bold(stdout), command_group_title[group],
		console_plain(stdout));
	for (size_t i = 0; i < command_count; i++) {
		if (command_table[i].group != group)
			continue;
		columns_cell(columns, "  %-10s", command_table[i].name);
		columns_cell(columns, "%s", command_table[i].help);
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

static void print_usage(void)
{
	printf("usage: moderato COMMAND [options]\n\n"
	       "Measures and tunes the interrupt moderation of Intel gigabit NICs.\n");
	for (unsigned group = 0; group < COMMAND_GROUP_COUNT; group++)
		print_group((enum command_group)group);
	printf("\n\"moderato COMMAND --help\" explains a command, \"moderato --version\" tells the "
	       "version.\n"
	       "Try it without hardware: moderato up sim:82574L\n");
}

static int run_command(const char *name, int argc, char **argv, struct error *err)
{
	const struct command *command = command_find(name);
	const char *near = command_suggest(name);

	if (command)
		return command->run(argc, argv, err);
	if (near)
		return error_usage(
			err, "there is no command \"%.40s\"; did you mean \"%s\"?", name, near);
	return error_usage(
		err, "there is no command \"%.40s\"; \"moderato help\" lists them", name);
}

/* "help NAME" is "NAME --help". */
static int run_help(char *name, struct error *err)
{
	char help[] = "--help";
	char *argv[] = {name, help, NULL};

	return run_command(name, 2, argv, err);
}

static int run(int argc, char **argv, struct error *err)
{
	if (argc < 2)
		return error_usage(err, "no command given; \"moderato help\" lists them");
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("moderato %s\n", MODERATO_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return run_help(argv[2], err);
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage();
		return 0;
	}
	if (argv[1][0] == '-')
		return error_usage(err,
			"options stand after the command; \"moderato help\" lists the commands");
	return run_command(argv[1], argc - 1, argv + 1, err);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	int r = run(argc, argv, &err);

	if (r >= 0 && (fflush(stdout) || ferror(stdout)))
		r = error_sys(&err, -errno, "cannot write the result to standard output");
	if (r < 0)
		return error_report(&err, "moderato");
	if (r != COMMAND_PARTIAL)
		return 0;
	(void)error_report(&err, "moderato");
	return COMMAND_PARTIAL;
}
