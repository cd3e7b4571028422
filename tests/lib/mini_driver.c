/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings, interrupts and frames of the small test driver. */
#include "tests/lib/mini_driver.h"

#include <endian.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/chips/desc.h"
#include "driver/sim/sim_bus.h"

static struct desc *rx_ring(struct mini_driver *f)
{
	return f->rx.va;
}

static struct desc *tx_ring(struct mini_driver *f)
{
	return f->tx.va;
}

static uint8_t *rx_buffer(struct mini_driver *f, unsigned i)
{
	return (uint8_t *)f->buffers.va + (size_t)i * MINI_BUFFER_BYTES;
}

int mini_set_up(void **state)
{
	*state = calloc(1, sizeof(struct mini_driver));
	return *state ? 0 : -1;
}

int mini_tear_down(void **state)
{
	struct mini_driver *f = *state;

	if (f->bus) {
		f->bus->ops->dma_free(f->bus, &f->rx);
		f->bus->ops->dma_free(f->bus, &f->tx);
		f->bus->ops->dma_free(f->bus, &f->buffers);
		f->bus->ops->close(f->bus);
	}
	free(f);
	return 0;
}

void mini_open(struct mini_driver *f, const char *text)
{
	struct error err = {0};

	if (sim_bus_open(text, &f->bus, &err) < 0)
		fail_msg("%s", err.text);
}

void mini_alloc(struct mini_driver *f, size_t size, struct dma_mem *ret_mem)
{
	struct error err = {0};

	if (f->bus->ops->dma_alloc(f->bus, size, ret_mem, &err) < 0)
		fail_msg("%s", err.text);
}

void mini_start_rings(struct mini_driver *f)
{
	struct bus *bus = f->bus;

	mini_alloc(f, MINI_RING * sizeof(struct desc), &f->rx);
	mini_alloc(f, MINI_RING * sizeof(struct desc), &f->tx);
	mini_alloc(f, (size_t)(MINI_RING + MINI_TX_BUFFERS) * MINI_BUFFER_BYTES, &f->buffers);
	for (unsigned i = 0; i < MINI_RING; i++)
		rx_ring(f)[i].word[0] = f->buffers.iova + i * MINI_BUFFER_BYTES;
	assert_int_equal(bus->ops->set_master(bus, true, NULL), 0);
	bus_write32(bus, REG_RDBAL, (uint32_t)f->rx.iova);
	bus_write32(bus, REG_RDBAH, (uint32_t)(f->rx.iova >> 32));
	bus_write32(bus, REG_RDLEN, MINI_RING * sizeof(struct desc));
	bus_write32(bus, REG_TDBAL, (uint32_t)f->tx.iova);
	bus_write32(bus, REG_TDBAH, (uint32_t)(f->tx.iova >> 32));
	bus_write32(bus, REG_TDLEN, MINI_RING * sizeof(struct desc));
	bus_write32(bus, REG_RCTL, RCTL_EN | RCTL_UPE | RCTL_BAM | RCTL_SECRC);
	bus_write32(bus, REG_RDT, MINI_RING - 1);
	bus_write32(bus, REG_TCTL, TCTL_EN | TCTL_PSP);
}

void mini_wait_for_link(struct mini_driver *f)
{
	bus_write32(f->bus, REG_CTRL, bus_read32(f->bus, REG_CTRL) | CTRL_SLU);
	for (int ms = 0; !(bus_read32(f->bus, REG_STATUS) & STATUS_LU); ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)usleep(1000);
	}
	(void)bus_read32(f->bus, REG_ICR); /* the link change */
}

void mini_arm(struct mini_driver *f)
{
	struct error err = {0};

	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSI, 1, &err), 0);
	bus_write32(f->bus, REG_IMS, ICR_RXT0 | ICR_TXDW);
}

