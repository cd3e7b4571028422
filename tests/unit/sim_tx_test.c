/* SPDX-License-Identifier: BSD-2-Clause */
/* Transmit unit of the simulated chip: descriptors, write-back, pacing on the wire. */
#include "tests/unit/sim_tx_rig.h"

/* --- timing and write-back --- */

static void a_frame_is_written_back_when_it_has_left_the_wire(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	place(&rig, &(struct frame_spec){.payload = 46});
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, 991);
	expect_nothing_sent(&rig);
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 0);
	rig_advance(&rig, 992);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, 992);
	assert_memory_equal(sent.data, data(&rig), 100);
	assert_int_equal(desc_load_status(&rig.tx[0]), 100 | PLAIN | TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 1);
	assert_int_equal(rig_read(&rig, REG_GPTC), 1);
	assert_int_equal(rig_read(&rig, REG_GPTC), 0);
	assert_int_equal(rig_read(&rig, REG_GOTCL), 104);
	assert_int_equal(rig_read(&rig, REG_GOTCH), 0);
	assert_int_equal(rig_read(&rig, REG_GOTCL), 0);
	rig_close(&rig);
}

static void only_descriptors_with_rs_are_written_back(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_irq(&rig, INTMODE_MSI, 1);
	rig_write(&rig, REG_IMS, ICR_TXDW);
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | TX_CMD_EOP | TX_CMD_IFCS);
	rig_put_tx(&rig, rig.tx_data.iova, 50);
	rig_put_tx(&rig, rig.tx_data.iova, 50 | PLAIN);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_false(desc_load_status(&rig.tx[1]) & TX_STAT_DD);
	assert_true(desc_load_status(&rig.tx[2]) & TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 3);
	assert_int_equal(rig.raises, 1);
	assert_int_equal(rig.raise_ns[0], 2 * WIRE_NS(100));
	rig_close(&rig);
}

static void ivar_bit_31_writes_every_descriptor_back(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_irq(&rig, INTMODE_MSIX, 3);
	rig_write(&rig, REG_IVAR, 0x800A0908);
	rig_write(&rig, REG_IMS, ICR_TXQ0);
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | TX_CMD_EOP | TX_CMD_IFCS);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	assert_true(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(rig.raises, 1);
	assert_int_equal(rig.raise_vector[0], 1);
	rig_close(&rig);
}

static void the_queue_empty_cause_follows_the_last_frame(void **state)
{
	struct rig rig;

	rig_open(&rig, "82545EM");
	rig_start_tx(&rig, 64);
	put_plain(&rig, 100);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, WIRE_NS(100));
	assert_int_equal(rig_read(&rig, REG_ICR), ICR_TXDW);
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(rig_read(&rig, REG_ICR), ICR_TXDW | ICR_TXQE);
	rig_close(&rig);
}

static void a_frame_starts_when_its_tail_was_written_even_if_the_device_lags(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	/* The host goes on for 50 us while the device stands still. */
	put_plain(&rig, 100);
	rig_kick(&rig);
	sim_vbus_spend(rig.bus, 500);
	put_plain(&rig, 100);
	rig_kick(&rig);
	sim_vbus_spend(rig.bus, 49500);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, 992);
	assert_true(sim_vbus_collect(rig.bus, &sent)); /* waited for the wire */
	assert_int_equal(sent.at_ns - RIG_START_NS, 2 * 992);
	assert_true(sim_vbus_collect(rig.bus, &sent)); /* waited for the host */
	assert_int_equal(sent.at_ns - RIG_START_NS, 50000 + 992);
	rig_close(&rig);
}

static void more_tail_writes_than_the_device_remembers_never_start_a_frame_early(void **state)
{
	struct rig rig;
	struct sim_frame sent;
	unsigned count = 0;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, RIG_RING);
	for (unsigned i = 0; i < 200; i++) {
		put_plain(&rig, 60);
		rig_kick(&rig);
		sim_vbus_spend(rig.bus, 10000);
	}
	rig_advance(&rig, 100 * NS_PER_MS);
	for (; sim_vbus_collect(rig.bus, &sent); count++)
		assert_true(sent.at_ns - RIG_START_NS >= count * 10000 + WIRE_NS(60));
	assert_int_equal(count, 200);
	rig_close(&rig);
}

