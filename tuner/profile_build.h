/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile out of a store: what a setting did there against a baseline, and what proves it. */
#ifndef MODERATO_TUNER_PROFILE_BUILD_H
#define MODERATO_TUNER_PROFILE_BUILD_H

#include "profiles/profile.h"
#include "tuner/store.h"

struct profile_request {
	const char *setting;   /* name of a configuration */
	const char *baseline;  /* NULL: the baseline of the newest sweep that has the setting */
	const char *objective; /* throughput, latency, efficiency or balanced */
	const char *command;   /* that made the results; NULL: not known */
};

/**
 * profile_build() - every sweep and comparison of the store that has both settings
 * A comparison gives the effect on the metric it was made for; a sweep those on throughput and CPU
 * in each cell, with the confidence divided by their number. All verdicts are compare_stored()'s.
 * @ret_profile: profile_fini() it.
 * Return: 0; -ENODATA when no sweep has both; a usage error for a name nobody has.
 */
int profile_build(struct store *store, const struct profile_request *request,
	struct profile *ret_profile, struct error *err);

#endif
