/* SPDX-License-Identifier: BSD-2-Clause */
/* Chips and their quirks as data. Code asks what a chip has or suffers from, never which it is. */
#ifndef MODERATO_COMMON_CHIPS_CHIP_H
#define MODERATO_COMMON_CHIPS_CHIP_H

#include <stddef.h>
#include <stdint.h>

#include "common/chips/knob.h"
#include "common/chips/regs.h"

#define PCI_VENDOR_INTEL 0x8086

enum rx_format { RX_FORMAT_LEGACY, RX_FORMAT_EXTENDED };
enum eerd_layout { EERD_SMALL, EERD_LARGE };

#define QUIRK(id, symptom, parts, source, remedy) QUIRK_INDEX_##id,
enum quirk_index {
#include "common/chips/quirks.def"
	QUIRK_COUNT
};
#undef QUIRK
#define QUIRK(id, symptom, parts, source, remedy) QUIRK_##id = 1u << QUIRK_INDEX_##id,
enum quirk {
#include "common/chips/quirks.def"
};
#undef QUIRK

struct quirk_info {
	const char *name, *symptom, *parts, *source, *remedy;
};
extern const struct quirk_info quirk_table[QUIRK_COUNT];

struct chip {
	const char *name;
	uint16_t vendor, device;
	enum chip_family family;
	unsigned intmodes;    /* INTMODE_BIT()s */
	unsigned msix_vectors; /* table entries, 0 without MSI-X */
	uint32_t knobs;	      /* bit per knob_id that exists on this chip */
	enum rx_format rx_format;
	enum eerd_layout eerd;
	unsigned ring_max;
	unsigned max_frame;	/* bytes with header and FCS */
	unsigned tx_desc_bytes; /* largest buffer of one transmit descriptor */
	unsigned rx_pba_kib;	/* receive share of the packet buffer */
	unsigned quirks;
	const char *source;
};

extern const struct chip chip_table[];
extern const size_t chip_table_count;

/* A part by its PCI device id; several parts share one row of the chip table. */
struct pci_id {
	uint16_t device; /* vendor 8086 */
	const char *name;
	const char *chip;   /* row of chip_table, "": recognised, not driven */
	const char *reason; /* why it is not driven, "" when it is */
};
extern const struct pci_id pci_id_table[];
extern const size_t pci_id_table_count;

const char *chip_family_name(enum chip_family family);
/** chip_find() - row by name, case ignored, or NULL. */
const struct chip *chip_find(const char *name);
/** chip_suggest() - nearest chip name to a misspelt one, or NULL. */
const char *chip_suggest(const char *name);
/** chip_simulated() - the @i-th chip that the simulated device knows, NULL past the last. */
const struct chip *chip_simulated(size_t i);
/** chip_by_id() - the row that drives the part with these PCI ids, or NULL. */
const struct chip *chip_by_id(uint16_t vendor, uint16_t device);
/** pci_id_find() - the part with these PCI ids, driven or not, or NULL when it is unknown. */
const struct pci_id *pci_id_find(uint16_t vendor, uint16_t device);

static inline bool chip_has_knob(const struct chip *chip, enum knob_id id)
{
	return (chip->knobs >> id) & 1u;
}

static inline bool chip_has_quirk(const struct chip *chip, enum quirk quirk)
{
	return (chip->quirks & quirk) != 0;
}

/** chip_tick_scale() - how many times longer a timer tick is at @speed_mbps: 4 at 10 and 100 Mb/s
 * (measured by others, not documented; marked unverified), else 1. */
unsigned chip_tick_scale(const struct chip *chip, unsigned speed_mbps);

/**
 * chip_check_settings() - is each value one that @chip can hold?
 * Return: 0, or -EINVAL with a sentence naming the first knob that the chip lacks or whose value is
 * out of range (ring sizes: multiple of 8 up to ring_max; speed: 0, 10, 100, 1000; intmode: one the
 * chip has).
 */
int chip_check_settings(const struct chip *chip, const struct settings *settings, struct error *err);

/** chip_initial_settings() - all knobs of @chip at their initial values. */
void chip_initial_settings(const struct chip *chip, struct settings *ret_settings);

#endif
