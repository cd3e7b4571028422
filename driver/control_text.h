/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control protocol as text: lines to checked requests, results and failures to lines. Pure: no
 * socket, no device; what is legal comes from common/control.def and the knob table.
 */
#ifndef MODERATO_DRIVER_CONTROL_TEXT_H
#define MODERATO_DRIVER_CONTROL_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/chips/knob.h"
#include "common/control.h"
#include "common/error.h"

struct control_method {
	const char *name;
	const char *meaning;
};
extern const struct control_method control_method_table[];
extern const size_t control_method_count;

struct control_param {
	const char *method, *name, *type;
	bool required;
	const char *meaning;
};
extern const struct control_param control_param_table[];
extern const size_t control_param_count;

/* Limits of a parameter; of a string its length in bytes. */
struct control_range {
	const char *method, *name;
	bool zero; /* 0 is allowed besides */
	int64_t min, max;
};

/** control_method_find() - row by name, or NULL. */
const struct control_method *control_method_find(const char *name);
/** control_method_is_guarded() - does the lease keep this method for its holder? */
bool control_method_is_guarded(const char *name);
/** control_range_find() - limits of a parameter, or NULL: any value of its type. */
const struct control_range *control_range_find(const char *method, const char *name);

/* A request that passed every check that the tables allow. */
struct control_request {
	const struct control_method *method;
	json_t *id;	       /* NULL: a notification, not answered */
	json_t *params;	       /* an object, empty when none were given */
	struct settings knobs; /* of the parameter of type knobs, else empty */
};

/* Why a request is refused. */
struct control_failure {
	int code;	  /* enum control_error */
	int number;	  /* positive errno, 0: none applies */
	const char *knob; /* name from the knob table, NULL: none applies */
	char text[512];	  /* one sentence */
};

/** control_fail() - fill in @failure. Return: -EINVAL, so that a caller can return it. */
int control_fail(struct control_failure *failure, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** control_fail_error() - from an error: CONTROL_ERR_PARAMS for a usage error, else
 * CONTROL_ERR_FAILED with its errno. Return: -EINVAL. */
int control_fail_error(struct control_failure *failure, const struct error *err);

/**
 * control_request_parse() - one line, without its newline
 * Checked: JSON, duplicate members, envelope, method, every member of params by name, type, range,
 * and knobs by the knob table.
 * @ret_request: written in any case, end with control_request_fini(); on failure only `id` has a
 * meaning: what the reply must carry (JSON null when the line had no usable id).
 * Return: 0, or negative with @failure filled.
 */
int control_request_parse(const char *line, size_t len, struct control_request *ret_request,
	struct control_failure *failure);
void control_request_fini(struct control_request *request);

/*
 * Lines to send, with their newline and a zero after it; to be freed by the caller, NULL when out
 * of memory. References to @result and @params are taken over.
 */
char *control_text_result(json_t *id, json_t *result, size_t *ret_len);
char *control_text_failure(json_t *id, const struct control_failure *failure, size_t *ret_len);
char *control_text_notification(const char *method, json_t *params, size_t *ret_len);

/** control_text_string() - a JSON string from text that may not be UTF-8 (a path, a name). */
json_t *control_text_string(const char *text);

#endif
