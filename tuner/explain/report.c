/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of files of settings: rows, notes, the choice of a reader, and the text for people. */
#include "tuner/explain/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/client.h"
#include "tuner/columns.h"

json_t *report_new(const char *format, const char *driver)
{
	return json_pack("{s:s, s:s*, s:[], s:[]}", "format", format, "driver", driver, "rows",
		"notes");
}

/* Text of a file may be of any bytes; JSON takes UTF-8 only. */
static json_t *any_text(const char *text)
{
	json_t *string = json_string(text);
	char copy[400];
	size_t len = MIN(strlen(text), sizeof(copy) - 1);

	if (string)
		return string;
	for (size_t i = 0; i < len; i++)
		copy[i] = text[i] & 0x80 ? '?' : text[i];
	copy[len] = '\0';
	return json_string(copy);
}

void report_add(json_t *report, struct report_at at, const char *key, const char *value,
	const struct param_effect *effect)
{
	json_t *row = json_pack("{s:i, s:o, s:o, s:o, s:s, s:o, s:s}", "line", at.line, "scope",
		any_text(at.scope), "key", any_text(key), "value", any_text(value), "verdict",
		param_verdict_name(effect->verdict), "effect", any_text(effect->text), "source",
		effect->source ? effect->source : "");

	if (effect->interval_ns > 0)
		(void)json_object_set_new(row, "interval_ns", json_real(effect->interval_ns));
	if (effect->raw >= 0)
		(void)json_object_set_new(row, "raw", json_integer(effect->raw));
	(void)json_array_append_new(json_object_get(report, "rows"), row);
}

void report_verdict(json_t *report, struct report_at at, const char *key, const char *value,
	enum param_verdict verdict, const char *fmt, ...)
{
	struct param_effect effect = {.verdict = verdict, .raw = -1};
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(effect.text, sizeof(effect.text), fmt, ap);
	va_end(ap);
	report_add(report, at, key, value, &effect);
}

void report_note(json_t *report, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)json_array_append_new(json_object_get(report, "notes"), any_text(text));
}

bool report_integer(const char *text, int64_t *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoll(text, &end, 0);
	return end != text && !*end && !errno;
}

static const struct {
	const char *name;
	int (*read)(const struct explain_input *input, json_t **ret_report, struct error *err);
} readers[] = {
	{"ethtool", read_ethtool},
	{"modprobe", read_modprobe},
	{"loader.conf", read_loader_conf},
	{"sysctl.conf", read_sysctl_conf},
	{"tunables", read_tunables},
	{"log", read_log},
	{"rates", read_rates},
};

/* The first line that is neither empty nor a comment. */
static const char *first_line(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\r\n");
		if (*text != '#')
			return text;
		text += strcspn(text, "\n");
	}
}

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static const char *guess_tunables(const char *name)
{
	if (strstr(name, "loader"))
		return "loader.conf";
	return strstr(name, "sysctl") ? "sysctl.conf" : "tunables";
}

static const char *guess(const struct explain_input *input)
{
	const char *line = first_line(input->text);

	if (strcasestr(input->text, "unit hang") || strstr(input->text, "NETDEV WATCHDOG"))
		return "log";
	if (*line == '[' || *line == '{' || strstr(input->text, "Coalesce parameters for") ||
		begins(line, "Adaptive RX"))
		return "ethtool";
	if (begins(line, "options ") || strstr(input->text, "\noptions "))
		return "modprobe";
	if (begins(line, "hw.") || begins(line, "dev.") || begins(line, "net.") ||
		begins(line, "kern."))
		return guess_tunables(input->name);
	return begins(line, "requested") ? "rates" : NULL;
}

int explain_read(const struct explain_input *input, const char *format, json_t **ret_report,
	struct error *err)
{
	const char *wanted = format ? format : guess(input);

	if (!wanted)
		return error_usage(err,
			"%.80s: cannot tell what it is; name it with --format (ethtool, modprobe, "
			"loader.conf, sysctl.conf, log, rates)",
			input->name);
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (!strcmp(readers[i].name, wanted))
			return readers[i].read(input, ret_report, err);
	return error_usage(err,
		"--format %.40s is none of ethtool, modprobe, loader.conf, sysctl.conf, tunables, "
		"log, rates",
		wanted);
}

/* Do two rows say the same of different places, such as the ports of a list? */
static bool same_but_scope(const json_t *a, const json_t *b)
{
	static const char *const members[] = {"line", "key", "value", "verdict", "effect"};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (!json_equal(json_object_get(a, members[i]), json_object_get(b, members[i])))
			return false;
	return true;
}

/* "e1000e port 1", or "e1000e port 1 to 7" for a run of rows. */
static void scope_cell(struct columns *columns, const json_t *first, const json_t *last)
{
	const char *from = reply_string(first, "scope"), *to = reply_string(last, "scope");
	const char *number = strrchr(to, ' ');

	if (strcmp(from, to) != 0 && number)
		columns_cell(columns, "%s to%s", from, number);
	else
		columns_cell(columns, "%s", from);
}

static void print_row(struct columns *columns, const json_t *row, const json_t *last, bool lines)
{
	const char *source = reply_string(row, "source");

	if (lines)
		columns_cell(columns, "%lld", (long long)reply_int(row, "line"));
	scope_cell(columns, row, last);
	columns_cell(columns, "%.40s", reply_string(row, "key"));
	columns_cell(columns, "%.30s", reply_string(row, "value"));
	columns_cell(columns, "%s", reply_string(row, "verdict"));
	columns_cell(columns, "%s%s%s%s", reply_string(row, "effect"), *source ? " [" : "", source,
		*source ? "]" : "");
	columns_end_row(columns);
}

void report_print(const json_t *report)
{
	static const char *const names[] = {"LINE", "OF", "KEY", "VALUE", "VERDICT", "WHAT IT DOES"};
	const json_t *rows = json_object_get(report, "rows"), *notes = json_object_get(report, "notes");
	bool lines = reply_int(json_array_get(rows, 0), "line") > 0;
	struct columns *columns = columns_new(lines ? "rlllll" : "lllll");
	size_t count = json_array_size(rows);

	for (size_t i = lines ? 0 : 1; i < ARRAY_SIZE(names); i++)
		columns_cell(columns, "%s", names[i]);
	columns_end_heading(columns);
	for (size_t i = 0, next; i < count; i = next) {
		const json_t *row = json_array_get(rows, i);

		for (next = i + 1; next < count && same_but_scope(row, json_array_get(rows, next));)
			next++;
		print_row(columns, row, json_array_get(rows, next - 1), lines);
	}
	if (count)
		columns_print_free(columns, stdout);
	else
		printf("No settings in it.\n");
	for (size_t i = 0; i < json_array_size(notes); i++)
		print_wrapped(stdout, "note: ", json_string_value(json_array_get(notes, i)));
}
