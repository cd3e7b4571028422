/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine: two ends in one virtual time, what their CPUs do next, and what comes out. */
#include "tuner/predict/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "tuner/predict/engine_private.h"

#define SATURATED 0.97 /* busy share from which a CPU or the wire is what bounds a cell */

struct engine {
	struct end end[2]; /* the host, the peer */
	struct hist round_trips;
	struct end_count start[2]; /* at the end of the warm-up */
	uint64_t end_ns;
};

static const char *const bound_names[] = {
	[PREDICT_BOUND_WIRE] = "wire",	   [PREDICT_BOUND_CPU] = "cpu",
	[PREDICT_BOUND_PEER] = "peer",	   [PREDICT_BOUND_WINDOW] = "window",
	[PREDICT_BOUND_THROTTLE] = "throttle", [PREDICT_BOUND_RATE] = "rate",
};

const char *predict_bound_name(enum predict_bound bound)
{
	return bound_names[bound];
}

void predict_default_times(struct predict_job *job)
{
	job->warmup_ns = 20 * NS_PER_MS;
	job->measure_ns = 100 * NS_PER_MS;
	if (job->workload.kind == WORKLOAD_RR)
		job->measure_ns = NS_PER_S;
	if (!job->chip && job->imtimer_us < 0) /* its rate is averaged once a second */
		job->warmup_ns = 2200 * NS_PER_MS;
}

static uint64_t us(double value)
{
	return (uint64_t)(value * 1e3 + 0.5);
}

static void configure_host(struct end_config *c, const struct host *host)
{
	const struct host_value *cost = host->cost;
	const double *rule = host->rule;

	*c = (struct end_config){
		.syscall_ns = us(cost[HOST_COST_SYSCALL].value),
		.copy_ps_per_byte = us(cost[HOST_COST_COPY].value),
		.send_ns = us(cost[HOST_COST_SEND].value),
		.buffer_ns = us(cost[HOST_COST_BUFFER].value),
		.map_ns = us(cost[HOST_COST_MAP].value),
		.frame_ns = us(cost[HOST_COST_FRAME].value),
		.irq_ns = us(cost[HOST_COST_IRQ].value),
		.register_ns = us(cost[HOST_COST_REGISTER].value),
		.wakeup_ns = us(cost[HOST_COST_WAKEUP].value),
		.mss = (uint32_t)rule[HOST_RULE_MSS],
		.send_buffer = (uint32_t)rule[HOST_RULE_SEND_BUFFER],
		.recv_buffer = (uint32_t)rule[HOST_RULE_RECV_BUFFER],
		.send_low = (uint32_t)rule[HOST_RULE_SEND_LOW],
		.wake_any = rule[HOST_RULE_WAKE_ANY] != 0,
		.cluster = (uint32_t)rule[HOST_RULE_CLUSTER],
		.small = (uint32_t)rule[HOST_RULE_SMALL],
		.lend_from = (uint32_t)rule[HOST_RULE_LEND],
		.nagle = rule[HOST_RULE_NAGLE] != 0,
		.ack_every = (uint32_t)rule[HOST_RULE_ACK_EVERY],
		.ack_delay_ns = us(rule[HOST_RULE_ACK_DELAY]),
		.update_segments = (uint32_t)rule[HOST_RULE_UPDATE],
		.initial_window = (uint64_t)rule[HOST_RULE_INITIAL_WINDOW],
	};
}

