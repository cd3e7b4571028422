/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A null device: every receive descriptor is filled and every transmit descriptor done at once, with
 * no wire and no copy. What remains is the driver's own time per packet.
 */
#ifndef MODERATO_TESTS_LIB_NULL_BUS_H
#define MODERATO_TESTS_LIB_NULL_BUS_H

#include "driver/bus.h"

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

#endif
