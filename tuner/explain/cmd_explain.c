/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato explain: what a chip really does with settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/card_view.h"
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/explain/explain_chip.h"

struct explain_command {
	const char *chip, *intmode, *frames;
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

static int explain_settings(
	const struct explain_command *command, char **words, struct error *err)
{
	struct explain_request request = {
		.speed_mbps = (unsigned)command->speed,
		.msix_rx_timers = command->msix_rx_timers,
	};
	json_t *json;
	int r = card_lookup(command->chip, &request.card, err);

	for (; *words && r == 0; words++)
		r = settings_parse_list(&request.asked, *words, err);
	if (r == 0)
		r = parse_mode(command->intmode, &request.asked, err);
	if (r == 0)
		r = parse_frames(command->frames, &request, err);
	if (r == 0 && request.speed_mbps != 10 && request.speed_mbps != 100 &&
		request.speed_mbps != 1000)
		r = error_usage(err, "--speed %u is not 10, 100 or 1000", request.speed_mbps);
	if (r == 0)
		r = explain_chip_json(&request, &json, err);
	if (r)
		return r;
	if (command->json)
		client_print_json(json);
	else
		explain_chip_print(json);
	json_decref(json);
	return 0;
}

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
		OPT_FLAG("msix-rx-timers", 0, &command.msix_rx_timers,
			"take RDTR and RADV as acting in MSI-X, which is not known"),
		OPT_JSON(&command.json),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_max = 64};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	if (!command.chip)
		return error_usage(err, "no chip named; add --chip 82574L");
	return explain_settings(&command, options.operand, err);
}
