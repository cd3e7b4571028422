/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The moderation core of the simulated chip: causes in, interrupts out, time explicit.
 * Pure and apart from the rest of the device, so that a predictor can drive it alone. Register
 * values are raw bits and are decoded here: 256 ns and 1.024 us units, ticks four times as long at
 * 10 and 100 Mb/s [hardware notes 2.2]. Never through the driver's conversion code.
 *
 * Rules: hardware notes 1.7, 1.8 and 2.4. Where no document was found, this model assumes:
 * - A write of ITR or EITRn does not touch a window that runs; the new interval acts from the next.
 * - A write of a delay register does not touch a timer that runs, except that RADV = 0 or RDTR = 0
 *   stops the receive absolute timer and TADV = 0 the transmit absolute timer.
 * - A timer that runs out at the instant of a frame runs out first; the frame starts it anew.
 * - TIDV = 0, which the manual forbids, acts as "at once".
 * - A TCP acknowledgement counts as such when the 8257x ACK mechanism is on (RFCTL.ACK_DIS = 0):
 * with RAID = 0 it interrupts at once, else after RAID. In MSI-X its cause reaches the vector of
 * OTHER, which is the spurious interrupt that drivers avoid by setting ACK_DIS.
 * - MSI-X: a message masks (IMS) those of its causes that EIAC names, and with CTRL_EXT.EIAME those
 *   that IAM names; the host's write of IMS is the re-arm.
 * - CTRL_EXT.INT_TIMERS_CLEAR_ENA and PBA_CLR have no effect (sources contradict each other).
 */
#ifndef MODERATO_DRIVER_SIM_SIM_MODERATION_H
#define MODERATO_DRIVER_SIM_SIM_MODERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/chips/knob.h"
#include "common/chips/regs.h"

#define SIM_VECTORS 5 /* MSI-X table of the 82574 */

struct sim_moderation_config {
	enum chip_family family; /* ICR acknowledge rule, ACK mechanism, TIDV.FPD, auto-mask */
	bool msix_rx_timers;	 /* RDTR and RADV act in MSI-X too */
	bool msix_tx_timers;	 /* TIDV and TADV act in MSI-X too (false on the 82574) */
};

/* One interrupt message, or the line. In INTx and MSI only vector 0 exists. */
struct sim_vector {
	uint32_t causes;	/* ICR bits routed here */
	bool level;		/* one of them is set and unmasked */
	uint64_t assert_ns;	/* when the message is due, TIME_NEVER: not due or already sent */
	uint64_t window_end_ns; /* throttle: no assertion before */
	uint64_t rearm_ns; /* last time the host acknowledged or unmasked: no assertion before */
};

/* Embed it; every member is private to sim_moderation.c except where a function says otherwise. */
struct sim_moderation {
	struct sim_moderation_config config;
	enum intmode mode;
	unsigned vectors;    /* messages the host armed */
	unsigned tick_scale; /* 1 at 1000 Mb/s, else 4 */
	uint64_t next_ns;    /* earliest of all deadlines below */

	/* Raw registers. */
	uint32_t icr, ims, itr, eitr[SIM_VECTORS], ivar, eiac, iam, ctrl_ext, rfctl;
	uint32_t rdtr, radv, rsrpd, raid, tidv, tadv;

	/* Delay timers, TIME_NEVER when they do not run. */
	uint64_t rx_packet_ns, rx_absolute_ns, rx_ack_ns, tx_packet_ns, tx_absolute_ns;

	struct sim_vector vector[SIM_VECTORS];
	/* INTx: the chip's line, and the mask that the bus sets with each event it reports. */
	bool line, line_masked;
	uint64_t line_raise_ns;

	/* Statistics since the last read. */
	uint32_t iac, icrxptc, icrxatc, ictxptc, ictxatc;
};

/** sim_moderation_init() - state after power-up: mode INTx, 1000 Mb/s, everything masked. */
void sim_moderation_init(struct sim_moderation *m, const struct sim_moderation_config *config);
/** sim_moderation_reset() - CTRL.RST: registers, timers, windows and causes back to the start; the
 * interrupt mode, which the bus owns, stays. */
void sim_moderation_reset(struct sim_moderation *m);
/** sim_moderation_set_mode() - what the bus has armed; pending messages are formed anew. */
void sim_moderation_set_mode(struct sim_moderation *m, enum intmode mode, unsigned vectors);
/** sim_moderation_set_speed() - timers started from now on tick for this speed. */
void sim_moderation_set_speed(struct sim_moderation *m, unsigned speed_mbps);

/** sim_moderation_owns() - is the register one of this block? For a register file's dispatch. */
bool sim_moderation_owns(uint32_t offset);
/** sim_moderation_read() - false: not a register of this block. Side effects: ICR, statistics. */
bool sim_moderation_read(
	struct sim_moderation *m, uint32_t offset, uint64_t now_ns, uint32_t *ret_value);
/** sim_moderation_write() - false: not one of this block, which keeps CTRL_EXT and RFCTL too. */
bool sim_moderation_write(
	struct sim_moderation *m, uint32_t offset, uint32_t value, uint64_t now_ns);
/** sim_moderation_unmask_line() - INTx: the bus reports again if the line is still asserted. */
void sim_moderation_unmask_line(struct sim_moderation *m, uint64_t now_ns);

/** sim_moderation_wants_acks() - does sim_moderation_rx() care whether a frame is an ACK? */
static inline bool sim_moderation_wants_acks(const struct sim_moderation *m)
{
	return m->config.family == FAM_E1000E && !(m->rfctl & RFCTL_ACK_DIS);
}

/**
 * sim_moderation_rx() - a received frame was written back
 * @bytes: its length with headers and FCS (RSRPD counts so); @is_ack: TCP ACK without payload
 */
void sim_moderation_rx(struct sim_moderation *m, uint32_t bytes, bool is_ack, uint64_t now_ns);
/** sim_moderation_tx_writes_back() - is a descriptor with this RS bit written back? IVAR bit 31
 * makes every one. */
static inline bool sim_moderation_tx_writes_back(const struct sim_moderation *m, bool rs)
{
	return rs || (m->mode == INTMODE_MSIX && (m->ivar & IVAR_TX_EVERY_WB));
}
/** sim_moderation_tx() - a transmit descriptor was written back; @ide: its IDE bit. */
void sim_moderation_tx(struct sim_moderation *m, bool ide, uint64_t now_ns);
/** sim_moderation_cause() - ICR bits that no delay timer holds back: LSC, RXO, RXDMT0, TXQE. */
void sim_moderation_cause(struct sim_moderation *m, uint32_t causes, uint64_t now_ns);

/** sim_moderation_next() - when sim_moderation_step() is due, TIME_NEVER: nothing runs. */
static inline uint64_t sim_moderation_next(const struct sim_moderation *m)
{
	return m->next_ns;
}

/**
 * sim_moderation_step() - do what is due at sim_moderation_next(), and only that
 * Return: bitmap of vectors whose interrupt was raised, at exactly the time that
 * sim_moderation_next() gave before.
 */
uint32_t sim_moderation_step(struct sim_moderation *m);

#endif
