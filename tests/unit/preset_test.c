/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: their values, what they become on each chip, and what a wrong name is told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/chips/card.h"
#include "common/util.h"
#include "profiles/preset.h"

static const struct chip *chip(const char *name)
{
	const struct chip *row = chip_find(name);

	assert_non_null(row);
	return row;
}

static void assert_preset(const char *name, const char *chip_name, const char *settings)
{
	struct preset_result result;
	struct error err = {0};
	char text[256];

	if (preset_resolve(name, chip(chip_name), &result, &err))
		fail_msg("%s", err.text);
	assert_string_equal(settings_format(&result.settings, text, sizeof(text)), settings);
}

static void presets_have_the_values_that_the_drivers_write(void **state)
{
	assert_preset(
		"netbsd-old", "82574L", "ITR=558 RDTR=0 RADV=128 TIDV=64 TADV=128 intmode=msi");
	assert_preset(
		"netbsd-new", "82574L", "ITR=1500 RDTR=375 RADV=375 TIDV=375 TADV=375 intmode=msi");
	assert_preset("netbsd-mod-new", "82574L",
		"ITR=1500 RDTR=0 RADV=375 TIDV=375 TADV=375 intmode=msi");
	assert_preset(
		"linux-static", "82574L", "ITR=195 RDTR=32 RADV=32 TIDV=8 TADV=32 intmode=msi");
	assert_preset("freebsd", "82574L", "ITR=488 RDTR=0 RADV=66 TIDV=66 TADV=66 intmode=msi");
	assert_preset("openbsd", "82574L", "ITR=488 RDTR=0 RADV=64 TIDV=64 TADV=64 intmode=msi");
	assert_preset("dragonfly", "82574L", "ITR=651 RDTR=0 RADV=0 TIDV=1 TADV=0 intmode=msi");
	assert_preset("reset", "82574L", "ITR=0 RDTR=0 RADV=0 TIDV=0 TADV=0 intmode=msi");
	assert_preset("linux-static-msix", "82574L",
		"EITR0=195 EITR1=195 EITR2=195 RDTR=32 RADV=32 TIDV=8 TADV=32 intmode=msix");
}

static void a_name_means_what_its_own_driver_writes_on_each_family(void **state)
{
	assert_preset(
		"linux-static", "82545EM", "ITR=195 RDTR=0 RADV=8 TIDV=8 TADV=32 intmode=intx");
}

/* A core that may be in either table. */
static void assert_core(const char *name, const char *core, const char *settings)
{
	const struct chip *row = card_chip(card_find(core));
	struct preset_result result;
	struct error err = {0};
	char text[256];

	if (preset_resolve(name, row, &result, &err))
		fail_msg("%s", err.text);
	if (strcmp(settings_format(&result.settings, text, sizeof(text)), settings) != 0)
		fail_msg("%s on %s: %s", name, core, text);
}

static void chips_that_drivers_treat_apart_have_rows_of_their_own(void **state)
{
	assert_core("linux-static", "82571EB", "ITR=195 RDTR=32 RADV=32 TIDV=8 TADV=32 intmode=msi");
	assert_core("linux-static", "80003ES2LAN",
		"ITR=195 RDTR=32 RADV=32 TIDV=8 TADV=32 intmode=msi");
	assert_core("linux-static", "82573L", "ITR=195 RDTR=0 RADV=8 TIDV=8 TADV=32 intmode=msi");
	assert_core("linux-static", "82583V", "ITR=195 RDTR=0 RADV=8 TIDV=8 TADV=32 intmode=msi");
	assert_core("linux-static", "I219", "ITR=195 RDTR=0 RADV=8 TIDV=8 TADV=32 intmode=msi");
	assert_core("linux-static", "82544GC", "RDTR=0 TIDV=8 intmode=intx");
	assert_core("freebsd", "82573L", "ITR=488 RDTR=32 RADV=66 TIDV=66 TADV=66 intmode=msi");
	assert_core("freebsd", "82571EB", "ITR=488 RDTR=0 RADV=66 TIDV=66 TADV=66 intmode=msi");
	assert_core("dragonfly", "82573L", "ITR=651 RDTR=32 RADV=64 TIDV=1 TADV=0 intmode=msi");
	assert_core("netbsd-old", "82542", "RDTR=28 TIDV=128 intmode=intx");
	assert_core("netbsd-new", "82543GC", "RDTR=375 TIDV=375 intmode=intx");
	assert_core("netbsd-new", "ICH9",
		"ITR=1500 RDTR=375 RADV=375 TIDV=375 TADV=375 intmode=msi");
}

/* Every core has the defaults of the drivers, each once. */
static void every_core_has_the_drivers_defaults(void **state)
{
	static const char *const names[] = {
		"linux-static", "freebsd", "netbsd-old", "netbsd-new", "dragonfly", "reset"};

	for (size_t c = 0; c < chip_table_count + known_chip_table_count; c++) {
		const struct chip *row = c < chip_table_count
						 ? &chip_table[c]
						 : &known_chip_table[c - chip_table_count];

		for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
			unsigned fitting = 0;

			for (size_t i = 0; i < preset_table_count; i++)
				fitting += !strcmp(preset_table[i].name, names[n]) &&
					   preset_fits(&preset_table[i], row);
			if (fitting != 1)
				fail_msg("%s: %u rows of %s", row->name, fitting, names[n]);
		}
	}
}

static void a_chip_without_msi_runs_in_intx_and_says_so(void **state)
{
	struct preset_result result;
	struct error err = {0};

	assert_int_equal(preset_resolve("netbsd-new", chip("82545EM"), &result, &err), 0);
	assert_int_equal(result.settings.value[KNOB_INTMODE], INTMODE_INTX);
	assert_non_null(strstr(result.note, "no MSI"));
	assert_non_null(strstr(result.note, "INTx"));
	assert_int_equal(preset_resolve("netbsd-new", chip("82574L"), &result, &err), 0);
	assert_string_equal(result.note, "");
}

