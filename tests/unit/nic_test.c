/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver core against the null device: bring-up, settings, guards. */
#include "tests/unit/nic_rig.h"

static void bring_up_reaches_running_and_programs_the_rings(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi,ITR=488,RDTR=32,TIDV=8");
	assert_int_equal(nic_state(f.nic), NIC_RUNNING);
	assert_int_equal(f.seen[NIC_EVENT_STARTED], 1);
	assert_int_equal(f.seen[NIC_EVENT_LINK_UP], 1);
	assert_int_equal(null_bus_peek(f.bus, REG_ITR), 488);
	assert_int_equal(null_bus_peek(f.bus, REG_RDTR), 32);
	assert_int_equal(null_bus_peek(f.bus, REG_RDLEN), 256 * 16);
	assert_int_equal(null_bus_peek(f.bus, REG_RDT), 255);
	assert_true(null_bus_peek(f.bus, REG_RFCTL) & RFCTL_EXTEN);
	assert_true(null_bus_peek(f.bus, REG_RFCTL) & RFCTL_ACK_DIS);
	assert_true(null_bus_peek(f.bus, REG_TXDCTL) & TXDCTL_COUNT_DESC);
	assert_true(null_bus_peek(f.bus, REG_GCR) & GCR_BIT22);
	assert_true(null_bus_peek(f.bus, REG_GCR2) & GCR2_BIT0);
	assert_false(null_bus_peek(f.bus, REG_CTRL) & CTRL_BIT29);
	tear_down(&f);
}

static void legacy_chip_gets_no_extended_bits(void **state)
{
	struct fixture f;

	bring_up(&f, "82545EM", "intmode=intx");
	assert_int_equal(nic_state(f.nic), NIC_RUNNING);
	assert_int_equal(null_bus_peek(f.bus, REG_RFCTL), 0);
	assert_false(null_bus_peek(f.bus, REG_TXDCTL) & TXDCTL_COUNT_DESC);
	tear_down(&f);
}

/* The 82574 must not see RCTL.EN cleared; the 82545 is stopped the plain way. */
static void stop_leaves_receive_enabled_only_where_the_chip_needs_it(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	nic_stop(f.nic);
	assert_true(null_bus_peek(f.bus, REG_RCTL) & RCTL_EN);
	tear_down(&f);
	bring_up(&f, "82545EM", "intmode=intx");
	nic_stop(f.nic);
	assert_false(null_bus_peek(f.bus, REG_RCTL) & RCTL_EN);
	tear_down(&f);
}

static void msix_routes_three_vectors(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msix,EITR0=195");
	assert_int_equal(null_bus_peek(f.bus, REG_IVAR), 0x800A0908);
	assert_int_equal(null_bus_peek(f.bus, REG_EIAC), ICR_RXQ0 | ICR_TXQ0);
	assert_int_equal(null_bus_peek(f.bus, REG_EITR0), 195);
	assert_int_equal(f.bus->irq_count, 3);
	tear_down(&f);
}

static void settings_are_applied_whole_or_not_at_all(void **state)
{
	struct settings change = {0}, readback;
	struct error err = {0};
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi,ITR=100,RDTR=1");
	settings_put(&change, KNOB_ITR, 200);
	settings_put(&change, KNOB_RDTR, 2);
	null_bus_stick(f.bus, REG_RDTR);
	assert_int_equal(nic_set(f.nic, &change, &err), -EIO);
	assert_non_null(strstr(err.text, "RDTR: wrote 2, read back 1"));
	nic_readback(f.nic, &readback);
	assert_int_equal(readback.value[KNOB_ITR], 100);
	assert_int_equal(nic_requested(f.nic)->value[KNOB_ITR], 100);
	null_bus_stick(f.bus, 0);
	assert_int_equal(nic_set(f.nic, &change, &err), 0);
	assert_int_equal(null_bus_peek(f.bus, REG_ITR), 200);
	tear_down(&f);
}

static void restart_knobs_and_wrong_values_are_refused(void **state)
{
	struct settings change = {0};
	struct error err = {0};
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	settings_put(&change, KNOB_INTMODE, INTMODE_MSIX);
	assert_int_equal(nic_set(f.nic, &change, &err), -EBUSY);
	change = (struct settings){0};
	settings_put(&change, KNOB_ITR, 70000);
	assert_int_equal(nic_set(f.nic, &change, &err), -EINVAL);
	tear_down(&f);
}

