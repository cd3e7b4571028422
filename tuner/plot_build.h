/* SPDX-License-Identifier: BSD-2-Clause */
/* A sweep of the store as a figure: throughput, interrupts and CPU by buffer size per setting. */
#ifndef MODERATO_TUNER_PLOT_BUILD_H
#define MODERATO_TUNER_PLOT_BUILD_H

#include "plots/plot.h"
#include "tuner/store.h"

/** plot_choose_sweep() - the newest that is no comparison. Return: 0 or -ENODATA. */
int plot_choose_sweep(struct store *store, int64_t *ret_sweep, struct error *err);

struct plot_request {
	int64_t sweep;	      /* 0: as plot_choose_sweep() does */
	const char *settings; /* names separated by commas, NULL: in the order of the sweep */
};

/**
 * plot_build() - fill @ret_figure from the trials that count
 * Rows are the directions of the sweep's TCP cells (UDP when it has no TCP), categories their
 * buffer sizes. Points are medians over the blocks.
 * @note: a sentence about what the figure leaves out, "" when nothing.
 * Return: 0; -ENODATA when the store has no such sweep; a usage error for an unknown setting.
 */
int plot_build(struct store *store, const struct plot_request *request,
	struct plot_figure *ret_figure, char *note, size_t note_size, struct error *err);

#endif