static void configure_peer(struct end_config *c, const struct host *host)
{
	const double *peer = host->peer;

	*c = (struct end_config){
		.syscall_ns = us(peer[HOST_PEER_SYSCALL]),
		.copy_ps_per_byte = us(peer[HOST_PEER_COPY]),
		.buffer_ns = us(peer[HOST_PEER_BUFFER]),
		.frame_ns = us(peer[HOST_PEER_FRAME]),
		.irq_ns = us(peer[HOST_PEER_IRQ]),
		.wakeup_ns = us(peer[HOST_PEER_WAKEUP]),
		.mss = (uint32_t)host->rule[HOST_RULE_MSS],
		.send_buffer = (uint32_t)peer[HOST_PEER_SEND_BUFFER],
		.recv_buffer = (uint32_t)peer[HOST_PEER_RECV_BUFFER],
		.cluster = 32768,
		.nagle = true,
		.ack_every = (uint32_t)peer[HOST_PEER_ACK_EVERY],
		.ack_batch = peer[HOST_PEER_ACK_BATCH] != 0,
		.ack_delay_ns = us(peer[HOST_PEER_ACK_DELAY]),
		.initial_window = (uint64_t)host->rule[HOST_RULE_INITIAL_WINDOW],
	};
}

static void finish_config(struct end_config *c, const struct predict_job *job)
{
	if (job->workload.window_bytes) {
		c->send_buffer = job->workload.window_bytes;
		c->recv_buffer = job->workload.window_bytes;
	}
	if (!c->send_low)
		c->send_low = c->send_buffer / 3;
	c->latency_ns = us(job->host->peer[HOST_PEER_LATENCY]);
	if (job->workload.kind == WORKLOAD_RR)
		c->nagle = false;
}

static void set_program(struct program *program, enum program_kind kind, const struct workload *w)
{
	program->kind = kind;
	program->buffer = w->buffer_bytes;
	if (w->kind == WORKLOAD_UDP && w->rate_bps)
		program->period_ns = (uint64_t)w->buffer_bytes * 8 * NS_PER_S / w->rate_bps;
}

static void set_programs(struct engine *engine, const struct workload *w)
{
	struct program *host = engine->end[0].program, *peer = engine->end[1].program;

	if (w->kind == WORKLOAD_RR) {
		set_program(&host[0], PROGRAM_CLIENT, w);
		set_program(&peer[0], PROGRAM_SERVER, w);
		return;
	}
	if (w->dir != WORKLOAD_RX) {
		set_program(&host[0], PROGRAM_WRITE, w);
		set_program(&peer[1], PROGRAM_READ, w);
	}
	if (w->dir != WORKLOAD_TX) {
		set_program(&host[1], PROGRAM_READ, w);
		set_program(&peer[0], PROGRAM_WRITE, w);
	}
}

static int open_ends(struct engine *engine, const struct predict_job *job, struct error *err)
{
	configure_host(&engine->end[0].config, job->host);
	configure_peer(&engine->end[1].config, job->host);
	for (unsigned i = 0; i < 2; i++) {
		struct end *end = &engine->end[i];
		int r = nic_open(end, job, i == 1, err);

		if (r < 0)
			return r;
		finish_config(&end->config, job);
		end->peer = &engine->end[1 - i];
		end->datagrams = job->workload.kind == WORKLOAD_UDP;
		end->byte_ps = 8000000 / job->speed_mbps;
		end->measure_from_ns = job->warmup_ns;
	}
	tcp_open(&engine->end[0]);
	tcp_open(&engine->end[1]);
	set_programs(engine, &job->workload);
	engine->end[0].round_trips = &engine->round_trips;
	return 0;
}

static void input_datagram(struct end *end, const struct frame *frame)
{
	end->now_ns += end->config.frame_ns;
	if (end->tcp.rcv_nxt + frame->payload - end->tcp.read > end->config.recv_buffer)
		return;
	end->tcp.rcv_nxt += frame->payload;
	program_wake(&end->program[1]);
}

static void begin_service(struct end *end)
{
	struct nic_model *nic = &end->nic;
	unsigned vectors = (unsigned)__builtin_popcount(nic->raised);

	nic->serving = nic->raised;
	nic->raised = 0;
	end->count.irqs += vectors;
	end->now_ns += vectors * end->config.irq_ns;
	if (nic->kind != NIC_CORE || nic->core.mode != INTMODE_MSIX)
		end->now_ns += end->config.register_ns;
	nic_acknowledge(end, true);
}

