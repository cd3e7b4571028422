/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated wire towards the chip: super-frames, the frame source, sharing, exact times. */
#include "tests/lib/sim_rig.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/lib/frame_make.h"

#define WIRE_NS(len) (((len) + 24) * 8ull)
#define TCP_GOOD     (RX_STAT_DD | RX_STAT_EOP | RX_STAT_IPCS | RX_STAT_TCPCS)
#define UDP_GOOD     (TCP_GOOD | RX_STAT_UDPCS)

static struct sim_counters counters(struct rig *rig)
{
	struct sim_counters c;

	rig->bus->ops->sim->get_counters(rig->bus, &c);
	return c;
}

static void open_rx(struct rig *rig, const char *options)
{
	rig_open(rig, options);
	rig_write(rig, REG_RFCTL, RFCTL_EXTEN | RFCTL_ACK_DIS);
	rig_write(rig, REG_RXCSUM, RXCSUM_IPOFL | RXCSUM_TUOFL);
	rig_start_rx(rig, RIG_RING, 0);
}

static uint32_t status_of(struct rig *rig, uint32_t index)
{
	return (uint32_t)desc_load_status(&rig->rx[index]);
}

static uint32_t len_of(struct rig *rig, uint32_t index)
{
	return (uint32_t)(desc_load_status(&rig->rx[index]) >> RXE_LEN_SHIFT & 0xffff);
}

/* Give the descriptor back and step on; return its index. */
static uint32_t take(struct rig *rig)
{
	uint32_t index = rig->rx_next;

	rig->rx[index] = (struct desc){{rig->rx_buffers.iova + (uint64_t)index * RIG_BUFFER, 0}};
	rig_write(rig, REG_RDT, index);
	rig->rx_next = (index + 1) % rig->rx_count;
	return index;
}

static void set_source(struct rig *rig, const struct sim_source *source)
{
	struct error err = {0};

	if (rig->bus->ops->sim->set_source(rig->bus, source, &err))
		fail_msg("%s", err.text);
}

/* --- super-frames --- */

static void check_super_frame(const struct frame_spec *spec, uint32_t mss)
{
	struct rig rig;
	uint8_t *super = malloc(70000), *offered = malloc(70000), segment[1600];
	struct frame_layout l = frame_make(super, spec), s;
	struct vnet vnet = {.flags = VNET_NEEDS_CSUM,
		.gso_type = spec->v6 ? VNET_GSO_TCPV6 : VNET_GSO_TCPV4,
		.gso_size = (uint16_t)mss,
		.csum_start = (uint16_t)l.l4,
		.csum_offset = 16};
	uint16_t partial = frame_pseudo_sum(super, &l, l.len - l.l4);
	uint64_t at = 0;

	open_rx(&rig, "82574L");
	memcpy(offered, super, l.len);
	offered[l.l4_sum] = (uint8_t)(partial >> 8);
	offered[l.l4_sum + 1] = (uint8_t)partial;
	assert_int_equal(sim_vbus_offer(rig.bus, offered, l.len, &vnet), 0);
	memset(offered, 0, l.len); /* the caller's memory is free again */
	for (uint32_t i = 0; (s = frame_segment(super, &l, mss, i, segment)).len; i++) {
		assert_false(sim_rx_idle(sim_vbus_sim(rig.bus), NULL));
		at += WIRE_NS(MAX(s.len, 60u));
		rig_advance(&rig, at - 1);
		assert_int_equal(status_of(&rig, i), 0);
		rig_advance(&rig, at);
		assert_int_equal(
			status_of(&rig, i), spec->v6 ? TCP_GOOD & ~RX_STAT_IPCS : TCP_GOOD);
		assert_int_equal(len_of(&rig, i), s.len);
		assert_memory_equal(rig_rx_data(&rig, i), segment, s.len);
	}
	assert_true(sim_rx_idle(sim_vbus_sim(rig.bus), NULL));
	rig_close(&rig);
	free(super);
	free(offered);
}

