/* SPDX-License-Identifier: BSD-2-Clause */
/* Drivers' settings: the table, look-ups, and what a value comes to. */
#include "profiles/driver_param.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/chips/nforce.h"
#include "common/nearest.h"
#include "common/util.h"
#include "profiles/export_private.h"

#define ITR_NS	     256.0
#define TICK_NS	     1024.0
#define EITR_NS	     250.0    /* one raw unit of the 82576 and later */
#define EITR_MASK    0x7FFCu
#define RATE_CONTROL 3 /* low bits of a stored rate are modes */
#define PER_S	     1e9

const struct driver_param driver_param_table[] = {
#define PARAM(driver, place, name, conversion, min, max, initial, meaning, source)                 \
	{driver, PLACE_##place, name, CONVERT_##conversion, min, max, initial, meaning, source},
#include "profiles/driver_params.def"
};
const size_t driver_param_count = ARRAY_SIZE(driver_param_table);

static const struct value_row {
	const char *driver;
	enum param_place place;
	const char *name;
	int64_t low, high;
	enum param_verdict verdict;
	const char *text, *source;
} value_rows[] = {
#define VALUE(driver, place, name, low, high, verdict, text, source)                               \
	{driver, PLACE_##place, name, low, high, VERDICT_##verdict, text, source},
#include "profiles/driver_params.def"
};

static const struct no_coalesce {
	const char *driver, *instead, *source;
} no_coalesce_rows[] = {
#define NO_COALESCE(driver, instead, source) {driver, instead, source},
#include "profiles/driver_params.def"
};

const char *param_verdict_name(enum param_verdict verdict)
{
	static const char *const names[VERDICT_COUNT] = {
		[VERDICT_OFF] = "off",
		[VERDICT_MODE] = "mode",
		[VERDICT_SPECIAL] = "special",
		[VERDICT_APPLIED] = "applied",
		[VERDICT_REFUSED] = "value refused",
		[VERDICT_DEFAULT] = "default instead",
		[VERDICT_UNSUPPORTED] = "unsupported parameter",
		[VERDICT_UNKNOWN] = "unknown key",
		[VERDICT_MALFORMED] = "malformed",
		[VERDICT_NOT_READ] = "not read here",
		[VERDICT_SAME] = "already set",
		[VERDICT_ABSENT] = "not supported",
		[VERDICT_READ] = "as read",
		[VERDICT_VOID] = "run void",
		[VERDICT_EVENT] = "event",
	};

	return (unsigned)verdict < VERDICT_COUNT ? names[verdict] : "?";
}

static const struct no_coalesce *no_coalesce_find(const char *driver)
{
	for (size_t i = 0; driver && i < ARRAY_SIZE(no_coalesce_rows); i++)
		if (!strcasecmp(no_coalesce_rows[i].driver, driver))
			return &no_coalesce_rows[i];
	return NULL;
}

bool driver_known(const char *driver)
{
	for (size_t i = 0; i < driver_param_count; i++)
		if (!strcasecmp(driver_param_table[i].driver, driver))
			return true;
	return no_coalesce_find(driver) != NULL;
}

const char *driver_suggest(const char *driver)
{
	struct nearest nearest = {.wanted = driver};

	for (size_t i = 0; i < driver_param_count; i++)
		if (driver_param_table[i].place == PLACE_ETHTOOL)
			nearest_offer(&nearest, driver_param_table[i].driver);
	return nearest.best;
}

/* "#" of @pattern stands for a unit number. */
static bool name_matches(const char *pattern, const char *name)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*pattern != *name++)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*name))
			return false;
		while (isdigit((unsigned char)*name))
			name++;
	}
	return !*name;
}

const struct driver_param *driver_param_find(
	const char *driver, enum param_place place, const char *name)
{
	for (size_t i = 0; i < driver_param_count; i++) {
		const struct driver_param *row = &driver_param_table[i];

		if (row->place == place && (!driver || !strcasecmp(row->driver, driver)) &&
			name_matches(row->name, name))
			return row;
	}
	return NULL;
}

