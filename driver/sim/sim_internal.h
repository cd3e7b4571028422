/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the simulated device and how they see each other; for driver/sim/sim_*.c only. */
#ifndef MODERATO_DRIVER_SIM_SIM_INTERNAL_H
#define MODERATO_DRIVER_SIM_SIM_INTERNAL_H

#include "common/chips/desc.h"
#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim.h"
#include "driver/sim/sim_moderation.h"
#include "driver/sim/sim_offload.h"

#define SIM_REGIONS	16
#define SIM_TAILS	64    /* tail writes that sim_advance() may lag behind */
#define SIM_FRAGMENTS	256   /* descriptors of one transmit packet */
#define SIM_OFFER_BYTES 66048 /* 64 KiB super-frame with headers */
#define SIM_RA_COUNT	REG_RA_COUNT

/* --- host memory (sim_dma.c) --- */

struct sim_region {
	uint8_t *va;
	uint64_t iova;
	size_t size;
};

struct sim_dma {
	struct sim_region region[SIM_REGIONS];
	unsigned count;
	bool master;
};

/* A descriptor ring: registers and their translation. */
struct sim_ring {
	uint64_t base;
	uint32_t bytes;
	uint32_t count; /* descriptors, bytes / 16 */
	uint32_t head;
	uint32_t tail;
	struct desc *desc; /* NULL until translated */
};

/** sim_dma_at() - host memory behind @iova, or NULL (counted): master off, not mapped, faulted.
 * @hint: index of the region that answered last, for the caller's kind of access. */
uint8_t *sim_dma_at(struct sim *sim, uint64_t iova, size_t len, unsigned *hint);
/** sim_ring_ready() - has descriptors that can be reached; translates on first use. */
bool sim_ring_ready(struct sim *sim, struct sim_ring *ring);
/* Ring registers by their distance from the base register, the same in both directions. */
enum {
	RING_BASE_LOW = REG_RDBAL - REG_RDBAL,
	RING_BASE_HIGH = REG_RDBAH - REG_RDBAL,
	RING_BYTES = REG_RDLEN - REG_RDBAL,
	RING_HEAD = REG_RDH - REG_RDBAL,
	RING_TAIL = REG_RDT - REG_RDBAL,
};
/** sim_ring_write() - one of these but the tail. */
void sim_ring_write(struct sim_ring *ring, uint32_t which, uint32_t value);

/* --- link (sim_link.c) --- */

struct sim_link {
	bool up;
	unsigned speed_mbps; /* in force while up */
	uint64_t event_ns;   /* when the link comes up, TIME_NEVER */
	uint64_t down_ns;    /* fault link-flap: when it goes down, TIME_NEVER */
};

/** sim_link_ctrl() - CTRL was written: SLU and forced speed may have changed. */
void sim_link_ctrl(struct sim *sim, uint32_t old_ctrl, uint64_t now_ns);
void sim_link_reset(struct sim *sim);
/** sim_link_flap() - fault link-flap was set: the link goes down now, if it is up. */
void sim_link_flap(struct sim *sim, uint64_t now_ns);
void sim_link_run(struct sim *sim, uint64_t now_ns);
uint64_t sim_link_next(const struct sim *sim);

/* --- transmit (sim_tx.c) --- */

struct sim_tail {
	uint32_t tail;
	uint64_t at_ns;
};

struct sim_fragment {
	const uint8_t *data;
	uint32_t len;
};

struct sim_packet {
	uint32_t next;	/* ring index after its last descriptor */
	uint32_t total; /* bytes in all descriptors */
	unsigned fragment_count;
	struct sim_fragment fragment[SIM_FRAGMENTS];
	struct sim_offload offload;
	bool tse, ixsm, txsm, ifcs;
	/* Progress: what the next wire frame takes. */
	uint32_t segment, offset, segment_len;
	unsigned at_fragment;
	uint32_t at_byte;
	uint8_t header[256];
};

enum sim_tx_phase { SIM_TX_IDLE, SIM_TX_WAITING, SIM_TX_SENDING };

struct sim_tx {
	enum sim_tx_phase phase;
	uint64_t event_ns; /* WAITING: start of a frame; SENDING: it has left the wire */
	uint64_t free_ns;  /* when the wire is free */
	bool hung;	   /* fault */
	struct sim_ring ring;
	uint32_t seen_tail; /* the tail that the transmitter knows ... */
	uint64_t seen_ns;   /* ... and when it was written */
	struct sim_tail tails[SIM_TAILS];
	unsigned tail_first, tail_count;
	struct sim_offload context;
	struct sim_packet packet;
	unsigned hint;
};

void sim_tx_reset(struct sim *sim);
/** sim_tx_write_ring() - TDBAL, TDBAH, TDLEN, TDH: set-up while the transmitter is off; a frame
 * that is on its way is given up. */
void sim_tx_write_ring(struct sim *sim, uint32_t which, uint32_t value);
/** sim_tx_abort() - host memory went away: give up the frame on its way (counted). */
void sim_tx_abort(struct sim *sim);
void sim_tx_write_tail(struct sim *sim, uint32_t tail, uint64_t now_ns);
/** sim_tx_kick() - something that held the transmitter back may be gone. */
void sim_tx_kick(struct sim *sim, uint64_t now_ns);
/** sim_tx_needs_room() - does the next event give out a frame? */
bool sim_tx_needs_room(const struct sim *sim);
void sim_tx_run(struct sim *sim, struct sim_out *out);

/* --- receive (sim_rx.c) --- */

struct sim_rx_frame {
	const uint8_t *data;
	uint32_t len;	 /* without FCS */
	bool known_good; /* checksums were made by this model: no need to verify them again */
};

