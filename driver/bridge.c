/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data path. Interrupt: read causes, clean the rings within a budget, re-arm. Frames from the
 * TAP go to the transmit ring until its byte limit; frames from the receive ring go through software
 * GRO to the TAP.
 */
#include "driver/bridge.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/capture.h"
#include "driver/gro.h"
#include "driver/pktgen.h"

#define CAUSES_TX (ICR_TXDW | ICR_TXQ0)
#define CAUSES_RX (ICR_RXT0 | ICR_RXDMT0 | ICR_RXO | ICR_RXQ0)
#define BRIDGE_CHUNK	64 /* frames whose buffers one GRO pass may hold */
#define BRIDGE_TAP_READ 32 /* frames read from the TAP in one go */

struct bridge {
	struct loop *loop;
	struct nic *nic;
	struct tap *tap;
	struct loop_fd irq[BUS_VECTORS_MAX];
	struct loop_fd tap_source;
	unsigned generation; /* of the interrupt eventfds that are watched */
	uint32_t polling;    /* vectors whose last pass ended by the budget */
	struct gro gro;
	struct capture *capture;
	struct pktgen *pktgen;
};

static void bridge_irq_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns);
static void bridge_tap_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns);

static int bridge_to_tap(void *ctx, const struct iovec *iov, int count)
{
	struct bridge *bridge = ctx;
	int r = tap_writev(bridge->tap, iov, count);

	if (r < 0)
		nic_counters_of(bridge->nic)->rx_drop_tap++;
	return r;
}

int bridge_new(struct loop *loop, struct nic *nic, struct tap *tap, struct bridge **ret_bridge,
	       struct error *err)
{
	struct bridge *bridge = calloc(1, sizeof(*bridge));
	int r;

	if (!bridge)
		return error_set(err, -ENOMEM, "bridge: out of memory");
	bridge->loop = loop;
	bridge->nic = nic;
	bridge->tap = tap;
	gro_init(&bridge->gro, bridge_to_tap, bridge);
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		bridge->irq[v] = (struct loop_fd){.fd = -1, .ready = bridge_irq_ready, .ctx = bridge};
	bridge->tap_source = (struct loop_fd){.fd = tap->fd, .ready = bridge_tap_ready, .ctx = bridge};
	r = loop_watch(loop, &bridge->tap_source, EPOLLIN);
	if (r == 0)
		r = loop_add_runner(loop, bridge_run, bridge);
	if (r < 0) {
		bridge_free(bridge);
		return error_sys(err, r, "bridge: cannot watch the TAP");
	}
	*ret_bridge = bridge;
	return 0;
}

void bridge_unwatch(struct bridge *bridge)
{
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++) {
		(void)loop_watch(bridge->loop, &bridge->irq[v], 0);
		bridge->irq[v].fd = -1;
	}
	bridge->polling = 0;
}

void bridge_free(struct bridge *bridge)
{
	if (!bridge)
		return;
	bridge_unwatch(bridge);
	(void)loop_watch(bridge->loop, &bridge->tap_source, 0);
	free(bridge);
}

int bridge_rearm(struct bridge *bridge, struct error *err)
{
	struct bus *bus = nic_bus(bridge->nic);

	bridge_unwatch(bridge);
	for (unsigned v = 0; v < bus->irq_count; v++) {
		int r;

		bridge->irq[v].fd = bus->irq_fd[v];
		r = loop_watch(bridge->loop, &bridge->irq[v], EPOLLIN);
		if (r < 0)
			return error_sys(err, r, "%s: cannot watch interrupt %u", bus->name, v);
	}
	bridge->generation = nic_irq_generation(bridge->nic);
	return 0;
}

void bridge_set_capture(struct bridge *bridge, struct capture *capture)
{
	bridge->capture = capture;
}

void bridge_set_pktgen(struct bridge *bridge, struct pktgen *pktgen)
{
	bridge->pktgen = pktgen;
}

/* --- towards the wire --- */

/* A frame read while the link is down or in a restart is lost, as on a kernel driver. */
static void bridge_tap_discard(struct bridge *bridge)
{
	static uint8_t scratch[NIC_TX_RESERVE];
	struct vnet vnet;

	for (unsigned i = 0; i < BRIDGE_TAP_READ; i++) {
		if (tap_read(bridge->tap, &vnet, scratch, sizeof(scratch)) < 0)
			return;
		nic_counters_of(bridge->nic)->tx_drop_state++;
	}
}

