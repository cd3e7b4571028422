/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time that the model of the chip takes for a frame, in virtual time: the frame source into a
 * receive ring, and a transmit ring into the sink and to the far end. The device thread has to keep
 * up with 1.488 million frames a second on half a core; the steps here are as short as its own.
 *
 * usage: model_bench
 */
#include <stdlib.h>
#include <string.h>

#include "common/chips/desc.h"
#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim.h"
#include "tests/lib/daemon_child.h"

#define FRAMES	   1000000
#define ROUNDS	   5
#define RING	   256
#define BUFFER	   2048
#define STEP_NS	   1000
#define RX_IOVA	   0x100000
#define TX_IOVA	   0x200000
#define DATA_IOVA  0x1000000
#define START_NS   1000
#define IRQ_CAUSES (ICR_RXQ0 | ICR_TXQ0)

struct model {
	struct sim *sim;
	struct sim_out out;
	struct desc *rx, *tx;
	uint8_t *data;
	uint64_t now_ns;
	uint32_t rx_next, tx_tail, tx_clean;
};

static void put(struct model *m, uint32_t offset, uint32_t value)
{
	sim_write32(m->sim, offset, value, m->now_ns);
}

static void setup_interrupts(struct model *m, uint32_t itr)
{
	sim_set_intmode(m->sim, INTMODE_MSIX, 3);
	put(m, REG_IVAR, 0x800A0908);
	put(m, REG_EIAC, IRQ_CAUSES);
	put(m, REG_EITR0, itr);
	put(m, REG_EITR1, itr);
	put(m, REG_IMS, IRQ_CAUSES);
}

static void setup_rings(struct model *m)
{
	for (uint32_t i = 0; i < RING; i++)
		m->rx[i] = (struct desc){{DATA_IOVA + i * BUFFER, 0}};
	put(m, REG_RXCSUM, RXCSUM_IPOFL | RXCSUM_TUOFL);
	put(m, REG_RFCTL, RFCTL_EXTEN | RFCTL_ACK_DIS);
	put(m, REG_RDBAL, RX_IOVA);
	put(m, REG_RDLEN, RING * sizeof(struct desc));
	put(m, REG_RCTL, RCTL_EN | RCTL_BAM | RCTL_SECRC);
	put(m, REG_RDT, RING - 1);
	put(m, REG_TDBAL, TX_IOVA);
	put(m, REG_TDLEN, RING * sizeof(struct desc));
	put(m, REG_TCTL, TCTL_EN | TCTL_PSP);
}

static int open_model(struct model *m, uint32_t itr, struct error *err)
{
	size_t ring_bytes = RING * sizeof(struct desc), data_bytes = (size_t)RING * BUFFER;
	struct sim_options options;
	int r = sim_options_parse("82574L,link-usecs=0", &options, err);

	*m = (struct model){.now_ns = START_NS};
	m->rx = calloc(RING, sizeof(struct desc));
	m->tx = calloc(RING, sizeof(struct desc));
	m->data = calloc(1, data_bytes);
	if (!m->rx || !m->tx || !m->data)
		return error_set(err, -1, "out of memory");
	if (r == 0 && (sim_new(&options, START_NS, &m->sim) || sim_out_init(&m->out)))
		return error_set(err, -1, "out of memory");
	if (r < 0)
		return r;
	(void)sim_dma_map(m->sim, m->rx, RX_IOVA, ring_bytes);
	(void)sim_dma_map(m->sim, m->tx, TX_IOVA, ring_bytes);
	(void)sim_dma_map(m->sim, m->data, DATA_IOVA, data_bytes);
	sim_set_master(m->sim, true);
	put(m, REG_CTRL, CTRL_SLU | CTRL_FD);
	(void)sim_advance(m->sim, m->now_ns, false, &m->out);
	setup_interrupts(m, itr);
	setup_rings(m);
	return 0;
}

static void close_model(struct model *m)
{
	sim_out_fini(&m->out);
	sim_free(m->sim);
	free(m->rx);
	free(m->tx);
	free(m->data);
}

