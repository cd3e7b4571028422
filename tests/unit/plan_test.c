/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans: products of knob values, duplicates, random blocks and pairs, warnings. */
#include "tuner/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "tuner/random.h"

static struct plan make_plan(const char *chip)
{
	struct plan plan = {.device = {.chip = chip_find(chip), .speed_mbps = 1000}};

	assert_non_null(plan.device.chip);
	chip_initial_settings(plan.device.chip, &plan.device.base);
	return plan;
}

static void add_product(struct plan *plan, const char *text)
{
	struct error err = {0};

	if (plan_add_product(plan, text, &err) < 0)
		fail_msg("%s", err.text);
}

static void add_matrix(struct plan *plan, const char *buffers, const char *dirs)
{
	struct error err = {0};

	if (plan_add_matrix(plan, buffers, dirs, "", &err) < 0)
		fail_msg("%s", err.text);
}

static void refuse_product(const char *text, const char *words)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};

	assert_true(plan_add_product(&plan, text, &err) < 0);
	if (!err.usage || !strstr(err.text, words))
		fail_msg("\"%s\": sentence lacks \"%s\": %s", text, words, err.text);
	plan_fini(&plan);
}

static void product_gives_every_combination_once(void **state)
{
	struct plan plan = make_plan("82574L");

	add_product(&plan, "ITR=0,195,1500 RDTR=0,375");
	assert_int_equal(plan.config_count, 6);
	assert_string_equal(plan.configs[0].name, "ITR=0 RDTR=0");
	assert_string_equal(plan.configs[3].name, "ITR=195 RDTR=375");
	assert_int_equal(plan.configs[3].complete.value[KNOB_RDTR], 375);
	/* knobs that are not named keep the values in force */
	assert_true(settings_has(&plan.configs[3].complete, KNOB_RX_RING));
	assert_false(settings_has(&plan.configs[3].asked, KNOB_RX_RING));
	plan_fini(&plan);
}

static void values_may_be_times_and_modes(void **state)
{
	struct plan plan = make_plan("82574L");

	add_product(&plan, "ITR=384us intmode=intx,msi");
	assert_int_equal(plan.config_count, 2);
	assert_int_equal(plan.configs[0].asked.value[KNOB_ITR], 1500);
	assert_int_equal(plan.configs[1].asked.value[KNOB_INTMODE], INTMODE_MSI);
	plan_fini(&plan);
}

static void combinations_the_chip_cannot_tell_apart_are_one(void **state)
{
	struct plan plan = make_plan("82574L");
	size_t index = 99;
	struct error err = {0};

	/* RADV without RDTR has no effect: 0/0, 0/128 and 0/375 are one */
	add_product(&plan, "RDTR=0,375 RADV=0,128,375");
	assert_int_equal(plan.config_count, 4);
	assert_int_equal(plan.merged_count, 2);
	assert_string_equal(plan.merged[0].name, "RDTR=0 RADV=128");
	assert_int_equal(plan.merged[0].config, 0);
	assert_int_equal(plan_find_config(&plan, "RDTR=0 RADV=375", &index, &err), 0);
	assert_int_equal(index, 0);
	plan_fini(&plan);
}

static void named_settings_and_presets_keep_their_names(void **state)
{
	struct plan plan = make_plan("82574L");
	size_t index;
	struct error err = {0};

	add_product(&plan, "mine: ITR=488 TIDV=64");
	assert_string_equal(plan.configs[0].name, "mine");
	assert_int_equal(plan.configs[0].asked.value[KNOB_TIDV], 64);
	assert_int_equal(plan_add_presets(&plan, "netbsd-old,linux-static", &err), 0);
	assert_int_equal(plan.config_count, 3);
	assert_string_equal(plan.configs[1].name, "netbsd-old");
	assert_int_equal(plan.configs[1].complete.value[KNOB_ITR], 558);
	assert_int_equal(plan_find_config(&plan, "linux-static", &index, &err), 0);
	assert_int_equal(index, 2);
	/* a baseline that is not in the plan yet joins it */
	assert_int_equal(plan_find_config(&plan, "netbsd-new", &index, &err), 0);
	assert_int_equal(index, 3);
	assert_int_equal(plan_find_config(&plan, "ITR=7", &index, &err), 0);
	assert_int_equal(index, 4);
	assert_true(plan_find_config(&plan, "netbsd-nwe", &index, &err) < 0);
	assert_true(err.usage);
	plan_fini(&plan);
}

