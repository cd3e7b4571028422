/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One trial: run a workload over a path, measure a window of it, judge whether it counts.
 *
 * The measured window. Traffic runs for `workload.seconds`; the first 0.2 s are settling and are
 * dropped. Goodput comes from the receiver's own 0.1 s intervals. The daemon's counters are read at
 * the two edges of the same window: the receiving child stamps CLOCK_MONOTONIC when libiperf starts
 * the test (hook iperf_on_test_start), the parent sleeps until that instant + 0.2 s, calls `stats`,
 * sleeps until 1 ms before the end, and calls `stats` again. Rates use the time in each reply, so a
 * late call widens its window instead of bending its rate; how far the two windows are apart is the
 * figure window_skew_ms, and more than 2 % of the window voids the trial. Chosen over a
 * subscription with interpolation because two calls disturb the driver thread less than 20 to 50
 * messages a second, and a burst between two samples cannot be interpolated.
 */
#ifndef MODERATO_BENCH_BENCH_H
#define MODERATO_BENCH_BENCH_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/hist.h"
#include "bench/metric.h"
#include "bench/workload.h"
#include "common/control_client.h"
#include "common/error.h"

#define BENCH_SETTLE_NS	     UINT64_C(200000000) /* dropped at the start of the traffic */
#define BENCH_INTERVAL_S     0.1
#define BENCH_DEADLINE_NS    UINT64_C(3000000000) /* after the traffic's planned end */
#define BENCH_REASON_MAX     256
#define BENCH_VOID_STEAL_PCT 1.0
#define BENCH_VOID_TAP_DROPS 0.001 /* of the offered frames */
#define BENCH_VOID_SKEW	     0.02  /* of the window */

/* Where trials run. Filled by bench_env_init() and then by hand, or by bench_env_from_daemon(). */
struct bench_env {
	int userns_fd;	    /* entered before the namespaces below, -1: none */
	int local_netns_fd; /* where the client runs, -1: this process's own */
	int peer_netns_fd;  /* where the server runs, -1: this process's own */
	char local[64];	    /* address of the client */
	char peer[64];	    /* address of the server */
	bool peer_external; /* the server is not ours: somebody runs `iperf3 -s` at `peer` */
	unsigned peer_port; /* of an external server, default 5201 */

	struct control_client *control; /* daemon under test, not owned; NULL: a plain path */
	int client_cpu, server_cpu;	/* -1: not pinned */
	char congestion[16];		/* TCP congestion control of every socket */

	/* Facts for the judgement; of no effect on the traffic. */
	bool simulated;
	bool driver_fifo;    /* the driver thread has real-time priority */
	char path_kind[16];  /* "tap", "kernel", "ring", "plain" */
	unsigned speed_mbps; /* where no daemon tells it; 0: not known, no wire-bound note */
	unsigned mtu;

	/* When set and not 0, bench_run() stops early with -EINTR (a signal handler sets it). */
	const volatile sig_atomic_t *stop;
};

/** bench_env_init() - loopback, no daemon, not pinned, cubic (or reno where it is missing). */
void bench_env_init(struct bench_env *ret_env);
/**
 * bench_env_from_daemon() - path, namespaces, addresses and placement from the daemon's `info`
 * Children are pinned to a CPU that is not the driver's, where the machine has one. Also subscribes
 * the connection to events: a settings change by somebody else then voids the trial.
 * @client: stays the caller's and must outlive the environment.
 */
int bench_env_from_daemon(
	struct control_client *client, struct bench_env *ret_env, struct error *err);
/** bench_env_fini() - close the descriptors. */
void bench_env_fini(struct bench_env *env);

enum bench_status { BENCH_OK, BENCH_VOID };

struct bench_result {
	enum bench_status status;
	char reason[BENCH_REASON_MAX]; /* void: one sentence; else "" */
	uint32_t notes;		       /* BENCH_NOTE_BIT(); see bench_notes_format() */
	double metric[METRIC_COUNT];   /* NAN: absent. All NAN in a void trial */
	struct hist *hist;	       /* round-trip times in ns; RR only, else NULL */
	char *client_json; /* what the client printed, NULL for RR; kept for the store */
	char *server_json;
	char iperf_text[BENCH_REASON_MAX]; /* what it printed beside its JSON (warnings), or "" */
	uint64_t begin_ns, end_ns;	   /* CLOCK_MONOTONIC, of the whole call */
	uint64_t window_begin_ns,
		window_end_ns; /* of the counter window, 0 when it was not reached */
};

/**
 * bench_run() - one trial
 * Blocks for workload->seconds plus well under 100 ms; at most 3 s more when something hangs.
 * Never leaves a child behind; descriptors, threads and mappings are as before. Not thread-safe.
 * Return: 0 with a result, also for a void one; negative when no trial can be made: a workload that
 * the sockets cannot carry (usage error), no rights for the namespace, daemon gone (-EPIPE),
 * stopped
 * (-EINTR). @ret_result is written on 0 only; bench_result_fini() frees what it holds.
 */
int bench_run(const struct bench_env *env, const struct workload *workload,
	struct bench_result *ret_result, struct error *err);
void bench_result_fini(struct bench_result *result);

/** bench_result_json() - {"status","reason","notes":[],"metrics":{},"window":{}}; new reference.
 * Absent metrics are left out. */
json_t *bench_result_json(const struct bench_result *result);

/**
 * bench_check_window() - will the kernel grant the window?
 * Linux clips a request at rmem_max/wmem_max and doubles what is left; libiperf then refuses to run
 * when that is less than what was asked. So up to 2 x min(rmem_max, wmem_max) runs, and above it
 * the sentence names both limits and the command that raises them (usage error).
 * @ret_clipped: true when the kernel will grant less than twice the request; may be NULL.
 */
int bench_check_window(uint64_t asked_bytes, uint64_t rmem_max, uint64_t wmem_max,
	bool *ret_clipped, struct error *err);

#endif
