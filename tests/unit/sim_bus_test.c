/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated device in real time, served by a driver of a few lines: 82574L, MSI, legacy
 * descriptors. No absolute time is asserted, only that everything arrives or is counted.
 */
#include "driver/sim/sim_bus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <endian.h>
#include <poll.h>

#include "common/chips/desc.h"
#include "common/clock.h"
#include "driver/sim/sim.h"
#include "driver/tap.h"
#include "tests/unit/need_tap.h"

#define RING	     256
#define BUFFER_BYTES 2048
/* Far beyond what anything here takes, also under a sanitizer on a busy machine. */
#define PATIENCE_MS 20000

struct fixture {
	struct bus *bus;
	struct dma_mem rx, tx, buffers;
	unsigned rx_next, tx_next;
	uint64_t messages, received;
	uint64_t sequence; /* of the source's frame that came last */
	bool check_sequence;
	uint8_t last[BUFFER_BYTES];
	uint32_t last_len;
	struct sim_counters counters;
};

static struct desc *rx_ring(struct fixture *f)
{
	return f->rx.va;
}

static struct desc *tx_ring(struct fixture *f)
{
	return f->tx.va;
}

static uint8_t *rx_buffer(struct fixture *f, unsigned i)
{
	return (uint8_t *)f->buffers.va + (size_t)i * BUFFER_BYTES;
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->bus) {
		f->bus->ops->dma_free(f->bus, &f->rx);
		f->bus->ops->dma_free(f->bus, &f->tx);
		f->bus->ops->dma_free(f->bus, &f->buffers);
		f->bus->ops->close(f->bus);
	}
	free(f);
	return 0;
}

static void open_bus(struct fixture *f, const char *text)
{
	struct error err = {0};

	if (sim_bus_open(text, &f->bus, &err) < 0)
		fail_msg("%s", err.text);
}

static void alloc(struct fixture *f, size_t size, struct dma_mem *ret_mem)
{
	struct error err = {0};

	if (f->bus->ops->dma_alloc(f->bus, size, ret_mem, &err) < 0)
		fail_msg("%s", err.text);
}

static void start_rings(struct fixture *f)
{
	struct bus *bus = f->bus;

	alloc(f, RING * sizeof(struct desc), &f->rx);
	alloc(f, RING * sizeof(struct desc), &f->tx);
	alloc(f, (size_t)(RING + 1) * BUFFER_BYTES, &f->buffers);
	for (unsigned i = 0; i < RING; i++)
		rx_ring(f)[i].word[0] = f->buffers.iova + i * BUFFER_BYTES;
	assert_int_equal(bus->ops->set_master(bus, true, NULL), 0);
	bus_write32(bus, REG_RDBAL, (uint32_t)f->rx.iova);
	bus_write32(bus, REG_RDBAH, (uint32_t)(f->rx.iova >> 32));
	bus_write32(bus, REG_RDLEN, RING * sizeof(struct desc));
	bus_write32(bus, REG_TDBAL, (uint32_t)f->tx.iova);
	bus_write32(bus, REG_TDBAH, (uint32_t)(f->tx.iova >> 32));
	bus_write32(bus, REG_TDLEN, RING * sizeof(struct desc));
	bus_write32(bus, REG_RCTL, RCTL_EN | RCTL_UPE | RCTL_BAM | RCTL_SECRC);
	bus_write32(bus, REG_RDT, RING - 1);
	bus_write32(bus, REG_TCTL, TCTL_EN | TCTL_PSP);
}

static void wait_for_link(struct fixture *f)
{
	bus_write32(f->bus, REG_CTRL, bus_read32(f->bus, REG_CTRL) | CTRL_SLU);
	for (int ms = 0; !(bus_read32(f->bus, REG_STATUS) & STATUS_LU); ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)usleep(1000);
	}
	(void)bus_read32(f->bus, REG_ICR); /* the link change */
}

/* Device running, link up, rings ready, interrupts armed as MSI. */
static void start_device(struct fixture *f)
{
	struct error err = {0};

	if (f->bus->ops->sim->start(f->bus, -1, &err) < 0)
		fail_msg("%s", err.text);
	start_rings(f);
	wait_for_link(f);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSI, 1, &err), 0);
	bus_write32(f->bus, REG_IMS, ICR_RXT0 | ICR_TXDW);
}

/* Frames of the source carry a 64-bit sequence number after their UDP header. */
static void expect_next_sequence(struct fixture *f)
{
	uint64_t sequence;

	memcpy(&sequence, f->last + 42, sizeof(sequence));
	sequence = be64toh(sequence);
	assert_true(f->received == 1 || sequence > f->sequence);
	f->sequence = sequence;
}

