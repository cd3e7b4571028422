/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames to a pcap file. */
#include "driver/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "common/clock.h"

#define SNAPLEN_MAX  262144 /* libpcap's own limit for Ethernet */
#define BUFFER_BYTES 262144

struct capture {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	FILE *file;	      /* owned by the dumper once there is one */
	uint64_t realtime_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC at the start */
	unsigned snaplen;
	int write_error; /* first one; negative errno, 0 = none */
	struct capture_stats stats;
	char path[];
};

static uint64_t realtime_offset_ns(void)
{
	uint64_t before = clock_now_ns(), wall = clock_read_ns(CLOCK_REALTIME);

	return wall - (before + (clock_now_ns() - before) / 2);
}

static int create_file(struct capture *capture, struct error *err)
{
	int fd = open(capture->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST)
		return error_set(err, -EEXIST,
			"capture file %s exists already and is not overwritten: choose another "
			"name",
			capture->path);
	if (fd < 0)
		return error_sys(err, -errno, "cannot create capture file %s", capture->path);
	capture->file = fdopen(fd, "w");
	if (!capture->file) {
		(void)close(fd);
		(void)unlink(capture->path);
		return error_set(err, -ENOMEM, "capture file %s: out of memory", capture->path);
	}
	(void)setvbuf(capture->file, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

static int open_dumper(struct capture *capture, struct error *err)
{
	capture->pcap = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, (int)capture->snaplen, PCAP_TSTAMP_PRECISION_NANO);
	if (!capture->pcap)
		return error_set(err, -ENOMEM, "capture file %s: out of memory", capture->path);
	capture->dumper = pcap_dump_fopen(capture->pcap, capture->file);
	if (!capture->dumper)
		return error_set(err, -EIO, "capture file %s: %s", capture->path,
			pcap_geterr(capture->pcap));
	return 0;
}

static void capture_free(struct capture *capture)
{
	if (capture->dumper)
		pcap_dump_close(capture->dumper);
	else if (capture->file)
		(void)fclose(capture->file);
	if (capture->pcap)
		pcap_close(capture->pcap);
	free(capture);
}

int capture_start(
	const char *path, unsigned snaplen, struct capture **ret_capture, struct error *err)
{
	struct capture *capture = calloc(1, sizeof(*capture) + strlen(path) + 1);
	int r;

	if (!capture)
		return error_set(err, -ENOMEM, "capture: out of memory");
	memcpy(capture->path, path, strlen(path) + 1);
	capture->snaplen = snaplen && snaplen < SNAPLEN_MAX ? snaplen : SNAPLEN_MAX;
	capture->realtime_ns = realtime_offset_ns();
	r = create_file(capture, err);
	if (r == 0) {
		r = open_dumper(capture, err);
		if (r < 0)
			(void)unlink(path);
	}
	if (r < 0) {
		capture_free(capture);
		return r;
	}
	*ret_capture = capture;
	return 0;
}

void capture_frame(struct capture *capture, uint64_t now_ns, const uint8_t *data, uint32_t len)
{
	uint64_t at_ns = now_ns + capture->realtime_ns;
	struct pcap_pkthdr header = {
		.ts.tv_sec = (time_t)(at_ns / NS_PER_S),
		.ts.tv_usec = (suseconds_t)(at_ns % NS_PER_S), /* nanoseconds in such a file */
		.caplen = len < capture->snaplen ? len : capture->snaplen,
		.len = len,
	};

	/* After a failed write the file ends in the middle of a record: nothing may follow. */
	if (capture->write_error) {
		capture->stats.dropped++;
		return;
	}
	errno = 0;
	pcap_dump((u_char *)capture->dumper, &header, data);
	if (ferror(capture->file)) {
		capture->write_error = errno ? -errno : -EIO;
		capture->stats.dropped++;
		return;
	}
	capture->stats.frames++;
	capture->stats.bytes += len;
}

int capture_stop(struct capture *capture, struct capture_stats *ret_stats, struct error *err)
{
	int r = capture->write_error;

	if (r == 0 && pcap_dump_flush(capture->dumper) < 0)
		r = -errno;
	if (r < 0)
		(void)error_sys(err, r,
			"capture file %s is incomplete (%llu frames taken, %llu dropped)",
			capture->path, (unsigned long long)capture->stats.frames,
			(unsigned long long)capture->stats.dropped);
	*ret_stats = capture->stats;
	capture_free(capture);
	return r;
}
