/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a command, declared as a table: parsed, checked and listed by --help from the same
 * rows. */
#ifndef MODERATO_TUNER_OPTIONS_H
#define MODERATO_TUNER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/chips/knob.h"
#include "common/error.h"

enum option_kind {
	OPTION_END, /* ends a table */
	OPTION_FLAG,
	OPTION_STRING,
	OPTION_LIST,	 /* may be given several times */
	OPTION_INT,	 /* whole number within min..max */
	OPTION_NUMBER,	 /* within min..max; "k", "M", "G" multiply */
	OPTION_DURATION, /* "500ms", "2s", "3min"; a bare number is in seconds; within min..max
			    seconds */
	OPTION_SETTINGS, /* "ITR=1500,RDTR=0"; several are merged */
};

#define OPTION_LIST_MAX 64

struct option_list {
	const char *item[OPTION_LIST_MAX];
	unsigned count;
};

/* One option; written with the OPT_... macros. The target keeps its value when the option is
 * absent, so its initial value is the default. */
struct option_row {
	enum option_kind kind;
	char letter;	      /* short form, 0 without */
	const char *name;     /* long form, without dashes */
	const char *argument; /* what the help calls its value, NULL for a flag */
	const char *help;     /* one line, with the default where that is not obvious */
	union {
		bool *flag;
		const char **string;
		struct option_list *list;
		int64_t *integer;
		double *number;
		uint64_t *ns;
		struct settings *settings;
	} to;
	double min, max;
};

#define OPT_FLAG(name, letter, var, help)                                                          \
	{                                                                                          \
		OPTION_FLAG, letter, name, NULL, help,                                             \
		{                                                                                  \
			.flag = (var)                                                              \
		}                                                                                  \
	}
#define OPT_STRING(name, letter, var, argument, help)                                              \
	{                                                                                          \
		OPTION_STRING, letter, name, argument, help,                                       \
		{                                                                                  \
			.string = (var)                                                            \
		}                                                                                  \
	}
#define OPT_LIST(name, letter, var, argument, help)                                                \
	{                                                                                          \
		OPTION_LIST, letter, name, argument, help,                                         \
		{                                                                                  \
			.list = (var)                                                              \
		}                                                                                  \
	}
#define OPT_INT(name, letter, var, argument, min, max, help)                                       \
	{                                                                                          \
		OPTION_INT, letter, name, argument, help, {.integer = (var)}, min, max             \
	}
#define OPT_NUMBER(name, letter, var, argument, min, max, help)                                    \
	{                                                                                          \
		OPTION_NUMBER, letter, name, argument, help, {.number = (var)}, min, max           \
	}
#define OPT_DURATION(name, letter, var, argument, min_s, max_s, help)                              \
	{                                                                                          \
		OPTION_DURATION, letter, name, argument, help, {.ns = (var)}, min_s, max_s         \
	}
#define OPT_SETTINGS(name, letter, var, argument, help)                                            \
	{                                                                                          \
		OPTION_SETTINGS, letter, name, argument, help,                                     \
		{                                                                                  \
			.settings = (var)                                                          \
		}                                                                                  \
	}
#define OPT_END                                                                                    \
	{                                                                                          \
		OPTION_END                                                                         \
	}

/* What a command takes, and after options_parse() what it was given. */
struct options {
	const struct option_row *rows; /* ends with OPT_END; NULL: none */
	unsigned operands_min, operands_max;
	bool options_first; /* the first operand ends the options (for a command line as operand) */
	const char *details; /* more help text below the option list, or NULL */
	char **operand;	     /* ends with NULL */
	unsigned operand_count;
};

/**
 * options_parse() - options of the command @argv[0] into the targets of @options
 * Options and operands may be mixed; "--" ends the options. "--help" prints usage and option list.
 * Return: 0; 1 when the help was printed and the command is done; -EINVAL as a usage error that
 * names the option (and the nearest one when it does not exist).
 */
int options_parse(struct options *options, int argc, char **argv, struct error *err);

/** options_parse_duration() - as OPTION_DURATION, without range. Return 0 or -EINVAL. */
int options_parse_duration(const char *text, uint64_t *ret_ns);

#endif
