/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures and notes of a trial as tables: metrics.def, notes.def. */
#ifndef MODERATO_BENCH_METRIC_H
#define MODERATO_BENCH_METRIC_H

#include <stdint.h>

#define METRIC(id, name, unit, better, meaning, source) METRIC_##id,
enum metric_id {
#include "bench/metrics.def"
	METRIC_COUNT
};

#define NOTE(id, name, meaning) BENCH_NOTE_##id,
enum bench_note {
#include "bench/notes.def"
	BENCH_NOTE_COUNT
};
_Static_assert(BENCH_NOTE_COUNT <= 32, "notes are a 32-bit set");
#define BENCH_NOTE_BIT(note) (1u << (note))

enum metric_better { METRIC_BETTER_HIGHER, METRIC_BETTER_LOWER, METRIC_BETTER_NEITHER };

struct metric_row {
	const char *name;
	const char *unit;
	enum metric_better better;
	const char *meaning;
	const char *source;
};
extern const struct metric_row metric_table[METRIC_COUNT];
/** metric_find() - id of a name, -1 when there is none. */
int metric_find(const char *name);

struct bench_note_row {
	const char *name;
	const char *meaning;
};
extern const struct bench_note_row bench_note_table[BENCH_NOTE_COUNT];
/** bench_notes_format() - "wire-bound,scheduling=other", "" for none. Returns @buf. */
char *bench_notes_format(uint32_t notes, char *buf, unsigned long size);
/** bench_notes_parse() - the reverse; unknown names are ignored (an older version reads a newer
 * file). */
uint32_t bench_notes_parse(const char *text);

#endif
