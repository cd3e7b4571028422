/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons against a fake device: verdicts, looks, lost pairs, refusals, stored pairs. */
#include "tuner/compare.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/json.h"
#include "common/util.h"
#include "tuner/random.h"
#include "tuner/store_private.h"

/* A device whose goodput depends on ITR, with noise. */
struct fake {
	struct settings held;
	struct random_source source;
	double gain, noise; /* of ITR 1500 over ITR 0 */
	unsigned runs, void_from, void_to;
	bool deaf; /* registers do not take what is written */
	volatile sig_atomic_t stop;
	unsigned stop_after;
	unsigned looks;
};

static int fake_begin(void *context, struct error *err)
{
	return 0;
}

static void fake_end(void *context)
{
}

static int fake_apply(void *context, const struct settings *settings, struct sweep_state *ret_state,
	struct error *err)
{
	struct fake *fake = context;
	struct settings held = *settings;

	if (fake->deaf)
		held.value[KNOB_ITR] = 0;
	fake->held = *settings;
	ret_state->requested = json_settings(settings);
	ret_state->readback = json_settings(&held);
	ret_state->effective = json_object();
	ret_state->held = *settings;
	return 0;
}

static int fake_read(void *context, struct settings *ret_held, struct error *err)
{
	*ret_held = ((struct fake *)context)->held;
	return 0;
}

static int fake_run(void *context, const struct workload *workload, struct bench_result *ret_result,
	struct error *err)
{
	struct fake *fake = context;
	double level = fake->held.value[KNOB_ITR] == 1500 ? 900.0 * fake->gain : 900.0;

	fake->runs++;
	memset(ret_result, 0, sizeof(*ret_result));
	for (size_t i = 0; i < METRIC_COUNT; i++)
		ret_result->metric[i] = NAN;
	ret_result->metric[METRIC_GOODPUT_MBPS] =
		level * exp(fake->noise * (random_unit(&fake->source) - 0.5));
	ret_result->metric[METRIC_CPU_PER_GBIT] = 1.0 / ret_result->metric[METRIC_GOODPUT_MBPS];
	if (fake->runs >= fake->void_from && fake->runs <= fake->void_to) {
		ret_result->status = BENCH_VOID;
		(void)strcpy(ret_result->reason, "steal time");
	}
	fake->stop = fake->stop_after && fake->runs >= fake->stop_after;
	return 0;
}

static const struct sweep_ops fake_ops = {fake_begin, fake_apply, fake_read, fake_run, fake_end};

static void count_look(void *context, const struct pairs_result *look)
{
	((struct fake *)context)->looks++;
}

static struct plan_device device;
static struct compare_request request;
static struct compare_result result;
static struct fake fake;
static struct error err;

static int set_up(void **state)
{
	fake = (struct fake){.gain = 1.2, .noise = 0.02};
	random_init(&fake.source, 4);
	device = (struct plan_device){.chip = chip_find("82574L"), .speed_mbps = 1000};
	chip_initial_settings(device.chip, &device.base);
	request = (struct compare_request){
		.a = "ITR=0",
		.b = "ITR=1500",
		.metric = "goodput_mbps",
		.pairs = 10,
		.seed = 3,
		.ops = &fake_ops,
		.context = &fake,
		.device = &device,
		.device_name = "sim:82574L",
		.path_kind = "tap",
		.stop = &fake.stop,
		.report_look = count_look,
		.report_context = &fake,
	};
	workload_default(&request.workload);
	err = (struct error){0};
	return store_open(NULL, STORE_CREATE, &request.store, &err);
}

static int tear_down(void **state)
{
	store_close(request.store);
	return 0;
}

static void compare_or_fail(void)
{
	if (compare_run(&request, &result, &err) < 0)
		fail_msg("%s", err.text);
}

