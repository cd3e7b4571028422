/* SPDX-License-Identifier: BSD-2-Clause */
/* A chip that stops answering at any moment, or does not end what it should; and the order of going quiet. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/nic.h"
#include "tests/lib/null_bus.h"

#define POLL_US 100 /* between two looks at STATUS while the device is left */

static const char *const chips[] = {"82574L", "82545EM"};

struct life {
	struct bus *bus;
	struct nic *nic;
	uint64_t now;
	unsigned seen[NIC_EVENT_COUNT];
	char detail[256]; /* of the last event */
};

static void on_event(void *ctx, enum nic_event event, const char *detail)
{
	struct life *life = ctx;

	life->seen[event]++;
	strncpy(life->detail, detail, sizeof(life->detail) - 1);
}

static void run_for(struct life *life, uint64_t ns)
{
	for (uint64_t end = life->now + ns; life->now < end; life->now += NS_PER_MS)
		(void)nic_run(life->nic, life->now);
}

/* Return: as nic_open(). */
static int begin(struct life *life, const char *chip, unsigned gone_in)
{
	struct error err = {0};
	int r;

	*life = (struct life){0};
	assert_int_equal(null_bus_open(chip, &life->bus, &err), 0);
	null_bus_gone_in(life->bus, gone_in);
	r = nic_open(life->bus, on_event, life, &life->nic, &err);
	if (r == 0)
		assert_int_equal(nic_start(life->nic, NULL, 0, &err), 0);
	else
		assert_non_null(strstr(err.text, "null"));
	return r;
}

static void serve(struct life *life)
{
	run_for(life, 100 * NS_PER_MS);
	if (nic_state(life->nic) == NIC_RUNNING) {
		(void)nic_irq_begin(life->nic, 0, 1, life->now);
		nic_irq_end(life->nic, 0, false, life->now);
		nic_collect_statistics(life->nic);
	}
	run_for(life, 600 * NS_PER_MS); /* the watchdog looks */
	nic_collect_statistics(life->nic);
}

static void end(struct life *life)
{
	struct null_bus_seen *seen = null_bus_seen(life->bus);

	nic_close(life->nic);
	assert_false(null_bus_master(life->bus));
	assert_false(seen->control_all_ones);
	assert_false(seen->reset_with_master);
	assert_false(seen->freed_with_master);
	assert_false(seen->master_off_while_active);
	bus_close(life->bus);
}

static unsigned reads_of_a_whole_life(const char *chip)
{
	unsigned reads;
	struct life life;

	assert_int_equal(begin(&life, chip, 0), 0);
	serve(&life);
	assert_int_equal(nic_state(life.nic), NIC_RUNNING);
	nic_stop(life.nic);
	reads = null_bus_seen(life.bus)->reads - 1; /* the last one only precedes a write */
	end(&life);
	return reads;
}

/* Every single read of opening, bring-up, service, statistics, watchdog and stop is once the first that
 * gives all ones. */
static void all_ones_at_any_read_ends_in_gone_and_quiet(const char *chip)
{
	unsigned total = reads_of_a_whole_life(chip), refused = 0, gone = 0;

	assert_true(total > 20);
	for (unsigned n = 1; n <= total; n++) {
		struct life life;

		if (begin(&life, chip, n) < 0) {
			refused++;
			bus_close(life.bus);
			continue;
		}
		serve(&life);
		nic_stop(life.nic);
		gone += nic_state(life.nic) == NIC_GONE;
		if (nic_state(life.nic) == NIC_GONE) {
			assert_int_equal(life.seen[NIC_EVENT_GONE], 1);
			assert_false(null_bus_master(life.bus));
		} else if (!life.bus->dead) {
			fail_msg("%s: read %u of %u gave all ones and nobody saw it", chip, n, total);
		}
		/* a gone device is not asked again and again */
		assert_true(null_bus_seen(life.bus)->reads_gone < 2 * REG_MTA_WORDS);
		end(&life);
	}
	assert_true(refused > 0 && gone > total / 2);
}

static void all_ones_at_any_read_of_each_family(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++)
		all_ones_at_any_read_ends_in_gone_and_quiet(chips[i]);
}

static void gone_in_statistics_says_so_and_counts_nothing(void **state)
{
	struct nic_counters before;
	struct life life;

	assert_int_equal(begin(&life, "82574L", 0), 0);
	run_for(&life, 100 * NS_PER_MS);
	before = *nic_counters_of(life.nic);
	null_bus_gone_in(life.bus, 1);
	nic_collect_statistics(life.nic);
	assert_int_equal(nic_state(life.nic), NIC_GONE);
	assert_non_null(strstr(life.detail, "(statistics)"));
	assert_memory_equal(nic_counters_of(life.nic), &before, sizeof(before));
	end(&life);
}

