/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated chip behind a bus: registers, reset, link, interrupts, options. */
#include "tests/lib/sim_rig.h"

#include <errno.h>
#include <poll.h>

/* --- registers --- */

static void registers_obey_their_access_column(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	for (size_t i = 0; i < reg_table_count; i++) {
		const struct reg_info *reg = &reg_table[i];

		if (!(reg->families & FAM_E1000E) || reg->offset == REG_CTRL)
			continue;
		if (reg->access == REG_RO || reg->access == REG_RC) {
			uint32_t before = rig_read(&rig, reg->offset);

			rig_write(&rig, reg->offset, 0x5a5a5a5a);
			assert_int_equal(
				rig_read(&rig, reg->offset), reg->access == REG_RO ? before : 0);
		} else if (reg->access == REG_WO) {
			assert_int_equal(rig_read(&rig, reg->offset), 0);
		}
	}
	rig_write(&rig, REG_TIPG, 0x00602008);
	assert_int_equal(rig_read(&rig, REG_TIPG), 0x00602008);
	rig_write(&rig, 0x1f000, 1); /* nothing there */
	assert_int_equal(rig_read(&rig, 0x1f000), 0);
	rig_close(&rig);
}

static void registers_of_another_family_are_not_there(void **state)
{
	struct rig rig;

	rig_open(&rig, "82545EM");
	rig_write(&rig, REG_IVAR, 0x800A0908);
	rig_write(&rig, REG_EITR0, 500);
	rig_write(&rig, REG_RFCTL, RFCTL_EXTEN);
	assert_int_equal(rig_read(&rig, REG_IVAR), 0);
	assert_int_equal(rig_read(&rig, REG_EITR0), 0);
	assert_int_equal(rig_read(&rig, REG_RFCTL), 0);
	rig_write(&rig, REG_ITR, 500);
	assert_int_equal(rig_read(&rig, REG_ITR), 500);
	rig_close(&rig);
}

static void multicast_and_vlan_tables_are_memory(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_write(&rig, REG_MTA + 4 * 127, 0xabcd);
	rig_write(&rig, REG_VFTA, 0x1234);
	assert_int_equal(rig_read(&rig, REG_MTA + 4 * 127), 0xabcd);
	assert_int_equal(rig_read(&rig, REG_VFTA), 0x1234);
	rig_close(&rig);
}

static void eerd_answers_in_the_layout_of_the_chip_only(void **state)
{
	struct rig rig;
	uint32_t value;

	rig_open(&rig, "82574L,mac=02:11:22:33:44:55");
	rig_write(&rig, REG_EERD, 1u << EERD_ADDR_SHIFT_LARGE | EERD_START);
	value = rig_read(&rig, REG_EERD);
	assert_true(value & EERD_DONE_LARGE);
	assert_int_equal(value >> EERD_DATA_SHIFT, 0x3322);
	rig_write(&rig, REG_EERD, 1u << EERD_ADDR_SHIFT_SMALL | EERD_START);
	assert_false(rig_read(&rig, REG_EERD) & EERD_DONE_SMALL);
	rig_close(&rig);

	rig_open(&rig, "82545EM,mac=02:11:22:33:44:55");
	rig_write(&rig, REG_EERD, 2u << EERD_ADDR_SHIFT_SMALL | EERD_START);
	value = rig_read(&rig, REG_EERD);
	assert_true(value & EERD_DONE_SMALL);
	assert_int_equal(value >> EERD_DATA_SHIFT, 0x5544);
	rig_write(&rig, REG_EERD, 2u << EERD_ADDR_SHIFT_LARGE | EERD_START);
	assert_false(rig_read(&rig, REG_EERD) & EERD_DONE_LARGE);
	rig_close(&rig);
}

static void nvm_words_sum_to_the_checksum(void **state)
{
	struct rig rig;
	uint16_t sum = 0;

	rig_open(&rig, "82574L");
	for (uint32_t word = 0; word < 0x40; word++) {
		rig_write(&rig, REG_EERD, word << EERD_ADDR_SHIFT_LARGE | EERD_START);
		sum += (uint16_t)(rig_read(&rig, REG_EERD) >> EERD_DATA_SHIFT);
	}
	assert_int_equal(sum, 0xbaba);
	rig_close(&rig);
}

/* --- reset and link --- */