static void bad_lists_are_refused_with_the_word_at_fault(void **state)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};

	refuse_product("", "empty");
	refuse_product("ITR", "KNOB=VALUE");
	refuse_product("ITR=", "ITR has no value");
	refuse_product("ITR=0,x", "ITR");
	refuse_product("IRT=0,1", "ITR");
	refuse_product("ITR=0,70000", "65535");
	refuse_product("fast: ITR=0,1", "fast");
	add_product(&plan, "a: ITR=1");
	assert_true(plan_add_product(&plan, "a: ITR=2", &err) < 0);
	assert_non_null(strstr(err.text, "\"a\""));
	assert_true(plan_add_matrix(&plan, "32,banana", "rx", "", &err) < 0);
	assert_non_null(strstr(err.text, "banana"));
	assert_true(plan_add_matrix(&plan, "32", "sideways", "", &err) < 0);
	assert_true(plan_add_matrix(&plan, "", "rx", "", &err) < 0);
	plan_fini(&plan);
	plan = make_plan("82574L");
	assert_true(plan_order_blocks(&plan, 1, 1, &err) < 0);
	assert_non_null(strstr(err.text, "nothing to measure"));
	plan_fini(&plan);
}

static void mode_the_chip_lacks_is_refused_by_name(void **state)
{
	struct plan plan = make_plan("82545EM");
	struct error err = {0};

	assert_true(plan_add_product(&plan, "intmode=msix", &err) < 0);
	assert_non_null(strstr(err.text, "intmode=msix"));
	plan_fini(&plan);
}

static void matrix_is_buffers_by_directions_without_repeats(void **state)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};

	add_matrix(&plan, PLAN_DEFAULT_BUFFERS, PLAN_DEFAULT_DIRS);
	assert_int_equal(plan.cell_count, 12);
	add_matrix(&plan, "128k,131072", "tx");
	assert_int_equal(plan.cell_count, 12);
	assert_int_equal(plan_add_matrix(&plan, "4k", "tx", "/window=64k", &err), 0);
	assert_int_equal(plan.cell_count, 13);
	assert_int_equal(plan.cells[12].window_bytes, 65536);
	plan_fini(&plan);
}

static struct plan ordered_plan(uint64_t seed)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};

	add_product(&plan, "ITR=0,195,1500 intmode=intx,msi");
	add_matrix(&plan, "32,4k,128k", "rx,tx");
	assert_int_equal(plan_order_blocks(&plan, 4, seed, &err), 0);
	return plan;
}

static void every_block_has_every_setting_in_every_cell_once(void **state)
{
	struct plan plan = ordered_plan(1);

	assert_int_equal(plan.trial_count, 6 * 6 * 4);
	for (size_t block = 0; block < 4; block++) {
		bool seen[6][6] = {{false}};

		for (size_t i = 0; i < 36; i++) {
			const struct plan_trial *trial = &plan.trials[block * 36 + i];

			assert_int_equal(trial->block, block + 1);
			assert_false(seen[trial->config][trial->cell]);
			seen[trial->config][trial->cell] = true;
		}
	}
	plan_fini(&plan);
}

static void order_follows_the_seed(void **state)
{
	struct plan a = ordered_plan(5), b = ordered_plan(5), c = ordered_plan(6);
	size_t bytes = a.trial_count * sizeof(*a.trials);

	assert_memory_equal(a.trials, b.trials, bytes);
	assert_memory_not_equal(a.trials, c.trials, bytes);
	/* and the blocks of one plan differ from each other */
	assert_memory_not_equal(a.trials, a.trials + 36, 36 * sizeof(*a.trials));
	plan_fini(&a);
	plan_fini(&b);
	plan_fini(&c);
}

static void restart_knobs_change_once_or_less_per_group(void **state)
{
	struct plan plan = ordered_plan(3);

	/* two modes, four blocks: at most two changes a block */
	assert_true(plan.restarts >= 4 && plan.restarts <= 8);
	plan_fini(&plan);
}

static void first_place_in_a_cell_is_shared_fairly(void **state)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};
	unsigned first[3] = {0};

	add_product(&plan, "ITR=0,195,1500");
	add_matrix(&plan, "4k", "rx");
	assert_int_equal(plan_order_blocks(&plan, 900, 8, &err), 0);
	for (size_t i = 0; i < plan.trial_count; i += 3)
		first[plan.trials[i].config]++;
	for (int i = 0; i < 3; i++)
		assert_true(first[i] > 240 && first[i] < 360);
	plan_fini(&plan);
}

static void first_place_in_a_block_is_shared_by_cells_and_groups(void **state)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};
	unsigned cell[3] = {0}, intx = 0;

	add_product(&plan, "intmode=intx,msi");
	add_matrix(&plan, "32,4k,128k", "rx");
	assert_int_equal(plan_order_blocks(&plan, 900, 8, &err), 0);
	for (size_t i = 0; i < plan.trial_count; i += 6) {
		cell[plan.trials[i].cell]++;
		intx += plan.trials[i].config == 0;
	}
	for (int i = 0; i < 3; i++)
		assert_true(cell[i] > 240 && cell[i] < 360);
	assert_true(intx > 390 && intx < 510);
	plan_fini(&plan);
}

