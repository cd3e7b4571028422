/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables out of stores: medians, judgements, kinds of workload, notes. */
#include "tuner/table_load.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"
#include "tuner/plan.h"
#include "tuner/random.h"
#include "tuner/store.h"

static struct store *store;
static struct plan plan;
static int64_t sweep;

static int set_up(void **state)
{
	struct error err = {0};

	plan = (struct plan){.device = {.chip = chip_find("82574L"), .speed_mbps = 1000}};
	chip_initial_settings(plan.device.chip, &plan.device.base);
	return store_open(NULL, STORE_CREATE, &store, &err);
}

static int tear_down(void **state)
{
	plan_fini(&plan);
	store_close(store);
	return 0;
}

static void add(const char *presets, const char *buffers, const char *dirs, const char *workload)
{
	struct workload extra;
	struct error err = {0};

	if (plan_add_presets(&plan, presets, &err) ||
		plan_add_matrix(&plan, buffers, dirs, "", &err))
		fail_msg("%s", err.text);
	if (workload &&
		(workload_parse(workload, &extra, &err) || plan_add_cell(&plan, &extra, &err)))
		fail_msg("%s", err.text);
}

static void put_plan(unsigned blocks)
{
	struct store_sweep row = {.device = "sim:82574L", .path_kind = "tap"};
	struct error err = {0};

	row.options = json_object();
	if (plan_order_blocks(&plan, blocks, 5, &err) || plan_store(&plan, store, &row, &err))
		fail_msg("%s", err.text);
	sweep = row.id;
	store_sweep_clear(&row);
}

/* Goodput by setting: 900, 990 (better), 903 (same as 900), with a little noise. */
static double figure(const struct plan_trial *trial, struct random_source *source)
{
	static const double levels[] = {900, 990, 901};

	return levels[trial->config % 3] * (1.0 + 0.002 * (random_unit(source) - 0.5));
}

static void run_trials(size_t count, size_t void_at)
{
	struct random_source source;
	struct store_trial trial;
	struct error err = {0};
	int64_t session;

	random_init(&source, 1);
	assert_int_equal(store_begin_session(store, sweep, NULL, &session, NULL, &err), 0);
	for (size_t i = 0; i < count; i++) {
		bool pingpong = plan.cells[plan.trials[i].cell].kind == WORKLOAD_RR;
		struct store_metric metric = {
			pingpong ? "rr_p50_us" : "goodput_mbps", figure(&plan.trials[i], &source)};
		struct store_outcome outcome = {.status = i == void_at ? TRIAL_VOID : TRIAL_OK,
			.metrics = &metric,
			.metric_count = 1};

		assert_int_equal(store_next_trial(store, sweep, &trial, &err), 0);
		assert_int_equal(store_finish_trial(store, &trial, &outcome, false, &err), 0);
	}
}

static struct table_set load(const char *metric)
{
	struct table_set set;
	struct error err = {0};

	if (table_load(store, sweep, metric, &set, &err) < 0)
		fail_msg("%s", err.text);
	return set;
}

static void medians_stand_at_buffer_setting_and_direction(void **state)
{
	struct table_set set;
	const struct table *table;

	add("linux-static,netbsd-new,netbsd-old", "128k,4k", "tx,rx", NULL);
	put_plan(3);
	run_trials(plan.trial_count, SIZE_MAX);
	set = load(NULL);
	assert_int_equal(set.count, 1);
	table = &set.tables[0];
	assert_int_equal(table->row_count, 2);
	assert_string_equal(table->rows[0].label, "4k");
	assert_string_equal(table->directions[0], "rx");
	assert_string_equal(table->directions[1], "tx");
	assert_int_equal(table->setting_count, 3);
	assert_true(table->settings[0].baseline);
	assert_int_equal(table_at(table, 1, 1, 0)->n, 3);
	assert_true(fabs(table_at(table, 1, 1, 0)->median - 990) < 2);
	assert_true(table_at(table, 1, 1, 0)->low <= table_at(table, 1, 1, 0)->median);
	assert_string_equal(table->intmode, "msi");
	assert_non_null(strstr(table->settings[1].knobs, "ITR=1500"));
	/* three blocks decide nothing, whatever they say */
	assert_string_equal(table_at(table, 1, 1, 0)->verdict, "not proven");
	table_set_free(&set);
}