void mini_start(struct mini_driver *f)
{
	struct error err = {0};

	if (f->bus->ops->sim->start(f->bus, -1, &err) < 0)
		fail_msg("%s", err.text);
	mini_start_rings(f);
	mini_wait_for_link(f);
	mini_arm(f);
}

/* Frames of the source carry a 64-bit sequence number after their UDP header. */
static void expect_next_sequence(struct mini_driver *f)
{
	uint64_t sequence;

	memcpy(&sequence, f->last + 42, sizeof(sequence));
	sequence = be64toh(sequence);
	assert_true(f->received == 1 || sequence > f->sequence);
	f->sequence = sequence;
}

static void take_frame(struct mini_driver *f, const uint8_t *data, uint32_t len)
{
	f->received++;
	f->last_len = len;
	memcpy(f->last, data, len);
	if (f->check_sequence)
		expect_next_sequence(f);
}

static void clean_rx(struct mini_driver *f)
{
	unsigned first = f->rx_next;

	for (;;) {
		struct desc *d = &rx_ring(f)[f->rx_next];
		uint64_t status = desc_load_status(d);

		if (!(status >> RXL_STATUS_SHIFT & RX_STAT_DD))
			break;
		take_frame(f, rx_buffer(f, f->rx_next), (uint32_t)(status & RXL_LEN_MASK));
		d->word[0] = f->buffers.iova + f->rx_next * MINI_BUFFER_BYTES;
		desc_store_status(d, 0);
		f->rx_next = (f->rx_next + 1) % MINI_RING;
	}
	if (f->rx_next != first)
		bus_write32(f->bus, REG_RDT, (f->rx_next + MINI_RING - 1) % MINI_RING);
}

bool mini_serve(struct mini_driver *f, int timeout_ms)
{
	struct pollfd pollfd = {.fd = f->bus->irq_fd[0], .events = POLLIN};
	uint64_t messages;

	if (poll(&pollfd, 1, timeout_ms) <= 0)
		return false;
	assert_int_equal(read(pollfd.fd, &messages, sizeof(messages)), sizeof(messages));
	f->messages += messages;
	(void)bus_read32(f->bus, REG_ICR);
	clean_rx(f);
	bus_write32(f->bus, REG_IMS, ICR_RXT0 | ICR_TXDW);
	return true;
}

const struct sim_counters *mini_counters(struct mini_driver *f)
{
	f->bus->ops->sim->get_counters(f->bus, &f->counters);
	return &f->counters;
}

void mini_set_source(struct mini_driver *f, uint64_t count, double rate_pps)
{
	struct sim_source source = {
		.on = true, .frame_bytes = 64, .rate_pps = rate_pps, .count = count, .burst = 1};
	struct error err = {0};

	if (f->bus->ops->sim->set_source(f->bus, &source, &err) < 0)
		fail_msg("%s", err.text);
}

void mini_fill_tx(struct mini_driver *f, const void *data, uint32_t len)
{
	unsigned buffer = MINI_RING + f->tx_next % MINI_TX_BUFFERS;
	struct desc *d = &tx_ring(f)[f->tx_next];

	memcpy(rx_buffer(f, buffer), data, len);
	d->word[0] = f->buffers.iova + buffer * MINI_BUFFER_BYTES;
	desc_store_status(d, len | TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS);
	f->tx_next = (f->tx_next + 1) % MINI_RING;
}

void mini_kick_tx(struct mini_driver *f)
{
	bus_write32(f->bus, REG_TDT, f->tx_next);
}

void mini_post_tx(struct mini_driver *f, const void *data, uint32_t len)
{
	mini_fill_tx(f, data, len);
	mini_kick_tx(f);
}

static bool tx_done(struct mini_driver *f)
{
	unsigned last = (f->tx_next + MINI_RING - 1) % MINI_RING;

	return desc_load_status(&tx_ring(f)[last]) & TX_STAT_DD;
}

void mini_wait_for_tx(struct mini_driver *f)
{
	for (int ms = 0; !tx_done(f); ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)mini_serve(f, 1);
	}
}