const struct driver_param *driver_param_elsewhere(enum param_place place, const char *name)
{
	for (size_t i = 0; i < driver_param_count; i++)
		if (driver_param_table[i].place != place &&
			name_matches(driver_param_table[i].name, name))
			return &driver_param_table[i];
	return NULL;
}

__attribute__((format(printf, 2, 3))) static void say(
	struct param_effect *effect, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(effect->text, sizeof(effect->text), fmt, ap);
	va_end(ap);
}

/* A register value with its interval, and the words "ITR 488: 124.928 us, 8004.6/s". */
static void act(struct param_effect *effect, const char *reg, int64_t raw, double unit_ns,
	const char *more)
{
	effect->raw = raw;
	effect->interval_ns = (double)raw * unit_ns;
	if (raw > 0 && unit_ns != TICK_NS)
		say(effect, "%s %lld: %.15g us, %.1f/s%s", reg, (long long)raw,
			effect->interval_ns / 1e3, PER_S / effect->interval_ns, more);
	else
		say(effect, "%s %lld: %.15g us%s", reg, (long long)raw, effect->interval_ns / 1e3,
			more);
}

static int64_t itr_of_rate(int64_t rate)
{
	return rate > 0 && rate <= 1000000 ? export_rate_to_itr((uint32_t)rate) : 0;
}

static void convert_itr(
	const struct driver_param *row, int64_t value, struct param_effect *effect)
{
	char more[100] = "";

	switch (row->conversion) {
	case CONVERT_ITR_USECS:
		act(effect, "ITR", itr_of_rate(1000000 / value), ITR_NS, "");
		return;
	case CONVERT_ITR_RATE:
		if (value & RATE_CONTROL)
			(void)snprintf(more, sizeof(more),
				"; kept as %lld/s, the two lowest bits are modes",
				(long long)(value & ~RATE_CONTROL));
		act(effect, "ITR", itr_of_rate(value), ITR_NS, more);
		return;
	case CONVERT_ITR_RATE_PLAIN:
		act(effect, "ITR", itr_of_rate(value), ITR_NS, "");
		return;
	case CONVERT_EITR_USECS:
		act(effect, "EITR raw", value * 4 & EITR_MASK, EITR_NS, "");
		return;
	case CONVERT_EITR_RATE:
		act(effect, "EITR raw about", 4000000 / value & EITR_MASK, EITR_NS, "");
		return;
	case CONVERT_US_TO_ITR:
		act(effect, "ITR", (int64_t)((double)value * 1e3 / TICK_NS) * 4, ITR_NS, "");
		return;
	default:
		return;
	}
}

/* imtimer: the register holds |value|; a negative one moderates only while it is busy. */
static void convert_nfe(int64_t value, struct param_effect *effect)
{
	int64_t us = value < 0 ? -value : value;
	char more[100] = "; always from the timer";

	if (value < 0)
		(void)snprintf(more, sizeof(more),
			"; from the timer only above %lld interrupts/s, real causes below",
			(long long)(1000000 / us));
	act(effect, "timer", nforce_ticks_of_us((uint32_t)us), NFORCE_TICK_NS, more);
	if (!effect->raw)
		say(effect, "timer 0: below 11 us no tick is left");
}

static void convert_time(
	const struct driver_param *row, int64_t value, struct param_effect *effect)
{
	switch (row->conversion) {
	case CONVERT_TICKS:
		act(effect, "register", value, TICK_NS, "");
		return;
	case CONVERT_US_AS_TICKS:
		act(effect, "register", value, TICK_NS,
			", for the number of us is written as ticks of 1.024 us");
		return;
	case CONVERT_US_TO_TICKS:
		act(effect, "register", (int64_t)((double)value * 1e3 / TICK_NS), TICK_NS, "");
		return;
	case CONVERT_NFE_TICKS:
		act(effect, "timer", value, NFORCE_TICK_NS, "");
		return;
	case CONVERT_USECS:
		effect->interval_ns = (double)value * 1e3;
		say(effect, "%lld us", (long long)value);
		return;
	case CONVERT_STEPS_2US:
		effect->interval_ns = (double)(value & ~1) * 1e3;
		say(effect, "%lld us%s", (long long)(value & ~1),
			value & 1 ? ", rounded to a step of 2 us" : "");
		return;
	case CONVERT_FRAMES_4:
		effect->raw = (value + 3) / 4;
		say(effect, "%lld frames%s", (long long)effect->raw * 4,
			value % 4 ? ", rounded up to a multiple of 4" : "");
		return;
	case CONVERT_FLAG:
		say(effect, "%s", value ? "on" : "off");
		return;
	default:
		say(effect, "%lld", (long long)value);
		return;
	}
}