static void clear_gain_is_better_at_the_first_look(void **state)
{
	compare_or_fail();
	assert_int_equal(result.last.verdict, PAIRS_BETTER);
	assert_int_equal(result.last.pairs, 7);
	assert_int_equal(fake.runs, 14);
	assert_int_equal(fake.looks, 1);
	assert_true(fabs(result.last.ratio - 1.2) < 0.02);
	assert_string_equal(result.name_b, "ITR=1500");
	assert_string_equal(result.difference, "ITR 0 -> 1500");
	assert_string_equal(result.workload, "tcp:tx:128k");
	assert_true(fabs(result.median_b / result.median_a - 1.2) < 0.02);
}

static void all_pairs_are_run_when_asked_for(void **state)
{
	request.all_pairs = true;
	compare_or_fail();
	assert_int_equal(fake.runs, 20);
	assert_int_equal(result.look_count, 2);
	assert_int_equal(result.last.pairs, 10);
	assert_int_equal(result.last.verdict, PAIRS_BETTER);
}

static void less_is_better_turns_the_verdict(void **state)
{
	request.metric = "cpu_per_gbit_s";
	compare_or_fail();
	assert_true(result.last.ratio < 1.0);
	assert_int_equal(result.last.verdict, PAIRS_BETTER);
	assert_true(result.rule.smallest_effect == 0.02);
}

static void loss_is_worse_and_no_effect_is_same(void **state)
{
	fake.gain = 0.8;
	compare_or_fail();
	assert_int_equal(result.last.verdict, PAIRS_WORSE);
	fake.gain = 1.0;
	fake.noise = 0.002;
	compare_or_fail();
	assert_int_equal(result.last.verdict, PAIRS_SAME);
}

static void noise_is_not_proven_after_all_pairs(void **state)
{
	fake.gain = 1.0;
	fake.noise = 0.4;
	compare_or_fail();
	assert_int_equal(result.last.verdict, PAIRS_NOT_PROVEN);
	assert_int_equal(fake.runs, 20);
}

static void fewer_than_seven_pairs_prove_nothing(void **state)
{
	for (request.pairs = 1; request.pairs < 7; request.pairs += 2) {
		compare_or_fail();
		assert_int_equal(result.last.verdict, PAIRS_NOT_PROVEN);
		assert_int_equal(result.look_count, 0);
		assert_int_equal(result.last.pairs, request.pairs);
	}
}

static int collect_look(void *context, const struct store_look *look)
{
	struct store_look **next = context;

	*(*next)++ = *look;
	return 0;
}

static void looks_are_stored_and_stored_pairs_say_the_same(void **state)
{
	struct store_look looks[8], *next = looks;
	struct compare_result stored;
	struct store_config *configs;
	struct store_cell *cells;
	size_t count;

	request.all_pairs = true;
	compare_or_fail();
	assert_int_equal(
		store_each_look(request.store, result.sweep, collect_look, &next, &err), 0);
	assert_int_equal(next - looks, 2);
	assert_int_equal(looks[1].pairs, 10);
	assert_string_equal(looks[1].verdict, "better");
	assert_true(looks[1].ratio == result.last.ratio);
	assert_int_equal(
		store_read_configs(request.store, result.sweep, &configs, &count, &err), 0);
	assert_int_equal(store_read_cells(request.store, result.sweep, &cells, &count, &err), 0);
	assert_int_equal(compare_stored(request.store, result.sweep, &cells[0], &configs[0],
				 &configs[1], "goodput_mbps", 0, 1, &stored, &err),
		0);
	assert_int_equal(stored.look_count, 2);
	assert_true(stored.last.low == result.last.low);
	assert_int_equal(stored.last.verdict, PAIRS_BETTER);
	/* the other way round, and by a metric that nobody has looked at yet */
	assert_int_equal(compare_stored(request.store, result.sweep, &cells[0], &configs[1],
				 &configs[0], "cpu_per_gbit_s", 0, 1, &stored, &err),
		0);
	assert_int_equal(stored.last.verdict, PAIRS_WORSE);
	assert_int_equal(compare_stored(request.store, result.sweep, &cells[0], &configs[1],
				 &configs[0], "rr_p50_us", 0, 1, &stored, &err),
		-ENODATA);
	store_configs_free(configs, 2);
	free(cells);
}

