/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver core's public face: life cycle, settings, packets, interrupts, statistics of one NIC.
 * One thread owns a NIC and calls everything here. No clock inside: the caller passes the time, and
 * nic_run() tells when it wants to be called next.
 */
#ifndef MODERATO_DRIVER_NIC_H
#define MODERATO_DRIVER_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/chips/chip.h"
#include "common/chips/effective.h"
#include "common/error.h"
#include "driver/bus.h"
#include "driver/vnet.h"

struct nic;

enum nic_state {
	NIC_STOPPED,
	NIC_RESETTING,	/* waiting for the chip to come out of reset */
	NIC_LINK_WAIT,	/* rings run, link not up yet */
	NIC_RUNNING,
	NIC_FAILED,	/* a bounded wait ran out; `restart` may help */
	NIC_GONE,	/* all-ones or unplugged */
};
const char *nic_state_name(enum nic_state state);

enum nic_event {
	NIC_EVENT_STOPPING,	/* interrupt eventfds are about to close: stop watching them */
	NIC_EVENT_LINK_UP,
	NIC_EVENT_LINK_DOWN,
	NIC_EVENT_STARTED,	/* reset, rings and moderation done: settings verified */
	NIC_EVENT_START_FAILED,
	NIC_EVENT_TX_HANG,	/* the watchdog found the transmit ring stuck; a reset follows */
	NIC_EVENT_RX_HANG,	/* receive ring stuck with frames missed; a reset follows */
	NIC_EVENT_LIVELOCK_ON,	/* interrupts above the limit: capped */
	NIC_EVENT_LIVELOCK_OFF,
	NIC_EVENT_GONE,
	NIC_EVENT_SETTINGS_LOST, /* a re-applied setting did not read back */
};
#define NIC_EVENT_COUNT (NIC_EVENT_SETTINGS_LOST + 1)
const char *nic_event_name(enum nic_event event);
/* @detail: one sentence, valid during the call only. */
typedef void (*nic_event_fn)(void *ctx, enum nic_event event, const char *detail);

/** nic_open() - take over an open bus (not its ownership): allocate rings and buffers, read the
 * address. The chip is left stopped and masked. */
int nic_open(struct bus *bus, nic_event_fn event, void *ctx, struct nic **ret_nic, struct error *err);
/** nic_close() - mask, stop, wait at most NIC_LEAVE_US for the chip's bus requests to end, bus mastering
 * off, reset, free; NULL is accepted. The bus stays open. */
#define NIC_LEAVE_US 80000 /* as Intel's shared code waits */
void nic_close(struct nic *nic);

/**
 * nic_start() - begin reset and bring-up with the settings in force changed by @change (may be NULL)
 * Restart knobs are accepted here. Asynchronous: NIC_EVENT_STARTED or NIC_EVENT_START_FAILED
 * follows from nic_run(). Also restarts a running NIC.
 */
int nic_start(struct nic *nic, const struct settings *change, uint64_t now_ns, struct error *err);
/** nic_stop() - receive and transmit off, interrupts masked, device quiet. */
void nic_stop(struct nic *nic);
/** nic_run() - timed work: reset steps, link poll, watchdog, livelock. Return: next deadline. */
uint64_t nic_run(struct nic *nic, uint64_t now_ns);

/* --- settings --- */

/**
 * nic_set() - apply live knobs, all or none, and read them back
 * A restart knob in @change is refused (-EBUSY with "needs restart"). When a register does not read
 * back, the old values are restored and -EIO returned.
 */
int nic_set(struct nic *nic, const struct settings *change, struct error *err);
/** nic_requested() - the settings asked for; every knob of the chip is present. */
const struct settings *nic_requested(const struct nic *nic);
/** nic_readback() - what the registers (and the driver, for pseudo-knobs) hold now. */
void nic_readback(struct nic *nic, struct settings *ret_settings);
/** nic_unreadable() - a knob whose register this device does not let one read, so that nic_readback()
 * gives what was written; NULL when there is none. */
const struct knob *nic_unreadable(const struct nic *nic);
/** nic_effective() - what the chip does with it. */
void nic_effective(struct nic *nic, struct effective *ret_effective);