/* --- pacing --- */

static void on_tx_irq(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct rig *rig = ctx;

	(void)rig_read(rig, REG_ICR);
	rig->tx_next = (rig_read(rig, REG_TDH) + RIG_RING - 1) % RIG_RING;
	rig_write(rig, REG_IMS, ICR_TXDW);
	rig_kick(rig);
}

/* Keep the ring full for @ns; return frames that left. */
static uint64_t frames_in(const char *options, uint32_t len, uint64_t ns)
{
	struct rig rig;
	uint64_t sent;

	rig_open(&rig, options);
	rig_irq(&rig, INTMODE_MSI, 1);
	sim_vbus_set_irq_handler(rig.bus, on_tx_irq, &rig);
	sim_sink_set(sim_vbus_sim(rig.bus), true);
	rig_write(&rig, REG_IMS, ICR_TXDW);
	rig_start_tx(&rig, RIG_RING);
	for (uint32_t i = 0; i < RIG_RING; i++)
		rig.tx[i] = (struct desc){{rig.tx_data.iova,
			len | TX_CMD_EOP | TX_CMD_IFCS | (i % 64 ? 0 : TX_CMD_RS)}};
	rig.tx_next = RIG_RING - 1;
	rig_kick(&rig);
	rig_advance(&rig, ns);
	sent = counters(&rig).wire_tx_frames;
	assert_int_equal(counters(&rig).sink_frames, sent);
	rig_close(&rig);
	return sent;
}

static void the_wire_is_paced_exactly_over_ten_seconds(void **state)
{
	/* 1518 B with FCS: 1538 byte times of 8 ns: 81 274.38 a second. */
	assert_int_equal(frames_in("82574L", 1514, 10 * NS_PER_S), 10 * NS_PER_S / 12304);
	assert_int_equal(
		frames_in("82574L,speed=100", 1514, 10 * NS_PER_S), 10 * NS_PER_S / 123040);
	assert_int_equal(
		frames_in("82574L,speed=10", 1514, 10 * NS_PER_S), 10 * NS_PER_S / 1230400);
}

static void line_rate_of_64_byte_frames_is_1488095_a_second(void **state)
{
	assert_int_equal(frames_in("82574L", 60, NS_PER_S), 1488095);
	/* a shorter frame is padded and takes as long */
	assert_int_equal(frames_in("82574L", 20, NS_PER_S / 10), 148809);
}

static void an_infinite_wire_takes_no_time(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L,wire=infinite");
	rig_start_tx(&rig, RIG_RING);
	for (unsigned i = 0; i < 200; i++)
		put_plain(&rig, 1514);
	rig_kick(&rig);
	rig_advance(&rig, 0);
	for (unsigned i = 0; i < 200; i++) {
		assert_true(sim_vbus_collect(rig.bus, &sent));
		assert_int_equal(sent.at_ns, RIG_START_NS);
	}
	expect_nothing_sent(&rig);
	rig_close(&rig);
}

/* --- descriptor formats --- */

static void a_frame_is_gathered_from_many_descriptors(void **state)
{
	static const uint32_t pieces[] = {14, 1, 333, 0, 652};
	struct rig rig;
	uint64_t at;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	place(&rig, &(struct frame_spec){.payload = 946});
	at = rig.tx_data.iova;
	for (unsigned i = 0; i < ARRAY_SIZE(pieces); i++) {
		bool last = i + 1 == ARRAY_SIZE(pieces);

		rig_put_tx(&rig, at, pieces[i] | DATA | TX_CMD_IFCS | (last ? TX_CMD_EOP : 0));
		at += pieces[i];
	}
	rig_kick(&rig);
	rig_advance(&rig, WIRE_NS(1000));
	expect_sent(&rig, data(&rig), 1000);
	rig_close(&rig);
}

