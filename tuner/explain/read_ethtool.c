/* SPDX-License-Identifier: BSD-2-Clause */
/* `ethtool -c` read-outs, text and JSON, and `ethtool -C` requests. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/util.h"
#include "tuner/explain/report.h"

static const struct {
	const char *name, *read_as;
} keys[] = {
#define KEY(name, read_as) {name, read_as},
#include "tuner/explain/coalesce_keys.def"
#undef KEY
};

/* The key as it is set; NULL for one that is not known. */
static const char *settable_name(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, key) || (*keys[i].read_as && !strcmp(keys[i].read_as, key)))
			return keys[i].name;
	return NULL;
}

static bool parse_value(const char *text, int64_t *ret_value)
{
	if (!strcasecmp(text, "on") || !strcasecmp(text, "true"))
		*ret_value = 1;
	else if (!strcasecmp(text, "off") || !strcasecmp(text, "false"))
		*ret_value = 0;
	else
		return report_integer(text, ret_value) && *ret_value >= 0;
	return true;
}

static bool is_absent(const char *text)
{
	return !strcasecmp(text, "n/a") || !strcasecmp(text, "null");
}

/* A value of a read-out, judged by the driver's rules if the driver is known. */
static void judge_readout(const struct explain_input *input, json_t *report, struct report_at at,
	const char *key, const char *text)
{
	const char *name = settable_name(key);
	struct param_effect effect;
	int64_t value;

	if (is_absent(text)) {
		report_verdict(report, at, name ? name : key, text,
			name ? VERDICT_ABSENT : VERDICT_UNKNOWN,
			name ? "the device has no such setting; not the same as 0"
			     : "not a key of the versions of ethtool that are known; kept");
	} else if (!parse_value(text, &value)) {
		report_verdict(report, at, key, text, VERDICT_MALFORMED,
			"\"%.40s\" is neither a number nor on, off, n/a", text);
	} else if (!name) {
		report_verdict(report, at, key, text, VERDICT_UNKNOWN,
			"not a key of the versions of ethtool that are known; kept");
	} else if (!input->driver) {
		report_verdict(report, at, name, text, VERDICT_READ,
			"name the driver with --driver: small numbers are modes on some");
	} else {
		driver_param_effect(input->driver, PLACE_ETHTOOL, name, value, &effect);
		if (effect.verdict == VERDICT_UNSUPPORTED && !value)
			report_verdict(report, at, name, text, VERDICT_ABSENT,
				"%s has no such setting; older versions of ethtool print 0 for n/a",
				input->driver);
		else
			report_add(report, at, name, text, &effect);
	}
}

