/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of the simulated chip: each does to the device what its name says, as often as asked. */
#include "tests/lib/sim_rig.h"

#include <errno.h>

#include "tests/lib/frame_make.h"

#define PLAIN (TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS)

static struct sim_counters counters(struct rig *rig)
{
	struct sim_counters c;

	rig->bus->ops->sim->get_counters(rig->bus, &c);
	return c;
}

static void set_fault(struct rig *rig, const char *name, uint64_t count)
{
	struct error err = {0};

	if (rig->bus->ops->sim->set_fault(rig->bus, name, count, &err))
		fail_msg("%s", err.text);
}

static void send_one(struct rig *rig)
{
	rig_put_tx(rig, rig->tx_data.iova, 100 | PLAIN);
	rig_kick(rig);
	rig_advance(rig, rig_now(rig) + NS_PER_MS);
}

static void receive_one(struct rig *rig)
{
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});

	assert_int_equal(sim_vbus_offer(rig->bus, f, l.len, NULL), 0);
	rig_advance(rig, rig_now(rig) + NS_PER_MS);
}

/* Reset and set up again as a driver would; the rings start from 0. */
static void reset(struct rig *rig)
{
	rig_write(rig, REG_CTRL, CTRL_RST);
	rig_advance(rig, rig_now(rig) + 2 * NS_PER_MS);
	rig_write(rig, REG_CTRL, CTRL_SLU | CTRL_FD);
	rig_advance(rig, rig_now(rig) + NS_PER_MS);
	rig->tx_next = 0;
	rig_start_rx(rig, 64, 0);
	rig_start_tx(rig, 64);
}

static void open_both(struct rig *rig)
{
	rig_open(rig, "82574L");
	rig_irq(rig, INTMODE_MSI, 1);
	rig_start_rx(rig, 64, 0);
	rig_start_tx(rig, 64);
}

static void an_unknown_fault_is_a_usage_error_that_lists_the_names(void **state)
{
	struct rig rig;
	struct error err = {0};
	unsigned count = 0;

	open_both(&rig);
	assert_int_equal(rig.bus->ops->sim->set_fault(rig.bus, "rx-hangs", 1, &err), -EINVAL);
	assert_true(err.usage);
	for (; sim_fault_names[count]; count++)
		assert_non_null(strstr(err.text, sim_fault_names[count]));
	assert_int_equal(count, 7);
	rig_close(&rig);
}

static void tx_hang_stops_the_transmitter_until_reset(void **state)
{
	struct rig rig;

	open_both(&rig);
	send_one(&rig);
	set_fault(&rig, "tx-hang", 1);
	send_one(&rig);
	send_one(&rig);
	assert_int_equal(rig_read(&rig, REG_TDH), 1);
	assert_int_equal(rig_read(&rig, REG_TDT), 3);
	assert_int_equal(counters(&rig).faults_struck, 1);
	reset(&rig);
	send_one(&rig);
	assert_int_equal(rig_read(&rig, REG_TDH), 1);
	assert_int_equal(counters(&rig).wire_tx_frames, 2);
	rig_close(&rig);
}

static void rx_hang_strikes_only_while_rdtr_acts(void **state)
{
	struct rig rig;
	unsigned i;

	open_both(&rig);
	set_fault(&rig, "rx-hang", 1);
	for (i = 0; i < 200; i++) { /* RDTR = 0: never */
		receive_one(&rig);
		rig_write(&rig, REG_RDT, (rig_read(&rig, REG_RDH) + 63) % 64);
	}
	assert_int_equal(counters(&rig).faults_struck, 0);
	rig_write(&rig, REG_RDTR, 10);
	for (i = 0; i < 100; i++) {
		receive_one(&rig);
		rig_write(&rig, REG_RDT, (rig_read(&rig, REG_RDH) + 63) % 64);
	}
	assert_int_equal(counters(&rig).faults_struck, 1);
	assert_int_equal(rig_read(&rig, REG_RDH), 300 % 64);
	for (i = 0; i < 1000; i++)
		receive_one(&rig);
	assert_int_equal(rig_read(&rig, REG_RDH), 300 % 64);
	assert_true(rig_read(&rig, REG_MPC) > 0); /* the packet buffer is full */
	reset(&rig);
	receive_one(&rig);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	rig_close(&rig);
}

static void link_flap_takes_the_link_down_and_up_as_often_as_asked(void **state)
{
	struct rig rig;
	unsigned changes = 0;

	rig_open(&rig, "82574L,link-usecs=100");
	rig_advance(&rig, NS_PER_MS);
	(void)rig_read(&rig, REG_ICR);
	rig_irq(&rig, INTMODE_MSI, 1);
	rig_write(&rig, REG_IMS, ICR_LSC);
	set_fault(&rig, "link-flap", 3);
	while (sim_vbus_run(rig.bus, RIG_START_NS + NS_PER_S)) {
		assert_true(rig_read(&rig, REG_ICR) & ICR_LSC);
		/* down, up, down, up, ... */
		assert_int_equal((rig_read(&rig, REG_STATUS) & STATUS_LU) != 0, changes % 2);
		changes++;
	}
	assert_int_equal(changes, 6);
	assert_int_equal(counters(&rig).faults_struck, 3);
	rig_close(&rig);
}

static void frames_are_lost_while_the_link_is_down(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L,link-usecs=5000");
	rig_advance(&rig, 10 * NS_PER_MS);
	rig_start_rx(&rig, 64, 0);
	set_fault(&rig, "link-flap", 1);
	rig_advance(&rig, rig_now(&rig) + 10);
	receive_one(&rig);
	assert_int_equal(rig_read(&rig, REG_RDH), 0);
	rig_advance(&rig, rig_now(&rig) + 10 * NS_PER_MS);
	receive_one(&rig);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	rig_close(&rig);
}

