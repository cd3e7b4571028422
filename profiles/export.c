/* SPDX-License-Identifier: BSD-2-Clause */
/* Exporting profiles: choice of target, and the comments that every target shares. */
#include "profiles/export.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"
#include "profiles/export_private.h"

static const struct kernel_driver kernel_driver_table[] = {
#define KERNEL_DRIVER(family, module, chips_not, mode, ring_min, ring_by_module, source)           \
	{family, module, chips_not, INTMODE_##mode, ring_min, ring_by_module, source},
#include "profiles/export.def"
};

const struct module_param module_param_table[] = {
#define MODULE_PARAM(knob, families, name, max, source) {KNOB_##knob, families, name, max},
#include "profiles/export.def"
};
const size_t module_param_count = ARRAY_SIZE(module_param_table);

static const struct {
	enum knob_id knob;
	const char *instead;
} not_expressible_table[] = {
#define NOT_EXPRESSIBLE(knob, instead) {KNOB_##knob, instead},
#include "profiles/export.def"
};

static const char *const target_names[] = {
	[EXPORT_ETHTOOL] = "ethtool",
	[EXPORT_MODPROBE] = "modprobe.d",
	[EXPORT_JSON] = "json",
};

int export_target_parse(const char *text, enum export_target *ret_target, struct error *err)
{
	for (unsigned i = 0; i < ARRAY_SIZE(target_names); i++) {
		if (!strcmp(text, target_names[i])) {
			*ret_target = i;
			return 0;
		}
	}
	return error_usage(
		err, "unknown target \"%.40s\": it may be ethtool, modprobe.d or json", text);
}

void export_comment(const struct export *x, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++) {
		if (iscntrl((unsigned char)*p))
			*p = '?';
	}
	fprintf(x->out, "# %s\n", text);
}

void export_heading(const struct export *x)
{
	const struct profile *p = x->profile;

	export_comment(x, "%s: setting %s for the %s with Linux's %s", p->tool, p->setting.name,
		p->chip.name, x->driver->module);
	export_comment(x, "profile of %s; measured on %s, path %s, %s, %" PRId64 " Mb/s",
		p->created, p->cpu.name, p->path, p->chip.intmode, p->chip.speed_mbps);
	if (p->simulated)
		export_comment(x, "measured on a simulated chip: verify on the real one");
	if (p->chip.speed_mbps != 1000 &&
		chip_tick_scale(x->chip, (unsigned)p->chip.speed_mbps) > 1)
		export_comment(x,
			"at %" PRId64 " Mb/s a tick lasts %u times as long and the driver does not "
			"correct for it: times below are those of 1000 Mb/s",
			p->chip.speed_mbps, chip_tick_scale(x->chip, (unsigned)p->chip.speed_mbps));
}

char *export_value_text(const struct export *x, enum knob_id knob, char *buf, size_t size)
{
	uint32_t value = x->profile->setting.values.value[knob];
	uint64_t ns;

	if (profile_knob_ns(x->chip, knob, value, 1000, &ns))
		(void)snprintf(buf, size, "%s %" PRIu32 " (%.3f us)", knob_table[knob].name, value,
			(double)ns / 1e3);
	else
		(void)snprintf(buf, size, "%s %" PRIu32, knob_table[knob].name, value);
	return buf;
}

bool export_blocked_tx(const struct export *x, enum knob_id knob)
{
	char text[64];

	if (x->profile->tx_transferable || !profile_knob_is_tx(knob))
		return false;
	export_comment(x, "%s: not written: " PROFILE_TX_MARK " until verified there",
		export_value_text(x, knob, text, sizeof(text)));
	return true;
}

void export_not_expressible(const struct export *x)
{
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(not_expressible_table); i++) {
		enum knob_id knob = not_expressible_table[i].knob;

		if (settings_has(&x->profile->setting.values, knob) && !export_blocked_tx(x, knob))
			export_comment(x, "%s: not expressible: %s",
				export_value_text(x, knob, text, sizeof(text)),
				not_expressible_table[i].instead);
	}
}

static enum intmode profile_intmode(const struct profile *p)
{
	enum intmode mode = INTMODE_MSI;

	(void)intmode_parse(p->chip.intmode, &mode);
	return mode;
}

