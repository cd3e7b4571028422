/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato list: the daemons that run, with device, state and addresses. */
#include <errno.h>
#include <stdio.h>

#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"

#define LIST_TIMEOUT_MS 2000

/* Return: what `info` says; a stub for a daemon that hangs; NULL for a socket of a dead one. */
static json_t *look_at(const char *name)
{
	json_t *info;
	int r = client_call_once(name, "info", NULL, &info, LIST_TIMEOUT_MS, NULL);

	if (r == -ETIMEDOUT || r == -EAGAIN)
		return json_pack("{s:s, s:s}", "name", name, "state", "does not answer");
	return r ? NULL : info;
}

static json_t *collect(void)
{
	json_t *names = client_names(), *daemons = json_array(), *name;
	size_t i;

	json_array_foreach (names, i, name) {
		json_t *info = look_at(json_string_value(name));

		if (info)
			(void)json_array_append_new(daemons, info);
	}
	json_decref(names);
	return daemons;
}

static void print_table(const json_t *daemons)
{
	struct columns *columns = columns_new("llllrl");
	size_t i;
	json_t *info;

	columns_cell(columns, "NAME");
	columns_cell(columns, "DEVICE");
	columns_cell(columns, "STATE");
	columns_cell(columns, "ADDRESS");
	columns_cell(columns, "PID");
	columns_cell(columns, "LEASE");
	columns_end_heading(columns);
	json_array_foreach (daemons, i, info) {
		const json_t *path = json_object_get(info, "path"),
			     *lease = json_object_get(info, "lease");

		columns_cell(columns, "%s", reply_string(info, "name"));
		columns_cell(columns, "%s", reply_string(info, "device"));
		columns_cell(columns, "%s", reply_string(info, "state"));
		if (path)
			columns_cell(columns, "%s/%lld", reply_string(path, "local"),
				(long long)reply_int(path, "prefix"));
		else
			columns_cell(columns, "-");
		if (path)
			columns_cell(columns, "%lld", (long long)reply_int(info, "pid"));
		else
			columns_cell(columns, "-");
		columns_cell(columns, "%s", reply_string(lease, "holder"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

int cmd_list(int argc, char **argv, struct error *err)
{
	bool json = false;
	const struct option_row rows[] = {OPT_JSON(&json), OPT_END};
	struct options options = {.rows = rows};
	json_t *daemons;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	daemons = collect();
	if (json)
		client_print_json(daemons);
	else if (json_array_size(daemons))
		print_table(daemons);
	else
		printf("no daemon runs; start one with \"moderato up sim:82574L\"\n");
	json_decref(daemons);
	return 0;
}