static void tidv_zero_writes_one_and_leaves_ide_out(void **state)
{
	struct settings change = {0};
	struct error err = {0};
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi,TIDV=0");
	assert_int_equal(null_bus_peek(f.bus, REG_TIDV), 1);
	assert_non_null(nic_tx_reserve(f.nic));
	assert_int_equal(nic_tx_commit(f.nic, 100, NULL), 0);
	assert_false(null_bus_desc(f.bus, REG_TDBAL, 0)->word[1] & TX_CMD_IDE);
	settings_put(&change, KNOB_TIDV, 8);
	assert_int_equal(nic_set(f.nic, &change, &err), 0);
	assert_non_null(nic_tx_reserve(f.nic));
	assert_int_equal(nic_tx_commit(f.nic, 100, NULL), 0);
	assert_true(null_bus_desc(f.bus, REG_TDBAL, 1)->word[1] & TX_CMD_IDE);
	tear_down(&f);
}

static void a_stuck_transmit_ring_is_found_and_reset(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi,ITR=195");
	assert_non_null(nic_tx_reserve(f.nic));
	assert_int_equal(nic_tx_commit(f.nic, 100, NULL), 0);
	nic_tx_kick(f.nic, f.now);
	run_for(&f, 3 * NS_PER_S);
	assert_int_equal(nic_counters_of(f.nic)->tx_hangs, 1);
	assert_int_equal(f.seen[NIC_EVENT_TX_HANG], 1);
	assert_int_equal(nic_state(f.nic), NIC_RUNNING);
	assert_int_equal(nic_counters_of(f.nic)->resets, 1);
	assert_int_equal(null_bus_peek(f.bus, REG_ITR), 195);
	tear_down(&f);
}

/* Everything sent, only the completion is late: head equals tail, no hang. */
static void a_lost_interrupt_is_no_hang(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	assert_non_null(nic_tx_reserve(f.nic));
	assert_int_equal(nic_tx_commit(f.nic, 100, NULL), 0);
	nic_tx_kick(f.nic, f.now);
	null_bus_poke(f.bus, REG_TDH, null_bus_peek(f.bus, REG_TDT));
	run_for(&f, 3 * NS_PER_S);
	assert_int_equal(nic_counters_of(f.nic)->tx_hangs, 0);
	assert_int_equal(null_bus_peek(f.bus, REG_ICS), ICR_RXT0 | ICR_TXDW);
	tear_down(&f);
}

static void a_reset_that_sticks_fails_with_its_name(void **state)
{
	struct settings none = {0};
	struct error err = {0};
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	null_bus_stick_reset(f.bus, true);
	assert_int_equal(nic_start(f.nic, &none, f.now, &err), 0);
	run_for(&f, 500 * NS_PER_MS);
	assert_int_equal(nic_state(f.nic), NIC_FAILED);
	assert_int_equal(f.seen[NIC_EVENT_START_FAILED], 1);
	null_bus_stick_reset(f.bus, false);
	assert_int_equal(nic_start(f.nic, &none, f.now, &err), 0);
	run_for(&f, 500 * NS_PER_MS);
	assert_int_equal(nic_state(f.nic), NIC_RUNNING);
	tear_down(&f);
}

static void all_ones_means_gone_and_restart_brings_it_back(void **state)
{
	struct settings change = {0};
	struct error err = {0};
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	null_bus_poke(f.bus, REG_STATUS, UINT32_MAX);
	run_for(&f, NS_PER_S);
	assert_int_equal(nic_state(f.nic), NIC_GONE);
	assert_int_equal(f.seen[NIC_EVENT_GONE], 1);
	settings_put(&change, KNOB_ITR, 1);
	assert_int_equal(nic_set(f.nic, &change, &err), -ENODEV);
	null_bus_poke(f.bus, REG_STATUS, STATUS_LU | 2u << STATUS_SPEED_SHIFT);
	assert_int_equal(nic_start(f.nic, NULL, f.now, &err), 0);
	run_for(&f, NS_PER_S);
	assert_int_equal(nic_state(f.nic), NIC_RUNNING);
	tear_down(&f);
}

static void one_storm(struct fixture *f, unsigned per_ms)
{
	for (unsigned ms = 0; ms < 300; ms++) {
		f->now += NS_PER_MS;
		null_bus_poke(f->bus, REG_ICR, ICR_INT_ASSERTED | ICR_RXT0);
		(void)nic_irq_begin(f->nic, 0, per_ms, f->now);
		nic_irq_end(f->nic, 0, false, f->now);
		(void)nic_run(f->nic, f->now);
	}
}

static void livelock_limit_engages_holds_the_rearm_and_releases(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi,livelock-limit=40000");
	one_storm(&f, 39);
	assert_int_equal(f.seen[NIC_EVENT_LIVELOCK_ON], 0);
	one_storm(&f, 50);
	assert_int_equal(f.seen[NIC_EVENT_LIVELOCK_ON], 1);
	null_bus_poke(f.bus, REG_ICR, ICR_INT_ASSERTED | ICR_RXT0);
	null_bus_poke(f.bus, REG_IMS, 0);
	(void)nic_irq_begin(f.nic, 0, 1, f.now);
	nic_irq_end(f.nic, 0, false, f.now + 1000);
	assert_int_equal(null_bus_peek(f.bus, REG_IMS), 0);
	assert_int_equal(nic_run(f.nic, f.now + 2000), f.now + 25000);
	(void)nic_run(f.nic, f.now + 25000);
	assert_true(null_bus_peek(f.bus, REG_IMS) != 0);
	one_storm(&f, 19);
	assert_int_equal(f.seen[NIC_EVENT_LIVELOCK_OFF], 1);
	tear_down(&f);
}

