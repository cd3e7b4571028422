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

/** state_dir_name() - the same name, without making the directory. */
int state_dir_name(char *buf, size_t size, struct error *err);
/** state_dir_make() - make the directory @path (mode 0700) and its parents when missing. */
int state_dir_make(const char *path, struct error *err);

#endif
