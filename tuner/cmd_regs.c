/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato regs: the device's registers by name, without those whose read has an effect. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "common/chips/regs.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"

#define REGS_MAX 128

/* Registers are named in capitals; a person need not. */
static const char *exact_name(const char *name)
{
	for (size_t i = 0; i < reg_table_count; i++)
		if (!strcasecmp(reg_table[i].name, name))
			return reg_table[i].name;
	return name;
}

static json_t *names_of(const struct options *options)
{
	json_t *names = json_array();

	for (unsigned i = 0; i < options->operand_count; i++)
		(void)json_array_append_new(names, json_string(exact_name(options->operand[i])));
	return names;
}

/* Offset and value come as numbers or as hexadecimal text. */
static unsigned long number_of(const json_t *row, const char *member)
{
	const json_t *value = json_object_get(row, member);

	return json_is_string(value) ? strtoul(json_string_value(value), NULL, 0)
				     : (unsigned long)json_integer_value(value);
}

static void print_table(const json_t *regs)
{
	struct columns *columns = columns_new("llll");
	json_t *row;
	size_t i;

	columns_cell(columns, "REGISTER");
	columns_cell(columns, "OFFSET");
	columns_cell(columns, "VALUE");
	columns_cell(columns, "MEANING");
	columns_end_heading(columns);
	json_array_foreach ((json_t *)regs, i, row) {
		columns_cell(columns, "%s", reply_string(row, "name"));
		columns_cell(columns, "0x%05lX", number_of(row, "offset"));
		columns_cell(columns, "0x%08lX", number_of(row, "value"));
		columns_cell(columns, "%s", reply_string(row, "meaning"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

int cmd_regs(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	bool json = false;
	const struct option_row rows[] = {OPT_DAEMON(&name), OPT_JSON(&json), OPT_END};
	struct options options = {.rows = rows, .operands_max = REGS_MAX};
	json_t *params = NULL, *reply;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (options.operand_count)
		params = json_pack("{s:o}", "names", names_of(&options));
	r = client_call_once(name, "regs", params, &reply, 0, err);
	if (r)
		return r;
	if (json)
		client_print_json(reply);
	else
		print_table(json_object_get(reply, "regs"));
	json_decref(reply);
	return 0;
}
