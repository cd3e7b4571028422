/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep shows: its plan before, its progress, its sum after. */
#ifndef MODERATO_TUNER_SWEEP_VIEW_H
#define MODERATO_TUNER_SWEEP_VIEW_H

#include <stdio.h>

#include "tuner/plan.h"
#include "tuner/progress.h"
#include "tuner/sweep.h"

/** sweep_view_plan() - settings, what was merged, warnings, extent; @order: also every trial. */
void sweep_view_plan(const struct plan *plan, const char *device, bool order, FILE *out);
/** sweep_view_progress() - as a report of struct sweep_run; @context is a struct progress. */
int sweep_view_progress(void *context, const struct sweep_progress *progress, struct error *err);
/** sweep_view_summary() - trials by outcome and the share of time not spent measuring. */
void sweep_view_summary(const struct sweep_summary *summary, FILE *out);

#endif
