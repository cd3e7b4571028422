/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated device in real time. No absolute time is asserted, only that everything arrives or
 * is counted.
 */
#include "driver/sim/sim_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>

#include "common/clock.h"
#include "tests/lib/mini_driver.h"
#include "tests/lib/need_tap.h"
#include "tests/lib/tcp_stream.h"

static bool source_is_through(struct mini_driver *f, uint64_t count)
{
	const struct sim_counters *c = mini_counters(f);

	return c->source_frames == count && f->received + c->rx_missed >= count;
}

static void run_source(struct mini_driver *f, uint64_t count, double rate_pps)
{
	f->check_sequence = true;
	mini_set_source(f, count, rate_pps);
	for (int ms = 0; !source_is_through(f, count); ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)mini_serve(f, 1);
	}
	while (mini_serve(f, 50))
		;
}

static void source_frames_arrive_or_are_counted_as_missed(void **state)
{
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	mini_start(f);
	run_source(f, 5000, 50000);
	assert_int_equal(f->received + mini_counters(f)->rx_missed, 5000);
	assert_int_equal(f->counters.wire_rx_frames, 5000);
	assert_true(f->received > 0);
	assert_int_equal(f->last_len, 60);
}

static void line_rate_source_loses_nothing_uncounted(void **state)
{
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	mini_start(f);
	run_source(f, 100000, 0);
	assert_int_equal(f->received + mini_counters(f)->rx_missed, 100000);
	assert_int_equal(f->counters.source_frames, 100000);
}

static void every_raised_interrupt_is_delivered(void **state)
{
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	mini_start(f);
	bus_write32(f->bus, REG_ITR, 200);
	run_source(f, 4000, 40000);
	assert_int_equal(f->messages, mini_counters(f)->raised_0);
	assert_true(f->messages > 1);
	assert_true(f->messages <= 4000 + 1);
}

static void nothing_is_delivered_while_not_armed(void **state)
{
	struct mini_driver *f = *state;
	struct pollfd pollfd;

	mini_open(f, "82574L");
	mini_start(f);
	bus_write32(f->bus, REG_IMC, UINT32_MAX);
	pollfd = (struct pollfd){.fd = f->bus->irq_fd[0], .events = POLLIN};
	mini_set_source(f, 100, 100000);
	for (int ms = 0; mini_counters(f)->wire_rx_frames < 100; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)usleep(1000);
	}
	assert_int_equal(poll(&pollfd, 1, 20), 0);
	bus_write32(f->bus, REG_IMS, ICR_RXT0);
	assert_int_equal(poll(&pollfd, 1, PATIENCE_MS), 1);
	(void)mini_serve(f, 0);
	assert_int_equal(f->received, 100);
	assert_int_equal(f->messages, mini_counters(f)->raised_0);
}

static void transmitted_frames_reach_the_sink(void **state)
{
	uint8_t frame[60] = {0};
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	f->bus->ops->sim->set_sink(f->bus, true);
	mini_start(f);
	for (int i = 0; i < 1000; i++) {
		mini_post_tx(f, frame, sizeof(frame));
		if (i % 100 == 99)
			mini_wait_for_tx(f);
	}
	assert_int_equal(mini_counters(f)->sink_frames, 1000);
	assert_int_equal(f->counters.wire_tx_frames, 1000);
}

static void sleeping_device_wakes_for_a_tail_write(void **state)
{
	uint8_t frame[60] = {0};
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	mini_start(f);
	for (uint64_t i = 1; i <= 5; i++) {
		uint64_t before;

		(void)usleep(50000);
		before = mini_counters(f)->device_cpu_ns;
		(void)usleep(50000);
		/* Asleep: the thread takes next to nothing, where spinning would take a core. */
		assert_true(mini_counters(f)->device_cpu_ns - before < 10 * NS_PER_MS);
		mini_post_tx(f, frame, sizeof(frame));
		mini_wait_for_tx(f);
		assert_int_equal(mini_counters(f)->wire_tx_frames, i);
	}
}

static void device_cpu_time_is_measured_while_it_runs(void **state)
{
	struct mini_driver *f = *state;
	uint64_t before;

	mini_open(f, "82574L");
	mini_start(f);
	before = mini_counters(f)->device_cpu_ns;
	run_source(f, 3000, 100000);
	assert_true(mini_counters(f)->device_cpu_ns > before);
}

static void closing_in_full_traffic_is_clean(void **state)
{
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	mini_start(f);
	mini_set_source(f, 0, 50000);
	for (int i = 0; i < 50; i++)
		assert_true(mini_serve(f, PATIENCE_MS));
	mini_set_source(f, 0, 0);
	bus_write32(f->bus, REG_RCTL, 0);
	bus_write32(f->bus, REG_IMC, UINT32_MAX);
	f->bus->ops->irq_disable(f->bus);
	assert_true(mini_counters(f)->source_frames > 0);
	/* tear_down frees the memory and closes, the source still running */
}

static void restarted_interrupts_begin_without_stale_messages(void **state)
{
	struct mini_driver *f = *state;
	struct error err = {0};

	mini_open(f, "82574L");
	mini_start(f);
	run_source(f, 10, 100000);
	mini_set_source(f, 10, 100000); /* nobody serves these */
	for (int ms = 0; mini_counters(f)->wire_rx_frames < 20; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)usleep(1000);
	}
	bus_write32(f->bus, REG_IMC, UINT32_MAX);
	f->bus->ops->irq_disable(f->bus);
	(void)usleep(10000);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSI, 1, &err), 0);
	assert_false(mini_serve(f, 20));
}

/* --- with a peer --- */

struct peer {
	int netns, sock;
};

