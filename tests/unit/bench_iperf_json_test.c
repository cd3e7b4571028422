/* SPDX-License-Identifier: BSD-2-Clause */
/* Shapes of iperf output, recorded and made, and the arithmetic of the measured window. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/iperf_json.h"
#include "common/util.h"

#define DATA "tests/unit/data/iperf/"

static void parse_file(const char *name, struct iperf_doc *doc)
{
	char path[256], text[16384];
	size_t len;
	FILE *file;

	(void)snprintf(path, sizeof(path), DATA "%s", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing: run from the top of the tree", path);
	len = fread(text, 1, sizeof(text), file);
	(void)fclose(file);
	iperf_doc_parse(text, len, doc);
}

static void recorded_failures_have_a_name_and_never_a_number(void **state)
{
	static const struct {
		const char *file;
		enum iperf_shape shape;
		const char *error;
	} rows[] = {
		{"a-refused.json", IPERF_REFUSED, "Connection refused"},
		{"b-busy.json", IPERF_BUSY, "busy running a test"},
		{"e-nothing.json", IPERF_EMPTY, "no JSON document"},
		{"f-control-lost.json", IPERF_CONTROL_LOST, "control socket has closed"},
		{"f-peer-reset.json", IPERF_CONTROL_LOST, "Connection reset"},
		{"g-client-vanished.json", IPERF_CONTROL_LOST, "unexpectedly closed"},
		{"h-stream-mode.json", IPERF_TRUNCATED, "one event a line"},
		{"truncated.json", IPERF_TRUNCATED, ""},
	};
	struct iperf_doc doc;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		parse_file(rows[i].file, &doc);
		if (doc.shape != rows[i].shape)
			fail_msg("%s: %s", rows[i].file, iperf_shape_name(doc.shape));
		assert_non_null(strstr(doc.error, rows[i].error));
		assert_non_null(iperf_doc_validate(&doc, 1));
		iperf_doc_fini(&doc);
	}
}

static void text_around_a_whole_document_is_a_note_and_the_value_stays(void **state)
{
	struct iperf_window sent;
	struct iperf_doc doc;

	parse_file("c-tail-line.json", &doc);
	assert_int_equal(doc.shape, IPERF_COMPLETE);
	assert_string_equal(doc.note, "iperf3: error - broken pipe");
	assert_null(iperf_doc_validate(&doc, 1));
	assert_int_equal(iperf_window_sum(&doc, true, 0, (double)INFINITY, &sent), 0);
	assert_int_equal(sent.intervals, 3);
	assert_true(sent.bytes > 0 && sent.has_tcp_info);
	iperf_doc_fini(&doc);

	parse_file("d-warning-first.json", &doc);
	assert_int_equal(doc.shape, IPERF_COMPLETE);
	assert_string_equal(doc.note, "warning: Ignoring nonsense TCP MSS 0");
	assert_null(iperf_doc_validate(&doc, 1));
	assert_non_null(iperf_doc_congestion(&doc));
	assert_true(iperf_doc_sockbuf(&doc) > 0);
	iperf_doc_fini(&doc);
}

/* --- made documents --- */

struct maker {
	char text[65536];
	size_t len;
	unsigned intervals;
};

static void add(struct maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct maker *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	m->len += (size_t)vsnprintf(m->text + m->len, sizeof(m->text) - m->len, fmt, ap);
	va_end(ap);
	assert_true(m->len < sizeof(m->text));
}

static void make_begin(struct maker *m)
{
	m->len = m->intervals = 0;
	add(m, "{\"start\":{},\"intervals\":[");
}

static void make_interval(struct maker *m, double start, double end, double sent, double received)
{
	add(m, "%s{\"streams\":[", m->intervals++ ? "," : "");
	if (sent >= 0)
		add(m,
			"{\"start\":%f,\"end\":%f,\"bytes\":%.0f,\"omitted\":false,\"sender\":true,"
			"\"retransmits\":2,\"rtt\":%d,\"snd_cwnd\":10000}",
			start, end, sent, 100 * m->intervals);
	if (received >= 0)
		add(m,
			"%s{\"start\":%f,\"end\":%f,\"bytes\":%.0f,\"omitted\":false,\"sender\":"
			"false,"
			"\"jitter_ms\":0.5,\"lost_packets\":1,\"packets\":100}",
			sent >= 0 ? "," : "", start, end, received);
	add(m, "]}");
}

static void make_end(struct maker *m, struct iperf_doc *doc)
{
	add(m, "],\"end\":{\"sum_sent\":{},\"sum_received\":{}}}");
	iperf_doc_parse(m->text, m->len, doc);
	assert_int_equal(doc->shape, IPERF_COMPLETE);
}

/* Ten intervals of 0.1 s; the first two carry ten times as much. */
static void make_second(struct maker *m, bool sends, bool receives)
{
	unsigned i;

	make_begin(m);
	for (i = 0; i < 10; i++) {
		double bytes = i < 2 ? 1e7 : 1e6;

		make_interval(m, i / 10., (i + 1) / 10., sends ? bytes : -1, receives ? bytes : -1);
	}
}