static void take_frame(struct fixture *f, const uint8_t *data, uint32_t len)
{
	f->received++;
	f->last_len = len;
	memcpy(f->last, data, len);
	if (f->check_sequence)
		expect_next_sequence(f);
}

static void clean_rx(struct fixture *f)
{
	unsigned first = f->rx_next;

	for (;;) {
		struct desc *d = &rx_ring(f)[f->rx_next];
		uint64_t status = desc_load_status(d);

		if (!(status >> RXL_STATUS_SHIFT & RX_STAT_DD))
			break;
		take_frame(f, rx_buffer(f, f->rx_next), (uint32_t)(status & RXL_LEN_MASK));
		d->word[0] = f->buffers.iova + f->rx_next * BUFFER_BYTES;
		desc_store_status(d, 0);
		f->rx_next = (f->rx_next + 1) % RING;
	}
	if (f->rx_next != first)
		bus_write32(f->bus, REG_RDT, (f->rx_next + RING - 1) % RING);
}

/* Wait for an interrupt, serve it, re-arm. Return: false when none came within @timeout_ms. */
static bool serve(struct fixture *f, int timeout_ms)
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

static const struct sim_counters *counters(struct fixture *f)
{
	f->bus->ops->sim->get_counters(f->bus, &f->counters);
	return &f->counters;
}

static void set_source(struct fixture *f, uint64_t count, double rate_pps)
{
	struct sim_source source = {
		.on = true, .frame_bytes = 64, .rate_pps = rate_pps, .count = count, .burst = 1};
	struct error err = {0};

	if (f->bus->ops->sim->set_source(f->bus, &source, &err) < 0)
		fail_msg("%s", err.text);
}

static void post_tx(struct fixture *f, const void *data, uint32_t len)
{
	uint8_t *buffer = rx_buffer(f, RING);
	struct desc *d = &tx_ring(f)[f->tx_next];

	memcpy(buffer, data, len);
	d->word[0] = f->buffers.iova + RING * BUFFER_BYTES;
	desc_store_status(d, len | TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS);
	f->tx_next = (f->tx_next + 1) % RING;
	bus_write32(f->bus, REG_TDT, f->tx_next);
}

static bool tx_done(struct fixture *f)
{
	unsigned last = (f->tx_next + RING - 1) % RING;

	return desc_load_status(&tx_ring(f)[last]) & TX_STAT_DD;
}

static void wait_for_tx(struct fixture *f)
{
	for (int ms = 0; !tx_done(f); ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)serve(f, 1);
	}
}

/* --- without the thread --- */

static void registers_answer_before_the_device_runs(void **state)
{
	struct fixture *f = *state;

	open_bus(f, "82574L");
	assert_string_equal(f->bus->name, "sim:82574L");
	assert_string_equal(f->bus->ops->scheme, "sim");
	assert_string_equal(f->bus->chip->name, "82574L");
	bus_write32(f->bus, REG_ITR, 500);
	assert_int_equal(bus_read32(f->bus, REG_ITR), 500);
	assert_int_equal(f->bus->ops->reset(f->bus, NULL), 0);
	assert_int_equal(bus_read32(f->bus, REG_ITR), 0);
	assert_int_equal(counters(f)->device_cpu_ns, 0);
}

static void wrong_arguments_are_usage_errors(void **state)
{
	struct error err = {0};
	struct bus *bus = NULL;

	assert_true(sim_bus_open("82574Q", &bus, &err) < 0);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "82574L"));
	assert_true(sim_bus_open("82574L,speeed=10", &bus, &err) < 0);
	assert_true(err.usage);
	assert_null(bus);
}

static void memory_is_zeroed_and_has_addresses_of_its_own(void **state)
{
	static const uint8_t zeros[4096];
	struct dma_mem mem[16];
	struct fixture *f = *state;
	struct error err = {0};
	struct dma_mem more;

	open_bus(f, "82574L");
	for (unsigned i = 0; i < 16; i++) {
		alloc(f, 5000, &mem[i]);
		assert_true(mem[i].size >= 5000);
		assert_int_equal((uintptr_t)mem[i].va % 4096, 0);
		assert_memory_equal(mem[i].va, zeros, sizeof(zeros));
		assert_true(mem[i].iova >= 0x100000 && mem[i].iova != (uintptr_t)mem[i].va);
		assert_true(i == 0 || mem[i].iova >= mem[i - 1].iova + mem[i - 1].size);
	}
	assert_true(f->bus->ops->dma_alloc(f->bus, 4096, &more, &err) < 0);
	assert_true(err.text[0]);
	for (unsigned i = 0; i < 16; i++)
		f->bus->ops->dma_free(f->bus, &mem[i]);
	assert_null(mem[0].va);
	f->bus->ops->dma_free(f->bus, &mem[0]);
	alloc(f, 4096, &more);
	f->bus->ops->dma_free(f->bus, &more);
}

