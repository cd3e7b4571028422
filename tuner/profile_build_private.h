/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the parts that build a profile: where they are in the store. */
#ifndef MODERATO_TUNER_PROFILE_BUILD_PRIVATE_H
#define MODERATO_TUNER_PROFILE_BUILD_PRIVATE_H

#include <stdio.h>

#include "tuner/profile_build.h"

/* One sweep that has both sides. */
struct profile_source {
	struct store_sweep sweep;
	struct store_config *configs;
	struct store_cell *cells;
	size_t config_count, cell_count;
	const struct store_config *setting, *baseline;
};

struct profile_build {
	struct store *store;
	const struct profile_request *request;
	struct profile *profile;
	char baseline[320]; /* name */
	bool setting_known; /* some sweep has it */
	unsigned sources;
};

/** profile_fill_place() - settings, chip, CPU, path and environment, from the first source. */
int profile_fill_place(
	struct profile_build *b, const struct profile_source *source, struct error *err);

/* Cut to fit; NULL is "". */
static inline void profile_copy_text(char into[PROFILE_TEXT_MAX], const char *text)
{
	(void)snprintf(into, PROFILE_TEXT_MAX, "%s", text ? text : "");
}

#endif
