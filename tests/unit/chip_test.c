/* SPDX-License-Identifier: BSD-2-Clause */
/* Chip and quirk tables, and what values a chip can hold. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/chips/chip.h"
#include "common/util.h"

static void every_chip_row_is_sane(void **state)
{
	for (size_t i = 0; i < chip_table_count; i++) {
		const struct chip *chip = &chip_table[i];

		assert_true(chip->source[0]);
		assert_true(chip->intmodes & INTMODE_BIT(INTMODE_INTX));
		assert_int_equal(
			!!(chip->intmodes & INTMODE_BIT(INTMODE_MSIX)), chip->msix_vectors > 0);
		assert_int_equal(chip->ring_max % 8, 0);
		assert_int_equal(chip->knobs & ~((1ull << KNOB_COUNT) - 1), 0);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(chip_table[j].name, chip->name);
			assert_int_not_equal(chip_table[j].device, chip->device);
		}
		assert_ptr_equal(chip_find(chip->name), chip);
		assert_ptr_equal(chip_by_id(chip->vendor, chip->device), chip);
	}
}

/* A knob that a chip has must be a register of the chip's family. */
static void knobs_of_a_chip_are_registers_of_its_family(void **state)
{
	for (size_t i = 0; i < chip_table_count; i++)
		for (unsigned id = 0; id < KNOB_COUNT; id++) {
			const struct knob *knob = &knob_table[id];

			if (!chip_has_knob(&chip_table[i], (enum knob_id)id) || !knob->reg)
				continue;
			if (!(reg_at(knob->reg)->families & chip_table[i].family))
				fail_msg("%s has no %s", chip_table[i].name, knob->name);
		}
}

static void every_quirk_has_symptom_source_and_remedy(void **state)
{
	for (size_t i = 0; i < QUIRK_COUNT; i++) {
		assert_true(quirk_table[i].symptom[0] && quirk_table[i].parts[0]);
		assert_true(quirk_table[i].source[0] && quirk_table[i].remedy[0]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(quirk_table[j].name, quirk_table[i].name);
	}
}

static void chips_are_found_by_any_case_and_suggested_when_misspelt(void **state)
{
	assert_string_equal(chip_find("82545em")->name, "82545EM");
	assert_null(chip_find("82574"));
	assert_string_equal(chip_suggest("82574"), "82574L");
	assert_string_equal(chip_suggest("82754L"), "82574L");
	assert_null(chip_suggest("X540"));
	assert_null(chip_by_id(PCI_VENDOR_INTEL, 0xffff));
}

static void every_pci_id_is_driven_by_a_row_or_refused_with_a_reason(void **state)
{
	for (size_t i = 0; i < pci_id_table_count; i++) {
		const struct pci_id *id = &pci_id_table[i];

		assert_true(id->name[0]);
		if (!!id->chip[0] == !!id->reason[0])
			fail_msg("%04x has a chip and a reason, or neither", id->device);
		if (id->chip[0] && !chip_find(id->chip))
			fail_msg("%04x: no row %s", id->device, id->chip);
		for (size_t j = 0; j < i; j++)
			if (pci_id_table[j].device == id->device)
				fail_msg("%04x stands there twice", id->device);
	}
}

static void parts_of_one_core_share_a_row(void **state)
{
	assert_string_equal(chip_by_id(PCI_VENDOR_INTEL, 0x10F6)->name, "82574L");
	assert_string_equal(chip_by_id(PCI_VENDOR_INTEL, 0x1010)->name, "82545EM");
	assert_null(chip_by_id(PCI_VENDOR_INTEL, 0x1502));
	assert_string_equal(pci_id_find(PCI_VENDOR_INTEL, 0x1502)->name, "82579LM");
	assert_null(pci_id_find(0x10DE, 0x100E));
}

static void ticks_are_longer_below_a_gigabit(void **state)
{
	const struct chip *chip = chip_find("82574L");

	assert_int_equal(chip_tick_scale(chip, 1000), 1);
	assert_int_equal(chip_tick_scale(chip, 100), 4);
	assert_int_equal(chip_tick_scale(chip, 10), 4);
	assert_int_equal(chip_tick_scale(chip, 0), 1);
}

static void initial_settings_are_ones_the_chip_holds(void **state)
{
	for (size_t i = 0; i < chip_table_count; i++) {
		struct settings initial;
		struct error err = {0};

		chip_initial_settings(&chip_table[i], &initial);
		assert_int_equal(initial.present, chip_table[i].knobs);
		if (chip_check_settings(&chip_table[i], &initial, &err))
			fail_msg("%s: %s", chip_table[i].name, err.text);
		assert_int_equal(initial.value[KNOB_ITR], 0);
	}
}

static void values_a_chip_cannot_hold_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *chip;
		enum knob_id knob;
		uint32_t value;
		const char *sentence;
	} rows[] = {
		{"82545EM", KNOB_EITR0, 1, "the 82545EM has no EITR0"},
		{"82545EM", KNOB_INTMODE, INTMODE_MSIX, "intmode=msix: the 82545EM has only intx"},
		{"82574L", KNOB_ITR, 65536, "ITR=65536 is out of range: 0 to 65535"},
		{"82574L", KNOB_RX_RING, 100,
			"rx-ring=100 is not a multiple of 8, as ring lengths must be; try 96"},
		{"82574L", KNOB_TX_RING, 72, "tx-ring=72 is out of range: 80 to 4096"},
		{"82574L", KNOB_SPEED, 250,
			"speed=250 is not a link speed: 0 (negotiate), 10, 100 or 1000"},
		{"82574L", KNOB_INTMODE, 3, "intmode=?: the 82574L has only intx, msi, msix"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct settings settings = {0};
		struct error err = {0};

		settings_put(&settings, rows[i].knob, rows[i].value);
		assert_int_equal(
			chip_check_settings(chip_find(rows[i].chip), &settings, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].sentence);
		assert_true(err.usage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_chip_row_is_sane),
		cmocka_unit_test(knobs_of_a_chip_are_registers_of_its_family),
		cmocka_unit_test(every_quirk_has_symptom_source_and_remedy),
		cmocka_unit_test(chips_are_found_by_any_case_and_suggested_when_misspelt),
		cmocka_unit_test(every_pci_id_is_driven_by_a_row_or_refused_with_a_reason),
		cmocka_unit_test(parts_of_one_core_share_a_row),
		cmocka_unit_test(ticks_are_longer_below_a_gigabit),
		cmocka_unit_test(initial_settings_are_ones_the_chip_holds),
		cmocka_unit_test(values_a_chip_cannot_hold_are_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
