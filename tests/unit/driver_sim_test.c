/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver core on the simulated chip in virtual time: modes, frames both ways, moderation, faults. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/nic.h"
#include "driver/sim/sim_vbus.h"

#define SERVICE_NS 1500 /* what a service costs the host */

struct rig {
	struct bus *bus;
	struct nic *nic;
	unsigned seen[16];
	uint64_t rx_frames, rx_csum_ok, services, last_service_ns, min_gap_ns;
	uint64_t tx_frames;
	uint32_t last_rx_len;
	bool running;
};

static void on_event(void *ctx, enum nic_event event, const char *detail)
{
	struct rig *rig = ctx;

	rig->seen[event]++;
}

/* What the bridge does, without a TAP. */
static void on_irq(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct rig *rig = ctx;
	struct rx_frame frames[64];
	uint64_t messages;
	unsigned n;

	if (read(rig->bus->irq_fd[vector], &messages, sizeof(messages)) != sizeof(messages))
		return;
	if (!nic_irq_begin(rig->nic, vector, messages, at_ns) && nic_bus(rig->nic)->dead)
		return;
	sim_vbus_spend(rig->bus, SERVICE_NS);
	(void)nic_tx_reap(rig->nic);
	while ((n = nic_rx_burst(rig->nic, frames, 64))) {
		rig->rx_frames += n;
		for (unsigned i = 0; i < n; i++)
			rig->rx_csum_ok += frames[i].csum_ok;
		rig->last_rx_len = frames[n - 1].len;
		nic_rx_release(rig->nic);
	}
	if (rig->services && at_ns - rig->last_service_ns < rig->min_gap_ns)
		rig->min_gap_ns = at_ns - rig->last_service_ns;
	rig->last_service_ns = at_ns;
	rig->services++;
	nic_irq_end(rig->nic, vector, false, sim_vbus_now(rig->bus));
}

static void on_frame(void *ctx, const struct sim_frame *frame)
{
	((struct rig *)ctx)->tx_frames++;
}

static void run_for(struct rig *rig, uint64_t ns)
{
	uint64_t end = sim_vbus_now(rig->bus) + ns;

	while (sim_vbus_now(rig->bus) < end) {
		uint64_t next = nic_run(rig->nic, sim_vbus_now(rig->bus));

		next = MAX(next, sim_vbus_now(rig->bus) + 1);
		sim_vbus_advance(rig->bus, MIN(next, end));
	}
}

static void rig_up(struct rig *rig, const char *device, const char *list)
{
	struct settings settings = {0};
	struct error err = {0};

	*rig = (struct rig){.min_gap_ns = TIME_NEVER};
	assert_int_equal(sim_vbus_open(device, NS_PER_S, &rig->bus, &err), 0);
	assert_int_equal(nic_open(rig->bus, on_event, rig, &rig->nic, &err), 0);
	sim_vbus_set_irq_handler(rig->bus, on_irq, rig);
	sim_vbus_set_frame_handler(rig->bus, on_frame, rig);
	assert_int_equal(settings_parse_list(&settings, list, &err), 0);
	assert_int_equal(nic_start(rig->nic, &settings, sim_vbus_now(rig->bus), &err), 0);
	run_for(rig, 200 * NS_PER_MS);
	assert_int_equal(nic_state(rig->nic), NIC_RUNNING);
	rig->services = 0;
	rig->min_gap_ns = TIME_NEVER;
}

static void rig_down(struct rig *rig)
{
	nic_close(rig->nic);
	rig->bus->ops->close(rig->bus);
}

static void source(struct rig *rig, double pps, uint32_t bytes, uint64_t count)
{
	struct sim_source source = {.on = true, .frame_bytes = bytes, .rate_pps = pps, .count = count,
				    .burst = 1};
	struct error err = {0};

	assert_int_equal(sim_source_set(sim_vbus_sim(rig->bus), &source, sim_vbus_now(rig->bus), &err), 0);
}

static const struct {
	const char *device, *list;
} modes[] = {
	{"82574L", "intmode=intx"},  {"82574L", "intmode=msi"}, {"82574L", "intmode=msix"},
	{"82545EM", "intmode=intx"},
};

