/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs on a socket: how writes become pieces, when a writer sleeps and when it is woken. */
#include "common/util.h"
#include "tuner/predict/engine_private.h"

void program_wake(struct program *program)
{
	if (!program->asleep)
		return;
	program->asleep = false;
	program->woken = true;
}

static void pay_wakeup(struct end *end, struct program *program)
{
	if (!program->woken)
		return;
	program->woken = false;
	end->now_ns += end->config.wakeup_ns;
	end->count.wakeups++;
}

static uint64_t copy_ns(const struct end *end, uint32_t bytes)
{
	return bytes * end->config.copy_ps_per_byte / 1000;
}

/* How much of the rest of a write goes to TCP at once, and what that costs. */
static uint32_t take_piece(struct end *end, uint32_t left, uint64_t space)
{
	const struct end_config *config = &end->config;
	uint32_t size;

	if (config->lend_from && left >= config->lend_from && space >= config->lend_from) {
		size = (uint32_t)MIN(left, space);
		end->now_ns += config->send_ns + config->map_ns;
		return size;
	}
	if (config->small && (left <= config->small || space < config->cluster))
		size = MIN(left, config->small);
	else
		size = MIN(left, config->cluster);
	size = (uint32_t)MIN(size, space);
	end->now_ns += config->send_ns + copy_ns(end, size) +
		       (size > config->small ? config->buffer_ns : 0);
	return size;
}

/* One piece of a write; the writer sleeps when neither the whole rest nor the mark fits. */
static bool run_writer(struct end *end, struct program *program)
{
	struct tcp_end *tcp = &end->tcp;
	uint64_t space = end->config.send_buffer - (tcp->end - tcp->una);
	uint32_t size;

	if (!program->left) {
		end->now_ns += end->config.syscall_ns;
		program->left = program->buffer;
	}
	if (space < program->left && space < end->config.send_low) {
		program->asleep = true;
		return true;
	}
	size = take_piece(end, program->left, space);
	program->left -= size;
	tcp->end += size;
	end->count.sends++;
	end->count.sent_bytes += size;
	tcp_output(end, program->left > 0);
	return true;
}

/* At most a segment a step, so that interrupts get between; a read that finds no more returns. */
static bool run_reader(struct end *end, struct program *program)
{
	struct tcp_end *tcp = &end->tcp;
	uint64_t there = tcp->rcv_nxt - tcp->read;
	uint32_t size;

	if (!there) {
		if (program->left) {
			program->left = 0;
			tcp_after_read(end);
			return true;
		}
		program->asleep = true;
		return false;
	}
	if (!program->left) {
		end->now_ns += end->config.syscall_ns;
		program->left = program->buffer;
	}
	size = (uint32_t)MIN(there, MIN(program->left, end->config.mss));
	end->now_ns += copy_ns(end, size);
	tcp->read += size;
	end->count.delivered += size;
	program->left -= size;
	if (!program->left)
		tcp_after_read(end);
	return true;
}

static bool run_datagram_writer(struct end *end, struct program *program)
{
	const struct end_config *config = &end->config;

	if (program->due_ns > end->now_ns)
		return false;
	if (end->queued_bytes + program->buffer > config->send_buffer) {
		program->asleep = true;
		return false;
	}
	end->now_ns += config->syscall_ns + config->send_ns + config->buffer_ns +
		       copy_ns(end, program->buffer) + config->frame_ns;
	end->queued_bytes += program->buffer;
	program->due_ns += program->period_ns;
	nic_send(end, program->buffer, end->now_ns);
	return true;
}

static void exchange_write(struct end *end, struct program *program)
{
	end->now_ns += end->config.syscall_ns + end->config.send_ns + end->config.buffer_ns +
		       copy_ns(end, program->buffer);
	end->tcp.end += program->buffer;
	tcp_output(end, false);
}

static bool exchange_read(struct end *end, struct program *program)
{
	struct tcp_end *tcp = &end->tcp;

	if (tcp->rcv_nxt - tcp->read < program->buffer) {
		program->asleep = true;
		return false;
	}
	end->now_ns += end->config.syscall_ns + copy_ns(end, program->buffer);
	tcp->read += program->buffer;
	end->count.delivered += program->buffer;
	return true;
}

static bool run_client(struct end *end, struct program *program)
{
	if (!program->waiting) {
		program->sent_ns = end->now_ns;
		exchange_write(end, program);
		program->waiting = true;
		return true;
	}
	if (!exchange_read(end, program))
		return false;
	if (end->round_trips && program->sent_ns >= end->measure_from_ns)
		hist_add(end->round_trips, end->now_ns - program->sent_ns);
	program->waiting = false;
	return true;
}

static bool run_server(struct end *end, struct program *program)
{
	if (!exchange_read(end, program))
		return false;
	exchange_write(end, program);
	return true;
}

static bool run_one(struct end *end, struct program *program)
{
	switch (program->kind) {
	case PROGRAM_WRITE:
		return end->datagrams ? run_datagram_writer(end, program)
				      : run_writer(end, program);
	case PROGRAM_READ:
		return run_reader(end, program);
	case PROGRAM_CLIENT:
		return run_client(end, program);
	case PROGRAM_SERVER:
		return run_server(end, program);
	case PROGRAM_NONE:
		break;
	}
	return false;
}

bool program_run(struct end *end)
{
	for (unsigned i = 0; i < ARRAY_SIZE(end->program); i++) {
		struct program *program = &end->program[(end->next_program + i) & 1];

		if (program->kind == PROGRAM_NONE || program->asleep)
			continue;
		pay_wakeup(end, program);
		if (run_one(end, program)) {
			end->next_program = (end->next_program + i + 1) & 1;
			return true;
		}
	}
	return false;
}

uint64_t program_next(const struct end *end)
{
	const struct program *program = &end->program[0];

	if (end->datagrams && program->kind == PROGRAM_WRITE && !program->asleep)
		return program->due_ns;
	return TIME_NEVER;
}
