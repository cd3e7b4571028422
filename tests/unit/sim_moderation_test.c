/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing of the moderation core: causes at these instants, interrupts at those, to the ns. */
#include "tests/lib/sim_host.h"

/* --- throttle --- */

/* facts 1 to 5: n * 256 ns */
static void throttle_spaces_interrupts_by_256_ns_units(void **state)
{
	/* ticks, interval in ns, interrupts a second with one at time 0 */
	static const struct {
		uint32_t ticks;
		uint64_t interval_ns;
		unsigned in_one_second;
	} rows[] = {
		{39, 9984, 100161},
		{55, 14080, 71023},
		{195, 49920, 20033},
		{488, 124928, 8005},
		{500, 128000, 7813},
		{651, 166656, 6001},
		{976, 249856, 4003},
		{1500, 384000, 2605},
		{5580, 1428480, 701},
		{65535, 16776960, 60},
	};
	static const struct {
		enum intmode mode;
		uint32_t reg;
	} modes[] = {{INTMODE_INTX, REG_ITR}, {INTMODE_MSI, REG_ITR}, {INTMODE_MSIX, REG_EITR0}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
			struct host h;

			start(&h, FAM_E1000E, modes[k].mode);
			set(&h, modes[k].reg, rows[i].ticks, 0);
			rx_stream(&h, 0, US, 1000000);
			run(&h, NS_PER_S - 1);
			assert_int_equal(h.raises, rows[i].in_one_second);
			for (unsigned r = 1; r < MIN(h.raises, LOG_MAX); r++)
				assert_int_equal(
					h.raise_ns[r] - h.raise_ns[r - 1], rows[i].interval_ns);
		}
	}
}

/* fact 6: on silicon 0 is no throttling */
static void without_throttle_every_frame_interrupts(void **state)
{
	static const enum intmode modes[] = {INTMODE_INTX, INTMODE_MSI, INTMODE_MSIX};

	for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
		struct host h;

		start(&h, FAM_E1000E, modes[k]);
		rx_stream(&h, 5, 700, 1000);
		run(&h, NS_PER_S);
		assert_int_equal(h.raises, 1000);
		assert_int_equal(h.raise_ns[999], 5 + 999 * 700);
	}
}

static void first_event_after_an_idle_window_interrupts_at_once(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_ITR, 500, 0);
	rx(&h, 10 * US);
	rx(&h, 20 * US);
	rx(&h, 900 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 10 * US, 138 * US, 900 * US);
}

static void a_new_throttle_value_acts_from_the_next_window(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_ITR, 1000, 0);
	rx(&h, 0);
	set(&h, REG_ITR, 100, 50 * US);
	rx(&h, 60 * US);
	rx(&h, 260 * US);
	rx(&h, 290 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 0, 256 * US, 281600, 307200);
}

static void msix_throttles_each_vector_by_itself_and_not_by_itr(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	set(&h, REG_ITR, 65535, 0);
	set(&h, REG_EITR0, 500, 0);
	for (unsigned i = 0; i < 1280; i++) {
		rx(&h, i * US);
		tx(&h, false, i * US);
	}
	run(&h, 1279 * US);
	assert_int_equal(h.by_vector[0], 10);
	assert_int_equal(h.by_vector[1], 1280);
}

static void ticks_are_four_times_as_long_below_1000_mbps(void **state)
{
	static const unsigned speeds[] = {10, 100};

	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
		struct host h;

		start(&h, FAM_E1000E, INTMODE_MSI);
		sim_moderation_set_speed(&h.m, speeds[i]);
		set(&h, REG_ITR, 500, 0);
		rx(&h, 0);
		rx(&h, US);
		run(&h, 600 * US);
		set(&h, REG_RDTR, 100, 600 * US);
		rx(&h, 700 * US);
		run(&h, 5000 * US);
		EXPECT_RAISES(&h, 0, 512 * US, 1109600); /* 700 us + 100 * 4.096 us; window over */
	}
}

static void throttle_outranks_the_delay_timers(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_ITR, 500, 0);
	set(&h, REG_RDTR, 10, 0);
	rx(&h, 0);
	rx(&h, 20 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 10240, 138240);
}

/* --- receive timers --- */