static void reap(struct end *end)
{
	struct nic_model *nic = &end->nic;

	if (!end->datagrams) {
		nic->tx_reaped = nic->tx_done;
		return;
	}
	if (nic->tx_reaped != nic->tx_done)
		program_wake(&end->program[0]);
	while (nic->tx_reaped != nic->tx_done)
		end->queued_bytes -= nic->tx_bytes[nic->tx_reaped++ & QUEUE_MASK];
}

/* Everything that has arrived; then the handler looks again, and ends when there is nothing. */
static void serve(struct end *end)
{
	struct nic_model *nic = &end->nic;
	bool msix = nic->kind == NIC_CORE && nic->core.mode == INTMODE_MSIX;
	uint32_t until = nic->rx_shown;

	reap(end);
	if (nic->rx_taken == until || (msix && !(nic->serving & 1))) {
		nic->serving = 0;
		nic_acknowledge(end, false);
		return;
	}
	while (nic->rx_taken != until) {
		const struct frame *frame = &nic->rx[nic->rx_taken++ & QUEUE_MASK];

		end->count.rx_frames++;
		end->count.held++;
		if (nic->raised_ns > frame->arrival_ns)
			end->count.hold_ns += nic->raised_ns - frame->arrival_ns;
		if (end->datagrams)
			input_datagram(end, frame);
		else
			tcp_input(end, frame);
	}
	if (end->config.ack_batch && end->tcp.unacked >= end->config.ack_every)
		tcp_send_ack(end);
}

/* What the CPU does next: interrupts before the delayed acknowledgement before programs. */
static void step(struct end *end)
{
	uint64_t begin_ns = end->now_ns;

	nic_advance(end, begin_ns, false);
	if (end->nic.serving)
		serve(end);
	else if (end->nic.raised)
		begin_service(end);
	else if (end->tcp.ack_due_ns <= begin_ns)
		tcp_send_ack(end);
	else if (!program_run(end))
		end->idle = true;
	end->count.busy_ns += end->now_ns - begin_ns;
}

static uint64_t own_next(const struct end *end)
{
	return MIN(end->tcp.ack_due_ns, program_next(end));
}

static uint64_t next_time(const struct end *end)
{
	return end->idle ? MAX(end->now_ns, MIN(nic_next(end), own_next(end))) : end->now_ns;
}

/* An idle end moves on to its next event; chip events before @until_ns wake nobody by themselves. */
static void pass_time(struct end *end, uint64_t next_ns, uint64_t until_ns)
{
	uint64_t own_ns = own_next(end);

	if (own_ns <= next_ns) {
		end->now_ns = MAX(end->now_ns, own_ns);
		end->idle = false;
		return;
	}
	end->now_ns = nic_advance(end, MAX(next_ns, MIN(until_ns, own_ns)), true);
	if (end->nic.kind == NIC_THROTTLE)
		end->now_ns = MAX(next_ns, end->nic.raised_ns);
	if (end->nic.raised)
		end->idle = false;
}

/* The end that acts is looked at again; the other one only when it was idle and a frame left for it. */
static void run(struct engine *engine, const struct predict_job *job)
{
	uint64_t stop_ns = job->warmup_ns + job->measure_ns;
	uint64_t next[2] = {next_time(&engine->end[0]), next_time(&engine->end[1])};
	bool warm = false;

	for (;;) {
		unsigned i = next[0] > next[1];
		struct end *end = &engine->end[i], *other = &engine->end[1 - i];
		uint32_t sent = end->nic.tx_end;

		if (!warm && next[i] >= job->warmup_ns) {
			warm = true;
			engine->start[0] = engine->end[0].count;
			engine->start[1] = engine->end[1].count;
		}
		if (next[i] >= stop_ns)
			return;
		if (end->idle)
			pass_time(end, next[i], MIN(next[1 - i], stop_ns));
		else
			step(end);
		next[i] = next_time(end);
		if (sent != end->nic.tx_end && other->idle)
			next[1 - i] = next_time(other);
	}
}

