/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control server of the daemon: JSON-RPC 2.0, one object a line, on a UNIX stream socket. What
 * it understands is common/control.def; batches are refused, a request without an id is done and
 * not answered. Everything runs in the thread of the loop, nothing in here waits.
 */
#ifndef MODERATO_DRIVER_CONTROL_H
#define MODERATO_DRIVER_CONTROL_H

#include <stdint.h>

#include "common/error.h"

struct control;
struct daemon;

/**
 * control_start() - listen, and serve from @daemon's loop
 * The socket is options->socket_path, else made from options->name, else from the device argument;
 * mode 0600 in a directory of mode 0700, which is made when missing. The socket of a daemon that is
 * gone is replaced. Call it after the NIC's runner was added to the loop: the server's own runner,
 * added here, then sees in the same round what the NIC has come to.
 * Return: 0, -EADDRINUSE with a sentence when a live daemon has the socket, or another negative
 * error with a sentence.
 */
int control_start(struct daemon *daemon, struct control **ret_control, struct error *err);

/** control_stop() - tell subscribers, close all connections, remove the socket; ends a capture and
 * a generator that clients left running. The runner must not be called any more. NULL is accepted.
 */
void control_stop(struct control *control);

/** control_event() - send an event to subscribers; also how the server learns why a start failed,
 * so all events of the NIC go here. NULL @control is accepted. May be called at any time. */
void control_event(struct control *control, const char *name, const char *detail);

/** control_run() - the runner: ends of leases, reverts, restarts, statistics for subscribers.
 * Return: next deadline. control_start() adds it to the loop. */
uint64_t control_run(void *control, uint64_t now_ns);

#endif
