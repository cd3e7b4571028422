/* SPDX-License-Identifier: BSD-2-Clause */
/* Array size, min, max, rounding, container-of, and nothing else. */
#ifndef MODERATO_COMMON_UTIL_H
#define MODERATO_COMMON_UTIL_H

#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
/* @step: a power of two, of the type of @n. */
#define ALIGN_UP(n, step) (((n) + (step)-1) & ~((step)-1))
#define CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
