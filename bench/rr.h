/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP ping-pong: one request at a time, round-trip times into a histogram. */
#ifndef MODERATO_BENCH_RR_H
#define MODERATO_BENCH_RR_H

#include "bench/shared.h"

#define RR_REPLY_TIMEOUT_MS 100 /* a request without an answer for so long is lost */

/** rr_server_child() - answer every datagram with its own bytes until killed. @job: a struct
 * bench_job. A child_fn. */
int rr_server_child(void *job);

/**
 * rr_client_child() - ask, wait, ask again
 * The first 0.2 s are settling. Then the window opens, until workload->seconds from the start are
 * over or workload->samples round trips are measured; the traffic goes on, unmeasured, until the
 * parent has read the counters (shared->rr.stop) or 50 ms are over. A child_fn.
 */
int rr_client_child(void *job);

#endif
