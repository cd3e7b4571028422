/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU identity, /proc/stat, socket buffer limits and the environment record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/cpu_id.h"
#include "bench/env.h"
#include "bench/meter.h"
#include "common/util.h"

static void x86_is_keyed_by_numbers_and_shown_by_its_model_name(void **state)
{
	struct cpu_id id;

	cpu_id_parse("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
		     "model name\t: Intel(R) Xeon(R) CPU @ 2.00GHz\nstepping\t: 3\n\n"
		     "processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
		     "model name\t: Intel(R) Xeon(R) CPU @ 2.00GHz\nstepping\t: 3\n",
		NULL, "x86_64", &id);
	assert_string_equal(id.key, "GenuineIntel-6-85-3");
	assert_string_equal(id.name, "Intel(R) Xeon(R) CPU @ 2.00GHz");
	assert_int_equal(id.cpus, 2);
}

static void an_arm_core_without_a_model_name_is_keyed_by_its_part(void **state)
{
	static const char text[] = "processor\t: 0\nBogoMIPS\t: 100.00\nCPU implementer\t: 0x70\n"
				   "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0x662\n"
				   "CPU revision\t: 2\n\n"
				   "processor\t: 1\nCPU implementer\t: 0x70\nCPU variant\t: 0x1\n"
				   "CPU part\t: 0x662\nCPU revision\t: 2\n";
	struct cpu_id id;

	cpu_id_parse(text, NULL, "aarch64", &id);
	assert_string_equal(id.key, "arm-0x70-0x662-r1p2");
	assert_string_equal(id.name, "FTC662");
	assert_int_equal(id.cpus, 2);
}

static void an_unknown_part_is_shown_by_its_key(void **state)
{
	struct cpu_id id;

	cpu_id_parse("processor: 0\nCPU implementer: 0x99\nCPU variant: 0x0\nCPU part: 0x001\n"
		     "CPU revision: 4\n",
		NULL, "aarch64", &id);
	assert_string_equal(id.key, "arm-0x99-0x001-r0p4");
	assert_string_equal(id.name, id.key);
}

static void big_little_lists_both_kinds(void **state)
{
	char text[2048] = "";
	struct cpu_id id;
	unsigned i;

	for (i = 0; i < 8; i++) {
		size_t used = strlen(text);

		(void)snprintf(text + used, sizeof(text) - used,
			"processor\t: %u\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\n"
			"CPU part\t: %s\nCPU revision\t: %u\n\n",
			i, i < 4 ? "0xd03" : "0xd08", i < 4 ? 4u : 2u);
	}
	cpu_id_parse(text, NULL, "aarch64", &id);
	assert_string_equal(id.key, "arm-0x41-0xd03-r0p4+arm-0x41-0xd08-r0p2");
	assert_string_equal(id.name, "4 x Cortex-A53 + 4 x Cortex-A72");
	assert_int_equal(id.cpus, 8);
}

static void without_numbers_the_board_names_the_cpu_and_never_nothing(void **state)
{
	static const char board[] =
		"Processor\t: AArch64 rev 4\nprocessor\t: 0\nHardware\t: sun50iw1p1\n";
	struct cpu_id id;

	cpu_id_parse(board, NULL, "aarch64", &id);
	assert_string_equal(id.key, "sun50iw1p1");
	assert_int_equal(id.cpus, 1);
	cpu_id_parse(board, "Pine64 Board", "aarch64", &id);
	assert_string_equal(id.key, "Pine64 Board");
	cpu_id_parse("", NULL, "riscv64", &id);
	assert_string_equal(id.key, "unknown-riscv64");
	assert_int_equal(id.cpus, 0);
}

static void proc_stat_keeps_steal_apart(void **state)
{
	struct cpu_ticks t;

	assert_int_equal(meter_parse_stat("cpu  100 5 50 800 20 3 7 15 0 0\ncpu0 1 2\n", &t), 0);
	assert_int_equal(t.busy, 165);
	assert_int_equal(t.irq, 3);
	assert_int_equal(t.softirq, 7);
	assert_int_equal(t.steal, 15);
	assert_int_equal(t.total, 1000);
	assert_int_not_equal(meter_parse_stat("cpux 1 2 3", &t), 0);
	assert_int_not_equal(meter_parse_stat("", &t), 0);
}

static void a_window_is_refused_above_twice_the_smaller_limit(void **state)
{
	static const struct {
		unsigned asked_kib;
		int refused;
	} rows[] = {{208, 0}, {416, 0}, {417, 1}, {512, 1}, {4096, 1}};
	struct error err = {0};
	bool clipped;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		int ret = bench_check_window(
			rows[i].asked_kib * 1024u, 16777216, 212992, &clipped, &err);

		assert_int_equal(ret != 0, rows[i].refused);
		if (!rows[i].refused)
			assert_int_equal(clipped, rows[i].asked_kib > 208);
	}
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "16777216"));
	assert_non_null(strstr(err.text, "212992"));
	assert_non_null(strstr(err.text, "net.core.wmem_max="));
}

static const char *text_at(json_t *record, const char *group, const char *name)
{
	return json_string_value(json_object_get(json_object_get(record, group), name));
}

static void the_record_says_what_this_machine_is_and_null_where_it_does_not_tell(void **state)
{
	struct error err = {0};
	struct bench_env env;
	json_t *record;

	bench_env_init(&env);
	assert_int_equal(env_record("", &env, &record, &err), 0);
	assert_non_null(text_at(record, "kernel", "release"));
	assert_true(strlen(text_at(record, "cpu", "key")) > 0);
	assert_true(json_string_value(json_object_get(record, "iperf"))[0] == '3');
	assert_string_equal(text_at(record, "placement", "path"), "plain");
	assert_null(json_object_get(record, "daemon"));
	json_decref(record);

	assert_int_equal(env_record("/nonexistent", &env, &record, &err), 0);
	assert_true(json_is_null(json_object_get(json_object_get(record, "kernel"), "cmdline")));
	assert_true(json_is_null(json_object_get(json_object_get(record, "cpu"), "governor")));
	assert_true(strncmp(text_at(record, "cpu", "key"), "unknown-", 8) == 0);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_is_keyed_by_numbers_and_shown_by_its_model_name),
		cmocka_unit_test(an_arm_core_without_a_model_name_is_keyed_by_its_part),
		cmocka_unit_test(an_unknown_part_is_shown_by_its_key),
		cmocka_unit_test(big_little_lists_both_kinds),
		cmocka_unit_test(without_numbers_the_board_names_the_cpu_and_never_nothing),
		cmocka_unit_test(proc_stat_keeps_steal_apart),
		cmocka_unit_test(a_window_is_refused_above_twice_the_smaller_limit),
		cmocka_unit_test(
			the_record_says_what_this_machine_is_and_null_where_it_does_not_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
