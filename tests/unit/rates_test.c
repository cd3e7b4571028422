/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates are differences of counters over the daemon's own time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tuner/rates.h"

static json_t *stats(int64_t time_ns, int64_t scale)
{
	return json_pack(
		"{s:I, s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}, s:[i,i,I], s:{s:I}}",
		"time_ns", (json_int_t)time_ns, "counters", "irq_messages",
		(json_int_t)(200 * scale), "irq_vector_0", (json_int_t)(150 * scale),
		"irq_vector_1", (json_int_t)(50 * scale), "irq_cause_rx", (json_int_t)(100 * scale),
		"rx_frames", (json_int_t)(1000 * scale), "rx_bytes", (json_int_t)(125000 * scale),
		"tx_frames", (json_int_t)(10 * scale), "rx_drop_tap", (json_int_t)(3 * scale),
		"tap_drops", (json_int_t)(4 * scale), "thread_cpu_ns",
		(json_int_t)(250000000 * scale), "batch_histogram", 0, 0, (json_int_t)(7 * scale),
		"sim", "device_cpu_ns", (json_int_t)(125000000 * scale));
}

static void between(
	int64_t from_ns, int64_t from, int64_t to_ns, int64_t to, struct rates *ret_rates)
{
	json_t *first = stats(from_ns, from), *second = stats(to_ns, to);
	struct rates_sample a, b;

	assert_non_null(first);
	rates_sample_read(first, &a);
	rates_sample_read(second, &b);
	rates_between(&a, &b, ret_rates);
	json_decref(first);
	json_decref(second);
}

static void differences_are_divided_by_the_daemons_time(void **state)
{
	struct rates rates;

	between(5000000000, 10, 5500000000, 11, &rates);
	assert_true(fabs(rates.seconds - 0.5) < 1e-12);
	assert_true(fabs(rates.irq_total_per_s - 400) < 1e-9);
	assert_true(fabs(rates.irq_per_s[0] - 300) < 1e-9);
	assert_true(fabs(rates.irq_per_s[1] - 100) < 1e-9);
	assert_true(fabs(rates.rx_frames_per_s - 2000) < 1e-9);
	assert_true(fabs(rates.rx_mbit_per_s - 2) < 1e-9);
	assert_true(fabs(rates.rx_frames_per_irq - 10) < 1e-9);
	assert_true(fabs(rates.dropped_per_s - 14) < 1e-9);
	assert_true(fabs(rates.driver_cpu - 0.5) < 1e-9);
	assert_true(fabs(rates.device_cpu - 0.25) < 1e-9);
	assert_int_equal(rates.batch[2], 7);
}

static void no_time_or_no_interrupt_gives_zero_not_infinity(void **state)
{
	struct rates rates;

	between(1000, 1, 1000, 2, &rates);
	assert_true(rates.seconds == 0 && rates.rx_frames_per_s == 0);
	between(1000, 2, 2000, 2, &rates);
	assert_true(rates.rx_frames_per_irq == 0);
	assert_true(rates.irq_total_per_s == 0);
}

static void missing_members_count_as_zero(void **state)
{
	json_t *empty = json_object();
	struct rates_sample sample;

	memset(&sample, 0xff, sizeof(sample));
	rates_sample_read(empty, &sample);
	assert_int_equal(sample.rx_frames, 0);
	assert_int_equal(sample.batch[RATES_BUCKETS - 1], 0);
	json_decref(empty);
}

static void buckets_are_powers_of_two(void **state)
{
	char buf[16];

	assert_string_equal(rates_bucket_name(0, buf, sizeof(buf)), "0");
	assert_string_equal(rates_bucket_name(1, buf, sizeof(buf)), "1");
	assert_string_equal(rates_bucket_name(2, buf, sizeof(buf)), "2-3");
	assert_string_equal(rates_bucket_name(10, buf, sizeof(buf)), "512-1023");
	assert_string_equal(rates_bucket_name(11, buf, sizeof(buf)), "1024+");
}

static void a_line_is_as_wide_as_its_heading_and_fits_the_page(void **state)
{
	struct rates rates = {.seconds = 1,
		.irq_total_per_s = 114679,
		.rx_frames_per_s = 1488095,
		.tx_frames_per_s = 1488095,
		.rx_mbit_per_s = 984.4,
		.driver_cpu = 1};
	char *text = NULL;
	size_t size = 0, heading;
	FILE *out = open_memstream(&text, &size);

	rates_print_heading(out);
	(void)fflush(out);
	heading = size;
	rates_print_line(out, &rates);
	(void)fclose(out);
	assert_int_equal(size, 2 * heading);
	assert_true(heading <= 101);
	free(text);
}

static void json_has_every_rate_by_name(void **state)
{
	struct rates rates;
	json_t *value;

	between(0, 0, 1000000000, 1, &rates);
	value = rates_json(&rates);
	assert_non_null(value);
	assert_true(json_number_value(json_object_get(value, "rx_frames_per_s")) == 1000);
	assert_int_equal(json_array_size(json_object_get(value, "irq_per_s")), RATES_VECTORS);
	assert_int_equal(json_array_size(json_object_get(value, "batch_histogram")), RATES_BUCKETS);
	json_decref(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_divided_by_the_daemons_time),
		cmocka_unit_test(no_time_or_no_interrupt_gives_zero_not_infinity),
		cmocka_unit_test(missing_members_count_as_zero),
		cmocka_unit_test(buckets_are_powers_of_two),
		cmocka_unit_test(a_line_is_as_wide_as_its_heading_and_fits_the_page),
		cmocka_unit_test(json_has_every_rate_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
