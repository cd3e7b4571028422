/* SPDX-License-Identifier: BSD-2-Clause */
/* Which knobs act in which mode, what is warned of, and which configurations are the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/chips/effective.h"
#include "common/util.h"

static struct settings with(const char *list)
{
	struct settings settings;
	struct error err = {0};

	chip_initial_settings(chip_find("82574L"), &settings);
	if (settings_parse_list(&settings, list, &err))
		fail_msg("%s", err.text);
	return settings;
}

static struct effective effect_at(const char *list, unsigned speed_mbps, bool msix_rx_timers)
{
	struct settings settings = with(list);
	struct effective effective;

	effective_compute(chip_find("82574L"), &settings, speed_mbps, msix_rx_timers, &effective);
	for (unsigned i = 0; i < effective.warning_count; i++)
		if (strlen(effective.warning[i]) + 1 >= sizeof(effective.warning[i]))
			fail_msg("cut off: %s", effective.warning[i]);
	return effective;
}

static struct effective effect(const char *list)
{
	return effect_at(list, 1000, false);
}

static bool warns(const struct effective *effective, const char *sentence)
{
	for (unsigned i = 0; i < effective->warning_count; i++)
		if (!strcmp(effective->warning[i], sentence))
			return true;
	return false;
}

static void assert_warns_at(
	const char *list, unsigned speed_mbps, bool msix_rx_timers, const char *sentence)
{
	struct effective effective = effect_at(list, speed_mbps, msix_rx_timers);

	if (warns(&effective, sentence))
		return;
	for (unsigned i = 0; i < effective.warning_count; i++)
		print_error("warned: %s\n", effective.warning[i]);
	fail_msg("%s: not warned: %s", list, sentence);
}

static void each_trap_has_its_sentence(void **state)
{
	static const char *const rows[][2] = {
		{"RADV=375",
			"RADV 375 has no effect while RDTR is 0: every frame interrupts at once"},
		{"RDTR=1 RADV=8", "RDTR above 0 may hang the receiver, say two drivers' sources "
				  "and Intel's driver documentation; the watchdog resets the chip "
				  "if it does"},
		{"RDTR=375", "RDTR 375 without RADV has no upper bound: frames less than 384.0 us "
			     "apart restart the timer for ever"},
		{"TADV=32", "TADV 32 has no effect while TIDV is 0: completions interrupt at once"},
		{"TIDV=8", "TIDV 8 without TADV has no upper bound: completions less than 8.2 us "
			   "apart restart the timer for ever"},
		{"intmode=msix TIDV=100 TADV=1000", "TIDV and TADV do not bound the interrupt rate "
						    "in MSI-X (seen on silicon in 2009); EITR1 "
						    "does"},
		{"intmode=msix RDTR=32", "RDTR and RADV in MSI-X: QEMU ignores them, silicon is "
					 "not known; this device is taken to ignore them"},
		{"intmode=msix ITR=500",
			"ITR 500 has no effect in MSI-X: each vector has its own EITR"},
		{"intmode=msix EITR3=1 EITR4=1",
			"no effect: EITR3, EITR4; the driver routes no cause to these vectors"},
		{"EITR0=1 EITR4=1", "no effect in msi: EITR0, EITR4; ITR is the throttle there"},
		{"ITR=195", "ITR 195 (20032.1/s) is outside 651 to 5580, the range that the manual "
			    "recommends; it acts all the same"},
		{"RAID=5", "RAID has no effect: the driver keeps the ACK mechanism off "
			   "(RFCTL.ACK_DIS)"},
		{"ITR=1500 RDTR=129 RADV=128", "ITR 1500 (384.0 us) is longer than RADV 128 (131.1 "
					       "us) and takes precedence: it alone spaces the "
					       "receive interrupts"},
		{"ITR=651 TIDV=375 TADV=375", "TIDV 375 (384.0 us) is longer than ITR 651 (166.7 "
					      "us): the timer, not the throttle, spaces the "
					      "transmit interrupts"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_warns_at(rows[i][0], 1000, false, rows[i][1]);
	assert_warns_at("intmode=msix RDTR=32 RADV=32", 1000, true,
		"RDTR and RADV in MSI-X: QEMU ignores them, silicon is not known; this device is "
		"set to obey them");
	assert_warns_at("ITR=1500", 100, false,
		"at 100 Mb/s a tick is taken as 4 times as long, as others measured and no manual "
		"says: intervals and rates at this speed are unverified");
}

static void quiet_settings_are_not_warned_of(void **state)
{
	static const char *const quiet[] = {"", "ITR=1500", "ITR=651", "ITR=5580",
		"TIDV=375 TADV=375 ITR=1500", "intmode=msix EITR0=195 EITR1=195 EITR2=195"};

	for (size_t i = 0; i < ARRAY_SIZE(quiet); i++) {
		struct effective effective = effect(quiet[i]);

		if (effective.warning_count)
			fail_msg("%s: %s", quiet[i], effective.warning[0]);
	}
}

static void the_worst_settings_still_fit_the_warnings(void **state)
{
	static const char *const all =
		"ITR=1 EITR0=9 EITR1=9 EITR2=9 EITR3=9 EITR4=9 RDTR=9 RADV=9 RAID=9 TIDV=9 TADV=9";
	char list[200];

	for (unsigned mode = 0; mode < INTMODE_COUNT; mode++) {
		struct effective effective;

		(void)snprintf(
			list, sizeof(list), "%s intmode=%s", all, intmode_name((enum intmode)mode));
		effective = effect_at(list, 100, true);
		assert_true(effective.warning_count > 4);
		assert_true(effective.warning_count < EFFECTIVE_WARNINGS_MAX);
	}
}

static void the_mode_decides_which_throttle_limits(void **state)
{
	struct effective msi = effect("ITR=500 EITR0=195");
	struct effective msix = effect("ITR=500 EITR0=195 intmode=msix");
	struct effective off = effect("intmode=intx");

	assert_true(fabs(msi.rate_limit_per_s - 7812.5) < 1e-6);
	assert_true(fabs(msix.rate_limit_per_s - 20032.05) < 0.01);
	assert_true(off.rate_limit_per_s == 0);
	assert_true(msi.knob[KNOB_ITR].acts && !msi.knob[KNOB_EITR0].acts);
	assert_true(!msix.knob[KNOB_ITR].acts && msix.knob[KNOB_EITR0].acts);
	assert_int_equal(msi.knob[KNOB_ITR].ns, 128000);
	assert_int_equal(msi.knob[KNOB_EITR0].ns, 0);
	assert_string_equal(msi.knob[KNOB_EITR0].reason, "acts in MSI-X only");
	assert_string_equal(msix.knob[KNOB_ITR].reason, "in MSI-X each vector has its own EITR");
}

static void timers_act_in_msi_and_are_dead_in_msix(void **state)
{
	struct effective msi = effect("RDTR=375 RADV=375 TIDV=8 TADV=32");
	struct effective msix = effect("RDTR=375 RADV=375 TIDV=8 TADV=32 intmode=msix");
	struct effective obeying =
		effect_at("RDTR=375 RADV=375 TIDV=8 TADV=32 intmode=msix", 1000, true);

	assert_true(msi.knob[KNOB_RDTR].acts && msi.knob[KNOB_RADV].acts);
	assert_true(msi.knob[KNOB_TIDV].acts && msi.knob[KNOB_TADV].acts);
	assert_int_equal(msi.knob[KNOB_RADV].ns, 384000);
	assert_int_equal(msi.knob[KNOB_TIDV].ns, 8192);
	assert_false(msix.knob[KNOB_RDTR].acts || msix.knob[KNOB_RADV].acts);
	assert_false(msix.knob[KNOB_TIDV].acts || msix.knob[KNOB_TADV].acts);
	assert_true(obeying.knob[KNOB_RDTR].acts && obeying.knob[KNOB_RADV].acts);
	assert_false(obeying.knob[KNOB_TIDV].acts || obeying.knob[KNOB_TADV].acts);
}

static void slow_links_stretch_the_ticks(void **state)
{
	struct effective slow = effect_at("ITR=500 RDTR=8", 10, false);

	assert_int_equal(slow.knob[KNOB_ITR].ns, 512000);
	assert_int_equal(slow.knob[KNOB_RDTR].ns, 32768);
	assert_true(fabs(slow.rate_limit_per_s - 7812.5 / 4) < 1e-6);
}

static void assert_same(const char *a, const char *b, bool msix_rx_timers, bool same)
{
	struct settings one = with(a), two = with(b), canonical_one, canonical_two;

	settings_canonical(chip_find("82574L"), &one, msix_rx_timers, &canonical_one);
	settings_canonical(chip_find("82574L"), &two, msix_rx_timers, &canonical_two);
	if (settings_equal(&canonical_one, &canonical_two) != same)
		fail_msg("\"%s\" and \"%s\" should%s be the same", a, b, same ? "" : " not");
}

static void what_the_chip_cannot_tell_apart_is_one_configuration(void **state)
{
	assert_same("RADV=128", "RADV=0", false, true);
	assert_same("RDTR=1 RADV=128", "RDTR=1 RADV=0", false, false);
	assert_same("TADV=32", "", false, true);
	assert_same("intmode=msix TIDV=100 TADV=1000", "intmode=msix", false, true);
	assert_same("intmode=msix RDTR=375", "intmode=msix", false, true);
	assert_same("intmode=msix RDTR=375", "intmode=msix", true, false);
	assert_same("intmode=msix ITR=500", "intmode=msix ITR=0", false, true);
	assert_same("EITR0=500", "", false, true);
	assert_same("intmode=msix EITR0=500", "intmode=msix", false, false);
	assert_same("intmode=msix EITR3=500", "intmode=msix", false, true);
	assert_same("RAID=7", "", false, true);
	assert_same("intmode=msi", "intmode=intx", false, false);
	assert_same("rx-ring=512", "", false, false);
}

static void canonical_settings_keep_the_same_knobs_present(void **state)
{
	struct settings settings = with("RADV=128 EITR2=4"), canonical;

	settings_canonical(chip_find("82574L"), &settings, false, &canonical);
	assert_int_equal(canonical.present, settings.present);
	assert_int_equal(canonical.value[KNOB_RADV], 0);
	assert_int_equal(canonical.value[KNOB_EITR2], 0);
}

static void a_chip_without_vectors_says_so(void **state)
{
	const struct chip *chip = chip_find("82545EM");
	struct effective effective;
	struct settings settings;

	chip_initial_settings(chip, &settings);
	effective_compute(chip, &settings, 1000, false, &effective);
	assert_false(effective.knob[KNOB_EITR0].acts);
	assert_string_equal(effective.knob[KNOB_EITR0].reason, "the chip has no such register");
	assert_true(effective.knob[KNOB_ITR].acts);
	assert_int_equal(effective.warning_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_trap_has_its_sentence),
		cmocka_unit_test(quiet_settings_are_not_warned_of),
		cmocka_unit_test(the_worst_settings_still_fit_the_warnings),
		cmocka_unit_test(the_mode_decides_which_throttle_limits),
		cmocka_unit_test(timers_act_in_msi_and_are_dead_in_msix),
		cmocka_unit_test(slow_links_stretch_the_ticks),
		cmocka_unit_test(what_the_chip_cannot_tell_apart_is_one_configuration),
		cmocka_unit_test(canonical_settings_keep_the_same_knobs_present),
		cmocka_unit_test(a_chip_without_vectors_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
