/* SPDX-License-Identifier: BSD-2-Clause */
/* Guards of a running NIC: hang watchdog, lost-interrupt kick, link poll, livelock limit. */
#include "driver/nic.h"

#include <inttypes.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/nic_private.h"

#define GUARD_LOOK_NS	  (500 * NS_PER_MS)
#define LIVELOCK_LOOK_NS  (100 * NS_PER_MS)
/* No progress for 1 s at 1000 Mb/s; Linux e1000e waits 10 times as long at 100 and 16 at 10 Mb/s. */
#define HANG_LOOKS_1000	  2
#define HANG_LOOKS_100	  20
#define HANG_LOOKS_10	  32

void nic_guard_reset(struct nic *nic, uint64_t now_ns)
{
	bool capped = nic->guard.capped;

	nic->guard = (struct nic_guard){
		.next_ns = now_ns + GUARD_LOOK_NS,
		.window_start_ns = now_ns,
		.rearm_at_ns = TIME_NEVER,
		.completed_seen = nic->counters.tx_completed,
		.rx_seen = nic->counters.rx_frames,
		.missed_seen = nic->counters.rx_missed,
		.irq_seen = nic->counters.irq_messages,
	};
	if (capped)
		nic_emit(nic, NIC_EVENT_LIVELOCK_OFF, "%s: interrupt limit off: restart", nic->bus->name);
}

/* --- livelock: interrupts above the limit are spaced out by holding the re-arm back --- */

static void livelock_look(struct nic *nic, uint64_t now_ns)
{
	struct nic_guard *g = &nic->guard;
	uint64_t limit = nic->requested.value[KNOB_LIVELOCK_LIMIT];
	uint64_t rate, elapsed = now_ns - g->window_start_ns;

	if (elapsed < LIVELOCK_LOOK_NS)
		return;
	rate = g->window_irqs * NS_PER_S / elapsed;
	g->window_start_ns = now_ns;
	g->window_irqs = 0;
	if (!g->capped && limit && rate > limit) {
		g->capped = true;
		g->capped_since_ns = now_ns;
		nic->counters.livelock_engaged++;
		nic_emit(nic, NIC_EVENT_LIVELOCK_ON,
			 "%s: %" PRIu64 " interrupts/s above the limit of %" PRIu64 ": capped",
			 nic->bus->name, rate, limit);
	} else if (g->capped && (!limit || rate < limit / 2)) {
		g->capped = false;
		nic->counters.livelock_ns += now_ns - g->capped_since_ns;
		nic_emit(nic, NIC_EVENT_LIVELOCK_OFF, "%s: %" PRIu64 " interrupts/s: limit released",
			 nic->bus->name, rate);
	}
}

bool nic_guard_holds(struct nic *nic, unsigned vector, uint64_t now_ns)
{
	struct nic_guard *g = &nic->guard;
	uint64_t limit = nic->requested.value[KNOB_LIVELOCK_LIMIT], at;

	if (!g->capped || !limit)
		return false;
	at = nic->service_begin_ns + NS_PER_S / limit;
	if (at <= now_ns)
		return false;
	g->rearm_at_ns = MIN(g->rearm_at_ns, at);
	g->rearm_vectors |= 1u << vector;
	return true;
}

static void livelock_rearm(struct nic *nic, uint64_t now_ns)
{
	struct nic_guard *g = &nic->guard;

	if (now_ns < g->rearm_at_ns)
		return;
	g->rearm_at_ns = TIME_NEVER;
	for (unsigned v = 0; v < BUS_VECTORS_MAX; v++)
		if (g->rearm_vectors & 1u << v)
			irq_rearm(nic, v);
	g->rearm_vectors = 0;
}

/* --- hangs --- */

static unsigned hang_looks(const struct nic *nic)
{
	return nic->speed_mbps >= 1000 ? HANG_LOOKS_1000 :
	       nic->speed_mbps >= 100  ? HANG_LOOKS_100 :
					 HANG_LOOKS_10;
}