static void super_frames_are_cut_like_an_independent_segmentation(void **state)
{
	static const uint32_t payloads[] = {1448, 1449, 2896, 20001, 64000};

	for (unsigned i = 0; i < ARRAY_SIZE(payloads); i++) {
		struct frame_spec spec = {
			.payload = payloads[i],
			.tcp_options = 12,
			.ip_id = 0xffff,
			.seq = 0xfffffff0,
			.flags = FRAME_ACK | FRAME_PSH | FRAME_FIN,
		};

		check_super_frame(&spec, 1448);
		spec.v6 = true;
		check_super_frame(&spec, 1428);
	}
}

static void one_offer_at_a_time(void **state)
{
	struct rig rig;
	uint8_t f[200];
	uint64_t free_ns;
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});
	struct sim *sim;

	open_rx(&rig, "82574L");
	sim = sim_vbus_sim(rig.bus);
	assert_true(sim_rx_idle(sim, NULL));
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, NULL), 0);
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, NULL), -ENOBUFS);
	rig_advance(&rig, WIRE_NS(100));
	assert_true(sim_rx_idle(sim, &free_ns));
	assert_int_equal(free_ns, RIG_START_NS + WIRE_NS(100));
	rig_close(&rig);
}

static void an_offer_starts_at_the_later_of_ready_and_wire_free(void **state)
{
	struct rig rig;
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});
	struct sim *sim;

	open_rx(&rig, "82574L");
	sim = sim_vbus_sim(rig.bus);
	assert_int_equal(sim_rx_offer(sim, f, l.len, NULL, RIG_START_NS + 5000), 0);
	rig_advance(&rig, 5000 + 992 - 1);
	assert_int_equal(status_of(&rig, 0), 0);
	rig_advance(&rig, 20000);
	assert_true(status_of(&rig, 0));
	/* The device lags: ready long ago, so it follows the frame before back to back. */
	assert_int_equal(sim_rx_offer(sim, f, l.len, NULL, RIG_START_NS + 5500), 0);
	rig_advance(&rig, 20000);
	assert_true(status_of(&rig, 1));
	sim_rx_idle(sim, &(uint64_t){0});
	rig_close(&rig);
}

static void late_frames_interrupt_at_their_own_time(void **state)
{
	struct rig rig;
	uint8_t f[200];
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 46});

	open_rx(&rig, "82574L");
	rig_irq(&rig, INTMODE_MSI, 1);
	rig_write(&rig, REG_ITR, 1000);
	rig_write(&rig, REG_IMS, ICR_RXT0);
	rig_advance(&rig, 100000);
	assert_int_equal(
		sim_rx_offer(sim_vbus_sim(rig.bus), f, l.len, NULL, RIG_START_NS + 10000), 0);
	rig_advance(&rig, 100001);
	assert_int_equal(rig.raises, 1); /* seen by the host now, but at 10 992 for the throttle */
	assert_int_equal(sim_raised_ns(sim_vbus_sim(rig.bus)), RIG_START_NS + 10992);
	(void)rig_read(&rig, REG_ICR);
	assert_int_equal(
		sim_rx_offer(sim_vbus_sim(rig.bus), f, l.len, NULL, RIG_START_NS + 100001), 0);
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(rig.raises, 2);
	assert_int_equal(rig.raise_ns[1], 10992 + 256000);
	rig_close(&rig);
}

