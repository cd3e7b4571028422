/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a profile hold together, and does it claim no more than its numbers carry? */
#include "profiles/profile.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check_pci_id(const struct profile_chip *chip, const struct chip *row, struct error *err)
{
	char id[16];

	(void)snprintf(id, sizeof(id), "%04x:%04x", row->vendor, row->device);
	if (strcmp(id, chip->pci_id))
		return error_usage(err, "chip.pci_id is \"%.20s\", but the %s is %s", chip->pci_id,
			row->name, id);
	if (strcmp(chip->family, chip_family_name(row->family)))
		return error_usage(err, "chip.family is \"%s\", but the %s is of the family %s",
			chip->family, row->name, chip_family_name(row->family));
	return 0;
}

static int check_chip(const struct profile *p, struct error *err)
{
	const struct chip *row = chip_find(p->chip.name);
	int64_t speed = p->chip.speed_mbps;
	enum intmode mode;
	int rc;

	if (!row)
		return error_usage(err, "chip.name: unknown chip \"%.40s\"", p->chip.name);
	rc = check_pci_id(&p->chip, row, err);
	if (rc)
		return rc;
	if (speed != 10 && speed != 100 && speed != 1000)
		return error_usage(err, "chip.speed_mbps must be 10, 100 or 1000");
	if (intmode_parse(p->chip.intmode, &mode) || !(row->intmodes & INTMODE_BIT(mode)))
		return error_usage(
			err, "chip.intmode: the %s has no %s", row->name, p->chip.intmode);
	if (settings_has(&p->setting.values, KNOB_INTMODE) &&
		p->setting.values.value[KNOB_INTMODE] != mode)
		return error_usage(
			err, "setting: intmode is not that of chip.intmode (%s)", p->chip.intmode);
	rc = chip_check_settings(row, &p->setting.values, err);
	if (rc)
		return error_context(err, "setting");
	rc = chip_check_settings(row, &p->baseline.values, err);
	return rc ? error_context(err, "baseline") : 0;
}

/* ln of a ratio, turned so that above zero is better. */
static double gain(const struct profile_effect *e, double ratio)
{
	return strcmp(e->better, "less") ? log(ratio) : -log(ratio);
}

static int check_interval(const struct profile_effect *e, struct error *err)
{
	bool has = !isnan(e->low) && !isnan(e->high) && !isnan(e->confidence);
	bool any = !isnan(e->low) || !isnan(e->high) || !isnan(e->confidence);

	if (!isfinite(e->ratio) || e->ratio <= 0)
		return error_usage(
			err, "effects: %s, %s: the ratio must be above 0", e->cell, e->metric);
	if (any && !has)
		return error_usage(err, "effects: %s, %s: low, high and confidence go together",
			e->cell, e->metric);
	if (has && !(e->low > 0 && e->low <= e->ratio && e->ratio <= e->high && isfinite(e->high)))
		return error_usage(err, "effects: %s, %s: the interval does not hold the ratio",
			e->cell, e->metric);
	if (has && !(e->confidence >= 0.5 && e->confidence < 1))
		return error_usage(err, "effects: %s, %s: the confidence must be 0.5 to 1", e->cell,
			e->metric);
	return 0;
}

/* A verdict needs an interval from enough pairs, and the interval must lie where the verdict says.
 */
static int check_verdict(const struct profile_effect *e, struct error *err)
{
	bool proven = strcmp(e->verdict, "not proven") != 0;
	double low, high;
	bool holds = true;

	if (e->n < 1)
		return error_usage(
			err, "effects: %s, %s: n must be at least 1", e->cell, e->metric);
	if (proven != e->proven)
		return error_usage(err,
			"effects: %s, %s: \"proven\" and the verdict \"%s\" disagree", e->cell,
			e->metric, e->verdict);
	if (!proven)
		return 0;
	if (e->n < PROFILE_LEAST_PROOF || isnan(e->low))
		return error_usage(err,
			"effects: %s, %s: \"%s\" cannot be proven without an interval from %d "
			"pairs or more",
			e->cell, e->metric, e->verdict, PROFILE_LEAST_PROOF);
	low = fmin(gain(e, e->low), gain(e, e->high));
	high = fmax(gain(e, e->low), gain(e, e->high));
	if (!strcmp(e->verdict, "better"))
		holds = low > 0;
	else if (!strcmp(e->verdict, "worse"))
		holds = high < 0;
	else if (!isnan(e->smallest_effect))
		holds = fmax(-low, high) <= log1p(e->smallest_effect) * (1 + 1e-9);
	if (!holds)
		return error_usage(err,
			"effects: %s, %s: the interval does not carry the verdict \"%s\"", e->cell,
			e->metric, e->verdict);
	return 0;
}

/* Control characters could end a comment line of an exported file. */
static int check_text(const char *text, const char *where, struct error *err)
{
	for (const char *p = text; *p; p++) {
		if (iscntrl((unsigned char)*p))
			return error_usage(err, "%s holds a control character", where);
	}
	return 0;
}

static int check_texts(const struct profile *p, struct error *err)
{
	int rc = check_text(p->workload, "workload", err);

	rc = rc ?: check_text(p->tool, "tool", err);
	rc = rc ?: check_text(p->created, "created", err);
	rc = rc ?: check_text(p->setting.name, "setting.name", err);
	rc = rc ?: check_text(p->baseline.name, "baseline.name", err);
	rc = rc ?: check_text(p->cpu.name, "cpu.name", err);
	rc = rc ?: check_text(p->cpu.key, "cpu.key", err);
	rc = rc ?: check_text(p->evidence.store, "evidence.store", err);
	return rc ?: check_text(p->evidence.command, "evidence.command", err);
}

int profile_check(const struct profile *profile, struct error *err)
{
	int rc = check_chip(profile, err);

	if (!rc && !*profile->cpu.key)
		rc = error_usage(err, "cpu.key is empty");
	if (!rc && !strcmp(profile->path, "tap") && profile->tx_transferable)
		rc = error_usage(err, "path is tap, so tx_transferable must be false");
	if (!rc && !profile->setting.values.present)
		rc = error_usage(err, "setting: no values");
	rc = rc ?: check_texts(profile, err);
	for (size_t i = 0; i < profile->effect_count && !rc; i++) {
		rc = check_interval(&profile->effects[i], err);
		rc = rc ?: check_verdict(&profile->effects[i], err);
	}
	return rc;
}