/* 192.0.2.2 at the far end; the chip's side is 192.0.2.1, played by the test. */
static void attach_peer(struct mini_driver *f, struct peer *peer)
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
static void send_back(struct mini_driver *f)
{
	uint8_t frame[MINI_BUFFER_BYTES];

	memcpy(frame, f->last, f->last_len);
	memcpy(frame, f->last + 6, 6);
	memcpy(frame + 6, f->last, 6);
	memcpy(frame + 26, f->last + 30, 4);
	memcpy(frame + 30, f->last + 26, 4);
	mini_post_tx(f, frame, f->last_len);
	mini_wait_for_tx(f);
}

static void datagrams_go_to_the_peer_and_back(struct mini_driver *f)
{
	struct peer peer;

	attach_peer(f, &peer);
	mini_start(f);
	for (uint32_t i = 0; i < 50; i++) {
		uint64_t before = f->received;
		struct pollfd pollfd = {.fd = peer.sock, .events = POLLIN};
		uint32_t answer = 0;

		assert_int_equal(send(peer.sock, &i, sizeof(i), 0), sizeof(i));
		for (int ms = 0; f->received == before; ms++) {
			assert_true(ms < PATIENCE_MS);
			(void)mini_serve(f, 1);
		}
		assert_int_equal(f->last_len, 60);
		send_back(f);
		assert_int_equal(poll(&pollfd, 1, PATIENCE_MS), 1);
		assert_int_equal(recv(peer.sock, &answer, sizeof(answer), 0), sizeof(answer));
		assert_int_equal(answer, i);
		if (i % 10 == 9)
			(void)usleep(20000); /* the device goes to sleep */
	}
	assert_int_equal(mini_counters(f)->bad_offers, 0);
	assert_int_equal(f->counters.peer_tap_drops, 0);
	detach_peer(&peer);
}

static void peer_sends_and_receives(void **state)
{
	need_tap();
	mini_open(*state, "82574L");
	datagrams_go_to_the_peer_and_back(*state);
}

static void peer_that_holds_frames_gets_them_all(void **state)
{
	need_tap();
	mini_open(*state, "82574L,peer-usecs=300");
	datagrams_go_to_the_peer_and_back(*state);
}

/* What the peer's kernel is given, frame by frame. */
static int packet_socket_in(int netns)
{
	struct sockaddr_ll any = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
	int sock = socket_in(netns, AF_PACKET, SOCK_RAW);

	assert_int_equal(bind(sock, (struct sockaddr *)&any, sizeof(any)), 0);
	return sock;
}

static void held_segments_reach_the_peer_as_one(void **state)
{
	struct mini_driver *f = *state;
	struct tcp_stream stream = tcp_stream_plain;
	struct tcp_frame frame;
	struct peer peer;
	struct pollfd pollfd = {.events = POLLIN};
	uint8_t got[8192];

	need_tap();
	mini_open(f, "82574L,peer-usecs=300");
	attach_peer(f, &peer);
	pollfd.fd = packet_socket_in(peer.netns);
	mini_start(f);
	for (int i = 0; i < 3; i++) {
		tcp_stream_next(&stream, 1000, &frame);
		f->bus->ops->sim->get_mac_of_peer(f->bus, frame.data);
		mini_fill_tx(f, frame.data, frame.len);
	}
	mini_kick_tx(f);
	assert_int_equal(poll(&pollfd, 1, PATIENCE_MS), 1);
	assert_int_equal(recv(pollfd.fd, got, sizeof(got), 0), 66 + 3 * 1000);
	assert_memory_equal(got + 66 + 2000, frame.data + 66, 1000);
	(void)close(pollfd.fd);
	detach_peer(&peer);
}

static void burst_of_the_peer_arrives_in_order(void **state)
{
	struct mini_driver *f = *state;
	struct peer peer;
	uint32_t got;

	need_tap();
	mini_open(f, "82574L");
	attach_peer(f, &peer);
	mini_start(f);
	for (uint32_t i = 0; i < 200; i++)
		assert_int_equal(send(peer.sock, &i, sizeof(i), 0), sizeof(i));
	for (int ms = 0; f->received + mini_counters(f)->rx_missed < 200; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)mini_serve(f, 1);
	}
	assert_int_equal(f->received, 200);
	memcpy(&got, f->last + 42, sizeof(got));
	assert_int_equal(got, 199);
	assert_int_equal(mini_counters(f)->wire_rx_frames, 200);
	detach_peer(&peer);
}

static void frames_of_the_peer_are_lost_while_the_link_is_down(void **state)
{
	struct mini_driver *f = *state;
	struct error err = {0};
	struct peer peer;

	need_tap();
	mini_open(f, "82574L");
	attach_peer(f, &peer);
	assert_int_equal(f->bus->ops->sim->start(f->bus, -1, &err), 0);
	for (int i = 0; i < 10; i++)
		(void)send(peer.sock, "early", 5, 0);
	(void)usleep(20000);
	mini_start_rings(f);
	mini_wait_for_link(f);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSI, 1, &err), 0);
	bus_write32(f->bus, REG_IMS, ICR_RXT0);
	(void)send(peer.sock, "later", 5, 0);
	for (int ms = 0; f->received == 0 || memcmp(f->last + 42, "later", 5) != 0; ms++) {
		assert_true(ms < PATIENCE_MS);
		(void)mini_serve(f, 1);
	}
	assert_int_equal(f->received, 1);
	detach_peer(&peer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mini_set_up, mini_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		TEST(held_segments_reach_the_peer_as_one),
		TEST(burst_of_the_peer_arrives_in_order),
		TEST(frames_of_the_peer_are_lost_while_the_link_is_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
