/* SPDX-License-Identifier: BSD-2-Clause */
/* What the demo says before and after, and the files it leaves. */
#ifndef MODERATO_TUNER_DEMO_REPORT_H
#define MODERATO_TUNER_DEMO_REPORT_H

#include <stdio.h>

#include "tuner/demo.h"

/** demo_report_begin() - what is going to happen and how long it takes. */
void demo_report_begin(const struct demo_plan *plan, const char *device, FILE *out);

/**
 * demo_report() - table and verdicts on stdout, and in @dir: table.txt, .md, .csv, .json, the
 * charts with their scripts, profile.json The last lines say where everything is and what to try
 * next. Return: 0, COMMAND_PARTIAL when no picture could be drawn, or negative.
 */
int demo_report(
	struct store *store, const char *dir, const struct demo_result *result, struct error *err);

#endif
