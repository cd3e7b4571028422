/* SPDX-License-Identifier: BSD-2-Clause */
/* What an iperf process printed: decode, classify, and sum its intervals. Pure. */
#ifndef MODERATO_BENCH_IPERF_JSON_H
#define MODERATO_BENCH_IPERF_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iperf_shape {
	IPERF_COMPLETE,	    /* a whole document with results; text around it is kept as a note */
	IPERF_REFUSED,	    /* nobody listens */
	IPERF_BUSY,	    /* the server runs another test */
	IPERF_CONTROL_LOST, /* the other side or the control connection went away */
	IPERF_TRUNCATED,    /* a document began and did not end, or has no results */
	IPERF_EMPTY,	    /* no document at all */
	IPERF_FAILED,	    /* a whole document that names another error */
	IPERF_SHAPE_COUNT,
};
const char *iperf_shape_name(enum iperf_shape shape);

#define IPERF_NOTE_MAX 256

struct iperf_doc {
	enum iperf_shape shape;
	json_t *root;		    /* the document, NULL when there is none; owned */
	char error[IPERF_NOTE_MAX]; /* its "error", or what is wrong with the text; "" when complete
				     */
	char note[IPERF_NOTE_MAX];  /* text before and after the document, "" for none */
};

/**
 * iperf_doc_parse() - first whole JSON document in @text, and what it means
 * Only IPERF_COMPLETE may yield a number: a document with an `error` or an empty `end` never does.
 */
void iperf_doc_parse(const char *text, size_t len, struct iperf_doc *ret_doc);
void iperf_doc_fini(struct iperf_doc *doc);

/** iperf_doc_validate() - dependencies between request and result: the sums this kind of test must
 * have, bytes above zero, and its length within 10 % of @seconds.
 * Return: NULL when sound, else what is wrong (a static text). */
const char *iperf_doc_validate(const struct iperf_doc *doc, unsigned seconds);

/* Sums of the streams of one direction over a range of intervals. */
struct iperf_window {
	unsigned intervals;
	double begin_s, end_s; /* since the start of the test on this side */
	double bytes;
	double packets, lost;	   /* UDP; packets of a receiver include the lost ones */
	double jitter_us;	   /* mean over intervals and streams, UDP receiver */
	double retransmits;	   /* TCP sender */
	double rtt_us, cwnd_bytes; /* means over intervals and streams, TCP sender */
	bool has_packets, has_tcp_info;
};

/**
 * iperf_window_sum() - intervals that begin from @from_s on and before @to_s
 * @sending: streams for which this side is the sender, else those for which it receives.
 * The receiver of a long queue has a further interval behind the planned end of the test, in which
 * the queue drains: with @to_s at that end it is left out. 0 and INFINITY sum up everything.
 * Return: 0, -ENODATA when no interval or no such stream is there, -EPROTO when a member is missing
 * or of the wrong type.
 */
int iperf_window_sum(const struct iperf_doc *doc, bool sending, double from_s, double to_s,
	struct iperf_window *ret_window);
static inline double iperf_window_mbps(const struct iperf_window *w)
{
	return w->bytes * 8 / (w->end_s - w->begin_s) / 1e6;
}

/** iperf_doc_sockbuf() - the smaller of sndbuf_actual and rcvbuf_actual, 0 when not told. */
uint64_t iperf_doc_sockbuf(const struct iperf_doc *doc);
/** iperf_doc_congestion() - congestion control that the sender used, NULL when not told. */
const char *iperf_doc_congestion(const struct iperf_doc *doc);

#endif
