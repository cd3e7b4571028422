/* SPDX-License-Identifier: BSD-2-Clause */
/* Time as the project counts it: unsigned 64-bit nanoseconds. */
#ifndef MODERATO_COMMON_CLOCK_H
#define MODERATO_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* "no deadline": later than any time */
#define TIME_NEVER UINT64_MAX

static inline uint64_t clock_read_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/** clock_now_ns() - CLOCK_MONOTONIC; comparable between the processes of one machine. */
static inline uint64_t clock_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/** clock_thread_cpu_ns() - CPU time of the calling thread, exact to the nanosecond (about 180 ns a
 * call). */
static inline uint64_t clock_thread_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
