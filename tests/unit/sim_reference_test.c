/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Published field measurements on the whole simulated device, in virtual time: UDP of 1 KiB sent
 * flat out on an 82574L (netdev, September 2009), where the interrupt mode decides which knobs
 * work.
 */
#include "tests/lib/sim_rig.h"

/* 1024 + 8 + 20 + 14 bytes; with FCS, preamble and gap 1090 byte times of 8 ns: 114 679 frames/s.
 */
#define FRAME_BYTES  1066
#define FRAME_NS     8720
#define FRAMES_PER_S 114678 /* that have left the wire after one second */
#define DESCRIPTOR   (FRAME_BYTES | TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS | TX_CMD_IDE)

struct knobs {
	uint32_t tidv, tadv, itr;
};

struct outcome {
	uint64_t interrupts, frames;
};

/* A sender that never runs dry: at each interrupt take back what was sent and fill up. */
static void refill(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct rig *rig = ctx;

	(void)rig_read(rig, REG_ICR);
	rig->tx_next = (rig_read(rig, REG_TDH) + RIG_RING - 1) % RIG_RING;
	for (uint32_t i = 0; i < RIG_RING; i++)
		rig->tx[i].word[1] &= ~TX_STAT_DD;
	rig_kick(rig);
	rig_write(rig, REG_IMS, ICR_TXDW | ICR_TXQ0);
	rig->bus->ops->irq_unmask(rig->bus);
}

static void set_knobs(struct rig *rig, const struct knobs *knobs)
{
	rig_write(rig, REG_IVAR, 0x800A0908);
	rig_write(rig, REG_EIAC, ICR_RXQ0 | ICR_TXQ0);
	rig_write(rig, REG_TIDV, knobs->tidv);
	rig_write(rig, REG_TADV, knobs->tadv);
	rig_write(rig, REG_ITR, knobs->itr);
	rig_write(rig, REG_EITR1, knobs->itr);
	rig_write(rig, REG_IMS, ICR_TXDW | ICR_TXQ0);
}

static struct outcome one_second(enum intmode mode, struct knobs knobs)
{
	struct outcome outcome;
	struct sim_counters counters;
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_irq(&rig, mode, mode == INTMODE_MSIX ? 3 : 1);
	sim_vbus_set_irq_handler(rig.bus, refill, &rig);
	sim_sink_set(sim_vbus_sim(rig.bus), true);
	set_knobs(&rig, &knobs);
	rig_start_tx(&rig, RIG_RING);
	for (uint32_t i = 0; i < RIG_RING; i++)
		rig.tx[i] = (struct desc){{rig.tx_data.iova, DESCRIPTOR}};
	rig.tx_next = RIG_RING - 1;
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_S);
	rig.bus->ops->sim->get_counters(rig.bus, &counters);
	outcome.frames = counters.wire_tx_frames;
	outcome.interrupts = sim_vbus_raised(rig.bus, mode == INTMODE_MSIX ? 1 : 0);
	rig_close(&rig);
	return outcome;
}

static void msix_without_throttle_interrupts_for_every_frame(void **state)
{
	struct outcome timers = one_second(INTMODE_MSIX, (struct knobs){100, 1000, 0});
	struct outcome none = one_second(INTMODE_MSIX, (struct knobs){0, 0, 0});

	assert_int_equal(NS_PER_S / FRAME_NS, FRAMES_PER_S);
	assert_int_equal(timers.frames, FRAMES_PER_S);
	assert_int_equal(timers.interrupts, FRAMES_PER_S);
	assert_int_equal(none.interrupts, timers.interrupts);
}

static void msix_is_capped_by_its_throttle_only(void **state)
{
	struct outcome o = one_second(INTMODE_MSIX, (struct knobs){100, 1000, 488});

	assert_int_equal(o.frames, FRAMES_PER_S);
	assert_in_range(o.interrupts, 7900, 8005);
}

static void intx_and_msi_stay_under_1500_by_tadv(void **state)
{
	static const enum intmode modes[] = {INTMODE_INTX, INTMODE_MSI};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct outcome o = one_second(modes[i], (struct knobs){100, 1000, 0});

		/* 1.024 ms from the first frame of each window: at most 976.6 a second */
		assert_int_equal(o.frames, FRAMES_PER_S);
		assert_in_range(o.interrupts, 965, 976);
	}
}

static void msi_without_timers_interrupts_for_every_frame(void **state)
{
	struct outcome o = one_second(INTMODE_MSI, (struct knobs){0, 0, 0});

	assert_int_equal(o.interrupts, FRAMES_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(msix_without_throttle_interrupts_for_every_frame),
		cmocka_unit_test(msix_is_capped_by_its_throttle_only),
		cmocka_unit_test(intx_and_msi_stay_under_1500_by_tadv),
		cmocka_unit_test(msi_without_timers_interrupts_for_every_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
