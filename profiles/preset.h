/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: the settings that operating systems' drivers write, by name and per chip. */
#ifndef MODERATO_PROFILES_PRESET_H
#define MODERATO_PROFILES_PRESET_H

#include <stddef.h>

#include "common/chips/chip.h"

struct preset_value {
	enum knob_id knob;
	uint32_t value;	    /* register units */
	const char *source; /* where the value stands */
};

struct preset {
	const char *name;
	unsigned families; /* FAM_... */
	const char *chips; /* chip names, comma separated; "" = every chip of the families */
	enum intmode intmode;
	const char *meaning;
	const struct preset_value *values;
	size_t value_count;
};

/* A name may have several rows, for different chips. */
extern const struct preset preset_table[];
extern const size_t preset_table_count;

#define PRESET_NOTE_MAX 160

/* What a preset comes to on one chip. */
struct preset_result {
	const struct preset *preset;
	struct settings settings;   /* the preset's knobs and KNOB_INTMODE, register units */
	char note[PRESET_NOTE_MAX]; /* a sentence when the chip runs it otherwise than named, or ""
				     */
};

/** preset_find() - first row called @name (case ignored) that fits @chip; NULL chip: any row.
 * Return: the row or NULL. */
const struct preset *preset_find(const char *name, const struct chip *chip);
/** preset_suggest() - name nearest to a misspelt one (at most two edits away), or NULL. */
const char *preset_suggest(const char *name);
/** preset_fits() - is the row for this chip, and has the chip its knobs and an interrupt mode? */
bool preset_fits(const struct preset *preset, const struct chip *chip);

/**
 * preset_resolve() - the settings that preset @name means on @chip
 * A preset in MSI runs in INTx on a chip without MSI, and the note says so.
 * Return: 0; -EINVAL as a usage error when no such name (with the nearest one) or none for this
 * chip.
 */
int preset_resolve(const char *name, const struct chip *chip, struct preset_result *ret_result,
	struct error *err);

/**
 * preset_resolve_mode() - as preset_resolve(), in another interrupt mode than the preset's own
 * ITR and EITRn move to the knobs that throttle in @mode (presets.def, THROTTLE); the note says so.
 */
int preset_resolve_mode(const char *name, const struct chip *chip, enum intmode mode,
	struct preset_result *ret_result, struct error *err);

#endif
