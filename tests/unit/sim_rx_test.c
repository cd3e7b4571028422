/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive unit of the simulated chip: descriptors, filter, packet buffer. */
#include "tests/unit/sim_rx_rig.h"

/* --- formats --- */

static void the_extended_format_overwrites_the_address(void **state)
{
	struct rig rig;
	uint8_t frame[1514];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 46});

	open_extended(&rig, 64, 0);
	assert_int_equal(sim_vbus_offer(rig.bus, frame, l.len, NULL), 0);
	rig_advance(&rig, 991); /* (100 + 24) bytes of 8 ns */
	assert_int_equal(desc_load_status(&rig.rx[0]), 0);
	rig_advance(&rig, 992);
	assert_int_equal(
		desc_load_status(&rig.rx[0]), ext(100, OK_ONE | RX_STAT_IPCS | RX_STAT_TCPCS));
	assert_int_equal(rig.rx[0].word[0], 0);
	assert_memory_equal(rig_rx_data(&rig, 0), frame, 100);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	assert_int_equal(rig_read(&rig, REG_GPRC), 1);
	assert_int_equal(rig_read(&rig, REG_TPR), 1);
	assert_int_equal(rig_read(&rig, REG_GORCL), 104);
	rig_close(&rig);
}

static void the_packet_checksum_starts_where_rxcsum_says(void **state)
{
	struct rig rig;
	uint8_t frame[1514];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 47});

	rig_open(&rig, "82574L");
	rig_write(&rig, REG_RFCTL, RFCTL_EXTEN | RFCTL_ACK_DIS);
	rig_write(&rig, REG_RXCSUM, 14);
	rig_start_rx(&rig, 64, 0);
	offer(&rig, frame, l.len);
	assert_int_equal(desc_load_status(&rig.rx[0]), ext(101, OK_ONE | RX_STAT_IXSM));
	assert_int_equal(rig.rx[0].word[0] >> 48, memory_sum(frame + 14, l.len - 14));
	rig_close(&rig);
}

static void the_legacy_format_keeps_the_address(void **state)
{
	struct rig rig;
	uint8_t frame[1514];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 46, .udp = true});

	rig_open(&rig, "82545EM");
	rig_write(&rig, REG_RXCSUM, SUMS);
	rig_start_rx(&rig, 64, 0);
	offer(&rig, frame, l.len);
	assert_int_equal(desc_load_status(&rig.rx[0]),
		l.len | (uint64_t)memory_sum(frame, l.len) << 16 |
			(uint64_t)(OK_ONE | RX_STAT_IPCS | RX_STAT_TCPCS | RX_STAT_UDPCS)
				<< RXL_STATUS_SHIFT);
	assert_int_equal(rig.rx[0].word[0], rig.rx_buffers.iova);
	assert_memory_equal(rig_rx_data(&rig, 0), frame, l.len);
	rig_close(&rig);
}

static void an_82574_without_exten_uses_the_legacy_format(void **state)
{
	struct rig rig;
	uint8_t frame[1514];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 46});

	rig_open(&rig, "82574L");
	rig_start_rx(&rig, 64, 0);
	offer(&rig, frame, l.len);
	assert_int_equal(desc_load_status(&rig.rx[0]) >> RXL_STATUS_SHIFT, OK_ONE | RX_STAT_IXSM);
	assert_int_equal(rig.rx[0].word[0], rig.rx_buffers.iova);
	rig_close(&rig);
}

static void a_long_frame_takes_several_descriptors(void **state)
{
	struct rig rig;
	uint8_t frame[6000];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 4946});

	open_extended(&rig, 64, RCTL_LPE);
	assert_int_equal(sim_vbus_offer(rig.bus, frame, l.len, NULL), 0);
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(l.len, 5000);
	assert_int_equal(desc_load_status(&rig.rx[0]), ext(2048, RX_STAT_DD));
	assert_int_equal(desc_load_status(&rig.rx[1]), ext(2048, RX_STAT_DD));
	assert_int_equal(
		desc_load_status(&rig.rx[2]), ext(904, OK_ONE | RX_STAT_IPCS | RX_STAT_TCPCS));
	assert_memory_equal(rig_rx_data(&rig, 0), frame, 5000); /* buffers lie side by side */
	rig_close(&rig);
}

