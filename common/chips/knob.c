/* SPDX-License-Identifier: BSD-2-Clause */
/* The knob table, look-ups in it, and conversions between register units and time. */
#include "common/chips/knob.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "common/chips/regs.h"
#include "common/clock.h"
#include "common/nearest.h"
#include "common/util.h"

#define PS_PER_NS UINT64_C(1000)

#define KNOB(id, name, kind, reg, unit_ps, min, max, initial, restart, meaning, hazard, source)    \
	[KNOB_##id] = {KNOB_##id, name, KNOB_KIND_##kind, reg, unit_ps, min, max, initial,         \
		restart, meaning, hazard, source},
const struct knob knob_table[KNOB_COUNT] = {
#include "common/chips/knobs.def"
};
#undef KNOB

static const char *const intmode_names[INTMODE_COUNT] = {
	[INTMODE_INTX] = "intx",
	[INTMODE_MSI] = "msi",
	[INTMODE_MSIX] = "msix",
};

const struct knob *knob_find(const char *name)
{
	for (size_t i = 0; i < KNOB_COUNT; i++)
		if (!strcasecmp(knob_table[i].name, name))
			return &knob_table[i];
	return NULL;
}

const char *knob_suggest(const char *name)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < KNOB_COUNT; i++)
		nearest_offer(&nearest, knob_table[i].name);
	return nearest.best;
}

const char *intmode_name(enum intmode mode)
{
	return (unsigned)mode < INTMODE_COUNT ? intmode_names[mode] : "?";
}

int intmode_parse(const char *text, enum intmode *ret_mode)
{
	if (!strcasecmp(text, "msi-x"))
		text = "msix";
	for (unsigned i = 0; i < INTMODE_COUNT; i++) {
		if (strcasecmp(text, intmode_names[i]))
			continue;
		*ret_mode = (enum intmode)i;
		return 0;
	}
	return -EINVAL;
}

uint64_t knob_ticks_to_ns(const struct knob *knob, uint32_t value, unsigned tick_scale)
{
	return (uint64_t)value * knob->unit_ps * tick_scale / PS_PER_NS;
}

uint32_t knob_ns_to_ticks(const struct knob *knob, uint64_t ns, unsigned tick_scale)
{
	uint64_t unit_ps = (uint64_t)knob->unit_ps * tick_scale;
	uint64_t ticks;

	if (!unit_ps)
		return knob->min;
	if (ns > UINT64_MAX / PS_PER_NS - unit_ps)
		return knob->max;
	ticks = (ns * PS_PER_NS + unit_ps / 2) / unit_ps;
	return (uint32_t)MAX(knob->min, MIN(ticks, knob->max));
}

double knob_rate_per_s(const struct knob *knob, uint32_t value, unsigned tick_scale)
{
	double interval_ps = (double)value * knob->unit_ps * tick_scale;

	return interval_ps > 0 ? (double)NS_PER_S * (double)PS_PER_NS / interval_ps : 0;
}

char *knob_format_value(const struct knob *knob, uint32_t value, char *buf, unsigned long size)
{
	if (knob->id == KNOB_INTMODE)
		(void)snprintf(buf, size, "%s", intmode_name((enum intmode)value));
	else
		(void)snprintf(buf, size, "%u", value);
	return buf;
}
