/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling of TCP_INFO: libiperf's JSON has no bytes in flight and no reason for waiting. */
#include "bench/tcp_meter.h"

#include <math.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/tcp.h>

#include "common/util.h"

#define FDS_MAX 1024
/* The stream that only receives has sent libiperf's cookie of 37 bytes. */
#define SENDER_BYTES_MIN 64

static int is_sender(int fd, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &len) < 0)
		return 0;
	/* An older kernel fills less: without bytes_acked there is nothing to tell senders by. */
	return len > offsetof(struct tcp_info, tcpi_min_rtt) &&
	       info->tcpi_bytes_acked > SENDER_BYTES_MIN;
}

void tcp_meter_sample(struct tcp_meter *meter, int except_fd)
{
	struct tcp_limits now = {0};
	struct tcp_info info;
	double in_flight = 0;
	unsigned found = 0;
	int fd, gap = 0;

	/* Descriptors are dense: 64 in a row that are none end the search. */
	for (fd = 3; fd < FDS_MAX && gap < 64; fd++, gap++) {
		if (fd == except_fd || !is_sender(fd, &info))
			continue;
		gap = 0;
		found++;
		in_flight += (double)info.tcpi_unacked * info.tcpi_snd_mss;
		now.busy_us += info.tcpi_busy_time;
		now.window_us += info.tcpi_rwnd_limited + info.tcpi_sndbuf_limited;
		if (info.tcpi_min_rtt && info.tcpi_min_rtt != ~0u &&
			(!meter->min_rtt_us || info.tcpi_min_rtt < meter->min_rtt_us))
			meter->min_rtt_us = info.tcpi_min_rtt;
	}
	if (!found)
		return;
	if (meter->samples++ == 0)
		meter->first = now;
	meter->last = now;
	meter->in_flight_sum += in_flight;
}

double tcp_meter_in_flight(const struct tcp_meter *meter)
{
	return meter->samples ? meter->in_flight_sum / meter->samples : (double)NAN;
}

double tcp_meter_window_share(const struct tcp_meter *meter)
{
	uint64_t busy = meter->last.busy_us - meter->first.busy_us;

	return busy ? (double)(meter->last.window_us - meter->first.window_us) / (double)busy : 0;
}
