/* SPDX-License-Identifier: BSD-2-Clause */
/* BSD tunables: loader.conf, sysctl.conf, or the output of sysctl. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/explain/report.h"

/* Which file is read: it decides which names are read at all. */
struct tunables {
	json_t *report;
	bool loader, sysctl; /* both: it is not known which file it is */
};

static const char *place_file(enum param_place place)
{
	return place == PLACE_LOADER ? "loader.conf" : "sysctl.conf";
}

static const struct driver_param *find_here(const struct tunables *t, const char *name)
{
	const struct driver_param *row = NULL;

	if (t->loader)
		row = driver_param_find(NULL, PLACE_LOADER, name);
	if (!row && t->sysctl)
		row = driver_param_find(NULL, PLACE_SYSCTL, name);
	return row;
}

static void judge(const struct tunables *t, unsigned line, const char *name, const char *text)
{
	const struct driver_param *here = find_here(t, name), *other = NULL;
	struct report_at at = {line, here ? here->driver : ""};
	struct param_effect effect;
	int64_t value;

	if (!here)
		other = driver_param_elsewhere(t->loader ? PLACE_LOADER : PLACE_SYSCTL, name);
	if (other && (other->place == PLACE_LOADER || other->place == PLACE_SYSCTL)) {
		at.scope = other->driver;
		report_verdict(t->report, at, name, text, VERDICT_NOT_READ,
			"%s: it has no effect in this file and belongs into %s",
			other->place == PLACE_LOADER
				? "a tunable that is read only when the driver attaches"
				: "a sysctl that exists only once the driver has attached",
			place_file(other->place));
	} else if (!here) {
		report_verdict(t->report, at, name, text, VERDICT_UNKNOWN,
			"not a moderation setting that is known; kept and not judged");
	} else if (!report_integer(text, &value)) {
		report_verdict(t->report, at, name, text, VERDICT_MALFORMED,
			"\"%.40s\" is no whole number", text);
	} else {
		driver_param_effect(here->driver, here->place, name, value, &effect);
		report_add(t->report, at, name, text, &effect);
	}
}

/* NAME=VALUE, NAME="VALUE", or "NAME: VALUE" as sysctl prints it. */
static void read_line(const struct tunables *t, unsigned number, char *line)
{
	size_t len = strcspn(line, "=: \t");
	char *value = line + len;

	value += strspn(value, " \t");
	if (!len || (*value != '=' && *value != ':')) {
		report_verdict(t->report, (struct report_at){number, ""}, line, "",
			VERDICT_MALFORMED, "a line is NAME=VALUE");
		return;
	}
	value++;
	value += strspn(value, " \t\"");
	value[strcspn(value, " \t\"\r")] = '\0';
	line[len] = '\0';
	if (*value)
		judge(t, number, line, value);
	else
		report_verdict(t->report, (struct report_at){number, ""}, line, "",
			VERDICT_MALFORMED, "no value");
}

static int read_lines(const struct explain_input *input, struct tunables *t, const char *format,
	json_t **ret_report, struct error *err)
{
	char *copy = strdup(input->text), *save = copy;
	unsigned number = 0;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory for %.80s", input->name);
	t->report = report_new(format, NULL);
	for (char *line; (line = strsep(&save, "\n"));) {
		number++;
		line += strspn(line, " \t\r");
		if (*line && *line != '#')
			read_line(t, number, line);
	}
	report_note(t->report, "read every value back on the running system (sysctl NAME): a line in "
			       "the wrong file changes nothing and says nothing");
	free(copy);
	*ret_report = t->report;
	return 0;
}

int read_loader_conf(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	struct tunables t = {.loader = true};

	return read_lines(input, &t, "loader.conf", ret_report, err);
}

int read_sysctl_conf(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	struct tunables t = {.sysctl = true};

	return read_lines(input, &t, "sysctl.conf", ret_report, err);
}

int read_tunables(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	struct tunables t = {.loader = true, .sysctl = true};
	int r = read_lines(input, &t, "tunables", ret_report, err);

	if (r == 0)
		report_note(t.report, "loader.conf or sysctl.conf? --format names it; names of one "
				      "are not read in the other");
	return r;
}
