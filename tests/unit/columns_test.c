/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned columns: widths, alignment, wrapping, and no escape sequences where nobody wants them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tuner/columns.h"

static char *printed(struct columns *columns)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	columns_print_free(columns, out);
	(void)fclose(out);
	return text;
}

static void cells_are_aligned_and_lines_have_no_trailing_spaces(void **state)
{
	struct columns *columns = columns_new("lrl");
	char *text;

	columns_cell(columns, "NAME");
	columns_cell(columns, "VALUE");
	columns_cell(columns, "NOTE");
	columns_end_heading(columns);
	columns_cell(columns, "rx-ring");
	columns_cell(columns, "%d", 8);
	columns_end_row(columns);
	columns_end_row(columns);
	columns_cell(columns, "x");
	columns_cell(columns, "1");
	columns_cell(columns, "y");
	columns_end_row(columns);
	text = printed(columns);
	assert_string_equal(text, "NAME     VALUE  NOTE\n"
				  "rx-ring      8\n"
				  "\n"
				  "x            1  y\n");
	free(text);
}

static void the_last_column_wraps_between_words(void **state)
{
	static const char words[] =
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
		"fifteen sixteen seventeen";
	struct columns *columns = columns_new("ll");
	size_t cut;
	char *text;

	columns_cell(columns, "knob");
	columns_cell(columns, "%s", words);
	columns_end_row(columns);
	text = printed(columns);
	cut = strcspn(text, "\n");
	assert_true(cut <= COLUMNS_PAGE_WIDTH);
	/* joined again, with the line break and the indent of six as one space, it is the same */
	assert_int_equal(strncmp(text + cut, "\n      ", 7), 0);
	text[cut] = ' ';
	memmove(text + cut + 1, text + cut + 7, strlen(text + cut + 7) + 1);
	text[strlen(text) - 1] = '\0';
	assert_string_equal(text + 6, words);
	free(text);
}

static void a_word_longer_than_the_page_is_left_whole(void **state)
{
	struct columns *columns = columns_new("l");
	char word[151], *text;

	memset(word, 'x', 150);
	word[150] = '\0';
	columns_cell(columns, "%s", word);
	columns_end_row(columns);
	text = printed(columns);
	assert_int_equal(strlen(text), 151);
	free(text);
}

static void cells_too_many_are_dropped(void **state)
{
	struct columns *columns = columns_new("l");
	char *text;

	columns_cell(columns, "a");
	columns_cell(columns, "b");
	columns_end_row(columns);
	text = printed(columns);
	assert_string_equal(text, "a\n");
	free(text);
}

static void width_counts_characters_not_bytes(void **state)
{
	struct columns *columns = columns_new("ll");
	char *text;

	columns_cell(columns, "\xc3\xa4\xc3\xb6"); /* two letters, four bytes */
	columns_cell(columns, "x");
	columns_end_row(columns);
	columns_cell(columns, "ab");
	columns_cell(columns, "y");
	columns_end_row(columns);
	text = printed(columns);
	assert_string_equal(text, "\xc3\xa4\xc3\xb6  x\nab  y\n");
	free(text);
}

static void a_file_gets_no_colour(void **state)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	assert_false(console_has_color(out));
	assert_string_equal(console_bold(out), "");
	(void)fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_aligned_and_lines_have_no_trailing_spaces),
		cmocka_unit_test(the_last_column_wraps_between_words),
		cmocka_unit_test(a_word_longer_than_the_page_is_left_whole),
		cmocka_unit_test(cells_too_many_are_dropped),
		cmocka_unit_test(width_counts_characters_not_bytes),
		cmocka_unit_test(a_file_gets_no_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
