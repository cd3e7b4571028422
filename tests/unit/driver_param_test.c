/* SPDX-License-Identifier: BSD-2-Clause */
/* What drivers make of values: modes, refusals, rounding, limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/chips/nforce.h"
#include "common/util.h"
#include "profiles/driver_param.h"

static struct param_effect effect(
	const char *driver, enum param_place place, const char *name, int64_t value)
{
	struct param_effect e;

	driver_param_effect(driver, place, name, value, &e);
	return e;
}

static void assert_verdict(const char *driver, enum param_place place, const char *name, int64_t value,
	enum param_verdict verdict)
{
	struct param_effect e = effect(driver, place, name, value);

	if (e.verdict != verdict)
		fail_msg("%s %s %lld: %s instead of %s (%s)", driver, name, (long long)value,
			param_verdict_name(e.verdict), param_verdict_name(verdict), e.text);
}

static void small_numbers_are_modes_or_refused(void **state)
{
	static const struct {
		const char *driver;
		int64_t value;
		enum param_verdict verdict;
	} rows[] = {
		/* fact 27 */
		{"e1000e", 0, VERDICT_OFF},	   {"e1000e", 1, VERDICT_MODE},
		{"e1000e", 2, VERDICT_REFUSED},	   {"e1000e", 3, VERDICT_MODE},
		{"e1000e", 4, VERDICT_MODE},	   {"e1000e", 5, VERDICT_REFUSED},
		{"e1000e", 9, VERDICT_REFUSED},	   {"e1000e", 10, VERDICT_APPLIED},
		{"e1000e", 10000, VERDICT_APPLIED}, {"e1000e", 10001, VERDICT_REFUSED},
		{"e1000", 1, VERDICT_MODE},	   {"e1000", 2, VERDICT_REFUSED},
		/* fact 28 */
		{"igb", 0, VERDICT_SPECIAL},	   {"igb", 1, VERDICT_MODE},
		{"igb", 2, VERDICT_REFUSED},	   {"igb", 3, VERDICT_MODE},
		{"igb", 4, VERDICT_REFUSED},	   {"igb", 9, VERDICT_REFUSED},
		{"igb", 10, VERDICT_APPLIED},	   {"igb", 10001, VERDICT_REFUSED},
		{"igc", 1, VERDICT_MODE},	   {"igc", 5, VERDICT_REFUSED},
		/* fact 34 */
		{"tg3", 0, VERDICT_REFUSED},	   {"tg3", 1, VERDICT_APPLIED},
		{"tg3", 1023, VERDICT_APPLIED},	   {"tg3", 1024, VERDICT_REFUSED},
		{"ixgbe", 0, VERDICT_OFF},	   {"ixgbe", 1, VERDICT_MODE},
		{"forcedeth", 1, VERDICT_UNSUPPORTED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_verdict(
			rows[i].driver, PLACE_ETHTOOL, "rx-usecs", rows[i].value, rows[i].verdict);
	assert_verdict("tg3", PLACE_ETHTOOL, "rx-frames", 255, VERDICT_APPLIED);
	assert_verdict("tg3", PLACE_ETHTOOL, "rx-frames", 256, VERDICT_REFUSED);
	assert_verdict("igb", PLACE_ETHTOOL, "rx-frames", 1, VERDICT_UNSUPPORTED);
	assert_verdict("vmxnet3", PLACE_ETHTOOL, "rx-frames", 1, VERDICT_UNSUPPORTED);
	assert_verdict("virtio_net", PLACE_ETHTOOL, "rx-frames", 2, VERDICT_REFUSED);
	assert_verdict("nosuch", PLACE_ETHTOOL, "rx-usecs", 1, VERDICT_UNKNOWN);
}

static void the_words_of_special_values_are_there(void **state)
{
	/* fact 29: 1000000000 / (4 * 256) = 3906250 has 59058 in its low 16 bits */
	assert_non_null(strstr(effect("e1000e", PLACE_ETHTOOL, "rx-usecs", 4).text, "59058 (66/s)"));
	assert_int_equal((1000000000u / 4 / 256) & 0xffff, 976562 & 0xffff);
	assert_int_equal(976562 & 0xffff, 59058);
	assert_non_null(strstr(effect("igb", PLACE_ETHTOOL, "rx-usecs", 0).text, "raw 4, 1 us"));
	assert_non_null(strstr(effect("igb", PLACE_ETHTOOL, "rx-usecs", 1).text, "not 1 us"));
	assert_non_null(strstr(effect("igb", PLACE_ETHTOOL, "rx-usecs", 3).text, "not 3 us"));
}

