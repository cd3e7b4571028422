/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a trial count, and what bounded it? */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/trial.h"
#include "common/util.h"

#define HOST_BOUND_DELIVERED 0.97 /* of the raised interrupts */
#define HOST_BOUND_SHARE     0.05 /* of the time */
#define WIRE_BOUND_SHARE     0.98
#define THROTTLE_SHARE	     0.97
#define WINDOW_BOUND_SHARE   0.5
#define RATE_REACHED_SHARE   0.95

/* Each check: NULL when fine, else @buf with the reason. */
typedef const char *(*trial_check)(const struct trial *trial, char *buf, unsigned long size);

static const char *check_deadline(const struct trial *trial, char *buf, unsigned long size)
{
	if (!trial->timed_out)
		return NULL;
	(void)snprintf(buf, size,
		"no result within %u s after the end of the traffic: the path or the "
		"peer hung",
		(unsigned)(BENCH_DEADLINE_NS / 1000000000u));
	return buf;
}

static const char *check_rr(const struct trial *trial, char *buf, unsigned long size)
{
	const struct shared_rr *rr = &trial->shared->rr;
	unsigned side;

	if (trial->workload->kind != WORKLOAD_RR)
		return NULL;
	for (side = 0; side < BENCH_SIDES; side++) {
		const struct child *child = &trial->child[side];

		if (child->text_len) {
			(void)snprintf(buf, size, "%s: %.*s", child->name,
				(int)strcspn(child->text, "\n"), child->text);
			return buf;
		}
	}
	if (rr->hist.count && atomic_load(&rr->end_ns))
		return NULL;
	(void)snprintf(buf, size, "%s",
		rr->hist.count ? "the ping-pong did not come to its end"
			       : "no request was answered");
	return buf;
}

/* The shape of a document that never came: killed, or ended without a word. */
static const char *describe_end(const struct child *child)
{
	if (child->reaped && WIFSIGNALED(child->wait_status))
		return "it was killed";
	return "it printed nothing";
}

static const char *check_doc(
	const struct trial *trial, enum bench_side side, char *buf, unsigned long size)
{
	const struct iperf_doc *doc = &trial->doc[side];
	const char *wrong;

	if (doc->shape == IPERF_EMPTY) {
		(void)snprintf(buf, size, "%s: empty result: %s", trial->child[side].name,
			doc->note[0] ? doc->note : describe_end(&trial->child[side]));
		return buf;
	}
	if (doc->shape != IPERF_COMPLETE) {
		(void)snprintf(buf, size, "%s: %s: %s", trial->child[side].name,
			iperf_shape_name(doc->shape), doc->error);
		return buf;
	}
	wrong = iperf_doc_validate(doc, trial->workload->seconds);
	if (!wrong)
		return NULL;
	(void)snprintf(
		buf, size, "%s: the result is not sound: %s", trial->child[side].name, wrong);
	return buf;
}

static const char *check_docs(const struct trial *trial, char *buf, unsigned long size)
{
	const char *reason;

	if (trial->workload->kind == WORKLOAD_RR)
		return NULL;
	/* The client knows more: a lost server shows as "refused" or "control lost" there. */
	reason = check_doc(trial, BENCH_CLIENT, buf, size);
	if (!reason && !trial->env->peer_external)
		reason = check_doc(trial, BENCH_SERVER, buf, size);
	return reason;
}

static const char *check_window(const struct trial *trial, char *buf, unsigned long size)
{
	enum bench_side side = trial_watched_side(trial);
	double window_ns, skew_ns;

	if (!atomic_load(&trial->shared->side[side].start_ns)) {
		(void)snprintf(buf, size, "the start of the traffic was not seen");
		return buf;
	}
	if (!trial->has_edge[TRIAL_END]) {
		(void)snprintf(buf, size,
			"the traffic ended before the counters could be read: the machine is too "
			"busy");
		return buf;
	}
	if (trial->workload->kind != WORKLOAD_RR &&
		((trial->tx.wanted && !trial->tx.has_goodput) ||
			(trial->rx.wanted && !trial->rx.has_goodput))) {
		(void)snprintf(buf, size, "the receiver has no intervals after the settling time");
		return buf;
	}
	window_ns = (double)(trial->edge[TRIAL_END].at_ns - trial->edge[TRIAL_BEGIN].at_ns);
	skew_ns = trial_skew_ns(trial);
	if (skew_ns <= BENCH_VOID_SKEW * window_ns)
		return NULL;
	(void)snprintf(buf, size,
		"counters were read %.1f ms off the traffic's window: the machine is too busy",
		skew_ns / 1e6);
	return buf;
}