static void interrupt_modes_are_those_of_the_chip(void **state)
{
	struct fixture *f = *state;
	struct error err = {0};

	open_bus(f, "82545EM");
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSIX, 1, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "82545EM"));
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_INTX, 2, &err), -EINVAL);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_INTX, 1, &err), 0);
	assert_int_equal(f->bus->irq_count, 1);
	f->bus->ops->close(f->bus);
	open_bus(f, "82574L");
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSIX, 6, &err), -EINVAL);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSIX, 5, &err), 0);
	assert_int_equal(f->bus->irq_count, 5);
	for (unsigned v = 0; v < 5; v++)
		assert_true(f->bus->irq_fd[v] >= 0);
	f->bus->ops->irq_disable(f->bus);
	assert_int_equal(f->bus->irq_count, 0);
	assert_int_equal(f->bus->irq_fd[0], -1);
}

static void impossible_cpu_is_told(void **state)
{
	struct fixture *f = *state;
	struct error err = {0};

	open_bus(f, "82574L");
	assert_true(f->bus->ops->sim->start(f->bus, 1000, &err) < 0);
	assert_non_null(strstr(err.text, "CPU 1000"));
	assert_int_equal(f->bus->ops->sim->start(f->bus, -1, &err), 0);
	assert_int_equal(f->bus->ops->sim->start(f->bus, -1, &err), -EBUSY);
}

/* --- with the thread --- */

static bool source_is_through(struct fixture *f, uint64_t count)
{
	const struct sim_counters *c = counters(f);

	return c->source_frames == count && f->received + c->rx_missed >= count;
}

static void run_source(struct fixture *f, uint64_t count, double rate_pps)
{
	f->check_sequence = true;
	set_source(f, count, rate_pps);
	for (int ms = 0; !source_is_through(f, count); ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)serve(f, 1);
	}
	while (serve(f, 50))
		;
}

static void source_frames_arrive_or_are_counted_as_missed(void **state)
{
	struct fixture *f = *state;

	open_bus(f, "82574L");
	start_device(f);
	run_source(f, 5000, 50000);
	assert_int_equal(f->received + counters(f)->rx_missed, 5000);
	assert_int_equal(f->counters.wire_rx_frames, 5000);
	assert_true(f->received > 0);
	assert_int_equal(f->last_len, 60);
}

static void line_rate_source_loses_nothing_uncounted(void **state)
{
	struct fixture *f = *state;

	open_bus(f, "82574L");
	start_device(f);
	run_source(f, 100000, 0);
	assert_int_equal(f->received + counters(f)->rx_missed, 100000);
	assert_int_equal(f->counters.source_frames, 100000);
}

static void every_raised_interrupt_is_delivered(void **state)
{
	struct fixture *f = *state;

	open_bus(f, "82574L");
	start_device(f);
	bus_write32(f->bus, REG_ITR, 200);
	run_source(f, 4000, 40000);
	assert_int_equal(f->messages, counters(f)->raised_0);
	assert_true(f->messages > 1);
	assert_true(f->messages <= 4000 + 1);
}

static void nothing_is_delivered_while_not_armed(void **state)
{
	struct fixture *f = *state;
	struct pollfd pollfd;

	open_bus(f, "82574L");
	start_device(f);
	bus_write32(f->bus, REG_IMC, UINT32_MAX);
	pollfd = (struct pollfd){.fd = f->bus->irq_fd[0], .events = POLLIN};
	set_source(f, 100, 100000);
	for (int ms = 0; counters(f)->wire_rx_frames < 100; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)usleep(1000);
	}
	assert_int_equal(poll(&pollfd, 1, 20), 0);
	bus_write32(f->bus, REG_IMS, ICR_RXT0);
	assert_int_equal(poll(&pollfd, 1, PATIENCE_MS), 1);
	(void)serve(f, 0);
	assert_int_equal(f->received, 100);
	assert_int_equal(f->messages, counters(f)->raised_0);
}

