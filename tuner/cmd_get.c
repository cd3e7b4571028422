/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato get: settings as requested, read back, and in effect. */
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/settings_view.h"

static json_t *names_of(const struct options *options)
{
	json_t *names = json_array();

	for (unsigned i = 0; i < options->operand_count; i++) {
		const struct knob *knob = knob_find(options->operand[i]);

		/* the daemon's names are exact; ours may be written in any case */
		(void)json_array_append_new(
			names, json_string(knob ? knob->name : options->operand[i]));
	}
	return names;
}

int cmd_get(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	bool json = false;
	const struct option_row rows[] = {OPT_DAEMON(&name), OPT_JSON(&json), OPT_END};
	struct options options = {.rows = rows, .operands_max = KNOB_COUNT};
	json_t *params = NULL, *reply;
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (options.operand_count)
		params = json_pack("{s:o}", "knobs", names_of(&options));
	r = client_call_once(name, "get", params, &reply, 0, err);
	if (r)
		return r;
	if (json)
		client_print_json(reply);
	else
		settings_view_print(reply);
	json_decref(reply);
	return 0;
}