static void every_mode_receives_and_transmits(void **state)
{
	for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
		struct rig rig;

		rig_up(&rig, modes[m].device, modes[m].list);
		source(&rig, 50000, 500, 1000);
		run_for(&rig, 50 * NS_PER_MS);
		assert_int_equal(rig.rx_frames, 1000);
		assert_int_equal(rig.last_rx_len, 496);
		assert_int_equal(rig.rx_csum_ok, 1000);
		for (unsigned i = 0; i < 100; i++) {
			uint8_t *room = nic_tx_reserve(rig.nic);

			assert_non_null(room);
			memset(room, 0xff, 200);
			assert_int_equal(nic_tx_commit(rig.nic, 200, NULL), 0);
			nic_tx_kick(rig.nic, sim_vbus_now(rig.bus));
			run_for(&rig, 20 * NS_PER_US);
		}
		run_for(&rig, 10 * NS_PER_MS);
		assert_int_equal(rig.tx_frames, 100);
		assert_int_equal(nic_tx_in_flight(rig.nic), 0);
		rig_down(&rig);
	}
}

/* ITR n: no two services closer than 256 n ns, and the rate reaches the limit [SDM-8254x 13.4.18]. */
static void throttle_is_exact_in_every_mode(void **state)
{
	static const unsigned itrs[] = {55, 195, 488, 1500};

	for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
		for (unsigned i = 0; i < ARRAY_SIZE(itrs); i++) {
			char list[128];
			struct rig rig;

			(void)snprintf(list, sizeof(list), "%s,rx-ring=1024,%s=%u", modes[m].list,
				       strstr(modes[m].list, "msix") ? "EITR0" : "ITR", itrs[i]);
			rig_up(&rig, modes[m].device, list);
			source(&rig, 300000, 64, 0);
			run_for(&rig, 100 * NS_PER_MS);
			assert_true(rig.min_gap_ns >= itrs[i] * 256);
			assert_in_range(rig.services, 100000000u / (itrs[i] * 256) - 2,
					100000000u / (itrs[i] * 256) + 2);
			rig_down(&rig);
		}
	}
}

/* 82574L, MSI-X: TIDV 100 and TADV 1000 do not bound the rate; in MSI TADV does, counted from the
 * first frame after an interrupt: 1024 us and at most one frame distance. */
static void transmit_timers_bound_the_rate_outside_msix_only(void **state)
{
	static const struct {
		const char *list;
		unsigned min, max; /* interrupts in 200 ms at 100 000 frames/s */
	} rows[] = {
		{"intmode=msi,ITR=0,TIDV=100,TADV=1000", 192, 196},
		{"intmode=intx,ITR=0,TIDV=100,TADV=1000", 192, 196},
		{"intmode=msix,TIDV=100,TADV=1000", 19990, 20010},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;

		rig_up(&rig, "82574L", rows[i].list);
		for (unsigned k = 0; k < 20000; k++) {
			assert_non_null(nic_tx_reserve(rig.nic));
			assert_int_equal(nic_tx_commit(rig.nic, 1066, NULL), 0);
			nic_tx_kick(rig.nic, sim_vbus_now(rig.bus));
			run_for(&rig, 10 * NS_PER_US);
		}
		assert_in_range(rig.services, rows[i].min, rows[i].max);
		rig_down(&rig);
	}
}

static void segmentation_puts_every_segment_on_the_wire(void **state)
{
	static const uint8_t head[54] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0x38, 0xb8,
					 0, 1, 0x40, 0, 64, 6, 0, 0, 198, 18, 0, 1, 198, 18, 0, 2,
					 0x10, 0, 0x20, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x18, 1, 0, 0, 0};
	struct vnet vnet = {.flags = VNET_NEEDS_CSUM, .gso_type = VNET_GSO_TCPV4, .hdr_len = 54,
			    .gso_size = 1448, .csum_start = 34, .csum_offset = 16};
	struct rig rig;
	uint8_t *room;

	rig_up(&rig, "82574L", "intmode=msi");
	room = nic_tx_reserve(rig.nic);
	memcpy(room, head, sizeof(head));
	memset(room + 54, 1, 14480);
	assert_int_equal(nic_tx_commit(rig.nic, 54 + 14480, &vnet), 0);
	nic_tx_kick(rig.nic, sim_vbus_now(rig.bus));
	run_for(&rig, 10 * NS_PER_MS);
	assert_int_equal(rig.tx_frames, 10);
	assert_int_equal(nic_counters_of(rig.nic)->tx_frames, 10);
	rig_down(&rig);
}

static void restart_switches_the_mode_and_keeps_settings(void **state)
{
	struct settings change = {0};
	struct error err = {0};
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msi,ITR=195,RDTR=32");
	settings_put(&change, KNOB_INTMODE, INTMODE_MSIX);
	assert_int_equal(nic_start(rig.nic, &change, sim_vbus_now(rig.bus), &err), 0);
	run_for(&rig, 200 * NS_PER_MS);
	assert_int_equal(nic_state(rig.nic), NIC_RUNNING);
	assert_int_equal(nic_intmode(rig.nic), INTMODE_MSIX);
	assert_int_equal(bus_read32(rig.bus, REG_RDTR), 32);
	source(&rig, 1000, 64, 10);
	run_for(&rig, 50 * NS_PER_MS);
	assert_int_equal(rig.rx_frames, 10);
	rig_down(&rig);
}

