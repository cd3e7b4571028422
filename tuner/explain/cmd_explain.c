/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato explain: what a chip or a driver really does with settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/preset.h"
#include "tuner/card_view.h"
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/explain/explain_chip.h"
#include "tuner/explain/report.h"
#include "tuner/text_file.h"

struct explain_command {
	const char *chip, *intmode, *frames, *preset, *driver, *format, *current;
	int64_t speed;
	bool json, msix_rx_timers;
};

static int parse_frames(const char *text, struct explain_request *request, struct error *err)
{
	while (text && *text) {
		char *end;
		unsigned long bytes = strtoul(text, &end, 10);

		if (end == text || (*end && *end != ',') || bytes < 64 || bytes > 16384)
			return error_usage(err,
				"--frame \"%.40s\": not a list of frame sizes from 64 to 16384 bytes "
				"with header and FCS, such as 64,1518",
				text);
		if (request->frame_count == EXPLAIN_FRAMES_MAX)
			return error_usage(
				err, "--frame: more than %d sizes", EXPLAIN_FRAMES_MAX);
		request->frames[request->frame_count++] = (unsigned)bytes;
		text = end + (*end == ',');
	}
	return 0;
}

static int parse_mode(const char *text, struct settings *asked, struct error *err)
{
	enum intmode mode;

	if (!text)
		return 0;
	if (intmode_parse(text, &mode))
		return error_usage(
			err, "--intmode: \"%.40s\" is not intx, msi or msix", text);
	settings_put(asked, KNOB_INTMODE, mode);
	return 0;
}

/* What a driver writes on the chip; knobs and mode that are named win. */
static int take_preset(const char *name, struct explain_request *request, struct error *err)
{
	const struct chip *chip = card_chip(request->card);
	struct preset_result preset;
	int r;

	if (!name)
		return 0;
	if (!chip)
		return error_usage(err, "--preset: presets are settings of Intel's knobs, the %s has others",
			request->card->name);
	r = preset_resolve(name, chip, &preset, err);
	if (r == 0)
		request->asked = preset.settings;
	return r;
}

/* Registers of moderato's knobs, or of a chip of another logic. */
static int explain_request(
	struct explain_request *request, char **words, json_t **ret_json, struct error *err)
{
	int r = 0;

	request->words = words;
	if (!card_chip(request->card))
		return explain_other_json(request, ret_json, err);
	for (; *words && r == 0; words++)
		r = settings_parse_list(&request->asked, *words, err);
	return r ? r : explain_chip_json(request, ret_json, err);
}

static int explain_settings(
	const struct explain_command *command, char **words, struct error *err)
{
	struct explain_request request = {
		.speed_mbps = (unsigned)command->speed,
		.msix_rx_timers = command->msix_rx_timers,
	};
	json_t *json;
	int r = card_lookup(command->chip, &request.card, err);

	if (r == 0)
		r = take_preset(command->preset, &request, err);
	if (r == 0)
		r = parse_mode(command->intmode, &request.asked, err);
	if (r == 0)
		r = parse_frames(command->frames, &request, err);
	if (r == 0 && request.speed_mbps != 10 && request.speed_mbps != 100 &&
		request.speed_mbps != 1000)
		r = error_usage(err, "--speed %u is not 10, 100 or 1000", request.speed_mbps);
	if (r == 0)
		r = explain_request(&request, words, &json, err);
	if (r)
		return r;
	if (command->json)
		client_print_json(json);
	else
		explain_chip_print(json);
	json_decref(json);
	return 0;
}

static int explain_file(const struct explain_command *command, const struct explain_input *about,
	json_t **ret_report, struct error *err)
{
	struct explain_input input = *about;
	char *text;
	int r = text_file_read(input.name, &text, err);

	if (r < 0)
		return r;
	input.text = text;
	r = explain_read(&input, command->format, ret_report, err);
	free(text);
	return r;
}

static int read_current(const struct explain_command *command, struct explain_input *input,
	struct error *err)
{
	struct explain_input readout = {.name = command->current};
	char *text;
	int r;

	if (!command->current)
		return 0;
	r = text_file_read(command->current, &text, err);
	if (r < 0)
		return r;
	readout.text = text;
	r = ethtool_current(&readout, &input->current, err);
	free(text);
	return r;
}

/* Settings of a driver: a request to `ethtool -C`, or a file. */
static int explain_driver(
	const struct explain_command *command, char **words, bool request, struct error *err)
{
	struct explain_input input = {.name = *words, .driver = command->driver};
	json_t *report = NULL;
	int r = command->chip ? card_lookup(command->chip, &input.card, err) : 0;

	if (r == 0 && request)
		r = read_current(command, &input, err);
	if (r == 0)
		r = request ? ethtool_request(&input, words, &report, err)
			    : explain_file(command, &input, &report, err);
	json_decref(input.current);
	if (r < 0)
		return r;
	if (command->json)
		client_print_json(report);
	else
		report_print(report);
	json_decref(report);
	return 0;
}

static const char details[] =
	"With --chip: KNOB=VALUE are the chip's registers. With --driver: KEY=VALUE are those of\n"
	"`ethtool -C`. Else FILE (\"-\": standard input) is an `ethtool -c` read-out, text or JSON,\n"
	"options lines of modprobe.d, loader.conf or sysctl.conf of a BSD, a kernel log, or measured\n"
	"rates (\"requested,readback,interrupts_per_s\").\n";

int cmd_explain(int argc, char **argv, struct error *err)
{
	struct explain_command command = {.speed = 1000};
	const struct option_row rows[] = {
		OPT_STRING("chip", 'c', &command.chip, "CHIP",
			"the chip whose registers are meant; moderato chips lists them"),
		OPT_STRING("intmode", 'm', &command.intmode, "MODE",
			"intx, msi or msix; default msi, intx on chips without it"),
		OPT_INT("speed", 0, &command.speed, "MBPS", 10, 1000,
			"link speed: 10, 100 or 1000 (default)"),
		OPT_STRING("frame", 'f', &command.frames, "BYTES",
			"frame sizes for full load, with header and FCS: 64,1518"),
		OPT_STRING("preset", 'p', &command.preset, "NAME",
			"with --chip: what a system's driver writes; knobs that are named win"),
		OPT_STRING("driver", 'd', &command.driver, "DRIVER",
			"the Linux driver that takes the settings: e1000, e1000e, igb, tg3 ..."),
		OPT_STRING("format", 'F', &command.format, "FORMAT",
			"of FILE: ethtool, modprobe, loader.conf, sysctl.conf, log, rates; default: "
			"seen from the file"),
		OPT_STRING("current", 0, &command.current, "FILE",
			"an ethtool -c read-out: what it has already is no change"),
		OPT_FLAG("msix-rx-timers", 0, &command.msix_rx_timers,
			"take RDTR and RADV as acting in MSI-X, which is not known"),
		OPT_JSON(&command.json),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_max = 64, .details = details};
	int r = options_parse(&options, argc, argv, err);
	bool settings;

	if (r)
		return r;
	settings = options.operand_count && strchr(options.operand[0], '=');
	if (settings && command.driver)
		return explain_driver(&command, options.operand, true, err);
	if (options.operand_count && !settings) {
		if (options.operand_count > 1)
			return error_usage(err, "one file at a time: \"%.60s\" is a second one",
				options.operand[1]);
		return explain_driver(&command, options.operand, false, err);
	}
	if (!command.chip)
		return error_usage(err,
			"nothing to explain; name --chip with KNOB=VALUE, --driver with KEY=VALUE, or a "
			"file");
	return explain_settings(&command, options.operand, err);
}
