/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the tables into the scdoc source of a man page. */
#include "docs/describe.h"

#include <stdio.h>
#include <string.h>

#include "common/chips/knob.h"
#include "common/version.h"

/* scdoc takes _ and * as markup. */
static void print_text(const char *text)
{
	for (; *text; text++)
		printf(strchr("_*\\<>#", *text) ? "\\%c" : "%c", *text);
}

static void print_term(const char *term)
{
	printf("*");
	print_text(term);
	printf("*");
}

static void print_members(const char *method, const struct describe_member *rows, size_t count,
			  const char *heading)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].method, method))
			continue;
		if (!any)
			printf("\n\t%s\n\n", heading);
		any = true;
		printf("\t- ");
		print_term(rows[i].name);
		printf(" (%s%s): ", rows[i].type, rows[i].required ? ", required" : "");
		print_text(rows[i].meaning);
		printf("\n");
	}
}

static void print_methods(void)
{
	for (size_t i = 0; i < describe_method_count; i++) {
		const char *method = describe_methods[i].name;

		print_term(method);
		printf("\n\t");
		print_text(describe_methods[i].meaning);
		printf("\n");
		print_members(method, describe_params, describe_param_count, "Parameters:");
		print_members(method, describe_fields, describe_field_count, "Result:");
		printf("\n");
	}
}

/* The option lists are the programs' own: help.awk puts "moderato NAME --help" in their place. */
static void print_commands(void)
{
	for (size_t i = 0; i < describe_command_count; i++) {
		const struct describe_command *c = &describe_commands[i];

		printf("## moderato %s\n\n@help %s@\n\n", c->name, c->name);
	}
}

static void print_knobs(void)
{
	for (size_t i = 0; i < KNOB_COUNT; i++) {
		const struct knob *k = &knob_table[i];

		print_term(k->name);
		if (k->unit_ps)
			printf(" (%u..%u, %u ns)", k->min, k->max, k->unit_ps / 1000);
		else if (k->id != KNOB_INTMODE)
			printf(" (%u..%u)", k->min, k->max);
		printf("\n\t");
		print_text(k->meaning);
		if (k->hazard[0]) {
			printf("; ");
			print_text(k->hazard);
		}
		printf("%s\n\n", k->restart ? " (after restart)" : "");
	}
}

static void print_counters(void)
{
	for (size_t i = 0; i < describe_counter_count; i++) {
		print_term(describe_counters[i].name);
		printf(" (%s)\n\t", describe_counters[i].unit);
		print_text(describe_counters[i].meaning);
		printf("\n\n");
	}
}

static void print_line(const char *line)
{
	static const char mark[] = "@version@";
	const char *at = strstr(line, mark);

	if (!strcmp(line, "@methods@\n"))
		print_methods();
	else if (!strcmp(line, "@commands@\n"))
		print_commands();
	else if (!strcmp(line, "@knobs@\n"))
		print_knobs();
	else if (!strcmp(line, "@counters@\n"))
		print_counters();
	else if (at)
		printf("%.*s" MODERATO_VERSION "%s", (int)(at - line), line, at + strlen(mark));
	else
		printf("%s", line);
}

int describe_man(const char *path)
{
	char line[1024];
	FILE *file = fopen(path, "r");
	int bad;

	if (!file) {
		fprintf(stderr, "describe: cannot read %s\n", path);
		return 1;
	}
	while (fgets(line, sizeof(line), file))
		print_line(line);
	bad = ferror(file) | fflush(stdout);
	(void)fclose(file);
	return bad ? 1 : 0;
}