/* Completions stand still although frames wait. TDH == TDT means that the chip sent everything and
 * only the interrupt is missing: that is no hang. */
static bool guard_tx_hangs(struct nic *nic)
{
	struct nic_guard *g = &nic->guard;
	uint32_t head, tail;

	if (!nic->tx.frames || nic->counters.tx_completed != g->completed_seen ||
	    (nic_read(nic, REG_STATUS) & STATUS_TXOFF)) {
		g->completed_seen = nic->counters.tx_completed;
		g->tx_stuck_looks = 0;
		return false;
	}
	head = nic_read(nic, REG_TDH);
	tail = nic_read(nic, REG_TDT);
	if (head == tail || ++g->tx_stuck_looks < hang_looks(nic))
		return false;
	nic->counters.tx_hangs++;
	nic_emit(nic, NIC_EVENT_TX_HANG,
		 "%s: transmit hang: TDH %u TDT %u, %u frames wait, next to clean %u; resetting",
		 nic->bus->name, head, tail, nic->tx.frames, nic->tx.clean);
	return true;
}

/* Frames are missed while not one is delivered although descriptors are there. */
static bool guard_rx_hangs(struct nic *nic)
{
	struct nic_guard *g = &nic->guard;
	bool stuck;

	nic_collect_statistics(nic);
	stuck = nic->counters.rx_missed != g->missed_seen && nic->counters.rx_frames == g->rx_seen &&
		!nic_rx_pending(nic);
	g->missed_seen = nic->counters.rx_missed;
	g->rx_seen = nic->counters.rx_frames;
	g->rx_stuck_looks = stuck ? g->rx_stuck_looks + 1 : 0;
	if (g->rx_stuck_looks < hang_looks(nic))
		return false;
	nic->counters.rx_hangs++;
	nic_emit(nic, NIC_EVENT_RX_HANG,
		 "%s: receive hang: RDH %u RDT %u, frames missed, none delivered, RDTR %u; resetting",
		 nic->bus->name, nic_read(nic, REG_RDH), nic_read(nic, REG_RDT),
		 nic->requested.value[KNOB_RDTR]);
	return true;
}

/* Work waits but no interrupt came for a whole look: raise the causes by software, as the kernel's
 * watchdog does every two seconds. Masking first takes back an assertion whose message got lost. */
static void guard_kick(struct nic *nic)
{
	struct nic_guard *g = &nic->guard;
	bool waits = nic_rx_pending(nic) || nic->tx.frames;

	if (waits && nic->counters.irq_messages == g->irq_seen) {
		nic_write(nic, REG_IMC, UINT32_MAX);
		for (unsigned v = 0; v < nic->bus->irq_count; v++)
			irq_rearm(nic, v);
		nic_write(nic, REG_ICS,
			  nic->intmode == INTMODE_MSIX ? ICR_RXQ0 | ICR_TXQ0 : ICR_RXT0 | ICR_TXDW);
	}
	g->irq_seen = nic->counters.irq_messages;
}

static void guard_look(struct nic *nic, uint64_t now_ns)
{
	struct nic_guard *g = &nic->guard;

	g->next_ns = now_ns + GUARD_LOOK_NS;
	nic_link_check(nic);
	if (nic->state != NIC_RUNNING)
		return;
	if (guard_tx_hangs(nic) || guard_rx_hangs(nic)) {
		(void)nic_start(nic, NULL, now_ns, NULL);
		return;
	}
	if (nic->state == NIC_RUNNING) /* it may have gone while its statistics were read */
		guard_kick(nic);
}

uint64_t nic_guard_run(struct nic *nic, uint64_t now_ns)
{
	struct nic_guard *g = &nic->guard;

	livelock_rearm(nic, now_ns);
	livelock_look(nic, now_ns);
	if (now_ns >= g->next_ns)
		guard_look(nic, now_ns);
	if (nic->step != START_NONE)
		return nic->step_at_ns;
	return MIN(g->next_ns, g->rearm_at_ns);
}
