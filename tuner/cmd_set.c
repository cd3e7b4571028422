/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato set: change knobs, restarting the device when one of them needs it; says what came of
 * it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/json.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"
#include "tuner/settings_view.h"

#define RESTART_TIMEOUT_MS 30000

struct set_request {
	const char *name;
	struct settings settings;
	uint64_t revert_after_ns; /* 0: the change stays */
	bool confirm, json;
};

/* Only the knobs that were named, in the shape of a reply of `get`. */
static int fetch_named(struct control_client *client, const struct settings *settings,
	json_t **ret_reply, struct error *err)
{
	json_t *names = json_array();

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(settings, (enum knob_id)id))
			(void)json_array_append_new(names, json_string(knob_table[id].name));
	return control_call(client, "get", json_pack("{s:o}", "knobs", names), ret_reply, 0, err);
}

/* "intmode, rx-ring" of those that make a restart necessary */
static char *restart_names(const struct settings *settings, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(settings, (enum knob_id)id) && knob_table[id].restart &&
			used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
				knob_table[id].name);
	return buf;
}

static int set_by_restart(
	struct control_client *client, const struct set_request *request, struct error *err)
{
	char names[128];
	json_t *result;
	int r;

	restart_names(&request->settings, names, sizeof(names));
	if (request->revert_after_ns)
		return error_usage(err,
			"--revert-after works with live knobs only, and %s needs a restart", names);
	r = control_call(client, "restart",
		json_pack("{s:o}", "knobs", json_settings(&request->settings)), &result,
		RESTART_TIMEOUT_MS, err);
	if (r)
		return r;
	if (!request->json)
		printf("restarted the device in %.0f ms, as %s needs it; the TAP stayed\n\n",
			reply_number(result, "took_ms"), names);
	json_decref(result);
	return 0;
}

static int set_live(struct control_client *client, const struct set_request *request,
	json_t **ret_changed, struct error *err)
{
	json_t *params = json_pack("{s:o}", "knobs", json_settings(&request->settings)), *result;
	uint64_t revert_ms = request->revert_after_ns / NS_PER_MS;
	int r;

	if (revert_ms)
		(void)json_object_set_new(
			params, "revert_after_ms", json_integer((json_int_t)revert_ms));
	r = control_call(client, "set", params, &result, 0, err);
	if (r)
		return r;
	*ret_changed = json_incref(json_object_get(result, "changed"));
	json_decref(result);
	return 0;
}

static void print_changed(const json_t *changed)
{
	json_t *name;
	size_t i;

	if (!json_array_size(changed)) {
		printf("nothing changed: these values were in force already\n\n");
		return;
	}
	printf("changed:");
	json_array_foreach ((json_t *)changed, i, name)
		printf(" %s", json_string_value(name));
	printf("\n\n");
}

static int show(struct control_client *client, const struct set_request *request, json_t *changed,
	struct error *err)
{
	json_t *reply;
	int r = fetch_named(client, &request->settings, &reply, err);

	if (r)
		return r;
	if (changed)
		(void)json_object_set(reply, "changed", changed);
	if (request->json) {
		client_print_json(reply);
	} else {
		if (changed)
			print_changed(changed);
		settings_view_print(reply);
		if (request->revert_after_ns)
			printf("the old values come back in %.15g s unless \"moderato set "
			       "--confirm\" keeps the new ones\n",
				(double)request->revert_after_ns / 1e9);
	}
	json_decref(reply);
	return 0;
}

static int run(struct control_client *client, const struct set_request *request, struct error *err)
{
	json_t *changed = NULL;
	int r = set_live(client, request, &changed, err);

	/* The daemon knows whether a restart knob really changes; a repeated value needs no
	 * restart. */
	if (r == -ENOTUNIQ)
		r = set_by_restart(client, request, err);
	if (!r)
		r = show(client, request, changed, err);
	json_decref(changed);
	return r;
}

static int confirm(struct control_client *client, struct error *err)
{
	json_t *params = json_pack("{s:{}}", "knobs");
	int r = control_call(client, "set", params, NULL, 0, err);

	if (!r)
		printf("confirmed: the settings in force stay\n");
	return r;
}

static int take_operands(
	const struct options *options, struct set_request *request, struct error *err)
{
	if (request->confirm && options->operand_count)
		return error_usage(
			err, "--confirm keeps the settings in force and takes no NAME=VALUE");
	if (!request->confirm && !options->operand_count)
		return error_usage(
			err, "set needs NAME=VALUE, for example moderato set ITR=1500 RDTR=384us");
	for (unsigned i = 0; i < options->operand_count; i++) {
		int r = settings_parse_list(&request->settings, options->operand[i], err);

		if (r)
			return r;
	}
	return 0;
}

int cmd_set(int argc, char **argv, struct error *err)
{
	struct set_request request = {0};
	const struct option_row rows[] = {
		OPT_DAEMON(&request.name),
		OPT_DURATION("revert-after", 'r', &request.revert_after_ns, "TIME", 0.1, 3600,
			"put the old values back after TIME unless confirmed"),
		OPT_FLAG("confirm", 'c', &request.confirm,
			"keep what a set with --revert-after changed"),
		OPT_JSON(&request.json),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.operands_max = KNOB_COUNT,
		.details = "VALUE is in register units (1500, 0x5dc), a time at 1000 Mb/s (384us, "
			   "1.5ms), or a\n"
			   "mode (intx, msi, msix). All are applied or none. \"moderato info\" "
			   "lists the knobs;\n"
			   "those that need a restart of the device cause one, the TAP stays.\n",
	};
	struct control_client *client;
	int r = options_parse(&options, argc, argv, err);

	if (!r)
		r = take_operands(&options, &request, err);
	if (r)
		return r;
	r = control_connect(request.name, &client, err);
	if (r)
		return r;
	r = request.confirm ? confirm(client, err) : run(client, &request, err);
	control_disconnect(client);
	return r;
}
