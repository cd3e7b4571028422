/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measured interrupt rates: what a setting came to, whatever the read-back says.
 * Comma-separated lines "requested,readback,interrupts_per_s", times in microseconds, rates of one
 * vector under load; a fourth column "adaptive" (on, off) is optional.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/explain/report.h"

#define SAME_WITHIN 0.05 /* rates this near are one point */
#define ROWS_MAX    256

struct rate_row {
	unsigned line;
	double requested, readback, rate;
	bool adaptive;
};

static void judge(json_t *report, const struct rate_row *row)
{
	double effective = 1e6 / row->rate;
	char value[40];
	struct param_effect effect = {
		.verdict = VERDICT_APPLIED,
		.raw = -1,
		.interval_ns = effective * 1e3,
	};
	bool as_asked = fabs(effective - row->requested) <= SAME_WITHIN * row->requested;

	(void)snprintf(value, sizeof(value), "%.15g us", row->requested);
	if (row->adaptive) {
		effect.verdict = VERDICT_MODE;
		(void)snprintf(effect.text, sizeof(effect.text),
			"adaptive: %.0f interrupts/s (%.4g us), not comparable with fixed settings",
			row->rate, effective);
	} else if (as_asked) {
		(void)snprintf(effect.text, sizeof(effect.text),
			"acts as asked: %.0f interrupts/s, %.4g us", row->rate, effective);
	} else {
		effect.verdict = VERDICT_SPECIAL;
		(void)snprintf(effect.text, sizeof(effect.text),
			"reads back %.15g us and acts as %.2g us: %.0f interrupts/s", row->readback,
			effective, row->rate);
	}
	report_add(report, (struct report_at){row->line, ""}, "rx-usecs", value, &effect);
}

static void note_same(json_t *report, const struct rate_row *rows, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct rate_row *a = &rows[i - 1], *b = &rows[i];

		if (a->adaptive == b->adaptive && fabs(a->rate - b->rate) <= SAME_WITHIN * a->rate &&
			a->requested != b->requested)
			report_note(report,
				"%.15g us and %.15g us have no distinct effect: they are one point, do "
				"not rank them",
				a->requested, b->requested);
	}
}

static void read_row(
	json_t *report, unsigned number, const char *line, struct rate_row *rows, size_t *count)
{
	struct rate_row row = {.line = number};
	char adaptive[8] = "off";
	int fields = sscanf(line, "%lf , %lf , %lf , %7s", &row.requested, &row.readback, &row.rate,
		adaptive);

	if (fields < 3 || !(row.rate > 0) || !(row.requested >= 0) || !isfinite(row.rate)) {
		report_verdict(report, (struct report_at){number, ""}, line, "", VERDICT_MALFORMED,
			"three numbers are wanted: requested, read back, interrupts a second");
		return;
	}
	row.adaptive = !strcmp(adaptive, "on");
	if (*count == ROWS_MAX)
		return;
	rows[(*count)++] = row;
	judge(report, &row);
}

int read_rates(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	struct rate_row *rows = calloc(ROWS_MAX, sizeof(*rows));
	char *copy = strdup(input->text), *save = copy;
	json_t *report = report_new("rates", input->driver);
	unsigned number = 0;
	size_t count = 0;

	if (!rows || !copy) {
		free(rows);
		free(copy);
		json_decref(report);
		return error_set(err, -ENOMEM, "out of memory for %.80s", input->name);
	}
	for (char *line; (line = strsep(&save, "\n"));) {
		number++;
		line[strcspn(line, "\r")] = '\0';
		if (*line && *line != '#' && strncmp(line, "requested", 9) != 0)
			read_row(report, number, line, rows, &count);
	}
	note_same(report, rows, count);
	free(rows);
	free(copy);
	*ret_report = report;
	return 0;
}