static void frames_that_cannot_be_parsed_are_refused(void **state)
{
	static uint8_t f[70000];
	struct rig rig;
	struct frame_layout l = frame_make(f, &(struct frame_spec){.payload = 5000});
	struct vnet gso = {.gso_type = VNET_GSO_TCPV4, .gso_size = 1448},
		    no_size = {.gso_type = VNET_GSO_TCPV4},
		    outside = {.flags = VNET_NEEDS_CSUM, .csum_start = 6000, .csum_offset = 16},
		    udp_gso = {.gso_type = 3, .gso_size = 1448};

	open_rx(&rig, "82574L");
	assert_int_equal(sim_vbus_offer(rig.bus, f, 13, NULL), -EINVAL);
	assert_int_equal(sim_vbus_offer(rig.bus, f, SIM_FRAME_BYTES + 1, NULL), -EINVAL);
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, &no_size), -EINVAL);
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, &outside), -EINVAL);
	assert_int_equal(sim_vbus_offer(rig.bus, f, 40, &gso), -EINVAL);
	f[23] = 17;
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, &udp_gso), -EINVAL);
	f[12] = 0x88;
	assert_int_equal(sim_vbus_offer(rig.bus, f, l.len, &gso), -EINVAL);
	assert_int_equal(counters(&rig).bad_offers, 7);
	assert_true(sim_rx_idle(sim_vbus_sim(rig.bus), NULL));
	rig_close(&rig);
}

static void short_frames_from_the_peer_are_padded(void **state)
{
	struct rig rig;
	uint8_t f[60], expected[60] = {0};

	open_rx(&rig, "82574L");
	frame_make(f, &(struct frame_spec){.payload = 0});
	memcpy(expected, f, 42);
	assert_int_equal(sim_vbus_offer(rig.bus, f, 42, NULL), 0);
	rig_advance(&rig, 672);
	assert_int_equal(len_of(&rig, 0), 60);
	assert_memory_equal(rig_rx_data(&rig, 0), expected, 60);
	rig_close(&rig);
}

/* --- source --- */

/* Take everything that has come and return each frame's arrival to @log, in order. */
struct log {
	struct rig *rig;
	unsigned count;
	uint64_t at[4096];
};

static void on_rx_irq(void *ctx, unsigned vector, uint64_t at_ns)
{
	struct log *log = ctx;

	(void)rig_read(log->rig, REG_ICR);
	while (status_of(log->rig, log->rig->rx_next)) {
		if (log->count < ARRAY_SIZE(log->at))
			log->at[log->count] = at_ns - RIG_START_NS;
		log->count++;
		take(log->rig);
	}
}

static void watch(struct rig *rig, struct log *log)
{
	*log = (struct log){.rig = rig};
	rig_irq(rig, INTMODE_MSI, 1);
	sim_vbus_set_irq_handler(rig->bus, on_rx_irq, log);
	rig_write(rig, REG_IMS, ICR_RXT0);
}

static void source_frames_are_udp_with_sequence_and_valid_sums(void **state)
{
	static const uint32_t sizes[] = {64, 65, 128, 1518};

	for (unsigned k = 0; k < ARRAY_SIZE(sizes); k++) {
		struct rig rig;
		struct frame_layout l = {.l3 = 14, .l4 = 34, .payload = 42, .l4_sum = 40};

		open_rx(&rig, "82574L,mac=02:00:00:00:12:34");
		set_source(&rig,
			&(struct sim_source){.on = true, .frame_bytes = sizes[k], .count = 200});
		rig_advance(&rig, NS_PER_S);
		assert_int_equal(rig_read(&rig, REG_RDH), 200);
		l.len = sizes[k] - 4;
		for (unsigned i = 0; i < 200; i++) {
			uint8_t fixed[1600], *f = rig_rx_data(&rig, i);

			assert_int_equal(status_of(&rig, i), UDP_GOOD);
			assert_int_equal(len_of(&rig, i), sizes[k] - 4);
			assert_memory_equal(f, "\x02\x00\x00\x00\x12\x34", 6);
			assert_int_equal(f[23], 17);
			assert_int_equal(f[49], i);
			memcpy(fixed, f, l.len);
			frame_fix_sums(fixed, &l);
			assert_memory_equal(f, fixed, l.len);
		}
		assert_int_equal(counters(&rig).source_frames, 200);
		rig_close(&rig);
	}
}