static void reset_takes_its_time_and_clears_everything_but_the_address(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L,reset-usecs=1500");
	rig_write(&rig, REG_ITR, 488);
	rig_write(&rig, REG_IMS, ICR_LSC);
	rig_write(&rig, REG_RAL0, 0x11111111);
	rig_start_rx(&rig, 64, 0);
	rig_start_tx(&rig, 64);
	rig_write(&rig, REG_CTRL, rig_read(&rig, REG_CTRL) | CTRL_RST);
	rig_write(&rig, REG_ITR, 7); /* a chip in reset does not listen */
	rig_advance(&rig, 1499999);
	assert_true(rig_read(&rig, REG_CTRL) & CTRL_RST);
	assert_false(rig_read(&rig, REG_EECD) & EECD_AUTO_RD);
	rig_advance(&rig, 1500000);
	assert_int_equal(rig_read(&rig, REG_CTRL), CTRL_FD);
	assert_true(rig_read(&rig, REG_EECD) & EECD_AUTO_RD);
	assert_int_equal(rig_read(&rig, REG_ITR), 0);
	assert_int_equal(rig_read(&rig, REG_IMS), 0);
	assert_int_equal(rig_read(&rig, REG_RCTL), 0);
	assert_int_equal(rig_read(&rig, REG_RDLEN), 0);
	assert_int_equal(rig_read(&rig, REG_TDLEN), 0);
	assert_int_equal(rig_read(&rig, REG_RAL0), 0x00000002);
	assert_int_equal(rig_read(&rig, REG_RAH0), RAH_AV | 0x0100);
	assert_false(rig_read(&rig, REG_STATUS) & STATUS_LU);
	rig_close(&rig);
}

static void link_comes_up_after_slu_and_interrupts(void **state)
{
	struct bus *bus;
	struct error err = {0};

	assert_int_equal(sim_vbus_open("82574L,link-usecs=2000,speed=100", 1000, &bus, &err), 0);
	assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSI, 1, NULL), 0);
	bus_write32(bus, REG_IMS, ICR_LSC);
	sim_vbus_advance(bus, 5 * NS_PER_MS);
	assert_false(bus_read32(bus, REG_STATUS) & STATUS_LU);
	bus_write32(bus, REG_CTRL, CTRL_SLU | CTRL_FD);
	assert_int_equal(sim_vbus_run(bus, NS_PER_S), 1);
	assert_int_equal(sim_vbus_now(bus), 7 * NS_PER_MS);
	assert_int_equal(bus_read32(bus, REG_STATUS) & (STATUS_LU | STATUS_SPEED_MASK),
		STATUS_LU | 1u << STATUS_SPEED_SHIFT);
	assert_true(bus_read32(bus, REG_ICR) & ICR_LSC);
	/* Forcing another speed renegotiates: down at once, up later. */
	bus_write32(bus, REG_CTRL, CTRL_SLU | CTRL_FD | CTRL_FRCSPD | 0u << CTRL_SPEED_SHIFT);
	assert_false(bus_read32(bus, REG_STATUS) & STATUS_LU);
	sim_vbus_advance(bus, sim_vbus_now(bus) + 2 * NS_PER_MS);
	assert_int_equal(bus_read32(bus, REG_STATUS) & (STATUS_LU | STATUS_SPEED_MASK), STATUS_LU);
	bus->ops->close(bus);
}

static void master_disable_is_acknowledged_in_status(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	assert_true(rig_read(&rig, REG_STATUS) & STATUS_GIO_MASTER_ENABLE);
	rig_write(&rig, REG_CTRL, rig_read(&rig, REG_CTRL) | CTRL_GIO_MASTER_DISABLE);
	assert_false(rig_read(&rig, REG_STATUS) & STATUS_GIO_MASTER_ENABLE);
	rig_close(&rig);
}

/* --- interrupts through the bus --- */

static void an_interrupt_makes_its_eventfd_readable(void **state)
{
	struct rig rig;
	uint64_t messages = 0;

	rig_open(&rig, "82574L");
	rig_irq(&rig, INTMODE_MSIX, 3);
	rig_write(&rig, REG_IVAR, 0x800A0908);
	rig_write(&rig, REG_IMS, ICR_TXQ0);
	rig_write(&rig, REG_ICS, ICR_TXQ0);
	rig_advance(&rig, 10);
	for (unsigned i = 0; i < 3; i++) {
		struct pollfd p = {.fd = rig.bus->irq_fd[i], .events = POLLIN};

		assert_int_equal(poll(&p, 1, 0), i == 1);
	}
	assert_int_equal(read(rig.bus->irq_fd[1], &messages, sizeof(messages)), sizeof(messages));
	assert_int_equal(messages, 1);
	assert_int_equal(sim_vbus_raised(rig.bus, 1), 1);
	rig_close(&rig);
}