static void buffer_sizes_follow_bsize_and_bsex(void **state)
{
	static const struct {
		uint32_t rctl, bytes;
	} rows[] = {
		{0, 2048},
		{1u << RCTL_BSIZE_SHIFT, 1024},
		{2u << RCTL_BSIZE_SHIFT, 512},
		{3u << RCTL_BSIZE_SHIFT, 256},
		{RCTL_BSEX | 1u << RCTL_BSIZE_SHIFT, 16384},
		{RCTL_BSEX | 2u << RCTL_BSIZE_SHIFT, 8192},
		{RCTL_BSEX | 3u << RCTL_BSIZE_SHIFT, 4096},
	};
	uint8_t frame[9300];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 9000});

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;

		open_extended(&rig, 64, RCTL_LPE | rows[i].rctl);
		assert_int_equal(sim_vbus_offer(rig.bus, frame, l.len, NULL), 0);
		rig_advance(&rig, NS_PER_MS);
		assert_int_equal(
			desc_load_status(&rig.rx[0]) >> RXE_LEN_SHIFT, MIN(rows[i].bytes, l.len));
		assert_int_equal(
			rig_read(&rig, REG_RDH), (l.len + rows[i].bytes - 1) / rows[i].bytes);
		rig_close(&rig);
	}
}

static void without_secrc_the_fcs_goes_to_the_host(void **state)
{
	struct rig rig;
	uint8_t frame[1514];
	struct frame_layout l = frame_make(frame, &(struct frame_spec){.payload = 46});
	uint32_t fcs = frame_fcs(frame, l.len);

	open_extended(&rig, 64, 0);
	rig_write(&rig, REG_RCTL, rig_read(&rig, REG_RCTL) & ~RCTL_SECRC);
	offer(&rig, frame, l.len);
	assert_int_equal(desc_load_status(&rig.rx[0]) >> RXE_LEN_SHIFT, 104);
	assert_memory_equal(rig_rx_data(&rig, 0), frame, 100);
	assert_memory_equal(rig_rx_data(&rig, 0) + 100, &fcs, 4);
	rig_close(&rig);
}

/* --- filter --- */

static void addresses_are_filtered(void **state)
{
	static const uint8_t own[6] = {2, 0, 0, 0, 0, 1}, second[6] = {2, 9, 9, 9, 9, 9},
			     stranger[6] = {2, 0, 0, 0, 0, 7},
			     all[6] = {255, 255, 255, 255, 255, 255},
			     group[6] = {1, 0, 0x5e, 0, 0, 1};
	static const struct {
		uint32_t rctl;
		bool own, second, stranger, all, group;
	} rows[] = {
		{0, true, true, false, false, false},
		{RCTL_BAM, true, true, false, true, false},
		{RCTL_MPE, true, true, false, true, true},
		{RCTL_UPE, true, true, true, false, false},
		{RCTL_UPE | RCTL_MPE | RCTL_BAM, true, true, true, true, true},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint8_t *to[] = {own, second, stranger, all, group};
		const bool taken[] = {
			rows[i].own, rows[i].second, rows[i].stranger, rows[i].all, rows[i].group};
		uint32_t expected = 0;
		struct rig rig;

		open_extended(&rig, 64, 0);
		rig_write(&rig, REG_RAL0 + 8 * 14, 0x09090902);
		rig_write(&rig, REG_RAH0 + 8 * 14, RAH_AV | 0x0909);
		rig_write(&rig, REG_RCTL, RCTL_EN | RCTL_SECRC | rows[i].rctl);
		for (unsigned k = 0; k < ARRAY_SIZE(to); k++) {
			struct frame_spec spec = {.payload = 46};
			uint8_t f[200];
			struct frame_layout l;

			memcpy(spec.to, to[k], 6);
			l = frame_make(f, &spec);
			offer(&rig, f, l.len);
			expected += taken[k];
			assert_int_equal(rig_read(&rig, REG_RDH), expected);
		}
		assert_int_equal(rig_read(&rig, REG_TPR), 5);
		assert_int_equal(rig_read(&rig, REG_GPRC), expected);
		assert_int_equal(rig_read(&rig, REG_MPC), 0);
		rig_close(&rig);
	}
}

/* One bit of the table for each place that RCTL.MO takes its twelve bits from: 0123456789ab as 48 bits with
 * the first byte lowest is ab8967452301. */
static void groups_pass_by_the_hash_of_mo(void **state)
{
	static const uint8_t to[6] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab};
	static const uint16_t hash[4] = {0xab8, 0x571, 0xae2, 0xb89};
	struct frame_spec spec = {.payload = 46};
	struct frame_layout l;
	uint8_t f[200];

	memcpy(spec.to, to, 6);
	l = frame_make(f, &spec);
	for (unsigned set = 0; set < 4; set++) {
		for (uint32_t mo = 0; mo < 4; mo++) {
			struct rig rig;

			open_extended(&rig, 64, 0);
			for (unsigned i = 0; i < REG_MTA_WORDS; i++)
				rig_write(&rig, REG_MTA + 4 * i, 0);
			rig_write(&rig, REG_MTA + (hash[set] >> 5) * 4, 1u << (hash[set] & 31));
			rig_write(&rig, REG_RCTL, RCTL_EN | RCTL_SECRC | mo << RCTL_MO_SHIFT);
			offer(&rig, f, l.len);
			assert_int_equal(rig_read(&rig, REG_RDH), set == mo);
			rig_close(&rig);
		}
	}
}