static void transmitted_frames_reach_the_sink(void **state)
{
	uint8_t frame[60] = {0};
	struct fixture *f = *state;

	open_bus(f, "82574L");
	f->bus->ops->sim->set_sink(f->bus, true);
	start_device(f);
	for (int i = 0; i < 1000; i++) {
		post_tx(f, frame, sizeof(frame));
		if (i % 100 == 99)
			wait_for_tx(f);
	}
	assert_int_equal(counters(f)->sink_frames, 1000);
	assert_int_equal(f->counters.wire_tx_frames, 1000);
}

static void sleeping_device_wakes_for_a_tail_write(void **state)
{
	uint8_t frame[60] = {0};
	struct fixture *f = *state;

	open_bus(f, "82574L");
	start_device(f);
	for (uint64_t i = 1; i <= 5; i++) {
		uint64_t before;

		(void)usleep(50000);
		before = counters(f)->device_cpu_ns;
		(void)usleep(50000);
		/* Asleep: the thread takes next to nothing, where spinning would take a core. */
		assert_true(counters(f)->device_cpu_ns - before < 10 * NS_PER_MS);
		post_tx(f, frame, sizeof(frame));
		wait_for_tx(f);
		assert_int_equal(counters(f)->wire_tx_frames, i);
	}
}

static void device_cpu_time_is_measured_while_it_runs(void **state)
{
	struct fixture *f = *state;
	uint64_t before;

	open_bus(f, "82574L");
	start_device(f);
	before = counters(f)->device_cpu_ns;
	run_source(f, 3000, 100000);
	assert_true(counters(f)->device_cpu_ns > before);
}

static void closing_in_full_traffic_is_clean(void **state)
{
	struct fixture *f = *state;

	open_bus(f, "82574L");
	start_device(f);
	set_source(f, 0, 50000);
	for (int i = 0; i < 50; i++)
		assert_true(serve(f, PATIENCE_MS));
	set_source(f, 0, 0);
	bus_write32(f->bus, REG_RCTL, 0);
	bus_write32(f->bus, REG_IMC, UINT32_MAX);
	f->bus->ops->irq_disable(f->bus);
	assert_true(counters(f)->source_frames > 0);
	/* tear_down frees the memory and closes, the source still running */
}

static void restarted_interrupts_begin_without_stale_messages(void **state)
{
	struct fixture *f = *state;
	struct error err = {0};

	open_bus(f, "82574L");
	start_device(f);
	run_source(f, 10, 100000);
	set_source(f, 10, 100000); /* nobody serves these */
	for (int ms = 0; counters(f)->wire_rx_frames < 20; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)usleep(1000);
	}
	bus_write32(f->bus, REG_IMC, UINT32_MAX);
	f->bus->ops->irq_disable(f->bus);
	(void)usleep(10000);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSI, 1, &err), 0);
	assert_false(serve(f, 20));
}

/* --- with a peer --- */

struct peer {
	int netns, sock;
};

/* 192.0.2.2 at the far end; the chip's side is 192.0.2.1, played by the test. */
static void attach_peer(struct fixture *f, struct peer *peer)
{
	static const uint8_t chip_mac[6] = {2, 0, 0, 0, 0, 1};
	struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(1000)}, remote = local;
	struct tap_options options = {.name = "peer0", .mtu = 1500, .offloads = true};
	struct error err = {0};
	struct tap tap;
	uint8_t mac[6];

	local.sin_addr.s_addr = inet_addr("192.0.2.2");
	remote.sin_addr.s_addr = inet_addr("192.0.2.1");
	assert_int_equal(netns_new(&peer->netns, &err), 0);
	f->bus->ops->sim->get_mac_of_peer(f->bus, mac);
	assert_memory_not_equal(mac, chip_mac, 6);
	options.netns_fd = peer->netns;
	options.mac = mac;
	if (tap_open(&tap, &options, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tap_set_address(&tap, local.sin_addr, 24, &err), 0);
	assert_int_equal(tap_set_up(&tap, true, &err), 0);
	assert_int_equal(tap_add_neighbour(&tap, remote.sin_addr, chip_mac, &err), 0);
	f->bus->ops->sim->attach_peer(f->bus, &tap);
	peer->sock = socket_in(peer->netns, AF_INET, SOCK_DGRAM);
	assert_int_equal(bind(peer->sock, (struct sockaddr *)&local, sizeof(local)), 0);
	assert_int_equal(connect(peer->sock, (struct sockaddr *)&remote, sizeof(remote)), 0);
}

static void detach_peer(struct peer *peer)
{
	(void)close(peer->sock);
	(void)close(peer->netns);
}

