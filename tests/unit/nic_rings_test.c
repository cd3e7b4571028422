/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's rings against the null device: descriptors, byte limit, arena, receive. */
#include "tests/unit/nic_rig.h"

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

/* Frames of the usual size leave the ends of pages empty: the limit must be reached all the same. */
static void the_largest_byte_limit_is_reached_with_frames_of_any_size(void **state)
{
	static const uint32_t lengths[] = {600, 1514, 1518};

	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct fixture f;
		uint64_t bytes = 0;

		bring_up(&f, "82574L", "intmode=msi,tx-ring=4096,tx-byte-limit=1048576");
		while (nic_tx_reserve(f.nic)) {
			assert_int_equal(nic_tx_commit(f.nic, lengths[i], NULL), 0);
			bytes += lengths[i];
		}
		assert_in_range(bytes, 1048576, 1048576 + lengths[i]);
		tear_down(&f);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_frames_are_padded),
		cmocka_unit_test(super_frames_become_a_context_and_data_descriptors),
		cmocka_unit_test(no_buffer_crosses_a_page),
		cmocka_unit_test(frames_over_the_mtu_without_segmentation_are_dropped_and_counted),
		cmocka_unit_test(checksum_offsets_outside_the_frame_are_dropped_and_counted),
		cmocka_unit_test(the_byte_limit_stops_and_completions_free),
		cmocka_unit_test(the_largest_byte_limit_is_reached_with_frames_of_any_size),
		cmocka_unit_test(ring_and_arena_wrap_without_mixing_frames),
		cmocka_unit_test(receive_in_both_formats),
		cmocka_unit_test(bad_frames_are_counted_and_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