struct sim_rx {
	struct sim_ring ring;
	uint32_t buffer_bytes; /* RCTL.BSIZE */
	uint32_t crc_bytes;    /* of the FCS that go to the host: 4 without RCTL.SECRC */
	bool enabled;	       /* RCTL.EN */
	bool wedged;	       /* quirk RX_STAYS_ENABLED: EN was cleared */
	bool hung;	       /* fault */
	uint64_t drain_ns;     /* descriptors came: take frames out of the packet buffer */
	uint8_t *buffer;       /* packet buffer: records of header and frame */
	uint32_t buffer_size, put, get, frames, used_bytes, limit_bytes;
	unsigned hint;
	uint8_t scratch[SIM_FRAME_BYTES + 4]; /* a frame with its FCS */
};

int sim_rx_init(struct sim *sim);
void sim_rx_fini(struct sim *sim);
void sim_rx_reset(struct sim *sim);
void sim_rx_write_rctl(struct sim *sim, uint32_t old_rctl);
void sim_rx_write_tail(struct sim *sim, uint32_t tail, uint64_t now_ns);
void sim_rx_drain(struct sim *sim, uint64_t now_ns);
/** sim_rx_arrive() - a frame has come in completely. */
void sim_rx_arrive(struct sim *sim, const struct sim_rx_frame *frame, uint64_t now_ns);

/* --- receive wire: peer and source (sim_wire.c, sim_source.c) --- */

struct sim_offer {
	bool pending;
	uint64_t ready_ns;
	uint32_t len;
	uint32_t segment, offset, payload_len;
	bool segmented;
	struct sim_offload offload;
	uint8_t data[SIM_OFFER_BYTES];
};

struct sim_source_state {
	struct sim_source set;
	uint64_t made;
	uint64_t due_ns;
	uint32_t burst_left;
	/* Period between bursts, whole part and fraction: due = start + k * num / den, exactly. */
	uint64_t period_ns, rest, den, sum;
	uint64_t checksum_base;
	uint32_t len;
	uint8_t frame[SIM_FRAME_BYTES];
};

enum sim_wire_phase { SIM_WIRE_IDLE, SIM_WIRE_WAITING, SIM_WIRE_PEER, SIM_WIRE_SOURCE };

struct sim_wire {
	enum sim_wire_phase phase;
	uint64_t event_ns;
	uint64_t free_ns;
	bool sink;
	struct sim_offer offer;
	struct sim_source_state source;
	uint8_t frame[SIM_FRAME_BYTES];
};

/** sim_wire_ns() - wire time of a frame; @len is without FCS, which counts, like preamble and gap.
 */
uint64_t sim_wire_ns(const struct sim *sim, uint32_t len);
void sim_wire_run(struct sim *sim);
void sim_wire_schedule(struct sim *sim);

uint64_t sim_source_due(const struct sim_source_state *source);
/** sim_source_take() - the next frame; it was sent in full at @end_ns. */
void sim_source_take(struct sim *sim, uint64_t end_ns, struct sim_rx_frame *ret_frame);

/* --- faults (sim_fault.c) --- */

enum sim_fault {
	SIM_FAULT_RX_HANG,
	SIM_FAULT_TX_HANG,
	SIM_FAULT_LINK_FLAP,
	SIM_FAULT_STUCK_RESET,
	SIM_FAULT_LOST_INTERRUPT,
	SIM_FAULT_ALL_ONES,
	SIM_FAULT_DMA_ERROR,
	SIM_FAULT_COUNT
};

struct sim_faults {
	uint64_t left[SIM_FAULT_COUNT];
	uint32_t rx_timer_runs; /* RDTR expiries since rx-hang was set or struck */
};

/** sim_fault_strike() - take one strike of @fault if any is left (counted). */
bool sim_fault_strike(struct sim *sim, enum sim_fault fault);
static inline bool sim_fault_armed(const struct sim_faults *faults, enum sim_fault fault)
{
	return faults->left[fault] != 0;
}

/* --- the whole device (sim.c, sim_regs.c) --- */

struct sim {
	struct sim_options options;
	const struct chip *chip;
	uint64_t now_ns; /* latest event or advance */
	uint64_t raised_ns;
	struct sim_moderation moderation;
	struct sim_tx tx;
	struct sim_rx rx;
	struct sim_wire wire;
	struct sim_link link;
	struct sim_dma dma;
	struct sim_faults faults;
	struct sim_counters counters;
	uint64_t reset_end_ns; /* CTRL.RST clears, TIME_NEVER: not in reset or stuck */
	bool in_reset;
	uint64_t good_rx_octets, good_tx_octets;
	uint64_t address[SIM_RA_COUNT]; /* RAL/RAH as 48 bits; bit 63: valid */
	unsigned address_count;
	uint32_t *reg; /* register file, REG_SPACE_BYTES */
	uint8_t *kind; /* access of each register, 0: not there */
};

static inline uint32_t sim_reg(const struct sim *sim, uint32_t offset)
{
	return sim->reg[offset / 4];
}
static inline void sim_count(struct sim *sim, uint32_t offset)
{
	sim->reg[offset / 4]++;
}

int sim_regs_init(struct sim *sim);
void sim_regs_fini(struct sim *sim);
void sim_regs_reset(struct sim *sim);
void sim_regs_end_reset(struct sim *sim);
/** sim_soft_reset() - CTRL.RST: everything that the bus does not own goes back to the start. */
void sim_soft_reset(struct sim *sim);
/** sim_gone() - fault all-ones: the device does not answer and does nothing. */
static inline bool sim_gone(const struct sim *sim)
{
	return sim_fault_armed(&sim->faults, SIM_FAULT_ALL_ONES);
}

#endif