/* --- identity and state --- */
const struct chip *nic_chip(const struct nic *nic);
enum nic_state nic_state(const struct nic *nic);
/** nic_mac() - own address in force, see nic_set_filter(). */
const uint8_t *nic_mac(const struct nic *nic);
unsigned nic_speed_mbps(const struct nic *nic); /* 0 while the link is down */
bool nic_link_up(const struct nic *nic);
struct bus *nic_bus(const struct nic *nic);
/** nic_intmode() - interrupt mode in force since the last start. */
enum intmode nic_intmode(const struct nic *nic);
/** nic_scratch() - NIC_SCRATCH_BYTES of device-visible memory for frame templates; allocated once,
 * freed with the NIC, so that frames in flight never lose their memory. */
#define NIC_SCRATCH_BYTES 131072
int nic_scratch(struct nic *nic, struct dma_mem *ret_mem, struct error *err);
/** nic_irq_generation() - changes when the eventfds in bus->irq_fd were replaced (restart). */
unsigned nic_irq_generation(const struct nic *nic);

/* --- interrupt service: begin, clean, end --- */

/** nic_irq_begin() - an eventfd of @vector fired @messages times; read and acknowledge causes.
 * Return: the cause bits (ICR layout) that wait for service; 0: not ours. */
uint32_t nic_irq_begin(struct nic *nic, unsigned vector, uint64_t messages, uint64_t now_ns);
/** nic_irq_end() - rings clean (or budget spent with @more): re-arm, unless @more or the livelock
 * guard holds the re-arm back until its deadline in nic_run(). */
void nic_irq_end(struct nic *nic, unsigned vector, bool more, uint64_t now_ns);

/* --- receive --- */
struct rx_frame {
	uint8_t *data;	/* stays valid until nic_rx_release() */
	uint64_t iova;
	uint32_t len;	/* without FCS */
	bool csum_ok;	/* chip verified the TCP/UDP checksum */
	bool csum_bad;	/* chip says it is wrong */
};
/** nic_rx_burst() - up to @max complete frames in ring order. Frames with errors are counted and
 * skipped. */
unsigned nic_rx_burst(struct nic *nic, struct rx_frame *frames, unsigned max);
/** nic_rx_release() - all frames handed out so far are done with: refill and move the tail. */
void nic_rx_release(struct nic *nic);
/** nic_rx_pending() - is a completed descriptor waiting? */
bool nic_rx_pending(const struct nic *nic);

/* --- transmit --- */

/* Room for the largest TAP read: a 64 KiB super-frame with headers. */
#define NIC_TX_RESERVE 66048

/** nic_tx_reserve() - where to put the next frame: NIC_TX_RESERVE contiguous bytes of DMA memory, or
 * NULL while the ring, the memory or the byte limit is full (a completion will free it). */
uint8_t *nic_tx_reserve(struct nic *nic);
/**
 * nic_tx_commit() - queue the @len bytes put at the last reserved place
 * @vnet: checksum and segmentation wishes, NULL for none. Short frames are padded to 60 bytes.
 * Return: 0, or -EINVAL (counted as tx_drop_bad: offsets outside the frame), -EMSGSIZE (longer than
 * the MTU allows and not a GSO frame; tx_drop_long).
 */
int nic_tx_commit(struct nic *nic, uint32_t len, const struct vnet *vnet);
/** nic_tx_post() - queue one plain frame that already lies in DMA memory at @iova; no reserve needed.
 * Return: 0 or -ENOBUFS. */
int nic_tx_post(struct nic *nic, uint64_t iova, uint32_t len);
/** nic_tx_kick() - move the tail over everything queued. */
void nic_tx_kick(struct nic *nic, uint64_t now_ns);
/** nic_tx_reap() - take back completed descriptors. Return: frames completed. */
unsigned nic_tx_reap(struct nic *nic);
/** nic_tx_in_flight() - frames queued and not completed. */
unsigned nic_tx_in_flight(const struct nic *nic);
/** nic_set_mtu() - for frame length checks and receive buffer choice; before nic_start(). */
int nic_set_mtu(struct nic *nic, unsigned mtu, struct error *err);

/* --- statistics --- */
#define NIC_BATCH_BUCKETS 12 /* frames per receive interrupt: 0, 1, 2-3, 4-7, ... */

#define COUNTER(name, unit, meaning) uint64_t name;
struct nic_counters {
#include "driver/counters.def"
	uint64_t batch[NIC_BATCH_BUCKETS];
};
#undef COUNTER
/** nic_counters_of() - writable: the bridge counts into the same struct. */
struct nic_counters *nic_counters_of(struct nic *nic);
/** nic_collect_statistics() - add the chip's clear-on-read counters (missed, errors) to ours. */
void nic_collect_statistics(struct nic *nic);

#endif