static void tidv_that_cannot_be_read_is_taken_as_written_and_said(void **state)
{
	struct settings readback;
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	assert_null(nic_unreadable(f.nic));
	tear_down(&f);

	f = (struct fixture){0};
	assert_int_equal(null_bus_open("82574L", &f.bus, NULL), 0);
	null_bus_stick(f.bus, REG_TIDV);
	assert_int_equal(nic_open(f.bus, on_event, &f, &f.nic, NULL), 0);
	assert_int_equal(nic_start(f.nic, NULL, f.now, NULL), 0);
	run_for(&f, 200 * NS_PER_MS);
	assert_int_equal(f.seen[NIC_EVENT_SETTINGS_LOST], 0);
	assert_string_equal(nic_unreadable(f.nic)->name, "TIDV");
	nic_readback(f.nic, &readback);
	assert_int_equal(readback.value[KNOB_TIDV], 1);
	tear_down(&f);
}

static void address_comes_from_the_nvm_when_receive_address_0_is_empty(void **state)
{
	struct fixture f = {0};
	struct error err = {0};

	assert_int_equal(null_bus_open("82574L", &f.bus, &err), 0);
	null_bus_poke(f.bus, REG_RAH0, 0);
	null_bus_poke(f.bus, REG_EERD, EERD_DONE_LARGE | 0x0a02u << EERD_DATA_SHIFT);
	null_bus_stick(f.bus, REG_EERD);
	assert_int_equal(nic_open(f.bus, on_event, &f, &f.nic, &err), 0);
	assert_memory_equal(nic_mac(f.nic), "\x02\x0a\x02\x0a\x02\x0a", 6);
	tear_down(&f);

	f = (struct fixture){0};
	assert_int_equal(null_bus_open("82545EM", &f.bus, &err), 0);
	null_bus_poke(f.bus, REG_RAH0, 0);
	null_bus_poke(f.bus, REG_EERD, EERD_DONE_LARGE);
	null_bus_stick(f.bus, REG_EERD);
	assert_int_equal(nic_open(f.bus, on_event, &f, &f.nic, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "the NVM does not answer"));
	f.bus->ops->close(f.bus);
}

static void chip_counters_add_up_and_start_at_zero(void **state)
{
	struct fixture f = {0};

	assert_int_equal(null_bus_open("82574L", &f.bus, NULL), 0);
	assert_int_equal(nic_open(f.bus, on_event, &f, &f.nic, NULL), 0);
	assert_int_equal(nic_start(f.nic, NULL, f.now, NULL), 0);
	run_for(&f, 200 * NS_PER_MS);
	null_bus_poke(f.bus, REG_RUC, 3);
	null_bus_poke(f.bus, REG_ROC, 4);
	null_bus_poke(f.bus, REG_CRCERRS, UINT32_MAX);
	nic_collect_statistics(f.nic);
	assert_int_equal(nic_counters_of(f.nic)->rx_length_error, 7);
	assert_int_equal(nic_counters_of(f.nic)->rx_crc_error, 0);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bring_up_reaches_running_and_programs_the_rings),
		cmocka_unit_test(legacy_chip_gets_no_extended_bits),
		cmocka_unit_test(stop_leaves_receive_enabled_only_where_the_chip_needs_it),
		cmocka_unit_test(msix_routes_three_vectors),
		cmocka_unit_test(settings_are_applied_whole_or_not_at_all),
		cmocka_unit_test(restart_knobs_and_wrong_values_are_refused),
		cmocka_unit_test(tidv_zero_writes_one_and_leaves_ide_out),
		cmocka_unit_test(a_stuck_transmit_ring_is_found_and_reset),
		cmocka_unit_test(a_lost_interrupt_is_no_hang),
		cmocka_unit_test(a_reset_that_sticks_fails_with_its_name),
		cmocka_unit_test(all_ones_means_gone_and_restart_brings_it_back),
		cmocka_unit_test(livelock_limit_engages_holds_the_rearm_and_releases),
		cmocka_unit_test(tidv_that_cannot_be_read_is_taken_as_written_and_said),
		cmocka_unit_test(address_comes_from_the_nvm_when_receive_address_0_is_empty),
		cmocka_unit_test(chip_counters_add_up_and_start_at_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
