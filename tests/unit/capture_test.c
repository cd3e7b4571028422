/* SPDX-License-Identifier: BSD-2-Clause */
/* Captured frames read back by libpcap; full disks and existing files. */
#include "driver/capture.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "common/clock.h"

struct fixture {
	char directory[64], path[96];
};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	if (!fix)
		return -1;
	(void)strcpy(fix->directory, "/tmp/capture_test.XXXXXX");
	if (!mkdtemp(fix->directory))
		return -1;
	(void)snprintf(fix->path, sizeof(fix->path), "%s/frames.pcap", fix->directory);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	(void)unlink(fix->path);
	(void)rmdir(fix->directory);
	free(fix);
	return 0;
}

static pcap_t *open_file(const struct fixture *fix)
{
	char text[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline_with_tstamp_precision(
		fix->path, PCAP_TSTAMP_PRECISION_NANO, text);

	assert_non_null(pcap);
	assert_int_equal(pcap_datalink(pcap), DLT_EN10MB);
	return pcap;
}

static void frames_come_back_with_nanosecond_wall_clock_stamps(void **state)
{
	struct fixture *fix = *state;
	struct capture_stats stats;
	struct capture *capture;
	struct error err = {0};
	struct pcap_pkthdr *header;
	uint8_t frame[70000];
	const u_char *data;
	uint64_t first = 0, before = clock_read_ns(CLOCK_REALTIME), start = clock_now_ns();
	pcap_t *pcap;

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 7);
	assert_int_equal(capture_start(fix->path, 0, &capture, &err), 0);
	capture_frame(capture, start, frame, 60);
	capture_frame(capture, start + 1, frame + 1, 65549);
	capture_frame(capture, start + NS_PER_S, frame + 2, 1514);
	assert_int_equal(capture_stop(capture, &stats, &err), 0);
	assert_int_equal(stats.frames, 3);
	assert_int_equal(stats.bytes, 60 + 65549 + 1514);
	assert_int_equal(stats.dropped, 0);

	pcap = open_file(fix);
	for (uint32_t i = 0; i < 3; i++) {
		static const uint32_t lengths[] = {60, 65549, 1514};
		static const uint64_t stamps[] = {0, 1, NS_PER_S};
		uint64_t at;

		assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
		at = (uint64_t)header->ts.tv_sec * NS_PER_S + (uint64_t)header->ts.tv_usec;
		first = i ? first : at;
		assert_int_equal(at - first, stamps[i]);
		assert_int_equal(header->len, lengths[i]);
		assert_int_equal(header->caplen, lengths[i]);
		assert_memory_equal(data, frame + i, lengths[i]);
	}
	assert_int_equal(pcap_next_ex(pcap, &header, &data), PCAP_ERROR_BREAK);
	pcap_close(pcap);
	/* The offset between two clocks is known to some microseconds; an hour is another clock. */
	assert_true(first > before - 3600 * NS_PER_S && first < before + 3600 * NS_PER_S);
}

static void snap_length_cuts_but_keeps_the_length(void **state)
{
	struct fixture *fix = *state;
	struct capture_stats stats;
	struct capture *capture;
	struct error err = {0};
	struct pcap_pkthdr *header;
	uint8_t frame[200] = {0};
	const u_char *data;
	pcap_t *pcap;

	assert_int_equal(capture_start(fix->path, 96, &capture, &err), 0);
	capture_frame(capture, 0, frame, sizeof(frame));
	assert_int_equal(capture_stop(capture, &stats, &err), 0);
	pcap = open_file(fix);
	assert_int_equal(pcap_snapshot(pcap), 96);
	assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
	assert_int_equal(header->caplen, 96);
	assert_int_equal(header->len, 200);
	pcap_close(pcap);
}

static void existing_file_is_refused_and_kept(void **state)
{
	struct fixture *fix = *state;
	struct capture *capture = NULL;
	struct error err = {0};
	FILE *file = fopen(fix->path, "w");
	struct stat st;

	assert_non_null(file);
	assert_true(fputs("precious", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(capture_start(fix->path, 0, &capture, &err), -EEXIST);
	assert_non_null(strstr(err.text, fix->path));
	assert_null(capture);
	assert_int_equal(stat(fix->path, &st), 0);
	assert_int_equal(st.st_size, 8);
}

static void missing_directory_is_named(void **state)
{
	struct capture *capture;
	struct error err = {0};

	assert_int_equal(capture_start("/nonexistent/x.pcap", 0, &capture, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/x.pcap"));
}

/* A file size limit stands in for a full disk. */
static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void full_disk_is_an_error_at_stop(void **state)
{
	struct fixture *fix = *state;
	struct capture_stats stats;
	struct capture *capture;
	struct error err = {0};
	uint8_t frame[1514] = {0};
	int r;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(capture_start(fix->path, 0, &capture, &err), 0);
	limit_file_size(1000000);
	for (int i = 0; i < 2000; i++)
		capture_frame(capture, 0, frame, sizeof(frame));
	r = capture_stop(capture, &stats, &err);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(r, -EFBIG);
	assert_non_null(strstr(err.text, "incomplete"));
	assert_true(stats.dropped > 0);
	assert_int_equal(stats.frames + stats.dropped, 2000);
}

static void failure_of_the_last_flush_is_an_error(void **state)
{
	struct fixture *fix = *state;
	struct capture_stats stats;
	struct capture *capture;
	struct error err = {0};
	uint8_t frame[1514] = {0};
	int r;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(capture_start(fix->path, 0, &capture, &err), 0);
	capture_frame(capture, 0, frame, sizeof(frame));
	limit_file_size(100);
	r = capture_stop(capture, &stats, &err);
	limit_file_size(RLIM_INFINITY);
	assert_int_equal(r, -EFBIG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_come_back_with_nanosecond_wall_clock_stamps),
		TEST(snap_length_cuts_but_keeps_the_length),
		TEST(existing_file_is_refused_and_kept),
		TEST(missing_directory_is_named),
		TEST(full_disk_is_an_error_at_stop),
		TEST(failure_of_the_last_flush_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
