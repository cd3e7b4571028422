/* SPDX-License-Identifier: BSD-2-Clause */
/* Small helpers over jansson, for settings and checked member access. */
#ifndef MODERATO_COMMON_JSON_H
#define MODERATO_COMMON_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "common/chips/knob.h"
#include "common/error.h"

/** json_settings() - {"ITR": 1500, "intmode": "msi"}; new reference. */
json_t *json_settings(const struct settings *settings);
/** json_to_settings() - the reverse; unknown knob, wrong type or out of the table's range: usage
 * error that names the knob. All or nothing. */
int json_to_settings(json_t *object, struct settings *ret_settings, struct error *err);

/* Typed members; a missing member leaves *@ret untouched and returns 0 unless @required. A wrong
 * type is a usage error that names the member. */
int json_member_int(json_t *object, const char *name, bool required, int64_t *ret, struct error *err);
int json_member_number(json_t *object, const char *name, bool required, double *ret, struct error *err);
int json_member_bool(json_t *object, const char *name, bool required, bool *ret, struct error *err);
int json_member_string(json_t *object, const char *name, bool required, const char **ret, struct error *err);

/** json_write_file() - pretty, sorted as built, atomically (temporary name, fsync, rename). */
int json_write_file(json_t *value, const char *path, struct error *err);
/** json_read_file() - duplicate keys refused; the sentence has line and column. */
int json_read_file(const char *path, json_t **ret_value, struct error *err);

#endif