static void a_packet_waits_until_its_last_descriptor_is_published(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, rig.tx_data.iova, 50 | DATA | TX_CMD_IFCS);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_put_tx(&rig, rig.tx_data.iova, 50 | DATA | PLAIN);
	rig_kick(&rig);
	rig_advance(&rig, 2 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, NS_PER_MS + WIRE_NS(100));
	rig_close(&rig);
}

static void short_frames_are_padded_with_zeros_to_60(void **state)
{
	struct rig rig;
	uint8_t expected[60] = {0};

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	memset(data(&rig), 0xee, 200);
	memset(expected, 0xee, 30);
	put_plain(&rig, 30);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, expected, 60);
	/* Without TCTL.PSP it is a runt, which the far end throws away. */
	rig_write(&rig, REG_TCTL, TCTL_EN);
	put_plain(&rig, 30);
	rig_kick(&rig);
	rig_advance(&rig, 2 * NS_PER_MS);
	expect_nothing_sent(&rig);
	assert_int_equal(counters(&rig).wire_tx_frames, 2);
	rig_close(&rig);
}

static void without_ifcs_the_host_makes_the_fcs(void **state)
{
	struct rig rig;
	uint32_t fcs;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	place(&rig, &(struct frame_spec){.payload = 46});
	fcs = frame_fcs(data(&rig), 100);
	memcpy(data(&rig) + 100, &fcs, 4);
	rig_put_tx(&rig, rig.tx_data.iova, 104 | TX_CMD_EOP | TX_CMD_RS);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, data(&rig), 100);
	data(&rig)[103] ^= 1; /* a wrong one is lost at the far end */
	rig_put_tx(&rig, rig.tx_data.iova, 104 | TX_CMD_EOP | TX_CMD_RS);
	rig_kick(&rig);
	rig_advance(&rig, 2 * NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_close(&rig);
}

static void a_ring_of_n_holds_n_minus_1(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L,wire=infinite");
	rig_start_tx(&rig, 8);
	for (unsigned i = 0; i < 8; i++)
		rig.tx[i] = (struct desc){{rig.tx_data.iova, 60 | PLAIN}};
	rig_write(&rig, REG_TDT, 7);
	rig_advance(&rig, 10);
	assert_int_equal(counters(&rig).wire_tx_frames, 7);
	rig_write(&rig, REG_TDT, 7); /* head == tail: empty, not full */
	rig_advance(&rig, 20);
	assert_int_equal(counters(&rig).wire_tx_frames, 7);
	rig_write(&rig, REG_TDT, 6); /* over the end */
	rig_advance(&rig, 30);
	assert_int_equal(counters(&rig).wire_tx_frames, 14);
	assert_int_equal(rig_read(&rig, REG_TDH), 6);
	rig_write(&rig, REG_TDLEN, 200); /* bits 6:0 do not exist */
	assert_int_equal(rig_read(&rig, REG_TDLEN), 128);
	rig_close(&rig);
}

/* --- what the transmitter refuses --- */

static void bad_descriptors_are_counted_and_skipped(void **state)
{
	struct rig rig;
	struct frame_layout l;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	l = place(&rig, &(struct frame_spec){.payload = 5000});
	put_plain(&rig, 4097); /* longer than one buffer may be */
	put_plain(&rig, 13);   /* no Ethernet header */
	put_context(&rig, &l, 1448, TX_CMD_TCP | TX_CMD_IP);
	rig_put_tx(&rig, rig.tx_data.iova, /* less data than the context announces */
		4096 | DATA | TX_CMD_TSE | PLAIN);
	put_context(&rig, &l, 0, TX_CMD_TCP | TX_CMD_IP);
	rig_put_tx(&rig, rig.tx_data.iova, /* segmentation without a segment size */
		1000 | DATA | TX_CMD_TSE | PLAIN);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | DATA | TX_CMD_IFCS);
	put_context(&rig, &l, 0, 0); /* a context inside a packet */
	rig_put_tx(&rig, rig.tx_data.iova, 100 | DATA | PLAIN);
	put_plain(&rig, 100); /* the transmitter lives */
	rig_kick(&rig);
	rig_advance(&rig, 10 * NS_PER_MS);
	expect_sent(&rig, data(&rig), 100);
	expect_nothing_sent(&rig);
	assert_int_equal(counters(&rig).bad_descriptors, 5);
	assert_true(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	rig_close(&rig);
}

