/* SPDX-License-Identifier: BSD-2-Clause */
/* A sweep's plan: which settings, which workloads, in which random order. */
#ifndef MODERATO_TUNER_PLAN_H
#define MODERATO_TUNER_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/workload.h"
#include "common/chips/chip.h"
#include "common/error.h"

#define PLAN_CONFIGS_MAX 4096
#define PLAN_TRIALS_MAX	 1000000
#define PLAN_NAME_MAX	 320

#define PLAN_DEFAULT_BUFFERS "32,256,1k,4k,16k,128k"
#define PLAN_DEFAULT_DIRS    "rx,tx"

/* The device that the plan is for. */
struct plan_device {
	const struct chip *chip;
	struct settings base; /* in force; knobs that a configuration does not name keep these values */
	unsigned speed_mbps;
	bool msix_rx_timers;
};

struct plan_config {
	char name[PLAN_NAME_MAX];   /* "netbsd-old", or "ITR=1500 RDTR=0" */
	struct settings asked;	    /* the knobs it names */
	struct settings complete;   /* base and asked: what is applied */
	struct settings canonical;  /* what the chip makes of it; equal for no two configurations */
	char note[160];		    /* what a preset became on this chip, or "" */
};

/* A configuration that was left out, because the chip cannot tell it from another one. */
struct plan_merged {
	char name[PLAN_NAME_MAX];
	size_t config; /* index of the one that stands for it */
};

struct plan_trial {
	unsigned config, cell; /* indices */
	unsigned block;	       /* 1.. */
	unsigned pair;	       /* 1.. in a plan of pairs, else 0 */
};

/* Zero-initialise, set the device, add configurations and cells, order; plan_fini() frees. */
struct plan {
	struct plan_device device;
	struct plan_config *configs;
	size_t config_count;
	struct plan_merged *merged;
	size_t merged_count;
	struct workload *cells;
	size_t cell_count;
	struct plan_trial *trials; /* in the order of running */
	size_t trial_count;
	size_t baseline;      /* index of its configuration */
	unsigned restarts;    /* times that the device must be restarted on the way */
	uint64_t estimate_ns; /* of the time it takes */
	uint64_t seed;
	unsigned blocks;
};
void plan_fini(struct plan *plan);

/**
 * plan_add_product() - configurations from lists of knob values
 * @text: "ITR=0,195,1500 RDTR=0,375": every combination; "name: ITR=488 TIDV=64": one configuration
 * with a name. Values as settings_parse_assignment() reads them.
 */
int plan_add_product(struct plan *plan, const char *text, struct error *err);
/** plan_add_presets() - "netbsd-old,linux-static". */
int plan_add_presets(struct plan *plan, const char *names, struct error *err);
/**
 * plan_add_config() - one configuration; @name NULL: its settings are its name
 * One that the chip cannot tell from an earlier one is merged with it and listed in @plan->merged.
 * @ret_index: of the configuration that stands for it; may be NULL.
 */
int plan_add_config(struct plan *plan, const char *name, const struct settings *asked,
		    size_t *ret_index, struct error *err);
/**
 * plan_find_config() - a configuration of the plan, by its name, a merged name, or settings text;
 * a preset or settings that the plan has not yet are added.
 */
int plan_find_config(struct plan *plan, const char *name, size_t *ret_index, struct error *err);

/** plan_add_cell() - one workload; one that is there already is left out. */
int plan_add_cell(struct plan *plan, const struct workload *workload, struct error *err);
/**
 * plan_add_matrix() - TCP over all buffer sizes and directions
 * @buffers: "32,4k,128k"; @dirs: "rx,tx,bidir"; @options: tail of a workload, "/window=64k" or "".
 */
int plan_add_matrix(struct plan *plan, const char *buffers, const char *dirs, const char *options,
		    struct error *err);

/**
 * plan_order_blocks() - every block holds every configuration in every cell once, in random order
 * Within a block the settings of one set of restart knobs stay together (their order is random), in
 * it one cell after the other, in a cell the configurations: so that a configuration and the
 * baseline meet in one cell within seconds, and the device is restarted as seldom as that allows.
 */
int plan_order_blocks(struct plan *plan, unsigned blocks, uint64_t seed, struct error *err);
/** plan_order_pairs() - @pairs times configurations 0 and 1 in cell 0, the order in a pair random. */
int plan_order_pairs(struct plan *plan, unsigned pairs, uint64_t seed, struct error *err);
/** plan_pair_starts_with_b() - the order inside pair @pair (1..), the same for the same seed. */
bool plan_pair_starts_with_b(uint64_t seed, unsigned pair);

/**
 * plan_each_warning() - hazards and dead knobs of the planned settings, each sentence once
 * @visit: gets the configuration that first showed it.
 */
void plan_each_warning(const struct plan *plan,
		       void (*visit)(void *context, const struct plan_config *config,
				     const char *warning),
		       void *context);

struct store;
struct store_sweep;
/**
 * plan_store() - the whole plan into the store, in one transaction
 * @sweep: kind, device, path_kind and options (an object; speed_mbps and msix_rx_timers are added)
 * filled by the caller; the rest comes from the plan. Its `base` becomes a new reference;
 * store_sweep_clear() drops both.
 */
int plan_store(const struct plan *plan, struct store *store, struct store_sweep *sweep,
	       struct error *err);

/**
 * plan_read_device() - the device that a stored plan was made for
 * Return: 0, or -ENOTSUP for a chip that this moderato does not know.
 */
int plan_read_device(const struct store_sweep *sweep, struct plan_device *ret_device,
		     struct error *err);

/** plan_format_difference() - "ITR 195 -> 1500, RDTR 0 -> 375" of two complete settings; "" when
 * they are equal. Returns @buf. */
char *plan_format_difference(const struct settings *a, const struct settings *b, char *buf,
			     size_t size);

#endif
