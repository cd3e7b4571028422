/* SPDX-License-Identifier: BSD-2-Clause */
/* Who holds a VFIO node open. */
#ifndef MODERATO_DRIVER_BUS_VFIO_HOLDER_H
#define MODERATO_DRIVER_BUS_VFIO_HOLDER_H

#include <stddef.h>

/** vfio_holder() - "process 1234 (name)" of a process that has @node open, or "another process" when
 * none can be seen (only root sees everybody's). Return: @buf. */
const char *vfio_holder(const char *node, char *buf, size_t size);

#endif
