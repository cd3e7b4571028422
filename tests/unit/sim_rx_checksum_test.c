/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive unit of the simulated chip: what it says of checksums. */
#include "tests/unit/sim_rx_rig.h"

static uint32_t verdict(struct rig *rig, const uint8_t *frame, uint32_t len)
{
	uint32_t index = rig->rx_next++;

	offer(rig, frame, len);
	assert_memory_equal(rig_rx_data(rig, index), frame, len);
	return (uint32_t)desc_load_status(&rig->rx[index]) & ~OK_ONE;
}

static void checksums_are_verified_and_errors_flagged(void **state)
{
	struct rig rig;
	uint8_t f[1514];
	struct frame_layout l;

	open_extended(&rig, 64, 0);
	for (unsigned udp = 0; udp < 2; udp++) {
		uint32_t l4 = RX_STAT_TCPCS | (udp ? RX_STAT_UDPCS : 0);

		l = frame_make(f, &(struct frame_spec){.payload = 201, .udp = udp});
		assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IPCS | l4);
		f[l.payload + 7] ^= 0x10;
		assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IPCS | l4 | RXE_ERR_TCPE);
		f[l.payload + 7] ^= 0x10;
		f[l.l3 + 8] ^= 1; /* TTL: the IP sum is wrong, layer 4 does not care */
		assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IPCS | l4 | RXE_ERR_IPE);
		l = frame_make(f, &(struct frame_spec){.payload = 201, .udp = udp, .v6 = true});
		assert_int_equal(verdict(&rig, f, l.len), l4);
		f[l.l3 + 30] ^= 1; /* an address: part of the pseudo header */
		assert_int_equal(verdict(&rig, f, l.len), l4 | RXE_ERR_TCPE);
	}
	rig_close(&rig);
}

static void frames_that_cannot_be_judged_say_so(void **state)
{
	struct rig rig;
	uint8_t f[1514];
	struct frame_layout l;

	open_extended(&rig, 64, 0);
	l = frame_make(f, &(struct frame_spec){.payload = 100, .udp = true});
	memset(f + l.l4_sum, 0, 2); /* UDP without checksum */
	assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IPCS);
	l = frame_make(f, &(struct frame_spec){.payload = 100});
	f[l.l3 + 6] = 0x20; /* a fragment */
	frame_fix_sums(f, &l);
	assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IPCS);
	f[12] = 0x88; /* not IP */
	assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IXSM);
	l = frame_make(f, &(struct frame_spec){.payload = 100});
	rig_write(&rig, REG_RXCSUM, RXCSUM_IPOFL);
	assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IPCS);
	rig_write(&rig, REG_RXCSUM, RXCSUM_TUOFL);
	assert_int_equal(verdict(&rig, f, l.len), RX_STAT_TCPCS);
	rig_write(&rig, REG_RXCSUM, 0);
	assert_int_equal(verdict(&rig, f, l.len), RX_STAT_IXSM);
	rig_close(&rig);
}

static void bad_sums_show_in_the_legacy_error_byte(void **state)
{
	struct rig rig;
	uint8_t f[1514];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 100});

	rig_open(&rig, "82545EM");
	rig_write(&rig, REG_RXCSUM, SUMS);
	rig_start_rx(&rig, 64, 0);
	f[l.l3 + 8] ^= 1;
	f[l.payload] ^= 1;
	offer(&rig, f, l.len);
	assert_int_equal(desc_load_status(&rig.rx[0]) >> RXL_ERRORS_SHIFT & 0xff,
		RXL_ERR_TCPE | RXL_ERR_IPE);
	rig_close(&rig);
}

static void the_kernels_partial_checksum_is_completed_on_the_way(void **state)
{
	struct rig rig;
	uint8_t f[1514], expected[1514];
	struct frame_layout l = frame_make(expected, &(struct frame_spec){.payload = 333});
	struct vnet vnet = {
		.flags = VNET_NEEDS_CSUM, .csum_start = (uint16_t)l.l4, .csum_offset = 16};
	uint16_t partial = frame_pseudo_sum(expected, &l, l.len - l.l4);

	open_extended(&rig, 64, 0);
	memcpy(f, expected, l.len);
	f[l.l4_sum] = (uint8_t)(partial >> 8);
	f[l.l4_sum + 1] = (uint8_t)partial;
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, &vnet), 0);
	rig_advance(&rig, 20000);
	assert_memory_equal(rig_rx_data(&rig, 0), expected, l.len);
	assert_int_equal(
		(uint32_t)desc_load_status(&rig.rx[0]), OK_ONE | RX_STAT_IPCS | RX_STAT_TCPCS);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksums_are_verified_and_errors_flagged),
		cmocka_unit_test(frames_that_cannot_be_judged_say_so),
		cmocka_unit_test(bad_sums_show_in_the_legacy_error_byte),
		cmocka_unit_test(the_kernels_partial_checksum_is_completed_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