/* One step of the device; true: an interrupt wants service. */
static bool step(struct model *m)
{
	uint64_t next = sim_advance(m->sim, m->now_ns, true, &m->out);

	if (!m->out.raised && next > m->now_ns)
		m->now_ns = MAX(m->now_ns + STEP_NS, MIN(next, m->now_ns + 100 * STEP_NS));
	return m->out.raised != 0;
}

static uint64_t refill(struct model *m)
{
	uint64_t taken = 0;

	for (; desc_load_status(&m->rx[m->rx_next]) & RX_STAT_DD; taken++) {
		m->rx[m->rx_next] = (struct desc){{DATA_IOVA + m->rx_next * BUFFER, 0}};
		m->rx_next = (m->rx_next + 1) % RING;
	}
	if (taken)
		put(m, REG_RDT, (m->rx_next + RING - 1) % RING);
	return taken;
}

static double receive(struct model *m, uint32_t bytes)
{
	struct sim_source source = {.on = true, .frame_bytes = bytes, .count = FRAMES};
	uint64_t got = 0, start;

	(void)sim_source_set(m->sim, &source, m->now_ns, NULL);
	start = clock_thread_cpu_ns();
	while (got < FRAMES) {
		if (!step(m))
			continue;
		got += refill(m);
		put(m, REG_IMS, IRQ_CAUSES);
	}
	return (double)(clock_thread_cpu_ns() - start) / FRAMES;
}

static uint64_t clean_and_post(struct model *m, uint32_t bytes)
{
	uint64_t cleaned = 0;

	while (m->tx_clean != m->tx_tail && desc_load_status(&m->tx[m->tx_clean]) & TX_STAT_DD) {
		m->tx_clean = (m->tx_clean + 1) % RING;
		cleaned++;
	}
	while ((m->tx_tail + 1) % RING != m->tx_clean) {
		m->tx[m->tx_tail] = (struct desc){
			{DATA_IOVA, (bytes - 4) | TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS}};
		m->tx_tail = (m->tx_tail + 1) % RING;
	}
	put(m, REG_TDT, m->tx_tail);
	return cleaned;
}

static double transmit(struct model *m, uint32_t bytes, bool sink)
{
	uint64_t sent = 0, start;

	sim_sink_set(m->sim, sink);
	(void)clean_and_post(m, bytes);
	start = clock_thread_cpu_ns();
	while (sent < FRAMES) {
		if (!step(m))
			continue;
		sent += clean_and_post(m, bytes);
		put(m, REG_IMS, IRQ_CAUSES);
	}
	return (double)(clock_thread_cpu_ns() - start) / (double)sent;
}

enum direction { RECEIVE, TRANSMIT, TRANSMIT_SINK };

static int figure(const char *name, enum direction direction, uint32_t bytes, uint32_t itr,
	const char *target, struct error *err)
{
	double ns[ROUNDS];
	struct model m;
	int r;

	for (unsigned i = 0; i < ROUNDS; i++) {
		r = open_model(&m, itr, err);
		if (r < 0)
			return r;
		ns[i] = direction == RECEIVE ? receive(&m, bytes)
					     : transmit(&m, bytes, direction == TRANSMIT_SINK);
		close_model(&m);
	}
	figure_print(name, figure_median(ns, ROUNDS), "ns/frame", target);
	return 0;
}

int main(void)
{
	static const struct {
		const char *name;
		enum direction direction;
		uint32_t bytes, itr;
		const char *target;
	} rows[] = {
		{"model of the chip, receive 64 B, EITR 488, ring refill included", RECEIVE, 64,
			488, "<=200"},
		{"model of the chip, receive 64 B, an interrupt a frame", RECEIVE, 64, 0, "-"},
		{"model of the chip, receive 1518 B, EITR 488", RECEIVE, 1518, 488, "-"},
		{"model of the chip, transmit 64 B to the sink, EITR 488", TRANSMIT_SINK, 64, 488,
			"<=200"},
		{"model of the chip, transmit 64 B to the far end, EITR 488", TRANSMIT, 64, 488,
			"<=200"},
		{"model of the chip, transmit 1518 B to the far end, EITR 488", TRANSMIT, 1518, 488,
			"-"},
	};
	struct error err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (figure(rows[i].name, rows[i].direction, rows[i].bytes, rows[i].itr,
			    rows[i].target, &err) < 0)
			return error_report(&err, "model_bench");
	return 0;
}