static void long_frames_need_lpe(void **state)
{
	struct rig rig;
	uint8_t f[2000];

	open_extended(&rig, 64, 0);
	frame_make(f, &(struct frame_spec){.payload = 1900});
	offer(&rig, f, 1518); /* 1522 with FCS */
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	offer(&rig, f, 1519);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	rig_write(&rig, REG_RCTL, rig_read(&rig, REG_RCTL) | RCTL_LPE);
	offer(&rig, f, 1519);
	assert_int_equal(rig_read(&rig, REG_RDH), 2);
	rig_close(&rig);
}

static void a_receiver_that_is_off_drops(void **state)
{
	struct rig rig;
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});

	rig_open(&rig, "82545EM");
	rig_start_rx(&rig, 64, 0);
	rig_write(&rig, REG_RCTL, RCTL_BAM);
	offer(&rig, f, l.len);
	assert_int_equal(rig_read(&rig, REG_RDH), 0);
	rig_write(&rig, REG_RCTL, RCTL_BAM | RCTL_EN | RCTL_SECRC);
	offer(&rig, f, l.len);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	rig_close(&rig);
}

static void quirk_rx_stays_enabled_wedges_until_reset(void **state)
{
	struct rig rig;
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});

	open_extended(&rig, 64, 0);
	assert_true(chip_has_quirk(rig.bus->chip, QUIRK_RX_STAYS_ENABLED));
	rig_write(&rig, REG_RCTL, RCTL_BAM);
	rig_write(&rig, REG_RCTL, RCTL_BAM | RCTL_EN | RCTL_SECRC);
	offer(&rig, f, l.len);
	assert_int_equal(rig_read(&rig, REG_RDH), 0);
	rig_write(&rig, REG_CTRL, CTRL_RST);
	rig_advance(&rig, rig_now(&rig) + 2 * NS_PER_MS);
	rig_write(&rig, REG_CTRL, CTRL_SLU);
	rig_advance(&rig, rig_now(&rig) + NS_PER_MS);
	rig_start_rx(&rig, 64, 0);
	offer(&rig, f, l.len);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	rig_close(&rig);
}

/* --- packet buffer --- */

static void frames_wait_in_the_packet_buffer_and_then_are_missed(void **state)
{
	struct rig rig;
	uint8_t f[1514];
	/* 1500 + 4 FCS, in units of 16 */
	uint32_t held = 32 * 1024 / 1504;

	frame_make(f, &(struct frame_spec){.payload = 1446});
	open_extended(&rig, 8, 0);
	(void)rig_read(&rig, REG_ICR);
	for (unsigned i = 0; i < 7 + held; i++) {
		f[100] = (uint8_t)i;
		offer(&rig, f, 1500);
	}
	assert_int_equal(rig_read(&rig, REG_RDH), 7);
	assert_int_equal(rig_read(&rig, REG_RNBC), held);
	assert_int_equal(rig_read(&rig, REG_MPC), 0);
	assert_false(rig_read(&rig, REG_ICR) & ICR_RXO);
	offer(&rig, f, 1500);
	offer(&rig, f, 1500);
	assert_int_equal(rig_read(&rig, REG_MPC), 2);
	assert_int_equal(rig_read(&rig, REG_MPC), 0);
	assert_int_equal(counters(&rig).rx_missed, 2);
	assert_true(rig_read(&rig, REG_ICR) & ICR_RXO);
	/* Descriptors come back: what waited is delivered in order, nothing twice. */
	for (unsigned i = 0; i < held; i++) {
		uint32_t slot = (7 + i) % 8;

		rig.rx[slot] = (struct desc){{rig.rx_buffers.iova + slot * RIG_BUFFER, 0}};
		rig_write(&rig, REG_RDT, (slot + 1) % 8);
		rig_advance(&rig, rig_now(&rig) + 1);
		assert_true(desc_load_status(&rig.rx[slot]) & RX_STAT_EOP);
		assert_int_equal(rig_rx_data(&rig, slot)[100], 7 + i);
	}
	rig_close(&rig);
}

