/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato info: what a daemon, its device, its knobs and its path are. */
#include <stdio.h>

#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/info_view.h"

static void print_info(const json_t *info)
{
	info_view_print_summary(info);
	printf("\n");
	info_view_print_knobs(info);
	if (json_array_size(json_object_get(json_object_get(info, "chip"), "quirks"))) {
		printf("\n");
		info_view_print_quirks(info);
	}
}

int cmd_info(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	bool json = false, brief = false;
	const struct option_row rows[] = {
		OPT_DAEMON(&name),
		OPT_JSON(&json),
		OPT_FLAG("brief", 'b', &brief, "without knobs and quirks"),
		OPT_END,
	};
	struct options options = {.rows = rows};
	json_t *info;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	r = client_call_once(name, "info", NULL, &info, 0, err);
	if (r)
		return r;
	if (json)
		client_print_json(info);
	else if (brief)
		info_view_print_summary(info);
	else
		print_info(info);
	json_decref(info);
	return 0;
}
