/* SPDX-License-Identifier: BSD-2-Clause */
/* The one file that calls libiperf: one test in one forked process. */
#ifndef MODERATO_BENCH_IPERF_RUN_H
#define MODERATO_BENCH_IPERF_RUN_H

#include "bench/shared.h"

/** iperf_server_child() - serve one test, print its JSON. @job: a struct bench_job. A child_fn. */
int iperf_server_child(void *job);
/** iperf_client_child() - run one test, print its JSON. Retries a refused connection for 200 ms and
 * a busy server three times. A child_fn. */
int iperf_client_child(void *job);

/** iperf_version() - of the library that runs, "3.12". */
const char *iperf_version(void);

#endif
