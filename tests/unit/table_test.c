/* SPDX-License-Identifier: BSD-2-Clause */
/* Rendering of tables, by the table of December 2007 that they are modelled on. */
#include "plots/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/util.h"

static const char *const labels[] = {"32", "256", "1k", "4k", "16k", "128k"};
static const double values[6][6] = {
	{43, 26, 42, 25, 40, 24},
	{114, 41, 111, 41, 107, 40},
	{127, 85, 143, 84, 137, 82},
	{138, 126, 161, 106, 149, 87},
	{159, 180, 152, 255, 149, 252},
	{155, 221, 150, 322, 149, 319},
};

static struct table make_table(unsigned n)
{
	struct table table = {.metric = "goodput_mbps",
		.unit = "Mbit/s",
		.better = "more",
		.workload = "tcp, 1 s a trial",
		.protocol = "tcp",
		.device = "sim:82545EM",
		.chip = "82545EM",
		.intmode = "intx",
		.cpu = "i80321",
		.path = "tap",
		.date = "2007-12-06",
		.blocks = n,
		.row_count = 6,
		.setting_count = 3,
		.direction_count = 2,
		.directions = {"rx", "tx"}};
	static const char *const names[] = {"new", "mod new", "old"};

	table.rows = calloc(6, sizeof(*table.rows));
	table.settings = calloc(3, sizeof(*table.settings));
	assert_int_equal(table_alloc(&table), 0);
	for (size_t r = 0; r < 6; r++)
		(void)strcpy(table.rows[r].label, labels[r]);
	for (size_t s = 0; s < 3; s++) {
		(void)strcpy(table.settings[s].name, names[s]);
		(void)strcpy(table.settings[s].knobs, names[s]);
		table.settings[s].baseline = s == 2;
	}
	for (size_t r = 0; r < 6; r++)
		for (size_t s = 0; s < 3; s++)
			for (size_t d = 0; d < 2; d++)
				*table_at(&table, r, s, d) =
					(struct table_cell){.state = TABLE_VALUE,
						.n = n,
						.median = values[r][2 * s + d],
						.low = values[r][2 * s + d] - 1,
						.high = values[r][2 * s + d] + 1};
	return table;
}

static char *rendered;
static size_t rendered_size;

static char *render(const struct table *table, const struct table_view *view)
{
	FILE *out = open_memstream(&rendered, &rendered_size);

	table_print(table, 1, view, out);
	(void)fclose(out);
	return rendered;
}

static void assert_page_width(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		assert_true(length <= TABLE_PAGE_WIDTH);
		text += length + (text[length] == '\n');
	}
}

static void text_has_the_layout_of_2007(void **state)
{
	static const char expected[] = "                 new       mod new           old\n"
				       "buffer     rx     tx     rx     tx     rx     tx\n"
				       "    32   43.0   26.0   42.0   25.0   40.0   24.0\n"
				       "   256  114.0   41.0  111.0   41.0  107.0   40.0\n"
				       "    1k  127.0   85.0  143.0   84.0  137.0   82.0\n"
				       "    4k  138.0  126.0  161.0  106.0  149.0   87.0\n"
				       "   16k  159.0  180.0  152.0  255.0  149.0  252.0\n"
				       "  128k  155.0  221.0  150.0  322.0  149.0  319.0\n";
	struct table table = make_table(1);
	struct table_view view = {.format = TABLE_TEXT};
	char *text = render(&table, &view);

	assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
	assert_non_null(strstr(text, "n = 1, no verdicts"));
	assert_non_null(strstr(text, "sim:82545EM, intx"));
	assert_page_width(text);
	free(text);
	table_free(&table);
}

static void markdown_is_the_table_people_post(void **state)
{
	struct table table = make_table(3);
	struct table_view view = {.format = TABLE_MARKDOWN};
	char *text = render(&table, &view);

	assert_non_null(strstr(text,
		"| buffer | new rx | new tx | mod new rx | mod new tx | old rx | old tx |\n"
		"|---:|---:|---:|---:|---:|---:|---:|\n"));
	assert_non_null(strstr(text, "| 128k | 155.0 | 221.0 | 150.0 | 322.0 | 149.0 | 319.0 |\n"));
	assert_non_null(strstr(text, "medians of n = 3"));
	free(text);
	table_free(&table);
}

static void void_and_missing_cells_are_words_not_numbers(void **state)
{
	struct table table = make_table(3);
	struct table_view view = {.format = TABLE_CSV};
	char *text;

	*table_at(&table, 5, 0, 1) = (struct table_cell){.state = TABLE_VOID, .lost = 3};
	*table_at(&table, 5, 1, 1) = (struct table_cell){.state = TABLE_MISSING, .missing = 3};
	table_at(&table, 5, 2, 1)->n = 2;
	text = render(&table, &view);
	assert_non_null(strstr(
		text, "new,new,0,\"tcp, 1 s a trial\",tcp,tx,0,goodput_mbps,Mbit/s,0,3,0,,,,0"));
	free(text);
	view.format = TABLE_MARKDOWN;
	text = render(&table, &view);
	assert_non_null(strstr(text, "| 128k | 155.0 | void | 150.0 | - | 149.0 | 319.0 (2) |\n"));
	assert_non_null(strstr(text, "(n) where it is less"));
	free(text);
	table_free(&table);
}

