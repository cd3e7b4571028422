/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device seam: what the driver needs from the world and nothing else. A simulated chip and VFIO
 * are two implementations, chosen by the device argument (bus_open.c is the only place that knows).
 */
#ifndef MODERATO_DRIVER_BUS_H
#define MODERATO_DRIVER_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/chips/chip.h"
#include "common/error.h"

#define BUS_VECTORS_MAX 5

struct bus;

/* Memory that driver and device share. */
struct dma_mem {
	void *va;
	uint64_t iova; /* address as the device sees it; never equal to va on sim: */
	size_t size;
};

struct sim_source;
struct sim_counters;
struct tap;

/* What only a simulated device can do; NULL in bus_ops otherwise. All are safe while it runs. */
struct bus_sim_ops {
	/* Give the far end of the wire its TAP (ownership passes); before start. */
	void (*attach_peer)(struct bus *bus, struct tap *peer);
	/* Start the device thread on CPU @cpu (-1: not pinned). */
	int (*start)(struct bus *bus, int cpu, struct error *err);
	int (*set_source)(struct bus *bus, const struct sim_source *source, struct error *err);
	void (*set_sink)(struct bus *bus, bool on);
	int (*set_fault)(struct bus *bus, const char *name, uint64_t count, struct error *err);
	void (*get_counters)(struct bus *bus, struct sim_counters *ret_counters);
	bool (*msix_rx_timers)(struct bus *bus);
	void (*get_mac_of_peer)(struct bus *bus, uint8_t ret_mac[6]);
};

struct bus_ops {
	const char *scheme; /* "sim", "pci" */
	const struct bus_sim_ops *sim; /* NULL unless simulated */
	/* Slow path register access; used when bus->mmio is NULL. */
	uint32_t (*read32)(struct bus *bus, uint32_t offset);
	void (*write32)(struct bus *bus, uint32_t offset, uint32_t value);
	/* Write a register through the I/O BAR, for chips that are reset that way; NULL: no such way.
	 * Return 0, or -ENODEV when the device has no I/O BAR. */
	int (*write_io)(struct bus *bus, uint32_t offset, uint32_t value);
	/* May the device have @bytes of memory in all? So that a larger ring is refused before the smaller
	 * one is given up. NULL: there is no bound. */
	int (*dma_check)(struct bus *bus, size_t bytes, struct error *err);
	/* Memory is zeroed, page aligned and stays mapped until dma_free. */
	int (*dma_alloc)(struct bus *bus, size_t size, struct dma_mem *ret_mem, struct error *err);
	void (*dma_free)(struct bus *bus, struct dma_mem *mem);
	/* Arm @count vectors of @mode; bus->irq_fd[0..count-1] are then non-blocking eventfds. */
	int (*irq_enable)(struct bus *bus, enum intmode mode, unsigned count, struct error *err);
	void (*irq_disable)(struct bus *bus);
	/* INTx only: the line may fire again; call after the cause register was read. */
	void (*irq_unmask)(struct bus *bus);
	/* Function level reset, bus master off during it; the chip's own reset is the driver's job. */
	int (*reset)(struct bus *bus, struct error *err);
	/* Bus mastering on or off: without it the device's DMA is dropped. */
	int (*set_master)(struct bus *bus, bool on, struct error *err);
	/* Stop and release everything; accepts a half-opened bus. */
	void (*close)(struct bus *bus);
};

struct bus {
	const struct bus_ops *ops;
	const struct chip *chip;
	volatile uint32_t *mmio; /* mapped BAR0, or NULL: use the operations */
	char name[64];		 /* the device argument without options */
	int irq_fd[BUS_VECTORS_MAX];
	unsigned irq_count;
	int request_fd; /* readable: the kernel wants the device back (unbind, unplug); -1: no such notice */
	int error_fd;	/* readable: uncorrectable PCIe error, the device is not to be touched; -1 */
	const char *opened_by; /* the kernel interface: "group", "iommufd"; NULL: not a real device */
	size_t dma_bytes; /* that the device may reach now */
	size_t dma_limit; /* and at most; 0: no bound is kept */
	bool frozen; /* PCIe error: not even its configuration space is to be touched */
	bool dead; /* all-ones seen, unplugged or bus error: touch no register */
};

/** bus_read32() - one register; all registers are 32 bits. */
static inline uint32_t bus_read32(struct bus *bus, uint32_t offset)
{
	if (bus->mmio)
		return __atomic_load_n(&bus->mmio[offset / 4], __ATOMIC_ACQUIRE);
	return bus->ops->read32(bus, offset);
}

/** bus_write32() - ordered after all earlier stores (release), as a tail write must be. */
static inline void bus_write32(struct bus *bus, uint32_t offset, uint32_t value)
{
	if (bus->mmio)
		__atomic_store_n(&bus->mmio[offset / 4], value, __ATOMIC_RELEASE);
	else
		bus->ops->write32(bus, offset, value);
}

/**
 * bus_open() - open a device by its argument ("sim:82574L,option=value", "0000:03:00.0")
 * Return: 0 and an open bus in *@ret_bus (close with bus_close()), or a negative error with a
 * sentence: unknown scheme or chip (nearest name suggested), unknown option.
 */
int bus_open(const char *device, struct bus **ret_bus, struct error *err);
struct sys;
/** bus_open_on() - as bus_open(), a real device on a kernel of the caller's. */
int bus_open_on(const struct sys *sys, const char *device, struct bus **ret_bus, struct error *err);
/** bus_close() - stop DMA and interrupts, release; NULL is accepted. */
void bus_close(struct bus *bus);

#endif