static void fault(struct rig *rig, const char *name, uint64_t count)
{
	struct error err = {0};

	assert_int_equal(sim_fault_set(sim_vbus_sim(rig->bus), name, count, sim_vbus_now(rig->bus), &err),
			 0);
}

static void a_receive_hang_with_rdtr_is_found_and_reset(void **state)
{
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msi,RDTR=32,RADV=32");
	fault(&rig, "rx-hang", 1);
	source(&rig, 20000, 64, 0);
	run_for(&rig, 4 * NS_PER_S);
	assert_int_equal(rig.seen[NIC_EVENT_RX_HANG], 1);
	assert_int_equal(nic_state(rig.nic), NIC_RUNNING);
	assert_true(rig.rx_frames > 20000);
	rig_down(&rig);
}

static void a_transmit_hang_is_found_and_reset(void **state)
{
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msi");
	fault(&rig, "tx-hang", 1);
	assert_non_null(nic_tx_reserve(rig.nic));
	assert_int_equal(nic_tx_commit(rig.nic, 100, NULL), 0);
	nic_tx_kick(rig.nic, sim_vbus_now(rig.bus));
	run_for(&rig, 4 * NS_PER_S);
	assert_int_equal(rig.seen[NIC_EVENT_TX_HANG], 1);
	assert_int_equal(nic_state(rig.nic), NIC_RUNNING);
	rig_down(&rig);
}

static void a_link_flap_is_seen_and_survived(void **state)
{
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msix");
	fault(&rig, "link-flap", 1);
	run_for(&rig, 4 * NS_PER_S);
	assert_int_equal(rig.seen[NIC_EVENT_LINK_DOWN], 1);
	assert_int_equal(rig.seen[NIC_EVENT_LINK_UP], 2);
	assert_int_equal(nic_state(rig.nic), NIC_RUNNING);
	rig_down(&rig);
}

static void a_lost_interrupt_costs_one_look_not_the_device(void **state)
{
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msi");
	fault(&rig, "lost-interrupt", 1);
	source(&rig, 10000, 64, 100);
	run_for(&rig, 3 * NS_PER_S);
	assert_int_equal(rig.rx_frames, 100);
	assert_int_equal(nic_counters_of(rig.nic)->resets, 0);
	rig_down(&rig);
}

static void a_stuck_reset_fails_and_a_second_try_works(void **state)
{
	struct error err = {0};
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msi");
	fault(&rig, "stuck-reset", 1);
	assert_int_equal(nic_start(rig.nic, NULL, sim_vbus_now(rig.bus), &err), 0);
	run_for(&rig, NS_PER_S);
	assert_int_equal(nic_state(rig.nic), NIC_FAILED);
	fault(&rig, "stuck-reset", 0);
	assert_int_equal(nic_start(rig.nic, NULL, sim_vbus_now(rig.bus), &err), 0);
	run_for(&rig, NS_PER_S);
	assert_int_equal(nic_state(rig.nic), NIC_RUNNING);
	rig_down(&rig);
}

static void all_ones_is_the_end_until_restart(void **state)
{
	struct error err = {0};
	struct rig rig;

	rig_up(&rig, "82574L", "intmode=msi");
	fault(&rig, "all-ones", 1000000);
	run_for(&rig, 2 * NS_PER_S);
	assert_int_equal(nic_state(rig.nic), NIC_GONE);
	fault(&rig, "all-ones", 0);
	assert_int_equal(nic_start(rig.nic, NULL, sim_vbus_now(rig.bus), &err), 0);
	run_for(&rig, NS_PER_S);
	assert_int_equal(nic_state(rig.nic), NIC_RUNNING);
	rig_down(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mode_receives_and_transmits),
		cmocka_unit_test(throttle_is_exact_in_every_mode),
		cmocka_unit_test(transmit_timers_bound_the_rate_outside_msix_only),
		cmocka_unit_test(segmentation_puts_every_segment_on_the_wire),
		cmocka_unit_test(restart_switches_the_mode_and_keeps_settings),
		cmocka_unit_test(a_receive_hang_with_rdtr_is_found_and_reset),
		cmocka_unit_test(a_transmit_hang_is_found_and_reset),
		cmocka_unit_test(a_link_flap_is_seen_and_survived),
		cmocka_unit_test(a_lost_interrupt_costs_one_look_not_the_device),
		cmocka_unit_test(a_stuck_reset_fails_and_a_second_try_works),
		cmocka_unit_test(all_ones_is_the_end_until_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
