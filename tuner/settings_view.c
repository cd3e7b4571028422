/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of settings: one row a knob, in the order of the knob table. */
#include "tuner/settings_view.h"

#include <stdio.h>
#include <string.h>

#include "common/chips/knob.h"
#include "common/chips/regs.h"
#include "tuner/client.h"
#include "tuner/columns.h"

char *settings_view_interval(double ns, char *buf, size_t size)
{
	if (ns >= 10e6)
		(void)snprintf(buf, size, "%.2f ms", ns / 1e6);
	else
		(void)snprintf(buf, size, "%.1f us", ns / 1e3);
	return buf;
}

/* A value as the daemon sends it: a number, or the name of a mode. */
static const char *value_text(const json_t *value, char *buf, size_t size)
{
	if (json_is_string(value))
		return json_string_value(value);
	if (!json_is_integer(value))
		return "?";
	(void)snprintf(buf, size, "%lld", (long long)json_integer_value(value));
	return buf;
}

static bool is_throttle(const struct knob *knob)
{
	return !strncmp(knob->name, "ITR", 3) || !strncmp(knob->name, "EITR", 4);
}

static void effective_cell(struct columns *columns, const struct knob *knob, const json_t *row)
{
	double ns = reply_number(row, "effective_ns");
	char interval[32], value[32];

	if (json_is_false(json_object_get(row, "acts")))
		columns_cell(columns, "no effect");
	else if (!knob || !knob->unit_ps)
		columns_cell(columns, "%s",
			value_text(json_object_get(row, "readback"), value, sizeof(value)));
	else if (ns <= 0)
		columns_cell(columns, "%s", is_throttle(knob) ? "off" : "at once");
	else if (is_throttle(knob))
		columns_cell(columns, "%s, %.1f/s",
			settings_view_interval(ns, interval, sizeof(interval)), 1e9 / ns);
	else
		columns_cell(columns, "%s", settings_view_interval(ns, interval, sizeof(interval)));
}

static void register_cell(struct columns *columns, const struct knob *knob)
{
	if (knob && knob->reg)
		columns_cell(columns, "0x%04X", knob->reg);
	else
		columns_cell(columns, "-");
}

/* The one difference that is meant: the chip must not be given 0 [SDM-8254x 13.4.41]. */
static bool is_tidv_of_zero(const struct knob *knob, const json_t *row)
{
	return knob && knob->id == KNOB_TIDV && reply_int(row, "requested") == 0 &&
	       reply_int(row, "readback") == 1;
}

static void note_cell(struct columns *columns, const struct knob *knob, const json_t *row)
{
	const json_t *requested = json_object_get(row, "requested");
	const char *reason = reply_string(row, "reason");

	if (is_tidv_of_zero(knob, row))
		columns_cell(columns, "%s%s0 is written as 1, and IDE left out", reason,
			*reason ? "; " : "");
	else if (!json_equal(requested, json_object_get(row, "readback")))
		columns_cell(columns, "READS BACK DIFFERENTLY%s%s", *reason ? "; " : "", reason);
	else if (*reason)
		columns_cell(columns, "%s", reason);
	else if (knob && knob->restart)
		columns_cell(columns, "a change restarts the device");
}

static void add_row(struct columns *columns, const char *name, const json_t *row)
{
	const struct knob *knob = knob_find(name);
	char text[32];

	columns_cell(columns, "%s", name);
	columns_cell(
		columns, "%s", value_text(json_object_get(row, "requested"), text, sizeof(text)));
	columns_cell(
		columns, "%s", value_text(json_object_get(row, "readback"), text, sizeof(text)));
	effective_cell(columns, knob, row);
	register_cell(columns, knob);
	note_cell(columns, knob, row);
	columns_end_row(columns);
}

static void print_table(const json_t *knobs)
{
	static const char *const headings[] = {
		"KNOB", "REQUESTED", "READ BACK", "EFFECTIVE", "REGISTER", "NOTE"};
	struct columns *columns = columns_new("lrrlll");
	const char *name;
	json_t *row;

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		columns_cell(columns, "%s", headings[i]);
	columns_end_heading(columns);
	for (size_t i = 0; i < KNOB_COUNT; i++) {
		row = json_object_get(knobs, knob_table[i].name);
		if (row)
			add_row(columns, knob_table[i].name, row);
	}
	json_object_foreach ((json_t *)knobs, name, row)
		if (!knob_find(name))
			add_row(columns, name, row);
	columns_print_free(columns, stdout);
}

void settings_view_print(const json_t *reply)
{
	json_t *warnings = json_object_get(reply, "warnings"), *warning;
	double limit = reply_number(reply, "rate_limit_per_s");
	size_t i;

	print_table(json_object_get(reply, "knobs"));
	printf("\nintmode %s, times for %lld Mb/s; ", reply_string(reply, "intmode"),
		(long long)reply_int(reply, "speed_mbps"));
	if (limit > 0)
		printf("at most %.1f receive interrupts a second\n", limit);
	else
		printf("no throttle\n");
	json_array_foreach (warnings, i, warning)
		print_wrapped(stdout, "warning: ", json_string_value(warning));
}
