/* SPDX-License-Identifier: BSD-2-Clause */
/* The null device behind the driver's bus seam. */
#include "tests/lib/null_bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/chips/desc.h"
#include "common/util.h"

#define NULL_REGIONS	8
#define NULL_IOVA_OFFSET 0x100000000ull

struct null_bus {
	struct bus bus;
	uint32_t regs[REG_SPACE_BYTES / 4];
	uint64_t iova_next;
	struct dma_mem region[NULL_REGIONS];
	uint32_t rx_head, tx_head;
	uint32_t stuck; /* offset of a register that ignores writes, 0: none */
	bool reset_sticks;
	bool master;
	bool master_sticks; /* STATUS says for ever that requests are in flight */
	unsigned gone_in; /* reads until every read gives all ones, 0: never */
	bool gone;
	struct null_bus_seen seen;
};

static struct null_bus *null_of(struct bus *bus)
{
	return CONTAINER_OF(bus, struct null_bus, bus);
}

static uint32_t null_read32(struct bus *bus, uint32_t offset)
{
	struct null_bus *null = null_of(bus);
	uint32_t value = null->regs[offset / 4];

	null->seen.reads++;
	if (null->gone_in && --null->gone_in == 0)
		null->gone = true;
	if (null->gone) {
		null->seen.reads_gone++;
		return UINT32_MAX;
	}
	switch (offset) {
	case REG_CTRL:
		return null->reset_sticks ? value : value & ~CTRL_RST;
	case REG_STATUS:
		return null->master_sticks ? value | STATUS_GIO_MASTER_ENABLE : value;
	case REG_EECD:
		return EECD_AUTO_RD;
	default:
		return value;
	}
}

static void null_write32(struct bus *bus, uint32_t offset, uint32_t value)
{
	struct null_bus *null = null_of(bus);

	null->seen.control_all_ones |= offset == REG_CTRL && value == UINT32_MAX;
	if (offset == REG_CTRL && (value & CTRL_RST))
		null->seen.reset_with_master |= null->master;
	if (offset != null->stuck || !null->stuck)
		null->regs[offset / 4] = value;
	if (offset == REG_CTRL && (value & CTRL_RST))
		null->rx_head = null->tx_head = 0;
}

static int null_dma_alloc(struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err)
{
	struct null_bus *null = null_of(bus);
	void *va = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (va == MAP_FAILED)
		return error_sys(err, -errno, "null device: %zu bytes of memory", size);
	for (unsigned i = 0; i < NULL_REGIONS; i++) {
		if (null->region[i].va)
			continue;
		null->region[i] = (struct dma_mem){.va = va, .iova = null->iova_next, .size = size};
		null->iova_next += (size + 0xffff) & ~0xffffull;
		*ret_mem = null->region[i];
		return 0;
	}
	(void)munmap(va, size);
	return error_set(err, -ENOSPC, "null device: no free region");
}

static void null_dma_free(struct bus *bus, struct dma_mem *mem)
{
	struct null_bus *null = null_of(bus);

	for (unsigned i = 0; i < NULL_REGIONS; i++)
		if (null->region[i].va == mem->va)
			null->region[i] = (struct dma_mem){0};
	null->seen.freed_with_master |= null->master;
	(void)munmap(mem->va, mem->size);
	*mem = (struct dma_mem){0};
}

