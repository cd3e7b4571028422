/* SPDX-License-Identifier: BSD-2-Clause */
/* The predictor's engine: what must hold whatever the constants are. Host files: what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/util.h"
#include "tuner/predict/engine.h"
#include "tuner/predict/imtimer.h"

static json_t *host_file(void)
{
	json_t *json;

	json = json_loads(
		"{\"schema\":\"moderato-host-1\",\"name\":\"fast\",\"costs\":{"
		"\"syscall_us\":{\"value\":0.3},\"copy_ns_per_byte\":{\"value\":0.2},"
		"\"send_us\":{\"value\":0.3},\"buffer_us\":{\"value\":0.2},\"map_us\":{\"value\":1},"
		"\"frame_us\":{\"value\":1},\"interrupt_us\":{\"value\":2},"
		"\"register_us\":{\"value\":1},\"wakeup_us\":{\"value\":3}}}", 0, NULL);
	assert_non_null(json);
	return json;
}

static void fast_host(struct host *host)
{
	json_t *json = host_file();

	assert_int_equal(host_parse(json, host, NULL), 0);
	json_decref(json);
}

static struct predict_result predict(const struct host *host, const char *set, const char *workload)
{
	struct predict_job job = {.host = host, .chip = chip_find("82574L"), .speed_mbps = 1000};
	struct predict_result result;
	struct error err = {0};

	chip_initial_settings(job.chip, &job.settings);
	assert_int_equal(settings_parse_list(&job.settings, set, &err), 0);
	assert_int_equal(workload_parse(workload, &job.workload, &err), 0);
	predict_default_times(&job);
	assert_int_equal(predict_run(&job, &result, &err), 0);
	return result;
}

static void a_fast_host_fills_the_wire_both_ways(void **state)
{
	struct host host;
	struct predict_result r;

	fast_host(&host);
	r = predict(&host, "ITR=488 intmode=msi", "tcp:tx:128k");
	assert_true(r.goodput_mbps > 935 && r.goodput_mbps < 942.5);
	assert_int_equal(r.bound, PREDICT_BOUND_WIRE);
	assert_true(r.irq_per_s < 8015);
	r = predict(&host, "ITR=488 intmode=msi", "tcp:rx:128k");
	assert_true(r.goodput_mbps > 935 && r.goodput_mbps < 942.5);
	host_clear(&host);
}

static void a_small_window_and_a_long_throttle_bound_it(void **state)
{
	struct host host;
	struct predict_result fast, slow;

	fast_host(&host);
	fast = predict(&host, "ITR=0 intmode=msi", "tcp:rx:128k/window=64k");
	slow = predict(&host, "ITR=3906 intmode=msi", "tcp:rx:128k/window=64k"); /* 1 ms */
	assert_true(slow.goodput_mbps < 0.75 * fast.goodput_mbps);
	assert_true(slow.goodput_mbps < 64 * 1024 * 8 / 1000.0 * 1.05);
	assert_int_equal(slow.bound, PREDICT_BOUND_THROTTLE);
	host_clear(&host);
}

static void a_dear_copy_is_bound_by_the_cpu(void **state)
{
	struct host host;
	struct predict_result r;

	fast_host(&host);
	host.cost[HOST_COST_COPY].value = 40; /* 200 Mbit/s if it did nothing else */
	r = predict(&host, "ITR=488 intmode=msi", "tcp:tx:128k");
	assert_int_equal(r.bound, PREDICT_BOUND_CPU);
	assert_true(r.goodput_mbps < 200 && r.goodput_mbps > 150);
	host_clear(&host);
}

/* R2: in MSI-X the transmit timers do not bound the rate, in MSI they do. */
static void transmit_timers_are_dead_in_msix(void **state)
{
	struct host host;
	struct predict_result r;

	fast_host(&host);
	r = predict(&host, "TIDV=100 TADV=1000 EITR1=0 intmode=msix", "udp:tx:1k@1G");
	assert_true(r.irq_per_s > 100000);
	r = predict(&host, "TIDV=100 TADV=1000 ITR=0 intmode=msi", "udp:tx:1k@1G");
	assert_true(r.irq_per_s < 2500);
	host_clear(&host);
}

static void a_round_trip_waits_for_the_receive_timer(void **state)
{
	struct host host;
	struct predict_result a, b;

	fast_host(&host);
	a = predict(&host, "RDTR=0 TIDV=8 intmode=msi", "rr:64");
	b = predict(&host, "RDTR=100 TIDV=8 ITR=0 intmode=msi", "rr:64");
	assert_true(b.rr_p50_us > a.rr_p50_us);
	assert_true(a.rr_p50_us > 4 && a.rr_p50_us < 100);
	host_clear(&host);
}

static void the_same_job_gives_the_same_result(void **state)
{
	struct host host;
	struct predict_result a, b;

	fast_host(&host);
	a = predict(&host, "ITR=1500 RDTR=375 intmode=msi", "tcp:bidir:4k");
	b = predict(&host, "ITR=1500 RDTR=375 intmode=msi", "tcp:bidir:4k");
	assert_memory_equal(&a, &b, sizeof(a));
	host_clear(&host);
}

static void timer_moderation_spaces_interrupts(void **state)
{
	struct imtimer t;
	unsigned raised = 0;

	imtimer_init(&t, 125, 0);
	imtimer_cause(&t, 5);
	assert_int_equal(imtimer_next(&t), 122880);
	while (imtimer_next(&t) < NS_PER_S)
		raised += imtimer_step(&t);
	assert_int_equal(raised, 8138);
	imtimer_init(&t, 0, 0);
	imtimer_cause(&t, 5);
	assert_int_equal(imtimer_next(&t), 5);
}

/* Each wrong file, and a word that the sentence must have. */
static void wrong_host_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *group, *key, *value, *word;
	} rows[] = {
		{"costs", "frame_us", NULL, "costs.frame_us is missing"},
		{"costs", "frame_us", "{\"value\":-1}", "negative"},
		{"costs", "frame_us", "{\"value\":1e9}", "range"},
		{"costs", "frame_us", "{\"min\":1}", "value is missing"},
		{"costs", "frame_us", "{\"value\":1,\"worth\":2}", "worth"},
		{"costs", "frame_u", "{\"value\":1}", "did you mean frame_us"},
		{"rules", "mss", "\"big\"", "rules.mss must be a number"},
		{"rules", "nonsense", "1", "rules.nonsense"},
		{"peer", "throttle_us", "-5", "negative"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		json_t *json = host_file(), *group = json_object_get(json, rows[i].group);
		struct error err = {0};
		struct host host;

		if (!group) {
			json_object_set_new(json, rows[i].group, json_object());
			group = json_object_get(json, rows[i].group);
		}
		if (rows[i].value)
			json_object_set_new(group, rows[i].key,
				json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(group, rows[i].key);
		assert_true(host_parse(json, &host, &err) < 0);
		assert_true(err.usage);
		assert_non_null(strstr(err.text, rows[i].word));
		json_decref(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fast_host_fills_the_wire_both_ways),
		cmocka_unit_test(a_small_window_and_a_long_throttle_bound_it),
		cmocka_unit_test(a_dear_copy_is_bound_by_the_cpu),
		cmocka_unit_test(transmit_timers_are_dead_in_msix),
		cmocka_unit_test(a_round_trip_waits_for_the_receive_timer),
		cmocka_unit_test(the_same_job_gives_the_same_result),
		cmocka_unit_test(timer_moderation_spaces_interrupts),
		cmocka_unit_test(wrong_host_files_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
