/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of text that a person hands over. */
#ifndef MODERATO_TUNER_TEXT_FILE_H
#define MODERATO_TUNER_TEXT_FILE_H

#include <stdbool.h>
#include <stdlib.h>

#include "common/error.h"

/** text_file_read() - the whole of a file, or of standard input ("-"), ended with a zero byte; the
 * caller frees. Refused: more than 4 MiB, zero bytes in it. */
int text_file_read(const char *name, char **ret_text, struct error *err);
/** text_file_is_store() - does the file begin as an SQLite database does? */
bool text_file_is_store(const char *name);

#endif
