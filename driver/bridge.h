/* SPDX-License-Identifier: BSD-2-Clause */
/* The data path: interrupts, rings and TAP brought together. */
#ifndef MODERATO_DRIVER_BRIDGE_H
#define MODERATO_DRIVER_BRIDGE_H

#include "driver/loop.h"
#include "driver/nic.h"
#include "driver/tap.h"

struct bridge;
struct capture;
struct pktgen;

int bridge_new(struct loop *loop, struct nic *nic, struct tap *tap, struct bridge **ret_bridge,
	       struct error *err);
void bridge_free(struct bridge *bridge);
/** bridge_rearm() - watch the NIC's current eventfds (after a start or restart). */
int bridge_rearm(struct bridge *bridge, struct error *err);
/** bridge_unwatch() - forget the eventfds, which are about to close (NIC_EVENT_STOPPING). */
void bridge_unwatch(struct bridge *bridge);
/** bridge_set_capture() - frames of both directions also go to @capture; NULL ends it. */
void bridge_set_capture(struct bridge *bridge, struct capture *capture);
/** bridge_set_pktgen() - received frames are counted instead of going to the TAP while
 * @pktgen wants so, and it may queue frames of its own; NULL ends it. */
void bridge_set_pktgen(struct bridge *bridge, struct pktgen *pktgen);
/** bridge_run() - a loop runner: finish budgets, feed pktgen. */
uint64_t bridge_run(void *bridge, uint64_t now_ns);

#endif
