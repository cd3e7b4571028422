/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cards: what is known of a part, driven or not, for people who ask. Data only: the driver takes
 * nothing from here, so that knowledge of a part never makes it accept a device.
 */
#ifndef MODERATO_COMMON_CHIPS_CARD_H
#define MODERATO_COMMON_CHIPS_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/chips/chip.h"

#define PCI_VENDOR_NVIDIA   0x10DE
#define PCI_VENDOR_BROADCOM 0x14E4

/* Families of cards by their logic, finer than the driver's; bits, so that a fact may name several. */
enum card_family {
	CARD_8254X = 1,
	CARD_8257X = 2,
	CARD_ICH = 4,	   /* ICH and PCH chipsets */
	CARD_IGB = 8,	   /* 82575 to I211 */
	CARD_NFORCE = 16,
	CARD_BCM570X = 32, /* 5700 to 5704 */
	CARD_BCM5705 = 64, /* 5705 and later: no "during interrupt" ticks */
	CARD_BCM5717 = 128, /* with MSI-X */
};
#define CARD_BCM_ALL	   (CARD_BCM570X | CARD_BCM5705 | CARD_BCM5717)
#define CARD_FAMILY_COUNT  8
#define CARD_RESET_UNKNOWN (-1)

/* What moderato can do with a part. */
enum card_state {
	CARD_DRIVEN,	 /* by the driver, through VFIO */
	CARD_RECOGNISED, /* known to the driver, which refuses it with a reason */
	CARD_KNOWLEDGE,	 /* in these tables only */
};

struct card {
	const char *name;
	enum card_family family;
	const char *core;  /* row of chip_table or known_chip_table, "" for another logic */
	unsigned intmodes; /* INTMODE_BIT()s; of a core: card_intmodes() */
	unsigned msix_vectors, rx_queues, tx_queues, ring_max; /* 0: not known, or as the core */
	const char *note, *source;
};
extern const struct card card_table[];
extern const size_t card_table_count;

/* Intel cores that are known and not driven, in rows of the same form as chip_table. */
extern const struct chip known_chip_table[];
extern const size_t known_chip_table_count;

/* A part by its PCI ids. */
struct card_part {
	uint16_t vendor, device;
	const char *name;
	const char *reason; /* why the driver refuses it; "" when driven; NULL: unknown to the driver */
};

/* A moderation register of a card. */
struct card_knob {
	const char *name;
	const struct knob *knob; /* row of knob_table, NULL: no knob of moderato */
	uint32_t reg;
	const char *bits;
	uint32_t unit_ps;
	uint32_t min, max;
	int64_t reset; /* CARD_RESET_UNKNOWN: not found */
	uint32_t low, high; /* recommended range, 0, 0: none found */
	const char *meaning, *hazard, *source;
};
#define CARD_KNOBS_MAX 32

enum fact_kind { FACT_SPECIAL, FACT_INTERACTION, FACT_HAZARD, FACT_LIMIT, FACT_UNKNOWN, FACT_KINDS };

struct card_fact {
	enum fact_kind kind;
	unsigned families;
	const char *cards; /* names, comma separated, "" = all of the families */
	const char *knob;  /* "" = of the whole part */
	const char *text, *source;
};
extern const struct card_fact card_fact_table[];
extern const size_t card_fact_count;

/* An operating system's driver of some families. */
struct card_driver {
	unsigned families;
	const char *os, *driver;
};
extern const struct card_driver card_driver_table[];
extern const size_t card_driver_count;

/* What such a driver writes by itself. */
struct card_write {
	unsigned families;
	const char *cards, *os, *driver, *knob, *value, *source;
};
extern const struct card_write card_write_table[];
extern const size_t card_write_count;

/** card_family_name() - "8254x", "ICH/PCH", "nForce" ... for one family. */
const char *card_family_name(enum card_family family);
/** card_state_name() - "driven", "recognised", "knowledge only". */
const char *card_state_name(enum card_state state);
/** fact_kind_name() - "special value", "interaction", "hazard", "limit", "unknown". */
const char *fact_kind_name(enum fact_kind kind);

/** card_find() - by a card's name, or by a part's name or PCI ids ("8086:10d3"); case ignored, the
 * maker's "BCM" may be left out. NULL: none. */
const struct card *card_find(const char *name);
/** card_suggest() - up to @max names of cards near a misspelt or incomplete one: one or two edits
 * away, or with the same beginning. Return: how many. */
size_t card_suggest(const char *name, const char **ret_names, size_t max);
/** card_of_part() - the card whose name is the longest beginning of the part's name, or NULL. */
const struct card *card_of_part(const char *part_name);

/** card_chip() - the core with its knobs, modes and limits, or NULL for another logic. Not to be
 * driven unless card_state() says so. */
const struct chip *card_chip(const struct card *card);
/** card_state() - driven when the driver takes at least one of its parts. */
enum card_state card_state(const struct card *card);
/** card_simulated() - does the simulated device model this very part? */
bool card_simulated(const struct card *card);
/** card_intmodes(), card_vectors(), card_ring_max() - of the core, or of the row itself. */
unsigned card_intmodes(const struct card *card);
unsigned card_vectors(const struct card *card);
unsigned card_ring_max(const struct card *card);

/** card_part_at() - the @i-th of all known parts; false past the last. */
bool card_part_at(size_t i, struct card_part *ret_part);
/** card_fits() - is a row with these families and names for the card? @cards: names, comma separated;
 * "" = all of the families; "!A,B" = all but these. */
bool card_fits(const struct card *card, unsigned families, const char *cards);
/** card_knobs() - the card's moderation registers, in table order, at most CARD_KNOBS_MAX. */
size_t card_knobs(const struct card *card, struct card_knob ret_knobs[CARD_KNOBS_MAX]);

#endif
