/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the explanation of settings on a chip. */
#include <stdio.h>
#include <string.h>

#include "common/util.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/explain/explain_chip.h"
#include "tuner/settings_view.h"

static void heading(struct columns *columns, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		columns_cell(columns, "%s", names[i]);
	columns_end_heading(columns);
}

static void effective_cell(struct columns *columns, const json_t *knob)
{
	double ns = reply_number(knob, "effective_ns"), rate = reply_number(knob, "rate_per_s");
	bool throttle = json_object_get(knob, "rate_per_s") != NULL;
	char text[32];

	if (!json_is_true(json_object_get(knob, "acts")))
		columns_cell(columns, "no effect");
	else if (!json_is_true(json_object_get(knob, "is_time")))
		columns_cell(columns, "%lld", (long long)reply_int(knob, "register"));
	else if (ns <= 0)
		columns_cell(columns, "%s", throttle ? "off" : "at once");
	else if (throttle)
		columns_cell(columns, "%s, %.1f/s", settings_view_interval(ns, text, sizeof(text)),
			rate);
	else
		columns_cell(columns, "%s", settings_view_interval(ns, text, sizeof(text)));
}

static void knob_row(struct columns *columns, const json_t *knob)
{
	long long requested = (long long)reply_int(knob, "requested");
	double ns = reply_number(knob, "requested_ns");
	char text[32];

	columns_cell(columns, "%s%s", reply_string(knob, "name"),
		json_is_true(json_object_get(knob, "named")) ? "" : " *");
	columns_cell(columns, "%lld", requested);
	columns_cell(columns, "%s", ns > 0 ? settings_view_interval(ns, text, sizeof(text)) : "-");
	columns_cell(columns, "%lld", (long long)reply_int(knob, "register"));
	effective_cell(columns, knob);
	columns_cell(columns, "%s", reply_string(knob, "reason"));
	columns_end_row(columns);
}

static void print_knobs(const json_t *json)
{
	static const char *const names[] = {
		"KNOB", "REQUESTED", "TIME", "REGISTER", "EFFECTIVE", "WHY NOT"};
	struct columns *columns = columns_new("lrrrll");
	bool unnamed = false;
	json_t *knob;
	size_t i;

	heading(columns, names, ARRAY_SIZE(names));
	json_array_foreach (json_object_get(json, "knobs"), i, knob) {
		knob_row(columns, knob);
		unnamed |= !json_is_true(json_object_get(knob, "named"));
	}
	columns_print_free(columns, stdout);
	if (unnamed)
		printf("* not named: the value after reset\n");
}

static void print_limits(const json_t *json)
{
	double limit = reply_number(json, "rate_limit_per_s");
	double tx = reply_number(json, "tx_timer_limit_per_s");
	double rx = reply_number(json, "rx_timer_limit_per_s");

	if (limit > 0)
		printf("The throttle allows at most %.1f interrupts/s", limit);
	else
		printf("No throttle acts");
	if (tx > 0)
		printf("; TADV alone would allow %.1f/s for transmission", tx);
	if (rx > 0)
		printf("; RADV alone would allow %.1f/s for reception", rx);
	printf(".\n");
}

static void load_row(struct columns *columns, const json_t *frame, const json_t *load)
{
	double lost = reply_number(load, "lost_per_s");

	columns_cell(columns, "%lld", (long long)reply_int(frame, "frame_bytes"));
	columns_cell(columns, "%s", reply_string(load, "direction"));
	columns_cell(columns, "%.0f", reply_number(load, "frames_per_s"));
	columns_cell(columns, "%.1f", reply_number(load, "interrupts_per_s"));
	columns_cell(columns, "%.2f", reply_number(load, "frames_per_interrupt"));
	columns_cell(columns, "%.1f", reply_number(load, "interrupts_per_s_without_throttle"));
	if (lost > 0)
		columns_cell(columns, "%.0f frames/s lost: no descriptors", lost);
	columns_end_row(columns);
}

static void print_load(const json_t *json)
{
	static const char *const names[] = {"FRAME", "WHAT", "FRAMES/S", "INTERRUPTS/S",
		"FRAMES EACH", "WITHOUT THROTTLE", ""};
	struct columns *columns = columns_new("rlrrrrl");
	json_t *frame, *load;
	size_t i, k;

	printf("\nAt full load, by the %s, with a host that answers at once:\n",
		strcmp(reply_string(json, "model"), "closed form")
			? "simulated chip's moderation core"
			: "closed formula of its logic");
	heading(columns, names, ARRAY_SIZE(names));
	json_array_foreach (json_object_get(json, "frames"), i, frame)
		json_array_foreach (json_object_get(frame, "load"), k, load)
			load_row(columns, frame, load);
	columns_print_free(columns, stdout);
	json_array_foreach (json_object_get(json, "frames"), i, frame) {
		double rx = reply_number(frame, "rx_window_frames");
		double tx = reply_number(frame, "tx_window_frames");

		printf("%lld bytes take %.2f us each", (long long)reply_int(frame, "frame_bytes"),
			reply_number(frame, "frame_ns") / 1e3);
		if (tx > 0)
			printf("; the transmit timers cover %.1f frames", tx);
		if (rx > 0)
			printf("; the receive timers cover %.1f frames", rx);
		printf("\n");
	}
}

static void print_list(const char *prefix, const json_t *list)
{
	json_t *text;
	size_t i;

	json_array_foreach ((json_t *)list, i, text)
		print_wrapped(stdout, prefix, json_string_value(text));
}

static void print_candidates(const json_t *json)
{
	const json_t *list = json_object_get(json, "candidates");
	struct columns *columns;
	json_t *row;
	size_t i;

	if (!json_array_size(list))
		return;
	printf("\nWorth measuring next:\n");
	columns = columns_new("ll");
	json_array_foreach ((json_t *)list, i, row) {
		const char *hazard = reply_string(row, "hazard");

		columns_cell(columns, "  %s", reply_string(row, "settings"));
		columns_cell(columns, "%s%s%s", reply_string(row, "why"),
			*hazard ? "; WARNING: " : "", hazard);
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

void explain_chip_print(const json_t *json)
{
	printf("%s (%s), %s, %lld Mb/s\n\n", reply_string(json, "chip"),
		reply_string(json, "state"), reply_string(json, "intmode"),
		(long long)reply_int(json, "speed_mbps"));
	print_knobs(json);
	print_limits(json);
	print_load(json);
	if (json_array_size(json_object_get(json, "warnings")) ||
		json_array_size(json_object_get(json, "hazards")))
		printf("\n");
	print_list("warning: ", json_object_get(json, "warnings"));
	print_list("hazard: ", json_object_get(json, "hazards"));
	print_candidates(json);
}
