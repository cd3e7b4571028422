/* SPDX-License-Identifier: BSD-2-Clause */
/* An options line for modprobe.d: interrupt mode, rate and receive timers of e1000 or e1000e. */
#include "profiles/export_private.h"

#include <inttypes.h>
#include <stdlib.h>

/* Parameters are lists with a position per port; every port gets the same value. */
static void add_param(const struct export *x, FILE *line, const char *name, uint32_t value)
{
	fprintf(line, " %s=%" PRIu32, name, value);
	for (unsigned port = 1; port < x->options->ports; port++)
		fprintf(line, ",%" PRIu32, value);
}

static void add_throttle(const struct export *x, FILE *line)
{
	enum knob_id knob;
	uint32_t itr, rate, got;
	char text[64];

	if (!export_throttle(x, &knob, &itr))
		return;
	export_value_text(x, knob, text, sizeof(text));
	if (!export_itr_to_rate(itr, &rate)) {
		export_comment(x,
			"%s: not expressible: InterruptThrottleRate takes 0 and 100 to 100000, and "
			"falls back to adaptive outside; not written",
			text);
		return;
	}
	got = export_rate_to_itr(rate);
	if (!rate)
		export_comment(x, "%s: InterruptThrottleRate 0 switches the throttle off", text);
	else if (got == itr)
		export_comment(x,
			"%s: %" PRIu32 " interrupts/s, the driver computes the same value back",
			text, rate);
	else
		export_comment(x,
			"%s: rounded: the rate is a multiple of 4, %" PRIu32
			" interrupts/s is %" PRIu32 " (%.3f us)",
			text, rate, got, got * 0.256);
	add_param(x, line, "InterruptThrottleRate", rate);
}

static void add_timers(const struct export *x, FILE *line)
{
	const struct settings *s = &x->profile->setting.values;
	char text[64];

	for (size_t i = 0; i < module_param_count; i++) {
		const struct module_param *param = &module_param_table[i];

		if (!(param->families & x->driver->family) || !settings_has(s, param->knob) ||
			export_blocked_tx(x, param->knob))
			continue;
		export_comment(x, "%s: %s", export_value_text(x, param->knob, text, sizeof(text)),
			param->name);
		if (param->knob == KNOB_RDTR && s->value[KNOB_RDTR])
			export_comment(x,
				"hazard of RxIntDelay: Intel's text on it says that a value "
				"above 0 may hang the adapter under certain conditions");
		add_param(x, line, param->name, s->value[param->knob]);
	}
}

static void add_intmode(const struct export *x, FILE *line)
{
	enum intmode mode = INTMODE_MSI;

	(void)intmode_parse(x->profile->chip.intmode, &mode);
	if (x->driver->family == FAM_E1000) {
		export_comment(x, "intmode %s: the driver has no IntMode, it uses intx",
			x->profile->chip.intmode);
		return;
	}
	/* The parameter counts as enum intmode does: 0 INTx, 1 MSI, 2 MSI-X [Linux e1000e param.c].
	 */
	export_comment(x,
		"intmode %s: IntMode; see /proc/interrupts for the mode in force, a refusal is "
		"silent",
		intmode_name(mode));
	add_param(x, line, "IntMode", mode);
}

static void comment_rest(const struct export *x)
{
	static const enum knob_id rings[] = {KNOB_RX_RING, KNOB_TX_RING};
	const struct settings *s = &x->profile->setting.values;
	char text[64];

	export_not_expressible(x);
	if (settings_has(s, KNOB_SPEED))
		export_comment(x, "%s: not by module parameter; `ethtool -s` sets it",
			export_value_text(x, KNOB_SPEED, text, sizeof(text)));
	for (size_t i = 0; i < 2 && !x->driver->ring_by_module; i++) {
		if (settings_has(s, rings[i]) && !export_blocked_tx(x, rings[i]))
			export_comment(x, "%s: not by module parameter; `ethtool -G` sets it",
				export_value_text(x, rings[i], text, sizeof(text)));
	}
}

static void comment_ports(const struct export *x)
{
	if (x->options->ports == 1)
		export_comment(x,
			"one value a parameter: the first port probed by %s; further ports keep "
			"their defaults (--ports N writes N)",
			x->driver->module);
	else
		export_comment(x,
			"%u values a parameter: the first %u ports probed by %s, all alike",
			x->options->ports, x->options->ports, x->driver->module);
	export_comment(x,
		"positions follow the order of probing, as a rule that of the PCI addresses in "
		"/sys/bus/pci/drivers/%s, not of the interface names",
		x->driver->module);
	export_comment(
		x, "acts when the module is loaded; rebuild the initramfs if it is loaded there");
}

void export_modprobe(const struct export *x)
{
	char *params = NULL;
	size_t size;
	FILE *line = open_memstream(&params, &size);

	if (!line)
		return;
	export_heading(x);
	add_intmode(x, line);
	add_throttle(x, line);
	add_timers(x, line);
	comment_rest(x);
	comment_ports(x);
	if (fclose(line) == 0 && size)
		fprintf(x->out, "options %s%s\n", x->driver->module, params);
	else
		export_comment(x, "nothing of this setting can be written here");
	free(params);
}
