/* SPDX-License-Identifier: BSD-2-Clause */
/* What a daemon that owns a device gives up once it runs: rights it will not need again. */
#ifndef MODERATO_DRIVER_HARDEN_H
#define MODERATO_DRIVER_HARDEN_H

#include "common/error.h"

/**
 * harden_process() - after everything is open and every thread exists
 * For the calling thread and those it starts: no new privileges, no capability but the right to
 * change its own interface and to write files for whoever asks (captures), and no system call that
 * starts programs, mounts, loads code into the kernel or changes namespaces; those fail with
 * EPERM.
 * Return: 0, or negative with a sentence; the daemon then goes on with more rights than it needs.
 */
int harden_process(struct error *err);

#endif
