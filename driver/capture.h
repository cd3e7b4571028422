/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of the bridge written to a pcap file by libpcap, with nanosecond stamps. */
#ifndef MODERATO_DRIVER_CAPTURE_H
#define MODERATO_DRIVER_CAPTURE_H

#include <stdint.h>

#include "common/error.h"

struct capture;
struct capture_stats {
	uint64_t frames, bytes, dropped;
};

/** capture_start() - create @path (refused when it exists) with @snaplen bytes a frame (0: whole). */
int capture_start(const char *path, unsigned snaplen, struct capture **ret_capture, struct error *err);
/** capture_frame() - cheap; called for each frame with the monotonic time. Super-frames of the TAP
 * appear as such. */
void capture_frame(struct capture *capture, uint64_t now_ns, const uint8_t *data, uint32_t len);
/** capture_stop() - flush, check for write errors, close. The object is freed either way. */
int capture_stop(struct capture *capture, struct capture_stats *ret_stats, struct error *err);

#endif