/* fact 8: RDTR 375 and ITR 1500 are 384.0 us */
static void rdtr_375_is_the_same_384_us_as_itr_1500(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RDTR, 375, 0);
	rx(&h, 1000);
	run(&h, NS_PER_S);
	set(&h, REG_RDTR, 0, NS_PER_S);
	set(&h, REG_ITR, 1500, NS_PER_S);
	rx(&h, NS_PER_S);
	rx(&h, NS_PER_S + 1);
	run(&h, 2 * NS_PER_S);
	EXPECT_RAISES(&h, 385000, NS_PER_S, NS_PER_S + 384000);
}

/* fact 9: RDTR restarts on each packet */
static void rdtr_restarts_with_each_frame(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RDTR, 375, 0);
	rx_stream(&h, 0, 300 * US, 100);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 99 * 300 * US + 384 * US);
	assert_int_equal(read_reg(&h, REG_ICRXPTC, NS_PER_S), 1);
	assert_int_equal(read_reg(&h, REG_ICRXATC, NS_PER_S), 0);
}

static void radv_bounds_the_delay_from_the_first_frame(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RDTR, 375, 0);
	set(&h, REG_RADV, 375, 0);
	rx(&h, 0);
	rx(&h, 300 * US);
	rx(&h, 600 * US);
	rx(&h, 900 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 384 * US, 984 * US);
	assert_int_equal(read_reg(&h, REG_ICRXATC, NS_PER_S), 2);
	assert_int_equal(read_reg(&h, REG_ICRXATC, NS_PER_S), 0);
}

/* fact 10: at most 384.0 us after the first packet */
static void radv_375_under_a_steady_stream_gives_2604_interrupts_a_second(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_RDTR, 375, 0);
	set(&h, REG_RADV, 375, 0);
	rx_stream(&h, 0, 8, 125000000 / 8);
	run(&h, 125 * NS_PER_MS - 1);
	/* 384 us from the first frame; the next window starts with a frame at the same instant */
	assert_int_equal(h.raises, 325);
	assert_int_equal(h.raise_ns[0], 384000);
	assert_int_equal(h.raise_ns[324], 325 * 384000);
}

/* fact 11: RADV without RDTR has no effect */
static void radv_without_rdtr_has_no_effect(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RADV, 375, 0);
	rx_stream(&h, 0, 10 * US, 20);
	run(&h, NS_PER_S);
	assert_int_equal(h.raises, 20);
	assert_int_equal(h.raise_ns[19], 190 * US);
}

/* fact 12: RDTR = RADV + 1 */
static void rdtr_of_radv_plus_one_is_a_pure_absolute_timer(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RDTR, 101, 0);
	set(&h, REG_RADV, 100, 0);
	rx(&h, 0);
	run(&h, 500 * US);
	rx(&h, 500 * US);
	rx(&h, 550 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 102400, 602400);
	assert_int_equal(read_reg(&h, REG_ICRXPTC, NS_PER_S), 0);
	assert_int_equal(read_reg(&h, REG_ICRXATC, NS_PER_S), 2);
}

static void a_packet_timer_expiry_cancels_the_absolute_timer(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RDTR, 10, 0);
	set(&h, REG_RADV, 100, 0);
	rx(&h, 0);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 10240);
	assert_int_equal(read_reg(&h, REG_ICRXATC, NS_PER_S), 0);
}

/* fact 20: RDTR.FPD */
static void rdtr_flush_bit_expires_a_running_timer_and_reads_zero(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_RDTR, 375 | RDTR_FPD, 0);
	assert_int_equal(read_reg(&h, REG_RDTR, 0), 375);
	run(&h, 10 * US); /* nothing received: nothing to flush */
	assert_int_equal(h.raises, 0);
	rx(&h, 20 * US);
	set(&h, REG_RDTR, 375 | RDTR_FPD, 30 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 30 * US);
}

/* fact 21: size <= RSRPD */
static void a_small_packet_interrupts_at_once_and_clears_the_timers(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	h.answers = false;
	set(&h, REG_RDTR, 375, 0);
	set(&h, REG_RADV, 375, 0);
	set(&h, REG_RSRPD, 100, 0);
	rx_sized(&h, 1518, false, 0);
	rx_sized(&h, 101, false, US);
	run(&h, US);
	assert_int_equal(h.raises, 0);
	rx_sized(&h, 100, false, 2 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 2 * US);
	assert_int_equal(read_reg(&h, REG_ICR, NS_PER_S), ICR_RXT0 | ICR_SRPD);
	assert_int_equal(read_reg(&h, REG_ICRXPTC, NS_PER_S), 0);
}

