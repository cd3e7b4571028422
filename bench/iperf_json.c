/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding and classification of iperf's JSON, and interval sums. */
#include "bench/iperf_json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/util.h"

/* iperf's timers fire late, never early: an interval that should begin at 0.2 may say 0.1999. */
#define EDGE_SLACK_S 0.02

static const char *const shape_names[IPERF_SHAPE_COUNT] = {
	[IPERF_COMPLETE] = "complete",
	[IPERF_REFUSED] = "refused",
	[IPERF_BUSY] = "busy",
	[IPERF_CONTROL_LOST] = "control lost",
	[IPERF_TRUNCATED] = "truncated",
	[IPERF_EMPTY] = "empty",
	[IPERF_FAILED] = "failed",
};

const char *iperf_shape_name(enum iperf_shape shape)
{
	return shape_names[shape];
}

/* Error texts of 3.12 to 3.21; numbers change meaning between versions, these words do not. */
static const struct {
	const char *words;
	enum iperf_shape shape;
} error_words[] = {
	{"Connection refused", IPERF_REFUSED},
	{"server is busy", IPERF_BUSY},
	{"control socket", IPERF_CONTROL_LOST},
	{"control connection", IPERF_CONTROL_LOST},
	{"Connection reset", IPERF_CONTROL_LOST},
	{"Broken pipe", IPERF_CONTROL_LOST},
	{"unexpectedly closed", IPERF_CONTROL_LOST},
	{"the client has terminated", IPERF_CONTROL_LOST},
	{"the server has terminated", IPERF_CONTROL_LOST},
	{"receive results", IPERF_CONTROL_LOST},
	{"send results", IPERF_CONTROL_LOST},
};

static enum iperf_shape classify_error(const char *error)
{
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(error_words); i++)
		if (strstr(error, error_words[i].words))
			return error_words[i].shape;
	return IPERF_FAILED;
}

/* Printable text of a range on one line, appended to @note. */
static void note_append(char *note, const char *from, const char *to)
{
	size_t used = strlen(note);

	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	if (from < to && used && used + 3 < IPERF_NOTE_MAX) {
		strcpy(note + used, "; ");
		used += 2;
	}
	for (; from < to && used + 1 < IPERF_NOTE_MAX; from++)
		note[used++] = isprint((unsigned char)*from) ? *from : ' ';
	note[used] = '\0';
}

/* A document begins with "{" at the beginning of a line; warnings may stand before it. */
static const char *find_document(const char *text, const char *end)
{
	const char *at = text;

	while (at < end) {
		const char *line = at;

		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (at < end && *at == '{')
			return at;
		at = memchr(line, '\n', (size_t)(end - line));
		if (!at)
			return NULL;
		at++;
	}
	return NULL;
}

static void set_shape(struct iperf_doc *doc, enum iperf_shape shape, const char *error)
{
	doc->shape = shape;
	(void)snprintf(doc->error, sizeof(doc->error), "%s", error);
}

static void classify(struct iperf_doc *doc)
{
	const char *error = json_string_value(json_object_get(doc->root, "error"));

	if (error)
		set_shape(doc, classify_error(error), error);
	else if (json_object_get(doc->root, "event"))
		set_shape(doc, IPERF_TRUNCATED, "one event a line instead of one document");
	else if (json_object_size(json_object_get(doc->root, "end")) == 0)
		set_shape(doc, IPERF_TRUNCATED, "the document has no results");
	else
		doc->shape = IPERF_COMPLETE;
}

void iperf_doc_parse(const char *text, size_t len, struct iperf_doc *ret_doc)
{
	const char *end = text + len, *start = find_document(text, end);
	struct iperf_doc *doc = ret_doc;
	json_error_t error;

	*doc = (struct iperf_doc){.shape = IPERF_EMPTY};
	if (!start) {
		note_append(doc->note, text, end);
		set_shape(doc, IPERF_EMPTY, "no JSON document");
		return;
	}
	note_append(doc->note, text, start);
	doc->root = json_loadb(start, (size_t)(end - start), JSON_DISABLE_EOF_CHECK, &error);
	if (!doc->root) {
		set_shape(doc, IPERF_TRUNCATED, error.text);
		return;
	}
	note_append(doc->note, start + error.position, end);
	classify(doc);
}

void iperf_doc_fini(struct iperf_doc *doc)
{
	json_decref(doc->root);
	*doc = (struct iperf_doc){.shape = IPERF_EMPTY};
}

