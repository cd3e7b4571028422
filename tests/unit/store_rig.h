/* SPDX-License-Identifier: BSD-2-Clause */
/* A store in a folder of its own, with a plan whose trials can be run, for tests of the store. */
#ifndef MODERATO_TESTS_UNIT_STORE_RIG_H
#define MODERATO_TESTS_UNIT_STORE_RIG_H

#include "tuner/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/random.h"
#include "tuner/store_private.h"

#define POSITIONS 12u
#define METRICS	  40
#define LONG_PLAN 2000

static char folder[64], path[128];

static inline int set_up(void **state)
{
	(void)strcpy(folder, "/tmp/moderato-store-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/results.db", folder);
	return 0;
}

static inline int tear_down(void **state)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 ? 0 : -1;
}

static inline struct store *open_store(enum store_mode mode)
{
	struct store *store = NULL;
	struct error err = {0};

	if (store_open(path, mode, &store, &err) < 0)
		fail_msg("%s", err.text);
	return store;
}

/* Two configurations, two cells, POSITIONS trials. */
static inline int64_t add_plan(struct store *store, unsigned positions)
{
	struct store_sweep sweep = {.kind = SWEEP_KIND_SWEEP,
		.device = "sim:82574L",
		.chip = "82574L",
		.path_kind = "tap",
		.seed = 42,
		.blocks = 3,
		.seconds = 1};
	struct store_config config[2] = {
		{.ordinal = 0, .name = "old"}, {.ordinal = 1, .name = "new"}};
	struct store_cell cell[2] = {
		{.ordinal = 0, .workload = "tcp:rx:4k"}, {.ordinal = 1, .workload = "tcp:tx:4k"}};
	struct error err = {0};
	int r = store_begin(store, &err);

	sweep.options = json_pack("{s:i}", "window", 65536);
	sweep.base = json_pack("{s:i}", "ITR", 0);
	r = r == 0 ? store_add_sweep(store, &sweep, &err) : r;
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		config[i].settings = json_pack("{s:i}", "ITR", i * 1500);
		config[i].asked = json_pack("{s:i}", "ITR", i * 1500);
		r = store_add_config(store, sweep.id, &config[i], &err);
		r = r == 0 ? store_add_cell(store, sweep.id, &cell[i], &err) : r;
	}
	for (unsigned i = 0; i < positions && r == 0; i++) {
		struct store_trial trial = {.sweep = sweep.id,
			.config = config[i % 2].id,
			.cell = cell[i / 2 % 2].id,
			.block = i / 4 + 1,
			.position = i + 1,
			.attempt = 1};

		r = store_add_trial(store, &trial, &err);
	}
	r = r == 0 ? store_commit(store, &err) : r;
	for (unsigned i = 0; i < 2; i++)
		store_config_clear(&config[i]);
	if (r < 0)
		fail_msg("%s", err.text);
	r = (int)sweep.id;
	store_sweep_clear(&sweep);
	return r;
}

static inline int finish(struct store *store, const struct store_trial *trial, enum trial_status status,
	bool retry, struct error *err)
{
	static char raw[20000];
	struct store_metric metrics[METRICS];
	char names[METRICS][24];
	struct store_blob blob = {"result", raw, sizeof(raw)};
	struct store_outcome outcome = {.status = status,
		.metrics = metrics,
		.metric_count = METRICS,
		.blobs = &blob,
		.blob_count = 1};
	int r;

	for (int i = 0; i < METRICS; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "metric_%02d", i);
		metrics[i] = (struct store_metric){names[i], trial->position + i};
	}
	outcome.reason = status == TRIAL_OK ? NULL : "link changed";
	outcome.readback = json_pack("{s:i}", "ITR", (int)trial->position);
	r = store_finish_trial(store, trial, &outcome, retry, err);
	json_decref((json_t *)outcome.readback);
	return r;
}

/* Runs trials until none is left or one fails; returns that result. */
static inline int run_all(struct store *store, int64_t sweep, int report_fd, struct error *err)
{
	struct store_trial trial;
	int64_t session;
	int r = store_begin_session(store, sweep, NULL, &session, NULL, err);

	while (r == 0 && (r = store_next_trial(store, sweep, &trial, err)) == 0) {
		r = store_start_trial(store, &trial, session, err);
		r = r == 0 ? finish(store, &trial, TRIAL_OK, false, err) : r;
		if (r == 0 && report_fd >= 0)
			(void)!write(report_fd, &trial.position, sizeof(trial.position));
	}
	return r;
}

static inline struct store_progress progress_of(struct store *store, int64_t sweep)
{
	struct store_progress progress;
	struct error err = {0};

	assert_int_equal(store_read_progress(store, sweep, &progress, &err), 0);
	return progress;
}

#define store_unit_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
