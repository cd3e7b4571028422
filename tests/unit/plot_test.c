/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures: which terminal draws, what happens without one, and that names stay names. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "plots/plot.h"
#include "plots/plot_private.h"

/* What every stand-in for gnuplot shares: T is the terminal of the script, O its picture. */
#define FAKE_HEAD                                                                                  \
	"#!/bin/sh\nPATH=/usr/bin:/bin\n"                                                          \
	"[ \"$LC_ALL\" = C ] || exit 9\n"                                                          \
	"if read -r line; then exit 8; fi\n"
#define FAKE_SCRIPT                                                                                \
	"T=$(sed -n 's/^set terminal \\([a-z]*\\).*/\\1/p' \"$1\")\n"                              \
	"O=$(sed -n \"s/^set output '\\(.*\\)'/\\1/p\" \"$1\")\n"

static char *old_path;

struct place {
	char dir[32]; /* pictures */
	char bin[40]; /* the only directory of PATH */
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	old_path = strdup(getenv("PATH"));
	(void)strcpy(place->dir, "/tmp/moderato-plot-XXXXXX");
	if (!mkdtemp(place->dir))
		return -1;
	(void)snprintf(place->bin, sizeof(place->bin), "%s/bin", place->dir);
	*state = place;
	return mkdir(place->bin, 0755);
}

static int teardown(void **state)
{
	struct place *place = *state;
	char command[128];

	(void)setenv("PATH", old_path, 1);
	free(old_path);
	(void)snprintf(command, sizeof(command), "rm -r %s", place->dir);
	free(place);
	return system(command);
}

static void use_fake(const struct place *place, const char *text)
{
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/gnuplot", place->bin);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(setenv("PATH", place->bin, 1), 0);
}

static struct plot_figure *example(void)
{
	static struct plot_figure figure;

	memset(&figure, 0, sizeof(figure));
	(void)strcpy(figure.title, "title");
	(void)strcpy(figure.x_label, "buffer size (bytes)");
	figure.series_count = 2;
	figure.category_count = 3;
	figure.row_count = 2;
	for (unsigned i = 0; i < 3; i++)
		(void)snprintf(figure.category[i], sizeof(figure.category[i]), "%u", 32u << i);
	(void)strcpy(figure.series[0], "one");
	(void)strcpy(figure.series[1], "two");
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = 0; i < 3; i++)
			figure.panel[0][0].point[s][i] =
				(struct plot_point){3, 10 + i, 9 + i, 12 + i};
	}
	return &figure;
}

static bool exists(const struct place *place, const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", place->dir, name);
	return access(path, F_OK) == 0;
}

static char *script_text(const struct plot_figure *figure)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	plot_script_write(figure, PLOT_TERMINAL_SVG, "t.svg", file);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void a_gnuplot_of_dumb_and_png_alone_draws_png(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct error err = {0};

	use_fake(place,
		FAKE_HEAD "[ \"$1\" = -e ] && { echo ' dumb png ' >&2; exit 0; }\n" FAKE_SCRIPT
			  "case $T in png) printf '\\211PNG....' > \"$O\" ;;\n"
			  "dumb) echo chart > \"$O\" ;; *) exit 1 ;; esac\n");
	if (plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG, &result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(result.file_count, 1);
	assert_true(exists(place, "t.png"));
	assert_true(exists(place, "t.png.gp"));
	assert_string_equal(result.note, "");
	if (plot_draw(example(), place->dir, "t", PLOT_FORMAT_SVG, &result, &err))
		fail_msg("%s", err.text);
	assert_false(exists(place, "t.svg"));
	assert_true(exists(place, "t.txt"));
	assert_non_null(strstr(result.note, "cannot draw svg: dumb was drawn instead"));
}

static void a_terminal_that_fails_makes_room_for_the_next(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct error err = {0};

	use_fake(place, FAKE_HEAD
		"[ \"$1\" = -e ] && { echo ' pngcairo png svg '; exit 0; }\n" FAKE_SCRIPT
		"case $T in pngcairo) : > \"$O\"; echo 'unknown or ambiguous terminal' >&2;"
		"exit 1 ;; png) printf '\\211PNG....' > \"$O\" ;;\n"
		"svg) echo '<svg/>' > \"$O\" ;; esac\n");
	if (plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG | PLOT_FORMAT_SVG, &result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(result.file_count, 2);
	assert_true(exists(place, "t.png"));
	assert_true(exists(place, "t.svg"));
}

static void without_gnuplot_the_scripts_stay_and_the_sentence_says_what_is_missing(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct error err = {0};

	assert_int_equal(setenv("PATH", place->bin, 1), 0);
	assert_int_equal(plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG | PLOT_FORMAT_SVG,
				 &result, &err),
		-ENOENT);
	assert_false(err.usage);
	assert_non_null(strstr(err.text, "gnuplot is not installed"));
	assert_true(exists(place, "t.png.gp"));
	assert_true(exists(place, "t.svg.gp"));
	assert_false(exists(place, "t.png"));
}

static void a_failing_gnuplot_leaves_no_broken_picture_and_its_words_are_passed_on(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct error err = {0};

	use_fake(place, FAKE_HEAD "[ \"$1\" = -e ] && { echo ' png '; exit 0; }\n" FAKE_SCRIPT
				  ": > \"$O\"; echo 'line 7: no such thing' >&2; exit 1\n");
	assert_int_equal(
		plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG, &result, &err), -EIO);
	assert_non_null(strstr(err.text, "line 7: no such thing"));
	assert_false(exists(place, "t.png"));
}

