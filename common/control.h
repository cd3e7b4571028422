/* SPDX-License-Identifier: BSD-2-Clause */
/* What both ends of the control socket agree on; the methods stand in control.def. */
#ifndef MODERATO_COMMON_CONTROL_H
#define MODERATO_COMMON_CONTROL_H

#include "common/error.h"

#define CONTROL_PROTOCOL   1
#define CONTROL_LINE_MAX   65536 /* bytes of a request with its newline; replies may be longer */

/* JSON-RPC error codes; result.error.data carries {"errno": n, "knob": name} where it applies. */
enum control_error {
	CONTROL_ERR_PARSE = -32700,
	CONTROL_ERR_REQUEST = -32600,
	CONTROL_ERR_METHOD = -32601,
	CONTROL_ERR_PARAMS = -32602,
	CONTROL_ERR_FAILED = -32000,	  /* the device or the system said no */
	CONTROL_ERR_LEASED = -32001,	  /* another connection holds the lease */
	CONTROL_ERR_RESTART = -32002,	  /* the knob needs `restart` */
	CONTROL_ERR_UNAVAILABLE = -32003, /* this device has no such method */
	CONTROL_ERR_TOO_LONG = -32004,
	CONTROL_ERR_BUSY = -32005,	  /* a restart or reset is under way */
};

/** control_socket_dir() - "/run/moderato" as root, else "$XDG_RUNTIME_DIR/moderato" (or
 * "/tmp/moderato-UID"). Returns @buf. */
char *control_socket_dir(char *buf, unsigned long size);
/** control_socket_path() - the socket of the daemon called @name. Returns @buf. */
char *control_socket_path(const char *name, char *buf, unsigned long size);
/** control_default_name() - daemon name made from a device argument: "sim:82574L,x=y" gives
 * "sim-82574L". Returns @buf. */
char *control_default_name(const char *device, char *buf, unsigned long size);
/** control_socket_connect() - connect to a daemon; @name_or_path as for control_connect(). Return: 0
 * with a blocking close-on-exec socket, or negative with a sentence. */
int control_socket_connect(const char *name_or_path, int *ret_fd, struct error *err);

#endif
