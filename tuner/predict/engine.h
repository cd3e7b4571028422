/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The predictor's engine: one workload on a described host, its chip, a wire and a peer, in virtual
 * time. Interrupts come from the simulated chip's own moderation core (driver/sim/sim_moderation.h),
 * without descriptors and register decoding; TCP, sockets and the two CPUs are models of their own.
 */
#ifndef MODERATO_TUNER_PREDICT_ENGINE_H
#define MODERATO_TUNER_PREDICT_ENGINE_H

#include <stdint.h>

#include "bench/workload.h"
#include "common/chips/chip.h"
#include "tuner/predict/host.h"

/* What holds the rate of a workload down. */
enum predict_bound {
	PREDICT_BOUND_WIRE,	/* line rate */
	PREDICT_BOUND_CPU,	/* the host's CPU */
	PREDICT_BOUND_PEER,	/* the peer's CPU */
	PREDICT_BOUND_WINDOW,	/* socket buffers: data in flight per round trip */
	PREDICT_BOUND_THROTTLE, /* as window, and most of the round trip is moderation */
	PREDICT_BOUND_RATE,	/* as much as was asked for */
};

struct predict_job {
	const struct host *host;
	const struct chip *chip;   /* NULL with imtimer_us */
	struct settings settings;  /* complete, register units; intmode included */
	struct workload workload;
	unsigned speed_mbps;
	int imtimer_us;		/* chips moderated by a timer [hardware notes 2.7]; chip NULL */
	uint64_t warmup_ns;	/* not measured */
	uint64_t measure_ns;
};

struct predict_result {
	double goodput_mbps, goodput_tx_mbps, goodput_rx_mbps;
	double irq_per_s, frames_per_irq;
	double rx_frames_per_s, tx_frames_per_s;
	double cpu_pct, peer_cpu_pct; /* busy share of the host's and the peer's CPU */
	double rtt_us;	  /* from a segment's hand-over to its acknowledgement's arrival in TCP */
	double hold_us;	  /* mean time that a received frame waits for its interrupt */
	double rr_p50_us, rr_p99_us;
	double wakeups_per_s;
	double bytes_per_send; /* what a writer hands to TCP at once, mean */
	enum predict_bound bound;
	uint64_t virtual_ns;
};

/** predict_default_times() - 20 ms warm-up and 100 ms measured; longer for round trips. */
void predict_default_times(struct predict_job *job);
/**
 * predict_run() - deterministic: the same job gives the same result to the last bit
 * Return: 0, or a usage error for a workload or chip that the engine has no model of.
 */
int predict_run(const struct predict_job *job, struct predict_result *ret_result, struct error *err);
/** predict_bound_name() - "wire", "cpu", "peer", "window", "throttle", "rate". */
const char *predict_bound_name(enum predict_bound bound);

#endif
