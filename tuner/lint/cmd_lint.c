/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato lint: checks settings before they are swept. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tuner/card_view.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"
#include "tuner/lint/lint.h"
#include "tuner/text_file.h"

struct lint_command {
	const char *chip, *presets;
	struct option_list sets;
	int64_t speed;
	bool json, msix_rx_timers;
};

static int lint_options(
	const struct lint_command *command, const struct card *card, struct lint *lint, struct error *err)
{
	int r;

	if (!card)
		return error_usage(err, "no chip named; add --chip 82574L");
	if (!command->sets.count && !command->presets)
		return error_usage(err, "nothing to check; add --set \"ITR=0,195,1500\" or a sweep file");
	r = lint_init(lint, card, (unsigned)command->speed, command->msix_rx_timers, err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < command->sets.count; i++)
		lint_set(lint, 0, command->sets.item[i]);
	if (command->presets)
		lint_presets(lint, 0, command->presets);
	return 0;
}

static int lint_path(const struct lint_command *command, const char *path, const struct card *card,
	struct lint *lint, struct error *err)
{
	char *text;
	int r;

	if (command->sets.count || command->presets)
		return error_usage(err, "--set and --preset stand in the file, or there is no file");
	if (text_file_is_store(path))
		return lint_store(lint, path, err);
	r = text_file_read(path, &text, err);
	if (r < 0)
		return r;
	r = lint_file(lint, card, (unsigned)command->speed, text, err);
	free(text);
	return r < 0 ? error_context(err, "%.100s", path) : r;
}

static void print(const json_t *json, const char *name)
{
	json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(json, "findings"), i, finding) {
		char prefix[160];
		long long line = (long long)reply_int(finding, "line");

		if (line)
			(void)snprintf(prefix, sizeof(prefix), "%.100s:%lld: %s: ", name, line,
				reply_string(finding, "severity"));
		else
			(void)snprintf(prefix, sizeof(prefix), "%s: ",
				reply_string(finding, "severity"));
		print_wrapped(stdout, prefix, reply_string(finding, "text"));
	}
	printf("%s: %lld settings, %lld that the chip can tell apart, %lld errors\n",
		reply_string(json, "chip"), (long long)reply_int(json, "settings"),
		(long long)reply_int(json, "distinct"), (long long)reply_int(json, "errors"));
}

static int report(struct lint *lint, bool json_wanted, const char *name, struct error *err)
{
	json_t *json;
	unsigned errors;

	lint_finish(lint);
	json = lint_json(lint);
	errors = lint->errors;
	if (json_wanted)
		client_print_json(json);
	else
		print(json, name);
	json_decref(json);
	if (errors)
		return error_set(err, -EINVAL,
			"%u of the values cannot be swept; change those named above", errors);
	return 0;
}

static const char details[] =
	"A sweep file has a line for each thing: \"chip 82574L\", \"speed 1000\", \"preset netbsd-old\",\n"
	"\"set ITR=0,651 RDTR=0,375\" or the settings alone; \"#\" begins a comment. The store of a sweep is\n"
	"taken too. Exit code 1 when a value cannot be swept; warnings alone leave it 0.\n";

int cmd_lint(int argc, char **argv, struct error *err)
{
	struct lint_command command = {.speed = 1000};
	const struct option_row rows[] = {
		OPT_STRING("chip", 'c', &command.chip, "CHIP", "the chip to be swept"),
		OPT_LIST("set", 's', &command.sets, "KNOBS", "as of moderato sweep; may be repeated"),
		OPT_STRING("preset", 'p', &command.presets, "NAMES", "as of moderato sweep"),
		OPT_INT("speed", 0, &command.speed, "MBPS", 10, 1000,
			"link speed: 10, 100 or 1000 (default)"),
		OPT_FLAG("msix-rx-timers", 0, &command.msix_rx_timers,
			"take RDTR and RADV as acting in MSI-X, which is not known"),
		OPT_JSON(&command.json),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_max = 1, .details = details};
	const struct card *card = NULL;
	struct lint lint;
	int r = options_parse(&options, argc, argv, err);

	if (r == 0 && command.chip)
		r = card_lookup(command.chip, &card, err);
	if (r)
		return r;
	r = options.operand_count ? lint_path(&command, options.operand[0], card, &lint, err)
				  : lint_options(&command, card, &lint, err);
	if (r < 0)
		return r;
	r = report(&lint, command.json, options.operand_count ? options.operand[0] : "", err);
	lint_fini(&lint);
	return r;
}
