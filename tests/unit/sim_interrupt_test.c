/* SPDX-License-Identifier: BSD-2-Clause */
/* Causes, masks, acknowledgement and MSI-X routing of the moderation core. */
#include "tests/lib/sim_host.h"

/* --- causes, masks and acknowledgement --- */

/* fact 39: reading ICR clears all causes and lowers the line */
static void intx_is_a_level_until_icr_is_read(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	h.answers = false;
	rx(&h, 10);
	run(&h, 20);
	EXPECT_RAISES(&h, 10);
	sim_moderation_unmask_line(&h.m, 30); /* not acknowledged: the line is still up */
	run(&h, 40);
	EXPECT_RAISES(&h, 10, 30);
	assert_int_equal(read_reg(&h, REG_ICR, 50), ICR_RXT0);
	assert_int_equal(read_reg(&h, REG_ICR, 51), 0);
	sim_moderation_unmask_line(&h.m, 60);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 10, 30);
	assert_int_equal(read_reg(&h, REG_IAC, NS_PER_S), 1);
}

static void a_masked_line_reports_when_the_bus_unmasks_it(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	h.answers = false;
	rx(&h, 0);
	run(&h, 0);
	(void)read_reg(&h, REG_ICR, 10);
	rx(&h, 20); /* line up again behind the bus's mask */
	run(&h, 25);
	sim_moderation_unmask_line(&h.m, 30);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 0, 30);
}

static void msi_sends_one_message_until_the_causes_were_acknowledged(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	h.answers = false;
	rx(&h, 0);
	rx(&h, 10);
	tx(&h, false, 20);
	run(&h, 30);
	EXPECT_RAISES(&h, 0);
	assert_int_equal(read_reg(&h, REG_ICR, 40), ICR_RXT0 | ICR_TXDW | ICR_INT_ASSERTED);
	rx(&h, 50);
	run(&h, 60);
	EXPECT_RAISES(&h, 0, 50);
	/* masking and unmasking makes a new message too */
	write_reg(&h, REG_IMC, ~0u, 70);
	write_reg(&h, REG_IMS, ICR_RXT0, 80);
	run(&h, 90);
	EXPECT_RAISES(&h, 0, 50, 80);
}

static void an_interrupt_is_never_earlier_than_the_hosts_rearm(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	h.answers = false;
	write_reg(&h, REG_IMC, ~0u, 0);
	/* The host's clock runs ahead of the device: IMS at 500, then a frame of time 100. */
	write_reg(&h, REG_IMS, ICR_RXT0, 500);
	sim_moderation_rx(&h.m, 64, false, 100);
	run(&h, 1000);
	EXPECT_RAISES(&h, 500);
	/* The throttle window starts at that instant. */
	start(&h, FAM_E1000E, INTMODE_MSI);
	write_reg(&h, REG_ITR, 10, 0);
	write_reg(&h, REG_IMS, ICR_RXT0, 500);
	sim_moderation_rx(&h.m, 64, false, 100);
	run(&h, 1000);
	rx(&h, 1001);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 500, 500 + 2560);
}

static void masked_causes_wait_for_ims(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	write_reg(&h, REG_IMC, ~0u, 0);
	rx(&h, 10);
	run(&h, 1000);
	assert_int_equal(h.raises, 0);
	set(&h, REG_IMS, ICR_RXT0, 2000);
	run(&h, 3000);
	EXPECT_RAISES(&h, 2000);
}

static void causes_acknowledged_inside_the_window_do_not_interrupt_at_its_end(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_ITR, 500, 0);
	rx(&h, 0);
	run(&h, US);
	rx(&h, 10 * US);
	run(&h, 20 * US);
	(void)read_reg(&h, REG_ICR, 20 * US); /* a polling host */
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 0);
}

/* fact 40: an ICR read with masked causes only */
static void icr_read_with_only_masked_causes_clears_nothing_on_8257x(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	write_reg(&h, REG_IMC, ~0u, 0);
	write_reg(&h, REG_IMS, ICR_LSC, 0);
	rx(&h, 0);
	assert_int_equal(read_reg(&h, REG_ICR, 10), ICR_RXT0);
	assert_int_equal(read_reg(&h, REG_ICR, 20), ICR_RXT0);
	write_reg(&h, REG_IMC, ~0u, 30); /* IMS = 0: a read always clears */
	assert_int_equal(read_reg(&h, REG_ICR, 40), ICR_RXT0);
	assert_int_equal(read_reg(&h, REG_ICR, 50), 0);
	/* 8254x: always */
	start(&h, FAM_E1000, INTMODE_INTX);
	write_reg(&h, REG_IMC, ~0u, 0);
	write_reg(&h, REG_IMS, ICR_LSC, 0);
	rx(&h, 0);
	assert_int_equal(read_reg(&h, REG_ICR, 10), ICR_RXT0);
	assert_int_equal(read_reg(&h, REG_ICR, 20), 0);
}

static void icr_write_clears_the_ones(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	h.answers = false;
	rx(&h, 0);
	tx(&h, false, 0);
	write_reg(&h, REG_ICR, ICR_RXT0, 10);
	assert_int_equal(read_reg(&h, REG_ICR, 20), ICR_TXDW);
}

static void iame_masks_by_iam_when_icr_is_read(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	h.answers = false;
	write_reg(&h, REG_CTRL_EXT, CTRL_EXT_IAME, 0);
	write_reg(&h, REG_IAM, ~0u, 0);
	rx(&h, 0);
	run(&h, 5);
	(void)read_reg(&h, REG_ICR, 10);
	assert_int_equal(read_reg(&h, REG_IMS, 10), 0);
	rx(&h, 20);
	run(&h, 100);
	EXPECT_RAISES(&h, 0);
	set(&h, REG_IMS, ICR_RXT0, 110);
	run(&h, 200);
	EXPECT_RAISES(&h, 0, 110);
}