static void single_trials_have_no_verdicts(void **state)
{
	struct table_set set;

	add("linux-static,netbsd-new", "4k", "rx", NULL);
	put_plan(1);
	run_trials(plan.trial_count, SIZE_MAX);
	set = load(NULL);
	assert_false(table_at(&set.tables[0], 0, 1, 0)->judged);
	table_set_free(&set);
}

static void blocks_are_judged_against_the_baseline(void **state)
{
	struct table_set set;
	const struct table *table;

	add("linux-static,netbsd-new,netbsd-old", "4k,128k", "rx", NULL);
	put_plan(12);
	run_trials(plan.trial_count, SIZE_MAX);
	set = load(NULL);
	table = &set.tables[0];
	for (size_t row = 0; row < 2; row++) {
		assert_false(table_at(table, row, 0, 0)->judged);
		assert_string_equal(table_at(table, row, 1, 0)->verdict, "better");
		assert_true(fabs(table_at(table, row, 1, 0)->ratio - 1.1) < 0.01);
		assert_string_equal(table_at(table, row, 2, 0)->verdict, "same");
		/* four judgements: 1 - 5 % / 4, more than the 98.4 % of a single look */
		assert_true(table_at(table, row, 1, 0)->confidence >= 0.9875);
	}
	table_set_free(&set);
}

static void unfinished_and_void_cells_are_marked(void **state)
{
	struct table_set set;
	unsigned with_value = 0, lost = 0, missing = 0;

	add("linux-static,netbsd-new", "4k,128k", "rx", NULL);
	put_plan(1);
	run_trials(3, 1);
	set = load(NULL);
	for (size_t i = 0; i < 4; i++) {
		with_value += set.tables[0].cells[i].state == TABLE_VALUE;
		lost += set.tables[0].cells[i].state == TABLE_VOID;
		missing += set.tables[0].cells[i].state == TABLE_MISSING;
	}
	assert_int_equal(with_value, 2);
	assert_int_equal(lost, 1);
	assert_int_equal(missing, 1);
	table_set_free(&set);
}

static void kinds_of_workload_have_tables_of_their_own(void **state)
{
	struct table_set set;
	struct error err = {0};

	add("linux-static,netbsd-new", "4k", "rx", "rr:64");
	assert_int_equal(plan_add_matrix(&plan, "4k", "rx", "/window=64k", &err), 0);
	put_plan(2);
	run_trials(plan.trial_count, SIZE_MAX);
	set = load(NULL);
	assert_int_equal(set.count, 3);
	assert_string_equal(set.tables[0].metric, "goodput_mbps");
	assert_string_equal(set.tables[1].metric, "rr_p50_us");
	assert_string_equal(set.tables[1].directions[0], "");
	assert_non_null(strstr(set.tables[2].workload, "window 64k"));
	table_set_free(&set);
	set = load("rr_p50_us");
	assert_int_equal(set.count, 1);
	table_set_free(&set);
	assert_int_equal(table_load(store, sweep, "jitter_us", &set, &err), -ENODATA);
	assert_true(table_load(store, sweep, "godput_mbps", &set, &err) < 0);
	assert_non_null(strstr(err.text, "goodput_mbps"));
}

static void settings_of_equal_effect_are_explained(void **state)
{
	struct table_set set;

	add("netbsd-new,netbsd-mod-new,linux-static", "4k", "rx", NULL);
	put_plan(1);
	set = load(NULL);
	assert_int_equal(set.tables[0].note_count, 1);
	assert_non_null(
		strstr(set.tables[0].notes[0], "netbsd-new and netbsd-mod-new come to the same"));
	assert_non_null(strstr(set.tables[0].notes[0], "384 us"));
	table_set_free(&set);
}

#define load_unit_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		load_unit_test(medians_stand_at_buffer_setting_and_direction),
		load_unit_test(single_trials_have_no_verdicts),
		load_unit_test(blocks_are_judged_against_the_baseline),
		load_unit_test(unfinished_and_void_cells_are_marked),
		load_unit_test(kinds_of_workload_have_tables_of_their_own),
		load_unit_test(settings_of_equal_effect_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
