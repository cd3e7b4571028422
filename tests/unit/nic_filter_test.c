/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive filters: what is written to the chip, and what the simulated chip then lets through. */
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
#include "driver/nic_filter.h"
#include "driver/sim/sim_vbus.h"
#include "tests/lib/null_bus.h"

static const char *const chips[] = {"82574L", "82545EM"}; /* one of each family */
static const uint8_t all_hosts[6] = {0x01, 0x00, 0x5e, 0x00, 0x00, 0x01},
		     mdns[6] = {0x33, 0x33, 0x00, 0x00, 0x00, 0xfb}, other_mac[6] = {2, 0, 0, 0, 0, 0x77};

struct rig {
	struct bus *bus;
	struct nic *nic;
	uint64_t now;
};

static void run_for(struct rig *rig, uint64_t ns)
{
	for (uint64_t end = rig->now + ns; rig->now < end; rig->now += NS_PER_MS)
		(void)nic_run(rig->nic, rig->now);
}

static void up(struct rig *rig, const char *chip)
{
	*rig = (struct rig){0};
	assert_int_equal(null_bus_open(chip, &rig->bus, NULL), 0);
	assert_int_equal(nic_open(rig->bus, NULL, NULL, &rig->nic, NULL), 0);
	assert_int_equal(nic_start(rig->nic, NULL, 0, NULL), 0);
	run_for(rig, 200 * NS_PER_MS);
	assert_int_equal(nic_state(rig->nic), NIC_RUNNING);
}

static void down(struct rig *rig)
{
	nic_close(rig->nic);
	bus_close(rig->bus);
}

static unsigned table_bits(struct rig *rig)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < REG_MTA_WORDS; i++)
		bits += (unsigned)__builtin_popcount(null_bus_peek(rig->bus, REG_MTA + 4 * i));
	return bits;
}

/* 12 bits: 0x01 << 4 | 0x00 >> 4, and 0xfb << 4. */
static bool table_has(struct rig *rig, unsigned hash)
{
	return null_bus_peek(rig->bus, REG_MTA + 4 * (hash >> 5)) >> (hash & 31) & 1;
}

static void groups_and_modes_are_written_and_taken_back(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		struct nic_filter filter;
		struct rig rig;
		uint32_t rctl;

		up(&rig, chips[i]);
		rctl = null_bus_peek(rig.bus, REG_RCTL);
		assert_false(rctl & (RCTL_UPE | RCTL_MPE));
		assert_int_equal(table_bits(&rig), 0);
		filter = *nic_filter_of(rig.nic);
		memcpy(filter.group[0], all_hosts, 6);
		memcpy(filter.group[1], mdns, 6);
		filter.group_count = 2;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_true(table_has(&rig, 0x010) && table_has(&rig, 0xfb0));
		assert_int_equal(table_bits(&rig), 2);
		assert_int_equal(null_bus_peek(rig.bus, REG_RCTL), rctl);

		filter.group_count = 1;
		filter.all_multicast = true;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_int_equal(table_bits(&rig), 1);
		assert_int_equal(null_bus_peek(rig.bus, REG_RCTL), rctl | RCTL_MPE);
		filter.promiscuous = true;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_int_equal(null_bus_peek(rig.bus, REG_RCTL), rctl | RCTL_UPE | RCTL_MPE);
		filter.promiscuous = filter.all_multicast = false;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_int_equal(null_bus_peek(rig.bus, REG_RCTL), rctl);
		down(&rig);
	}
}

/* QEMU's e1000 receives nothing for a second after any write of RCTL. */
static void rctl_is_not_written_when_only_groups_change(void **state)
{
	struct nic_filter filter;
	struct rig rig;

	up(&rig, "82545EM");
	filter = *nic_filter_of(rig.nic);
	filter.group_count = 1;
	memcpy(filter.group[0], mdns, 6);
	null_bus_stick(rig.bus, REG_RCTL);
	null_bus_poke(rig.bus, REG_RCTL, 0x12340);
	assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
	assert_int_equal(null_bus_peek(rig.bus, REG_RCTL), 0x12340);
	null_bus_stick(rig.bus, 0);
	down(&rig);
}