/* "Adaptive RX: off  TX: n/a": two values in a line. Return: it was such a line. */
static bool read_pair(const struct explain_input *input, json_t *report, struct report_at at,
	const char *line)
{
	static const struct {
		const char *words, *rx, *tx;
	} pairs[] = {
		{"Adaptive RX: %30s TX: %30s", "adaptive-rx", "adaptive-tx"},
		{"CQE mode RX: %30s TX: %30s", "cqe-mode-rx", "cqe-mode-tx"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		char rx[32], tx[32];

		/* the formats stand above and name 30 characters each */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (sscanf(line, pairs[i].words, rx, tx) != 2)
			continue;
#pragma GCC diagnostic pop
		judge_readout(input, report, at, pairs[i].rx, rx);
		judge_readout(input, report, at, pairs[i].tx, tx);
		return true;
	}
	return false;
}

static void read_line(const struct explain_input *input, json_t *report, struct report_at at,
	const char *line)
{
	char key[64], value[64], rest[8];
	size_t len = strcspn(line, ": \t");
	int words;

	if (strcasestr(line, "not supported")) {
		report_note(report,
			"the device has no coalescing at all: ethtool answers \"%.80s\"", line);
		return;
	}
	if (len == 0 || len >= sizeof(key)) {
		report_verdict(report, at, line, "", VERDICT_MALFORMED,
			"a line is a key, a colon and a value");
		return;
	}
	(void)snprintf(key, sizeof(key), "%.*s", (int)len, line);
	line += len;
	line += *line == ':';
	words = sscanf(line, " %63s %7s", value, rest);
	if (words == 1)
		judge_readout(input, report, at, key, value);
	else
		report_verdict(report, at, key, "", VERDICT_MALFORMED, "%s",
			words == 2 ? "more than one value" : "no value");
}

/* "Coalesce parameters for lan0:" Return: it was that line, and the name is in @scope. */
static bool read_heading(const char *line, char *scope, size_t size)
{
	static const char words[] = "Coalesce parameters for ";

	if (strncmp(line, words, strlen(words)) != 0)
		return false;
	(void)snprintf(scope, size, "%.*s", (int)strcspn(line + strlen(words), ":"),
		line + strlen(words));
	return true;
}

static int read_text(const struct explain_input *input, json_t *report, struct error *err)
{
	char *copy = strdup(input->text), *save = copy, scope[32] = "";
	unsigned number = 0;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory for %.80s", input->name);
	for (char *line; (line = strsep(&save, "\n"));) {
		struct report_at at = {++number, scope};

		line += strspn(line, " \t");
		line[strcspn(line, "\r")] = '\0';
		if (!*line || read_heading(line, scope, sizeof(scope)))
			continue;
		if (!read_pair(input, report, at, line))
			read_line(input, report, at, line);
	}
	free(copy);
	return 0;
}

/*
 * Versions before 2025 call both the adaptive and the CQE pair "rx" and "tx", and of two members of
 * one name a JSON reader keeps one: the first of an object is the adaptive one, the second the CQE's.
 */
static char *rename_pairs(const char *text)
{
	char *renamed = malloc(strlen(text) * 4 + 1), *out = renamed;
	unsigned count[2] = {0};

	while (renamed && *text) {
		bool rx = !strncmp(text, "\"rx\"", 4), tx = !strncmp(text, "\"tx\"", 4);

		if (*text == '{')
			count[0] = count[1] = 0;
		if ((rx || tx) && text[4 + strspn(text + 4, " \t\r\n")] == ':') {
			out += sprintf(out, "\"%s-%s\"", count[tx]++ ? "cqe-mode" : "adaptive",
				tx ? "tx" : "rx");
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	if (renamed)
		*out = '\0';
	return renamed;
}

static const char *member_text(const json_t *value, char *buf, size_t size)
{
	if (json_is_boolean(value))
		return json_is_true(value) ? "on" : "off";
	if (json_is_null(value))
		return "n/a";
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_integer(value))
		(void)snprintf(buf, size, "%lld", (long long)json_integer_value(value));
	else
		(void)snprintf(buf, size, "%s", json_is_real(value) ? "a fraction" : "a structure");
	return buf;
}

static void read_object(const struct explain_input *input, json_t *report, json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "ifname")), *key;
	struct report_at at = {0, name ? name : ""};
	json_t *value;

	json_object_foreach (object, key, value) {
		char text[32];

		if (strcmp(key, "ifname") != 0)
			judge_readout(input, report, at, key, member_text(value, text, sizeof(text)));
	}
}

static int read_json(const struct explain_input *input, json_t *report, struct error *err)
{
	char *text = rename_pairs(input->text);
	json_error_t reason;
	json_t *root = text ? json_loads(text, 0, &reason) : NULL, *object;
	size_t i;

	free(text);
	if (!root)
		return error_usage(err, "%.80s: no JSON: line %d, column %d: %.200s", input->name,
			reason.line, reason.column, reason.text);
	if (json_is_object(root))
		read_object(input, report, root);
	json_array_foreach (root, i, object)
		read_object(input, report, object);
	json_decref(root);
	return 0;
}