static void convert(const struct driver_param *row, int64_t value, struct param_effect *effect)
{
	effect->verdict = VERDICT_APPLIED;
	if (row->conversion == CONVERT_NFE_US)
		convert_nfe(value, effect);
	else if ((row->conversion >= CONVERT_ITR_USECS && row->conversion <= CONVERT_EITR_RATE) ||
		 row->conversion == CONVERT_US_TO_ITR)
		convert_itr(row, value, effect);
	else
		convert_time(row, value, effect);
	if (*row->meaning) {
		size_t used = strlen(effect->text);

		(void)snprintf(effect->text + used, sizeof(effect->text) - used, " (%s)",
			row->meaning);
	}
}

static void effect_of_no_row(
	const char *driver, enum param_place place, struct param_effect *effect)
{
	const struct no_coalesce *none = no_coalesce_find(driver);

	effect->verdict = VERDICT_UNKNOWN;
	effect->source = "";
	say(effect, "not in the tables; kept and not judged");
	if (place != PLACE_ETHTOOL || !driver || !driver_known(driver))
		return;
	effect->verdict = VERDICT_UNSUPPORTED;
	if (none) {
		effect->source = none->source;
		say(effect, "%s has no ethtool -C: use %s", driver, none->instead);
	} else {
		say(effect, "%s does not take it (EOPNOTSUPP, on older kernels error 524)", driver);
	}
}

static void effect_of_range(
	const struct driver_param *row, int64_t value, struct param_effect *effect)
{
	bool kernel = row->place == PLACE_ETHTOOL;

	effect->verdict = kernel ? VERDICT_REFUSED : VERDICT_DEFAULT;
	if (kernel || row->place == PLACE_SYSCTL) {
		effect->verdict = VERDICT_REFUSED;
		say(effect, "%lld is outside %lld to %lld: EINVAL", (long long)value,
			(long long)row->min, (long long)row->max);
	} else if (row->initial == NO_DEFAULT) {
		say(effect, "%lld is outside %lld to %lld: the default acts (%s)", (long long)value,
			(long long)row->min, (long long)row->max, row->meaning);
	} else {
		say(effect, "%lld is outside %lld to %lld: the default %lld acts", (long long)value,
			(long long)row->min, (long long)row->max, (long long)row->initial);
	}
}

void driver_param_effect(const char *driver, enum param_place place, const char *name, int64_t value,
	struct param_effect *ret_effect)
{
	const struct driver_param *row = driver_param_find(driver, place, name);
	bool negative_timer;

	*ret_effect = (struct param_effect){.raw = -1};
	if (!row) {
		effect_of_no_row(driver, place, ret_effect);
		return;
	}
	ret_effect->source = row->source;
	for (size_t i = 0; i < ARRAY_SIZE(value_rows); i++) {
		const struct value_row *v = &value_rows[i];

		if (strcmp(v->driver, row->driver) != 0 || v->place != place ||
			strcmp(v->name, row->name) != 0 || value < v->low || value > v->high)
			continue;
		ret_effect->verdict = v->verdict;
		ret_effect->source = v->source;
		say(ret_effect, "%s", v->text);
		return;
	}
	negative_timer = row->conversion == CONVERT_NFE_US && value < 0 && -value <= row->max;
	if ((value < row->min && !negative_timer) || value > row->max)
		effect_of_range(row, value, ret_effect);
	else
		convert(row, value, ret_effect);
}
