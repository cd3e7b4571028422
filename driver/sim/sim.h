/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated Intel gigabit NIC at register level: a pure state machine with explicit time.
 * No thread, no system call, no clock: the caller says what time it is. Two callers drive it: the
 * device thread in real time (sim_thread.c) and tests in virtual time. Raw register bits are decoded
 * here (sim_moderation.c), not through the driver's conversion code, so that driver and model check
 * each other.
 *
 * Not modelled: VLAN tags (VME, VLE, VFTA acts as memory only), the second queues, WTHRESH and its siblings (every write-back is immediate),
 * packet split, RSS, flow control, PCIe errata other than the quirks named in sim_rx.c and
 * sim_moderation.h.
 *
 * Not thread safe: the caller serialises (sim_thread.c holds one lock around every call).
 */
#ifndef MODERATO_DRIVER_SIM_SIM_H
#define MODERATO_DRIVER_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/chips/chip.h"
#include "common/error.h"
#include "driver/vnet.h"

struct sim;

/* Options of "sim:CHIP,option=value,...". */
struct sim_options {
	const struct chip *chip;
	unsigned speed_mbps;	 /* wire speed: 10, 100, 1000 (default 1000); `speed=` */
	bool msix_rx_timers;	 /* RDTR and RADV act in MSI-X; `msix-rx-timers=on|off`, default off */
	bool infinite_wire;	 /* frames take no wire time; `wire=infinite` */
	unsigned peer_usecs;	 /* how long the peer's NIC holds received frames, `peer-usecs=`, default 0 */
	unsigned reset_us;	 /* how long CTRL.RST takes to clear; `reset-usecs=`, default 1000 */
	unsigned link_us;	 /* from SLU to link up; `link-usecs=`, default 2000 */
	uint8_t mac[6];		 /* address in the NVM; `mac=`, default 02:00:00:00:00:01 */
};

/** sim_options_parse() - "82574L,speed=100,msix-rx-timers=on"; unknown option or chip: usage error. */
int sim_options_parse(const char *text, struct sim_options *ret_options, struct error *err);

/** sim_new() / sim_free() - a device out of power-up reset at time @now_ns. */
int sim_new(const struct sim_options *options, uint64_t now_ns, struct sim **ret_sim);
void sim_free(struct sim *sim);

/**
 * sim_read32() / sim_write32() - register access by the host at time @now_ns
 * The access acts on the state that sim_advance() has reached; a device thread that lags behind by
 * some microseconds makes the host see a slightly older state, never a newer one. Unknown offsets
 * read 0 and ignore writes. Writing IMS (or re-enabling) stamps @now_ns as the host's re-arm: no
 * interrupt is raised with an earlier time.
 */
uint32_t sim_read32(struct sim *sim, uint32_t offset, uint64_t now_ns);
void sim_write32(struct sim *sim, uint32_t offset, uint32_t value, uint64_t now_ns);

/** sim_dma_map() / sim_dma_unmap() - make host memory visible at @iova. At most 16 regions. */
int sim_dma_map(struct sim *sim, void *va, uint64_t iova, size_t size);
void sim_dma_unmap(struct sim *sim, uint64_t iova);
/** sim_function_reset() - function level reset: power-up state at once; a stuck reset ends too. */
void sim_function_reset(struct sim *sim);
/** sim_set_master() - while off, DMA is dropped (counted). */
void sim_set_master(struct sim *sim, bool on);
/** sim_set_intmode() - what the bus has armed; INTx line, one MSI message or @vectors MSI-X messages. */
void sim_set_intmode(struct sim *sim, enum intmode mode, unsigned vectors);
/** sim_intx_unmask() - bus level INTx unmask: raises again if the line is still asserted. */
void sim_intx_unmask(struct sim *sim, uint64_t now_ns);

#define SIM_OUT_FRAMES 64
#define SIM_FRAME_BYTES 16128 /* largest frame on the simulated wire */

