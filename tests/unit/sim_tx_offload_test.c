/* SPDX-License-Identifier: BSD-2-Clause */
/* Transmit unit of the simulated chip: checksums and segmentation. */
#include "tests/unit/sim_tx_rig.h"

/* --- checksums --- */

static void legacy_checksum_goes_where_the_descriptor_says(void **state)
{
	struct rig rig;
	uint8_t expected[1514];
	struct frame_layout l;

	rig_open(&rig, "82545EM");
	rig_start_tx(&rig, 64);
	l = place(&rig, &(struct frame_spec){.payload = 333});
	memcpy(expected, data(&rig), l.len);
	data(&rig)[l.l4_sum] = (uint8_t)(frame_pseudo_sum(expected, &l, l.len - l.l4) >> 8);
	data(&rig)[l.l4_sum + 1] = (uint8_t)frame_pseudo_sum(expected, &l, l.len - l.l4);
	rig_put_tx(&rig, rig.tx_data.iova,
		l.len | PLAIN | TX_CMD_IC | (uint64_t)l.l4_sum << TX_LEGACY_CSO_SHIFT |
			(uint64_t)l.l4 << TX_LEGACY_CSS_SHIFT);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, expected, l.len);
	rig_close(&rig);
}

static void check_offloaded_sums(const struct frame_spec *spec)
{
	struct rig rig;
	uint8_t expected[1514];
	struct frame_layout l;
	uint16_t partial;
	uint64_t popts = TX_POPTS_TXSM | (spec->v6 ? 0 : TX_POPTS_IXSM);

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	l = place(&rig, spec);
	memcpy(expected, data(&rig), l.len);
	partial = frame_pseudo_sum(expected, &l, l.len - l.l4);
	data(&rig)[l.l4_sum] = (uint8_t)(partial >> 8);
	data(&rig)[l.l4_sum + 1] = (uint8_t)partial;
	if (!spec->v6)
		memset(data(&rig) + l.l3 + 10, 0, 2);
	put_context(&rig, &l, 0, (spec->udp ? 0 : TX_CMD_TCP) | (spec->v6 ? 0 : TX_CMD_IP));
	rig_put_tx(&rig, rig.tx_data.iova, l.len | DATA | PLAIN | popts);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, expected, l.len);
	assert_int_equal(rig_read(&rig, REG_TDH), 2);
	rig_close(&rig);
}

static void context_and_data_descriptors_insert_ip_tcp_and_udp_sums(void **state)
{
	for (uint32_t payload = 30; payload < 1000; payload += 323) {
		check_offloaded_sums(&(struct frame_spec){.payload = payload});
		check_offloaded_sums(&(struct frame_spec){.payload = payload, .udp = true});
		check_offloaded_sums(&(struct frame_spec){.payload = payload, .v6 = true});
		check_offloaded_sums(
			&(struct frame_spec){.payload = payload, .v6 = true, .udp = true});
	}
}

static void a_udp_sum_of_zero_is_sent_as_ffff(void **state)
{
	struct rig rig;
	struct frame_layout l;
	uint8_t expected[200];
	uint16_t sum;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	l = place(&rig, &(struct frame_spec){.payload = 100, .udp = true});
	/* Put the checksum into the payload: the sum of everything is then ffff, its inverse 0. */
	memset(data(&rig) + l.payload, 0, 2);
	frame_fix_sums(data(&rig), &l);
	memcpy(data(&rig) + l.payload, data(&rig) + l.l4_sum, 2);
	frame_fix_sums(data(&rig), &l);
	memcpy(expected, data(&rig), l.len);
	assert_int_equal(expected[l.l4_sum] << 8 | expected[l.l4_sum + 1], 0xffff);
	sum = frame_pseudo_sum(expected, &l, l.len - l.l4);
	data(&rig)[l.l4_sum] = (uint8_t)(sum >> 8);
	data(&rig)[l.l4_sum + 1] = (uint8_t)sum;
	put_context(&rig, &l, 0, TX_CMD_IP);
	rig_put_tx(&rig, rig.tx_data.iova, l.len | DATA | PLAIN | TX_POPTS_TXSM);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, expected, l.len);
	rig_close(&rig);
}

