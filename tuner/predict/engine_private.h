/* SPDX-License-Identifier: BSD-2-Clause */
/* One end of a predicted connection: NIC, CPU, TCP, programs. Shared by the engine's files. */
#ifndef MODERATO_TUNER_PREDICT_ENGINE_PRIVATE_H
#define MODERATO_TUNER_PREDICT_ENGINE_PRIVATE_H

#include <stdbool.h>

#include "bench/hist.h"
#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim_moderation.h"
#include "tuner/predict/engine.h"
#include "tuner/predict/imtimer.h"

#define QUEUE_SIZE 8192 /* frames on the way or waiting; a power of two */
#define QUEUE_MASK (QUEUE_SIZE - 1)

/* A frame on its way to a host: acknowledgement and window edge are stream positions in bytes. */
struct frame {
	uint64_t arrival_ns;
	uint64_t ack;
	uint64_t edge;
	uint32_t payload;
};

/* What a program does with its socket. */
enum program_kind { PROGRAM_NONE, PROGRAM_WRITE, PROGRAM_READ, PROGRAM_CLIENT, PROGRAM_SERVER };

struct program {
	enum program_kind kind;
	bool asleep, woken; /* woken: pays for the wake-up when it runs */
	bool waiting;	    /* client: for the answer; server: for the request */
	uint32_t buffer, left; /* of the current call */
	uint64_t due_ns;    /* a paced sender's next datagram */
	uint64_t period_ns;
	uint64_t sent_ns;   /* client */
};

/* Costs and rules of one end, in integers. */
struct end_config {
	uint64_t syscall_ns, send_ns, buffer_ns, map_ns, frame_ns, irq_ns, register_ns, wakeup_ns;
	uint64_t copy_ps_per_byte;
	uint32_t mss, send_buffer, recv_buffer, send_low, cluster, small, lend_from;
	uint32_t ack_every, update_segments;
	uint64_t ack_delay_ns, latency_ns, initial_window;
	bool wake_any, nagle, ack_batch;
};

enum nic_kind { NIC_CORE, NIC_IMTIMER, NIC_THROTTLE };

struct nic_model {
	enum nic_kind kind;
	struct sim_moderation core;
	struct imtimer imtimer;
	bool ide, tx_silent;
	uint64_t throttle_ns, throttle_end_ns; /* NIC_THROTTLE */
	uint32_t raised;  /* vectors waiting for service */
	uint32_t serving; /* vectors being served, 0: no handler runs */
	uint64_t raised_ns; /* when the first of them was raised */
	/* Frames received: [taken, shown) are known to the chip, [shown, end) still travel. */
	struct frame *rx;
	uint32_t rx_taken, rx_shown, rx_end;
	/* Completion times of frames sent: [reaped, done) written back, [done, end) on the wire. */
	uint64_t *tx;
	uint32_t *tx_bytes;
	uint32_t tx_reaped, tx_done, tx_end;
	uint64_t wire_free_ns;
};

struct tcp_end {
	/* Sender: stream positions. */
	uint64_t una, nxt, end, window, edge;
	/* Receiver. */
	uint64_t rcv_nxt, read, advertised;
	uint32_t unacked;
	uint64_t ack_due_ns;
	/* Round-trip sample under way. */
	uint64_t sample_end, sample_ns;
};

struct end_count {
	uint64_t irqs, rx_frames, tx_frames, busy_ns, wakeups, delivered;
	uint64_t rtt_ns, rtts, hold_ns, held, sends, sent_bytes, wire_ns;
};

struct end {
	struct end_config config;
	struct nic_model nic;
	struct tcp_end tcp;
	struct program program[2];
	unsigned next_program;
	bool idle; /* nothing to do before the next event */
	bool datagrams; /* UDP */
	uint64_t now_ns; /* the CPU is free, or was last looked at */
	uint64_t queued_bytes; /* UDP: handed over and not reaped */
	struct end_count count;
	struct end *peer;
	struct hist *round_trips;
	uint64_t measure_from_ns;
	unsigned byte_ps; /* of the wire */
};

static inline uint64_t nic_next_arrival(const struct nic_model *nic)
{
	return nic->rx_shown == nic->rx_end ? TIME_NEVER
					    : nic->rx[nic->rx_shown & QUEUE_MASK].arrival_ns;
}

static inline uint64_t nic_next_completion(const struct nic_model *nic)
{
	return nic->tx_done == nic->tx_end ? TIME_NEVER : nic->tx[nic->tx_done & QUEUE_MASK];
}

/* A plain throttle looks only at frames: the first that nobody has seen, or the window's end. */
static inline uint64_t nic_throttle_next(const struct nic_model *nic)
{
	if (nic->rx_shown == nic->rx_end)
		return TIME_NEVER;
	return MAX(nic->rx[nic->rx_shown & QUEUE_MASK].arrival_ns, nic->throttle_end_ns);
}

static inline uint64_t nic_moderation_next(const struct nic_model *nic)
{
	return nic->kind == NIC_CORE ? sim_moderation_next(&nic->core) : imtimer_next(&nic->imtimer);
}

/* When the chip does something next if the CPU does nothing. */
static inline uint64_t nic_next(const struct end *end)
{
	const struct nic_model *nic = &end->nic;

	if (nic->kind == NIC_THROTTLE)
		return nic_throttle_next(nic);
	return MIN(MIN(nic_next_arrival(nic), nic_next_completion(nic)), nic_moderation_next(nic));
}

/* nic.c */
int nic_open(struct end *end, const struct predict_job *job, bool peer, struct error *err);
void nic_close(struct end *end);
/** nic_advance() - everything due up to and including @until_ns; with @stop, at the first interrupt
 * no further. Return: time of the last thing done. */
uint64_t nic_advance(struct end *end, uint64_t until_ns, bool stop);
/** nic_send() - a frame is handed to the chip at @at_ns. */
void nic_send(struct end *end, uint32_t payload, uint64_t at_ns);
/** nic_acknowledge() - the handler reads the causes, or re-enables what it served. */
void nic_acknowledge(struct end *end, bool begin);
static inline bool nic_has_frame(const struct end *end)
{
	return end->nic.rx_taken != end->nic.rx_shown;
}

/* tcp.c: each returns with end->now_ns moved by what it cost. */
void tcp_open(struct end *end);
void tcp_input(struct end *end, const struct frame *frame);
void tcp_output(struct end *end, bool more);
void tcp_send_ack(struct end *end);
void tcp_after_read(struct end *end);

/* program.c */
/** program_run() - one step of a program that is ready. Return: false when none is. */
bool program_run(struct end *end);
void program_wake(struct program *program);
/** program_next() - when a paced program is due, TIME_NEVER without one. */
uint64_t program_next(const struct end *end);

#endif