static void pairs_are_adjacent_and_their_order_is_random(void **state)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};
	unsigned b_first = 0;

	add_product(&plan, "ITR=0,1500");
	add_matrix(&plan, "128k", "rx");
	assert_int_equal(plan_order_pairs(&plan, 200, 4, &err), 0);
	assert_int_equal(plan.trial_count, 400);
	for (unsigned i = 0; i < 200; i++) {
		const struct plan_trial *first = &plan.trials[2 * i], *second = first + 1;

		assert_int_equal(first->pair, i + 1);
		assert_int_equal(second->pair, i + 1);
		assert_int_equal(first->config + second->config, 1);
		assert_int_equal(first->config == 1, plan_pair_starts_with_b(4, i + 1));
		b_first += first->config == 1;
	}
	assert_true(b_first > 70 && b_first < 130);
	plan_fini(&plan);
}

static void estimate_counts_trials_and_restarts(void **state)
{
	struct plan plan = ordered_plan(3);

	assert_true(plan.estimate_ns >= 144 * NS_PER_S);
	assert_true(plan.estimate_ns < 170 * NS_PER_S);
	plan_fini(&plan);
}

static void too_large_plans_are_refused(void **state)
{
	struct plan plan = make_plan("82574L");
	struct error err = {0};
	char text[40000] = "ITR=0";

	for (int i = 1; i < 100; i++)
		(void)sprintf(text + strlen(text), ",%d", i);
	(void)strcat(text, " RDTR=1");
	for (int i = 2; i < 100; i++)
		(void)sprintf(text + strlen(text), ",%d", i);
	assert_true(plan_add_product(&plan, text, &err) < 0);
	assert_true(err.usage);
	plan_fini(&plan);
	plan = make_plan("82574L");
	add_product(&plan, "ITR=0,1");
	add_matrix(&plan, "4k", "rx");
	assert_true(plan_order_blocks(&plan, 4000000, 1, &err) < 0);
	plan_fini(&plan);
}

static void count_warning(void *context, const struct plan_config *config, const char *warning)
{
	assert_non_null(config);
	*(unsigned *)context += strstr(warning, "RDTR above 0") != NULL;
}

static void hazards_are_said_once(void **state)
{
	struct plan plan = make_plan("82574L");
	unsigned said = 0;

	add_product(&plan, "RDTR=0,32,375");
	plan_each_warning(&plan, count_warning, &said);
	assert_int_equal(said, 1);
	plan_fini(&plan);
}

static void difference_names_the_knobs(void **state)
{
	struct plan plan = make_plan("82574L");
	char text[200];

	add_product(&plan, "ITR=195 intmode=msi");
	add_product(&plan, "ITR=1500 intmode=intx");
	(void)plan_format_difference(
		&plan.configs[0].complete, &plan.configs[1].complete, text, sizeof(text));
	assert_string_equal(text, "ITR 195 -> 1500, intmode msi -> intx");
	(void)plan_format_difference(
		&plan.configs[0].complete, &plan.configs[0].complete, text, sizeof(text));
	assert_string_equal(text, "");
	plan_fini(&plan);
}

static void random_numbers_are_the_same_everywhere(void **state)
{
	struct random_source source;

	/* published first values of SplitMix64 from seed 1234567 */
	random_init(&source, 1234567);
	assert_true(random_next(&source) == UINT64_C(6457827717110365317));
	assert_true(random_next(&source) == UINT64_C(3203168211198807973));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(product_gives_every_combination_once),
		cmocka_unit_test(values_may_be_times_and_modes),
		cmocka_unit_test(combinations_the_chip_cannot_tell_apart_are_one),
		cmocka_unit_test(named_settings_and_presets_keep_their_names),
		cmocka_unit_test(bad_lists_are_refused_with_the_word_at_fault),
		cmocka_unit_test(mode_the_chip_lacks_is_refused_by_name),
		cmocka_unit_test(matrix_is_buffers_by_directions_without_repeats),
		cmocka_unit_test(every_block_has_every_setting_in_every_cell_once),
		cmocka_unit_test(order_follows_the_seed),
		cmocka_unit_test(restart_knobs_change_once_or_less_per_group),
		cmocka_unit_test(first_place_in_a_cell_is_shared_fairly),
		cmocka_unit_test(first_place_in_a_block_is_shared_by_cells_and_groups),
		cmocka_unit_test(pairs_are_adjacent_and_their_order_is_random),
		cmocka_unit_test(estimate_counts_trials_and_restarts),
		cmocka_unit_test(too_large_plans_are_refused),
		cmocka_unit_test(hazards_are_said_once),
		cmocka_unit_test(difference_names_the_knobs),
		cmocka_unit_test(random_numbers_are_the_same_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
