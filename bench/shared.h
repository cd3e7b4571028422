/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trial's parent and its two children share: stamps, flags, small results. Private to bench.
 */
#ifndef MODERATO_BENCH_SHARED_H
#define MODERATO_BENCH_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/hist.h"
#include "bench/tcp_meter.h"

enum bench_side { BENCH_CLIENT, BENCH_SERVER, BENCH_SIDES };

struct shared_side {
	_Atomic uint64_t start_ns; /* CLOCK_MONOTONIC of the test's start, 0: not yet */
	struct tcp_meter tcp;
};

/* Round-trip measuring: written by the client, `stop` by the parent. */
struct shared_rr {
	_Atomic uint64_t begin_ns, end_ns; /* of its window, 0: not yet */
	_Atomic uint32_t stop;		   /* the counters of the end are read: no more traffic */
	uint64_t lost;
	struct hist hist;
};

/* Anonymous shared mapping, zeroed; a child's plain members are read after its end. */
struct bench_shared {
	_Atomic uint32_t port; /* where the server listens; written before ready_fd is */
	struct shared_side side[BENCH_SIDES];
	struct shared_rr rr;
};

/* What a child needs to know; lives in the parent's memory, so the fork hands it over. */
struct bench_job {
	const struct bench_env *env;
	const struct workload *workload;
	struct bench_shared *shared;
	enum bench_side side;
	int ready_fd;  /* eventfd: the server listens */
	int notify_fd; /* eventfd: wakes the parent after a stamp in @shared */
};

#endif
