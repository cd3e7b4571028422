/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process has a VFIO node open: only one at a time may. */
#ifndef MODERATO_COMMON_VFIO_HOLDER_H
#define MODERATO_COMMON_VFIO_HOLDER_H

#include <stdbool.h>

#define VFIO_HOLDER_PROC "/proc" /* @proc, except in tests, which make their own tree */

struct vfio_holder {
	int pid;
	char name[32]; /* as /proc/PID/comm has it, "a process" when that cannot be read */
};

/**
 * vfio_holder_find() - the first process that has @node open ("/dev/vfio/14", "/dev/vfio/devices/vfio0")
 * Return: false when there is none that this user may look into (only root sees everybody's).
 */
bool vfio_holder_find(const char *proc, const char *node, struct vfio_holder *ret_holder);

#endif
