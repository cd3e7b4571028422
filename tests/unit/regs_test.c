/* SPDX-License-Identifier: BSD-2-Clause */
/* The register table is sane, and the check that says so can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/chips/regs.h"
#include "common/util.h"

/* The first fault of a table, as a sentence in @buf; NULL when it is sane. */
static const char *table_fault(const struct reg_info *rows, size_t count, char *buf, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		const struct reg_info *row = &rows[i];
		const char *fault = NULL;

		if (row->offset % 4)
			fault = "is not aligned";
		else if (row->offset + 4 > REG_SPACE_BYTES)
			fault = "lies outside the BAR";
		else if (!row->families || (row->families & ~(unsigned)FAM_ALL))
			fault = "has no known family";
		else if (!row->source[0])
			fault = "has no source";
		else if (!row->meaning[0])
			fault = "has no meaning";
		for (size_t j = 0; j < i && !fault; j++)
			if (rows[j].offset == row->offset)
				fault = "overlaps an earlier row";
			else if (!strcmp(rows[j].name, row->name))
				fault = "repeats an earlier name";
		if (fault) {
			(void)snprintf(buf, size, "%s %s", row->name, fault);
			return buf;
		}
	}
	return NULL;
}

static void the_register_table_is_sane(void **state)
{
	char buf[128];
	const char *fault = table_fault(reg_table, reg_table_count, buf, sizeof(buf));

	if (fault)
		fail_msg("%s", fault);
	assert_true(reg_table_count > 50);
}

static void the_check_finds_a_repeated_row(void **state)
{
	const struct reg_info rows[] = {
		{"A", 0x10, REG_RW, FAM_ALL, "s", "m"},
		{"B", 0x14, REG_RW, FAM_ALL, "s", "m"},
		{"A", 0x10, REG_RW, FAM_ALL, "s", "m"},
	};
	char buf[128];

	assert_null(table_fault(rows, 2, buf, sizeof(buf)));
	assert_string_equal(table_fault(rows, 3, buf, sizeof(buf)), "A overlaps an earlier row");
}

static void the_check_finds_bad_offsets_and_missing_sources(void **state)
{
	const struct reg_info odd = {"A", 0x12, REG_RW, FAM_ALL, "s", "m"};
	const struct reg_info far = {"A", REG_SPACE_BYTES, REG_RW, FAM_ALL, "s", "m"};
	const struct reg_info bare = {"A", 0x10, REG_RW, FAM_ALL, "", "m"};
	char buf[128];

	assert_string_equal(table_fault(&odd, 1, buf, sizeof(buf)), "A is not aligned");
	assert_string_equal(table_fault(&far, 1, buf, sizeof(buf)), "A lies outside the BAR");
	assert_string_equal(table_fault(&bare, 1, buf, sizeof(buf)), "A has no source");
}

static void registers_outside_the_table_do_not_collide_with_it(void **state)
{
	static const struct {
		uint32_t first, end;
	} arrays[] = {
		{REG_MTA, REG_MTA + REG_MTA_WORDS * 4},
		{REG_VFTA, REG_VFTA + REG_VFTA_WORDS * 4},
		{REG_RAL0 + 8, REG_RAL0 + 8 * REG_RA_COUNT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		for (uint32_t offset = arrays[i].first; offset < arrays[i].end; offset += 4)
			assert_null(reg_at(offset));
}

static void look_up_by_name_and_by_offset_agree(void **state)
{
	assert_ptr_equal(reg_find("ITR"), reg_at(0x00C4));
	assert_int_equal(reg_find("EITR4")->offset, reg_find("EITR0")->offset + 16);
	assert_null(reg_find("itr"));
	assert_null(reg_at(0x00C5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_register_table_is_sane),
		cmocka_unit_test(the_check_finds_a_repeated_row),
		cmocka_unit_test(the_check_finds_bad_offsets_and_missing_sources),
		cmocka_unit_test(registers_outside_the_table_do_not_collide_with_it),
		cmocka_unit_test(look_up_by_name_and_by_offset_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
