/* SPDX-License-Identifier: BSD-2-Clause */
/* Cards: every part has one, every row has its source, and no card makes the driver accept a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/card_view.h"

static const struct card *card(const char *name)
{
	const struct card *found = card_find(name);

	if (!found)
		fail_msg("no card %s", name);
	return found;
}

static void every_part_has_a_card_and_every_card_a_part(void **state)
{
	unsigned parts[256] = {0};
	struct card_part part;

	assert_true(card_table_count < ARRAY_SIZE(parts));
	for (size_t i = 0; card_part_at(i, &part); i++) {
		const struct card *of = card_of_part(part.name);
		struct card_part other;

		if (!of)
			fail_msg("%04x:%04x %s has no card", part.vendor, part.device, part.name);
		parts[of - card_table]++;
		for (size_t j = 0; j < i && card_part_at(j, &other); j++)
			if (other.vendor == part.vendor && other.device == part.device)
				fail_msg("%04x:%04x stands there twice", part.vendor, part.device);
	}
	for (size_t i = 0; i < card_table_count; i++)
		if (!parts[i])
			fail_msg("%s has no part", card_table[i].name);
}

static void knowledge_never_makes_the_driver_accept_a_part(void **state)
{
	struct card_part part;

	for (size_t i = 0; i < known_chip_table_count; i++) {
		assert_null(chip_find(known_chip_table[i].name));
		assert_int_equal(known_chip_table[i].device, 0);
	}
	for (size_t i = 0; card_part_at(i, &part); i++) {
		const struct chip *chip = chip_by_id(part.vendor, part.device);

		if (!chip != !(part.reason && !*part.reason))
			fail_msg("%s: driver and card disagree", part.name);
	}
	assert_null(chip_by_id(PCI_VENDOR_NVIDIA, 0x0373));
	assert_null(chip_by_id(PCI_VENDOR_BROADCOM, 0x1659));
}

static void every_card_row_is_sane(void **state)
{
	for (size_t i = 0; i < card_table_count; i++) {
		const struct card *c = &card_table[i];
		unsigned modes = card_intmodes(c);

		if (*c->core && !card_chip(c))
			fail_msg("%s: no core %s", c->name, c->core);
		assert_true(modes & INTMODE_BIT(INTMODE_INTX));
		assert_true(*c->source && c->rx_queues && c->tx_queues);
		assert_true((modes & INTMODE_BIT(INTMODE_MSIX)) || !card_vectors(c));
		assert_ptr_equal(card_find(c->name), c);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(card_table[j].name, c->name);
	}
}

static void every_register_of_every_card_has_unit_range_and_source(void **state)
{
	for (size_t i = 0; i < card_table_count; i++) {
		struct card_knob rows[CARD_KNOBS_MAX];
		size_t count = card_knobs(&card_table[i], rows);

		assert_in_range(count, 1, CARD_KNOBS_MAX - 1);
		for (size_t k = 0; k < count; k++) {
			if (!*rows[k].source || !*rows[k].meaning || !*rows[k].bits)
				fail_msg("%s %s", card_table[i].name, rows[k].name);
			assert_true(rows[k].min < rows[k].max && rows[k].low <= rows[k].high);
			assert_true(rows[k].high <= rows[k].max);
			for (size_t j = 0; j < k; j++)
				assert_string_not_equal(rows[j].name, rows[k].name);
		}
	}
}

/* A list of card names that has a misspelt one would silently fit nothing. */
static void assert_names(const char *list, unsigned families)
{
	char copy[400], *save = NULL;

	(void)snprintf(copy, sizeof(copy), "%s", *list == '!' ? list + 1 : list);
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save))
		if (!(card(name)->family & families))
			fail_msg("%s is of no family of the row", name);
}

static void lists_of_cards_name_cards_that_exist(void **state)
{
	for (size_t i = 0; i < card_fact_count; i++) {
		assert_names(card_fact_table[i].cards, card_fact_table[i].families);
		assert_true(*card_fact_table[i].text && *card_fact_table[i].source);
	}
	for (size_t i = 0; i < card_write_count; i++) {
		assert_names(card_write_table[i].cards, card_write_table[i].families);
		assert_true(*card_write_table[i].value && *card_write_table[i].source);
	}
}

