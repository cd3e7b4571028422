/* SPDX-License-Identifier: BSD-2-Clause */
/* Transmit unit of the simulated chip: descriptors, offloads, write-back, pacing on the wire. */
#include "tests/lib/sim_rig.h"

#include <stdlib.h>

#include "tests/lib/frame_make.h"

#define PLAIN	     (TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS)
#define DATA	     (TX_CMD_DEXT | TX_DTYP_DATA)
#define WIRE_NS(len) (((len) + 24) * 8ull)

static struct frame_layout place(struct rig *rig, const struct frame_spec *spec)
{
	return frame_make(rig->tx_data.va, spec);
}

static uint8_t *data(struct rig *rig)
{
	return rig->tx_data.va;
}

static void put_plain(struct rig *rig, uint32_t len)
{
	rig_put_tx(rig, rig->tx_data.iova, len | PLAIN);
}

static void put_context(struct rig *rig, const struct frame_layout *l, uint32_t mss, uint64_t flags)
{
	uint64_t w0 = (uint64_t)l->l3 << TX_CTX_IPCSS_SHIFT |
		      (uint64_t)(l->l3 + 10) << TX_CTX_IPCSO_SHIFT |
		      (uint64_t)(l->l4 - 1) << TX_CTX_IPCSE_SHIFT |
		      (uint64_t)l->l4 << TX_CTX_TUCSS_SHIFT |
		      (uint64_t)l->l4_sum << TX_CTX_TUCSO_SHIFT;
	uint64_t w1 = TX_CMD_DEXT | TX_DTYP_CONTEXT | flags;

	if (mss)
		w1 |= (l->len - l->payload) | TX_CMD_TSE |
		      (uint64_t)l->payload << TX_CTX_HDRLEN_SHIFT |
		      (uint64_t)mss << TX_CTX_MSS_SHIFT;
	rig_put_tx(rig, w0, w1);
}

static void expect_sent(struct rig *rig, const uint8_t *frame, uint32_t len)
{
	struct sim_frame sent;

	assert_true(sim_vbus_collect(rig->bus, &sent));
	assert_int_equal(sent.len, len);
	assert_memory_equal(sent.data, frame, len);
}

static void expect_nothing_sent(struct rig *rig)
{
	struct sim_frame sent;

	assert_false(sim_vbus_collect(rig->bus, &sent));
}

static struct sim_counters counters(struct rig *rig)
{
	struct sim_counters c;

	rig->bus->ops->sim->get_counters(rig->bus, &c);
	return c;
}

/* --- timing and write-back --- */

static void a_frame_is_written_back_when_it_has_left_the_wire(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	place(&rig, &(struct frame_spec){.payload = 46});
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, 991);
	expect_nothing_sent(&rig);
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 0);
	rig_advance(&rig, 992);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, 992);
	assert_memory_equal(sent.data, data(&rig), 100);
	assert_int_equal(desc_load_status(&rig.tx[0]), 100 | PLAIN | TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 1);
	assert_int_equal(rig_read(&rig, REG_GPTC), 1);
	assert_int_equal(rig_read(&rig, REG_GPTC), 0);
	assert_int_equal(rig_read(&rig, REG_GOTCL), 104);
	assert_int_equal(rig_read(&rig, REG_GOTCH), 0);
	assert_int_equal(rig_read(&rig, REG_GOTCL), 0);
	rig_close(&rig);
}

static void only_descriptors_with_rs_are_written_back(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_irq(&rig, INTMODE_MSI, 1);
	rig_write(&rig, REG_IMS, ICR_TXDW);
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | TX_CMD_EOP | TX_CMD_IFCS);
	rig_put_tx(&rig, rig.tx_data.iova, 50);
	rig_put_tx(&rig, rig.tx_data.iova, 50 | PLAIN);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_false(desc_load_status(&rig.tx[1]) & TX_STAT_DD);
	assert_true(desc_load_status(&rig.tx[2]) & TX_STAT_DD);
	assert_int_equal(rig_read(&rig, REG_TDH), 3);
	assert_int_equal(rig.raises, 1);
	assert_int_equal(rig.raise_ns[0], 2 * WIRE_NS(100));
	rig_close(&rig);
}

