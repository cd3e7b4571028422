/* SPDX-License-Identifier: BSD-2-Clause */
/* Cards as JSON: what the tables of common/chips and the presets say of a part. */
#include <stdio.h>

#include "profiles/preset.h"
#include "tuner/card_view.h"

static void append(json_t *array, json_t *value)
{
	(void)json_array_append_new(array, value);
}

static json_t *intmodes_json(unsigned intmodes)
{
	json_t *array = json_array();

	for (unsigned mode = 0; mode < INTMODE_COUNT; mode++)
		if (intmodes & INTMODE_BIT(mode))
			append(array, json_string(intmode_name((enum intmode)mode)));
	return array;
}

static json_t *id_json(const struct card_part *part)
{
	return json_sprintf("%04x:%04x", part->vendor, part->device);
}

static json_t *part_json(const struct card_part *part)
{
	return json_pack("{s:o, s:s, s:b, s:s}", "id", id_json(part), "name", part->name, "driven",
		part->reason && !*part->reason, "reason",
		part->reason ? part->reason : "unknown to the driver");
}

/* All parts of a card: their ids, or everything about them. */
static json_t *parts_json(const struct card *card, json_t *(*one)(const struct card_part *part))
{
	json_t *array = json_array();
	struct card_part part;

	for (size_t i = 0; card_part_at(i, &part); i++)
		if (card_of_part(part.name) == card)
			append(array, one(&part));
	return array;
}

static json_t *list_row(const struct card *card)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:s}", "name", card->name, "family",
		card_family_name(card->family), "state", card_state_name(card_state(card)),
		"simulated", card_simulated(card), "intmodes", intmodes_json(card_intmodes(card)),
		"pci", parts_json(card, id_json), "note", card->note);
}

json_t *card_list_json(void)
{
	json_t *array = json_array();

	for (size_t i = 0; i < card_table_count; i++)
		append(array, list_row(&card_table[i]));
	return array;
}

static json_t *or_null(bool known, json_int_t value)
{
	return known ? json_integer(value) : json_null();
}

static json_t *knob_json(const struct card_knob *row)
{
	json_t *recommended =
		row->high ? json_pack("[I, I]", (json_int_t)row->low, (json_int_t)row->high)
			  : json_null();
	json_t *unit = row->unit_ps ? json_real(row->unit_ps / 1e3) : json_null();

	return json_pack("{s:s, s:b, s:o, s:s, s:o, s:I, s:I, s:o, s:o, s:s, s:s, s:s}", "name",
		row->name, "settable", row->knob != NULL, "register",
		row->reg ? json_sprintf("0x%04X", row->reg) : json_null(), "bits", row->bits,
		"unit_ns", unit, "min", (json_int_t)row->min, "max", (json_int_t)row->max, "reset",
		or_null(row->reset != CARD_RESET_UNKNOWN, row->reset), "recommended", recommended,
		"meaning", row->meaning, "hazard", row->hazard, "source", row->source);
}

static json_t *knobs_json(const struct card *card)
{
	struct card_knob rows[CARD_KNOBS_MAX];
	size_t count = card_knobs(card, rows);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		append(array, knob_json(&rows[i]));
	return array;
}

static json_t *quirks_json(const struct chip *chip)
{
	json_t *array = json_array();

	for (unsigned q = 0; chip && q < QUIRK_COUNT; q++)
		if (chip_has_quirk(chip, (enum quirk)(1u << q)))
			append(array, json_pack("{s:s, s:s, s:s, s:s}", "name", quirk_table[q].name,
					      "symptom", quirk_table[q].symptom, "remedy",
					      quirk_table[q].remedy, "source",
					      quirk_table[q].source));
	return array;
}

static json_t *facts_json(const struct card *card)
{
	json_t *array = json_array();

	for (size_t i = 0; i < card_fact_count; i++) {
		const struct card_fact *fact = &card_fact_table[i];

		if (card_fits(card, fact->families, fact->cards))
			append(array, json_pack("{s:s, s:s, s:s, s:s}", "kind",
					      fact_kind_name(fact->kind), "knob", fact->knob,
					      "text", fact->text, "source", fact->source));
	}
	return array;
}

static json_t *drivers_json(const struct card *card)
{
	json_t *array = json_array();

	for (size_t i = 0; i < card_driver_count; i++)
		if (card_driver_table[i].families & card->family)
			append(array, json_pack("{s:s, s:s}", "os", card_driver_table[i].os,
					      "driver", card_driver_table[i].driver));
	return array;
}

static json_t *writes_json(const struct card *card)
{
	json_t *array = json_array();

	for (size_t i = 0; i < card_write_count; i++) {
		const struct card_write *row = &card_write_table[i];

		if (card_fits(card, row->families, row->cards))
			append(array, json_pack("{s:s, s:s, s:s, s:s, s:s}", "os", row->os,
					      "driver", row->driver, "knob", row->knob, "value",
					      row->value, "source", row->source));
	}
	return array;
}

static json_t *presets_json(const struct chip *chip)
{
	json_t *array = json_array();

	for (size_t i = 0; chip && i < preset_table_count; i++) {
		const struct preset *preset = &preset_table[i];
		struct preset_result result;
		char text[256];

		if (!preset_fits(preset, chip) ||
			preset_resolve(preset->name, chip, &result, NULL))
			continue;
		append(array, json_pack("{s:s, s:s, s:s}", "name", preset->name, "settings",
				      settings_format(&result.settings, text, sizeof(text)),
				      "meaning", preset->meaning));
	}
	return array;
}

json_t *card_json(const struct card *card)
{
	const struct chip *chip = card_chip(card);
	unsigned ring_max = card_ring_max(card), vectors = card_vectors(card);
	bool msix = card_intmodes(card) & INTMODE_BIT(INTMODE_MSIX);
	json_t *json = list_row(card);

	(void)json_object_update_new(json,
		json_pack("{s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:s}", "parts",
			parts_json(card, part_json), "core",
			*card->core ? json_string(card->core) : json_null(), "msix_vectors",
			or_null(vectors || !msix, vectors), "rx_queues", card->rx_queues,
			"tx_queues", card->tx_queues, "ring_max", or_null(ring_max, ring_max),
			"max_frame", or_null(chip, chip ? chip->max_frame : 0), "rx_buffer_kib",
			or_null(chip, chip ? chip->rx_pba_kib : 0), "source", card->source));
	(void)json_object_update_new(json,
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "knobs", knobs_json(card), "facts",
			facts_json(card), "quirks", quirks_json(chip), "drivers",
			drivers_json(card), "presets", presets_json(chip), "writes",
			writes_json(card)));
	return json;
}