static void causes_without_timer_pass_rdtr_but_not_the_throttle(void **state)
{
	static const uint32_t causes[] = {ICR_RXDMT0, ICR_RXO, ICR_LSC};

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		struct host h;

		start(&h, FAM_E1000E, INTMODE_MSI);
		set(&h, REG_ITR, 500, 0);
		set(&h, REG_RDTR, 65535, 0);
		run(&h, 0);
		sim_moderation_cause(&h.m, causes[i], 0);
		run(&h, 10 * US);
		sim_moderation_cause(&h.m, causes[i], 10 * US);
		run(&h, 200 * US);
		EXPECT_RAISES(&h, 0, 128 * US);
	}
}

static void rdtr_acts_in_msix_only_by_option(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	set(&h, REG_RDTR, 100, 0);
	rx(&h, 0);
	run(&h, US);
	EXPECT_RAISES(&h, 0);
	h.m.config.msix_rx_timers = true;
	rx(&h, 1000 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 0, 1102400);
}

static void an_acknowledgement_passes_rdtr_unless_ack_dis_or_raid_holds_it(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_RDTR, 375, 0);
	rx_sized(&h, 64, true, 0); /* ACK_DIS: an ordinary frame */
	run(&h, NS_PER_MS);
	set(&h, REG_RFCTL, 0, NS_PER_MS);
	rx_sized(&h, 64, true, NS_PER_MS);
	set(&h, REG_RAID, 50, 2 * NS_PER_MS);
	rx_sized(&h, 64, true, 2 * NS_PER_MS);
	rx_sized(&h, 64, true, 2 * NS_PER_MS + 10 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 384 * US, NS_PER_MS, 2 * NS_PER_MS + 51200);
}

static void acks_in_msix_interrupt_the_other_vector_unless_ack_dis(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	rx_sized(&h, 64, true, 0);
	run(&h, US);
	assert_int_equal(h.by_vector[2], 0);
	set(&h, REG_RFCTL, 0, US);
	rx_sized(&h, 64, true, US);
	run(&h, NS_PER_MS);
	assert_int_equal(h.by_vector[0], 2);
	assert_int_equal(h.by_vector[2], 1);
}

/* --- transmit timers --- */

/* fact 13: 8.192 us and 32.768 us */
static void tidv_and_tadv_count_1024_ns(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_TIDV, 8, 0);
	set(&h, REG_TADV, 32, 0);
	tx(&h, true, 0);
	run(&h, NS_PER_MS);
	for (unsigned i = 0; i <= 40; i++)
		tx(&h, true, NS_PER_MS + i * US);
	run(&h, NS_PER_S);
	/* one: packet timer; a stream: absolute timer from its first frame, then both again */
	EXPECT_RAISES(&h, 8192, NS_PER_MS + 32768, NS_PER_MS + 48192);
	assert_int_equal(read_reg(&h, REG_ICTXPTC, NS_PER_S), 2);
	assert_int_equal(read_reg(&h, REG_ICTXATC, NS_PER_S), 1);
}

static void a_descriptor_without_ide_interrupts_at_once_and_stops_the_timers(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_TIDV, 100, 0);
	set(&h, REG_TADV, 100, 0);
	tx(&h, true, 0);
	tx(&h, false, 10 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 10 * US);
}

/* fact 18: TIDV 0 must not be written; this model takes it as "at once" */
static void tidv_zero_acts_as_at_once(void **state)
{
	struct host h;

	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_TADV, 100, 0);
	tx(&h, true, 0);
	tx(&h, true, 5 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 0, 5 * US);
}

static void tidv_flush_bit_exists_on_the_8257x_only(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSI);
	set(&h, REG_TIDV, 1000, 0);
	tx(&h, true, 0);
	set(&h, REG_TIDV, 1000 | TIDV_FPD, 7 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 7 * US);
	start(&h, FAM_E1000, INTMODE_INTX);
	set(&h, REG_TIDV, 1000, 0);
	tx(&h, true, 0);
	set(&h, REG_TIDV, 1000 | TIDV_FPD, 7 * US);
	run(&h, NS_PER_S);
	EXPECT_RAISES(&h, 1024 * US);
}

