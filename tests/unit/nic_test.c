/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver core against the null device: bring-up, settings, descriptors, guards. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/chips/desc.h"
#include "common/clock.h"
#include "common/util.h"
#include "driver/nic.h"
#include "tests/lib/null_bus.h"

struct fixture {
	struct bus *bus;
	struct nic *nic;
	uint64_t now;
	unsigned seen[16]; /* by event */
};

static void on_event(void *ctx, enum nic_event event, const char *detail)
{
	((struct fixture *)ctx)->seen[event]++;
}

static void run_for(struct fixture *f, uint64_t ns)
{
	uint64_t end = f->now + ns;

	while (f->now < end) {
		f->now += NS_PER_MS;
		(void)nic_run(f->nic, f->now);
	}
}

static void bring_up(struct fixture *f, const char *chip, const char *list)
{
	struct settings settings = {0};
	struct error err = {0};

	*f = (struct fixture){0};
	assert_int_equal(null_bus_open(chip, &f->bus, &err), 0);
	assert_int_equal(nic_open(f->bus, on_event, f, &f->nic, &err), 0);
	assert_int_equal(settings_parse_list(&settings, list, &err), 0);
	assert_int_equal(nic_start(f->nic, &settings, f->now, &err), 0);
	run_for(f, 100 * NS_PER_MS);
}

static void tear_down(struct fixture *f)
{
	nic_close(f->nic);
	f->bus->ops->close(f->bus);
}

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

static void short_frames_are_padded(void **state)
{
	struct fixture f;
	struct desc *d;
	uint8_t *room;

	bring_up(&f, "82574L", "intmode=msi");
	room = nic_tx_reserve(f.nic);
	memset(room, 0xaa, 100);
	assert_int_equal(nic_tx_commit(f.nic, 42, NULL), 0);
	nic_tx_kick(f.nic, f.now);
	d = null_bus_desc(f.bus, REG_TDBAL, 0);
	assert_int_equal(d->word[1] & TX_LEN_MASK_LEGACY, 60);
	assert_int_equal(room[41], 0xaa);
	assert_int_equal(room[42], 0);
	assert_int_equal(null_bus_peek(f.bus, REG_TDT), 1);
	tear_down(&f);
}

/* A 3000-byte IPv4 TCP super-frame with MSS 1000. */
static uint32_t make_super(uint8_t *data, struct vnet *vnet)
{
	static const uint8_t head[54] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0x0b, 0xe0,
					 0, 1, 0x40, 0, 64, 6, 0x12, 0x34, 198, 18, 0, 1, 198, 18, 0, 2,
					 0x10, 0, 0x20, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0};

	memcpy(data, head, sizeof(head));
	memset(data + 54, 0x5a, 3000);
	*vnet = (struct vnet){.flags = VNET_NEEDS_CSUM, .gso_type = VNET_GSO_TCPV4, .hdr_len = 54,
			      .gso_size = 1000, .csum_start = 34, .csum_offset = 16};
	data[16] = (uint8_t)((3000 + 40) >> 8);
	data[17] = (uint8_t)(3000 + 40);
	return 3054;
}

