/* SPDX-License-Identifier: BSD-2-Clause */
/* From what the children printed to flows and figures. */
#include <math.h>
#include <string.h>

#include "bench/trial.h"
#include "common/clock.h"
#include "common/util.h"

#define SETTLE_S	  ((double)BENCH_SETTLE_NS / (double)NS_PER_S)
#define PEER_EDGE_SLACK_S 0.05
/* Fewer samples than this leave a percentile to a handful of round trips. */
#define P99_SAMPLES_MIN	 10000
#define P999_SAMPLES_MIN 100000

static void read_flow(struct trial *trial, struct trial_flow *flow, enum bench_side sender)
{
	const struct iperf_doc *from = &trial->doc[sender], *to = &trial->doc[!sender];
	double end_s = trial->workload->seconds;
	struct iperf_window whole;

	*flow = (struct trial_flow){.wanted = true};
	flow->has_sent = iperf_window_sum(from, true, SETTLE_S, end_s, &flow->sent) == 0;
	flow->has_goodput = iperf_window_sum(to, false, SETTLE_S, end_s, &flow->received) == 0;
	/* Somebody else's server may have intervals of a second: those are of another window. */
	if (trial->env->peer_external && flow->has_goodput &&
		fabs(flow->received.begin_s - SETTLE_S) > PEER_EDGE_SLACK_S)
		flow->has_goodput = false;
	if (!flow->has_goodput && flow->has_sent && trial->env->peer_external) {
		flow->received = flow->sent;
		flow->has_goodput = flow->sender_side = true;
	}
	if (iperf_window_sum(from, true, 0, (double)INFINITY, &whole) == 0)
		flow->sent_total = whole.bytes;
	if (iperf_window_sum(to, false, 0, (double)INFINITY, &whole) == 0)
		flow->received_total = whole.bytes;
}

/* A peer of somebody else hands its document over inside the client's, if it speaks JSON. */
static void adopt_server_output(struct trial *trial)
{
	json_t *inner = json_object_get(trial->doc[BENCH_CLIENT].root, "server_output_json");

	if (!json_is_object(inner))
		return;
	trial->doc[BENCH_SERVER].root = json_incref(inner);
	trial->doc[BENCH_SERVER].shape = IPERF_COMPLETE;
}

void trial_read_results(struct trial *trial)
{
	enum workload_dir dir = trial->workload->dir;
	unsigned side;

	if (trial->workload->kind == WORKLOAD_RR)
		return;
	for (side = 0; side < BENCH_SIDES; side++)
		iperf_doc_parse(trial->child[side].text ? trial->child[side].text : "",
			trial->child[side].text_len, &trial->doc[side]);
	if (trial->env->peer_external)
		adopt_server_output(trial);
	if (dir != WORKLOAD_RX)
		read_flow(trial, &trial->tx, BENCH_CLIENT);
	if (dir != WORKLOAD_TX)
		read_flow(trial, &trial->rx, BENCH_SERVER);
}

double trial_skew_ns(const struct trial *trial)
{
	enum bench_side side = trial_watched_side(trial);
	double start_ns = (double)atomic_load(&trial->shared->side[side].start_ns);
	const struct trial_flow *flow =
		trial->workload->dir == WORKLOAD_TX ? &trial->tx : &trial->rx;
	double begin_ns = start_ns + flow->received.begin_s * 1e9;
	double end_ns = start_ns + flow->received.end_s * 1e9;

	if (trial->workload->kind == WORKLOAD_RR) {
		begin_ns = (double)atomic_load(&trial->shared->rr.begin_ns);
		end_ns = (double)atomic_load(&trial->shared->rr.end_ns);
	}
	return fmax(fabs((double)trial->edge[TRIAL_BEGIN].at_ns - begin_ns),
		fabs((double)trial->edge[TRIAL_END].at_ns - end_ns));
}

/* --- figures --- */

