/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a profile that says what the setting is and where it was measured. */
#include "tuner/profile_build_private.h"

#include <errno.h>
#include <string.h>

#include "common/json.h"

/* Knobs that a profile holds: moderation registers that exist in this mode, and what was asked for.
 */
static bool knob_belongs(enum knob_id id, enum intmode mode, const struct settings *asked)
{
	if (settings_has(asked, id) || id == KNOB_INTMODE)
		return true;
	if (knob_table[id].kind != KNOB_KIND_REGISTER || id == KNOB_RAID)
		return false;
	if (id >= KNOB_EITR0 && id <= KNOB_EITR4)
		return mode == INTMODE_MSIX && id <= KNOB_EITR2;
	return id != KNOB_ITR || mode != INTMODE_MSIX;
}

static int fill_setting(const struct profile_source *source, const struct store_config *config,
	struct profile_setting *ret_setting, struct error *err)
{
	struct settings complete, asked;
	enum intmode mode;
	int rc = json_to_settings(source->sweep.base, &complete, err);

	rc = rc ? rc : json_to_settings(config->asked, &asked, err);
	if (rc)
		return rc;
	settings_merge(&complete, &asked);
	mode = settings_has(&complete, KNOB_INTMODE) ? complete.value[KNOB_INTMODE] : INTMODE_MSI;
	(void)snprintf(ret_setting->name, sizeof(ret_setting->name), "%.*s", PROFILE_TEXT_MAX - 1,
		config->name);
	ret_setting->values = (struct settings){0};
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		if (settings_has(&complete, id) && knob_belongs(id, mode, &asked))
			settings_put(&ret_setting->values, id, complete.value[id]);
	}
	return 0;
}

static const json_t *member(const json_t *object, const char *a, const char *b)
{
	return json_object_get(json_object_get(object, a), b);
}

static int fill_chip(struct profile *p, const struct profile_source *source, struct error *err)
{
	const struct chip *chip = chip_find(source->sweep.chip);
	const json_t *link = member(p->environment, "daemon", "link");
	json_int_t speed = json_integer_value(json_object_get(link, "speed_mbps"));

	if (!chip)
		return error_set(err, -ENODATA, "the store's chip \"%.40s\" is not known here",
			source->sweep.chip);
	profile_copy_text(p->chip.name, chip->name);
	(void)snprintf(
		p->chip.pci_id, sizeof(p->chip.pci_id), "%04x:%04x", chip->vendor, chip->device);
	profile_copy_text(p->chip.family, chip_family_name(chip->family));
	profile_copy_text(p->chip.intmode, intmode_name(p->setting.values.value[KNOB_INTMODE]));
	p->chip.speed_mbps = speed ? speed : 1000;
	profile_copy_text(p->chip.driver, strcmp(p->path, "kernel") ? "moderatod" : "kernel");
	return 0;
}

/* The key tells the parts: vendor-family-model-stepping, or arm-0xII-0xPPP-rVpR of one kind of
 * core. */
static void fill_cpu_parts(struct profile_cpu *cpu)
{
	unsigned implementer, part, variant, revision;
	char vendor[32];
	int family, model, stepping;

	if (sscanf(cpu->key, "%31[^-]-%d-%d-%d", vendor, &family, &model, &stepping) == 4) {
		profile_copy_text(cpu->vendor, vendor);
		cpu->family = family;
		cpu->model = model;
		cpu->stepping = stepping;
	} else if (!strchr(cpu->key, '+') && sscanf(cpu->key, "arm-0x%x-0x%x-r%up%u", &implementer,
						     &part, &variant, &revision) == 4) {
		cpu->implementer = implementer;
		cpu->part = part;
		cpu->variant = variant;
		cpu->revision = revision;
	}
}

static void fill_cpu(struct profile *p)
{
	const json_t *count = member(p->environment, "cpu", "count");

	profile_copy_text(p->cpu.key, json_string_value(member(p->environment, "cpu", "key")));
	profile_copy_text(p->cpu.name, json_string_value(member(p->environment, "cpu", "name")));
	if (!*p->cpu.key)
		profile_copy_text(p->cpu.key, "unknown");
	if (json_is_integer(count))
		p->cpu.count = json_integer_value(count);
	fill_cpu_parts(&p->cpu);
}

static int fill_place(
	struct profile_build *b, const struct profile_source *source, struct error *err)
{
	struct profile *p = b->profile;
	json_t *environment = NULL;

	if (!store_read_environment(b->store, source->sweep.id, &environment, NULL)) {
		json_decref(p->environment);
		p->environment = environment;
	}
	profile_copy_text(p->path, source->sweep.path_kind);
	p->simulated = !strncmp(source->sweep.device, "sim:", 4);
	p->tx_transferable = strcmp(p->path, "tap") != 0;
	fill_cpu(p);
	return fill_chip(p, source, err);
}

int profile_fill_place(
	struct profile_build *b, const struct profile_source *source, struct error *err)
{
	int rc = fill_setting(source, source->setting, &b->profile->setting, err);

	rc = rc ? rc : fill_setting(source, source->baseline, &b->profile->baseline, err);
	return rc ? rc : fill_place(b, source, err);
}