/* What other readers of this text cannot cope with [field reports on the tuned daemon]. */
static void note_new_lines(json_t *report)
{
	bool cqe = false, aggr = false;
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(report, "rows"), i, row) {
		const char *key = json_string_value(json_object_get(row, "key"));

		cqe |= !strncmp(key, "cqe-mode", 8);
		aggr |= !strncmp(key, "tx-aggr", 7);
	}
	if (aggr)
		report_note(report,
			"tuned gives up on tx-aggr lines and applies none of its coalesce option: "
			"export to another target (ethtool, systemd.link, NetworkManager)");
	else if (cqe)
		report_note(report, "tuned before 2.25 gives up on the line \"CQE mode\"");
}

static int check_driver(const struct explain_input *input, struct error *err)
{
	const char *near;

	if (!input->driver || driver_known(input->driver))
		return 0;
	near = driver_suggest(input->driver);
	if (near)
		return error_usage(err, "no rules for the driver \"%.40s\"; did you mean %s?",
			input->driver, near);
	return error_usage(err, "no rules for the driver \"%.40s\"; leave --driver out to read without",
		input->driver);
}

int read_ethtool(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	const char *start = input->text + strspn(input->text, " \t\r\n");
	json_t *report;
	int r = check_driver(input, err);

	if (r < 0)
		return r;
	report = report_new("ethtool", input->driver);
	r = *start == '[' || *start == '{' ? read_json(input, report, err)
					   : read_text(input, report, err);
	if (r < 0) {
		json_decref(report);
		return r;
	}
	note_new_lines(report);
	*ret_report = report;
	return 0;
}

int ethtool_current(const struct explain_input *input, json_t **ret_values, struct error *err)
{
	json_t *report, *row;
	size_t i;
	int r = read_ethtool(input, &report, err);

	if (r < 0)
		return r;
	*ret_values = json_object();
	json_array_foreach (json_object_get(report, "rows"), i, row)
		(void)json_object_set(*ret_values, json_string_value(json_object_get(row, "key")),
			json_object_get(row, "value"));
	json_decref(report);
	return 0;
}

static void judge_request(const struct explain_input *input, json_t *report, const char *key,
	const char *text)
{
	const struct report_at at = {0, ""};
	const char *name = settable_name(key), *now;
	struct param_effect effect;
	int64_t value;

	now = json_string_value(json_object_get(input->current, name ? name : key));
	if (!name) {
		report_verdict(report, at, key, text, VERDICT_UNKNOWN,
			"ethtool -C has no such parameter in the versions that are known");
	} else if (!parse_value(text, &value)) {
		report_verdict(report, at, name, text, VERDICT_MALFORMED,
			"\"%.40s\" is neither a number nor on, off", text);
	} else if (now && !strcasecmp(now, text)) {
		report_verdict(report, at, name, text, VERDICT_SAME,
			"in force already: a success, though ethtool may say \"unmodified\"");
	} else {
		driver_param_effect(input->driver, PLACE_ETHTOOL, name, value, &effect);
		report_add(report, at, name, text, &effect);
	}
}

int ethtool_request(
	const struct explain_input *input, char **words, json_t **ret_report, struct error *err)
{
	json_t *report;
	int r = check_driver(input, err);

	if (r < 0)
		return r;
	report = report_new("request", input->driver);
	for (; *words; words++) {
		char key[64];
		const char *value = strchr(*words, '=');

		if (!value || value == *words || (size_t)(value - *words) >= sizeof(key)) {
			json_decref(report);
			return error_usage(
				err, "\"%.60s\" is no request; write rx-usecs=125", *words);
		}
		(void)snprintf(key, sizeof(key), "%.*s", (int)(value - *words), *words);
		judge_request(input, report, key, value + 1);
	}
	report_note(report, "set one parameter at a time and read back: a refused one takes the "
			    "others of its command with it");
	*ret_report = report;
	return 0;
}