/* Counters of which a trial shows the rate or the growth. */
static const struct {
	enum metric_id metric;
	const char *counter;
	enum { PER_SECOND, SHARE_OF_TIME, PERCENT_OF_TIME, GROWTH } form;
} counter_metrics[] = {
	{METRIC_RX_FRAMES_PER_S, "rx_frames", PER_SECOND},
	{METRIC_TX_FRAMES_PER_S, "tx_frames", PER_SECOND},
	{METRIC_WIRE_RX_FRAMES_PER_S, "sim.wire_rx_frames", PER_SECOND},
	{METRIC_WIRE_TX_FRAMES_PER_S, "sim.wire_tx_frames", PER_SECOND},
	{METRIC_IRQ_PER_S, "irq_messages", PER_SECOND},
	{METRIC_IRQ_V0_PER_S, "irq_vector_0", PER_SECOND},
	{METRIC_IRQ_V1_PER_S, "irq_vector_1", PER_SECOND},
	{METRIC_IRQ_V2_PER_S, "irq_vector_2", PER_SECOND},
	{METRIC_IRQ_RX_PER_S, "irq_cause_rx", PER_SECOND},
	{METRIC_IRQ_TX_PER_S, "irq_cause_tx", PER_SECOND},
	{METRIC_WAKEUPS_PER_S, "irq_wakeups", PER_SECOND},
	{METRIC_GRO_MERGED_PER_S, "rx_gro_merged", PER_SECOND},
	{METRIC_HOST_BOUND_SHARE, "host_bound_ns", SHARE_OF_TIME},
	{METRIC_DRIVER_CPU_PCT, "thread_cpu_ns", PERCENT_OF_TIME},
	{METRIC_DEVICE_CPU_PCT, "sim.device_cpu_ns", PERCENT_OF_TIME},
	{METRIC_TAP_DROPS, "tap_drops", GROWTH},
	{METRIC_RX_MISSED, "rx_missed", GROWTH},
};

static double raised_per_s(const struct trial *trial, double seconds)
{
	static const char *const names[] = {
		"sim.raised_0", "sim.raised_1", "sim.raised_2", "sim.raised_3", "sim.raised_4"};
	double sum = 0, one;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!meter_delta(
			    &trial->edge[TRIAL_BEGIN], &trial->edge[TRIAL_END], names[i], &one))
			return (double)NAN;
		sum += one;
	}
	return sum / seconds;
}

static void compute_counters(const struct trial *trial, double *metric)
{
	const struct meter_edge *a = &trial->edge[TRIAL_BEGIN], *b = &trial->edge[TRIAL_END];
	double seconds = (double)(b->at_ns - a->at_ns) / 1e9;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(counter_metrics); i++) {
		static const double scale[] = {
			[PER_SECOND] = 1, [SHARE_OF_TIME] = 1e-9, [PERCENT_OF_TIME] = 1e-7};
		double delta;

		if (!meter_delta(a, b, counter_metrics[i].counter, &delta))
			continue;
		metric[counter_metrics[i].metric] =
			counter_metrics[i].form == GROWTH
				? delta
				: delta * scale[counter_metrics[i].form] / seconds;
	}
	metric[METRIC_SIM_RAISED_PER_S] = raised_per_s(trial, seconds);
	if (metric[METRIC_IRQ_PER_S] > 0)
		metric[METRIC_FRAMES_PER_IRQ] =
			(metric[METRIC_RX_FRAMES_PER_S] + metric[METRIC_TX_FRAMES_PER_S]) /
			metric[METRIC_IRQ_PER_S];
}

static void compute_machine(const struct trial *trial, double *metric)
{
	const struct meter_edge *a = &trial->edge[TRIAL_BEGIN], *b = &trial->edge[TRIAL_END];
	double total = (double)(b->ticks.total - a->ticks.total);

	if (a->has_local && b->has_local)
		metric[METRIC_LOCAL_CPU_PCT] = 100 * (double)(b->local_cpu_ns - a->local_cpu_ns) /
					       (double)(b->local_ns - a->local_ns);
	if (!a->has_ticks || !b->has_ticks || total <= 0)
		return;
	metric[METRIC_MACHINE_BUSY_PCT] = 100 * (double)(b->ticks.busy - a->ticks.busy) / total;
	metric[METRIC_MACHINE_IRQ_PCT] = 100 * (double)(b->ticks.irq - a->ticks.irq) / total;
	metric[METRIC_MACHINE_SOFTIRQ_PCT] =
		100 * (double)(b->ticks.softirq - a->ticks.softirq) / total;
	metric[METRIC_MACHINE_STEAL_PCT] = 100 * (double)(b->ticks.steal - a->ticks.steal) / total;
}

static void compute_tcp(const struct trial *trial, double *metric)
{
	bool local_sends = trial->workload->dir != WORKLOAD_RX;
	const struct trial_flow *flow = local_sends ? &trial->tx : &trial->rx;
	enum bench_side side = local_sends ? BENCH_CLIENT : BENCH_SERVER;
	const struct tcp_meter *tcp = &trial->shared->side[side].tcp;

	if (trial->tx.wanted == trial->tx.has_sent && trial->rx.wanted == trial->rx.has_sent)
		metric[METRIC_RETRANSMITS] =
			trial->tx.sent.retransmits + trial->rx.sent.retransmits;
	if (flow->has_sent && flow->sent.has_tcp_info) {
		metric[METRIC_RTT_US] = flow->sent.rtt_us;
		metric[METRIC_CWND_BYTES] = flow->sent.cwnd_bytes;
	}
	metric[METRIC_IN_FLIGHT_BYTES] = tcp_meter_in_flight(tcp);
	if (tcp->min_rtt_us)
		metric[METRIC_MIN_RTT_US] = tcp->min_rtt_us;
}

