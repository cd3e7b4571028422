/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings as a daemon reports them, shown to a person: requested, read back, effective, warnings.
 */
#ifndef MODERATO_TUNER_SETTINGS_VIEW_H
#define MODERATO_TUNER_SETTINGS_VIEW_H

#include <jansson.h>

/** settings_view_print() - the reply of `get` (or `set`) as a table with its warnings, on stdout.
 */
void settings_view_print(const json_t *reply);

/** settings_view_interval() - "384.0 us", "16.8 ms"; returns @buf. */
char *settings_view_interval(double ns, char *buf, size_t size);

#endif
