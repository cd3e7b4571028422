/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato preset: what operating systems' drivers write, with the source of every value. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/util.h"
#include "profiles/preset.h"
#include "tuner/card_view.h"
#include "tuner/client.h"
#include "tuner/columns.h"
#include "tuner/command.h"

/* "82574L" or "e1000, e1000e": whom a row is for. */
static const char *row_chips(const struct preset *preset)
{
	if (*preset->chips == '!')
		return "all others";
	if (*preset->chips)
		return preset->chips;
	return preset->families == FAM_ALL ? "all" : chip_family_name(preset->families);
}

/* A chip by any name that "moderato chips" knows. */
static int find_chip(const char *name, const struct chip **ret_chip, struct error *err)
{
	const struct card *card;
	int r;

	*ret_chip = NULL;
	if (!name)
		return 0;
	r = card_lookup(name, &card, err);
	if (r < 0)
		return r;
	*ret_chip = card_chip(card);
	if (!*ret_chip)
		return error_usage(err,
			"presets are settings of Intel's knobs; \"moderato chips %s\" tells what drivers "
			"write on it",
			card->name);
	return 0;
}

/* Rows that fit the chip asked for; all without one. */
static bool row_wanted(const struct preset *preset, const char *name, const struct chip *chip)
{
	return (!name || !strcasecmp(name, preset->name)) && (!chip || preset_fits(preset, chip));
}

static json_t *row_json(const struct preset *preset, const struct chip *chip)
{
	struct preset_result result = {.note = ""};
	json_t *values = json_array();
	enum intmode mode = preset->intmode;

	if (chip && !preset_resolve(preset->name, chip, &result, NULL))
		mode = result.settings.value[KNOB_INTMODE];
	for (size_t i = 0; i < preset->value_count; i++) {
		const struct preset_value *v = &preset->values[i];

		(void)json_array_append_new(
			values, json_pack("{s:s, s:I, s:s}", "knob", knob_table[v->knob].name,
					"value", (json_int_t)v->value, "source", v->source));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "name", preset->name, "chips",
		row_chips(preset), "meaning", preset->meaning, "intmode", intmode_name(mode),
		"note", result.note, "values", values);
}

static void print_json(const char *name, const struct chip *chip)
{
	json_t *array = json_array();

	for (size_t i = 0; i < preset_table_count; i++) {
		if (row_wanted(&preset_table[i], name, chip))
			(void)json_array_append_new(array, row_json(&preset_table[i], chip));
	}
	client_print_json(array);
	json_decref(array);
}

/* The value of the throttle that acts: ITR, or EITR0 in MSI-X. */
static void add_value(struct columns *columns, const struct preset *preset, enum knob_id knob)
{
	for (size_t i = 0; i < preset->value_count; i++) {
		enum knob_id id = preset->values[i].knob;

		if (id == knob || (knob == KNOB_ITR && id == KNOB_EITR0)) {
			columns_cell(columns, "%" PRIu32, preset->values[i].value);
			return;
		}
	}
	columns_cell(columns, "-");
}

static void print_list(const struct chip *chip)
{
	static const char *const heading[] = {
		"NAME", "CHIPS", "MODE", "(E)ITR", "RDTR", "RADV", "TIDV", "TADV", "MEANING"};
	struct columns *columns = columns_new("lllrrrrrl");

	for (size_t i = 0; i < ARRAY_SIZE(heading); i++)
		columns_cell(columns, "%s", heading[i]);
	columns_end_heading(columns);
	for (size_t i = 0; i < preset_table_count; i++) {
		const struct preset *preset = &preset_table[i];
		struct preset_result result = {.note = ""};
		enum intmode mode = preset->intmode;

		if (!row_wanted(preset, NULL, chip))
			continue;
		if (chip && !preset_resolve(preset->name, chip, &result, NULL))
			mode = result.settings.value[KNOB_INTMODE];
		columns_cell(columns, "%s", preset->name);
		columns_cell(columns, "%s", row_chips(preset));
		columns_cell(columns, "%s", intmode_name(mode));
		add_value(columns, preset, KNOB_ITR);
		for (unsigned id = KNOB_RDTR; id <= KNOB_TADV; id++) {
			if (id != KNOB_RAID)
				add_value(columns, preset, id);
		}
		columns_cell(columns, "%s", preset->meaning);
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

static void print_values(const struct preset *preset)
{
	struct columns *columns = columns_new("lrrl");

	for (size_t i = 0; i < preset->value_count; i++) {
		const struct preset_value *v = &preset->values[i];
		uint64_t ns = knob_ticks_to_ns(&knob_table[v->knob], v->value, 1);

		columns_cell(columns, "  %s", knob_table[v->knob].name);
		columns_cell(columns, "%" PRIu32, v->value);
		columns_cell(columns, "%.3f us", (double)ns / 1e3);
		columns_cell(columns, "%s", v->source);
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

static void print_row(const struct preset *preset, const struct chip *chip)
{
	struct preset_result result = {.note = ""};

	printf("%s (chips: %s, %s)\n  %s\n", preset->name, row_chips(preset),
		intmode_name(preset->intmode), preset->meaning);
	if (chip && !preset_resolve(preset->name, chip, &result, NULL) && *result.note)
		printf("  note: %s\n", result.note);
	print_values(preset);
}

static int show(const char *name, const struct chip *chip, bool json, struct error *err)
{
	struct preset_result result;
	int rc = preset_resolve(name, chip ? chip : chip_table, &result, err);

	/* Without a chip any row will do; the error is then only about a name that nobody has. */
	if (rc && (chip || !preset_find(name, NULL)))
		return rc;
	if (json) {
		print_json(name, chip);
		return 0;
	}
	for (size_t i = 0; i < preset_table_count; i++) {
		if (row_wanted(&preset_table[i], name, chip))
			print_row(&preset_table[i], chip);
	}
	return 0;
}

int cmd_preset(int argc, char **argv, struct error *err)
{
	const char *chip_name = NULL;
	bool json = false;
	const struct option_row rows[] = {
		OPT_STRING("chip", 'c', &chip_name, "CHIP", "what it comes to on this chip"),
		OPT_JSON(&json), OPT_END};
	struct options options = {.rows = rows, .operands_max = 2};
	const struct chip *chip;
	int rc = options_parse(&options, argc, argv, err);

	if (rc)
		return rc;
	rc = find_chip(chip_name, &chip, err);
	if (rc)
		return rc;
	if (options.operand_count == 2 && !strcmp(options.operand[0], "show"))
		return show(options.operand[1], chip, json, err);
	if (options.operand_count && (strcmp(options.operand[0], "list") != 0 || options.operand_count != 1))
		return error_usage(err, "say \"preset list\" or \"preset show NAME\"");
	if (json)
		print_json(NULL, chip);
	else
		print_list(chip);
	return 0;
}
