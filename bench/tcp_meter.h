/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP_INFO of the sending sockets of this process, summed up over a window. */
#ifndef MODERATO_BENCH_TCP_METER_H
#define MODERATO_BENCH_TCP_METER_H

#include <stdint.h>

/* What the kernel counted since the connections began, in us, all sending sockets together. */
struct tcp_limits {
	uint64_t busy_us;   /* data was outstanding */
	uint64_t window_us; /* of it: waiting for the peer's window or for the send buffer */
};

struct tcp_meter {
	uint32_t samples;
	uint32_t min_rtt_us;  /* 0: none seen */
	double in_flight_sum; /* bytes, of all sockets, per sample */
	struct tcp_limits first, last;
};

/**
 * tcp_meter_sample() - add one sample of every TCP socket that has sent data
 * @except_fd: a connection that carries no test data. Looks at descriptors below 1024: libiperf
 * itself can hold no higher one in its select().
 */
void tcp_meter_sample(struct tcp_meter *meter, int except_fd);

/** tcp_meter_in_flight() - mean bytes in flight, NAN without a sample. */
double tcp_meter_in_flight(const struct tcp_meter *meter);
/** tcp_meter_window_share() - share of busy time spent waiting for window or buffer between first
 * and last sample; 0 when there was none. */
double tcp_meter_window_share(const struct tcp_meter *meter);

#endif
