/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato restart and moderato reset: stop and start the device, with changed knobs or the same.
 */
#include <stdio.h>

#include "common/json.h"
#include "tuner/client.h"
#include "tuner/command.h"

#define RESTART_TIMEOUT_MS 30000

static int call_and_tell(
	const char *name, const char *method, json_t *params, const char *done, struct error *err)
{
	json_t *result;
	int r = client_call_once(name, method, params, &result, RESTART_TIMEOUT_MS, err);

	if (r)
		return r;
	printf("%s in %.1f ms; settings were verified\n", done, reply_number(result, "took_ms"));
	json_decref(result);
	return 0;
}

int cmd_restart(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	struct settings settings = {0};
	const struct option_row rows[] = {OPT_DAEMON(&name), OPT_END};
	struct options options = {.rows = rows, .operands_max = KNOB_COUNT};
	json_t *params = NULL;
	int r = options_parse(&options, argc, argv, err);

	for (unsigned i = 0; !r && i < options.operand_count; i++)
		r = settings_parse_list(&settings, options.operand[i], err);
	if (r)
		return r;
	if (settings.present)
		params = json_pack("{s:o}", "knobs", json_settings(&settings));
	return call_and_tell(name, "restart", params, "restarted", err);
}

int cmd_reset(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	const struct option_row rows[] = {OPT_DAEMON(&name), OPT_END};
	struct options options = {.rows = rows};
	int r = options_parse(&options, argc, argv, err);

	return r ? r : call_and_tell(name, "reset", NULL, "reset", err);
}
