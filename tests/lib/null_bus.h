/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A null device: every receive descriptor is filled and every transmit descriptor done at once, with
 * no wire and no copy. What remains is the driver's own time per packet.
 */
#ifndef MODERATO_TESTS_LIB_NULL_BUS_H
#define MODERATO_TESTS_LIB_NULL_BUS_H

#include "driver/bus.h"

/* What the driver did, for tests of order and of a device that goes away. */
struct null_bus_seen {
	unsigned reads, reads_gone; /* of registers, and of those all ones because the device is gone */
	unsigned unmasks;	    /* of the INTx line */
	bool control_all_ones;	    /* CTRL was written with what a gone device reads */
	bool reset_with_master;	    /* CTRL.RST while bus mastering was on */
	bool freed_with_master;	    /* memory given back while the device might write to it */
	bool master_off_while_active; /* bus mastering taken away from rings that run */
};

int null_bus_open(const char *chip_name, struct bus **ret_bus, struct error *err);
/** null_bus_arm() - the rings are set up: registers become plain memory, as a mapped BAR is. */
void null_bus_arm(struct bus *bus);
/** null_bus_receive() - complete up to @max receive descriptors of @len bytes; returns how many. */
unsigned null_bus_receive(struct bus *bus, unsigned max, unsigned len);
/** null_bus_transmit() - complete everything up to the tail; returns how many descriptors. */
unsigned null_bus_transmit(struct bus *bus);

/** null_bus_poke() - set what a register reads from now on. */
void null_bus_poke(struct bus *bus, uint32_t offset, uint32_t value);
/** null_bus_peek() - what the driver last wrote there. */
uint32_t null_bus_peek(struct bus *bus, uint32_t offset);
/** null_bus_desc() - descriptor @i of the ring whose address stands in @reg_low (RDBAL or TDBAL). */
struct desc;
struct desc *null_bus_desc(struct bus *bus, uint32_t reg_low, uint32_t i);
/** null_bus_memory() - host address of device address @iova, NULL when it was never given out. */
void *null_bus_memory(struct bus *bus, uint64_t iova);
/** null_bus_stick() - registers that keep their value whatever is written ("ITR does not take"). */
void null_bus_stick(struct bus *bus, uint32_t offset);
/** null_bus_stick_reset() - CTRL.RST never clears. */
void null_bus_stick_reset(struct bus *bus, bool on);

/** null_bus_stick_master() - STATUS keeps saying that bus requests are in flight. */
void null_bus_stick_master(struct bus *bus, bool on);
/** null_bus_gone_in() - the @reads-th register read from now and all after it give all ones. */
void null_bus_gone_in(struct bus *bus, unsigned reads);
/** null_bus_master() - is bus mastering on? */
bool null_bus_master(struct bus *bus);
struct null_bus_seen *null_bus_seen(struct bus *bus);

#endif