static void super_frames_become_a_context_and_data_descriptors(void **state)
{
	struct fixture f;
	struct desc *context, *data;
	struct vnet vnet;
	uint8_t *room;
	uint32_t len;

	bring_up(&f, "82574L", "intmode=msi,TIDV=8");
	room = nic_tx_reserve(f.nic);
	len = make_super(room, &vnet);
	assert_int_equal(nic_tx_commit(f.nic, len, &vnet), 0);
	context = null_bus_desc(f.bus, REG_TDBAL, 0);
	data = null_bus_desc(f.bus, REG_TDBAL, 1);
	assert_int_equal(context->word[0] & 0xff, 14);
	assert_int_equal(context->word[0] >> TX_CTX_TUCSS_SHIFT & 0xff, 34);
	assert_int_equal(context->word[0] >> TX_CTX_TUCSO_SHIFT & 0xff, 50);
	assert_int_equal(context->word[1] & TX_LEN_MASK_DATA, 3000);
	assert_int_equal(context->word[1] >> TX_CTX_HDRLEN_SHIFT & 0xff, 54);
	assert_int_equal(context->word[1] >> TX_CTX_MSS_SHIFT, 1000);
	assert_true(data->word[1] & TX_CMD_TSE && data->word[1] & TX_POPTS_IXSM);
	assert_true(data->word[1] & TX_CMD_EOP && data->word[1] & TX_CMD_RS);
	assert_int_equal(data->word[1] & TX_LEN_MASK_DATA, len);
	assert_memory_equal(room + 16, "\0\0", 2);  /* the chip fills in the length ... */
	assert_memory_equal(room + 24, "\0\0", 2);  /* ... and the header checksum */
	assert_int_equal(nic_counters_of(f.nic)->tx_frames, 3);
	assert_int_equal(nic_counters_of(f.nic)->tx_bytes, 3054 + 2 * 54);
	tear_down(&f);
}

/* Pages that the IOMMU puts side by side need not be neighbours: QEMU loses a buffer that crosses. */
static void no_buffer_crosses_a_page(void **state)
{
	struct fixture f;
	struct vnet vnet;
	unsigned pieces = 0;

	bring_up(&f, "82574L", "intmode=msi");
	for (unsigned i = 0; i < 10; i++) {
		uint32_t len = make_super(nic_tx_reserve(f.nic), &vnet);

		assert_int_equal(nic_tx_commit(f.nic, len, &vnet), 0);
		assert_non_null(nic_tx_reserve(f.nic)); /* so that the next does not start with a page */
		assert_int_equal(nic_tx_commit(f.nic, 1500, NULL), 0);
	}
	nic_tx_kick(f.nic, f.now);
	for (unsigned i = 0; i < null_bus_peek(f.bus, REG_TDT); i++) {
		const struct desc *d = null_bus_desc(f.bus, REG_TDBAL, i);

		if ((d->word[1] & TX_DTYP_DATA) != TX_DTYP_DATA)
			continue;
		assert_true(d->word[0] % 4096 + (d->word[1] & TX_LEN_MASK_DATA) <= 4096);
		pieces++;
	}
	assert_in_range(pieces, 11, 20); /* some were cut, none more than once */
	tear_down(&f);
}

static void frames_over_the_mtu_without_segmentation_are_dropped_and_counted(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	assert_non_null(nic_tx_reserve(f.nic));
	assert_int_equal(nic_tx_commit(f.nic, 1519, NULL), -EMSGSIZE);
	assert_int_equal(nic_counters_of(f.nic)->tx_drop_long, 1);
	assert_int_equal(nic_tx_commit(f.nic, 1518, NULL), 0);
	tear_down(&f);
}

static void checksum_offsets_outside_the_frame_are_dropped_and_counted(void **state)
{
	struct vnet vnet = {.flags = VNET_NEEDS_CSUM, .csum_start = 90, .csum_offset = 16};
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	assert_non_null(nic_tx_reserve(f.nic));
	assert_int_equal(nic_tx_commit(f.nic, 100, &vnet), -EINVAL);
	assert_int_equal(nic_counters_of(f.nic)->tx_drop_bad, 1);
	tear_down(&f);
}

static void the_byte_limit_stops_and_completions_free(void **state)
{
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi,tx-byte-limit=4000");
	for (unsigned i = 0; i < 4; i++) {
		assert_non_null(nic_tx_reserve(f.nic));
		assert_int_equal(nic_tx_commit(f.nic, 1000, NULL), 0);
	}
	assert_null(nic_tx_reserve(f.nic));
	nic_tx_kick(f.nic, f.now);
	assert_int_equal(null_bus_transmit(f.bus), 4);
	assert_int_equal(nic_tx_reap(f.nic), 4);
	assert_non_null(nic_tx_reserve(f.nic));
	tear_down(&f);
}