/* 1 KiB UDP at 1 Gb/s: a frame every 1090 byte times of 8 ns, 114 679 a second [R2]. */
static void r2_stream(struct host *h, unsigned frames)
{
	set(h, REG_TIDV, 100, 0);
	set(h, REG_TADV, 1000, 0);
	for (unsigned i = 0; i < frames; i++)
		tx(h, true, i * 8720ull);
}

/* facts 14 and 15: one interrupt a packet in MSI-X */
static void r2_msix_interrupts_for_every_frame_whatever_tidv_and_tadv_say(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	r2_stream(&h, 114679);
	run(&h, NS_PER_S);
	assert_int_equal(h.by_vector[1], 114679);
}

/* fact 14: 976.6/s by TADV 1000 in INTx and MSI */
static void r2_msi_and_intx_are_bounded_by_tadv_at_976_a_second(void **state)
{
	static const enum intmode modes[] = {INTMODE_INTX, INTMODE_MSI};

	for (size_t k = 0; k < ARRAY_SIZE(modes); k++) {
		struct host h;

		start(&h, FAM_E1000E, modes[k]);
		r2_stream(&h, 114679);
		run(&h, NS_PER_S - 1);
		/* 1.024 ms from the first frame of each window: 976.6/s less up to a frame time
		 * each */
		assert_in_range(h.raises, 968, 976);
		assert_int_equal(h.raise_ns[0], 1024 * US);
	}
}

/* fact 14: in MSI-X the EITR bounds */
static void r2_msix_is_bounded_by_eitr(void **state)
{
	struct host h;

	start(&h, FAM_E1000E, INTMODE_MSIX);
	set(&h, REG_EITR1, 488, 0);
	r2_stream(&h, 114679);
	run(&h, NS_PER_S - 1);
	assert_int_equal(h.by_vector[1], 8005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throttle_spaces_interrupts_by_256_ns_units),
		cmocka_unit_test(without_throttle_every_frame_interrupts),
		cmocka_unit_test(first_event_after_an_idle_window_interrupts_at_once),
		cmocka_unit_test(a_new_throttle_value_acts_from_the_next_window),
		cmocka_unit_test(msix_throttles_each_vector_by_itself_and_not_by_itr),
		cmocka_unit_test(ticks_are_four_times_as_long_below_1000_mbps),
		cmocka_unit_test(throttle_outranks_the_delay_timers),
		cmocka_unit_test(rdtr_375_is_the_same_384_us_as_itr_1500),
		cmocka_unit_test(rdtr_restarts_with_each_frame),
		cmocka_unit_test(radv_bounds_the_delay_from_the_first_frame),
		cmocka_unit_test(radv_375_under_a_steady_stream_gives_2604_interrupts_a_second),
		cmocka_unit_test(radv_without_rdtr_has_no_effect),
		cmocka_unit_test(rdtr_of_radv_plus_one_is_a_pure_absolute_timer),
		cmocka_unit_test(a_packet_timer_expiry_cancels_the_absolute_timer),
		cmocka_unit_test(rdtr_flush_bit_expires_a_running_timer_and_reads_zero),
		cmocka_unit_test(a_small_packet_interrupts_at_once_and_clears_the_timers),
		cmocka_unit_test(causes_without_timer_pass_rdtr_but_not_the_throttle),
		cmocka_unit_test(rdtr_acts_in_msix_only_by_option),
		cmocka_unit_test(an_acknowledgement_passes_rdtr_unless_ack_dis_or_raid_holds_it),
		cmocka_unit_test(acks_in_msix_interrupt_the_other_vector_unless_ack_dis),
		cmocka_unit_test(tidv_and_tadv_count_1024_ns),
		cmocka_unit_test(a_descriptor_without_ide_interrupts_at_once_and_stops_the_timers),
		cmocka_unit_test(tidv_zero_acts_as_at_once),
		cmocka_unit_test(tidv_flush_bit_exists_on_the_8257x_only),
		cmocka_unit_test(r2_msix_interrupts_for_every_frame_whatever_tidv_and_tadv_say),
		cmocka_unit_test(r2_msi_and_intx_are_bounded_by_tadv_at_976_a_second),
		cmocka_unit_test(r2_msix_is_bounded_by_eitr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
