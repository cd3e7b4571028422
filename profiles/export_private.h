/* SPDX-License-Identifier: BSD-2-Clause */
/* What the exporters of profiles share. */
#ifndef MODERATO_PROFILES_EXPORT_PRIVATE_H
#define MODERATO_PROFILES_EXPORT_PRIVATE_H

#include <stdio.h>

#include "profiles/export.h"

struct kernel_driver {
	enum chip_family family;
	const char *module;
	const char *ethtool_chips_not;
	enum intmode default_intmode;
	unsigned ring_min;
	bool ring_by_module;
	const char *source;
};

struct module_param {
	enum knob_id knob;
	unsigned families;
	const char *name;
	uint32_t max;
};

/* One export under way. */
struct export
{
	const struct profile *profile;
	const struct export_options *options;
	const struct chip *chip;
	const struct kernel_driver *driver;
	FILE *out;
};

extern const struct module_param module_param_table[];
extern const size_t module_param_count;

/** export_comment() - "# " and the text, control characters replaced. */
void export_comment(const struct export *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** export_heading() - what the lines are, where they come from, and what they must not be taken
 * for. */
void export_heading(const struct export *x);
/** export_value_text() - "375 (384.0 us)", in @buf; returns it. */
char *export_value_text(const struct export *x, enum knob_id knob, char *buf, size_t size);
/** export_blocked_tx() - is it a transmit knob that must not be transferred? Comments on it then.
 */
bool export_blocked_tx(const struct export *x, enum knob_id knob);
/** export_not_expressible() - comment on the knobs no kernel driver can be told. */
void export_not_expressible(const struct export *x);
/**
 * export_throttle() - the throttle that acts: ITR, or EITR0 in MSI-X
 * Comments when the MSI-X vectors differ, since the driver gives all the same.
 * Return: false when the setting names none.
 */
bool export_throttle(const struct export *x, enum knob_id *ret_knob, uint32_t *ret_value);

/* ITR as the kernel's drivers compute it from interrupts a second. */
uint32_t export_rate_to_itr(uint32_t rate_per_s);

void export_ethtool(const struct export *x);
void export_modprobe(const struct export *x);

/* The pure parts, with their tests. */

#define USECS_MAX 10000 /* larger rx-usecs are refused [Linux e1000_ethtool.c, ethtool.c] */

/** export_usecs_refused() - 2, 5 to 9 and above USECS_MAX are refused by e1000 and e1000e. */
bool export_usecs_refused(uint32_t usecs);
/** export_usecs_is_mode() - 1, 3 and 4 select adaptive modes instead of a time. */
bool export_usecs_is_mode(uint32_t usecs);
/**
 * export_itr_to_usecs() - the rx-usecs value whose ITR comes nearest
 * Return: false when no value that is a time comes within half a microsecond: @ret_usecs is then
 * the nearest that the driver takes, a different setting.
 */
bool export_itr_to_usecs(uint32_t itr, uint32_t *ret_usecs);
/** export_itr_to_rate() - as above for InterruptThrottleRate: a multiple of 4 in 100..100000, or 0.
 */
bool export_itr_to_rate(uint32_t itr, uint32_t *ret_rate);

#endif