static void the_kth_source_frame_starts_at_k_over_rate(void **state)
{
	static const double rates[] = {3, 1000, 114679, 300000, 999.5, 1e6 / 3};
	static struct log log;

	for (unsigned r = 0; r < ARRAY_SIZE(rates); r++) {
		struct rig rig;
		/* the source counts in millionths of a frame a second */
		long double rate = (long double)llround(rates[r] * 1e6) / 1e6L;

		open_rx(&rig, "82574L");
		watch(&rig, &log);
		set_source(&rig,
			&(struct sim_source){.on = true, .frame_bytes = 64, .rate_pps = rates[r]});
		rig_advance(&rig, rates[r] < 10 ? 100 * NS_PER_S : 4 * NS_PER_MS);
		assert_true(log.count > 3);
		for (unsigned k = 0; k < MIN(log.count, ARRAY_SIZE(log.at)); k++)
			assert_int_equal(log.at[k], (uint64_t)floorl(k * 1e9L / rate) + 672);
		rig_close(&rig);
	}
}

static void the_source_does_not_drift(void **state)
{
	struct rig rig;

	open_rx(&rig, "82574L");
	set_source(&rig,
		&(struct sim_source){.on = true, .frame_bytes = 64, .rate_pps = 111111.111111});
	rig_advance(&rig, 30 * NS_PER_S - 1);
	/* frames k = 0 ... 3 333 333 start before; the last at 29.999 997 000 03 s */
	assert_int_equal(counters(&rig).source_frames, 3333334);
	rig_advance(&rig, 30 * NS_PER_S + 6671); /* number 3 333 334 starts 6000 ns after 30 s */
	assert_int_equal(counters(&rig).source_frames, 3333334);
	rig_advance(&rig, 30 * NS_PER_S + 6672);
	assert_int_equal(counters(&rig).source_frames, 3333335);
	rig_close(&rig);
}

static void line_rate_is_back_to_back(void **state)
{
	static const struct {
		uint32_t bytes, per_second;
	} rows[] = {{64, 1488095}, {1518, 81274}};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;

		open_rx(&rig, "82574L");
		set_source(&rig, &(struct sim_source){.on = true, .frame_bytes = rows[i].bytes});
		rig_advance(&rig, NS_PER_S);
		assert_int_equal(counters(&rig).source_frames, rows[i].per_second);
		assert_int_equal(counters(&rig).wire_rx_frames, rows[i].per_second);
		rig_close(&rig);
	}
}

static void bursts_are_back_to_back_at_the_mean_rate(void **state)
{
	static struct log log;
	struct rig rig;

	open_rx(&rig, "82574L");
	watch(&rig, &log);
	set_source(&rig,
		&(struct sim_source){.on = true, .frame_bytes = 64, .rate_pps = 30000, .burst = 3});
	rig_advance(&rig, NS_PER_MS - 1);
	assert_int_equal(log.count, 30);
	for (unsigned k = 0; k < 30; k++)
		assert_int_equal(log.at[k], k / 3 * 100000 + (k % 3 + 1) * 672);
	rig_close(&rig);
}

static void a_count_ends_the_source_and_off_stops_it(void **state)
{
	struct rig rig;

	open_rx(&rig, "82574L");
	set_source(&rig, &(struct sim_source){.on = true, .frame_bytes = 64, .count = 5});
	rig_advance(&rig, NS_PER_MS);
	assert_int_equal(counters(&rig).source_frames, 5);
	assert_int_equal(sim_vbus_next(rig.bus), TIME_NEVER);
	set_source(&rig, &(struct sim_source){.on = true, .frame_bytes = 64, .rate_pps = 1000});
	rig_advance(&rig, 4 * NS_PER_MS);
	set_source(&rig, &(struct sim_source){.on = false});
	rig_advance(&rig, NS_PER_S);
	assert_int_equal(counters(&rig).source_frames, 5 + 3);
	rig_close(&rig);
}