static void ics_raises_causes_by_software(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_ICS, ICR_RXDMT0, 123);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 123);
}

/* --- MSI-X routing --- */

/* fact 31: IVAR 0x800A0908 */
static void ivar_800a0908_routes_rx_0_tx_1_other_2(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	rx(&h, 0);
	tx(&h, false, 10);
	run(&h, 20);
	sim_moderation_cause(&h.m, ICR_LSC, 20);
	run(&h, NS_PER_S);
	assert_int_equal(h.by_vector[0], 1);
	assert_int_equal(h.by_vector[1], 1);
	assert_int_equal(h.by_vector[2], 1);
	EXPECT_RAISES(&h, 0, 10, 20);
	assert_true(sim_moderation_tx_writes_back(&h.m, false)); /* bit 31 */
	write_reg(&h, REG_IVAR, 0x000A0908, NS_PER_S);
	assert_false(sim_moderation_tx_writes_back(&h.m, false));
	assert_true(sim_moderation_tx_writes_back(&h.m, true));
}

/* fact 32: without bit 3 no interrupt */
static void an_ivar_entry_that_is_not_valid_or_not_armed_sends_nothing(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	write_reg(&h, REG_IVAR, 0x800A0900, 0); /* RXQ0 without the valid bit */
	rx(&h, 0);
	run(&h, 100);
	assert_int_equal(h.raises, 0);
	write_reg(&h, REG_IVAR, 0x800A090F, 100); /* vector 7 does not exist */
	run(&h, 200);
	assert_int_equal(h.raises, 0);
	sim_moderation_set_mode(&h.m, INTMODE_MSIX, 1);
	tx(&h, false, 300); /* vector 1 was not armed */
	run(&h, 400);
	assert_int_equal(h.raises, 0);
}

/* fact 33: EIAC and IMS, no ICR read on the data path */
static void eiac_clears_and_masks_and_the_ims_write_rearms(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	h.answers = false;
	rx(&h, 0);
	run(&h, 10);
	assert_int_equal(h.m.icr, 0);
	assert_int_equal(read_reg(&h, REG_IMS, 10), ICR_TXQ0 | ICR_OTHER);
	rx(&h, 20);
	rx(&h, 30);
	run(&h, 40);
	EXPECT_RAISES(&h, 0);
	set(&h, REG_IMS, ICR_RXQ0, 50);
	run(&h, 60);
	EXPECT_RAISES(&h, 0, 50);
}

static void eiame_masks_what_iam_names(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	h.answers = false;
	write_reg(&h, REG_EIAC, 0, 0);
	write_reg(&h, REG_CTRL_EXT, CTRL_EXT_EIAME, 0);
	write_reg(&h, REG_IAM, ICR_RXQ0, 0);
	rx(&h, 0);
	tx(&h, false, 0);
	run(&h, 10);
	assert_int_equal(read_reg(&h, REG_IMS, 10), ICR_TXQ0 | ICR_OTHER);
	assert_int_equal(h.m.icr, ICR_RXQ0 | ICR_TXQ0); /* nothing was auto-cleared */
}

static void link_change_in_msix_waits_for_the_icr_read(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	h.answers = false;
	sim_moderation_cause(&h.m, ICR_LSC, 0);
	sim_moderation_cause(&h.m, ICR_LSC, 10);
	run(&h, 100);
	EXPECT_RAISES(&h, 0);
	assert_int_equal(read_reg(&h, REG_ICR, 100), ICR_LSC | ICR_OTHER | ICR_INT_ASSERTED);
	sim_moderation_cause(&h.m, ICR_LSC, 200);
	run(&h, 300);
	EXPECT_RAISES(&h, 0, 200);
}

static void a_reset_stops_timers_and_forgets_causes(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_RDTR, 100, 0);
	rx(&h, 0);
	sim_moderation_reset(&h.m);
	assert_int_equal(sim_moderation_next(&h.m), TIME_NEVER);
	assert_int_equal(read_reg(&h, REG_RDTR, 1), 0);
	assert_int_equal(read_reg(&h, REG_IMS, 1), 0);
	run(&h, NS_PER_S);
	assert_int_equal(h.raises, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intx_is_a_level_until_icr_is_read),
		cmocka_unit_test(a_masked_line_reports_when_the_bus_unmasks_it),
		cmocka_unit_test(msi_sends_one_message_until_the_causes_were_acknowledged),
		cmocka_unit_test(an_interrupt_is_never_earlier_than_the_hosts_rearm),
		cmocka_unit_test(masked_causes_wait_for_ims),
		cmocka_unit_test(causes_acknowledged_inside_the_window_do_not_interrupt_at_its_end),
		cmocka_unit_test(icr_read_with_only_masked_causes_clears_nothing_on_8257x),
		cmocka_unit_test(icr_write_clears_the_ones),
		cmocka_unit_test(iame_masks_by_iam_when_icr_is_read),
		cmocka_unit_test(ics_raises_causes_by_software),
		cmocka_unit_test(ivar_800a0908_routes_rx_0_tx_1_other_2),
		cmocka_unit_test(an_ivar_entry_that_is_not_valid_or_not_armed_sends_nothing),
		cmocka_unit_test(eiac_clears_and_masks_and_the_ims_write_rearms),
		cmocka_unit_test(eiame_masks_what_iam_names),
		cmocka_unit_test(link_change_in_msix_waits_for_the_icr_read),
		cmocka_unit_test(a_reset_stops_timers_and_forgets_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