static void states_are_those_of_the_driver(void **state)
{
	assert_int_equal(card_state(card("82574L")), CARD_DRIVEN);
	assert_int_equal(card_state(card("82545GM")), CARD_DRIVEN);
	assert_int_equal(card_state(card("I219")), CARD_RECOGNISED);
	assert_int_equal(card_state(card("82541GI")), CARD_RECOGNISED);
	assert_int_equal(card_state(card("MCP55")), CARD_KNOWLEDGE);
	assert_int_equal(card_state(card("BCM5721")), CARD_KNOWLEDGE);
	assert_true(card_simulated(card("82574L")));
	assert_false(card_simulated(card("82574LA")));
	assert_false(card_simulated(card("82540EM")));
}

static void a_card_is_found_by_what_people_call_it(void **state)
{
	static const char *const rows[][2] = {
		{"82574l", "82574L"},
		{"82574LA", "82574LA"},
		{"8086:10D3", "82574L"},
		{"10de:0373", "MCP55"},
		{"5721", "BCM5721"},
		{"82540EM LOM", "82540EM"},
		{"82576 virtual function", "82576"},
		{"82579V", "82579"},
		{"nforce2", "nForce2"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(card(rows[i][0])->name, rows[i][1]);
	assert_null(card_find("X540"));
	assert_null(card_find("8086:ffff"));
}

static void an_unknown_chip_gets_the_nearest_names(void **state)
{
	static const char *const rows[][2] = {
		{"82574K", "unknown chip \"82574K\"; did you mean 82574L?"},
		{"82574", "unknown chip \"82574\"; did you mean 82574L or 82574LA?"},
		{"MCP5", "unknown chip \"MCP5\"; did you mean MCP51 or MCP55?"},
		{"I21", "unknown chip \"I21\"; did you mean I217, I218, I219, I210 or I211?"},
		{"X540", "unknown chip \"X540\"; \"moderato chips\" lists those that are known"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct card *found;
		struct error err = {0};

		assert_true(card_lookup(rows[i][0], &found, &err) < 0);
		assert_string_equal(err.text, rows[i][1]);
		assert_true(err.usage);
	}
}

static const struct card_knob *knob_of(const char *name, const char *knob)
{
	static struct card_knob rows[CARD_KNOBS_MAX];
	size_t count = card_knobs(card(name), rows);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].name, knob))
			return &rows[i];
	return NULL;
}

