/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of knob values: merging, comparing, parsing what a person wrote, writing it back. */
#include "common/chips/knob.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/clock.h"
#include "common/util.h"

static const struct time_unit {
	const char *name;
	double ns;
} time_units[] = {
	{"ns", 1},
	{"us", (double)NS_PER_US},
	{"ms", (double)NS_PER_MS},
	{"s", (double)NS_PER_S},
};

void settings_merge(struct settings *into, const struct settings *from)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(from, (enum knob_id)id))
			settings_put(into, (enum knob_id)id, from->value[id]);
}

bool settings_equal(const struct settings *a, const struct settings *b)
{
	if (a->present != b->present)
		return false;
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (settings_has(a, (enum knob_id)id) && a->value[id] != b->value[id])
			return false;
	return true;
}

static const struct time_unit *time_unit_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++)
		if (!strcmp(time_units[i].name, name))
			return &time_units[i];
	return NULL;
}

static int fail_unknown_knob(const char *name, struct error *err)
{
	const char *near = knob_suggest(name);
	char names[300] = "";
	size_t used = 0;

	if (near)
		return error_usage(
			err, "no knob is called \"%.40s\"; did you mean %s?", name, near);
	for (size_t i = 0; i < KNOB_COUNT; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
			knob_table[i].name);
	return error_usage(err, "no knob is called \"%.40s\"; the knobs are %s", name, names);
}

static int fail_range(const struct knob *knob, const char *value, struct error *err)
{
	if (!knob->unit_ps)
		return error_usage(err, "%s=%.40s is out of range: %u to %u", knob->name, value,
			knob->min, knob->max);
	return error_usage(err,
		"%s=%.40s is out of range: %u to %u units of %.15g us, at most %.15g ms",
		knob->name, value, knob->min, knob->max, knob->unit_ps / 1e6,
		(double)knob->max * knob->unit_ps / 1e9);
}

static int fail_form(const struct knob *knob, const char *value, struct error *err)
{
	if (!knob->unit_ps)
		return error_usage(err, "%s: \"%.40s\" is not a whole number of %u to %u",
			knob->name, value, knob->min, knob->max);
	return error_usage(err,
		"%s: \"%.40s\" is neither a whole number of %u to %u nor a time such as 384us",
		knob->name, value, knob->min, knob->max);
}

static int parse_intmode(const char *text, uint32_t *ret_value, struct error *err)
{
	enum intmode mode;

	if (intmode_parse(text, &mode))
		return error_usage(err, "intmode: \"%.40s\" is not intx, msi or msix", text);
	*ret_value = (uint32_t)mode;
	return 0;
}

/* Digits and a unit. The number has its own scanner, because strtod() would also take "inf", "nan",
 * exponents and hexadecimal fractions. */
static int parse_time(
	const struct knob *knob, const char *text, struct error *err, uint32_t *ret_value)
{
	size_t digits = strspn(text, "0123456789.");
	const struct time_unit *unit = time_unit_find(text + digits);
	const char *dot = memchr(text, '.', digits);
	double ns, limit_ns = (double)knob->max * knob->unit_ps / 1e3;
	uint32_t ticks;

	if (!unit || !isdigit((unsigned char)text[digits - 1]) ||
		(dot && memchr(dot + 1, '.', digits - (size_t)(dot + 1 - text))))
		return fail_form(knob, text, err);
	ns = strtod(text, NULL) * unit->ns;
	if (!knob->unit_ps)
		return error_usage(err,
			"%s=%.40s: %s is not a time; give a whole number of %u to %u", knob->name,
			text, knob->name, knob->min, knob->max);
	if (ns > limit_ns + knob->unit_ps / 2e3)
		return fail_range(knob, text, err);
	ticks = knob_ns_to_ticks(knob, (uint64_t)(ns + 0.5), 1);
	if (!ticks && ns > 0)
		return error_usage(err,
			"%s=%.40s is less than half of the unit, %.15g us; give 0 to switch it off",
			knob->name, text, knob->unit_ps / 1e6);
	*ret_value = ticks;
	return 0;
}

static int parse_value(
	const struct knob *knob, const char *text, uint32_t *ret_value, struct error *err)
{
	const char *digits = text;
	unsigned long long value;
	int base = 10;
	char *end;

	if (knob->id == KNOB_INTMODE)
		return parse_intmode(text, ret_value, err);
	if (text[0] == '-' && isdigit((unsigned char)text[1]))
		return fail_range(knob, text, err);
	if (!isdigit((unsigned char)text[0]))
		return fail_form(knob, text, err);
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		digits = text + 2;
		base = 16;
		if (!isxdigit((unsigned char)*digits))
			return fail_form(knob, text, err);
	}
	errno = 0;
	value = strtoull(digits, &end, base);
	if (*end)
		return base == 16 ? fail_form(knob, text, err)
				  : parse_time(knob, text, err, ret_value);
	if (errno || value < knob->min || value > knob->max)
		return fail_range(knob, text, err);
	*ret_value = (uint32_t)value;
	return 0;
}

/* One "NAME=VALUE"; the knob and its value go out separately, so that callers can check first. */
static int parse_assignment(
	const char *text, enum knob_id *ret_id, uint32_t *ret_value, struct error *err)
{
	const char *equals = strchr(text, '=');
	const struct knob *knob;
	char name[64];
	int r;

	if (!equals || equals == text || !equals[1])
		return error_usage(err,
			"\"%.60s\" is not NAME=VALUE, for example ITR=1500 or RDTR=384us", text);
	(void)snprintf(name, sizeof(name), "%.*s", (int)MIN(equals - text, 63), text);
	knob = knob_find(name);
	if (!knob)
		return fail_unknown_knob(name, err);
	r = parse_value(knob, equals + 1, ret_value, err);
	if (r)
		return r;
	*ret_id = knob->id;
	return 0;
}

int settings_parse_assignment(struct settings *settings, const char *text, struct error *err)
{
	enum knob_id id;
	uint32_t value;
	int r = parse_assignment(text, &id, &value, err);

	if (r)
		return r;
	settings_put(settings, id, value);
	return 0;
}

int settings_parse_list(struct settings *settings, const char *text, struct error *err)
{
	static const char separators[] = ", \t\n";
	struct settings list = {0};
	char word[128];
	size_t len;

	for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
		enum knob_id id;
		uint32_t value;
		int r;

		len = strcspn(text, separators);
		if (len >= sizeof(word))
			return error_usage(err, "\"%.40s...\" is too long for a setting", text);
		(void)snprintf(word, sizeof(word), "%.*s", (int)len, text);
		r = parse_assignment(word, &id, &value, err);
		if (r)
			return r;
		if (settings_has(&list, id))
			return error_usage(
				err, "%s is given twice in one list", knob_table[id].name);
		settings_put(&list, id, value);
		text += len;
	}
	settings_merge(settings, &list);
	return 0;
}

char *settings_format(const struct settings *settings, char *buf, unsigned long size)
{
	char value[32];
	size_t used = 0;

	if (size)
		buf[0] = '\0';
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		if (!settings_has(settings, (enum knob_id)id) || used >= size)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s=%s", used ? " " : "",
			knob_table[id].name,
			knob_format_value(
				&knob_table[id], settings->value[id], value, sizeof(value)));
	}
	return buf;
}
