/* SPDX-License-Identifier: BSD-2-Clause */
/* `options` lines of modprobe.d: lists with a position per port, in the order of probing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/explain/report.h"

#define PORTS_MAX 32 /* E1000_MAX_NIC [Linux e1000 and e1000e param.c] */
#define WORDS_MAX 32
#define JOINT	  "\v"
#define BLANKS	  " \t" JOINT

/* One `options` line: its parameters, and how many ports the longest list has. */
struct options_line {
	unsigned line;
	const char *module;
	struct word {
		const char *name;
		char *values; /* "4,4,4" */
		unsigned count;
	} words[WORDS_MAX];
	size_t word_count;
	unsigned ports;
};

static unsigned list_length(const char *values)
{
	unsigned count = 1;

	for (; *values; values++)
		count += *values == ',';
	return count;
}

/* Copies item @i of a list; false past its end. */
static bool list_item(const char *values, unsigned i, char *buf, size_t size)
{
	for (; i > 0; i--) {
		values = strchr(values, ',');
		if (!values++)
			return false;
	}
	(void)snprintf(buf, size, "%.*s", (int)strcspn(values, ","), values);
	return true;
}

static void judge_default(const struct options_line *line, json_t *report, struct report_at at,
	const struct word *word)
{
	const struct driver_param *row = driver_param_find(line->module, PLACE_MODULE, word->name);

	if (!row)
		return;
	if (row->initial == NO_DEFAULT)
		report_verdict(report, at, word->name, "-", VERDICT_DEFAULT,
			"no value at this position: the default acts (%s)", row->meaning);
	else
		report_verdict(report, at, word->name, "-", VERDICT_DEFAULT,
			"no value at this position: the default %lld acts",
			(long long)row->initial);
}

/* IntMode 2 and its default mean another thing on a chip without MSI-X. */
static void note_mode(const struct explain_input *input, json_t *report, const struct word *word)
{
	bool msix;

	if (strcmp(word->name, "IntMode") != 0 || !input->card)
		return;
	msix = card_intmodes(input->card) & INTMODE_BIT(INTMODE_MSIX);
	report_note(report, "%s: %s", input->card->name,
		msix ? "has MSI-X: IntMode 2 and the default are MSI-X"
		     : "has no MSI-X: IntMode 2 and the default are MSI");
}

static void judge_item(const struct options_line *line, json_t *report, unsigned port,
	const struct word *word)
{
	char scope[48], text[32];
	struct report_at at = {line->line, scope};
	struct param_effect effect;
	int64_t value;

	(void)snprintf(scope, sizeof(scope), "%.16s port %u", line->module, port);
	if (!list_item(word->values, port, text, sizeof(text)))
		judge_default(line, report, at, word);
	else if (port >= PORTS_MAX)
		report_verdict(report, at, word->name, text, VERDICT_DEFAULT,
			"the driver has positions for %d ports: the default acts", PORTS_MAX);
	else if (!report_integer(text, &value))
		report_verdict(report, at, word->name, text, VERDICT_MALFORMED,
			"\"%.30s\" is no whole number: the kernel refuses to load the module",
			text);
	else {
		driver_param_effect(line->module, PLACE_MODULE, word->name, value, &effect);
		report_add(report, at, word->name, text, &effect);
	}
}

static void note_lengths(const struct options_line *line, json_t *report)
{
	for (size_t i = 0; i < line->word_count; i++) {
		const struct word *w = &line->words[i];

		if (w->count < line->ports)
			report_note(report,
				"line %u: %s has %u value%s and the longest list %u: port%s %u to "
				"%u keep%s its default",
				line->line, w->name, w->count, w->count > 1 ? "s" : "", line->ports,
				line->ports - w->count > 1 ? "s" : "", w->count, line->ports - 1,
				line->ports - w->count > 1 ? "" : "s");
	}
}