static void a_short_frame_does_not_overtake_a_long_one_that_waits(void **state)
{
	struct rig rig;
	uint8_t f[6000];

	frame_make(f, &(struct frame_spec){.payload = 5000});
	open_extended(&rig, 8, RCTL_LPE);
	for (unsigned i = 0; i < 5; i++)
		offer(&rig, f, 100);
	assert_int_equal(sim_vbus_offer(rig.bus, f, 5000, NULL), 0); /* three of two left */
	rig_advance(&rig, rig_now(&rig) + NS_PER_MS);
	offer(&rig, f, 100);
	assert_int_equal(rig_read(&rig, REG_RDH), 5);
	rig_write(&rig, REG_RDT, 2);
	rig_advance(&rig, rig_now(&rig) + 1);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	assert_int_equal(desc_load_status(&rig.rx[5]) >> RXE_LEN_SHIFT, 2048);
	assert_int_equal(desc_load_status(&rig.rx[0]) >> RXE_LEN_SHIFT, 100);
	rig_close(&rig);
}

static void the_packet_buffer_wraps_without_mixing_frames(void **state)
{
	struct rig rig;
	uint8_t f[1514];
	unsigned sent = 0, got = 0, slot = 0;

	frame_make(f, &(struct frame_spec){.payload = 1446});
	open_extended(&rig, 8, 0);
	/* Ten in, eight out, again and again, with lengths that change. */
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned i = 0; i < 8 && sent - got < 20; i++, sent++) {
			memcpy(f + 60, &sent, sizeof(sent));
			offer(&rig, f, 100 + sent * 37 % 1400);
		}
		for (unsigned i = 0; i < 8 && (desc_load_status(&rig.rx[slot]) & RX_STAT_DD);
			i++, got++) {
			unsigned number;

			memcpy(&number, rig_rx_data(&rig, slot) + 60, sizeof(number));
			assert_int_equal(number, got);
			assert_int_equal(desc_load_status(&rig.rx[slot]) >> RXE_LEN_SHIFT,
				100 + got * 37 % 1400);
			rig.rx[slot] = (struct desc){{rig.rx_buffers.iova + slot * RIG_BUFFER, 0}};
			rig_write(&rig, REG_RDT, slot);
			slot = (slot + 1) % 8;
			rig_advance(&rig, rig_now(&rig) + 1);
		}
	}
	assert_true(got > 1000);
	assert_int_equal(counters(&rig).rx_missed, 0);
	rig_close(&rig);
}

static void rxdmt0_comes_at_the_threshold(void **state)
{
	static const struct {
		uint32_t rdmts, frames; /* 64 descriptors, 63 given */
	} rows[] = {{0, 31}, {1, 47}, {2, 55}};
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;

		open_extended(&rig, 64, rows[i].rdmts << RCTL_RDMTS_SHIFT);
		for (unsigned k = 1; k <= rows[i].frames; k++) {
			assert_false(rig_read(&rig, REG_ICR) & ICR_RXDMT0);
			offer(&rig, f, l.len);
		}
		assert_true(rig_read(&rig, REG_ICR) & ICR_RXDMT0);
		rig_close(&rig);
	}
}

static void memory_that_is_not_mapped_is_not_written(void **state)
{
	struct rig rig;
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});

	open_extended(&rig, 64, 0);
	rig.rx[0].word[0] = 0x123456;
	offer(&rig, f, l.len);
	assert_int_equal(counters(&rig).dma_dropped, 1);
	assert_true(desc_load_status(&rig.rx[0]) & RXE_ERR_RXE);
	rig.bus->ops->set_master(rig.bus, false, NULL);
	offer(&rig, f, l.len);
	assert_int_equal(desc_load_status(&rig.rx[1]), 0);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_extended_format_overwrites_the_address),
		cmocka_unit_test(the_packet_checksum_starts_where_rxcsum_says),
		cmocka_unit_test(the_legacy_format_keeps_the_address),
		cmocka_unit_test(an_82574_without_exten_uses_the_legacy_format),
		cmocka_unit_test(a_long_frame_takes_several_descriptors),
		cmocka_unit_test(buffer_sizes_follow_bsize_and_bsex),
		cmocka_unit_test(without_secrc_the_fcs_goes_to_the_host),
		cmocka_unit_test(addresses_are_filtered),
		cmocka_unit_test(groups_pass_by_the_hash_of_mo),
		cmocka_unit_test(long_frames_need_lpe),
		cmocka_unit_test(a_receiver_that_is_off_drops),
		cmocka_unit_test(quirk_rx_stays_enabled_wedges_until_reset),
		cmocka_unit_test(frames_wait_in_the_packet_buffer_and_then_are_missed),
		cmocka_unit_test(a_short_frame_does_not_overtake_a_long_one_that_waits),
		cmocka_unit_test(the_packet_buffer_wraps_without_mixing_frames),
		cmocka_unit_test(rxdmt0_comes_at_the_threshold),
		cmocka_unit_test(memory_that_is_not_mapped_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
