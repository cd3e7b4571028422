/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands that talk to a daemon share: which daemon, one call, names of those that run.
 */
#ifndef MODERATO_TUNER_CLIENT_H
#define MODERATO_TUNER_CLIENT_H

#include <jansson.h>

#include "common/control_client.h"
#include "tuner/options.h"

/* The option that every such command has; @var is a const char *. */
#define OPT_DAEMON(var)                                                                            \
	OPT_STRING("name", 'n', var, "NAME",                                                       \
		"the daemon, by name or socket path; needed when several run")
#define OPT_JSON(var) OPT_FLAG("json", 'j', var, "print JSON")

/** client_call_once() - connect to the daemon @name (NULL: the only one), one call, disconnect.
 * Parameters and return value as control_call(). */
int client_call_once(const char *name, const char *method, json_t *params, json_t **ret_result,
	unsigned timeout_ms, struct error *err);

/** client_names() - names of the sockets in the control directory, sorted, live or not; the array
 * is a new reference. */
json_t *client_names(void);

/** client_print_json() - indented, with a newline, on stdout; the reference is kept by the caller.
 */
void client_print_json(const json_t *value);

/* Members of a reply; a missing one or one of another type gives "" or 0, since an older daemon may
 * not have it. */
const char *reply_string(const json_t *object, const char *name);
int64_t reply_int(const json_t *object, const char *name);
double reply_number(const json_t *object, const char *name);

#endif