static void stuck_reset_never_clears_until_the_next_reset(void **state)
{
	struct rig rig;

	open_both(&rig);
	set_fault(&rig, "stuck-reset", 1);
	rig_write(&rig, REG_CTRL, CTRL_RST);
	rig_advance(&rig, NS_PER_S);
	assert_true(rig_read(&rig, REG_CTRL) & CTRL_RST);
	assert_int_equal(counters(&rig).faults_struck, 1);
	rig_write(&rig, REG_CTRL, CTRL_RST);
	rig_advance(&rig, rig_now(&rig) + 2 * NS_PER_MS);
	assert_false(rig_read(&rig, REG_CTRL) & CTRL_RST);
	/* A function level reset gets it out too. */
	set_fault(&rig, "stuck-reset", 1);
	rig_write(&rig, REG_CTRL, CTRL_RST);
	rig_advance(&rig, rig_now(&rig) + NS_PER_S);
	assert_int_equal(rig.bus->ops->reset(rig.bus, NULL), 0);
	assert_false(rig_read(&rig, REG_CTRL) & CTRL_RST);
	rig_close(&rig);
}

static void lost_interrupt_swallows_one_message(void **state)
{
	struct rig rig;

	open_both(&rig);
	rig_write(&rig, REG_IMS, ICR_TXDW);
	set_fault(&rig, "lost-interrupt", 1);
	send_one(&rig);
	send_one(&rig); /* the cause is still pending: no new message */
	assert_int_equal(rig.raises, 0);
	assert_int_equal(counters(&rig).raised_0, 0);
	assert_int_equal(rig_read(&rig, REG_ICR) & ICR_TXDW, ICR_TXDW); /* a watchdog looks */
	send_one(&rig);
	assert_int_equal(rig.raises, 1);
	assert_int_equal(counters(&rig).faults_struck, 1);
	rig_close(&rig);
}

static void all_ones_is_a_device_that_is_gone(void **state)
{
	struct rig rig;

	open_both(&rig);
	set_fault(&rig, "all-ones", 2);
	rig_write(&rig, REG_ITR, 77);
	send_one(&rig);
	receive_one(&rig);
	assert_int_equal(counters(&rig).wire_tx_frames, 0);
	assert_int_equal(counters(&rig).wire_rx_frames, 0);
	assert_int_equal(rig_read(&rig, REG_STATUS), ~0u);
	assert_int_equal(rig_read(&rig, REG_ICR), ~0u);
	assert_int_equal(counters(&rig).faults_struck, 2);
	/* Used up: it is back, and did not hear what was written meanwhile. */
	assert_int_equal(rig_read(&rig, REG_ITR), 0);
	receive_one(&rig);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	set_fault(&rig, "all-ones", UINT64_MAX);
	assert_int_equal(rig_read(&rig, REG_ITR), ~0u);
	set_fault(&rig, "all-ones", 0);
	assert_int_equal(rig_read(&rig, REG_ITR), 0);
	rig_close(&rig);
}

static void dma_error_loses_one_frame_in_each_direction(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	open_both(&rig);
	set_fault(&rig, "dma-error", 1);
	send_one(&rig);
	assert_false(sim_vbus_collect(rig.bus, &sent));
	assert_true(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	send_one(&rig);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	set_fault(&rig, "dma-error", 1);
	receive_one(&rig);
	receive_one(&rig);
	assert_true(desc_load_status(&rig.rx[0]) >> RXL_ERRORS_SHIFT & RXL_ERR_RXE);
	assert_false(desc_load_status(&rig.rx[1]) >> RXL_ERRORS_SHIFT & RXL_ERR_RXE);
	assert_int_equal(counters(&rig).dma_dropped, 2);
	assert_int_equal(counters(&rig).faults_struck, 2);
	rig_close(&rig);
}

static void a_count_of_zero_clears_a_fault(void **state)
{
	struct rig rig;

	open_both(&rig);
	for (unsigned i = 0; sim_fault_names[i]; i++) {
		if (!strcmp(sim_fault_names[i], "link-flap"))
			continue; /* strikes at once */
		set_fault(&rig, sim_fault_names[i], 5);
		set_fault(&rig, sim_fault_names[i], 0);
	}
	rig_write(&rig, REG_IMS, ICR_TXDW);
	send_one(&rig);
	receive_one(&rig);
	assert_int_equal(rig_read(&rig, REG_TDH), 1);
	assert_int_equal(rig_read(&rig, REG_RDH), 1);
	assert_int_equal(rig.raises, 1);
	assert_int_equal(counters(&rig).faults_struck, 0);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_fault_is_a_usage_error_that_lists_the_names),
		cmocka_unit_test(tx_hang_stops_the_transmitter_until_reset),
		cmocka_unit_test(rx_hang_strikes_only_while_rdtr_acts),
		cmocka_unit_test(link_flap_takes_the_link_down_and_up_as_often_as_asked),
		cmocka_unit_test(frames_are_lost_while_the_link_is_down),
		cmocka_unit_test(stuck_reset_never_clears_until_the_next_reset),
		cmocka_unit_test(lost_interrupt_swallows_one_message),
		cmocka_unit_test(all_ones_is_a_device_that_is_gone),
		cmocka_unit_test(dma_error_loses_one_frame_in_each_direction),
		cmocka_unit_test(a_count_of_zero_clears_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