static void lost_pair_is_run_anew(void **state)
{
	fake.void_from = 3;
	fake.void_to = 5;
	request.all_pairs = true;
	compare_or_fail();
	assert_int_equal(result.lost, 1);
	assert_int_equal(result.last.pairs, 10);
	assert_int_equal(fake.runs, 20 + 2 + 2);
}

static void settings_that_the_chip_cannot_tell_apart_are_refused(void **state)
{
	request.a = "RDTR=0 RADV=0";
	request.b = "RDTR=0 RADV=128";
	assert_true(compare_run(&request, &result, &err) < 0);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "not a comparison"));
	assert_int_equal(fake.runs, 0);
}

static void sides_that_read_back_equal_are_refused(void **state)
{
	fake.deaf = true;
	assert_int_equal(compare_run(&request, &result, &err), -ENOTUNIQ);
	assert_non_null(strstr(err.text, "not a comparison: both sides ran with the same values"));
	assert_int_equal(fake.runs, 2);
}

static void equal_intervals_are_named(void **state)
{
	request.a = "netbsd-new";
	request.b = "netbsd-mod-new";
	request.pairs = 1;
	compare_or_fail();
	assert_non_null(strstr(result.same_effect, "384 us"));
}

static void wrong_requests_are_refused(void **state)
{
	request.pairs = 12;
	assert_true(compare_run(&request, &result, &err) < 0 && err.usage);
	assert_non_null(strstr(err.text, "12 pairs"));
	request.pairs = 10;
	request.metric = "goodput_mbsp";
	assert_true(compare_run(&request, &result, &err) < 0 && err.usage);
	assert_non_null(strstr(err.text, "goodput_mbps"));
	request.metric = "window_s";
	assert_true(compare_run(&request, &result, &err) < 0 && err.usage);
	request.metric = "goodput_mbps";
	request.b = "netbsd-nwe";
	assert_true(compare_run(&request, &result, &err) < 0 && err.usage);
	assert_int_equal(fake.runs, 0);
}

static void interrupted_comparison_is_completed(void **state)
{
	fake.stop_after = 9;
	assert_int_equal(compare_run(&request, &result, &err), -EINTR);
	fake.stop = 0;
	fake.stop_after = 0;
	err = (struct error){0};
	assert_int_equal(compare_resume(&request, 1, &result, &err), 0);
	assert_int_equal(result.last.pairs, 7);
	assert_int_equal(fake.runs, 14);
	assert_int_equal(result.last.verdict, PAIRS_BETTER);
	/* once more: nothing is left to run, the verdict is the same */
	assert_int_equal(compare_resume(&request, 1, &result, &err), 0);
	assert_int_equal(fake.runs, 14);
	assert_int_equal(result.last.verdict, PAIRS_BETTER);
}

static void confidence_grows_with_the_number_of_comparisons(void **state)
{
	assert_true(compare_confidence(1) == PAIRS_LOOK_CONFIDENCE);
	assert_true(compare_confidence(0) == PAIRS_LOOK_CONFIDENCE);
	assert_true(fabs(compare_confidence(50) - 0.999) < 1e-12);
}

#define compare_unit_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		compare_unit_test(clear_gain_is_better_at_the_first_look),
		compare_unit_test(all_pairs_are_run_when_asked_for),
		compare_unit_test(less_is_better_turns_the_verdict),
		compare_unit_test(loss_is_worse_and_no_effect_is_same),
		compare_unit_test(noise_is_not_proven_after_all_pairs),
		compare_unit_test(fewer_than_seven_pairs_prove_nothing),
		compare_unit_test(looks_are_stored_and_stored_pairs_say_the_same),
		compare_unit_test(lost_pair_is_run_anew),
		compare_unit_test(settings_that_the_chip_cannot_tell_apart_are_refused),
		compare_unit_test(sides_that_read_back_equal_are_refused),
		compare_unit_test(equal_intervals_are_named),
		compare_unit_test(wrong_requests_are_refused),
		compare_unit_test(interrupted_comparison_is_completed),
		compare_unit_test(confidence_grows_with_the_number_of_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
