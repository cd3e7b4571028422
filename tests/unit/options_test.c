/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a command: what is understood, and the sentence for what is not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/util.h"
#include "tuner/command.h"
#include "tuner/options.h"

#define WORDS_MAX 32

static struct given {
	bool json, no_fifo;
	const char *name, *local;
	struct option_list list;
	int64_t mtu;
	double rate;
	uint64_t seconds_ns;
	struct settings settings;
} given;

static const struct option_row rows[] = {
	OPT_FLAG("json", 'j', &given.json, "print JSON"),
	OPT_FLAG("no-fifo", 0, &given.no_fifo, "help"),
	OPT_STRING("name", 'n', &given.name, "NAME", "help"),
	OPT_STRING("local", 0, &given.local, "ADDR", "help"),
	OPT_LIST("cell", 'c', &given.list, "CELL", "help"),
	OPT_INT("mtu", 0, &given.mtu, "N", 68, 9216, "help"),
	OPT_NUMBER("rate", 'r', &given.rate, "PPS", 0, 1e8, "help"),
	OPT_DURATION("seconds", 's', &given.seconds_ns, "TIME", 0.1, 3600, "help"),
	OPT_SETTINGS("set", 0, &given.settings, "LIST", "help"),
	OPT_END,
};

/* Split @line at spaces and parse it as the options of "list" with up to two operands. */
static int parse(
	const char *line, bool options_first, struct options *ret_options, struct error *err)
{
	static char words[256], *argv[WORDS_MAX];
	struct options options = {.rows = rows, .operands_max = 2, .options_first = options_first};
	char *save = NULL;
	int argc = 0, r;

	memset(&given, 0, sizeof(given));
	strcpy(words, line);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	r = options_parse(&options, argc, argv, err);
	*ret_options = options;
	return r;
}

static void options_of_every_kind_reach_their_targets(void **state)
{
	struct options options;
	struct error err = {0};

	assert_int_equal(parse("list one -j --name=eth --cell a -c b --mtu 9000 -r 1.488M "
			       "--seconds 500ms --set ITR=1500,RDTR=0 --set RADV=8 two",
				 false, &options, &err),
		0);
	assert_true(given.json);
	assert_false(given.no_fifo);
	assert_string_equal(given.name, "eth");
	assert_int_equal(given.list.count, 2);
	assert_string_equal(given.list.item[1], "b");
	assert_int_equal(given.mtu, 9000);
	assert_true(given.rate == 1488000);
	assert_int_equal(given.seconds_ns, 500000000);
	assert_int_equal(given.settings.value[KNOB_ITR], 1500);
	assert_int_equal(given.settings.value[KNOB_RADV], 8);
	assert_int_equal(options.operand_count, 2);
	assert_string_equal(options.operand[0], "one");
	assert_string_equal(options.operand[1], "two");
}

static void a_double_dash_ends_the_options(void **state)
{
	struct options options;
	struct error err = {0};

	assert_int_equal(parse("list -- --json", false, &options, &err), 0);
	assert_false(given.json);
	assert_string_equal(options.operand[0], "--json");
}

static void options_of_a_command_operand_are_left_alone(void **state)
{
	struct options options;
	struct error err = {0};

	assert_int_equal(parse("list -j ping --foo", true, &options, &err), 0);
	assert_true(given.json);
	assert_int_equal(options.operand_count, 2);
	assert_string_equal(options.operand[1], "--foo");
}

static void unique_beginnings_of_an_option_are_enough(void **state)
{
	struct options options;
	struct error err = {0};

	assert_int_equal(parse("list --js --loc x", false, &options, &err), 0);
	assert_true(given.json);
	assert_string_equal(given.local, "x");
}

static void wrong_options_get_their_sentence(void **state)
{
	static const char *const cases[][2] = {
		{"list --jsno", "list has no option --jsno; did you mean --json?"},
		{"list --frequency=3",
			"list has no option --frequency; \"moderato list --help\" lists them"},
		{"list --n x", "list: --n is ambiguous; write more of the option's name"},
		{"list -x", "list has no option -x; \"moderato list --help\" lists them"},
		{"list --json=1", "option --json takes no value"},
		{"list --mtu", "option --mtu needs a value: N"},
		{"list -r", "option --rate needs a value: PPS"},
		{"list --mtu 12x", "--mtu: \"12x\" is not a whole number of 68 to 9216"},
		{"list --mtu 67", "--mtu: \"67\" is not a whole number of 68 to 9216"},
		{"list --mtu 99999999999999999999",
			"--mtu: \"99999999999999999999\" is not a whole number of 68 to 9216"},
		{"list --rate fast", "--rate: \"fast\" is not a number of 0 to 100000000"},
		{"list --rate nan", "--rate: \"nan\" is not a number of 0 to 100000000"},
		{"list --rate 1G", "--rate: \"1G\" is not a number of 0 to 100000000"},
		{"list --rate -1", "--rate: \"-1\" is not a number of 0 to 100000000"},
		{"list --seconds 10ms", "--seconds: \"10ms\" is not a duration (such as 500ms, 2s "
					"or 1min) in seconds of 0.1 to 3600"},
		{"list --set ITRR=1", "--set: no knob is called \"ITRR\"; did you mean ITR?"},
		{"list a b c", "list has no use for \"c\"; usage: moderato list [--json]"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct options options;
		struct error err = {0};

		assert_int_equal(parse(cases[i][0], false, &options, &err), -EINVAL);
		assert_string_equal(err.text, cases[i][1]);
		assert_true(err.usage);
	}
}

static void missing_operands_show_the_usage(void **state)
{
	struct options options = {.operands_min = 1, .operands_max = 1};
	char name[] = "list";
	char *argv[] = {name, NULL};
	struct error err = {0};

	assert_int_equal(options_parse(&options, 1, argv, &err), -EINVAL);
	assert_string_equal(err.text, "list needs more: moderato list [--json]");
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"2", 2000000000}, {"2s", 2000000000}, {"1.5ms", 1500000},
		{"1min", 60000000000}, {"3us", 3000}, {"1h", 3600000000000}, {"0", 0}};
	static const char *const bad[] = {"", "s", "-1s", "1 s", "1d", "inf", "1e99", "1.5.2s"};
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(options_parse_duration(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(options_parse_duration(bad[i], &ns), -EINVAL);
}

static void every_command_is_described_once(void **state)
{
	for (size_t i = 0; i < command_count; i++) {
		assert_true(command_table[i].help[0]);
		assert_ptr_equal(command_find(command_table[i].name), &command_table[i]);
		assert_int_not_equal(command_table[i].help[strlen(command_table[i].help) - 1], '.');
	}
	assert_string_equal(command_suggest("lst"), "list");
	assert_null(command_suggest("abracadabra"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_every_kind_reach_their_targets),
		cmocka_unit_test(a_double_dash_ends_the_options),
		cmocka_unit_test(options_of_a_command_operand_are_left_alone),
		cmocka_unit_test(unique_beginnings_of_an_option_are_enough),
		cmocka_unit_test(wrong_options_get_their_sentence),
		cmocka_unit_test(missing_operands_show_the_usage),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(every_command_is_described_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
