/* SPDX-License-Identifier: BSD-2-Clause */
/* Workload texts, their limits, and the share of the wire that they can use. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/metric.h"
#include "bench/workload.h"
#include "common/util.h"

static void parse_ok(const char *text, struct workload *w)
{
	struct error err = {0};

	if (workload_parse(text, w, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void parse_refused(const char *text, const char *word)
{
	struct workload w, untouched;
	struct error err = {0};

	memset(&w, 0x5a, sizeof(w));
	untouched = w;
	assert_int_not_equal(workload_parse(text, &w, &err), 0);
	assert_true(err.usage);
	assert_memory_equal(&w, &untouched, sizeof(w));
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not name \"%s\"", err.text, word);
}

static void texts_give_the_workloads_they_name(void **state)
{
	struct workload w;

	parse_ok("tcp:tx:128k", &w);
	assert_int_equal(w.kind, WORKLOAD_TCP);
	assert_int_equal(w.dir, WORKLOAD_TX);
	assert_int_equal(w.buffer_bytes, 131072);
	assert_int_equal(w.seconds, 1);
	assert_int_equal(w.streams, 1);
	parse_ok("udp:rx:1k@100M", &w);
	assert_int_equal(w.dir, WORKLOAD_RX);
	assert_int_equal(w.buffer_bytes, 1024);
	assert_int_equal(w.rate_bps, 100000000);
	parse_ok("tcp:bidir:4k/window=64k/streams=4/seconds=2", &w);
	assert_int_equal(w.dir, WORKLOAD_BIDIR);
	assert_int_equal(w.window_bytes, 65536);
	assert_int_equal(w.streams, 4);
	assert_int_equal(w.seconds, 2);
	parse_ok("rr:64/samples=10000", &w);
	assert_int_equal(w.kind, WORKLOAD_RR);
	assert_int_equal(w.samples, 10000);
	parse_ok("udp:tx:1400@2.5G/pacing=20", &w);
	assert_int_equal(w.rate_bps, 2500000000);
	assert_int_equal(w.pacing_us, 20);
}

static void wrong_texts_are_refused_by_name_and_leave_the_output_alone(void **state)
{
	parse_refused("", "kind");
	parse_refused("sctp:tx:1k", "sctp");
	parse_refused("tcp:up:1k", "up");
	parse_refused("tcp:tx", "buffer");
	parse_refused("tcp:tx:1k:9", "too many");
	parse_refused("tcp:tx:1x", "1x");
	parse_refused("tcp:tx:0x10", "0x10");
	parse_refused("tcp:tx:-1", "-1");
	parse_refused("tcp:tx:0", "1 to 1048576");
	parse_refused("tcp:tx:64M", "1 to 1048576");
	parse_refused("tcp:tx:1k/window", "=");
	parse_refused("tcp:tx:1k/colour=3", "colour");
	parse_refused("tcp:tx:1k/streams=300", "streams");
	parse_refused("tcp:tx:1k/streams=-1", "streams");
	parse_refused("tcp:tx:1k/seconds=0", "seconds");
	parse_refused("tcp:tx:1k/samples=5", "rr only");
	parse_refused("udp:tx:1k", "rate");
	parse_refused("udp:tx:8@1M", "16 to 65507");
	parse_refused("udp:tx:128k@1M", "16 to 65507");
	parse_refused("rr:1", "16 to 1472");
	parse_refused("rr:64/streams=2", "rr");
	parse_refused("tcp:tx:1k/streams=99999999999999999999", "streams");
}

static void format_is_the_inverse_of_parse(void **state)
{
	static const char *const texts[] = {
		"tcp:tx:128k",
		"tcp:rx:32",
		"tcp:bidir:4k/window=64k/streams=4/seconds=2",
		"udp:rx:1k@100M",
		"udp:tx:1400@2500M/pacing=20",
		"rr:64/samples=10000",
		"rr:1472",
		"tcp:tx:1000@1G",
		"tcp:tx:1M/window=512M",
	};
	char buf[WORKLOAD_TEXT_MAX];
	struct workload w, again;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		parse_ok(texts[i], &w);
		assert_string_equal(workload_format(&w, buf, sizeof(buf)), texts[i]);
		parse_ok(buf, &again);
		assert_true(workload_equal(&w, &again));
	}
}

static void cell_names_are_short(void **state)
{
	static const char *const names[][2] = {
		{"tcp:tx:128k", "128k tx"},
		{"tcp:rx:32", "32 rx"},
		{"udp:rx:1k@100M", "udp 1k rx @100M"},
		{"rr:64", "rr 64"},
		{"tcp:bidir:4k/window=64k/streams=4", "4k bidir w64k x4"},
	};
	char buf[64];
	struct workload w;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		parse_ok(names[i][0], &w);
		assert_string_equal(workload_cell_name(&w, buf, sizeof(buf)), names[i][1]);
	}
}

static void near(const char *text, unsigned speed, unsigned mtu, double mbps)
{
	struct workload w;

	parse_ok(text, &w);
	assert_true(fabs(workload_wire_limit_mbps(&w, speed, mtu) - mbps) < 0.1);
}

static void the_wire_carries_what_its_framing_leaves(void **state)
{
	struct workload w;

	near("tcp:tx:128k", 1000, 1500, 941.48);
	near("tcp:tx:128k", 100, 1500, 94.15);
	near("udp:tx:1472@1G", 1000, 1500, 957.09);
	near("udp:tx:16@1G", 1000, 1500, 190.48);
	near("tcp:tx:128k", 0, 1500, 0);
	parse_ok("udp:tx:1473@1M", &w);
	assert_true(workload_fragmented(&w, 1500));
	parse_ok("udp:tx:1472@1M", &w);
	assert_false(workload_fragmented(&w, 1500));
	parse_ok("tcp:tx:128k", &w);
	assert_false(workload_fragmented(&w, 1500));
}

static void every_metric_and_note_is_found_by_its_own_name(void **state)
{
	char buf[512];
	int i, j;

	for (i = 0; i < METRIC_COUNT; i++) {
		assert_int_equal(metric_find(metric_table[i].name), i);
		for (j = 0; j < i; j++)
			assert_string_not_equal(metric_table[i].name, metric_table[j].name);
	}
	assert_int_equal(metric_find("speed_of_light"), -1);
	for (i = 0; i < BENCH_NOTE_COUNT; i++)
		assert_int_equal(bench_notes_parse(bench_note_table[i].name), BENCH_NOTE_BIT(i));
	bench_notes_format((1u << BENCH_NOTE_COUNT) - 1, buf, sizeof(buf));
	assert_int_equal(bench_notes_parse(buf), (1u << BENCH_NOTE_COUNT) - 1);
	assert_int_equal(bench_notes_parse("wire-bound,of-the-future"),
		BENCH_NOTE_BIT(BENCH_NOTE_WIRE_BOUND));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_give_the_workloads_they_name),
		cmocka_unit_test(wrong_texts_are_refused_by_name_and_leave_the_output_alone),
		cmocka_unit_test(format_is_the_inverse_of_parse),
		cmocka_unit_test(cell_names_are_short),
		cmocka_unit_test(the_wire_carries_what_its_framing_leaves),
		cmocka_unit_test(every_metric_and_note_is_found_by_its_own_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
