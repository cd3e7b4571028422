/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated chip behind a bus: registers, reset, link, receive and transmit. */
#include "tests/lib/sim_rig.h"

#define CHIP_MAC 2, 0, 0, 0, 0, 1

static void make_frame(uint8_t *frame, uint32_t len)
{
	static const uint8_t head[14] = {CHIP_MAC, 2, 0, 0, 0, 0, 9, 0x88, 0xb5};

	for (uint32_t i = 0; i < len; i++)
		frame[i] = (uint8_t)(i * 7 + 3);
	memcpy(frame, head, sizeof(head));
}

static void a_frame_from_the_peer_fills_an_extended_descriptor(void **state)
{
	struct rig rig;
	uint8_t frame[100];

	rig_open(&rig, "82574L");
	rig_write(&rig, REG_RFCTL, RFCTL_EXTEN | RFCTL_ACK_DIS);
	rig_start_rx(&rig, 64, 0);
	make_frame(frame, sizeof(frame));
	assert_int_equal(sim_vbus_offer(rig.bus, frame, sizeof(frame), NULL), 0);
	/* (100 + 4 + 20) bytes of 8 ns */
	rig_advance(&rig, 991);
	assert_int_equal(desc_load_status(&rig.rx[0]), 0);
	rig_advance(&rig, 992);
	assert_int_equal(desc_load_status(&rig.rx[0]),
		RX_STAT_DD | RX_STAT_EOP | RX_STAT_IXSM | 100ull << RXE_LEN_SHIFT);
	assert_memory_equal(rig_rx_data(&rig, 0), frame, sizeof(frame));
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	rig_close(&rig);
}

static void a_frame_from_the_peer_fills_a_legacy_descriptor(void **state)
{
	struct rig rig;
	uint8_t frame[100];

	rig_open(&rig, "82545EM");
	rig_start_rx(&rig, 64, 0);
	make_frame(frame, sizeof(frame));
	assert_int_equal(sim_vbus_offer(rig.bus, frame, sizeof(frame), NULL), 0);
	rig_advance(&rig, 992);
	assert_int_equal(desc_load_status(&rig.rx[0]),
		100 | (uint64_t)(RX_STAT_DD | RX_STAT_EOP | RX_STAT_IXSM) << RXL_STATUS_SHIFT);
	assert_int_equal(rig.rx[0].word[0], rig.rx_buffers.iova);
	assert_memory_equal(rig_rx_data(&rig, 0), frame, sizeof(frame));
	rig_close(&rig);
}

static void a_posted_frame_leaves_at_wire_speed_and_is_written_back(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	make_frame(rig.tx_data.va, 100);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS);
	rig_kick(&rig);
	rig_advance(&rig, 991);
	assert_false(sim_vbus_collect(rig.bus, &sent));
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	rig_advance(&rig, 992);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, 992);
	assert_int_equal(sent.len, 100);
	assert_memory_equal(sent.data, rig.tx_data.va, 100);
	assert_true(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 1);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_from_the_peer_fills_an_extended_descriptor),
		cmocka_unit_test(a_frame_from_the_peer_fills_a_legacy_descriptor),
		cmocka_unit_test(a_posted_frame_leaves_at_wire_speed_and_is_written_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