static void compute_udp(const struct trial *trial, double *metric)
{
	double sent = trial->tx.sent_total + trial->rx.sent_total;
	double received = trial->tx.received_total + trial->rx.received_total;
	const struct trial_flow *flow =
		trial->workload->dir == WORKLOAD_TX ? &trial->tx : &trial->rx;

	if (trial->tx.sender_side || trial->rx.sender_side)
		return;
	/* iperf's own loss does not see datagrams that are lost at the very end. */
	if (sent > 0 && received > 0)
		metric[METRIC_LOSS_PCT] = 100 * fmax(0, 1 - received / sent);
	metric[METRIC_JITTER_US] = flow->received.jitter_us;
}

static void compute_flow(const struct trial_flow *flow, double *goodput, double *metric)
{
	if (!flow->wanted)
		return;
	if (flow->has_goodput) {
		*goodput = iperf_window_mbps(&flow->received);
		metric[METRIC_GOODPUT_MBPS] =
			*goodput +
			(isnan(metric[METRIC_GOODPUT_MBPS]) ? 0 : metric[METRIC_GOODPUT_MBPS]);
		metric[METRIC_WINDOW_S] = flow->received.end_s - flow->received.begin_s;
	}
	if (flow->has_sent)
		metric[METRIC_OFFERED_MBPS] =
			iperf_window_mbps(&flow->sent) +
			(isnan(metric[METRIC_OFFERED_MBPS]) ? 0 : metric[METRIC_OFFERED_MBPS]);
}

static void compute_stream(const struct trial *trial, double *metric)
{
	double goodput, driver;

	compute_flow(&trial->tx, &metric[METRIC_GOODPUT_TX_MBPS], metric);
	compute_flow(&trial->rx, &metric[METRIC_GOODPUT_RX_MBPS], metric);
	if (trial->workload->kind == WORKLOAD_TCP)
		compute_tcp(trial, metric);
	else
		compute_udp(trial, metric);
	goodput = metric[METRIC_GOODPUT_MBPS];
	driver = metric[METRIC_DRIVER_CPU_PCT];
	if (!(goodput > 0))
		return;
	/* Percent of a CPU over Mbit/s: (x/100 s per s) / (y/1000 Gbit per s). NAN stays NAN. */
	metric[METRIC_DRIVER_CPU_PER_GBIT] = 10 * driver / goodput;
	metric[METRIC_CPU_PER_GBIT] = 10 * (driver + metric[METRIC_LOCAL_CPU_PCT]) / goodput;
}

static void compute_rr(const struct trial *trial, double *metric)
{
	const struct shared_rr *rr = &trial->shared->rr;
	uint64_t begin_ns = atomic_load(&rr->begin_ns), end_ns = atomic_load(&rr->end_ns);
	const struct hist *hist = &rr->hist;

	metric[METRIC_RR_SAMPLES] = (double)hist->count;
	metric[METRIC_RR_LOST] = (double)rr->lost;
	metric[METRIC_WINDOW_S] = (double)(end_ns - begin_ns) / 1e9;
	metric[METRIC_RR_PER_S] = (double)hist->count / metric[METRIC_WINDOW_S];
	metric[METRIC_RR_MEAN_US] = hist_mean(hist) / 1e3;
	metric[METRIC_RR_P50_US] = (double)hist_percentile(hist, 50) / 1e3;
	if (hist->count >= P99_SAMPLES_MIN)
		metric[METRIC_RR_P99_US] = (double)hist_percentile(hist, 99) / 1e3;
	if (hist->count >= P999_SAMPLES_MIN)
		metric[METRIC_RR_P999_US] = (double)hist_percentile(hist, 99.9) / 1e3;
}

void trial_compute(const struct trial *trial, double *ret_metric)
{
	unsigned i;

	for (i = 0; i < METRIC_COUNT; i++)
		ret_metric[i] = (double)NAN;
	if (!trial->has_edge[TRIAL_END])
		return;
	if (trial->env->control)
		compute_counters(trial, ret_metric);
	compute_machine(trial, ret_metric);
	if (trial->workload->kind == WORKLOAD_RR)
		compute_rr(trial, ret_metric);
	else
		compute_stream(trial, ret_metric);
	ret_metric[METRIC_WINDOW_SKEW_MS] = trial_skew_ns(trial) / 1e6;
}