static void an_empty_or_wrong_picture_counts_as_a_failure(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct error err = {0};

	use_fake(place, FAKE_HEAD "[ \"$1\" = -e ] && { echo ' png '; exit 0; }\n" FAKE_SCRIPT
				  ": > \"$O\"\n");
	assert_int_equal(
		plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG, &result, &err), -EIO);
	assert_non_null(strstr(err.text, "empty picture"));
	use_fake(place, FAKE_HEAD "[ \"$1\" = -e ] && { echo ' png '; exit 0; }\n" FAKE_SCRIPT
				  "echo '<html>' > \"$O\"\n");
	assert_int_equal(
		plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG, &result, &err), -EIO);
	assert_false(exists(place, "t.png"));
	use_fake(place, FAKE_HEAD "[ \"$1\" = -e ] && { echo ' png '; exit 0; }\nexit 0\n");
	assert_int_equal(
		plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG, &result, &err), -EIO);
}

static void a_figure_without_values_is_refused_before_gnuplot_runs(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct plot_figure *figure = example();
	struct error err = {0};

	memset(figure->panel, 0, sizeof(figure->panel));
	assert_int_equal(
		plot_draw(figure, place->dir, "t", PLOT_FORMAT_PNG, &result, &err), -ENODATA);
	assert_false(exists(place, "t.png.gp"));
}

static void the_real_gnuplot_draws_both_kinds(void **state)
{
	struct place *place = *state;
	struct plot_result result;
	struct error err = {0};
	unsigned available;

	if (gnuplot_probe(&available, &err)) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	if (plot_draw(example(), place->dir, "t", PLOT_FORMAT_PNG | PLOT_FORMAT_SVG, &result, &err))
		fail_msg("%s", err.text);
	assert_true(exists(place, "t.png"));
	assert_true(exists(place, "t.svg"));
	assert_string_equal(result.note, "");
}

static void names_run_no_commands_and_break_no_script(void **state)
{
	struct place *place = *state;
	struct plot_figure *figure = example();
	struct plot_result result;
	struct error err = {0};
	char *text;

	(void)snprintf(figure->series[0], sizeof(figure->series[0]), "it's `touch %s/x` @m {/a}",
		place->dir);
	(void)snprintf(figure->series[1], sizeof(figure->series[1]), "a\nset output '|touch x'\n");
	(void)strcpy(figure->title, "\"`touch x`\" \\' <x&y>");
	text = script_text(figure);
	assert_non_null(strstr(text, "'it''s `touch "));
	assert_null(strstr(text, "\nset output '|"));
	free(text);
	if (plot_draw(figure, place->dir, "t", PLOT_FORMAT_PNG | PLOT_FORMAT_SVG, &result, &err)) {
		if (!strstr(err.text, "not installed"))
			fail_msg("%s", err.text);
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_false(exists(place, "x"));
}

static void single_trials_have_no_whiskers_and_missing_cells_break_the_line(void **state)
{
	struct plot_figure *figure = example();
	char *text = script_text(figure);

	assert_non_null(strstr(text, "with yerrorbars"));
	assert_non_null(strstr(text, "'not measured'"));
	free(text);
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = 0; i < 3; i++)
			figure->panel[0][0].point[s][i].n = i != 1;
	}
	text = script_text(figure);
	assert_null(strstr(text, "with yerrorbars"));
	assert_non_null(strstr(text, " NaN NaN NaN 0\n"));
	free(text);
}

static void a_wide_span_gets_a_logarithmic_axis_but_goodput_never(void **state)
{
	struct plot_figure *figure = example();

	figure->panel[1][0].point[0][0] = (struct plot_point){1, 1e6, 1e6, 1e6};
	figure->panel[0][1].point[0][0] = (struct plot_point){1, 1, 1, 1};
	figure->panel[1][1].point[0][1] = (struct plot_point){1, 1000, 1000, 1000};
	figure->panel[0][2].point[0][0] = (struct plot_point){1, 2, 2, 2};
	figure->panel[1][2].point[0][0] = (struct plot_point){1, 9, 9, 9};
	plot_choose_scales(figure);
	assert_false(figure->log_y[0]);
	assert_true(figure->log_y[1]);
	assert_false(figure->log_y[2]);
	figure->panel[0][1].point[0][0] = (struct plot_point){1, 0, 0, 0};
	plot_choose_scales(figure);
	assert_false(figure->log_y[1]);
}

static void formats_are_png_svg_or_both(void **state)
{
	struct error err = {0};
	unsigned formats = 0;

	assert_int_equal(plot_format_parse("both", &formats, &err), 0);
	assert_int_equal(formats, PLOT_FORMAT_PNG | PLOT_FORMAT_SVG);
	assert_int_equal(plot_format_parse("pdf", &formats, &err), -EINVAL);
	assert_true(err.usage);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_gnuplot_of_dumb_and_png_alone_draws_png),
		TEST(a_terminal_that_fails_makes_room_for_the_next),
		TEST(without_gnuplot_the_scripts_stay_and_the_sentence_says_what_is_missing),
		TEST(a_failing_gnuplot_leaves_no_broken_picture_and_its_words_are_passed_on),
		TEST(an_empty_or_wrong_picture_counts_as_a_failure),
		TEST(a_figure_without_values_is_refused_before_gnuplot_runs),
		TEST(the_real_gnuplot_draws_both_kinds),
		TEST(names_run_no_commands_and_break_no_script),
		cmocka_unit_test(single_trials_have_no_whiskers_and_missing_cells_break_the_line),
		cmocka_unit_test(a_wide_span_gets_a_logarithmic_axis_but_goodput_never),
		cmocka_unit_test(formats_are_png_svg_or_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
