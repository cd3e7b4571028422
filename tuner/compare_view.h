/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison in words, as a table of looks, and as JSON. */
#ifndef MODERATO_TUNER_COMPARE_VIEW_H
#define MODERATO_TUNER_COMPARE_VIEW_H

#include <jansson.h>
#include <stdio.h>

#include "tuner/compare.h"

/** compare_format_look() - "10 pairs: ratio 0.213 (0.201 to 0.226), better"; returns @buf. */
char *compare_format_look(const struct pairs_result *look, char *buf, size_t size);
/** compare_format_verdict() - one sentence that holds by itself; returns @buf. */
char *compare_format_verdict(const struct compare_result *result, char *buf, size_t size);
/** compare_view() - what was compared, every look, medians, verdict. */
void compare_view(const struct compare_result *result, FILE *out);
/** compare_view_cells() - one row for each of several workloads, same sides and metric. */
void compare_view_cells(const struct compare_result *results, size_t count, FILE *out);
/** compare_json() - everything of a result; new reference. No interval: null. */
json_t *compare_json(const struct compare_result *result);

#endif