static void ivar_bit_31_writes_every_descriptor_back(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_irq(&rig, INTMODE_MSIX, 3);
	rig_write(&rig, REG_IVAR, 0x800A0908);
	rig_write(&rig, REG_IMS, ICR_TXQ0);
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | TX_CMD_EOP | TX_CMD_IFCS);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	assert_true(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(rig.raises, 1);
	assert_int_equal(rig.raise_vector[0], 1);
	rig_close(&rig);
}

static void the_queue_empty_cause_follows_the_last_frame(void **state)
{
	struct rig rig;

	rig_open(&rig, "82545EM");
	rig_start_tx(&rig, 64);
	put_plain(&rig, 100);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, WIRE_NS(100));
	assert_int_equal(rig_read(&rig, REG_ICR), ICR_TXDW);
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(rig_read(&rig, REG_ICR), ICR_TXDW | ICR_TXQE);
	rig_close(&rig);
}

static void a_frame_starts_when_its_tail_was_written_even_if_the_device_lags(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	/* The host goes on for 50 us while the device stands still. */
	put_plain(&rig, 100);
	rig_kick(&rig);
	sim_vbus_spend(rig.bus, 500);
	put_plain(&rig, 100);
	rig_kick(&rig);
	sim_vbus_spend(rig.bus, 49500);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, 992);
	assert_true(sim_vbus_collect(rig.bus, &sent)); /* waited for the wire */
	assert_int_equal(sent.at_ns - RIG_START_NS, 2 * 992);
	assert_true(sim_vbus_collect(rig.bus, &sent)); /* waited for the host */
	assert_int_equal(sent.at_ns - RIG_START_NS, 50000 + 992);
	rig_close(&rig);
}

static void more_tail_writes_than_the_device_remembers_never_start_a_frame_early(void **state)
{
	struct rig rig;
	struct sim_frame sent;
	unsigned count = 0;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, RIG_RING);
	for (unsigned i = 0; i < 200; i++) {
		put_plain(&rig, 60);
		rig_kick(&rig);
		sim_vbus_spend(rig.bus, 10000);
	}
	rig_advance(&rig, 100 * NS_PER_MS);
	for (; sim_vbus_collect(rig.bus, &sent); count++)
		assert_true(sent.at_ns - RIG_START_NS >= count * 10000 + WIRE_NS(60));
	assert_int_equal(count, 200);
	rig_close(&rig);
}

/* --- pacing --- */

static void on_tx_irq(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct rig *rig = ctx;

	(void)rig_read(rig, REG_ICR);
	rig->tx_next = (rig_read(rig, REG_TDH) + RIG_RING - 1) % RIG_RING;
	rig_write(rig, REG_IMS, ICR_TXDW);
	rig_kick(rig);
}

/* Keep the ring full for @ns; return frames that left. */
static uint64_t frames_in(const char *options, uint32_t len, uint64_t ns)
{
	struct rig rig;
	uint64_t sent;

	rig_open(&rig, options);
	rig_irq(&rig, INTMODE_MSI, 1);
	sim_vbus_set_irq_handler(rig.bus, on_tx_irq, &rig);
	sim_sink_set(sim_vbus_sim(rig.bus), true);
	rig_write(&rig, REG_IMS, ICR_TXDW);
	rig_start_tx(&rig, RIG_RING);
	for (uint32_t i = 0; i < RIG_RING; i++)
		rig.tx[i] = (struct desc){{rig.tx_data.iova,
			len | TX_CMD_EOP | TX_CMD_IFCS | (i % 64 ? 0 : TX_CMD_RS)}};
	rig.tx_next = RIG_RING - 1;
	rig_kick(&rig);
	rig_advance(&rig, ns);
	sent = counters(&rig).wire_tx_frames;
	assert_int_equal(counters(&rig).sink_frames, sent);
	rig_close(&rig);
	return sent;
}