static void judge(struct table_cell *cell, double ratio, const char *verdict)
{
	cell->judged = true;
	cell->pairs = 10;
	cell->ratio = ratio;
	cell->ratio_low = ratio - 0.01;
	cell->ratio_high = ratio + 0.01;
	cell->confidence = 0.986;
	(void)strcpy(cell->verdict, verdict);
}

static void verdicts_are_marks_and_a_list_with_intervals(void **state)
{
	struct table table = make_table(10);
	struct table_view view = {.format = TABLE_TEXT, .verdicts = true};
	char *text;

	judge(table_at(&table, 5, 0, 1), 0.693, "worse");
	judge(table_at(&table, 5, 1, 1), 1.009, "same");
	judge(table_at(&table, 2, 1, 0), 1.04, "better");
	judge(table_at(&table, 2, 0, 0), 0.93, "not proven");
	text = render(&table, &view);
	assert_non_null(strstr(text, "221.0-"));
	assert_non_null(strstr(text, "322.0="));
	assert_non_null(strstr(text, "143.0+"));
	assert_non_null(strstr(text, "127.0?"));
	assert_non_null(strstr(text, "128k tx, new: 0.693 (0.683 to 0.703), worse, 10 pairs"));
	assert_non_null(strstr(text, "ratios to old"));
	assert_page_width(text);
	free(text);
	view.verdicts = false;
	text = render(&table, &view);
	assert_null(strstr(text, "221.0-"));
	free(text);
	table_free(&table);
}

static void long_names_get_numbers_and_many_settings_get_panels(void **state)
{
	struct table table = make_table(1);
	struct table_view view = {.format = TABLE_TEXT, .spread = true};
	char *text;

	for (size_t s = 0; s < 3; s++) {
		(void)sprintf(
			table.settings[s].name, "ITR=%zu RDTR=375 RADV=375 TIDV=375 TADV=375", s);
		(void)strcpy(table.settings[s].knobs, table.settings[s].name);
	}
	for (size_t i = 0; i < 36; i++)
		table.cells[i].n = 3;
	text = render(&table, &view);
	assert_non_null(strstr(text, "(3) ITR=2 RDTR=375"));
	assert_non_null(strstr(text, "319.0 318.0..320.0"));
	/* two settings beside each other, the third in a panel of its own */
	assert_non_null(strstr(strstr(text, "buffer") + 1, "buffer"));
	assert_page_width(text);
	free(text);
	table_free(&table);
}

static void json_says_null_where_there_is_no_number(void **state)
{
	struct table table = make_table(10);
	json_t *json, *cell;

	*table_at(&table, 0, 0, 0) = (struct table_cell){.state = TABLE_VOID, .lost = 10};
	judge(table_at(&table, 0, 0, 1), 1.1, "not proven");
	table_at(&table, 0, 0, 1)->ratio_low = NAN;
	json = table_json(&table);
	assert_non_null(json);
	cell = json_array_get(json_object_get(json, "cells"), 0);
	assert_true(json_is_null(json_object_get(cell, "median")));
	assert_string_equal(json_string_value(json_object_get(cell, "state")), "void");
	cell = json_array_get(json_object_get(json, "cells"), 1);
	assert_true(json_real_value(json_object_get(cell, "median")) == 26.0);
	cell = json_object_get(cell, "baseline_ratio");
	assert_true(json_is_null(json_object_get(cell, "low")));
	assert_true(json_is_null(json_object_get(cell, "confidence")));
	assert_int_equal(json_array_size(json_object_get(json, "cells")), 36);
	json_decref(json);
	table_free(&table);
}

static void names_are_escaped_for_each_format(void **state)
{
	struct table table = make_table(1);
	struct table_view view = {.format = TABLE_CSV};
	char *text;

	(void)strcpy(table.settings[0].name, "a,\"b\"|c");
	text = render(&table, &view);
	assert_non_null(strstr(text, "\"a,\"\"b\"\"|c\","));
	assert_non_null(strstr(text, "\r\n"));
	free(text);
	view.format = TABLE_MARKDOWN;
	text = render(&table, &view);
	assert_non_null(strstr(text, "| a,\"b\"\\|c rx |"));
	free(text);
	table_free(&table);
}

static void decimals_follow_the_largest_value(void **state)
{
	struct table table = make_table(1);

	assert_int_equal(table_decimals(&table), 1);
	for (size_t i = 0; i < 36; i++)
		table.cells[i].median = 0.0131;
	assert_int_equal(table_decimals(&table), 4);
	table.cells[3].median = 81274;
	assert_int_equal(table_decimals(&table), 0);
	table_free(&table);
}

static void unknown_formats_are_refused(void **state)
{
	enum table_format format;
	struct error err = {0};

	assert_int_equal(table_format_parse("md", &format, &err), 0);
	assert_int_equal(format, TABLE_MARKDOWN);
	assert_true(table_format_parse("xml", &format, &err) < 0);
	assert_true(err.usage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_the_layout_of_2007),
		cmocka_unit_test(markdown_is_the_table_people_post),
		cmocka_unit_test(void_and_missing_cells_are_words_not_numbers),
		cmocka_unit_test(verdicts_are_marks_and_a_list_with_intervals),
		cmocka_unit_test(long_names_get_numbers_and_many_settings_get_panels),
		cmocka_unit_test(json_says_null_where_there_is_no_number),
		cmocka_unit_test(names_are_escaped_for_each_format),
		cmocka_unit_test(decimals_follow_the_largest_value),
		cmocka_unit_test(unknown_formats_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
