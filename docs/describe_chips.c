/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints docs/chips.md: the cards, their facts and what drivers write. */
#include "docs/describe.h"

#include <stdio.h>
#include <string.h>

#include "common/chips/card.h"
#include "common/util.h"

static void print_modes(unsigned modes)
{
	const char *separator = "";

	for (unsigned mode = 0; mode < INTMODE_COUNT; mode++) {
		if (!(modes & INTMODE_BIT(mode)))
			continue;
		printf("%s%s", separator, intmode_name((enum intmode)mode));
		separator = ", ";
	}
}

static void print_ids(const struct card *card)
{
	struct card_part part;

	for (size_t i = 0; card_part_at(i, &part); i++)
		if (card_of_part(part.name) == card)
			printf(" %04x:%04x", part.vendor, part.device);
}

static void print_number(unsigned value)
{
	if (value)
		printf(" %u |", value);
	else
		printf(" |");
}

static void print_cards(void)
{
	printf("## Chips\n\n| chip | family | state | interrupts | vectors | queues | ring | PCI ids | note | "
	       "source |\n|---|---|---|---|---:|---|---:|---|---|---|\n");
	for (size_t i = 0; i < card_table_count; i++) {
		const struct card *c = &card_table[i];

		printf("| %s | %s | %s%s | ", c->name, card_family_name(c->family),
		       card_state_name(card_state(c)), card_simulated(c) ? ", simulated" : "");
		print_modes(card_intmodes(c));
		printf(" |");
		print_number(card_vectors(c));
		printf(" %u/%u |", c->rx_queues, c->tx_queues);
		print_number(card_ring_max(c));
		print_ids(c);
		printf(" | %s | %s |\n", c->note, c->source);
	}
}

static bool same_knob(const struct card_knob *a, const struct card_knob *b)
{
	return !strcmp(a->name, b->name) && a->reg == b->reg && a->unit_ps == b->unit_ps &&
	       a->max == b->max && a->high == b->high;
}

/* Is card @i the first with this register? */
static bool knob_is_new(size_t i, const struct card_knob *knob)
{
	for (size_t j = 0; j < i; j++) {
		struct card_knob rows[CARD_KNOBS_MAX];
		size_t count = card_knobs(&card_table[j], rows);

		for (size_t k = 0; k < count; k++)
			if (same_knob(&rows[k], knob))
				return false;
	}
	return true;
}

static void print_knob_cards(size_t first, const struct card_knob *knob)
{
	const char *separator = "";

	for (size_t j = first; j < card_table_count; j++) {
		struct card_knob rows[CARD_KNOBS_MAX];
		size_t count = card_knobs(&card_table[j], rows);

		for (size_t k = 0; k < count; k++) {
			if (!same_knob(&rows[k], knob))
				continue;
			printf("%s%s", separator, card_table[j].name);
			separator = ", ";
		}
	}
}

static void print_knob(size_t first, const struct card_knob *k)
{
	printf("| %s |", k->name);
	if (k->reg)
		printf(" 0x%04X", k->reg);
	printf(" | %s |", k->bits);
	if (k->unit_ps)
		printf(" %.15g ns", k->unit_ps / 1e3);
	printf(" | %u..%u |", k->min, k->max);
	if (k->high)
		printf(" %u..%u", k->low, k->high);
	printf(" | %s | ", k->meaning);
	print_knob_cards(first, k);
	printf(" | %s |\n", k->source);
}

static void print_knobs(void)
{
	printf("\n## Registers\n\n| register | offset | bits | unit | range | advised | meaning | chips | source "
	       "|\n|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < card_table_count; i++) {
		struct card_knob rows[CARD_KNOBS_MAX];
		size_t count = card_knobs(&card_table[i], rows);

		for (size_t k = 0; k < count; k++)
			if (knob_is_new(i, &rows[k]))
				print_knob(i, &rows[k]);
	}
}

static void print_whom(unsigned families, const char *cards)
{
	const char *separator = "";

	if (*cards && *cards != '!') {
		printf("%s", cards);
		return;
	}
	for (unsigned i = 0; i < CARD_FAMILY_COUNT; i++) {
		if (!(families & 1u << i))
			continue;
		printf("%s%s", separator, card_family_name((enum card_family)(1u << i)));
		separator = ", ";
	}
	if (*cards)
		printf(" but %s", cards + 1);
}

static void print_facts(void)
{
	printf("\n## Special values, interactions, hazards, limits\n\n| kind | register | what | chips | source "
	       "|\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < card_fact_count; i++) {
		const struct card_fact *f = &card_fact_table[i];

		printf("| %s | %s | %s | ", fact_kind_name(f->kind), f->knob, f->text);
		print_whom(f->families, f->cards);
		printf(" | %s |\n", f->source);
	}
}

static void print_writes(void)
{
	printf("\n## What drivers write\n\nBeyond the presets (`moderato preset list`).\n\n"
	       "| system | driver | setting | value | chips | source |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < card_write_count; i++) {
		const struct card_write *w = &card_write_table[i];

		printf("| %s | %s | %s | %s | ", w->os, w->driver, w->knob, w->value);
		print_whom(w->families, w->cards);
		printf(" | %s |\n", w->source);
	}
}

void describe_chips(void)
{
	printf("<!-- SPDX-License-Identifier: BSD-2-Clause -->\n"
	       "<!-- Made by `make docs` from common/chips/*.def; change the tables, not this page. -->\n"
	       "# What is known of the chips\n\n"
	       "`moderato chips NAME` prints all of this for one chip. *driven*: the driver takes the part by "
	       "VFIO;\n*recognised*: the driver knows it and refuses it with a reason; *knowledge only*: it stands "
	       "in this page\nand in no table of the driver. Units at 1000 Mb/s.\n\n");
	print_cards();
	print_knobs();
	print_facts();
	print_writes();
}
