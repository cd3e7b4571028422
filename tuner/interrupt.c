/* SPDX-License-Identifier: BSD-2-Clause */
/* ^C and kill as a flag that long work looks at, so that it ends in order. */
#include "tuner/interrupt.h"

#include <stddef.h>

#include "common/util.h"

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
	interrupted = number;
}

const volatile sig_atomic_t *interrupt_catch(void)
{
	/* no SA_RESTART: a wait in progress ends; the handler leaves, so that a second ^C kills */
	const struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)sigaction(signals[i], &action, NULL);
	return &interrupted;
}