/* The peer's datagram sent back: addresses swapped in place, which keeps both checksums. */
static void send_back(struct fixture *f)
{
	uint8_t frame[BUFFER_BYTES];

	memcpy(frame, f->last, f->last_len);
	memcpy(frame, f->last + 6, 6);
	memcpy(frame + 6, f->last, 6);
	memcpy(frame + 26, f->last + 30, 4);
	memcpy(frame + 30, f->last + 26, 4);
	post_tx(f, frame, f->last_len);
	wait_for_tx(f);
}

static void datagrams_go_to_the_peer_and_back(struct fixture *f)
{
	struct peer peer;

	attach_peer(f, &peer);
	start_device(f);
	for (uint32_t i = 0; i < 50; i++) {
		uint64_t before = f->received;
		struct pollfd pollfd = {.fd = peer.sock, .events = POLLIN};
		uint32_t answer = 0;

		assert_int_equal(send(peer.sock, &i, sizeof(i), 0), sizeof(i));
		for (int ms = 0; f->received == before; ms++) {
			assert_true(ms < PATIENCE_MS);
			(void)serve(f, 1);
		}
		assert_int_equal(f->last_len, 60);
		send_back(f);
		assert_int_equal(poll(&pollfd, 1, PATIENCE_MS), 1);
		assert_int_equal(recv(peer.sock, &answer, sizeof(answer), 0), sizeof(answer));
		assert_int_equal(answer, i);
		if (i % 10 == 9)
			(void)usleep(20000); /* the device goes to sleep */
	}
	assert_int_equal(counters(f)->bad_offers, 0);
	assert_int_equal(f->counters.peer_tap_drops, 0);
	detach_peer(&peer);
}

static void peer_sends_and_receives(void **state)
{
	need_tap();
	open_bus(*state, "82574L");
	datagrams_go_to_the_peer_and_back(*state);
}

static void peer_that_holds_frames_gets_them_all(void **state)
{
	need_tap();
	open_bus(*state, "82574L,peer-usecs=300");
	datagrams_go_to_the_peer_and_back(*state);
}

static void burst_of_the_peer_arrives_in_order(void **state)
{
	struct fixture *f = *state;
	struct peer peer;
	uint32_t got;

	need_tap();
	open_bus(f, "82574L");
	attach_peer(f, &peer);
	start_device(f);
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(send(peer.sock, &i, sizeof(i), 0), sizeof(i));
	for (int ms = 0; f->received + counters(f)->rx_missed < 200; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)serve(f, 1);
	}
	assert_int_equal(f->received, 200);
	memcpy(&got, f->last + 42, sizeof(got));
	assert_int_equal(got, 199);
	assert_int_equal(counters(f)->wire_rx_frames, 200);
	detach_peer(&peer);
}

static void frames_of_the_peer_are_lost_while_the_link_is_down(void **state)
{
	struct fixture *f = *state;
	struct error err = {0};
	struct peer peer;

	need_tap();
	open_bus(f, "82574L");
	attach_peer(f, &peer);
	assert_int_equal(f->bus->ops->sim->start(f->bus, -1, &err), 0);
	for (int i = 0; i < 10; i++)
		(void)send(peer.sock, "early", 5, 0);
	(void)usleep(20000);
	start_rings(f);
	wait_for_link(f);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSI, 1, &err), 0);
	bus_write32(f->bus, REG_IMS, ICR_RXT0);
	(void)send(peer.sock, "later", 5, 0);
	for (int ms = 0; f->received == 0 || memcmp(f->last + 42, "later", 5) != 0; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)serve(f, 1);
	}
	assert_int_equal(f->received, 1);
	detach_peer(&peer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registers_answer_before_the_device_runs),
		TEST(wrong_arguments_are_usage_errors),
		TEST(memory_is_zeroed_and_has_addresses_of_its_own),
		TEST(interrupt_modes_are_those_of_the_chip),
		TEST(impossible_cpu_is_told),
		TEST(source_frames_arrive_or_are_counted_as_missed),
		TEST(line_rate_source_loses_nothing_uncounted),
		TEST(every_raised_interrupt_is_delivered),
		TEST(nothing_is_delivered_while_not_armed),
		TEST(transmitted_frames_reach_the_sink),
		TEST(sleeping_device_wakes_for_a_tail_write),
		TEST(device_cpu_time_is_measured_while_it_runs),
		TEST(closing_in_full_traffic_is_clean),
		TEST(restarted_interrupts_begin_without_stale_messages),
		TEST(peer_sends_and_receives),
		TEST(peer_that_holds_frames_gets_them_all),
		TEST(burst_of_the_peer_arrives_in_order),
		TEST(frames_of_the_peer_are_lost_while_the_link_is_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
