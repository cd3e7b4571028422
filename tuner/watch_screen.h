/* SPDX-License-Identifier: BSD-2-Clause */
/* The full-screen view of `moderato watch`. */
#ifndef MODERATO_TUNER_WATCH_SCREEN_H
#define MODERATO_TUNER_WATCH_SCREEN_H

#include <jansson.h>
#include <stdbool.h>

#include "tuner/rates.h"

#define WATCH_EVENTS 5

/* All that is shown; owned by the command. */
struct watch_view {
	const json_t *info;	/* reply of info */
	const json_t *settings; /* reply of get, NULL before the first */
	struct rates rates;
	double interval_s;
	bool have_rates;
	char event[WATCH_EVENTS][160]; /* newest first */
	unsigned event_count;
};

/** watch_screen_open() - take over the terminal. Return: 0, or -ENOTTY when it is not able to (the
 * caller prints lines then). */
int watch_screen_open(void);
/** watch_screen_close() - give the terminal back; also after a failed open. */
void watch_screen_close(void);
void watch_screen_draw(const struct watch_view *view);
/** watch_screen_wants_quit() - read waiting keys: was one of them q? */
bool watch_screen_wants_quit(void);

#endif
