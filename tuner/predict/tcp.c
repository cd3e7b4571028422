/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP as far as moderation meets it: windows, segmentation, Nagle, acknowledgements. Nothing is lost. */
#include "common/util.h"
#include "tuner/predict/engine_private.h"

void tcp_open(struct end *end)
{
	struct tcp_end *tcp = &end->tcp;

	tcp->window = end->config.initial_window * end->config.mss;
	tcp->edge = end->peer->config.recv_buffer;
	tcp->advertised = end->config.recv_buffer;
	tcp->ack_due_ns = TIME_NEVER;
}

static void send_frame(struct end *end, uint32_t payload)
{
	struct tcp_end *tcp = &end->tcp;

	end->now_ns += end->config.frame_ns;
	tcp->unacked = 0;
	tcp->ack_due_ns = TIME_NEVER;
	nic_send(end, payload, end->now_ns);
}

void tcp_send_ack(struct end *end)
{
	send_frame(end, 0);
}

/* What may leave now [RFC 9293 3.7.4]: full segments within both windows; a last partial one when
 * nothing is outstanding or Nagle is off, and no more of the same write follows. */
static uint32_t segment_size(const struct end *end, bool more)
{
	const struct tcp_end *tcp = &end->tcp;
	uint64_t limit = MIN(tcp->end, MIN(tcp->una + tcp->window, tcp->edge));
	uint64_t size = limit > tcp->nxt ? limit - tcp->nxt : 0;

	if (size >= end->config.mss)
		return end->config.mss;
	if (!size || more || limit != tcp->end)
		return 0;
	return !end->config.nagle || tcp->una == tcp->nxt ? (uint32_t)size : 0;
}

void tcp_output(struct end *end, bool more)
{
	struct tcp_end *tcp = &end->tcp;
	uint32_t size;

	while ((size = segment_size(end, more)) > 0) {
		tcp->nxt += size;
		if (!tcp->sample_end) {
			tcp->sample_end = tcp->nxt;
			tcp->sample_ns = end->now_ns;
		}
		send_frame(end, size);
	}
}

/* BSD wakes at every acknowledgement, others at the low-water mark. */
static void wake_writer(struct end *end)
{
	uint64_t space = end->config.send_buffer - (end->tcp.end - end->tcp.una);

	if (!end->config.wake_any && space < end->config.send_low)
		return;
	if (end->program[0].kind == PROGRAM_WRITE)
		program_wake(&end->program[0]);
}

static void input_ack(struct end *end, uint64_t ack, uint64_t edge)
{
	struct tcp_end *tcp = &end->tcp;

	tcp->edge = MAX(tcp->edge, edge);
	if (ack > tcp->una) {
		tcp->window = MIN(tcp->window + (ack - tcp->una), (uint64_t)1 << 30);
		tcp->una = ack;
		wake_writer(end);
	}
	if (tcp->sample_end && ack >= tcp->sample_end) {
		end->count.rtt_ns += end->now_ns - tcp->sample_ns;
		end->count.rtts++;
		tcp->sample_end = 0;
	}
}

static void input_data(struct end *end, uint32_t payload)
{
	struct tcp_end *tcp = &end->tcp;

	tcp->rcv_nxt += payload;
	for (unsigned i = 0; i < ARRAY_SIZE(end->program); i++)
		if (end->program[i].kind != PROGRAM_WRITE)
			program_wake(&end->program[i]);
	if (++tcp->unacked >= end->config.ack_every && !end->config.ack_batch)
		tcp_send_ack(end);
	else if (tcp->ack_due_ns == TIME_NEVER)
		tcp->ack_due_ns = end->now_ns + end->config.ack_delay_ns;
}

void tcp_input(struct end *end, const struct frame *frame)
{
	end->now_ns += end->config.frame_ns;
	input_ack(end, frame->ack, frame->edge);
	if (end->tcp.nxt != end->tcp.end)
		tcp_output(end, false);
	if (frame->payload)
		input_data(end, frame->payload);
}

/* A read has opened the window: is it worth an update? [RFC 9293 3.8.6.2.2] */
void tcp_after_read(struct end *end)
{
	const struct tcp_end *tcp = &end->tcp;
	uint64_t opened = tcp->read + end->config.recv_buffer - tcp->advertised;
	uint64_t worth = end->config.update_segments
				 ? (uint64_t)end->config.update_segments * end->config.mss
				 : end->config.recv_buffer / 2;

	if (opened >= worth)
		tcp_send_ack(end);
}
