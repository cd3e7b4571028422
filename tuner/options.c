/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing of a command's options by getopt_long() from the command's own table. */
#include "tuner/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/nearest.h"
#include "common/util.h"
#include "tuner/columns.h"
#include "tuner/command.h"

#define ROWS_MAX 48
#define VAL_BASE 256 /* above every letter: value of getopt_long() for row 0 */

static const struct option_row help_row = {OPTION_FLAG, 'h', "help", NULL, "show this help"};

static size_t row_count(const struct option_row *rows)
{
	size_t count = 0;

	while (rows && rows[count].kind != OPTION_END)
		count++;
	return count;
}

static int scale_of_suffix(const char *suffix, double *ret_scale)
{
	static const struct {
		const char *suffix;
		double scale;
	} rows[] = {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].suffix, suffix)) {
			*ret_scale = rows[i].scale;
			return 0;
		}
	return -EINVAL;
}

static int fail_value(
	const struct option_row *row, const char *text, const char *what, struct error *err)
{
	if (row->max >= 1e15)
		return error_usage(err, "--%s: \"%.40s\" is not %s of at least %.15g", row->name,
			text, what, row->min);
	return error_usage(err, "--%s: \"%.40s\" is not %s of %.15g to %.15g", row->name, text,
		what, row->min, row->max);
}

static int take_integer(const struct option_row *row, const char *text, struct error *err)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || *end || isspace((unsigned char)*text) ||
		(double)value < row->min || (double)value > row->max)
		return fail_value(row, text, "a whole number", err);
	*row->to.integer = value;
	return 0;
}

static int take_number(const struct option_row *row, const char *text, struct error *err)
{
	double value, scale;
	char *end;

	value = strtod(text, &end);
	if (end == text || !isdigit((unsigned char)*text) || scale_of_suffix(end, &scale) ||
		!(value * scale >= row->min && value * scale <= row->max))
		return fail_value(row, text, "a number", err);
	*row->to.number = value * scale;
	return 0;
}

int options_parse_duration(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		double ns;
	} rows[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 60e9},
		{"m", 60e9}, {"h", 3600e9}};
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || !isdigit((unsigned char)*text) || !isfinite(value) || value > 1e9)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].unit, end)) {
			*ret_ns = (uint64_t)(value * rows[i].ns + 0.5);
			return 0;
		}
	return -EINVAL;
}

static int take_duration(const struct option_row *row, const char *text, struct error *err)
{
	uint64_t ns;

	if (options_parse_duration(text, &ns) || (double)ns < row->min * 1e9 ||
		(double)ns > row->max * 1e9)
		return fail_value(
			row, text, "a duration (such as 500ms, 2s or 1min) in seconds", err);
	*row->to.ns = ns;
	return 0;
}

static int take_list_item(const struct option_row *row, const char *text, struct error *err)
{
	struct option_list *list = row->to.list;

	if (list->count == OPTION_LIST_MAX)
		return error_usage(
			err, "--%s may be given at most %d times", row->name, OPTION_LIST_MAX);
	list->item[list->count++] = text;
	return 0;
}

static int take_settings(const struct option_row *row, const char *text, struct error *err)
{
	if (settings_parse_list(row->to.settings, text, err))
		return error_context(err, "--%s", row->name);
	return 0;
}

static int take_value(const struct option_row *row, const char *text, struct error *err)
{
	switch (row->kind) {
	case OPTION_END:
		break;
	case OPTION_FLAG:
		*row->to.flag = true;
		break;
	case OPTION_STRING:
		*row->to.string = text;
		break;
	case OPTION_LIST:
		return take_list_item(row, text, err);
	case OPTION_INT:
		return take_integer(row, text, err);
	case OPTION_NUMBER:
		return take_number(row, text, err);
	case OPTION_DURATION:
		return take_duration(row, text, err);
	case OPTION_SETTINGS:
		return take_settings(row, text, err);
	}
	return 0;
}

static void help_add(struct columns *columns, const struct option_row *row)
{
	columns_cell(columns, "  %c%c%s --%s%s%s", row->letter ? '-' : ' ',
		row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
		row->argument ? " " : "", row->argument ? row->argument : "");
	columns_cell(columns, "%s", row->help);
	columns_end_row(columns);
}

static void print_help(const struct options *options, const char *name)
{
	const struct command *command = command_find(name);
	struct columns *columns = columns_new("ll");

	if (command) {
		printf("usage: moderato %s %s\n\n", command->name, command->arguments);
		printf("%c%s.\n\n", toupper((unsigned char)command->help[0]), command->help + 1);
	}
	for (size_t i = 0; i < row_count(options->rows); i++)
		help_add(columns, &options->rows[i]);
	help_add(columns, &help_row);
	columns_print_free(columns, stdout);
	if (options->details)
		printf("\n%s", options->details);
}