static void the_82545em_has_intx_only(void **state)
{
	struct rig rig;
	struct error err = {0};

	rig_open(&rig, "82545EM");
	assert_int_equal(rig.bus->ops->irq_enable(rig.bus, INTMODE_MSI, 1, &err), -EINVAL);
	rig_irq(&rig, INTMODE_INTX, 1);
	rig_write(&rig, REG_IMS, ICR_RXO);
	rig_write(&rig, REG_ICS, ICR_RXO);
	rig_advance(&rig, 10);
	assert_int_equal(rig.raises, 1);
	rig.bus->ops->irq_unmask(rig.bus); /* not acknowledged: again */
	rig_advance(&rig, 20);
	assert_int_equal(rig.raises, 2);
	assert_int_equal(rig_read(&rig, REG_ICR), ICR_RXO);
	rig.bus->ops->irq_unmask(rig.bus);
	rig_advance(&rig, 30);
	assert_int_equal(rig.raises, 2);
	rig_close(&rig);
}

/* --- DMA --- */

static void memory_regions_are_bounded_and_do_not_overlap(void **state)
{
	struct rig rig;
	struct sim *sim;
	static uint8_t page[4096];

	rig_open(&rig, "82574L");
	sim = sim_vbus_sim(rig.bus);
	assert_int_equal(sim_dma_map(sim, page, rig.rx_ring.iova + 16, 16), -EEXIST);
	for (unsigned i = 4; i < 16; i++)
		assert_int_equal(sim_dma_map(sim, page, 0x1000u * i, 4096), 0);
	assert_int_equal(sim_dma_map(sim, page, 0x100000, 4096), -ENOSPC);
	sim_dma_unmap(sim, 0x4000);
	assert_int_equal(sim_dma_map(sim, page, 0x100000, 4096), 0);
	rig_close(&rig);
}

/* --- options --- */

static void options_are_parsed(void **state)
{
	struct sim_options o;
	struct error err = {0};

	assert_int_equal(sim_options_parse("82574l", &o, &err), 0);
	assert_string_equal(o.chip->name, "82574L");
	assert_int_equal(o.speed_mbps, 1000);
	assert_int_equal(o.reset_us, 1000);
	assert_int_equal(o.link_us, 2000);
	assert_false(o.msix_rx_timers);
	assert_false(o.infinite_wire);
	assert_int_equal(
		sim_options_parse("82545EM,speed=100,msix-rx-timers=on,wire=infinite,peer-usecs=50,"
				  "reset-usecs=3,link-usecs=4,mac=02:aa:BB:00:00:07",
			&o, &err),
		0);
	assert_int_equal(o.speed_mbps, 100);
	assert_true(o.msix_rx_timers);
	assert_true(o.infinite_wire);
	assert_int_equal(o.peer_usecs, 50);
	assert_int_equal(o.reset_us, 3);
	assert_int_equal(o.link_us, 4);
	assert_memory_equal(o.mac, "\x02\xaa\xbb\x00\x00\x07", 6);
}

static void wrong_options_are_usage_errors_that_name_the_cure(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"82754L", "did you mean 82574L?"},
		{"", "known are 82545EM"},
		{"82540EM", "driven on real hardware only"},
		{"82574L,sped=10", "did you mean speed?"},
		{"82574L,colour=red", "it has speed"},
		{"82574L,speed=42", "take 10, 100 or 1000"},
		{"82574L,speed=", "take 10, 100 or 1000"},
		{"82574L,speed", "write option=value"},
		{"82574L,msix-rx-timers=yes", "take on or off"},
		{"82574L,wire=thin", "take paced or infinite"},
		{"82574L,peer-usecs=-1", "0 to 100000 microseconds"},
		{"82574L,peer-usecs=99999999999999999999", "0 to 100000 microseconds"},
		{"82574L,mac=01:00:00:00:00:01", "unicast address"},
		{"82574L,mac=02:00:00:00:00:0g", "unicast address"},
		{"82574L,", "write option=value"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sim_options o;
		struct error err = {0};

		assert_int_equal(sim_options_parse(rows[i].text, &o, &err), -EINVAL);
		assert_true(err.usage);
		if (!strstr(err.text, rows[i].expected))
			fail_msg("\"%s\": %s", rows[i].text, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_obey_their_access_column),
		cmocka_unit_test(registers_of_another_family_are_not_there),
		cmocka_unit_test(multicast_and_vlan_tables_are_memory),
		cmocka_unit_test(eerd_answers_in_the_layout_of_the_chip_only),
		cmocka_unit_test(nvm_words_sum_to_the_checksum),
		cmocka_unit_test(reset_takes_its_time_and_clears_everything_but_the_address),
		cmocka_unit_test(link_comes_up_after_slu_and_interrupts),
		cmocka_unit_test(master_disable_is_acknowledged_in_status),
		cmocka_unit_test(an_interrupt_makes_its_eventfd_readable),
		cmocka_unit_test(the_82545em_has_intx_only),
		cmocka_unit_test(memory_regions_are_bounded_and_do_not_overlap),
		cmocka_unit_test(options_are_parsed),
		cmocka_unit_test(wrong_options_are_usage_errors_that_name_the_cure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
