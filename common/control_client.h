/* SPDX-License-Identifier: BSD-2-Clause */
/* The client side of the control socket: connect, call, receive notifications and descriptors. */
#ifndef MODERATO_COMMON_CONTROL_CLIENT_H
#define MODERATO_COMMON_CONTROL_CLIENT_H

#include <jansson.h>
#include <stdint.h>

#include "common/error.h"

struct control_client;

/**
 * control_connect() - to a daemon by name or by socket path (contains '/'); NULL: the only one that
 * runs. Return 0 or negative; the sentence says when none or several run.
 */
int control_connect(const char *name_or_path, struct control_client **ret_client, struct error *err);
void control_disconnect(struct control_client *client); /* NULL is accepted */
int control_fd(const struct control_client *client);

/**
 * control_call() - one request, its reply; notifications that arrive meanwhile are queued
 * @params: object or NULL; the reference is taken over (freed also on failure).
 * @ret_result: new reference, on success only; may be NULL.
 * @timeout_ms: 0 for the default of 10 s.
 * Return: 0, or negative with the daemon's sentence; err->usage is set for CONTROL_ERR_PARAMS.
 * -ENODEV for CONTROL_ERR_UNAVAILABLE, -EBUSY for LEASED/BUSY, -ENOTUNIQ for RESTART,
 * -ETIMEDOUT, -EPIPE when the daemon went away.
 */
int control_call(struct control_client *client, const char *method, json_t *params,
		 json_t **ret_result, unsigned timeout_ms, struct error *err);

/** control_call_fds() - as control_call(); descriptors that came with the reply are put into @fds
 * (up to @max, -1 for the rest), owned by the caller. */
int control_call_fds(struct control_client *client, const char *method, json_t *params,
		     json_t **ret_result, int *fds, unsigned max, struct error *err);

/**
 * control_next_notification() - the next {"method","params"} object
 * Return: 0 with a new reference, -EAGAIN when none came within @timeout_ms (0: only what is there).
 */
int control_next_notification(struct control_client *client, unsigned timeout_ms,
			      json_t **ret_message, struct error *err);

#endif
