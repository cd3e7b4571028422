/* SPDX-License-Identifier: BSD-2-Clause */
/* The reply of `info`, shown to a person. */
#ifndef MODERATO_TUNER_INFO_VIEW_H
#define MODERATO_TUNER_INFO_VIEW_H

#include <jansson.h>

/** info_view_print_summary() - name, chip, state, path, scheduling: a line each. */
void info_view_print_summary(const json_t *info);
/** info_view_print_knobs() - a table of the knobs: unit, range, what they mean, hazards. */
void info_view_print_knobs(const json_t *info);
/** info_view_print_quirks() - the chip's troubles and what the driver does about them. */
void info_view_print_quirks(const json_t *info);

#endif
