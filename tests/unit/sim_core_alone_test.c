/* SPDX-License-Identifier: BSD-2-Clause */
/* One script of arrivals to the moderation core alone, as the predictor drives it, and to the core
 * inside the register-level device: the same interrupts, to the nanosecond. */
#include "tests/lib/sim_rig.h"

#include "driver/sim/sim_moderation.h"

#define FRAMES 40
#define END_NS (20 * NS_PER_MS)

struct row {
	uint32_t itr, rdtr, radv;
};

/* Bursts and pauses, no two alike. */
static uint64_t offer_time(unsigned i)
{
	return 10000 + i * 30000 + i * i * 7919 % 20000 + (i / 8) * 700000;
}

static void answer_at_once(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct rig *rig = ctx;

	rig_log_irq(ctx, vector, at_ns);
	(void)rig_read(rig, REG_ICR);
	rig->bus->ops->irq_unmask(rig->bus);
}

static void run_device(const struct row *row, struct rig *rig)
{
	uint8_t frame[60] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};

	rig_open(rig, "82545EM");
	rig_irq(rig, INTMODE_INTX, 1);
	sim_vbus_set_irq_handler(rig->bus, answer_at_once, rig);
	rig_start_rx(rig, RIG_RING, 0);
	rig_write(rig, REG_ITR, row->itr);
	rig_write(rig, REG_RDTR, row->rdtr);
	rig_write(rig, REG_RADV, row->radv);
	rig_write(rig, REG_IMS, ICR_RXT0);
	for (unsigned i = 0; i < FRAMES; i++) {
		rig_advance(rig, offer_time(i));
		assert_int_equal(sim_vbus_offer(rig->bus, frame, sizeof(frame), NULL), 0);
	}
	rig_advance(rig, END_NS);
	rig_close(rig);
}

static unsigned run_core(const struct row *row, const struct rig *arrivals, uint64_t *raises)
{
	const struct sim_moderation_config config = {.family = FAM_E1000};
	struct sim_moderation m;
	unsigned count = 0;
	uint32_t causes;

	sim_moderation_init(&m, &config);
	sim_moderation_write(&m, REG_ITR, row->itr, 0);
	sim_moderation_write(&m, REG_RDTR, row->rdtr, 0);
	sim_moderation_write(&m, REG_RADV, row->radv, 0);
	sim_moderation_write(&m, REG_IMS, ICR_RXT0, 0);
	for (unsigned i = 0; i <= arrivals->raises; i++) {
		uint64_t until = i < arrivals->raises ? arrivals->raise_ns[i] : END_NS;

		while (sim_moderation_next(&m) <= until) {
			uint64_t at = sim_moderation_next(&m);

			if (!sim_moderation_step(&m))
				continue;
			raises[count++] = at;
			sim_moderation_read(&m, REG_ICR, at, &causes);
			sim_moderation_unmask_line(&m, at);
		}
		if (i < arrivals->raises)
			sim_moderation_rx(&m, 64, false, until);
	}
	return count;
}

static void core_alone_interrupts_as_inside_the_device(void **state)
{
	static const struct row rows[] = {{0, 0, 0}, {558, 0, 128}, {1500, 375, 375}, {1500, 0, 375},
		{0, 375, 0}, {0, 100, 50}, {488, 20, 1000}, {3000, 5, 0}};
	const struct row plain = {0, 0, 0};
	struct rig arrivals; /* without moderation every frame interrupts when it arrives */

	run_device(&plain, &arrivals);
	assert_int_equal(arrivals.raises, FRAMES);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t raises[FRAMES + 1];
		struct rig rig;

		run_device(&rows[i], &rig);
		assert_int_equal(run_core(&rows[i], &arrivals, raises), rig.raises);
		for (unsigned k = 0; k < rig.raises; k++)
			assert_int_equal(raises[k], rig.raise_ns[k]);
		assert_true(i == 0 || rig.raises < FRAMES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_alone_interrupts_as_inside_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
