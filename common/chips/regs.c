/* SPDX-License-Identifier: BSD-2-Clause */
/* The register table and look-ups in it. */
#include "common/chips/regs.h"

#include <string.h>

#include "common/util.h"

#define REG(name, offset, access, families, source, meaning)                                       \
	{#name, (offset), REG_##access, (families), (source), (meaning)},
const struct reg_info reg_table[] = {
#include "common/chips/regs.def"
};
#undef REG
const size_t reg_table_count = ARRAY_SIZE(reg_table);

const struct reg_info *reg_find(const char *name)
{
	for (size_t i = 0; i < reg_table_count; i++)
		if (!strcmp(reg_table[i].name, name))
			return &reg_table[i];
	return NULL;
}

const struct reg_info *reg_at(uint32_t offset)
{
	for (size_t i = 0; i < reg_table_count; i++)
		if (reg_table[i].offset == offset)
			return &reg_table[i];
	return NULL;
}