static int null_irq_enable(struct bus *bus, enum intmode mode, unsigned count, struct error *err)
{
	for (unsigned i = 0; i < count; i++)
		bus->irq_fd[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	bus->irq_count = count;
	return 0;
}

static void null_irq_disable(struct bus *bus)
{
	for (unsigned i = 0; i < bus->irq_count; i++)
		(void)close(bus->irq_fd[i]);
	bus->irq_count = 0;
}

static void null_irq_unmask(struct bus *bus)
{
	null_of(bus)->seen.unmasks++;
}

static int null_reset(struct bus *bus, struct error *err)
{
	return bus->ops->set_master(bus, false, err);
}

static int null_set_master(struct bus *bus, bool on, struct error *err)
{
	struct null_bus *null = null_of(bus);

	/* Not while the chip may send: receive (unless a quirk keeps it on) and transmit are off. */
	if (!on && null->master && !null->gone && !bus->dead) {
		bool rx_stays = chip_has_quirk(bus->chip, QUIRK_RX_STAYS_ENABLED);

		null->seen.master_off_while_active |= (null->regs[REG_TCTL / 4] & TCTL_EN) ||
			(!rx_stays && (null->regs[REG_RCTL / 4] & RCTL_EN));
	}
	null->master = on;
	return 0;
}

static void null_close(struct bus *bus)
{
	null_irq_disable(bus);
	free(null_of(bus));
}

static const struct bus_ops null_ops = {
	.scheme = "null",
	.read32 = null_read32,
	.write32 = null_write32,
	.dma_alloc = null_dma_alloc,
	.dma_free = null_dma_free,
	.irq_enable = null_irq_enable,
	.irq_disable = null_irq_disable,
	.irq_unmask = null_irq_unmask,
	.reset = null_reset,
	.set_master = null_set_master,
	.close = null_close,
};

int null_bus_open(const char *chip_name, struct bus **ret_bus, struct error *err)
{
	struct null_bus *null = calloc(1, sizeof(*null));

	if (!null)
		return error_set(err, -ENOMEM, "null device: out of memory");
	null->bus.ops = &null_ops;
	null->bus.request_fd = null->bus.error_fd = -1;
	null->bus.chip = chip_find(chip_name);
	null->iova_next = NULL_IOVA_OFFSET;
	null->regs[REG_STATUS / 4] = STATUS_LU | STATUS_FD | 2u << STATUS_SPEED_SHIFT;
	null->regs[REG_RAL0 / 4] = 0x00000002;
	null->regs[REG_RAH0 / 4] = RAH_AV | 0x0100;
	strcpy(null->bus.name, "null");
	*ret_bus = &null->bus;
	return 0;
}

void null_bus_arm(struct bus *bus)
{
	bus->mmio = null_of(bus)->regs;
}

static struct desc *null_ring(struct null_bus *null, uint32_t reg_low)
{
	uint64_t iova = null->regs[reg_low / 4] | (uint64_t)null->regs[reg_low / 4 + 1] << 32;

	for (unsigned i = 0; i < NULL_REGIONS; i++)
		if (null->region[i].va && null->region[i].iova == iova)
			return null->region[i].va;
	return NULL;
}

unsigned null_bus_receive(struct bus *bus, unsigned max, unsigned len)
{
	struct null_bus *null = null_of(bus);
	struct desc *ring = null_ring(null, REG_RDBAL);
	uint32_t size = null->regs[REG_RDLEN / 4] / sizeof(*ring);
	uint32_t tail = __atomic_load_n(&null->regs[REG_RDT / 4], __ATOMIC_ACQUIRE);
	uint64_t done = RX_STAT_DD | RX_STAT_EOP;
	unsigned n;

	done = bus->chip->rx_format == RX_FORMAT_EXTENDED ? done | (uint64_t)len << RXE_LEN_SHIFT :
							    done << RXL_STATUS_SHIFT | len;
	for (n = 0; n < max && null->rx_head != tail; n++) {
		desc_store_status(&ring[null->rx_head], done);
		null->rx_head = null->rx_head + 1 == size ? 0 : null->rx_head + 1;
	}
	return n;
}

unsigned null_bus_transmit(struct bus *bus)
{
	struct null_bus *null = null_of(bus);
	struct desc *ring = null_ring(null, REG_TDBAL);
	uint32_t size = null->regs[REG_TDLEN / 4] / sizeof(*ring);
	uint32_t tail = __atomic_load_n(&null->regs[REG_TDT / 4], __ATOMIC_ACQUIRE);
	unsigned n;

	for (n = 0; null->tx_head != tail; n++) {
		struct desc *d = &ring[null->tx_head];

		if (d->word[1] & TX_CMD_RS)
			desc_store_status(d, d->word[1] | TX_STAT_DD);
		null->tx_head = null->tx_head + 1 == size ? 0 : null->tx_head + 1;
	}
	return n;
}

void null_bus_poke(struct bus *bus, uint32_t offset, uint32_t value)
{
	null_of(bus)->regs[offset / 4] = value;
}

uint32_t null_bus_peek(struct bus *bus, uint32_t offset)
{
	return null_of(bus)->regs[offset / 4];
}

struct desc *null_bus_desc(struct bus *bus, uint32_t reg_low, uint32_t i)
{
	return null_ring(null_of(bus), reg_low) + i;
}

void *null_bus_memory(struct bus *bus, uint64_t iova)
{
	struct null_bus *null = null_of(bus);

	for (unsigned i = 0; i < NULL_REGIONS; i++)
		if (null->region[i].va && iova >= null->region[i].iova &&
		    iova < null->region[i].iova + null->region[i].size)
			return (uint8_t *)null->region[i].va + (iova - null->region[i].iova);
	return NULL;
}

void null_bus_stick(struct bus *bus, uint32_t offset)
{
	null_of(bus)->stuck = offset;
}

void null_bus_stick_reset(struct bus *bus, bool on)
{
	null_of(bus)->reset_sticks = on;
}

void null_bus_stick_master(struct bus *bus, bool on)
{
	null_of(bus)->master_sticks = on;
}

void null_bus_gone_in(struct bus *bus, unsigned reads)
{
	null_of(bus)->gone_in = reads;
}

bool null_bus_master(struct bus *bus)
{
	return null_of(bus)->master;
}

struct null_bus_seen *null_bus_seen(struct bus *bus)
{
	return &null_of(bus)->seen;
}
