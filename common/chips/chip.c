/* SPDX-License-Identifier: BSD-2-Clause */
/* The chip and quirk tables, look-ups, and what values a chip can hold. */
#include "common/chips/chip.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/chips/card.h"
#include "common/nearest.h"
#include "common/util.h"

#define KNOB_BIT(id) (1u << KNOB_##id)

/* Knobs of the driver itself, the same on every chip. */
#define KNOBS_DRIVER                                                                               \
	(KNOB_BIT(INTMODE) | KNOB_BIT(RX_RING) | KNOB_BIT(TX_RING) | KNOB_BIT(TX_BYTE_LIMIT) |     \
		KNOB_BIT(RX_BUDGET) | KNOB_BIT(LIVELOCK_LIMIT) | KNOB_BIT(SPEED))
/* One throttle and four timers [SDM-8254x 13.4.18, 13.4.30, 13.4.31, 13.4.41, 13.4.44] */
#define KNOBS_8254X                                                                                \
	(KNOBS_DRIVER | KNOB_BIT(ITR) | KNOB_BIT(RDTR) | KNOB_BIT(RADV) | KNOB_BIT(TIDV) |         \
		KNOB_BIT(TADV))
/* Its receive and transmit timers only [SDM-8254x 13.4.18] */
#define KNOBS_82544 (KNOBS_DRIVER | KNOB_BIT(RDTR) | KNOB_BIT(TIDV))
/* The ACK delay came with the PCIe parts [82574-regs] */
#define KNOBS_8257X (KNOBS_8254X | KNOB_BIT(RAID))
/* One throttle per MSI-X vector [82574-regs] */
#define KNOBS_82574                                                                                \
	(KNOB_BIT(EITR0) | KNOB_BIT(EITR1) | KNOB_BIT(EITR2) | KNOB_BIT(EITR3) | KNOB_BIT(EITR4))

#define CHIP(name, device, family, intmodes, vectors, knobs, rx_format, eerd, ring_max, max_frame, \
	tx_desc_bytes, rx_pba_kib, quirks, source)                                                 \
	{name, PCI_VENDOR_INTEL, device, family, intmodes, vectors, knobs, rx_format, eerd,        \
		ring_max, max_frame, tx_desc_bytes, rx_pba_kib, quirks, source},
const struct chip chip_table[] = {
#include "common/chips/chips.def"
};
const size_t chip_table_count = ARRAY_SIZE(chip_table);

/* For cards only: no function here looks into it. */
const struct chip known_chip_table[] = {
#include "common/chips/known_chips.def"
};
#undef CHIP
const size_t known_chip_table_count = ARRAY_SIZE(known_chip_table);

#define QUIRK(id, symptom, parts, source, remedy) {#id, symptom, parts, source, remedy},
const struct quirk_info quirk_table[QUIRK_COUNT] = {
#include "common/chips/quirks.def"
};
#undef QUIRK

#define PCI_ID(device, name, chip, reason) {device, name, chip, reason},
const struct pci_id pci_id_table[] = {
#include "common/chips/pci_ids.def"
};
#undef PCI_ID
const size_t pci_id_table_count = ARRAY_SIZE(pci_id_table);

const char *chip_family_name(enum chip_family family)
{
	switch (family) {
	case FAM_E1000:
		return "e1000";
	case FAM_E1000E:
		return "e1000e";
	}
	return "?";
}

const struct chip *chip_find(const char *name)
{
	for (size_t i = 0; i < chip_table_count; i++)
		if (!strcasecmp(chip_table[i].name, name))
			return &chip_table[i];
	return NULL;
}

const struct chip *chip_simulated(size_t i)
{
#define SIMULATED(name) (name),
	static const char *const names[] = {
#include "common/chips/simulated.def"
	};
#undef SIMULATED

	return i < ARRAY_SIZE(names) ? chip_find(names[i]) : NULL;
}

const char *chip_suggest(const char *name)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < chip_table_count; i++)
		nearest_offer(&nearest, chip_table[i].name);
	return nearest.best;
}