static void a_reset_that_sticks_fails_in_time_and_leaves_the_device_quiet(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		struct life life;

		assert_int_equal(begin(&life, chips[i], 0), 0);
		null_bus_stick_reset(life.bus, true);
		run_for(&life, 500 * NS_PER_MS); /* of which 200 for the reset, 80 for requests */
		assert_int_equal(nic_state(life.nic), NIC_FAILED);
		assert_int_equal(life.seen[NIC_EVENT_START_FAILED], 1);
		assert_non_null(strstr(life.detail, "CTRL.RST still set"));
		assert_false(null_bus_master(life.bus));
		assert_int_equal(life.bus->irq_count, 0);
		assert_int_equal(null_bus_peek(life.bus, REG_IMC), UINT32_MAX);
		/* and `restart` brings it back when the chip does */
		null_bus_stick_reset(life.bus, false);
		assert_int_equal(nic_start(life.nic, NULL, life.now, NULL), 0);
		run_for(&life, 200 * NS_PER_MS);
		assert_int_equal(nic_state(life.nic), NIC_RUNNING);
		end(&life);
	}
}

/* The kernel waits for us at an unplug: what the chip does not end is waited for 80 ms, not longer. */
static void leaving_a_chip_that_never_ends_its_requests_is_bounded(void **state)
{
	struct life life;
	unsigned before;

	assert_int_equal(begin(&life, "82574L", 0), 0);
	run_for(&life, 100 * NS_PER_MS);
	null_bus_stick_master(life.bus, true);
	before = null_bus_seen(life.bus)->reads;
	nic_close(life.nic);
	/* two reads a look */
	assert_true(null_bus_seen(life.bus)->reads - before < 2 * NIC_LEAVE_US / POLL_US + 50);
	assert_true(NIC_LEAVE_US < 1000000 / 2);
	assert_false(null_bus_master(life.bus));
	bus_close(life.bus);
}

static void quiet_comes_before_bus_mastering_and_that_before_memory(void **state)
{
	struct settings larger = {0};

	settings_put(&larger, KNOB_RX_RING, 512);
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		struct life life;

		assert_int_equal(begin(&life, chips[i], 0), 0);
		run_for(&life, 100 * NS_PER_MS);
		assert_true(null_bus_master(life.bus));
		/* a restart with another ring frees memory too */
		assert_int_equal(nic_start(life.nic, &larger, life.now, NULL), 0);
		run_for(&life, 200 * NS_PER_MS);
		assert_int_equal(nic_state(life.nic), NIC_RUNNING);
		end(&life);
	}
}

/* VFIO masked the line when it fired; a neighbour's interrupt, or one whose cause is gone already, must not
 * leave it so. */
static void a_spurious_intx_is_unmasked_after_its_causes_were_read(void **state)
{
	static const uint32_t causes[] = {0, ICR_RXT0 /* on PCIe not ours without INT_ASSERTED */};
	struct settings intx = {0};

	settings_put(&intx, KNOB_INTMODE, INTMODE_INTX);
	for (size_t i = 0; i < ARRAY_SIZE(chips) * ARRAY_SIZE(causes); i++) {
		struct null_bus_seen *seen;
		struct life life;
		unsigned before;

		assert_int_equal(begin(&life, chips[i % ARRAY_SIZE(chips)], 0), 0);
		assert_int_equal(nic_start(life.nic, &intx, 0, NULL), 0);
		run_for(&life, 100 * NS_PER_MS);
		seen = null_bus_seen(life.bus);
		for (unsigned n = 0; n < 3; n++) {
			null_bus_poke(life.bus, REG_ICR, causes[i / ARRAY_SIZE(chips)]);
			before = seen->unmasks;
			(void)nic_irq_begin(life.nic, 0, 1, life.now);
			assert_int_equal(seen->unmasks, before); /* else it would fire again at once */
			nic_irq_end(life.nic, 0, false, life.now);
			assert_int_equal(seen->unmasks, before + 1);
		}
		end(&life);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ones_at_any_read_of_each_family),
		cmocka_unit_test(gone_in_statistics_says_so_and_counts_nothing),
		cmocka_unit_test(a_reset_that_sticks_fails_in_time_and_leaves_the_device_quiet),
		cmocka_unit_test(leaving_a_chip_that_never_ends_its_requests_is_bounded),
		cmocka_unit_test(a_spurious_intx_is_unmasked_after_its_causes_were_read),
		cmocka_unit_test(quiet_comes_before_bus_mastering_and_that_before_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