/* --- segmentation --- */

/* Post the super-frame in tx_data in pieces of at most @piece bytes. */
static void put_pieces(struct rig *rig, uint32_t len, uint32_t piece, uint64_t popts)
{
	for (uint32_t at = 0; at < len; at += piece) {
		uint32_t take = MIN(piece, len - at);

		rig_put_tx(rig, rig->tx_data.iova + at,
			take | DATA | TX_CMD_TSE | TX_CMD_IFCS | popts |
				(at + take == len ? TX_CMD_EOP | TX_CMD_RS : 0));
	}
}

static void check_segments(const struct frame_spec *spec, uint32_t mss, uint32_t piece)
{
	struct rig rig;
	uint8_t *super = malloc(70000), segment[1600];
	struct frame_layout l, s;
	struct sim_frame sent;
	uint64_t at = 0;
	uint16_t partial;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, RIG_RING);
	l = place(&rig, spec);
	memcpy(super, data(&rig), l.len);
	/* As drivers do: IP length and sum zero, TCP sum of the pseudo header without length. */
	partial = frame_pseudo_sum(super, &l, 0);
	data(&rig)[l.l4_sum] = (uint8_t)(partial >> 8);
	data(&rig)[l.l4_sum + 1] = (uint8_t)partial;
	if (!spec->v6) {
		memset(data(&rig) + l.l3 + 10, 0, 2);
		memset(data(&rig) + l.l3 + 2, 0, 2);
	}
	put_context(&rig, &l, mss, TX_CMD_TCP | (spec->v6 ? 0 : TX_CMD_IP));
	put_pieces(&rig, l.len, piece, TX_POPTS_TXSM | (spec->v6 ? 0 : TX_POPTS_IXSM));
	rig_kick(&rig);
	rig_advance(&rig, 10 * NS_PER_MS);
	for (uint32_t i = 0; (s = frame_segment(super, &l, mss, i, segment)).len; i++) {
		at += WIRE_NS(MAX(s.len, 60u));
		assert_true(sim_vbus_collect(rig.bus, &sent));
		assert_int_equal(sent.at_ns - RIG_START_NS, at);
		assert_int_equal(sent.len, MAX(s.len, 60u));
		assert_memory_equal(sent.data, segment, s.len);
	}
	expect_nothing_sent(&rig);
	assert_true(
		desc_load_status(&rig.tx[(rig.tx_next + RIG_RING - 1) % RIG_RING]) & TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), rig.tx_next);
	assert_int_equal(counters(&rig).bad_descriptors, 0);
	rig_close(&rig);
	free(super);
}

static void segments_equal_an_independent_segmentation(void **state)
{
	static const uint32_t payloads[] = {1, 1447, 1448, 1449, 2896, 10000, 65000};
	static const uint32_t pieces[] = {4096, 1000, 333};

	for (unsigned i = 0; i < ARRAY_SIZE(payloads); i++) {
		for (unsigned k = 0; k < ARRAY_SIZE(pieces); k++) {
			struct frame_spec spec = {
				.payload = payloads[i],
				.tcp_options = 12,
				.ip_id = 0xfffe, /* wraps */
				.seq = 0xffffff00,
				.flags = FRAME_ACK | FRAME_PSH | FRAME_FIN,
			};

			check_segments(&spec, 1448, pieces[k]);
			spec.v6 = true;
			check_segments(&spec, 1428, pieces[k]);
			spec.tcp_options = 0;
			spec.flags = FRAME_ACK;
			check_segments(&spec, 536, pieces[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legacy_checksum_goes_where_the_descriptor_says),
		cmocka_unit_test(context_and_data_descriptors_insert_ip_tcp_and_udp_sums),
		cmocka_unit_test(a_udp_sum_of_zero_is_sent_as_ffff),
		cmocka_unit_test(segments_equal_an_independent_segmentation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