static void the_wire_is_paced_exactly_over_ten_seconds(void **state)
{
	/* 1518 B with FCS: 1538 byte times of 8 ns: 81 274.38 a second. */
	assert_int_equal(frames_in("82574L", 1514, 10 * NS_PER_S), 10 * NS_PER_S / 12304);
	assert_int_equal(
		frames_in("82574L,speed=100", 1514, 10 * NS_PER_S), 10 * NS_PER_S / 123040);
	assert_int_equal(
		frames_in("82574L,speed=10", 1514, 10 * NS_PER_S), 10 * NS_PER_S / 1230400);
}

static void line_rate_of_64_byte_frames_is_1488095_a_second(void **state)
{
	assert_int_equal(frames_in("82574L", 60, NS_PER_S), 1488095);
	/* a shorter frame is padded and takes as long */
	assert_int_equal(frames_in("82574L", 20, NS_PER_S / 10), 148809);
}

static void an_infinite_wire_takes_no_time(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L,wire=infinite");
	rig_start_tx(&rig, RIG_RING);
	for (unsigned i = 0; i < 200; i++)
		put_plain(&rig, 1514);
	rig_kick(&rig);
	rig_advance(&rig, 0);
	for (unsigned i = 0; i < 200; i++) {
		assert_true(sim_vbus_collect(rig.bus, &sent));
		assert_int_equal(sent.at_ns, RIG_START_NS);
	}
	expect_nothing_sent(&rig);
	rig_close(&rig);
}

/* --- descriptor formats --- */

static void a_frame_is_gathered_from_many_descriptors(void **state)
{
	static const uint32_t pieces[] = {14, 1, 333, 0, 652};
	struct rig rig;
	uint64_t at;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	place(&rig, &(struct frame_spec){.payload = 946});
	at = rig.tx_data.iova;
	for (unsigned i = 0; i < ARRAY_SIZE(pieces); i++) {
		bool last = i + 1 == ARRAY_SIZE(pieces);

		rig_put_tx(&rig, at, pieces[i] | DATA | TX_CMD_IFCS | (last ? TX_CMD_EOP : 0));
		at += pieces[i];
	}
	rig_kick(&rig);
	rig_advance(&rig, WIRE_NS(1000));
	expect_sent(&rig, data(&rig), 1000);
	rig_close(&rig);
}

static void a_packet_waits_until_its_last_descriptor_is_published(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, rig.tx_data.iova, 50 | DATA | TX_CMD_IFCS);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_put_tx(&rig, rig.tx_data.iova, 50 | DATA | PLAIN);
	rig_kick(&rig);
	rig_advance(&rig, 2 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, NS_PER_MS + WIRE_NS(100));
	rig_close(&rig);
}

static void short_frames_are_padded_with_zeros_to_60(void **state)
{
	struct rig rig;
	uint8_t expected[60] = {0};

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	memset(data(&rig), 0xee, 200);
	memset(expected, 0xee, 30);
	put_plain(&rig, 30);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, expected, 60);
	/* Without TCTL.PSP it is a runt, which the far end throws away. */
	rig_write(&rig, REG_TCTL, TCTL_EN);
	put_plain(&rig, 30);
	rig_kick(&rig);
	rig_advance(&rig, 2 * NS_PER_MS);
	expect_nothing_sent(&rig);
	assert_int_equal(counters(&rig).wire_tx_frames, 2);
	rig_close(&rig);
}