static const char *check_congestion(const struct trial *trial, char *buf, unsigned long size)
{
	const char *used;

	if (trial->workload->kind != WORKLOAD_TCP)
		return NULL;
	used = iperf_doc_congestion(&trial->doc[BENCH_CLIENT]);
	if (!used || strcmp(used, trial->env->congestion) == 0)
		return NULL;
	(void)snprintf(buf, size, "the sender used congestion control %s instead of %s", used,
		trial->env->congestion);
	return buf;
}

/* --- the device under test --- */

/* A read-back is a number, or the name of a mode. */
static const char *value_text(json_t *value, char *buf, unsigned long size)
{
	if (json_is_string(value))
		(void)snprintf(buf, size, "%s", json_string_value(value));
	else if (json_is_integer(value))
		(void)snprintf(buf, size, "%lld", (long long)json_integer_value(value));
	else
		(void)snprintf(buf, size, "nothing");
	return buf;
}

static const char *check_settings(const struct trial *trial, char *buf, unsigned long size)
{
	json_t *before = json_object_get(trial->before.settings, "knobs"), *row;
	json_t *after = json_object_get(trial->after.settings, "knobs");
	const char *name;

	json_object_foreach (before, name, row) {
		json_t *was = json_object_get(row, "readback");
		json_t *is = json_object_get(json_object_get(after, name), "readback");
		char old[32], new[32];

		if (json_equal(was, is))
			continue;
		(void)snprintf(buf, size, "%s read back %s before and %s after the trial", name,
			value_text(was, old, sizeof(old)), value_text(is, new, sizeof(new)));
		return buf;
	}
	return NULL;
}

static const char *check_link(const struct trial *trial, char *buf, unsigned long size)
{
	json_int_t was = json_integer_value(json_object_get(trial->before.settings, "speed_mbps"));
	json_int_t is = json_integer_value(json_object_get(trial->after.settings, "speed_mbps"));

	if (was == is)
		return NULL;
	(void)snprintf(buf, size, "the link speed went from %lld to %lld Mbit/s", (long long)was,
		(long long)is);
	return buf;
}

static const char *check_upsets(const struct trial *trial, char *buf, unsigned long size)
{
	/* Cause before effect: a hang ends in a reset, a reset takes the link down. */
	static const struct {
		const char *counter, *what;
	} upsets[] = {
		{"tx_hangs", "the transmit ring hung"},
		{"rx_hangs", "the receive ring hung"},
		{"resets", "the chip was reset"},
		{"link_changes", "the link changed"},
	};
	double count;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(upsets); i++) {
		if (!meter_delta(&trial->before.counters, &trial->after.counters, upsets[i].counter,
			    &count) ||
			count == 0)
			continue;
		(void)snprintf(
			buf, size, "%s during the trial (%.0f times)", upsets[i].what, count);
		return buf;
	}
	return NULL;
}

static const char *check_foreign(const struct trial *trial, char *buf, unsigned long size)
{
	if (!trial->foreign[0])
		return NULL;
	(void)snprintf(buf, size, "%s", trial->foreign);
	return buf;
}

static const char *check_tap(const struct trial *trial, char *buf, unsigned long size)
{
	const struct meter_edge *a = &trial->edge[TRIAL_BEGIN], *b = &trial->edge[TRIAL_END];
	double drops, sent;

	if (!meter_delta(a, b, "tap_drops", &drops) || !meter_delta(a, b, "tx_frames", &sent) ||
		drops <= BENCH_VOID_TAP_DROPS * (drops + sent))
		return NULL;
	(void)snprintf(buf, size,
		"the TAP queue dropped %.2f %% of the frames: offered more than the path takes: "
		"give a rate",
		100 * drops / (drops + sent));
	return buf;
}

static const char *check_steal(const struct trial *trial, char *buf, unsigned long size)
{
	const struct meter_edge *a = &trial->edge[TRIAL_BEGIN], *b = &trial->edge[TRIAL_END];
	double total = (double)(b->ticks.total - a->ticks.total), steal;

	if (!a->has_ticks || !b->has_ticks || total <= 0)
		return NULL;
	steal = 100 * (double)(b->ticks.steal - a->ticks.steal) / total;
	if (steal <= BENCH_VOID_STEAL_PCT)
		return NULL;
	(void)snprintf(buf, size, "the hypervisor took %.1f %% of the CPU time", steal);
	return buf;
}

const char *trial_judge(const struct trial *trial, char *buf, unsigned long size)
{
	/* What explains most comes first: a reset also cuts the stream and changes the window. */
	static const trial_check checks[] = {
		check_foreign,
		check_settings,
		check_link,
		check_upsets,
		check_deadline,
		check_rr,
		check_docs,
		check_window,
		check_congestion,
		check_tap,
		check_steal,
	};
	const char *reason = NULL;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(checks) && !reason; i++)
		reason = checks[i](trial, buf, size);
	return reason;
}