/* A frame that left the chip and reached the far end of the wire at `at_ns`. */
struct sim_frame {
	uint64_t at_ns;
	uint32_t len;	    /* without FCS */
	uint8_t *data;	    /* SIM_FRAME_BYTES of storage owned by struct sim_out */
};

/* What one sim_advance() produced. */
struct sim_out {
	uint32_t raised;		      /* bitmap of vectors whose interrupt was raised at least once */
	unsigned raise_count[5];	      /* how many messages per vector */
	unsigned frame_count;
	struct sim_frame frame[SIM_OUT_FRAMES]; /* storage by sim_out_init() */
};
int sim_out_init(struct sim_out *out);
void sim_out_fini(struct sim_out *out);

/**
 * sim_advance() - do everything that is due up to @now_ns, in time order
 * Stops early (and says so by a deadline <= @now_ns) when @out is full, or right after raising an
 * interrupt when @stop_on_raise is set, so that a real-time caller can deliver it before time moves.
 * Return: the time of the next event, TIME_NEVER if nothing is scheduled.
 */
uint64_t sim_advance(struct sim *sim, uint64_t now_ns, bool stop_on_raise, struct sim_out *out);

/** sim_raised_ns() - exact time of the latest interrupt that sim_advance() reported. */
uint64_t sim_raised_ns(const struct sim *sim);

/**
 * sim_rx_offer() - a frame (or TSO super-frame, cut into wire frames here) from the peer
 * @ready_ns: when the peer had it ready; it starts on the wire at the later of this and "wire free".
 * Checksums that @vnet leaves to the device are completed here (the peer's NIC does it).
 * Return: 0, -ENOBUFS when a frame is still being sent (ask sim_rx_idle() first), -EINVAL when the
 * frame cannot be parsed (counted).
 */
int sim_rx_offer(struct sim *sim, const uint8_t *data, uint32_t len, const struct vnet *vnet,
		 uint64_t ready_ns);
/** sim_rx_idle() - can another frame be offered? @ret_free_ns: when the receive wire is free. */
bool sim_rx_idle(const struct sim *sim, uint64_t *ret_free_ns);

/* Frame source on the wire (towards the chip). Frames are UDP to the chip's address, valid
 * checksums, a 64-bit sequence number in the payload. */
struct sim_source {
	bool on;
	uint32_t frame_bytes;  /* with FCS: 64..1518 (up to max_frame) */
	double rate_pps;       /* frames a second; 0 = line rate (back to back) */
	uint64_t count;	       /* stop after that many, 0 = no limit */
	uint32_t burst;	       /* frames sent back to back per period, default 1 */
};
int sim_source_set(struct sim *sim, const struct sim_source *source, uint64_t now_ns,
		   struct error *err);
/** sim_sink_set() - on: transmitted frames are counted at the far end and not given out. */
void sim_sink_set(struct sim *sim, bool on);

/**
 * sim_fault_set() - inject a fault (method sim.fault)
 * @count: how often it strikes, 0 clears the fault.
 * "rx-hang": the receiver stops after RDTR > 0 has run out 100 times; "tx-hang": the transmitter
 * stops before its next frame; both until CTRL.RST. "link-flap": down for link_us, @count times.
 * "stuck-reset": CTRL.RST does not clear until the next one or a function level reset.
 * "lost-interrupt": the next messages are not delivered. "all-ones": the device does nothing and the
 * next @count register reads give ffffffff. "dma-error": a frame's data is lost on the bus; received,
 * it has the RXE error, transmitted, it is written back and never seen on the wire.
 * Unknown name: usage error listing the names.
 */
int sim_fault_set(struct sim *sim, const char *name, uint64_t count, uint64_t now_ns, struct error *err);
extern const char *const sim_fault_names[]; /* NULL-terminated */

#define SIM_COUNTER(name, meaning) uint64_t name;
struct sim_counters {
#include "driver/sim/sim_counters.def"
};
#undef SIM_COUNTER
void sim_counters_get(const struct sim *sim, struct sim_counters *ret_counters);

#endif