/* Many laps of ring and arena with frames of all sizes; the device reads each from its address. */
static void ring_and_arena_wrap_without_mixing_frames(void **state)
{
	struct fixture f;
	unsigned queued = 0;

	bring_up(&f, "82574L", "intmode=msi,tx-ring=80,tx-byte-limit=1048576");
	for (unsigned i = 0; i < 5000; i++) {
		uint8_t *room = nic_tx_reserve(f.nic);
		uint32_t len = 60 + i * 37 % 1400, first = null_bus_peek(f.bus, REG_TDT);
		const struct desc *d;

		if (!room) {
			assert_true(queued > 0);
			(void)null_bus_transmit(f.bus);
			assert_int_equal(nic_tx_reap(f.nic), queued);
			queued = 0;
			room = nic_tx_reserve(f.nic);
		}
		assert_non_null(room);
		memset(room, (int)i & 0xff, len);
		assert_int_equal(nic_tx_commit(f.nic, len, NULL), 0);
		nic_tx_kick(f.nic, f.now);
		queued++;
		d = null_bus_desc(f.bus, REG_TDBAL, first);
		assert_ptr_equal(null_bus_memory(f.bus, d->word[0]), room);
		assert_int_equal(d->word[1] & 0xffff, len);
	}
	tear_down(&f);
}

static void receive_gives_frames_in_order_and_refills(const char *chip, const char *mode)
{
	struct rx_frame frames[16];
	struct fixture f;
	char list[64] = "rx-ring=80,intmode=";

	bring_up(&f, chip, strcat(list, mode));
	for (unsigned lap = 0; lap < 100; lap++) {
		unsigned n;

		assert_int_equal(null_bus_receive(f.bus, 10, 60 + lap), 10);
		assert_true(nic_rx_pending(f.nic));
		n = nic_rx_burst(f.nic, frames, 16);
		assert_int_equal(n, 10);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(frames[i].len, 60 + lap);
			assert_int_equal((frames[i].iova / 2048) % 80 * 2048 % 2048, 0);
		}
		assert_false(nic_rx_pending(f.nic));
		nic_rx_release(f.nic);
		assert_int_equal(null_bus_peek(f.bus, REG_RDT), (lap * 10 + 9) % 80);
	}
	assert_int_equal(nic_counters_of(f.nic)->rx_frames, 1000);
	tear_down(&f);
}

static void receive_in_both_formats(void **state)
{
	receive_gives_frames_in_order_and_refills("82574L", "msi");
	receive_gives_frames_in_order_and_refills("82545EM", "intx");
}

static void bad_frames_are_counted_and_skipped(void **state)
{
	struct rx_frame frames[8];
	struct fixture f;

	bring_up(&f, "82574L", "intmode=msi");
	assert_int_equal(null_bus_receive(f.bus, 3, 60), 3);
	null_bus_desc(f.bus, REG_RDBAL, 1)->word[1] |= RXE_ERR_CE;
	null_bus_desc(f.bus, REG_RDBAL, 2)->word[1] &= ~(uint64_t)RX_STAT_EOP;
	assert_int_equal(nic_rx_burst(f.nic, frames, 8), 1);
	assert_int_equal(nic_counters_of(f.nic)->rx_drop_error, 1);
	assert_int_equal(nic_counters_of(f.nic)->rx_drop_long, 1);
	nic_rx_release(f.nic);
	assert_int_equal(null_bus_peek(f.bus, REG_RDT), 2);
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
		cmocka_unit_test(short_frames_are_padded),
		cmocka_unit_test(super_frames_become_a_context_and_data_descriptors),
		cmocka_unit_test(no_buffer_crosses_a_page),
		cmocka_unit_test(frames_over_the_mtu_without_segmentation_are_dropped_and_counted),
		cmocka_unit_test(checksum_offsets_outside_the_frame_are_dropped_and_counted),
		cmocka_unit_test(the_byte_limit_stops_and_completions_free),
		cmocka_unit_test(ring_and_arena_wrap_without_mixing_frames),
		cmocka_unit_test(receive_in_both_formats),
		cmocka_unit_test(bad_frames_are_counted_and_skipped),
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
