/* SPDX-License-Identifier: BSD-2-Clause */
/* Metric and note tables and their names. */
#include "bench/metric.h"

#include <stdio.h>
#include <string.h>

#define METRIC(id, name, unit, better, meaning, source)                                            \
	[METRIC_##id] = {name, unit, METRIC_BETTER_##better, meaning, source},
const struct metric_row metric_table[METRIC_COUNT] = {
#include "bench/metrics.def"
};

#define NOTE(id, name, meaning) [BENCH_NOTE_##id] = {name, meaning},
const struct bench_note_row bench_note_table[BENCH_NOTE_COUNT] = {
#include "bench/notes.def"
};

int metric_find(const char *name)
{
	int i;

	for (i = 0; i < METRIC_COUNT; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return i;
	return -1;
}

char *bench_notes_format(uint32_t notes, char *buf, unsigned long size)
{
	size_t used = 0;
	unsigned i;

	if (size)
		buf[0] = '\0';
	for (i = 0; i < BENCH_NOTE_COUNT; i++) {
		if (!(notes & BENCH_NOTE_BIT(i)) || used >= size)
			continue;
		used += (size_t)snprintf(
			buf + used, size - used, "%s%s", used ? "," : "", bench_note_table[i].name);
	}
	return buf;
}

static uint32_t note_bit(const char *name, size_t len)
{
	unsigned i;

	for (i = 0; i < BENCH_NOTE_COUNT; i++)
		if (strlen(bench_note_table[i].name) == len &&
			memcmp(bench_note_table[i].name, name, len) == 0)
			return BENCH_NOTE_BIT(i);
	return 0;
}

uint32_t bench_notes_parse(const char *text)
{
	uint32_t notes = 0;

	while (*text) {
		size_t len = strcspn(text, ",");

		notes |= note_bit(text, len);
		text += len;
		if (*text)
			text++;
	}
	return notes;
}
