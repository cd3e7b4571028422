/* SPDX-License-Identifier: BSD-2-Clause */
/* Which knob spaces interrupts, by the facts of the three field measurements. */
#include "tuner/spacing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profiles/preset.h"

static struct plan_device device(void)
{
	struct plan_device result = {.chip = chip_find("82574L"), .speed_mbps = 1000};

	chip_initial_settings(result.chip, &result.base);
	return result;
}

static struct settings with(const char *list)
{
	struct settings settings = device().base, asked = {0};
	struct error err = {0};

	if (settings_parse_list(&asked, list, &err) < 0)
		fail_msg("%s", err.text);
	settings_merge(&settings, &asked);
	return settings;
}

static struct settings preset(const char *name)
{
	struct settings settings = device().base;
	struct preset_result result;
	struct error err = {0};

	if (preset_resolve(name, device().chip, &result, &err) < 0)
		fail_msg("%s", err.text);
	settings_merge(&settings, &result.settings);
	return settings;
}

static void slower_of_throttle_and_timer_rules(void **state)
{
	struct plan_device on = device();
	struct settings settings = with("ITR=195 RDTR=375 RADV=375 TIDV=8 TADV=32");
	struct spacing rx, tx;

	spacing_compute(&on, &settings, &rx, &tx);
	assert_int_equal(rx.ns, 384000);
	assert_true(rx.knobs & 1u << KNOB_RDTR);
	assert_int_equal(tx.ns, 195 * 256);
	assert_int_equal(tx.knobs, 1u << KNOB_ITR);
}

static void absolute_timer_cuts_the_packet_timer_short(void **state)
{
	struct plan_device on = device();
	struct settings settings = with("RDTR=375 RADV=100");
	struct spacing rx, tx;

	spacing_compute(&on, &settings, &rx, &tx);
	assert_int_equal(rx.ns, 102400);
	assert_int_equal(rx.knobs, 1u << KNOB_RADV);
	assert_int_equal(tx.ns, 0);
}

static void each_vector_has_its_throttle_in_msix(void **state)
{
	struct plan_device on = device();
	struct settings settings = with("intmode=msix ITR=1500 EITR0=195 TIDV=100 TADV=1000");
	struct spacing rx, tx;

	spacing_compute(&on, &settings, &rx, &tx);
	assert_int_equal(rx.ns, 195 * 256);
	assert_int_equal(tx.ns, 0);
}

static void netbsd_new_and_mod_new_are_the_same_384_us(void **state)
{
	struct plan_device on = device();
	struct settings a = preset("netbsd-new"), b = preset("netbsd-mod-new"),
			old = preset("netbsd-old");
	char text[512];

	assert_true(spacing_explain_same(&on, &a, &b, text, sizeof(text)));
	assert_non_null(strstr(text, "384 us"));
	assert_non_null(strstr(text, "RDTR 375"));
	assert_false(spacing_explain_same(&on, &a, &old, text, sizeof(text)));
}

static void throttle_and_timer_of_equal_length_are_alike(void **state)
{
	struct plan_device on = device();
	struct settings a = with("ITR=1500 TIDV=0"),
			b = with("RDTR=375 RADV=375 TIDV=375 TADV=375");
	struct settings c = with("RDTR=375 RADV=375");
	char text[512];

	assert_true(spacing_explain_same(&on, &a, &b, text, sizeof(text)));
	assert_non_null(strstr(text, "ITR 1500"));
	/* without a transmit timer any completion interrupts, and brings the receive side with it
	 */
	assert_false(spacing_explain_same(&on, &a, &c, text, sizeof(text)));
	assert_false(spacing_explain_same(&on, &a, &a, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower_of_throttle_and_timer_rules),
		cmocka_unit_test(absolute_timer_cuts_the_packet_timer_short),
		cmocka_unit_test(each_vector_has_its_throttle_in_msix),
		cmocka_unit_test(netbsd_new_and_mod_new_are_the_same_384_us),
		cmocka_unit_test(throttle_and_timer_of_equal_length_are_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