static void without_ifcs_the_host_makes_the_fcs(void **state)
{
	struct rig rig;
	uint32_t fcs;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	place(&rig, &(struct frame_spec){.payload = 46});
	fcs = frame_fcs(data(&rig), 100);
	memcpy(data(&rig) + 100, &fcs, 4);
	rig_put_tx(&rig, rig.tx_data.iova, 104 | TX_CMD_EOP | TX_CMD_RS);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_sent(&rig, data(&rig), 100);
	data(&rig)[103] ^= 1; /* a wrong one is lost at the far end */
	rig_put_tx(&rig, rig.tx_data.iova, 104 | TX_CMD_EOP | TX_CMD_RS);
	rig_kick(&rig);
	rig_advance(&rig, 2 * NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_close(&rig);
}

static void a_ring_of_n_holds_n_minus_1(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L,wire=infinite");
	rig_start_tx(&rig, 8);
	for (unsigned i = 0; i < 8; i++)
		rig.tx[i] = (struct desc){{rig.tx_data.iova, 60 | PLAIN}};
	rig_write(&rig, REG_TDT, 7);
	rig_advance(&rig, 10);
	assert_int_equal(counters(&rig).wire_tx_frames, 7);
	rig_write(&rig, REG_TDT, 7); /* head == tail: empty, not full */
	rig_advance(&rig, 20);
	assert_int_equal(counters(&rig).wire_tx_frames, 7);
	rig_write(&rig, REG_TDT, 6); /* over the end */
	rig_advance(&rig, 30);
	assert_int_equal(counters(&rig).wire_tx_frames, 14);
	assert_int_equal(rig_read(&rig, REG_TDH), 6);
	rig_write(&rig, REG_TDLEN, 200); /* bits 6:0 do not exist */
	assert_int_equal(rig_read(&rig, REG_TDLEN), 128);
	rig_close(&rig);
}

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

/* --- what the transmitter refuses --- */

static void bad_descriptors_are_counted_and_skipped(void **state)
{
	struct rig rig;
	struct frame_layout l;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	l = place(&rig, &(struct frame_spec){.payload = 5000});
	put_plain(&rig, 4097); /* longer than one buffer may be */
	put_plain(&rig, 13);   /* no Ethernet header */
	put_context(&rig, &l, 1448, TX_CMD_TCP | TX_CMD_IP);
	rig_put_tx(&rig, rig.tx_data.iova, /* less data than the context announces */
		4096 | DATA | TX_CMD_TSE | PLAIN);
	put_context(&rig, &l, 0, TX_CMD_TCP | TX_CMD_IP);
	rig_put_tx(&rig, rig.tx_data.iova, /* segmentation without a segment size */
		1000 | DATA | TX_CMD_TSE | PLAIN);
	rig_put_tx(&rig, rig.tx_data.iova, 100 | DATA | TX_CMD_IFCS);
	put_context(&rig, &l, 0, 0); /* a context inside a packet */
	rig_put_tx(&rig, rig.tx_data.iova, 100 | DATA | PLAIN);
	put_plain(&rig, 100); /* the transmitter lives */
	rig_kick(&rig);
	rig_advance(&rig, 10 * NS_PER_MS);
	expect_sent(&rig, data(&rig), 100);
	expect_nothing_sent(&rig);
	assert_int_equal(counters(&rig).bad_descriptors, 5);
	assert_true(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	rig_close(&rig);
}

static void memory_that_is_not_mapped_is_not_read(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_put_tx(&rig, 0xdead0000, 100 | PLAIN);
	rig_put_tx(&rig, rig.tx_data.iova + RIG_TX_BYTES - 50, 100 | PLAIN); /* over the end */
	rig_put_tx(&rig, UINT64_MAX - 10, 100 | PLAIN);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	assert_int_equal(counters(&rig).dma_dropped, 3);
	rig_close(&rig);
}

static void a_ring_that_is_not_mapped_stops_the_transmitter(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_write(&rig, REG_TDBAH, 0x7777);
	rig_write(&rig, REG_TDT, 5);
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(rig_read(&rig, REG_TDH), 0);
	assert_int_equal(counters(&rig).wire_tx_frames, 0);
	assert_true(counters(&rig).dma_dropped > 0);
	rig_close(&rig);
}

/* --- what holds the transmitter back --- */

static void frames_wait_for_enable_link_and_bus_master(void **state)
{
	struct rig rig;
	struct sim_frame sent;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	rig_write(&rig, REG_TCTL, TCTL_PSP);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_write(&rig, REG_TCTL, TCTL_EN | TCTL_PSP);
	rig_advance(&rig, 2 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	assert_int_equal(sent.at_ns - RIG_START_NS, NS_PER_MS + WIRE_NS(100));

	rig_write(&rig, REG_CTRL, CTRL_FD); /* link down */
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, 3 * NS_PER_MS);
	expect_nothing_sent(&rig);
	rig_write(&rig, REG_CTRL, CTRL_FD | CTRL_SLU);
	rig_advance(&rig, 4 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));

	rig.bus->ops->set_master(rig.bus, false, NULL);
	put_plain(&rig, 100);
	rig_kick(&rig);
	rig_advance(&rig, 5 * NS_PER_MS);
	expect_nothing_sent(&rig);
	rig.bus->ops->set_master(rig.bus, true, NULL);
	rig_advance(&rig, 6 * NS_PER_MS);
	assert_true(sim_vbus_collect(rig.bus, &sent));
	rig_close(&rig);
}

static void memory_unmapped_under_a_frame_on_the_wire_is_let_go(void **state)
{
	struct rig rig;

	rig_open(&rig, "82574L");
	rig_start_tx(&rig, 64);
	put_plain(&rig, 1514);
	rig_kick(&rig);
	rig_advance(&rig, 100);
	rig.bus->ops->dma_free(rig.bus, &rig.tx_data);
	rig_advance(&rig, NS_PER_MS);
	expect_nothing_sent(&rig);
	assert_false(desc_load_status(&rig.tx[0]) & TX_STAT_DD);
	assert_int_equal(counters(&rig).dma_dropped, 1);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_written_back_when_it_has_left_the_wire),
		cmocka_unit_test(only_descriptors_with_rs_are_written_back),
		cmocka_unit_test(ivar_bit_31_writes_every_descriptor_back),
		cmocka_unit_test(the_queue_empty_cause_follows_the_last_frame),
		cmocka_unit_test(a_frame_starts_when_its_tail_was_written_even_if_the_device_lags),
		cmocka_unit_test(
			more_tail_writes_than_the_device_remembers_never_start_a_frame_early),
		cmocka_unit_test(the_wire_is_paced_exactly_over_ten_seconds),
		cmocka_unit_test(line_rate_of_64_byte_frames_is_1488095_a_second),
		cmocka_unit_test(an_infinite_wire_takes_no_time),
		cmocka_unit_test(a_frame_is_gathered_from_many_descriptors),
		cmocka_unit_test(a_packet_waits_until_its_last_descriptor_is_published),
		cmocka_unit_test(short_frames_are_padded_with_zeros_to_60),
		cmocka_unit_test(without_ifcs_the_host_makes_the_fcs),
		cmocka_unit_test(a_ring_of_n_holds_n_minus_1),
		cmocka_unit_test(legacy_checksum_goes_where_the_descriptor_says),
		cmocka_unit_test(context_and_data_descriptors_insert_ip_tcp_and_udp_sums),
		cmocka_unit_test(a_udp_sum_of_zero_is_sent_as_ffff),
		cmocka_unit_test(segments_equal_an_independent_segmentation),
		cmocka_unit_test(bad_descriptors_are_counted_and_skipped),
		cmocka_unit_test(memory_that_is_not_mapped_is_not_read),
		cmocka_unit_test(a_ring_that_is_not_mapped_stops_the_transmitter),
		cmocka_unit_test(frames_wait_for_enable_link_and_bus_master),
		cmocka_unit_test(memory_unmapped_under_a_frame_on_the_wire_is_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
