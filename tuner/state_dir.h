/* SPDX-License-Identifier: BSD-2-Clause */
/* Where moderato keeps what must survive: logs, results. */
#ifndef MODERATO_TUNER_STATE_DIR_H
#define MODERATO_TUNER_STATE_DIR_H

#include <stddef.h>

#include "common/error.h"

/**
 * state_dir() - "/var/lib/moderato" as root, else "$XDG_STATE_HOME/moderato" or
 * "$HOME/.local/state/moderato"; made (mode 0700) when missing
 * Return: 0, or negative with a sentence.
 */
int state_dir(char *buf, size_t size, struct error *err);

#endif
