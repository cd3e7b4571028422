/* SPDX-License-Identifier: BSD-2-Clause */
/* From a store to a figure: places, medians, what is left out, and the words around it. */
#include <errno.h>
#include <math.h>

#include "tests/unit/made_store.h"
#include "tuner/plot_build.h"

static struct plot_figure figure;
static char note[200];

static double by_place(unsigned config, unsigned cell, const char *metric, unsigned block)
{
	if (strcmp(metric, "goodput_mbps"))
		return !strcmp(metric, "irq_per_s") ? 2000.0 * (config + 1) : 0.002;
	if (config == 1 && cell == 3)
		return NAN;
	return 100.0 * (cell + 1) + 10 * config + block;
}

static const struct made_sweep table = {.presets = {"netbsd-old", "linux-static"},
	.cells = {"tcp:tx:128k", "tcp:rx:32", "tcp:rx:128k", "tcp:tx:32", "rr:64"},
	.blocks = 3,
	.value = by_place};

static int build(struct store *store, const char *settings, int64_t sweep, struct error *err)
{
	struct plot_request request = {.settings = settings, .sweep = sweep};

	return plot_build(store, &request, &figure, note, sizeof(note), err);
}

static void cells_become_rows_of_directions_and_columns_of_buffers(void **state)
{
	struct store *store = made_open();
	struct error err = {0};

	(void)made_add(store, &table, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_int_equal(figure.row_count, 2);
	assert_string_equal(figure.row_title[0], "RX");
	assert_int_equal(figure.category_count, 2);
	assert_string_equal(figure.category[0], "32");
	assert_string_equal(figure.category[1], "128k");
	assert_int_equal(figure.series_count, 2);
	assert_string_equal(note, "");
	store_close(store);
}

static void points_are_medians_with_the_extremes(void **state)
{
	struct store *store = made_open();
	const struct plot_point *p = &figure.panel[0][0].point[1][0];
	struct error err = {0};

	(void)made_add(store, &table, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_int_equal(p->n, 3);
	assert_true(p->median == 212 && p->low == 211 && p->high == 213);
	assert_true(figure.panel[1][1].point[0][0].median == 2);
	assert_true(fabs(figure.panel[0][2].point[0][0].median - 2) < 1e-9);
	store_close(store);
}

static void void_trials_are_no_points(void **state)
{
	struct store *store = made_open();
	struct error err = {0};

	(void)made_add(store, &table, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_int_equal(figure.panel[1][0].point[1][0].n, 0);
	assert_int_equal(figure.panel[1][0].point[0][0].n, 3);
	store_close(store);
}

static void the_words_say_what_was_measured_where(void **state)
{
	struct made_sweep once = table;
	struct store *store = made_open();
	struct error err = {0};

	once.blocks = 1;
	(void)made_add(store, &once, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_string_equal(figure.title, "82574L (simulated), MSI: TCP throughput by buffer size");
	assert_non_null(strstr(figure.subtitle, "Test CPU, Linux 6.1.0-test, 1 trial of 1 s"));
	assert_non_null(strstr(figure.subtitle, "no verdicts"));
	assert_non_null(strstr(figure.footnote, "driver thread + local traffic process"));
	assert_true(figure.panel[0][0].limit > 941 && figure.panel[0][0].limit < 942);
	store_close(store);
}

static void settings_are_chosen_by_name_and_unknown_ones_refused(void **state)
{
	struct store *store = made_open();
	struct error err = {0};

	(void)made_add(store, &table, NULL, NULL);
	made_must(build(store, "linux-static", 0, &err), &err);
	assert_int_equal(figure.series_count, 1);
	assert_string_equal(figure.series[0], "linux-static");
	assert_int_equal(build(store, "linux-static,solaris", 0, &err), -EINVAL);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "\"solaris\""));
	store_close(store);
}

static void more_settings_than_fit_are_left_out_and_it_is_said(void **state)
{
	struct made_sweep many = {.presets = {"netbsd-old", "netbsd-new", "netbsd-mod-new",
					  "linux-static", "linux-static-msix", "freebsd",
					  "freebsd-msix", "openbsd", "dragonfly", "reset"},
		.cells = {"tcp:rx:32"},
		.blocks = 1,
		.value = by_place};
	struct store *store = made_open();
	struct error err = {0};

	(void)made_add(store, &many, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_int_equal(figure.series_count, PLOT_SERIES_MAX);
	assert_non_null(strstr(note, "8 of 10 settings are drawn"));
	assert_non_null(strstr(figure.title, "several interrupt modes"));
	store_close(store);
}

static void cells_of_a_second_window_do_not_mix_with_the_first(void **state)
{
	struct made_sweep windows = table;
	struct store *store = made_open();
	struct error err = {0};

	windows.cells[4] = "tcp:rx:32/window=64k";
	(void)made_add(store, &windows, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_int_equal(figure.panel[0][0].point[0][0].n, 3);
	assert_non_null(strstr(note, "1 cells that differ"));
	store_close(store);
}

static void the_newest_sweep_is_taken_past_comparisons(void **state)
{
	struct made_sweep compare = {.kind = SWEEP_KIND_COMPARE,
		.presets = {"netbsd-old", "linux-static"},
		.cells = {"tcp:rx:128k"},
		.blocks = 2,
		.value = by_place};
	struct store *store = made_open();
	struct error err = {0};

	assert_int_equal(build(store, NULL, 0, &err), -ENODATA);
	(void)made_add(store, &compare, NULL, NULL);
	assert_int_equal(build(store, NULL, 0, &err), -ENODATA);
	assert_non_null(strstr(err.text, "comparisons only"));
	(void)made_add(store, &table, NULL, NULL);
	(void)made_add(store, &compare, NULL, NULL);
	made_must(build(store, NULL, 0, &err), &err);
	assert_int_equal(figure.category_count, 2);
	made_must(build(store, NULL, 1, &err), &err);
	assert_int_equal(figure.category_count, 1);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
	const struct CMUnitTest tests[] = {
		TEST(cells_become_rows_of_directions_and_columns_of_buffers),
		TEST(points_are_medians_with_the_extremes),
		TEST(void_trials_are_no_points),
		TEST(the_words_say_what_was_measured_where),
		TEST(settings_are_chosen_by_name_and_unknown_ones_refused),
		TEST(more_settings_than_fit_are_left_out_and_it_is_said),
		TEST(cells_of_a_second_window_do_not_mix_with_the_first),
		TEST(the_newest_sweep_is_taken_past_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
