/* SPDX-License-Identifier: BSD-2-Clause */
/* ^C and kill as a flag that long work looks at, so that it ends in order. */
#ifndef MODERATO_TUNER_INTERRUPT_H
#define MODERATO_TUNER_INTERRUPT_H

#include <signal.h>

/**
 * interrupt_catch() - the first SIGINT, SIGTERM or SIGHUP sets the flag, a second one ends the process
 * Return: the flag, not 0 after a signal.
 */
const volatile sig_atomic_t *interrupt_catch(void);

#endif
