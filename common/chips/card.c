/* SPDX-License-Identifier: BSD-2-Clause */
/* Cards: the tables, and look-ups by name, part and family. */
#include "common/chips/card.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/chips/nforce.h"
#include "common/list.h"
#include "common/nearest.h"
#include "common/util.h"

#define CARD(name, family, core, rx_queues, tx_queues, note, source)                               \
	{name, CARD_##family, core, 0, 0, rx_queues, tx_queues, 0, note, source},
#define FOREIGN(                                                                                   \
	name, family, intmodes, vectors, rx_queues, tx_queues, ring_max, note, source)             \
	{name, CARD_##family, "", intmodes, vectors, rx_queues, tx_queues, ring_max, note, source},
const struct card card_table[] = {
#include "common/chips/cards.def"
};
#undef CARD
#undef FOREIGN
const size_t card_table_count = ARRAY_SIZE(card_table);

static const struct {
	uint16_t vendor, device;
	const char *name;
} card_ids[] = {
#define CARD_ID(vendor, device, name) {vendor, device, name},
#include "common/chips/card_ids.def"
#undef CARD_ID
};

static const struct card_knob details[] = {
#define DETAIL(id, bits, reset, low, high, source)                                                 \
	{NULL, &knob_table[KNOB_##id], 0, bits, 0, 0, 0, reset, low, high, NULL, NULL, source},
#include "common/chips/card_knobs.def"
};

static const struct own_knob {
	unsigned families;
	const char *cards;
	struct card_knob row;
} own_knobs[] = {
#define CARD_KNOB(                                                                                 \
	name, families, cards, reg, bits, unit_ps, min, max, reset, low, high, meaning, source)    \
	{families, cards,                                                                          \
		{name, NULL, reg, bits, unit_ps, min, max, reset, low, high, meaning, "", source}},
#include "common/chips/card_knobs.def"
};

#define FACT(kind, families, cards, knob, text, source)                                            \
	{FACT_##kind, families, cards, knob, text, source},
const struct card_fact card_fact_table[] = {
#include "common/chips/card_facts.def"
};
#undef FACT
const size_t card_fact_count = ARRAY_SIZE(card_fact_table);

#define OS_DRIVER(families, os, driver) {families, os, driver},
const struct card_driver card_driver_table[] = {
#include "common/chips/card_drivers.def"
};
const size_t card_driver_count = ARRAY_SIZE(card_driver_table);

#define WRITES(families, cards, os, driver, knob, value, source)                                   \
	{families, cards, os, driver, knob, value, source},
const struct card_write card_write_table[] = {
#include "common/chips/card_drivers.def"
};
const size_t card_write_count = ARRAY_SIZE(card_write_table);

const char *card_family_name(enum card_family family)
{
	switch (family) {
	case CARD_8254X:
		return "8254x";
	case CARD_8257X:
		return "8257x";
	case CARD_ICH:
		return "ICH/PCH";
	case CARD_IGB:
		return "igb";
	case CARD_NFORCE:
		return "nForce";
	case CARD_BCM570X:
		return "BCM5700";
	case CARD_BCM5705:
		return "BCM5705";
	case CARD_BCM5717:
		return "BCM5717";
	}
	return "?";
}

const char *card_state_name(enum card_state state)
{
	static const char *const names[] = {
		[CARD_DRIVEN] = "driven",
		[CARD_RECOGNISED] = "recognised",
		[CARD_KNOWLEDGE] = "knowledge only",
	};

	return names[state];
}

const char *fact_kind_name(enum fact_kind kind)
{
	static const char *const names[FACT_KINDS] = {
		[FACT_SPECIAL] = "special value",
		[FACT_INTERACTION] = "interaction",
		[FACT_HAZARD] = "hazard",
		[FACT_LIMIT] = "limit",
		[FACT_UNKNOWN] = "unknown",
	};

	return (unsigned)kind < FACT_KINDS ? names[kind] : "?";
}

bool card_part_at(size_t i, struct card_part *ret_part)
{
	if (i < pci_id_table_count) {
		const struct pci_id *id = &pci_id_table[i];

		*ret_part = (struct card_part){PCI_VENDOR_INTEL, id->device, id->name, id->reason};
		return true;
	}
	i -= pci_id_table_count;
	if (i >= ARRAY_SIZE(card_ids))
		return false;
	*ret_part =
		(struct card_part){card_ids[i].vendor, card_ids[i].device, card_ids[i].name, NULL};
	return true;
}

const struct card *card_of_part(const char *part_name)
{
	const struct card *best = NULL;

	for (size_t i = 0; i < card_table_count; i++) {
		size_t len = strlen(card_table[i].name);

		if (!strncmp(card_table[i].name, part_name, len) &&
			(!best || len > strlen(best->name)))
			best = &card_table[i];
	}
	return best;
}

/* Is @word what people call the part: its ids, or its name, the maker's prefix left out or not? */
static bool part_is_called(const struct card_part *part, const char *word)
{
	char id[16];

	(void)snprintf(id, sizeof(id), "%04x:%04x", part->vendor, part->device);
	return !strcasecmp(part->name, word) || !strcasecmp(id, word) ||
	       (!strncmp(part->name, "BCM", 3) && !strcasecmp(part->name + 3, word));
}

const struct card *card_find(const char *name)
{
	struct card_part part;

	for (size_t i = 0; i < card_table_count; i++)
		if (!strcasecmp(card_table[i].name, name))
			return &card_table[i];
	for (size_t i = 0; card_part_at(i, &part); i++)
		if (part_is_called(&part, name))
			return card_of_part(part.name);
	return NULL;
}

size_t card_suggest(const char *name, const char **ret_names, size_t max)
{
	struct nearest nearest = {.wanted = name};
	size_t len = strlen(name), count = 0;

	for (size_t i = 0; i < card_table_count; i++)
		nearest_offer(&nearest, card_table[i].name);
	if (nearest.best && max)
		ret_names[count++] = nearest.best;
	/* "82574" and "MCP" are parts of names, not misspellings */
	for (size_t i = 0; i < card_table_count && count < max && len > 1; i++)
		if (strcasestr(card_table[i].name, name) && card_table[i].name != nearest.best)
			ret_names[count++] = card_table[i].name;
	return count;
}

static const struct chip *known_chip_find(const char *name)
{
	for (size_t i = 0; i < known_chip_table_count; i++)
		if (!strcmp(known_chip_table[i].name, name))
			return &known_chip_table[i];
	return NULL;
}

const struct chip *card_chip(const struct card *card)
{
	const struct chip *chip = chip_find(card->core);

	return chip ? chip : known_chip_find(card->core);
}

enum card_state card_state(const struct card *card)
{
	enum card_state state = CARD_KNOWLEDGE;
	struct card_part part;

	for (size_t i = 0; card_part_at(i, &part); i++) {
		if (!part.reason || card_of_part(part.name) != card)
			continue;
		if (!*part.reason)
			return CARD_DRIVEN;
		state = CARD_RECOGNISED;
	}
	return state;
}

bool card_simulated(const struct card *card)
{
	const struct chip *chip;

	for (size_t i = 0; (chip = chip_simulated(i)); i++)
		if (!strcmp(chip->name, card->name))
			return true;
	return false;
}

unsigned card_intmodes(const struct card *card)
{
	const struct chip *chip = card_chip(card);

	return chip ? chip->intmodes : card->intmodes;
}

unsigned card_vectors(const struct card *card)
{
	const struct chip *chip = card_chip(card);

	return chip ? chip->msix_vectors : card->msix_vectors;
}

unsigned card_ring_max(const struct card *card)
{
	const struct chip *chip = card_chip(card);

	return chip ? chip->ring_max : card->ring_max;
}

bool card_fits(const struct card *card, unsigned families, const char *cards)
{
	return (families & card->family) && list_allows(cards, card->name);
}

/* A knob of knobs.def, with what card_knobs.def adds. */
static struct card_knob knob_row(const struct knob *knob)
{
	struct card_knob row = {
		.bits = "15:0",
		.reset = CARD_RESET_UNKNOWN,
		.source = knob->source,
	};

	for (size_t i = 0; i < ARRAY_SIZE(details); i++)
		if (details[i].knob == knob)
			row = details[i];
	row.knob = knob;
	row.name = knob->name;
	row.reg = knob->reg;
	row.unit_ps = knob->unit_ps;
	row.min = knob->min;
	row.max = knob->max;
	row.meaning = knob->meaning;
	row.hazard = knob->hazard;
	return row;
}

size_t card_knobs(const struct card *card, struct card_knob ret_knobs[CARD_KNOBS_MAX])
{
	const struct chip *chip = card_chip(card);
	size_t count = 0;

	for (unsigned id = 0; chip && id < KNOB_COUNT && count < CARD_KNOBS_MAX; id++)
		if (chip_has_knob(chip, (enum knob_id)id) &&
			knob_table[id].kind == KNOB_KIND_REGISTER)
			ret_knobs[count++] = knob_row(&knob_table[id]);
	for (size_t i = 0; i < ARRAY_SIZE(own_knobs) && count < CARD_KNOBS_MAX; i++)
		if (card_fits(card, own_knobs[i].families, own_knobs[i].cards))
			ret_knobs[count++] = own_knobs[i].row;
	return count;
}
