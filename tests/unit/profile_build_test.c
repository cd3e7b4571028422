/* SPDX-License-Identifier: BSD-2-Clause */
/* From a store to a profile: proven what the pairs prove, unproven the rest, and on what it rests.
 */
#include <errno.h>
#include <math.h>

#include "tests/unit/made_store.h"
#include "tuner/profile_build.h"

/* The second setting halves the CPU; goodput wobbles without a difference. */
static double halved_cpu(unsigned config, unsigned cell, const char *metric, unsigned block)
{
	double wobble = 1 + 0.001 * ((block * 7 + config * 3 + cell) % 11);

	if (!strcmp(metric, "driver_cpu_per_gbit_s"))
		return (config ? 0.5 : 1.0) * wobble;
	if (!strcmp(metric, "rr_p50_us"))
		return (config ? 400 : 50) * wobble;
	return 900 * (1 + 0.2 * ((block * 5 + config * 7 + cell) % 13));
}

static const struct made_sweep table = {.presets = {"linux-static", "netbsd-new"},
	.cells = {"tcp:rx:128k", "tcp:tx:128k"},
	.blocks = 1,
	.value = halved_cpu};
static const struct made_sweep pairs = {.kind = SWEEP_KIND_COMPARE,
	.presets = {"linux-static", "netbsd-new"},
	.cells = {"tcp:rx:128k"},
	.blocks = 10,
	.value = halved_cpu};

static void add_pairs(struct store *store, const char *metric)
{
	struct store_look look = {
		.pairs = 10, .ratio = 0.5, .low = 0.49, .high = 0.51, .confidence = 0.984};
	int64_t configs[MADE_MAX], cells[MADE_MAX];
	struct error err = {0};
	int64_t sweep = made_add(store, &pairs, configs, cells);

	(void)strcpy(look.metric, metric);
	(void)strcpy(look.verdict, "better");
	look.cell = cells[0];
	look.config_a = configs[0];
	look.config_b = configs[1];
	made_must(store_put_look(store, sweep, &look, &err), &err);
}

static int build(struct store *store, const char *setting, const char *baseline,
	struct profile *profile, struct error *err)
{
	struct profile_request request = {
		.setting = setting, .baseline = baseline, .objective = "efficiency"};

	return profile_build(store, &request, profile, err);
}

static const struct profile_effect *effect(
	const struct profile *profile, const char *cell, const char *metric, int64_t n)
{
	for (size_t i = 0; i < profile->effect_count; i++) {
		if (!strcmp(profile->effects[i].cell, cell) &&
			!strcmp(profile->effects[i].metric, metric) && profile->effects[i].n == n)
			return &profile->effects[i];
	}
	fail_msg("no effect on %s in %s with n = %d", metric, cell, (int)n);
	return NULL;
}

static void one_trial_a_side_proves_nothing_ten_pairs_do(void **state)
{
	struct store *store = made_open();
	struct profile profile;
	struct error err = {0};

	(void)made_add(store, &table, NULL, NULL);
	add_pairs(store, "driver_cpu_per_gbit_s");
	made_must(build(store, "netbsd-new", "linux-static", &profile, &err), &err);
	assert_int_equal(profile.effect_count, 5);
	assert_string_equal(
		effect(&profile, "tcp:rx:128k", "driver_cpu_per_gbit_s", 10)->verdict, "better");
	assert_true(effect(&profile, "tcp:rx:128k", "driver_cpu_per_gbit_s", 10)->proven);
	assert_false(effect(&profile, "tcp:rx:128k", "driver_cpu_per_gbit_s", 1)->proven);
	assert_true(isnan(effect(&profile, "tcp:rx:128k", "driver_cpu_per_gbit_s", 1)->low));
	assert_false(effect(&profile, "tcp:tx:128k", "goodput_mbps", 1)->proven);
	made_must(profile_check(&profile, &err), &err);
	profile_fini(&profile);
	store_close(store);
}

