/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device bus in virtual time: the simulated chip behind `struct bus`, with a clock that only a
 * test moves. No thread; everything happens inside the calls below, so runs repeat exactly. The bus
 * is an ordinary one for the driver: real eventfds, DMA memory at addresses of its own.
 *
 * A register access takes no time. An interrupt that it makes due is handed out by the next call
 * that moves the clock, be it to the same instant. Not offered here: a peer TAP
 * (bus->ops->sim->attach_peer is NULL); the test plays the peer with sim_vbus_offer() and the frame
 * function.
 */
#ifndef MODERATO_DRIVER_SIM_SIM_VBUS_H
#define MODERATO_DRIVER_SIM_SIM_VBUS_H

#include "driver/bus.h"
#include "driver/sim/sim.h"

/** sim_vbus_open() - @options as for sim_options_parse(); the clock starts at @start_ns (> 0).
 * Close with bus_close(). */
int sim_vbus_open(const char *options, uint64_t start_ns, struct bus **ret_bus, struct error *err);

/** sim_vbus_now() - the clock. */
uint64_t sim_vbus_now(const struct bus *bus);
/** sim_vbus_sim() - the device, for tests that look behind the bus. */
struct sim *sim_vbus_sim(struct bus *bus);

/* Called at each interrupt, after its eventfd was written, with the clock at exactly its time. The
 * handler may use the bus (that is where a driver runs) and may call sim_vbus_spend(). */
typedef void (*sim_vbus_irq_fn)(void *ctx, unsigned vector, uint64_t at_ns);
void sim_vbus_set_irq_handler(struct bus *bus, sim_vbus_irq_fn handler, void *ctx);
/* Called for each frame that the chip sent, in order; without one, frames wait for
 * sim_vbus_collect(). */
typedef void (*sim_vbus_frame_fn)(void *ctx, const struct sim_frame *frame);
void sim_vbus_set_frame_handler(struct bus *bus, sim_vbus_frame_fn handler, void *ctx);

/** sim_vbus_advance() - move the clock to @until_ns, doing all that is due on the way. */
void sim_vbus_advance(struct bus *bus, uint64_t until_ns);
/**
 * sim_vbus_run() - move the clock up to the next interrupt, at most to @until_ns
 * Return: bitmap of vectors raised, 0 when @until_ns came first. Handlers are called too.
 */
uint32_t sim_vbus_run(struct bus *bus, uint64_t until_ns);
/** sim_vbus_next() - when the device next has something to do, TIME_NEVER: nothing. */
uint64_t sim_vbus_next(struct bus *bus);
/** sim_vbus_spend() - inside a handler: the host works for @ns, the device goes on meanwhile. */
void sim_vbus_spend(struct bus *bus, uint64_t ns);

/** sim_vbus_offer() - a frame from the peer, ready now; as sim_rx_offer(). */
int sim_vbus_offer(struct bus *bus, const uint8_t *data, uint32_t len, const struct vnet *vnet);
/**
 * sim_vbus_collect() - the oldest frame that the chip sent and nobody took
 * @ret_frame: data valid until the next call on the bus. Return: false when there is none.
 */
bool sim_vbus_collect(struct bus *bus, struct sim_frame *ret_frame);
/** sim_vbus_raised() - interrupts raised so far on @vector. */
uint64_t sim_vbus_raised(const struct bus *bus, unsigned vector);

#endif