/* --- notes --- */

static bool is_host_bound(const double *metric)
{
	return metric[METRIC_IRQ_PER_S] < HOST_BOUND_DELIVERED * metric[METRIC_SIM_RAISED_PER_S] ||
	       metric[METRIC_HOST_BOUND_SHARE] > HOST_BOUND_SHARE;
}

static bool is_wire_bound(const struct trial *trial, const double *metric)
{
	json_int_t told = json_integer_value(json_object_get(trial->before.settings, "speed_mbps"));
	unsigned speed_mbps = told > 0 ? (unsigned)told : trial->env->speed_mbps;
	double limit = WIRE_BOUND_SHARE *
		       workload_wire_limit_mbps(trial->workload, speed_mbps, trial->env->mtu);

	return limit > 0 &&
	       (metric[METRIC_GOODPUT_TX_MBPS] >= limit || metric[METRIC_GOODPUT_RX_MBPS] >= limit);
}

static bool is_throttle_bound(const struct trial *trial, const double *metric)
{
	double limit =
		json_number_value(json_object_get(trial->before.settings, "rate_limit_per_s"));
	const char *mode = json_string_value(json_object_get(trial->before.settings, "intmode"));
	/* In MSI-X the limit is that of vector 0. */
	bool msix = mode && strcmp(mode, "msix") == 0;

	return limit > 0 &&
	       metric[msix ? METRIC_IRQ_V0_PER_S : METRIC_IRQ_PER_S] >= THROTTLE_SHARE * limit;
}

static bool is_window_bound(const struct trial *trial)
{
	enum bench_side side = trial->workload->dir == WORKLOAD_RX ? BENCH_SERVER : BENCH_CLIENT;

	return trial->workload->kind == WORKLOAD_TCP &&
	       tcp_meter_window_share(&trial->shared->side[side].tcp) > WINDOW_BOUND_SHARE;
}

static bool is_window_clipped(const struct trial *trial)
{
	uint64_t granted = iperf_doc_sockbuf(&trial->doc[BENCH_CLIENT]);

	return trial->workload->window_bytes && granted &&
	       granted < 2 * (uint64_t)trial->workload->window_bytes;
}

static bool misses_rate(const struct trial *trial)
{
	const struct trial_flow *flows[] = {&trial->tx, &trial->rx};
	double wanted = RATE_REACHED_SHARE * (double)trial->workload->rate_bps / 1e6;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(flows); i++)
		if (wanted > 0 && flows[i]->has_sent && iperf_window_mbps(&flows[i]->sent) < wanted)
			return true;
	return false;
}

static bool engaged_livelock_limit(const struct trial *trial)
{
	double ns;

	return meter_delta(
		       &trial->edge[TRIAL_BEGIN], &trial->edge[TRIAL_END], "livelock_ns", &ns) &&
	       ns > 0;
}

uint32_t trial_notes(const struct trial *trial, const double *metric)
{
	const struct bench_env *env = trial->env;
	const bool wire_bound = is_wire_bound(trial, metric);
	const bool holds[BENCH_NOTE_COUNT] = {
		[BENCH_NOTE_HOST_BOUND] = is_host_bound(metric),
		[BENCH_NOTE_WIRE_BOUND] = wire_bound,
		[BENCH_NOTE_THROTTLE_BOUND] = is_throttle_bound(trial, metric),
		[BENCH_NOTE_LIVELOCK] = engaged_livelock_limit(trial),
		/* A sender faster than the wire waits for its window too; the wire is why. */
		[BENCH_NOTE_WINDOW_BOUND] = !wire_bound && is_window_bound(trial),
		[BENCH_NOTE_WINDOW_CLIPPED] = is_window_clipped(trial),
		[BENCH_NOTE_RATE_MISSED] = misses_rate(trial),
		[BENCH_NOTE_SCHEDULING_OTHER] = env->control && !env->driver_fifo,
		[BENCH_NOTE_FRAGMENTED] = workload_fragmented(trial->workload, env->mtu),
		[BENCH_NOTE_SENDER_SIDE] = trial->tx.sender_side || trial->rx.sender_side,
		[BENCH_NOTE_PLAIN_PATH] = !env->control,
		[BENCH_NOTE_TRAILING_TEXT] =
			trial->doc[BENCH_CLIENT].note[0] || trial->doc[BENCH_SERVER].note[0],
	};
	uint32_t notes = 0;
	unsigned i;

	for (i = 0; i < BENCH_NOTE_COUNT; i++)
		if (holds[i])
			notes |= BENCH_NOTE_BIT(i);
	return notes;
}