static void the_settling_intervals_are_dropped(void **state)
{
	struct iperf_window w;
	struct iperf_doc doc;
	struct maker m;

	make_second(&m, false, true);
	make_end(&m, &doc);
	assert_int_equal(iperf_window_sum(&doc, false, 0.2, 1, &w), 0);
	assert_int_equal(w.intervals, 8);
	assert_true(fabs(w.begin_s - 0.2) < 1e-9 && fabs(w.end_s - 1) < 1e-9);
	assert_true(fabs(iperf_window_mbps(&w) - 80) < 1e-6);
	assert_true(w.packets == 800 && w.lost == 8);
	assert_true(fabs(w.jitter_us - 500) < 1e-6);
	assert_int_equal(iperf_window_sum(&doc, true, 0.2, 1, &w), -ENODATA);
	assert_null(iperf_doc_validate(&doc, 1));
	iperf_doc_fini(&doc);
}

static void an_interval_that_begins_a_little_early_still_counts(void **state)
{
	struct iperf_window w;
	struct iperf_doc doc;
	struct maker m;

	make_begin(&m);
	make_interval(&m, 0, 0.0999, 1e7, -1);
	make_interval(&m, 0.0999, 0.1998, 1e7, -1);
	make_interval(&m, 0.1998, 0.6, 4e6, -1);
	make_interval(&m, 0.6, 1, 4e6, -1);
	make_end(&m, &doc);
	assert_int_equal(iperf_window_sum(&doc, true, 0.2, 1, &w), 0);
	assert_int_equal(w.intervals, 2);
	assert_true(fabs(w.begin_s - 0.1998) < 1e-9);
	iperf_doc_fini(&doc);
}

static void what_drains_behind_the_end_is_left_out_of_the_window_only(void **state)
{
	static const double ends[] = {1.003, 1.08, 1.3};
	struct iperf_window w;
	struct iperf_doc doc;
	struct maker m;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		make_second(&m, false, true);
		make_interval(&m, 0.999, ends[i], -1, 5);
		make_end(&m, &doc);
		assert_int_equal(iperf_window_sum(&doc, false, 0.2, 1, &w), 0);
		assert_int_equal(w.intervals, 8);
		assert_true(fabs(w.end_s - 1) < 1e-9);
		assert_int_equal(iperf_window_sum(&doc, false, 0, (double)INFINITY, &w), 0);
		assert_int_equal(w.intervals, 11);
		assert_true(fabs(w.bytes - 28e6 - 5) < 1e-3);
		assert_null(iperf_doc_validate(&doc, 1));
		iperf_doc_fini(&doc);
	}
}

static void both_directions_of_one_document_are_told_apart(void **state)
{
	struct iperf_window sent, received;
	struct iperf_doc doc;
	struct maker m;

	make_begin(&m);
	make_interval(&m, 0, 0.5, 3e6, 1e6);
	make_interval(&m, 0.5, 1, 5e6, 2e6);
	make_end(&m, &doc);
	assert_int_equal(iperf_window_sum(&doc, true, 0, (double)INFINITY, &sent), 0);
	assert_int_equal(iperf_window_sum(&doc, false, 0, (double)INFINITY, &received), 0);
	assert_true(sent.bytes == 8e6 && received.bytes == 3e6);
	assert_true(sent.retransmits == 4 && sent.has_tcp_info);
	assert_true(fabs(sent.rtt_us - 150) < 1e-9 && fabs(sent.cwnd_bytes - 1e4) < 1e-9);
	assert_false(received.has_tcp_info);
	iperf_doc_fini(&doc);
}

static void unsound_results_are_named(void **state)
{
	struct iperf_doc doc;
	struct maker m;

	make_begin(&m);
	make_interval(&m, 0, 1, 0, -1);
	make_end(&m, &doc);
	assert_string_equal(iperf_doc_validate(&doc, 1), "it moved no byte");
	iperf_doc_fini(&doc);

	make_second(&m, true, false);
	make_end(&m, &doc);
	assert_string_equal(iperf_doc_validate(&doc, 2), "it did not last as long as asked");
	iperf_doc_fini(&doc);

	make_begin(&m);
	make_end(&m, &doc);
	assert_string_equal(iperf_doc_validate(&doc, 1), "it has no intervals");
	iperf_doc_fini(&doc);

	make_begin(&m);
	add(&m, "{\"streams\":[{\"sender\":true,\"start\":0,\"end\":1,\"bytes\":\"9\"}]}");
	make_end(&m, &doc);
	assert_string_equal(iperf_doc_validate(&doc, 1), "an interval lacks a member");
	iperf_doc_fini(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_failures_have_a_name_and_never_a_number),
		cmocka_unit_test(text_around_a_whole_document_is_a_note_and_the_value_stays),
		cmocka_unit_test(the_settling_intervals_are_dropped),
		cmocka_unit_test(an_interval_that_begins_a_little_early_still_counts),
		cmocka_unit_test(what_drains_behind_the_end_is_left_out_of_the_window_only),
		cmocka_unit_test(both_directions_of_one_document_are_told_apart),
		cmocka_unit_test(unsound_results_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