/* The driver writes one value to every vector; say so where the setting wants another. */
static void comment_vectors(const struct export *x, bool msix)
{
	const struct settings *s = &x->profile->setting.values;
	char text[64];

	for (unsigned id = KNOB_EITR0; id <= KNOB_EITR4; id++) {
		if (!settings_has(s, id))
			continue;
		if (!msix)
			export_comment(x, "%s: without effect in %s",
				export_value_text(x, id, text, sizeof(text)),
				x->profile->chip.intmode);
		else if (id != KNOB_EITR0 && settings_has(s, KNOB_EITR0) &&
			 s->value[id] != s->value[KNOB_EITR0])
			export_comment(x,
				"%s: not expressible: the driver gives every vector the value of "
				"EITR0",
				export_value_text(x, id, text, sizeof(text)));
		else if (id != KNOB_EITR0)
			export_comment(x,
				"%s: comes with EITR0, the driver gives every vector the same",
				export_value_text(x, id, text, sizeof(text)));
	}
	if (msix && settings_has(s, KNOB_ITR))
		export_comment(x, "%s: without effect in msix, EITR0 acts",
			export_value_text(x, KNOB_ITR, text, sizeof(text)));
}

bool export_throttle(const struct export *x, enum knob_id *ret_knob, uint32_t *ret_value)
{
	bool msix = profile_intmode(x->profile) == INTMODE_MSIX;
	enum knob_id knob = msix ? KNOB_EITR0 : KNOB_ITR;

	comment_vectors(x, msix);
	if (!settings_has(&x->profile->setting.values, knob)) {
		export_comment(x, "%s: not in the profile, the driver's own rate stays",
			knob_table[knob].name);
		return false;
	}
	*ret_knob = knob;
	*ret_value = x->profile->setting.values.value[knob];
	return true;
}

static int check_options(const struct export_options *options, struct error *err)
{
	const char *name = options->interface;

	if (options->ports < 1 || options->ports > EXPORT_PORTS_MAX)
		return error_usage(
			err, "ports must be 1..%d: the modules' lists end there", EXPORT_PORTS_MAX);
	if (!name)
		return 0;
	if (!*name || strlen(name) > 15 || !strcmp(name, ".") || !strcmp(name, ".."))
		return error_usage(err, "\"%.40s\" cannot be the name of an interface", name);
	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-@", *p))
			return error_usage(err,
				"interface name \"%.40s\": letters, digits and . _ - @ are "
				"accepted",
				name);
	}
	return 0;
}

static int find_driver(struct export *x, struct error *err)
{
	x->chip = chip_find(x->profile->chip.name);
	for (size_t i = 0; x->chip && i < ARRAY_SIZE(kernel_driver_table); i++) {
		if (kernel_driver_table[i].family == x->chip->family)
			x->driver = &kernel_driver_table[i];
	}
	if (!x->driver)
		return error_set(err, -EOPNOTSUPP, "no kernel driver is known for the chip %s",
			x->profile->chip.name);
	return 0;
}

static int export_json(const struct profile *profile, FILE *out)
{
	json_t *document = profile_to_json(profile);
	int rc;

	if (!document)
		return -ENOMEM;
	rc = json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) ? -EIO : 0;
	fputc('\n', out);
	json_decref(document);
	return rc;
}

int profile_export(const struct profile *profile, enum export_target target,
	const struct export_options *options, char **ret_text, struct error *err)
{
	struct export x = {.profile = profile, .options = options};
	char *text = NULL;
	size_t size;
	int rc = check_options(options, err);

	if (!rc && target != EXPORT_JSON)
		rc = find_driver(&x, err);
	if (rc)
		return rc;
	x.out = open_memstream(&text, &size);
	if (!x.out)
		return error_sys(err, -ENOMEM, "cannot export");
	if (target == EXPORT_ETHTOOL)
		export_ethtool(&x);
	else if (target == EXPORT_MODPROBE)
		export_modprobe(&x);
	else
		rc = export_json(profile, x.out);
	if (fclose(x.out) || rc || !size) {
		free(text);
		return error_sys(err, -ENOMEM, "cannot export");
	}
	*ret_text = text;
	return 0;
}