static void memory_that_is_not_mapped_is_not_read(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, 0xdead0000, 100 | PLAIN);
	rig_put_tx(&rig, rig.tx_data.iova + RIG_TX_BYTES - 50, 100 | PLAIN); /* over the end */
	rig_put_tx(&rig, UINT64_MAX - 10, 100 | PLAIN);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	assert_int_equal(counters(&rig).dma_dropped, 3);
	rig_close(&rig);
}

static void a_ring_that_is_not_mapped_stops_the_transmitter(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_write(&rig, REG_TDBAH, 0x7777);
	rig_write(&rig, REG_TDT, 5);
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(rig_read(&rig, REG_TDH), 0);
	assert_int_equal(counters(&rig).wire_tx_frames, 0);
	assert_true(counters(&rig).dma_dropped > 0);
	rig_close(&rig);
}

/* --- what holds the transmitter back --- */

static void frames_wait_for_enable_link_and_bus_master(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_write(&rig, REG_TCTL, TCTL_PSP);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_write(&rig, REG_TCTL, TCTL_EN | TCTL_PSP);
	rig_advance(&rig, 2 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, NS_PER_MS + WIRE_NS(100));

	rig_write(&rig, REG_CTRL, CTRL_FD); /* link down */
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, 3 * NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_write(&rig, REG_CTRL, CTRL_FD | CTRL_SLU);
	rig_advance(&rig, 4 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));

	rig.bus->ops->set_master(rig.bus, false, NULL);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, 5 * NS_PER_MS);
	expect_nothing_sent(&rig);
	rig.bus->ops->set_master(rig.bus, true, NULL);
	rig_advance(&rig, 6 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	rig_close(&rig);
}

static void memory_unmapped_under_a_frame_on_the_wire_is_let_go(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	put_plain(&rig, 1514);
	rig_kick(&rig);
	rig_advance(&rig, 100);
	rig.bus->ops->dma_free(rig.bus, &rig.tx_data);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(counters(&rig).dma_dropped, 1);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_written_back_when_it_has_left_the_wire),
		cmocka_unit_test(only_descriptors_with_rs_are_written_back),
		cmocka_unit_test(ivar_bit_31_writes_every_descriptor_back),
		cmocka_unit_test(the_queue_empty_cause_follows_the_last_frame),
		cmocka_unit_test(a_frame_starts_when_its_tail_was_written_even_if_the_device_lags),
		cmocka_unit_test(more_tail_writes_than_the_device_remembers_never_start_a_frame_early),
		cmocka_unit_test(the_wire_is_paced_exactly_over_ten_seconds),
		cmocka_unit_test(line_rate_of_64_byte_frames_is_1488095_a_second),
		cmocka_unit_test(an_infinite_wire_takes_no_time),
		cmocka_unit_test(a_frame_is_gathered_from_many_descriptors),
		cmocka_unit_test(a_packet_waits_until_its_last_descriptor_is_published),
		cmocka_unit_test(short_frames_are_padded_with_zeros_to_60),
		cmocka_unit_test(without_ifcs_the_host_makes_the_fcs),
		cmocka_unit_test(a_ring_of_n_holds_n_minus_1),
		cmocka_unit_test(bad_descriptors_are_counted_and_skipped),
		cmocka_unit_test(memory_that_is_not_mapped_is_not_read),
		cmocka_unit_test(a_ring_that_is_not_mapped_stops_the_transmitter),
		cmocka_unit_test(frames_wait_for_enable_link_and_bus_master),
		cmocka_unit_test(memory_unmapped_under_a_frame_on_the_wire_is_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