static void numbers_reach_the_registers_as_the_drivers_compute_them(void **state)
{
	static const struct {
		const char *driver;
		enum param_place place;
		const char *name;
		int64_t value, raw;
		double interval_ns;
	} rows[] = {
		/* the worked values of e1000e */
		{"e1000e", PLACE_ETHTOOL, "rx-usecs", 125, 488, 124928},
		{"e1000e", PLACE_ETHTOOL, "rx-usecs", 50, 195, 49920},
		{"e1000e", PLACE_ETHTOOL, "rx-usecs", 10, 39, 9984},
		{"e1000e", PLACE_ETHTOOL, "rx-usecs", 10000, 39062, 9999872},
		/* fact 5 */
		{"e1000e", PLACE_MODULE, "InterruptThrottleRate", 4000, 976, 249856},
		{"e1000e", PLACE_MODULE, "InterruptThrottleRate", 20000, 195, 49920},
		{"e1000", PLACE_MODULE, "InterruptThrottleRate", 70000, 55, 14080},
		{"e1000", PLACE_MODULE, "InterruptThrottleRate", 100000, 39, 9984},
		/* facts 22 and 28 */
		{"igb", PLACE_ETHTOOL, "rx-usecs", 122, 488, 122000},
		{"igb", PLACE_ETHTOOL, "rx-usecs", 125, 500, 125000},
		/* fact 13 */
		{"e1000e", PLACE_MODULE, "TxIntDelay", 8, 8, 8192},
		{"e1000e", PLACE_MODULE, "TxAbsIntDelay", 32, 32, 32768},
		/* the tunable writes the number of us as ticks, the sysctl converts */
		{"freebsd em", PLACE_LOADER, "hw.em.tx_int_delay", 66, 66, 67584},
		{"freebsd em", PLACE_SYSCTL, "dev.em.0.tx_int_delay", 66, 64, 65536},
		{"freebsd em", PLACE_LOADER, "hw.em.max_interrupt_rate", 8000, 488, 124928},
		{"freebsd em", PLACE_SYSCTL, "dev.em.11.itr", 125, 488, 124928},
		{"dragonfly em", PLACE_LOADER, "hw.em.int_throttle_ceil", 6000, 651, 166656},
		/* fact 36 */
		{"dragonfly nfe", PLACE_SYSCTL, "dev.nfe.0.imtimer", 125, 12, 122880},
		{"dragonfly nfe", PLACE_SYSCTL, "dev.nfe.0.imtimer", -250, 24, 245760},
		{"forcedeth", PLACE_MODULE, "poll_interval", 97, 97, 993280},
		/* fact 38 */
		{"forcedeth", PLACE_MODULE, "poll_interval", 13, 13, 133120},
		{"forcedeth", PLACE_MODULE, "poll_interval", 65535, 65535, 671078400},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct param_effect e =
			effect(rows[i].driver, rows[i].place, rows[i].name, rows[i].value);

		if (e.verdict != VERDICT_APPLIED || e.raw != rows[i].raw ||
			fabs(e.interval_ns - rows[i].interval_ns) > 0.5)
			fail_msg("%s %s %lld: %s", rows[i].driver, rows[i].name,
				(long long)rows[i].value, e.text);
	}
}

static void the_sign_of_imtimer_says_when_it_acts(void **state)
{
	/* fact 37 */
	assert_non_null(strstr(effect("dragonfly nfe", PLACE_LOADER, "hw.nfe.imtimer", -125).text,
		"only above 8000 interrupts/s"));
	assert_non_null(strstr(effect("dragonfly nfe", PLACE_LOADER, "hw.nfe.imtimer", 125).text,
		"always from the timer"));
	assert_int_equal(
		effect("dragonfly nfe", PLACE_LOADER, "hw.nfe.imtimer", 0).verdict, VERDICT_OFF);
	/* fact 36: below 11 us no tick is left */
	assert_int_equal(nforce_ticks_of_us(10), 0);
	assert_int_equal(nforce_ticks_of_us(11), 1);
	assert_non_null(strstr(effect("dragonfly nfe", PLACE_LOADER, "hw.nfe.imtimer", 10).text,
		"no tick is left"));
}