/* getopt_long()'s two tables from ours. */
static void build_tables(const struct options *options, struct option *longs, char *letters)
{
	size_t count = MIN(row_count(options->rows), (size_t)ROWS_MAX);

	*letters++ = options->options_first ? '+' : '-';
	*letters++ = ':';
	for (size_t i = 0; i <= count; i++) {
		const struct option_row *row = i < count ? &options->rows[i] : &help_row;
		int has_arg = row->argument ? required_argument : no_argument;

		longs[i] = (struct option){row->name, has_arg, NULL, VAL_BASE + (int)i};
		if (!row->letter)
			continue;
		*letters++ = row->letter;
		if (row->argument)
			*letters++ = ':';
	}
	longs[count + 1] = (struct option){0};
	*letters = '\0';
}

static const struct option_row *row_of(const struct options *options, int val)
{
	size_t count = row_count(options->rows);

	if (val >= VAL_BASE)
		return (size_t)(val - VAL_BASE) < count ? &options->rows[val - VAL_BASE]
							: &help_row;
	for (size_t i = 0; i < count; i++)
		if (val && options->rows[i].letter == val)
			return &options->rows[i];
	return val == help_row.letter ? &help_row : NULL;
}

static int fail_unknown(
	const struct options *options, const char *name, const char *word, struct error *err)
{
	char wanted[64];
	struct nearest nearest = {.wanted = wanted};
	size_t len = MIN(strcspn(word + 2, "="), sizeof(wanted) - 1);

	(void)snprintf(wanted, sizeof(wanted), "%.*s", (int)len, word + 2);
	for (size_t i = 0; i < row_count(options->rows); i++) {
		if (wanted[0] && !strncmp(options->rows[i].name, wanted, strlen(wanted)))
			return error_usage(err,
				"%s: --%s is ambiguous; write more of the option's name", name,
				wanted);
		nearest_offer(&nearest, options->rows[i].name);
	}
	if (nearest.best)
		return error_usage(err, "%s has no option --%s; did you mean --%s?", name, wanted,
			nearest.best);
	return error_usage(err, "%s has no option --%s; \"moderato %s --help\" lists them", name,
		wanted, name);
}

static int fail_option(
	const struct options *options, const char *name, const char *word, struct error *err)
{
	const struct option_row *row = row_of(options, optopt);

	if (row)
		return error_usage(err, "option --%s takes no value", row->name);
	if (optopt)
		return error_usage(err, "%s has no option -%c; \"moderato %s --help\" lists them",
			name, optopt, name);
	return fail_unknown(options, name, word, err);
}

static int check_operands(const struct options *options, const char *name, struct error *err)
{
	const struct command *command = command_find(name);

	if (options->operand_count < options->operands_min)
		return error_usage(err, "%s needs more: moderato %s %s", name, name,
			command ? command->arguments : "");
	if (options->operand_count > options->operands_max)
		return error_usage(err, "%s has no use for \"%.60s\"; usage: moderato %s %s", name,
			options->operand[options->operands_max], name,
			command ? command->arguments : "");
	return 0;
}

/* One step of getopt_long(): an operand (moved to the front of argv), an option, or an error. */
static int take_step(struct options *options, char **argv, int val, struct error *err)
{
	const struct option_row *row;
	const char *word = argv[optind - 1];

	if (val == 1) {
		options->operand[options->operand_count++] = optarg;
		return 0;
	}
	if (val == '?')
		return fail_option(options, argv[0], word, err);
	if (val == ':') {
		row = row_of(options, optopt);
		return error_usage(err, "option --%s needs a value: %s", row ? row->name : "?",
			row ? row->argument : "");
	}
	row = row_of(options, val);
	if (row == &help_row) {
		print_help(options, argv[0]);
		return 1;
	}
	return take_value(row, optarg, err);
}

int options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	struct option longs[ROWS_MAX + 2];
	char letters[2 * ROWS_MAX + 5];
	int val, r;

	build_tables(options, longs, letters);
	options->operand = argv + 1;
	options->operand_count = 0;
	optind = 0;
	opterr = 0;
	while ((val = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		r = take_step(options, argv, val, err);
		if (r)
			return r;
	}
	for (int i = optind; i < argc; i++)
		options->operand[options->operand_count++] = argv[i];
	options->operand[options->operand_count] = NULL;
	return check_operands(options, argv[0], err);
}