static void bridge_tap_transmit(struct bridge *bridge, uint64_t now_ns)
{
	struct nic *nic = bridge->nic;
	struct vnet vnet;

	for (unsigned i = 0; i < BRIDGE_TAP_READ; i++) {
		uint8_t *room = nic_tx_reserve(nic);
		int len;

		if (!room) { /* completions will wake us */
			nic_counters_of(nic)->tx_stopped++;
			(void)loop_watch(bridge->loop, &bridge->tap_source, 0);
			break;
		}
		len = tap_read(bridge->tap, &vnet, room, NIC_TX_RESERVE);
		if (len < 0)
			break;
		if (bridge->capture)
			capture_frame(bridge->capture, now_ns, room, (uint32_t)len);
		(void)nic_tx_commit(nic, (uint32_t)len, &vnet);
	}
	nic_tx_kick(nic, now_ns);
}

static void bridge_tap_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct bridge *bridge = source->ctx;

	if (nic_state(bridge->nic) == NIC_RUNNING)
		bridge_tap_transmit(bridge, now_ns);
	else
		bridge_tap_discard(bridge);
}

static void bridge_reap(struct bridge *bridge, uint64_t now_ns)
{
	(void)nic_tx_reap(bridge->nic);
	if (!bridge->tap_source.events && nic_tx_reserve(bridge->nic)) {
		(void)loop_watch(bridge->loop, &bridge->tap_source, EPOLLIN);
		bridge_tap_transmit(bridge, now_ns);
	}
}

/* --- towards the host --- */

static void bridge_deliver(struct bridge *bridge, const struct rx_frame *frame, unsigned count,
			   uint64_t now_ns)
{
	if (bridge->capture)
		for (unsigned i = 0; i < count; i++)
			capture_frame(bridge->capture, now_ns, frame[i].data, frame[i].len);
	if (bridge->pktgen && pktgen_counts_rx(bridge->pktgen)) {
		nic_counters_of(bridge->nic)->rx_counted += count;
		pktgen_received(bridge->pktgen, count);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		gro_receive(&bridge->gro, frame[i].data, frame[i].len, frame[i].csum_ok);
	gro_flush(&bridge->gro);
	nic_counters_of(bridge->nic)->rx_gro_merged = bridge->gro.merged;
}

/* Returns true when the budget ended the pass and more may wait. */
static bool bridge_receive(struct bridge *bridge, uint64_t now_ns)
{
	struct nic *nic = bridge->nic;
	struct nic_counters *counters = nic_counters_of(nic);
	unsigned budget = nic_requested(nic)->value[KNOB_RX_BUDGET], done = 0, n;
	struct rx_frame frames[BRIDGE_CHUNK];

	do {
		n = nic_rx_burst(nic, frames, MIN(budget - done, (unsigned)BRIDGE_CHUNK));
		if (n)
			bridge_deliver(bridge, frames, n, now_ns);
		nic_rx_release(nic);
		done += n;
	} while (n == BRIDGE_CHUNK && done < budget);
	counters->batch[done ? MIN(32 - __builtin_clz(done), NIC_BATCH_BUCKETS - 1) : 0]++;
	if (done < budget || !nic_rx_pending(nic))
		return false;
	counters->rx_budget_spent++;
	return true;
}

static void bridge_service(struct bridge *bridge, unsigned vector, uint32_t causes, uint64_t now_ns)
{
	bool single = nic_intmode(bridge->nic) != INTMODE_MSIX, more = false;
	struct nic *nic = bridge->nic;

	/* One vector for all: clean both rings whatever the cause, as a kernel driver's poll does. */
	if (single || (causes & CAUSES_TX))
		bridge_reap(bridge, now_ns);
	if (single || (causes & CAUSES_RX))
		more = bridge_receive(bridge, now_ns);
	if (more)
		bridge->polling |= 1u << vector;
	else
		bridge->polling &= ~(1u << vector);
	nic_irq_end(nic, vector, more, clock_now_ns());
}

static void bridge_irq_ready(struct loop_fd *source, uint32_t events, uint64_t now_ns)
{
	struct bridge *bridge = source->ctx;
	unsigned vector = (unsigned)(source - bridge->irq);
	uint64_t messages;
	uint32_t causes;

	if (read(source->fd, &messages, sizeof(messages)) != sizeof(messages))
		return;
	causes = nic_irq_begin(bridge->nic, vector, messages, now_ns);
	if (nic_bus(bridge->nic)->dead || bridge->generation != nic_irq_generation(bridge->nic))
		return;
	bridge_service(bridge, vector, causes, now_ns);
}

uint64_t bridge_run(void *ctx, uint64_t now_ns)
{
	struct bridge *bridge = ctx;
	uint64_t deadline = TIME_NEVER, next;

	for (unsigned v = 0; bridge->polling >> v; v++)
		if (bridge->polling & 1u << v)
			bridge_service(bridge, v, CAUSES_RX | CAUSES_TX, now_ns);
	if (bridge->polling)
		deadline = now_ns;
	if (bridge->pktgen) {
		next = pktgen_run(bridge->pktgen, now_ns);
		deadline = MIN(deadline, next);
	}
	return deadline;
}