static enum predict_bound find_bound(
	const struct predict_job *job, const struct predict_result *result, double wire_share)
{
	double rate = (double)job->workload.rate_bps / 1e6;

	if (rate > 0 && result->goodput_mbps >= 0.99 * rate)
		return PREDICT_BOUND_RATE;
	if (wire_share >= SATURATED)
		return PREDICT_BOUND_WIRE;
	if (result->cpu_pct >= 100 * SATURATED)
		return PREDICT_BOUND_CPU;
	if (result->peer_cpu_pct >= 100 * SATURATED)
		return PREDICT_BOUND_PEER;
	return result->hold_us > result->rtt_us / 2 ? PREDICT_BOUND_THROTTLE : PREDICT_BOUND_WINDOW;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void subtract(struct end_count *count, const struct end_count *start)
{
	uint64_t *to = (uint64_t *)(void *)count;
	const uint64_t *from = (const uint64_t *)(const void *)start;

	for (unsigned i = 0; i < sizeof(*count) / sizeof(*to); i++)
		to[i] -= from[i];
}

static void finish(struct engine *engine, const struct predict_job *job,
	struct predict_result *result)
{
	struct end_count *host = &engine->end[0].count, *peer = &engine->end[1].count;
	double seconds = (double)job->measure_ns / 1e9;

	subtract(host, &engine->start[0]);
	subtract(peer, &engine->start[1]);
	*result = (struct predict_result){
		.goodput_tx_mbps = (double)peer->delivered * 8e-6 / seconds,
		.goodput_rx_mbps = (double)host->delivered * 8e-6 / seconds,
		.irq_per_s = (double)host->irqs / seconds,
		.frames_per_irq = ratio((double)(host->rx_frames + host->tx_frames),
			(double)host->irqs),
		.rx_frames_per_s = (double)host->rx_frames / seconds,
		.tx_frames_per_s = (double)host->tx_frames / seconds,
		.cpu_pct = MIN(100, (double)host->busy_ns / 1e7 / seconds),
		.peer_cpu_pct = MIN(100, (double)peer->busy_ns / 1e7 / seconds),
		.rtt_us = ratio((double)(host->rtt_ns + peer->rtt_ns) / 1e3,
			(double)(host->rtts + peer->rtts)),
		.hold_us = ratio((double)host->hold_ns / 1e3, (double)host->held),
		.rr_p50_us = (double)hist_percentile(&engine->round_trips, 50) / 1e3,
		.rr_p99_us = (double)hist_percentile(&engine->round_trips, 99) / 1e3,
		.wakeups_per_s = (double)host->wakeups / seconds,
		.bytes_per_send = ratio((double)host->sent_bytes, (double)host->sends),
		.virtual_ns = job->warmup_ns + job->measure_ns,
	};
	result->goodput_mbps = result->goodput_tx_mbps + result->goodput_rx_mbps;
	result->bound = find_bound(job, result,
		(double)MAX(host->wire_ns, peer->wire_ns) / (double)job->measure_ns);
}

static int check(const struct predict_job *job, struct error *err)
{
	if (job->workload.streams > 1)
		return error_usage(err, "the predictor has one stream; leave streams= out");
	if (job->workload.kind == WORKLOAD_UDP && job->workload.buffer_bytes > 1472)
		return error_usage(err, "the predictor sends no fragments: UDP up to 1472 bytes");
	if (job->workload.window_bytes > 4194304)
		return error_usage(err, "the predictor's windows go up to 4M");
	return 0;
}

int predict_run(const struct predict_job *job, struct predict_result *ret_result, struct error *err)
{
	struct engine *engine;
	int r = check(job, err);

	if (r < 0)
		return r;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return error_set(err, -ENOMEM, "no memory for a prediction");
	hist_init(&engine->round_trips);
	r = open_ends(engine, job, err);
	if (r == 0) {
		run(engine, job);
		finish(engine, job, ret_result);
	}
	nic_close(&engine->end[0]);
	nic_close(&engine->end[1]);
	free(engine);
	return r;
}
