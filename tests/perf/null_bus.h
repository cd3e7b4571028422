/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A null device: every receive descriptor is filled and every transmit descriptor done at once, with
 * no wire and no copy. What remains is the driver's own time per packet.
 */
#ifndef MODERATO_TESTS_PERF_NULL_BUS_H
#define MODERATO_TESTS_PERF_NULL_BUS_H

#include "driver/bus.h"

int null_bus_open(const char *chip_name, struct bus **ret_bus, struct error *err);
/** null_bus_arm() - the rings are set up: registers become plain memory, as a mapped BAR is. */
void null_bus_arm(struct bus *bus);
/** null_bus_receive() - complete up to @max receive descriptors of @len bytes; returns how many. */
unsigned null_bus_receive(struct bus *bus, unsigned max, unsigned len);
/** null_bus_transmit() - complete everything up to the tail; returns how many descriptors. */
unsigned null_bus_transmit(struct bus *bus);

#endif