const char *iperf_doc_validate(const struct iperf_doc *doc, unsigned seconds)
{
	json_t *end = json_object_get(doc->root, "end");
	struct iperf_window sent, received;
	int s, r;

	if (doc->shape != IPERF_COMPLETE)
		return "it has no complete result";
	if (!json_is_object(json_object_get(end, "sum_sent")) ||
		!json_is_object(json_object_get(end, "sum_received")))
		return "its result has no sums";
	s = iperf_window_sum(doc, true, 0, (double)INFINITY, &sent);
	r = iperf_window_sum(doc, false, 0, seconds, &received); /* without what drains later */
	if (s == -EPROTO || r == -EPROTO)
		return "an interval lacks a member";
	if (s < 0 && r < 0)
		return "it has no intervals";
	if ((s == 0 && sent.bytes <= 0) || (r == 0 && received.bytes <= 0))
		return "it moved no byte";
	if (fabs((s == 0 ? sent.end_s : received.end_s) - seconds) > 0.1 * seconds)
		return "it did not last as long as asked";
	return NULL;
}

static bool number_of(json_t *object, const char *name, double *ret)
{
	json_t *member = json_object_get(object, name);

	if (!json_is_number(member))
		return false;
	*ret = json_number_value(member);
	return true;
}

static int add_stream(json_t *stream, struct iperf_window *w)
{
	double bytes, value, lost;

	if (!number_of(stream, "bytes", &bytes))
		return -EPROTO;
	w->bytes += bytes;
	if (number_of(stream, "packets", &value)) {
		w->packets += value;
		w->has_packets = true;
	}
	if (number_of(stream, "lost_packets", &lost) && number_of(stream, "jitter_ms", &value)) {
		w->lost += lost;
		w->jitter_us += 1000 * value;
	}
	if (number_of(stream, "retransmits", &value))
		w->retransmits += value;
	if (number_of(stream, "rtt", &value) && value > 0) {
		w->rtt_us += value;
		w->has_tcp_info = true;
	}
	if (number_of(stream, "snd_cwnd", &value))
		w->cwnd_bytes += value;
	return 0;
}

/* Add the streams of one direction; @ret_begin and @ret_end are those of its first stream. */
static int add_interval(json_t *interval, bool sending, struct iperf_window *w,
	unsigned *ret_streams, double *ret_begin, double *ret_end)
{
	json_t *streams = json_object_get(interval, "streams"), *stream;
	unsigned found = 0;
	size_t i;

	json_array_foreach (streams, i, stream) {
		json_t *sender = json_object_get(stream, "sender");

		if (!json_is_boolean(sender) || json_is_true(json_object_get(stream, "omitted")))
			return -EPROTO;
		if (json_is_true(sender) != sending)
			continue;
		if (found == 0 && (!number_of(stream, "start", ret_begin) ||
					  !number_of(stream, "end", ret_end)))
			return -EPROTO;
		if (add_stream(stream, w) < 0)
			return -EPROTO;
		found++;
	}
	*ret_streams = found;
	return 0;
}

static void finish_means(struct iperf_window *w, unsigned samples)
{
	w->jitter_us /= samples;
	w->rtt_us /= samples;
	w->cwnd_bytes /= samples;
}

int iperf_window_sum(const struct iperf_doc *doc, bool sending, double from_s, double to_s,
	struct iperf_window *ret_window)
{
	json_t *intervals = json_object_get(doc->root, "intervals"), *interval;
	size_t i;
	struct iperf_window sum = {0};
	unsigned samples = 0;

	json_array_foreach (intervals, i, interval) {
		struct iperf_window with = sum;
		unsigned streams = 0;
		double begin = 0, end = 0;

		if (add_interval(interval, sending, &with, &streams, &begin, &end) < 0)
			return -EPROTO;
		if (streams == 0 || begin < from_s - EDGE_SLACK_S || begin >= to_s - EDGE_SLACK_S)
			continue;
		if (with.intervals++ == 0)
			with.begin_s = begin;
		with.end_s = end;
		samples += streams;
		sum = with;
	}
	if (!sum.intervals || sum.end_s <= sum.begin_s)
		return -ENODATA;
	finish_means(&sum, samples);
	*ret_window = sum;
	return 0;
}

uint64_t iperf_doc_sockbuf(const struct iperf_doc *doc)
{
	json_t *start = json_object_get(doc->root, "start");
	json_int_t snd = json_integer_value(json_object_get(start, "sndbuf_actual"));
	json_int_t rcv = json_integer_value(json_object_get(start, "rcvbuf_actual"));

	return snd > 0 && rcv > 0 ? (uint64_t)MIN(snd, rcv) : 0;
}

const char *iperf_doc_congestion(const struct iperf_doc *doc)
{
	json_t *end = json_object_get(doc->root, "end");

	return json_string_value(json_object_get(end, "sender_tcp_congestion"));
}