static void judge_line(const struct explain_input *input, const struct options_line *line,
	json_t *report)
{
	for (size_t i = 0; i < line->word_count; i++)
		for (unsigned port = 0; port < line->ports; port++)
			judge_item(line, report, port, &line->words[i]);
	note_lengths(line, report);
	for (size_t i = 0; i < line->word_count; i++)
		note_mode(input, report, &line->words[i]);
	if (line->ports > PORTS_MAX)
		report_note(report,
			"line %u: %u ports: those from %d on have defaults, and the kernel refuses "
			"lists of more than %d",
			line->line, line->ports, PORTS_MAX, PORTS_MAX + 1);
}

static void parse_word(struct options_line *line, json_t *report, char *word)
{
	struct report_at at = {line->line, line->module};
	char *values = strchr(word, '=');
	struct word *w = &line->words[line->word_count];

	if (!values || values == word) {
		report_verdict(report, at, word, "", VERDICT_MALFORMED,
			"a parameter is written NAME=VALUE,VALUE");
		return;
	}
	if (line->word_count == WORDS_MAX) {
		report_verdict(report, at, word, "", VERDICT_MALFORMED,
			"more than %d parameters in a line", WORDS_MAX);
		return;
	}
	*values++ = '\0';
	*w = (struct word){word, values, list_length(values)};
	line->word_count++;
	line->ports = MAX(line->ports, w->count);
}

/* Of two lines that give the same parameter, modprobe hands over both and the last one counts. */
static void note_repeated(json_t *report, json_t *seen, const struct options_line *line)
{
	for (size_t i = 0; i < line->word_count; i++) {
		char name[128];
		json_t *before;

		(void)snprintf(name, sizeof(name), "%.60s %.60s", line->module,
			line->words[i].name);
		before = json_object_get(seen, name);
		if (before)
			report_note(report,
				"%s is given in line %lld and again in line %u: the last one counts",
				name, (long long)json_integer_value(before), line->line);
		(void)json_object_set_new(seen, name, json_integer(line->line));
	}
}

static void read_options(const struct explain_input *input, json_t *report, json_t *seen,
	unsigned number, char *rest)
{
	struct options_line line = {.line = number};
	char *save = NULL;

	line.module = strtok_r(rest, BLANKS, &save);
	if (!line.module) {
		report_verdict(report, (struct report_at){number, ""}, "options", "",
			VERDICT_MALFORMED, "no module named");
		return;
	}
	for (char *word; (word = strtok_r(NULL, BLANKS, &save));)
		parse_word(&line, report, word);
	judge_line(input, &line, report);
	note_repeated(report, seen, &line);
}

/* Lines that end in a backslash go on in the next; JOINT keeps count of them. */
static void join_lines(char *text)
{
	for (char *at = text; (at = strstr(at, "\\\n"));) {
		at[0] = ' ';
		at[1] = *JOINT;
	}
}

static unsigned joints(const char *line)
{
	unsigned count = 0;

	for (; *line; line++)
		count += *line == *JOINT;
	return count;
}

static bool is_other_command(const char *line)
{
	static const char *const words[] = {
		"alias", "blacklist", "install", "remove", "softdep", "weakdep"};
	size_t len = strcspn(line, " \t");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !strncmp(words[i], line, len))
			return true;
	return false;
}

int read_modprobe(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	json_t *report = report_new("modprobe", NULL), *seen = json_object();
	char *copy = strdup(input->text), *save = copy;
	unsigned number = 0;

	if (!copy) {
		json_decref(report);
		json_decref(seen);
		return error_set(err, -ENOMEM, "out of memory for %.80s", input->name);
	}
	join_lines(copy);
	for (char *line; (line = strsep(&save, "\n"));) {
		unsigned more = joints(line);

		number++;
		line += strspn(line, BLANKS);
		line[strcspn(line, "#\r")] = '\0';
		if (!strncmp(line, "options", 7) && strchr(" \t", line[7]))
			read_options(input, report, seen, number, line + 7);
		else if (*line && !is_other_command(line))
			report_verdict(report, (struct report_at){number, ""}, line, "",
				VERDICT_MALFORMED, "not a line of modprobe.d");
		number += more;
	}
	report_note(report, "positions are ports in the order of probing, as a rule that of the PCI "
			    "addresses; neither CPUs nor interface names");
	free(copy);
	json_decref(seen);
	*ret_report = report;
	return 0;
}