static void every_preset_is_within_the_ranges_of_every_chip_it_is_for(void **state)
{
	for (size_t c = 0; c < chip_table_count; c++) {
		unsigned fitting = 0;

		for (size_t i = 0; i < preset_table_count; i++) {
			struct preset_result result;
			struct error err = {0};

			if (!preset_fits(&preset_table[i], &chip_table[c]))
				continue;
			fitting++;
			if (preset_resolve(preset_table[i].name, &chip_table[c], &result, &err))
				fail_msg("%s", err.text);
			if (chip_check_settings(&chip_table[c], &result.settings, &err))
				fail_msg("%s: %s", preset_table[i].name, err.text);
			assert_true(settings_has(&result.settings, KNOB_INTMODE));
		}
		assert_true(fitting >= 4);
	}
}

static void assert_listed_chips_exist(const char *list)
{
	char copy[200], *save = NULL;

	(void)snprintf(copy, sizeof(copy), "%s", *list == '!' ? list + 1 : list);
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		bool known = chip_find(name) != NULL;

		for (size_t i = 0; i < known_chip_table_count; i++)
			known |= !strcmp(known_chip_table[i].name, name);
		if (!known)
			fail_msg("no chip %s", name);
	}
}

static void every_value_names_its_source_and_every_listed_chip_exists(void **state)
{
	for (size_t i = 0; i < preset_table_count; i++) {
		const struct preset *p = &preset_table[i];
		uint32_t seen = 0;

		assert_true(p->value_count > 0);
		assert_listed_chips_exist(p->chips);
		for (size_t v = 0; v < p->value_count; v++) {
			assert_true(strlen(p->values[v].source) > 4);
			assert_false(seen >> p->values[v].knob & 1u);
			seen |= 1u << p->values[v].knob;
		}
	}
}

static void the_vectors_of_a_preset_have_one_value(void **state)
{
	for (size_t i = 0; i < preset_table_count; i++) {
		const struct preset *p = &preset_table[i];

		for (size_t v = 0; v < p->value_count; v++) {
			if (p->values[v].knob >= KNOB_EITR0 && p->values[v].knob <= KNOB_EITR4)
				assert_int_equal(p->values[v].value, p->values[0].value);
		}
	}
}

static void no_chip_has_two_presets_of_one_name(void **state)
{
	for (size_t c = 0; c < chip_table_count; c++) {
		for (size_t i = 0; i < preset_table_count; i++) {
			if (preset_fits(&preset_table[i], &chip_table[c]))
				assert_ptr_equal(preset_find(preset_table[i].name, &chip_table[c]),
					&preset_table[i]);
		}
	}
}

static void a_misspelt_name_gets_the_nearest(void **state)
{
	struct preset_result result;
	struct error err = {0};

	assert_int_equal(preset_resolve("netbsd-odl", chip("82574L"), &result, &err), -EINVAL);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "did you mean netbsd-old?"));
	assert_int_equal(preset_resolve("solaris", chip("82574L"), &result, &err), -EINVAL);
	assert_null(strstr(err.text, "did you mean"));
	assert_non_null(preset_find("NetBSD-Old", NULL));
}

static void a_preset_for_other_chips_is_refused_by_name(void **state)
{
	struct preset_result result = {.note = "untouched"};
	struct error err = {0};

	assert_int_equal(
		preset_resolve("linux-static-msix", chip("82545EM"), &result, &err), -EINVAL);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "is not for the 82545EM"));
	assert_string_equal(result.note, "untouched");
}

static void in_msix_the_throttle_moves_to_the_vectors(void **state)
{
	struct preset_result result;
	struct error err = {0};
	char text[256];

	assert_int_equal(
		preset_resolve_mode("netbsd-new", chip("82574L"), INTMODE_MSIX, &result, &err), 0);
	assert_string_equal(settings_format(&result.settings, text, sizeof(text)),
		"EITR0=1500 EITR1=1500 EITR2=1500 RDTR=375 RADV=375 TIDV=375 TADV=375 "
		"intmode=msix");
	assert_non_null(strstr(result.note, "msix"));
	assert_int_equal(preset_resolve_mode(
				 "linux-static-msix", chip("82574L"), INTMODE_INTX, &result, &err),
		0);
	assert_string_equal(settings_format(&result.settings, text, sizeof(text)),
		"ITR=195 RDTR=32 RADV=32 TIDV=8 TADV=32 intmode=intx");
	assert_int_equal(
		preset_resolve_mode("netbsd-new", chip("82545EM"), INTMODE_MSIX, &result, &err),
		-EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_have_the_values_that_the_drivers_write),
		cmocka_unit_test(a_name_means_what_its_own_driver_writes_on_each_family),
		cmocka_unit_test(chips_that_drivers_treat_apart_have_rows_of_their_own),
		cmocka_unit_test(every_core_has_the_drivers_defaults),
		cmocka_unit_test(a_chip_without_msi_runs_in_intx_and_says_so),
		cmocka_unit_test(every_preset_is_within_the_ranges_of_every_chip_it_is_for),
		cmocka_unit_test(every_value_names_its_source_and_every_listed_chip_exists),
		cmocka_unit_test(the_vectors_of_a_preset_have_one_value),
		cmocka_unit_test(no_chip_has_two_presets_of_one_name),
		cmocka_unit_test(a_misspelt_name_gets_the_nearest),
		cmocka_unit_test(a_preset_for_other_chips_is_refused_by_name),
		cmocka_unit_test(in_msix_the_throttle_moves_to_the_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