static void another_address_is_written_and_survives_a_restart(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		struct nic_filter filter;
		struct rig rig;

		up(&rig, chips[i]);
		filter = *nic_filter_of(rig.nic);
		memcpy(filter.mac, other_mac, 6);
		filter.group_count = 1;
		memcpy(filter.group[0], mdns, 6);
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		for (unsigned again = 0; again < 2; again++) {
			assert_int_equal(null_bus_peek(rig.bus, REG_RAL0), 0x00000002);
			assert_int_equal(null_bus_peek(rig.bus, REG_RAH0), RAH_AV | 0x7700);
			assert_true(table_has(&rig, 0xfb0));
			assert_memory_equal(nic_mac(rig.nic), other_mac, 6);
			null_bus_poke(rig.bus, REG_RAH0, 0);
			null_bus_poke(rig.bus, REG_MTA + 4 * (0xfb0 >> 5), 0);
			assert_int_equal(nic_start(rig.nic, NULL, rig.now, NULL), 0);
			run_for(&rig, 200 * NS_PER_MS);
		}
		down(&rig);
	}
}

static void an_address_that_is_none_changes_nothing(void **state)
{
	struct nic_filter filter;
	struct rig rig;

	up(&rig, "82574L");
	filter = *nic_filter_of(rig.nic);
	memcpy(filter.mac, all_hosts, 6);
	assert_int_equal(nic_set_filter(rig.nic, &filter), -EINVAL);
	memset(filter.mac, 0, 6);
	assert_int_equal(nic_set_filter(rig.nic, &filter), -EINVAL);
	filter = *nic_filter_of(rig.nic);
	filter.group_count = NIC_GROUPS_MAX + 1;
	assert_int_equal(nic_set_filter(rig.nic, &filter), -EINVAL);
	assert_int_equal(null_bus_peek(rig.bus, REG_RAH0), RAH_AV | 0x0100);
	down(&rig);
}

/* --- driver and model, each with its own arithmetic --- */

static uint64_t frames_through(struct rig *rig, const uint8_t to[6])
{
	uint8_t frame[64] = {0};
	struct rx_frame got[4];
	unsigned n;

	memcpy(frame, to, 6);
	frame[6] = 2;
	frame[12] = 0x88;
	frame[13] = 0xb5;
	assert_int_equal(sim_vbus_offer(rig->bus, frame, sizeof(frame), NULL), 0);
	sim_vbus_advance(rig->bus, sim_vbus_now(rig->bus) + NS_PER_MS);
	n = nic_rx_burst(rig->nic, got, 4);
	nic_rx_release(rig->nic);
	return n;
}

static void simulated_chip_passes_what_the_driver_asked_for(void **state)
{
	static const uint8_t stranger[6] = {2, 9, 9, 9, 9, 9}, broadcast[6] = {255, 255, 255, 255, 255, 255},
			     other_group[6] = {0x01, 0x00, 0x5e, 0x01, 0x02, 0x03};

	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		struct rig rig = {0};
		struct nic_filter filter;
		uint8_t old[6];

		assert_int_equal(sim_vbus_open(chips[i], NS_PER_S, &rig.bus, NULL), 0);
		assert_int_equal(nic_open(rig.bus, NULL, NULL, &rig.nic, NULL), 0);
		assert_int_equal(nic_start(rig.nic, NULL, sim_vbus_now(rig.bus), NULL), 0);
		for (unsigned ms = 0; ms < 200; ms++) {
			(void)nic_run(rig.nic, sim_vbus_now(rig.bus));
			sim_vbus_advance(rig.bus, sim_vbus_now(rig.bus) + NS_PER_MS);
		}
		filter = *nic_filter_of(rig.nic);
		memcpy(old, filter.mac, 6);
		assert_int_equal(frames_through(&rig, old), 1);
		assert_int_equal(frames_through(&rig, broadcast), 1);
		assert_int_equal(frames_through(&rig, stranger), 0);
		assert_int_equal(frames_through(&rig, mdns), 0);
		memcpy(filter.group[0], mdns, 6);
		memcpy(filter.mac, other_mac, 6);
		filter.group_count = 1;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_int_equal(frames_through(&rig, mdns), 1);
		assert_int_equal(frames_through(&rig, other_group), 0);
		assert_int_equal(frames_through(&rig, other_mac), 1);
		assert_int_equal(frames_through(&rig, old), 0);
		filter.all_multicast = true;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_int_equal(frames_through(&rig, other_group), 1);
		assert_int_equal(frames_through(&rig, stranger), 0);
		filter.promiscuous = true;
		assert_int_equal(nic_set_filter(rig.nic, &filter), 0);
		assert_int_equal(frames_through(&rig, stranger), 1);
		down(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_and_modes_are_written_and_taken_back),
		cmocka_unit_test(rctl_is_not_written_when_only_groups_change),
		cmocka_unit_test(another_address_is_written_and_survives_a_restart),
		cmocka_unit_test(an_address_that_is_none_changes_nothing),
		cmocka_unit_test(simulated_chip_passes_what_the_driver_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
