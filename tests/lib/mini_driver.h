/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver of a few lines for the simulated 82574L in real time: one MSI vector, legacy
 * descriptors, rings of its own. For tests of the device, which must not depend on the driver
 * proper.
 */
#ifndef MODERATO_TESTS_LIB_MINI_DRIVER_H
#define MODERATO_TESTS_LIB_MINI_DRIVER_H

#include "driver/bus.h"
#include "driver/sim/sim.h"

#define MINI_RING	  256
#define MINI_BUFFER_BYTES 2048
#define MINI_TX_BUFFERS	  4 /* used in turn; a frame more than these must wait for a completion */
/* Far beyond what anything here takes, also under a sanitizer on a busy machine. */
#define PATIENCE_MS 20000

struct mini_driver {
	struct bus *bus;
	struct dma_mem rx, tx, buffers;
	unsigned rx_next, tx_next;
	uint64_t messages, received;
	uint64_t sequence; /* of the source's frame that came last */
	bool check_sequence;
	uint8_t last[MINI_BUFFER_BYTES];
	uint32_t last_len;
	struct sim_counters counters;
};

/** mini_set_up() / mini_tear_down() - of a cmocka test; *@state is a driver without a bus. */
int mini_set_up(void **state);
int mini_tear_down(void **state);
/** mini_open() - @text as for sim_bus_open(). */
void mini_open(struct mini_driver *f, const char *text);
void mini_alloc(struct mini_driver *f, size_t size, struct dma_mem *ret_mem);
/** mini_start_rings() / mini_wait_for_link() / mini_arm() - the steps of mini_start(). */
void mini_start_rings(struct mini_driver *f);
void mini_wait_for_link(struct mini_driver *f);
void mini_arm(struct mini_driver *f);
/** mini_start() - device running, link up, rings ready, interrupts armed. */
void mini_start(struct mini_driver *f);
/** mini_serve() - wait for an interrupt, serve it, re-arm. Return: false when none came within
 * @timeout_ms. */
bool mini_serve(struct mini_driver *f, int timeout_ms);
const struct sim_counters *mini_counters(struct mini_driver *f);
/** mini_set_source() - 64-byte frames, one after the other; @count 0: no end, @rate_pps 0: line
 * rate. */
void mini_set_source(struct mini_driver *f, uint64_t count, double rate_pps);
/** mini_fill_tx() / mini_kick_tx() - put a frame into the ring; tell the device of all of them. */
void mini_fill_tx(struct mini_driver *f, const void *data, uint32_t len);
void mini_kick_tx(struct mini_driver *f);
void mini_post_tx(struct mini_driver *f, const void *data, uint32_t len);
/** mini_wait_for_tx() - until the last frame posted is done. */
void mini_wait_for_tx(struct mini_driver *f);

#endif
