/* SPDX-License-Identifier: BSD-2-Clause */
/* The device seam answered by the simulated chip in real time. */
#ifndef MODERATO_DRIVER_SIM_SIM_BUS_H
#define MODERATO_DRIVER_SIM_SIM_BUS_H

#include "driver/bus.h"

/** sim_bus_open() - @text is the device argument after "sim:", as in sim_options_parse(). Close with
 * bus_close(). Registers answer at once; time passes for the device from bus_sim_ops.start. */
int sim_bus_open(const char *text, struct bus **ret_bus, struct error *err);

#endif