static void source_and_peer_share_the_wire(void **state)
{
	static uint8_t super[70000];
	struct rig rig;
	struct frame_layout l =
		frame_make(super, &(struct frame_spec){.payload = 45 * 1446, .flags = FRAME_ACK});
	struct vnet vnet = {.gso_type = VNET_GSO_TCPV4, .gso_size = 1446};

	/* 45 segments of 1500 + 24 bytes and 64-byte frames at line rate: never more than the wire
	 * holds */
	open_rx(&rig, "82574L");
	set_source(&rig, &(struct sim_source){.on = true, .frame_bytes = 64});
	rig_advance(&rig, 10 * 672);
	assert_int_equal(sim_vbus_offer(rig.bus, super, l.len, &vnet), 0);
	rig_advance(&rig, 10 * 672 + 45 * WIRE_NS(1500) + 10 * 672);
	assert_int_equal(counters(&rig).wire_rx_frames, 10 + 45 + 10);
	assert_int_equal(counters(&rig).source_frames, 20);
	rig_close(&rig);
}

static void the_source_refuses_what_it_cannot_do(void **state)
{
	static const struct {
		const char *options;
		struct sim_source source;
		const char *expected;
	} rows[] = {
		{"82574L", {.on = true, .frame_bytes = 63}, "64 to 9234"},
		{"82574L", {.on = true, .frame_bytes = 9235}, "64 to 9234"},
		{"82574L", {.on = true, .frame_bytes = 64, .rate_pps = -1}, "1e9"},
		{"82574L", {.on = true, .frame_bytes = 64, .rate_pps = NAN}, "1e9"},
		{"82574L", {.on = true, .frame_bytes = 64, .burst = 10001}, "1 to 10000"},
		{"82574L,wire=infinite", {.on = true, .frame_bytes = 64}, "give a rate"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;
		struct error err = {0};

		rig_open(&rig, rows[i].options);
		assert_int_equal(
			rig.bus->ops->sim->set_source(rig.bus, &rows[i].source, &err), -EINVAL);
		assert_true(err.usage);
		assert_non_null(strstr(err.text, rows[i].expected));
		rig_close(&rig);
	}
}

/* --- moderation under load, through the whole device --- */

static void full_rate_interrupts_carry_the_calculated_number_of_frames(void **state)
{
	/* 81 274 frames/s against 8004 and 20 032 interrupts/s: 10.15 and 4.06 frames each */
	static const struct {
		uint32_t itr;
		double frames_each;
	} rows[] = {{488, 10.15}, {195, 4.06}};
	static struct log log;

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig rig;
		double each;

		open_rx(&rig, "82574L");
		watch(&rig, &log);
		rig_write(&rig, REG_ITR, rows[i].itr);
		set_source(&rig, &(struct sim_source){.on = true, .frame_bytes = 1518});
		rig_advance(&rig, NS_PER_S);
		each = (double)log.count / (double)sim_vbus_raised(rig.bus, 0);
		assert_true(fabs(each - rows[i].frames_each) < 0.01);
		assert_int_equal(counters(&rig).rx_missed, 0);
		rig_close(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(super_frames_are_cut_like_an_independent_segmentation),
		cmocka_unit_test(one_offer_at_a_time),
		cmocka_unit_test(an_offer_starts_at_the_later_of_ready_and_wire_free),
		cmocka_unit_test(late_frames_interrupt_at_their_own_time),
		cmocka_unit_test(frames_that_cannot_be_parsed_are_refused),
		cmocka_unit_test(short_frames_from_the_peer_are_padded),
		cmocka_unit_test(source_frames_are_udp_with_sequence_and_valid_sums),
		cmocka_unit_test(the_kth_source_frame_starts_at_k_over_rate),
		cmocka_unit_test(the_source_does_not_drift),
		cmocka_unit_test(line_rate_is_back_to_back),
		cmocka_unit_test(bursts_are_back_to_back_at_the_mean_rate),
		cmocka_unit_test(a_count_ends_the_source_and_off_stops_it),
		cmocka_unit_test(source_and_peer_share_the_wire),
		cmocka_unit_test(the_source_refuses_what_it_cannot_do),
		cmocka_unit_test(full_rate_interrupts_carry_the_calculated_number_of_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
