/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulated chip on a virtual-time bus with rings set up, for the tests of the device model. */
#ifndef MODERATO_TESTS_LIB_SIM_RIG_H
#define MODERATO_TESTS_LIB_SIM_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/chips/desc.h"
#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim_vbus.h"

#define RIG_START_NS 1000000000u
#define RIG_RING     256
#define RIG_BUFFER   2048
#define RIG_TX_BYTES 131072

struct rig {
	struct bus *bus;
	struct dma_mem rx_ring, tx_ring, rx_buffers, tx_data;
	struct desc *rx, *tx;
	uint32_t rx_next, tx_next;
	uint32_t rx_count;
	unsigned raises;
	uint64_t raise_ns[64];
	unsigned raise_vector[64];
};

static inline uint32_t rig_read(struct rig *rig, uint32_t offset)
{
	return bus_read32(rig->bus, offset);
}

static inline void rig_write(struct rig *rig, uint32_t offset, uint32_t value)
{
	bus_write32(rig->bus, offset, value);
}

/* Time since the start of the rig, which is when the clock reads RIG_START_NS. */
static inline uint64_t rig_now(const struct rig *rig)
{
	return sim_vbus_now(rig->bus) - RIG_START_NS;
}

static inline void rig_advance(struct rig *rig, uint64_t until)
{
	sim_vbus_advance(rig->bus, RIG_START_NS + until);
}

static inline void rig_log_irq(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct rig *rig = ctx;

	if (rig->raises < ARRAY_SIZE(rig->raise_ns)) {
		rig->raise_ns[rig->raises] = at_ns - RIG_START_NS;
		rig->raise_vector[rig->raises] = vector;
	}
	rig->raises++;
}

static inline void rig_alloc(struct rig *rig, size_t size, struct dma_mem *mem)
{
	assert_int_equal(rig->bus->ops->dma_alloc(rig->bus, size, mem, NULL), 0);
}

/* Open, master on, memory for rings; the link is up at time 0 unless @options say link-usecs. */
static inline void rig_open(struct rig *rig, const char *options)
{
	struct error err = {0};
	bool slow_link = strstr(options, "link-usecs") != NULL;
	char text[128];

	memset(rig, 0, sizeof(*rig));
	snprintf(text, sizeof(text), "%s%s", options, slow_link ? "" : ",link-usecs=0");
	if (sim_vbus_open(text, RIG_START_NS, &rig->bus, &err))
		fail_msg("%s", err.text);
	rig->bus->ops->set_master(rig->bus, true, NULL);
	rig_alloc(rig, RIG_RING * sizeof(struct desc), &rig->rx_ring);
	rig_alloc(rig, RIG_RING * sizeof(struct desc), &rig->tx_ring);
	rig_alloc(rig, (size_t)RIG_RING * RIG_BUFFER, &rig->rx_buffers);
	rig_alloc(rig, RIG_TX_BYTES, &rig->tx_data);
	rig->rx = rig->rx_ring.va;
	rig->tx = rig->tx_ring.va;
	rig->rx_count = RIG_RING;
	rig_write(rig, REG_CTRL, CTRL_SLU | CTRL_FD);
	rig_advance(rig, 0);
	assert_int_equal((rig_read(rig, REG_STATUS) & STATUS_LU) != 0, !slow_link);
	(void)rig_read(rig, REG_ICR);
	sim_vbus_set_irq_handler(rig->bus, rig_log_irq, rig);
}

static inline void rig_close(struct rig *rig)
{
	rig->bus->ops->dma_free(rig->bus, &rig->rx_ring);
	rig->bus->ops->dma_free(rig->bus, &rig->tx_ring);
	rig->bus->ops->dma_free(rig->bus, &rig->rx_buffers);
	rig->bus->ops->dma_free(rig->bus, &rig->tx_data);
	rig->bus->ops->close(rig->bus);
}

static inline void rig_irq(struct rig *rig, enum intmode mode, unsigned count)
{
	assert_int_equal(rig->bus->ops->irq_enable(rig->bus, mode, count, NULL), 0);
}

/* @count descriptors of the ring, all but one given to the chip; buffers of RIG_BUFFER bytes. */
static inline void rig_start_rx(struct rig *rig, uint32_t count, uint32_t rctl)
{
	rig->rx_count = count;
	for (uint32_t i = 0; i < count; i++)
		rig->rx[i] = (struct desc){{rig->rx_buffers.iova + (uint64_t)i * RIG_BUFFER, 0}};
	rig_write(rig, REG_RDBAL, (uint32_t)rig->rx_ring.iova);
	rig_write(rig, REG_RDBAH, (uint32_t)(rig->rx_ring.iova >> 32));
	rig_write(rig, REG_RDLEN, count * 16);
	rig_write(rig, REG_RDH, 0);
	rig_write(rig, REG_RDT, 0);
	rig_write(rig, REG_RCTL, RCTL_EN | RCTL_BAM | RCTL_SECRC | rctl);
	rig_write(rig, REG_RDT, count - 1);
}

static inline void rig_start_tx(struct rig *rig, uint32_t count)
{
	rig_write(rig, REG_TDBAL, (uint32_t)rig->tx_ring.iova);
	rig_write(rig, REG_TDBAH, (uint32_t)(rig->tx_ring.iova >> 32));
	rig_write(rig, REG_TDLEN, count * 16);
	rig_write(rig, REG_TDH, 0);
	rig_write(rig, REG_TDT, 0);
	rig_write(rig, REG_TCTL,
		TCTL_EN | TCTL_PSP | 15u << TCTL_CT_SHIFT | 0x40u << TCTL_COLD_SHIFT);
}

/* Put a descriptor; the tail moves with rig_kick(). */
static inline void rig_put_tx(struct rig *rig, uint64_t w0, uint64_t w1)
{
	rig->tx[rig->tx_next] = (struct desc){{w0, w1}};
	rig->tx_next = (rig->tx_next + 1) % RIG_RING;
}

static inline void rig_kick(struct rig *rig)
{
	rig_write(rig, REG_TDT, rig->tx_next);
}

static inline uint8_t *rig_rx_data(struct rig *rig, uint32_t index)
{
	return (uint8_t *)rig->rx_buffers.va + (size_t)index * RIG_BUFFER;
}

#endif
