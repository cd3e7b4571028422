/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile: which setting, on which chip and CPU, for what, with which effect, proven by what. */
#ifndef MODERATO_PROFILES_PROFILE_H
#define MODERATO_PROFILES_PROFILE_H

#include <jansson.h>
#include <stdio.h>

#include "common/chips/chip.h"

#define PROFILE_SCHEMA	 "moderato-profile/1"
#define PROFILE_TEXT_MAX 160 /* bytes of a string member with its end */
#define PROFILE_LEAST_PROOF                                                                        \
	7 /* pairs below which the signed-rank interval cannot prove anything                      \
	   */
#define PROFILE_TX_MARK "TX side not transferable"

/* Absent members: "" (string), PROFILE_NO_INT, NaN (number). */
#define PROFILE_NO_INT INT64_MIN

#define PROFILE_DECLARE_STRING(name)				char name[PROFILE_TEXT_MAX];
#define PROFILE_DECLARE_INT(name)				int64_t name;
#define PROFILE_DECLARE_BOOL(name)				bool name;
#define PROFILE_DECLARE_NUMBER(name)				double name;
#define PROFILE_DECLARE(type, name, required, allowed, meaning) PROFILE_DECLARE_##type(name)

struct profile_chip {
#define CHIP_FIELD PROFILE_DECLARE
#include "profiles/profile.def"
};

struct profile_cpu {
#define CPU_FIELD PROFILE_DECLARE
#include "profiles/profile.def"
};

struct profile_effect {
#define EFFECT_FIELD PROFILE_DECLARE
#include "profiles/profile.def"
};

struct profile_evidence {
#define EVIDENCE_FIELD PROFILE_DECLARE
#include "profiles/profile.def"
	int64_t *trials; /* ids in the store */
	size_t trial_count;
};

struct profile_setting {
	char name[PROFILE_TEXT_MAX];
	struct settings values;
};

struct profile {
#define PROFILE_FIELD PROFILE_DECLARE
#include "profiles/profile.def"
	struct profile_chip chip;
	struct profile_cpu cpu;
	struct profile_setting setting, baseline;
	struct profile_effect *effects;
	size_t effect_count;
	struct profile_evidence evidence;
	json_t *environment; /* object, as the trials recorded it */
};

/** profile_init() - everything absent; profile_fini() frees what it owns, also half made. */
int profile_init(struct profile *profile);
void profile_fini(struct profile *profile);

/** profile_add_effect() - append one with every optional member absent; NULL: out of memory. */
struct profile_effect *profile_add_effect(struct profile *profile);
/** profile_add_trial() - append an id to the evidence. Return 0 or -ENOMEM. */
int profile_add_trial(struct profile *profile, int64_t id);

/**
 * profile_check() - does it hold together?
 * Chip known, its PCI id, family and settings; path and transfer mark; every verdict no more than
 * its interval and number of pairs allow.
 * Return: 0 or -EINVAL with a sentence naming the member.
 */
int profile_check(const struct profile *profile, struct error *err);

/** profile_to_json() - new reference; NULL: out of memory. */
json_t *profile_to_json(const struct profile *profile);
/** profile_from_json() - every member checked, then profile_check(); fini the result. On failure
 * nothing is left to free. */
int profile_from_json(json_t *document, struct profile *ret_profile, struct error *err);

/** profile_write_file() - checked, then written whole or not at all. */
int profile_write_file(const struct profile *profile, const char *path, struct error *err);
/** profile_read_file() - sentences begin with the path. */
int profile_read_file(const char *path, struct profile *ret_profile, struct error *err);

/** profile_print() - for people. */
void profile_print(const struct profile *profile, FILE *out);

/** profile_knob_is_tx() - is it of the transmit side, whose effect on a TAP does not transfer? */
bool profile_knob_is_tx(enum knob_id knob);
/** profile_knob_ns() - what @value means at @speed_mbps. Return: false for a knob that is no time.
 */
bool profile_knob_ns(const struct chip *chip, enum knob_id knob, uint32_t value,
	unsigned speed_mbps, uint64_t *ret_ns);

#endif
