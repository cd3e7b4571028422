/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of long work: one line that refreshes on a terminal, plain lines elsewhere. */
#ifndef MODERATO_TUNER_PROGRESS_H
#define MODERATO_TUNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;
	bool terminal;
	bool shown; /* a line stands on the terminal and has no newline yet */
};

/** progress_init() - on @out, usually stderr. */
void progress_init(struct progress *progress, FILE *out);
/** progress_show() - @text replaces what was shown; elsewhere than on a terminal it is a line. */
void progress_show(struct progress *progress, const char *text);
/** progress_note() - a line that stays. */
void progress_note(struct progress *progress, const char *text);
/** progress_finish() - take the refreshing line away. */
void progress_finish(struct progress *progress);

/** progress_bar() - "[#####.....]" with @width places inside; returns @buf. */
char *progress_bar(unsigned done, unsigned total, unsigned width, char *buf, size_t size);
/** format_duration() - "0.4 s", "12 s", "2 min 05 s", "1 h 05 min"; returns @buf. */
char *format_duration(uint64_t ns, char *buf, size_t size);

struct sweep_progress;
/** progress_format_trial() - "[ 34/144] 1 min 23 s left  netbsd-new  tcp:rx:128k  938.1 Mbit/s". */
char *progress_format_trial(const struct sweep_progress *progress, char *buf, size_t size);

#endif