const struct chip *chip_by_id(uint16_t vendor, uint16_t device)
{
	const struct pci_id *id = pci_id_find(vendor, device);

	return id ? chip_find(id->chip) : NULL;
}

const struct pci_id *pci_id_find(uint16_t vendor, uint16_t device)
{
	for (size_t i = 0; vendor == PCI_VENDOR_INTEL && i < pci_id_table_count; i++)
		if (pci_id_table[i].device == device)
			return &pci_id_table[i];
	return NULL;
}

unsigned chip_tick_scale(const struct chip *chip, unsigned speed_mbps)
{
	bool slow = speed_mbps == 10 || speed_mbps == 100;

	return slow && (chip->family & (FAM_E1000 | FAM_E1000E)) ? 4 : 1;
}

static char *intmode_list(unsigned intmodes, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned mode = 0; mode < INTMODE_COUNT; mode++)
		if ((intmodes & INTMODE_BIT(mode)) && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
				intmode_name((enum intmode)mode));
	return buf;
}

static int check_intmode(const struct chip *chip, uint32_t value, struct error *err)
{
	char modes[64];

	if (value < INTMODE_COUNT && (chip->intmodes & INTMODE_BIT(value)))
		return 0;
	return error_usage(err, "intmode=%s: the %s has only %s", intmode_name((enum intmode)value),
		chip->name, intmode_list(chip->intmodes, modes, sizeof(modes)));
}

static int check_ring(
	const struct chip *chip, const struct knob *knob, uint32_t value, struct error *err)
{
	uint32_t max = MIN(knob->max, chip->ring_max);

	if (value > max)
		return error_usage(err, "%s=%u is out of range: the %s takes %u to %u descriptors",
			knob->name, value, chip->name, knob->min, max);
	if (value % 8)
		return error_usage(err,
			"%s=%u is not a multiple of 8, as ring lengths must be; try %u", knob->name,
			value, value - value % 8);
	return 0;
}

static int check_speed(uint32_t value, struct error *err)
{
	if (value == 0 || value == 10 || value == 100 || value == 1000)
		return 0;
	return error_usage(
		err, "speed=%u is not a link speed: 0 (negotiate), 10, 100 or 1000", value);
}

static int check_knob(
	const struct chip *chip, const struct knob *knob, uint32_t value, struct error *err)
{
	if (!chip_has_knob(chip, knob->id))
		return error_usage(err, "the %s has no %s", chip->name, knob->name);
	if (knob->id == KNOB_INTMODE)
		return check_intmode(chip, value, err);
	if (value < knob->min || value > knob->max)
		return error_usage(err, "%s=%u is out of range: %u to %u", knob->name, value,
			knob->min, knob->max);
	if (knob->id == KNOB_RX_RING || knob->id == KNOB_TX_RING)
		return check_ring(chip, knob, value, err);
	if (knob->id == KNOB_SPEED)
		return check_speed(value, err);
	return 0;
}

int chip_check_settings(const struct chip *chip, const struct settings *settings, struct error *err)
{
	int r;

	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		if (!settings_has(settings, (enum knob_id)id))
			continue;
		r = check_knob(chip, &knob_table[id], settings->value[id], err);
		if (r)
			return r;
	}
	return 0;
}

/* The table's initial mode is MSI; a chip without it starts with the best that it has. */
static uint32_t initial_intmode(const struct chip *chip)
{
	uint32_t mode = knob_table[KNOB_INTMODE].initial;

	while (mode > INTMODE_INTX && !(chip->intmodes & INTMODE_BIT(mode)))
		mode--;
	return mode;
}

void chip_initial_settings(const struct chip *chip, struct settings *ret_settings)
{
	struct settings initial = {0};

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (chip_has_knob(chip, (enum knob_id)id))
			settings_put(&initial, (enum knob_id)id, knob_table[id].initial);
	settings_put(&initial, KNOB_INTMODE, initial_intmode(chip));
	*ret_settings = initial;
}
