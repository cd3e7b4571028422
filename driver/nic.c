/* SPDX-License-Identifier: BSD-2-Clause */
/* A NIC's life: open, run, stop, close; register helpers and small questions about its state. */
#include "driver/nic.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/nic_private.h"

static const char *const state_names[] = {
	[NIC_STOPPED] = "stopped", [NIC_RESETTING] = "resetting", [NIC_LINK_WAIT] = "link-wait",
	[NIC_RUNNING] = "running", [NIC_FAILED] = "failed",	  [NIC_GONE] = "gone",
};

static const char *const event_names[] = {
	[NIC_EVENT_STOPPING] = "stopping",
	[NIC_EVENT_LINK_UP] = "link-up",
	[NIC_EVENT_LINK_DOWN] = "link-down",
	[NIC_EVENT_STARTED] = "started",
	[NIC_EVENT_START_FAILED] = "start-failed",
	[NIC_EVENT_TX_HANG] = "tx-hang",
	[NIC_EVENT_RX_HANG] = "rx-hang",
	[NIC_EVENT_LIVELOCK_ON] = "livelock-on",
	[NIC_EVENT_LIVELOCK_OFF] = "livelock-off",
	[NIC_EVENT_GONE] = "gone",
	[NIC_EVENT_SETTINGS_LOST] = "settings-lost",
};

const char *nic_state_name(enum nic_state state)
{
	return state_names[state];
}

const char *nic_event_name(enum nic_event event)
{
	return event_names[event];
}

void nic_emit(struct nic *nic, enum nic_event event, const char *fmt, ...)
{
	char detail[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	if (nic->event)
		nic->event(nic->event_ctx, event, detail);
}

void nic_gone(struct nic *nic, const char *where)
{
	if (nic->state == NIC_GONE)
		return;
	nic->state = NIC_GONE;
	nic->step = START_NONE;
	/* Registers that do not answer say nothing about DMA. */
	(void)nic->bus->ops->set_master(nic->bus, false, NULL);
	nic->bus->dead = true;
	nic->link_up = false;
	nic_emit(nic, NIC_EVENT_GONE,
		 "%s reads all ones (%s): the device is gone; `restart` tries to bring it back",
		 nic->bus->name, where);
}

bool nic_answers(struct nic *nic, const char *where)
{
	if (!nic->bus->dead && nic_read(nic, REG_STATUS) != UINT32_MAX)
		return true;
	nic_gone(nic, where);
	return false;
}

uint32_t nic_read(struct nic *nic, uint32_t reg)
{
	return bus_read32(nic->bus, reg);
}

/* All ones is no value to write back with a bit more or less. */
void nic_set_bits(struct nic *nic, uint32_t reg, uint32_t bits)
{
	uint32_t value = nic_read(nic, reg);

	if (value != UINT32_MAX)
		nic_write(nic, reg, value | bits);
}

void nic_clear_bits(struct nic *nic, uint32_t reg, uint32_t bits)
{
	uint32_t value = nic_read(nic, reg);

	if (value != UINT32_MAX)
		nic_write(nic, reg, value & ~bits);
}

int nic_open(struct bus *bus, nic_event_fn event, void *ctx, struct nic **ret_nic, struct error *err)
{
	struct nic *nic = calloc(1, sizeof(*nic));
	int r;

	if (!nic)
		return error_set(err, -ENOMEM, "%s: out of memory", bus->name);
	nic->bus = bus;
	nic->chip = bus->chip;
	nic->event = event;
	nic->event_ctx = ctx;
	nic->mtu = 1500;
	nic->first_start = true;
	chip_initial_settings(nic->chip, &nic->requested);
	nic_guard_reset(nic, 0);

	nic_write(nic, REG_IMC, UINT32_MAX);
	r = nic_read_address(nic, err);
	if (r < 0)
		goto fail;
	*ret_nic = nic;
	return 0;
fail:
	nic_close(nic);
	return r;
}

void nic_close(struct nic *nic)
{
	if (!nic)
		return;
	nic_stop(nic);
	nic_leave(nic);
	rx_free(nic);
	tx_free(nic);
	if (nic->scratch.va)
		nic->bus->ops->dma_free(nic->bus, &nic->scratch);
	free(nic);
}

void nic_stop(struct nic *nic)
{
	struct bus *bus = nic->bus;

	if (bus->irq_count)
		nic_emit(nic, NIC_EVENT_STOPPING, "%s: stopping", bus->name);
	if (!bus->dead) {
		nic_write(nic, REG_IMC, UINT32_MAX);
		nic_write(nic, REG_TCTL, TCTL_PSP);
		if (!chip_has_quirk(nic->chip, QUIRK_RX_STAYS_ENABLED))
			nic_write(nic, REG_RCTL, 0);
		if (nic_read(nic, REG_STATUS) == UINT32_MAX) /* posts the writes */
			bus->dead = true;
		else /* bus mastering ends when what is in flight has ended: nic_leave(), start_reset() */
			nic_master_stop(nic);
	}
	irq_stop(nic);
	nic->step = START_NONE;
	nic->link_up = false;
	if (nic->state != NIC_GONE)
		nic->state = NIC_STOPPED;
}

uint64_t nic_run(struct nic *nic, uint64_t now_ns)
{
	if (nic->step != START_NONE) {
		nic_start_run(nic, now_ns);
		if (nic->step != START_NONE)
			return nic->step_at_ns;
	}
	if (nic->state != NIC_RUNNING && nic->state != NIC_LINK_WAIT)
		return TIME_NEVER;
	return nic_guard_run(nic, now_ns);
}

int nic_set_mtu(struct nic *nic, unsigned mtu, struct error *err)
{
	const unsigned overhead = 14 + 4 + 4; /* Ethernet header, VLAN tag, FCS */

	if (mtu < 68 || mtu + overhead > nic->chip->max_frame || mtu > 16000)
		return error_usage(err, "MTU %u: %s takes 68 to %u", mtu, nic->chip->name,
				   MIN(nic->chip->max_frame - overhead, 16000u));
	nic->mtu = mtu;
	return 0;
}

const struct chip *nic_chip(const struct nic *nic)
{
	return nic->chip;
}

enum nic_state nic_state(const struct nic *nic)
{
	return nic->state;
}

const uint8_t *nic_mac(const struct nic *nic)
{
	return nic->filter.mac;
}

unsigned nic_speed_mbps(const struct nic *nic)
{
	return nic->link_up ? nic->speed_mbps : 0;
}

bool nic_link_up(const struct nic *nic)
{
	return nic->link_up;
}

struct bus *nic_bus(const struct nic *nic)
{
	return nic->bus;
}

enum intmode nic_intmode(const struct nic *nic)
{
	return nic->intmode;
}

int nic_scratch(struct nic *nic, struct dma_mem *ret_mem, struct error *err)
{
	int r;

	if (!nic->scratch.va) {
		r = nic->bus->ops->dma_alloc(nic->bus, NIC_SCRATCH_BYTES, &nic->scratch, err);
		if (r < 0)
			return r;
	}
	*ret_mem = nic->scratch;
	return 0;
}

unsigned nic_irq_generation(const struct nic *nic)
{
	return nic->irq_generation;
}

struct nic_counters *nic_counters_of(struct nic *nic)
{
	return &nic->counters;
}