static void registers_are_those_of_the_manuals(void **state)
{
	static const struct {
		const char *card, *knob;
		uint32_t reg, unit_ps, min, max, low, high;
	} rows[] = {
		/* fact 3: the recommended band is 651 to 5580 */
		{"82540EM", "ITR", 0x00C4, 256000, 0, 65535, 651, 5580},
		{"82574L", "EITR4", 0x00F8, 256000, 0, 65535, 651, 5580},
		{"ICH8", "RDTR", 0x2820, 1024000, 0, 65535, 0, 0},
		{"82571EB", "RAID", 0x2C08, 1024000, 0, 65535, 0, 0},
		{"80003ES2LAN", "TADV", 0x382C, 1024000, 0, 65535, 0, 0},
		/* fact 23: 82575 in 256 ns; fact 22: from the 82576 on in us, bits 14:2 */
		{"82575EB", "EITRn", 0x1680, 256000, 0, 65535, 651, 5580},
		{"82576", "EITRn", 0x1680, 250000, 0, 0x7FFC, 0, 0},
		/* fact 26: 8191 us at most, 2 to 175 us recommended */
		{"I210", "EITRn", 0x1680, 250000, 0, 4 * 8191, 4 * 2, 4 * 175},
		{"MCP55", "IMTIMER", 0x000C, 10240000, 0, 65535, 0, 0},
		/* fact 34: 1 to 1023 us, 0 rejected; 0 to 255 descriptors */
		{"BCM5721", "rx_coal_ticks", 0x3C08, 1000000, 1, 1023, 0, 0},
		{"BCM5721", "tx_max_coal_bds", 0x3C14, 0, 0, 255, 0, 0},
		{"BCM5700", "rx_coal_ticks_int", 0x3C18, 1000000, 0, 1023, 0, 0},
	};
	/* registers that a part lacks */
	static const char *const none[][2] = {
		{"82542", "ITR"}, {"82543GC", "RADV"}, {"82544GC", "ITR"}, {"82542", "RXDCTL.WTHRESH"},
		{"82544EI", "TADV"}, {"82583V", "EITR0"}, {"82583V", "RAID"}, {"I219", "EITR0"},
		{"I210", "RDTR"}, {"82576", "TIDV"}, {"BCM5705", "rx_coal_ticks_int"},
		{"BCM5721", "stats_ticks"}, {"MCP55", "ITR"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct card_knob *k = knob_of(rows[i].card, rows[i].knob);

		if (!k)
			fail_msg("%s has no %s", rows[i].card, rows[i].knob);
		assert_int_equal(k->reg, rows[i].reg);
		assert_int_equal(k->unit_ps, rows[i].unit_ps);
		assert_int_equal(k->min, rows[i].min);
		assert_int_equal(k->max, rows[i].max);
		assert_int_equal(k->low, rows[i].low);
		assert_int_equal(k->high, rows[i].high);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (knob_of(none[i][0], none[i][1]))
			fail_msg("%s has %s", none[i][0], none[i][1]);
}

static void rings_and_modes_are_those_of_the_drivers(void **state)
{
	static const struct {
		const char *card;
		unsigned ring_max, vectors, queues;
		unsigned modes;
	} rows[] = {
		/* fact 41: 256 descriptors on the 82542 and 82543, 4096 on everything else */
		{"82542", 256, 0, 1, 1},
		{"82543GC", 256, 0, 1, 1},
		{"82544GC", 4096, 0, 1, 1},
		{"82574L", 4096, 5, 2, 7},
		{"I219", 4096, 0, 1, 3},
		{"82576", 4096, 10, 16, 7},
		{"I210", 4096, 5, 4, 7},
		{"I211", 4096, 5, 2, 7},
		{"CK804", 0, 0, 1, 1},
		{"MCP61", 0, 0, 1, 3},
		{"BCM5720", 2048, 5, 4, 7},
		{"BCM5705", 512, 0, 1, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct card *c = card(rows[i].card);

		assert_int_equal(card_ring_max(c), rows[i].ring_max);
		assert_int_equal(card_vectors(c), rows[i].vectors);
		assert_int_equal(c->rx_queues, rows[i].queues);
		assert_int_equal(card_intmodes(c), rows[i].modes);
	}
}

static bool has_fact(const char *name, enum fact_kind kind, const char *knob, const char *word)
{
	for (size_t i = 0; i < card_fact_count; i++) {
		const struct card_fact *f = &card_fact_table[i];

		if (f->kind == kind && !strcmp(f->knob, knob) && strstr(f->text, word) &&
			card_fits(card(name), f->families, f->cards))
			return true;
	}
	return false;
}

/* One row a fact: a card that has it, one that has not, and a word of it. */
static const struct {
	const char *card, *not_card, *knob, *word;
	enum fact_kind kind;
} fact_rows[] = {
	{"82574L", "82544GC", "ITR", "0 = no throttle", FACT_SPECIAL},
	{"82542", "82576", "RDTR", "at once", FACT_SPECIAL},
	{"82583V", "I210", "RDTR", "FPD", FACT_SPECIAL},		/* fact 20 */
	{"I219", "I210", "TIDV", "must not be written", FACT_SPECIAL}, /* fact 18 */
	{"82575EB", "82576", "EITRn", "both halves", FACT_SPECIAL},
	{"I210", "82575EB", "EITRn", "CNT_IGNR", FACT_SPECIAL},
	{"MCP55", "BCM5721", "IMTIMER", "becomes 0", FACT_SPECIAL},    /* fact 36 */
	{"CK804", "BCM5721", "imtimer", "-Y", FACT_SPECIAL},	       /* fact 37 */
	{"BCM5721", "MCP55", "rx_coal_ticks", "rejected", FACT_SPECIAL}, /* fact 34 */
	{"82540EM", "82543GC", "RADV", "RADV + 1", FACT_INTERACTION},  /* facts 11, 12 */
	{"82571EB", "I210", "RXDCTL.WTHRESH", "lone frame", FACT_INTERACTION}, /* fact 19 */
	{"82574L", "82583V", "TADV", "an interrupt a frame", FACT_INTERACTION}, /* fact 14 */
	{"82541GI", "82540EM", "RSRPD", "second interrupt", FACT_INTERACTION},
	{"BCM5721", "MCP55", "tx_max_coal_bds", "fragments", FACT_INTERACTION},
	{"MCP55", "BCM5721", "IRQ mask", "masked", FACT_INTERACTION},
	{"82543GC", "82544GC", "RDTR", "erratum 37", FACT_HAZARD},
	{"82573L", "82574L", "RDTR", "laptop", FACT_HAZARD},
	{"82574L", "82573L", "", "RCTL.EN", FACT_HAZARD},	       /* fact 44 */
	{"82574L", "82583V", "RAID", "ACK_DIS", FACT_HAZARD},
	{"I219", "I218", "", "IOSFPC", FACT_HAZARD},
	{"I210", "I350", "EITRn", "statistics", FACT_HAZARD},
	{"82576", "82580", "TXDCTL.WTHRESH", "erratum 26", FACT_HAZARD},
	{"nForce3", "MCP61", "", "lost", FACT_HAZARD},
	{"MCP55", "MCP61", "", "work-around", FACT_HAZARD},
	{"82540EM", "82545EM", "", "EOPNOTSUPP", FACT_LIMIT},	       /* fact 46 */
	{"I211", "I350", "EITRn", "8191", FACT_LIMIT},		       /* fact 26 */
	{"BCM5705", "BCM5700", "rx_coal_ticks_int", "absent", FACT_LIMIT},
	{"ICH9", "82543GC", "RADV", "0 = no absolute timer", FACT_SPECIAL},
	{"82545EM", "82544EI", "TADV", "0 = no absolute timer", FACT_SPECIAL},
	{"82571EB", "82583V", "RAID", "acknowledgement interrupts at once", FACT_SPECIAL},
	{"I354", "82574L", "EITRn", "0 = no throttle", FACT_SPECIAL},
	{"MCP61", "BCM5700", "IMTIMER", "671 ms", FACT_SPECIAL},      /* fact 38 */
	{"82546GB", "82544GC", "ITR", "the slower decides", FACT_INTERACTION},
	{"82542", "I350", "TIDV", "IDE only", FACT_INTERACTION},
	{"I218", "I350", "RDTR", "RXDMT0", FACT_INTERACTION},
	{"82574LA", "82583V", "EITR0", "each vector has its EITR", FACT_INTERACTION},
	{"I350", "82574L", "EITRn", "MSI and INTx obey EITR0", FACT_INTERACTION},
	{"I350", "82574L", "EITRn", "no delay timers", FACT_INTERACTION},
	{"BCM57780", "MCP67", "rx_max_coal_bds", "whichever is first", FACT_INTERACTION},
	{"82543GC", "82544GC", "TXDCTL.WTHRESH", "erratum 35", FACT_HAZARD},
	{"82543GC", "82544GC", "RXDCTL.WTHRESH", "erratum 33", FACT_HAZARD},
	{"82574L", "I210", "RDTR", "may hang", FACT_HAZARD},
	{"82574L", "82544GC", "RADV", "advises against", FACT_HAZARD},
	{"82571EB", "I219", "", "link power states", FACT_HAZARD},
	{"82547GI", "82541GI", "", "FIFO can stall", FACT_HAZARD},
	{"ICH8", "82574L", "", "right after CTRL.RST", FACT_HAZARD},
	{"82575EB", "82574L", "EITRn", "restarts the window", FACT_HAZARD},
	{"82575GB", "82576", "EITRn", "256 ns", FACT_HAZARD},
	{"82543GC", "82540EM", "", "no ITR, RADV and TADV", FACT_LIMIT},
	{"MCP73", "BCM5755", "IMTIMER", "no `ethtool -C`", FACT_LIMIT},
	{"82574L", "I210", "", "10 and 100 Mb/s", FACT_UNKNOWN},
	{"82580", "82575EB", "EITRn", "10 and 100 Mb/s", FACT_UNKNOWN},
	{"82574L", "82583V", "RDTR", "act in MSI-X", FACT_UNKNOWN},
	{"82583V", "82574L", "", "silicon has MSI-X", FACT_UNKNOWN},
};

static void each_special_value_and_hazard_stands_with_its_parts_only(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(fact_rows); i++) {
		if (!has_fact(fact_rows[i].card, fact_rows[i].kind, fact_rows[i].knob,
			    fact_rows[i].word))
			fail_msg("%s: no word of %s %s", fact_rows[i].card, fact_rows[i].knob,
				fact_rows[i].word);
		if (has_fact(fact_rows[i].not_card, fact_rows[i].kind, fact_rows[i].knob,
			    fact_rows[i].word))
			fail_msg("%s: wrongly %s", fact_rows[i].not_card, fact_rows[i].word);
	}
}

static void no_fact_is_without_a_test(void **state)
{
	for (size_t f = 0; f < card_fact_count; f++) {
		const struct card_fact *fact = &card_fact_table[f];
		bool tested = false;

		for (size_t i = 0; i < ARRAY_SIZE(fact_rows); i++)
			tested |= fact->kind == fact_rows[i].kind &&
				  !strcmp(fact->knob, fact_rows[i].knob) &&
				  strstr(fact->text, fact_rows[i].word) &&
				  card_fits(card(fact_rows[i].card), fact->families, fact->cards);
		if (!tested)
			fail_msg("not tested: %s %s: %s", fact_kind_name(fact->kind), fact->knob,
				fact->text);
	}
}

static void quirks_are_those_that_the_drivers_work_around(void **state)
{
	static const struct {
		const char *card;
		unsigned quirks;
	} rows[] = {
		{"82540EM", QUIRK_RESET_BY_IO},
		{"82541GI", QUIRK_RESET_BY_IO},
		{"82545GM", QUIRK_RESET_BY_SHADOW},
		{"82571EB", QUIRK_TARC_82571 | QUIRK_PBA_ECC | QUIRK_IPV6_EX_DIS | QUIRK_NO_L1},
		{"82572EI", QUIRK_TARC_82571 | QUIRK_IPV6_EX_DIS | QUIRK_NO_L1},
		{"82573L", QUIRK_CTRL_BIT29 | QUIRK_NO_L0S_L1 | QUIRK_MDIO_OWNER | QUIRK_FLASH_EE_RST},
		{"82574L", QUIRK_RX_STAYS_ENABLED | QUIRK_ACK_DIS_IN_MSIX | QUIRK_GCR_BITS |
				   QUIRK_MSIX_TX_TIMERS_DEAD | QUIRK_TXDCTL_COUNT_DESC},
		{"82583V", QUIRK_RX_STAYS_ENABLED | QUIRK_GCR_BITS | QUIRK_CTRL_BIT29},
		{"I219", QUIRK_TXDCTL_COUNT_DESC},
	};
	unsigned had = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned has = card_chip(card(rows[i].card))->quirks;

		if ((has & rows[i].quirks) != rows[i].quirks)
			fail_msg("%s lacks a quirk", rows[i].card);
	}
	for (size_t i = 0; i < card_table_count; i++)
		had |= card_chip(&card_table[i]) ? card_chip(&card_table[i])->quirks : 0;
	assert_int_equal(had, (1u << QUIRK_COUNT) - 1);
	assert_false(card_chip(card("82583V"))->quirks & QUIRK_MSIX_TX_TIMERS_DEAD);
	assert_false(card_chip(card("82571EB"))->quirks & QUIRK_RX_STAYS_ENABLED);
}

static const char *writes(const char *name, const char *os, const char *knob)
{
	for (size_t i = 0; i < card_write_count; i++) {
		const struct card_write *w = &card_write_table[i];

		if (!strcmp(w->os, os) && !strcmp(w->knob, knob) &&
			card_fits(card(name), w->families, w->cards))
			return w->value;
	}
	return "";
}

static void defaults_of_the_drivers_are_the_documented_ones(void **state)
{
	/* fact 34 */
	assert_string_equal(writes("BCM5721", "linux", "rx_coal_ticks"), "20");
	assert_string_equal(writes("BCM5721", "linux", "rx_max_coal_bds"), "5");
	assert_string_equal(writes("BCM5721", "linux", "tx_coal_ticks"), "72");
	assert_string_equal(writes("BCM5721", "linux", "tx_max_coal_bds"), "53");
	/* fact 35 */
	assert_string_equal(writes("BCM5701", "freebsd", "rx_coal_ticks"), "150");
	assert_string_equal(writes("BCM5701", "freebsd", "tx_max_coal_bds"), "10");
	assert_string_equal(writes("BCM5701", "dragonfly", "rx_coal_ticks"), "160");
	assert_string_equal(writes("BCM5701", "dragonfly", "tx_coal_ticks"), "1023");
	assert_string_equal(writes("BCM5701", "dragonfly", "tx_max_coal_bds"), "128");
	/* fact 24 */
	assert_non_null(strstr(writes("82575EB", "netbsd", "EITRn"), "8681/s"));
	assert_non_null(strstr(writes("82576", "netbsd", "EITRn"), "8929/s"));
	/* fact 30 */
	assert_non_null(strstr(writes("82574L", "linux", "EITR1"), "20000/s"));
	assert_non_null(strstr(writes("MCP55", "dragonfly", "imtimer"), "-250"));
}

static void vectors_and_nvm_layouts_are_those_of_the_drivers(void **state)
{
	/* fact 31: RX 0, TX 1, other 2, each with its valid bit, and every write-back interrupts */
	assert_int_equal((IVAR_VALID | 0) << IVAR_RXQ0_SHIFT | (IVAR_VALID | 1) << IVAR_TXQ0_SHIFT |
				 (IVAR_VALID | 2) << IVAR_OTHER_SHIFT | IVAR_TX_EVERY_WB,
		0x800A0908u);
	/* fact 45 */
	assert_int_equal(card_chip(card("82574L"))->eerd, EERD_LARGE);
	assert_int_equal(card_chip(card("82540EM"))->eerd, EERD_SMALL);
	assert_int_equal(card_chip(card("82541GI"))->eerd, EERD_LARGE);
	assert_true(EERD_DONE_LARGE == 1u << 1 && EERD_ADDR_SHIFT_LARGE == 2);
	assert_true(EERD_DONE_SMALL == 1u << 4 && EERD_ADDR_SHIFT_SMALL == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_has_a_card_and_every_card_a_part),
		cmocka_unit_test(knowledge_never_makes_the_driver_accept_a_part),
		cmocka_unit_test(every_card_row_is_sane),
		cmocka_unit_test(every_register_of_every_card_has_unit_range_and_source),
		cmocka_unit_test(lists_of_cards_name_cards_that_exist),
		cmocka_unit_test(states_are_those_of_the_driver),
		cmocka_unit_test(a_card_is_found_by_what_people_call_it),
		cmocka_unit_test(an_unknown_chip_gets_the_nearest_names),
		cmocka_unit_test(registers_are_those_of_the_manuals),
		cmocka_unit_test(rings_and_modes_are_those_of_the_drivers),
		cmocka_unit_test(each_special_value_and_hazard_stands_with_its_parts_only),
		cmocka_unit_test(no_fact_is_without_a_test),
		cmocka_unit_test(quirks_are_those_that_the_drivers_work_around),
		cmocka_unit_test(defaults_of_the_drivers_are_the_documented_ones),
		cmocka_unit_test(vectors_and_nvm_layouts_are_those_of_the_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