static void module_rates_out_of_range_are_defaults(void **state)
{
	static const struct {
		const char *driver;
		int64_t value;
		enum param_verdict verdict;
		const char *word;
	} rows[] = {
		{"e1000e", 0, VERDICT_OFF, "no throttle"},
		{"e1000e", 1, VERDICT_MODE, "70000"},
		{"e1000e", 2, VERDICT_DEFAULT, "default 3"},
		{"e1000e", 3, VERDICT_MODE, "conservative"},
		{"e1000e", 4, VERDICT_MODE, "2000 to 8000"},
		{"e1000e", 5, VERDICT_DEFAULT, "default 3"},
		{"e1000e", 99, VERDICT_DEFAULT, "default 3"},
		{"e1000e", 100, VERDICT_APPLIED, "100"},
		{"e1000e", 100000, VERDICT_APPLIED, "ITR 39"},
		{"e1000e", 100001, VERDICT_DEFAULT, "default 3"},
		{"e1000e", -1, VERDICT_DEFAULT, "default 3"},
		{"e1000e", 3001, VERDICT_APPLIED, "kept as 3000/s"},
		{"e1000e", 3002, VERDICT_APPLIED, "kept as 3000/s"},
		{"e1000e", 8001, VERDICT_APPLIED, "kept as 8000/s"},
		/* e1000 keeps the default's low bits cut off: no throttle at all */
		{"e1000", 99, VERDICT_DEFAULT, "stays off"},
		{"e1000", 100001, VERDICT_DEFAULT, "stays off"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct param_effect e = effect(
			rows[i].driver, PLACE_MODULE, "InterruptThrottleRate", rows[i].value);

		if (e.verdict != rows[i].verdict || !strstr(e.text, rows[i].word))
			fail_msg("%s %lld: %s, %s", rows[i].driver, (long long)rows[i].value,
				param_verdict_name(e.verdict), e.text);
	}
}

static void odd_numbers_are_rounded_and_it_is_said(void **state)
{
	assert_string_equal(effect("r8169", PLACE_ETHTOOL, "rx-frames", 5).text,
		"8 frames, rounded up to a multiple of 4 (four bits of four frames each)");
	assert_non_null(strstr(effect("i40e", PLACE_ETHTOOL, "rx-usecs", 51).text,
		"50 us, rounded to a step of 2 us"));
	assert_null(strstr(effect("i40e", PLACE_ETHTOOL, "rx-usecs", 50).text, "step of 2 us,"));
}

static void freebsd_names_are_read_in_one_place_only(void **state)
{
	assert_non_null(driver_param_find(NULL, PLACE_LOADER, "hw.em.rx_int_delay"));
	assert_null(driver_param_find(NULL, PLACE_SYSCTL, "hw.em.rx_int_delay"));
	assert_int_equal(driver_param_elsewhere(PLACE_SYSCTL, "hw.em.rx_int_delay")->place,
		PLACE_LOADER);
	assert_non_null(driver_param_find(NULL, PLACE_SYSCTL, "dev.em.0.rx_int_delay"));
	assert_non_null(driver_param_find(NULL, PLACE_SYSCTL, "dev.em.12.rx_int_delay"));
	assert_null(driver_param_find(NULL, PLACE_SYSCTL, "dev.em..rx_int_delay"));
	assert_null(driver_param_find(NULL, PLACE_SYSCTL, "dev.em.x.rx_int_delay"));
	assert_null(driver_param_find(NULL, PLACE_SYSCTL, "dev.em.0.rx_int_delay_"));
}

static void every_row_is_reachable_and_has_a_source(void **state)
{
	for (size_t i = 0; i < driver_param_count; i++) {
		const struct driver_param *row = &driver_param_table[i];
		char name[80], *unit;

		(void)snprintf(name, sizeof(name), "%s", row->name);
		unit = strchr(name, '#');
		if (unit)
			*unit = '7';
		if (driver_param_find(row->driver, row->place, name) != row)
			fail_msg("%s %s stands there twice", row->driver, row->name);
		assert_true(*row->source && row->min <= row->max);
		assert_true(driver_known(row->driver));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_numbers_are_modes_or_refused),
		cmocka_unit_test(the_words_of_special_values_are_there),
		cmocka_unit_test(numbers_reach_the_registers_as_the_drivers_compute_them),
		cmocka_unit_test(the_sign_of_imtimer_says_when_it_acts),
		cmocka_unit_test(module_rates_out_of_range_are_defaults),
		cmocka_unit_test(odd_numbers_are_rounded_and_it_is_said),
		cmocka_unit_test(freebsd_names_are_read_in_one_place_only),
		cmocka_unit_test(every_row_is_reachable_and_has_a_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