static void a_comparison_says_nothing_about_metrics_it_did_not_look_at(void **state)
{
	struct store *store = made_open();
	struct profile profile;
	struct error err = {0};

	add_pairs(store, "driver_cpu_per_gbit_s");
	made_must(build(store, "netbsd-new", "linux-static", &profile, &err), &err);
	assert_int_equal(profile.effect_count, 1);
	profile_fini(&profile);
	store_close(store);
}

static void the_place_and_the_evidence_are_those_of_the_store(void **state)
{
	struct store *store = made_open();
	struct profile profile;
	struct error err = {0};

	(void)made_add(store, &table, NULL, NULL);
	made_must(build(store, "netbsd-new", NULL, &profile, &err), &err);
	assert_string_equal(profile.baseline.name, "linux-static");
	assert_string_equal(profile.chip.pci_id, "8086:10d3");
	assert_string_equal(profile.chip.intmode, "msi");
	assert_string_equal(profile.cpu.vendor, "GenuineIntel");
	assert_int_equal(profile.cpu.model, 85);
	assert_int_equal(profile.cpu.count, 2);
	assert_true(profile.simulated);
	assert_false(profile.tx_transferable);
	assert_string_equal(profile.evidence.store, "made.db");
	assert_int_equal(profile.evidence.trial_count, 4);
	assert_int_equal(profile.evidence.trials[3], 4);
	assert_int_equal(profile.setting.values.value[KNOB_RDTR], 375);
	assert_false(settings_has(&profile.setting.values, KNOB_EITR0));
	profile_fini(&profile);
	store_close(store);
}

static void what_is_built_can_be_written_and_read(void **state)
{
	struct store *store = made_open();
	struct profile profile, again;
	struct error err = {0};
	char path[80];

	(void)made_add(store, &table, NULL, NULL);
	add_pairs(store, "driver_cpu_per_gbit_s");
	made_must(build(store, "netbsd-new", "linux-static", &profile, &err), &err);
	(void)snprintf(path, sizeof(path), "%s/p.json", made_dir);
	made_must(profile_write_file(&profile, path, &err), &err);
	made_must(profile_read_file(path, &again, &err), &err);
	assert_int_equal(again.effect_count, profile.effect_count);
	assert_true(settings_equal(&again.setting.values, &profile.setting.values));
	profile_fini(&again);
	profile_fini(&profile);
	store_close(store);
}

static double all_void(unsigned config, unsigned cell, const char *metric, unsigned block)
{
	return NAN;
}

static void without_a_trial_that_counts_there_is_no_profile(void **state)
{
	struct made_sweep nothing = table;
	struct store *store = made_open();
	struct profile profile;
	struct error err = {0};

	nothing.value = all_void;
	(void)made_add(store, &nothing, NULL, NULL);
	assert_int_equal(build(store, "netbsd-new", NULL, &profile, &err), -ENODATA);
	assert_non_null(strstr(err.text, "no pair of trials"));
	store_close(store);
}

static void a_name_nobody_has_and_the_baseline_itself_are_usage_errors(void **state)
{
	struct store *store = made_open();
	struct profile profile;
	struct error err = {0};

	assert_int_equal(build(store, "netbsd-new", NULL, &profile, &err), -ENODATA);
	(void)made_add(store, &table, NULL, NULL);
	assert_int_equal(build(store, "netbsd-odd", NULL, &profile, &err), -EINVAL);
	assert_true(err.usage);
	assert_int_equal(build(store, "linux-static", NULL, &profile, &err), -EINVAL);
	assert_non_null(strstr(err.text, "the baseline itself"));
	assert_int_equal(build(store, "netbsd-new", "reset", &profile, &err), -ENODATA);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)
	const struct CMUnitTest tests[] = {
		TEST(one_trial_a_side_proves_nothing_ten_pairs_do),
		TEST(a_comparison_says_nothing_about_metrics_it_did_not_look_at),
		TEST(the_place_and_the_evidence_are_those_of_the_store),
		TEST(what_is_built_can_be_written_and_read),
		TEST(without_a_trial_that_counts_there_is_no_profile),
		TEST(a_name_nobody_has_and_the_baseline_itself_are_usage_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
