/* SPDX-License-Identifier: BSD-2-Clause */
/* A shell script of ethtool commands: the throttle and the rings; the timers are out of its reach.
 */
#include "profiles/export_private.h"

#include <inttypes.h>

#include "common/list.h"

/* ethtool exits 80 when a value is in force already [ethtool before 6.0, NO CHANGE]. */
#define RUN_SUFFIX " || [ $? -eq 80 ]"

static void write_head(const struct export *x)
{
	fputs("#!/bin/sh\n", x->out);
	export_heading(x);
	fputs("set -e\n", x->out);
	if (x->options->interface)
		fprintf(x->out, "iface='%s'\n", x->options->interface);
	else
		fputs("iface=${1:?usage: sh FILE INTERFACE}\n", x->out);
	fputs("driver=$(ethtool -i \"$iface\" | sed -n 's/^driver: //p')\n", x->out);
	fprintf(x->out,
		"[ \"$driver\" = %s ] || { echo \"$iface is run by ${driver:-no driver}, not by "
		"%s\" >&2; exit 1; }\n",
		x->driver->module, x->driver->module);
}

/* How the stored rate, without its low bits, is shown by `ethtool -c`. */
static uint32_t usecs_read_back(uint32_t usecs)
{
	uint32_t stored = usecs ? 1000000 / usecs & ~3u : 0;

	return stored ? 1000000 / stored : 0;
}

static void write_usecs(const struct export *x, enum knob_id knob, uint32_t itr, uint32_t usecs)
{
	const char *name = knob_table[knob].name;
	uint32_t got = usecs ? export_rate_to_itr(1000000 / usecs) : 0;
	char text[64];

	export_value_text(x, knob, text, sizeof(text));
	if (!usecs)
		export_comment(x, "%s: rx-usecs 0 switches the throttle off", text);
	else if (got == itr)
		export_comment(x,
			"%s: the driver turns rx-usecs %" PRIu32 " into the same value of %s", text,
			usecs, name);
	else
		export_comment(x,
			"%s: rounded: the driver turns rx-usecs %" PRIu32 " into %s %" PRIu32
			" (%.3f us)",
			text, usecs, name, got, got * 0.256);
	if (usecs_read_back(usecs) != usecs)
		export_comment(x,
			"it stores a rate that is a multiple of 4: reads back as rx-usecs %" PRIu32,
			usecs_read_back(usecs));
	fprintf(x->out, "ethtool -C \"$iface\" rx-usecs %" PRIu32 RUN_SUFFIX "\n", usecs);
}

static void write_throttle(const struct export *x)
{
	enum knob_id knob;
	uint32_t itr, usecs;
	char text[64];

	if (!export_throttle(x, &knob, &itr))
		return;
	export_value_text(x, knob, text, sizeof(text));
	if (list_has(x->driver->ethtool_chips_not, x->chip->name, ','))
		export_comment(x, "%s: not expressible: %s refuses `ethtool -C` on the %s", text,
			x->driver->module, x->chip->name);
	else if (!export_itr_to_usecs(itr, &usecs))
		export_comment(x,
			"%s: not expressible: the driver takes rx-usecs 0 and 10 to %d (2 and 5 to "
			"9 are refused; 1, 3 and 4 are adaptive modes); nearest is %" PRIu32
			", not written because it is another setting than the one measured",
			text, USECS_MAX, usecs);
	else
		write_usecs(x, knob, itr, usecs);
}

static void comment_timers(const struct export *x)
{
	const struct settings *s = &x->profile->setting.values;
	char text[64];

	for (size_t i = 0; i < module_param_count; i++) {
		const struct module_param *param = &module_param_table[i];

		if (!knob_table[param->knob].unit_ps || !settings_has(s, param->knob) ||
			export_blocked_tx(x, param->knob))
			continue;
		export_comment(x,
			"%s: not expressible by ethtool; module parameter %s sets it (--to "
			"modprobe.d)",
			export_value_text(x, param->knob, text, sizeof(text)), param->name);
	}
}

static void comment_intmode(const struct export *x)
{
	if (x->driver->family == FAM_E1000)
		export_comment(x, "intmode %s: the driver uses intx", x->profile->chip.intmode);
	else
		export_comment(x,
			"intmode %s: not expressible by ethtool; module parameter IntMode sets it "
			"(--to modprobe.d), the driver by itself takes %s where the chip has it",
			x->profile->chip.intmode, intmode_name(x->driver->default_intmode));
}

static void write_rings(const struct export *x)
{
	static const enum knob_id rings[] = {KNOB_RX_RING, KNOB_TX_RING};
	const struct settings *s = &x->profile->setting.values;

	for (size_t i = 0; i < 2; i++) {
		if (!settings_has(s, rings[i]) || export_blocked_tx(x, rings[i]))
			continue;
		export_comment(x, "%s %" PRIu32, knob_table[rings[i]].name, s->value[rings[i]]);
		fprintf(x->out, "ethtool -G \"$iface\" %s %" PRIu32 RUN_SUFFIX "\n",
			i ? "tx" : "rx", s->value[rings[i]]);
	}
}

static void write_speed(const struct export *x)
{
	const struct settings *s = &x->profile->setting.values;

	if (!settings_has(s, KNOB_SPEED))
		return;
	export_comment(x, "speed %" PRIu32 "%s", s->value[KNOB_SPEED],
		s->value[KNOB_SPEED] ? "" : ": negotiated, as the driver does by itself");
	if (s->value[KNOB_SPEED])
		fprintf(x->out, "ethtool -s \"$iface\" speed %" PRIu32 " duplex full autoneg off\n",
			s->value[KNOB_SPEED]);
}

void export_ethtool(const struct export *x)
{
	write_head(x);
	comment_intmode(x);
	comment_timers(x);
	export_not_expressible(x);
	write_speed(x);
	write_rings(x);
	write_throttle(x);
}
