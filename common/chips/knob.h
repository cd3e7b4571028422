/* SPDX-License-Identifier: BSD-2-Clause */
/* Knobs (tunables) as data, and a set of knob values. */
#ifndef MODERATO_COMMON_CHIPS_KNOB_H
#define MODERATO_COMMON_CHIPS_KNOB_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define KNOB(id, name, kind, reg, unit_ps, min, max, initial, restart, meaning, hazard, source)     \
	KNOB_##id,
enum knob_id {
#include "common/chips/knobs.def"
	KNOB_COUNT
};
#undef KNOB

enum knob_kind { KNOB_KIND_REGISTER, KNOB_KIND_DRIVER };

/* Interrupt modes; the values of the knob `intmode`. */
enum intmode { INTMODE_INTX, INTMODE_MSI, INTMODE_MSIX };
#define INTMODE_COUNT	 3
#define INTMODE_BIT(mode) (1u << (mode))

struct knob {
	enum knob_id id;
	const char *name; /* datasheet name, or lower case for a pseudo-knob */
	enum knob_kind kind;
	uint32_t reg;	  /* register offset, 0 for a pseudo-knob */
	uint32_t unit_ps; /* picoseconds per unit at 1000 Mb/s; 0: not a time */
	uint32_t min, max, initial;
	bool restart;	     /* needs a restart of the device */
	const char *meaning; /* one line */
	const char *hazard;  /* one line or "" */
	const char *source;
};

extern const struct knob knob_table[KNOB_COUNT];

/** knob_find() - row by name (case of letters ignored) or NULL. */
const struct knob *knob_find(const char *name);
/** knob_suggest() - name of the row nearest to a misspelt @name (at most two edits away), or NULL. */
const char *knob_suggest(const char *name);

const char *intmode_name(enum intmode mode);
/** intmode_parse() - "intx", "msi", "msix" (or "msi-x"), any case. Return: 0 or -EINVAL. */
int intmode_parse(const char *text, enum intmode *ret_mode);

/** knob_ticks_to_ns() - @value units of @knob in nanoseconds, ticks @tick_scale times as long. */
uint64_t knob_ticks_to_ns(const struct knob *knob, uint32_t value, unsigned tick_scale);
/** knob_ns_to_ticks() - nearest register value for @ns, clamped to the knob's range. */
uint32_t knob_ns_to_ticks(const struct knob *knob, uint64_t ns, unsigned tick_scale);
/** knob_rate_per_s() - interrupts a second that a throttle interval allows; 0 when it is off. */
double knob_rate_per_s(const struct knob *knob, uint32_t value, unsigned tick_scale);

/* A set of knob values; only members with their bit in `present` mean anything. */
struct settings {
	uint32_t present; /* bit per knob_id */
	uint32_t value[KNOB_COUNT];
};
_Static_assert(KNOB_COUNT <= 32, "settings.present has 32 bits");

static inline bool settings_has(const struct settings *s, enum knob_id id)
{
	return (s->present >> id) & 1u;
}

static inline void settings_put(struct settings *s, enum knob_id id, uint32_t value)
{
	s->present |= 1u << id;
	s->value[id] = value;
}

/** settings_merge() - values present in @from overwrite those in @into. */
void settings_merge(struct settings *into, const struct settings *from);
/** settings_equal() - same knobs present with the same values. */
bool settings_equal(const struct settings *a, const struct settings *b);

/**
 * settings_parse_assignment() - "NAME=VALUE" into @settings
 * VALUE: a number in register units (decimal or 0x), a time with a unit ("384us", "1.5ms", "500ns";
 * nearest tick, only for time knobs), or a mode name for intmode.
 * Return: 0, or -EINVAL with a sentence that names the knob, the value and the range (or the nearest
 * knob name); @settings is then unchanged.
 */
int settings_parse_assignment(struct settings *settings, const char *text, struct error *err);

/** settings_parse_list() - assignments separated by spaces or commas; all or nothing. */
int settings_parse_list(struct settings *settings, const char *text, struct error *err);

/** settings_format() - "ITR=1500 RDTR=0 intmode=msi" in table order; returns @buf. */
char *settings_format(const struct settings *settings, char *buf, unsigned long size);

/** knob_format_value() - "1500", or the mode's name for intmode; returns @buf. */
char *knob_format_value(const struct knob *knob, uint32_t value, char *buf, unsigned long size);

#endif
