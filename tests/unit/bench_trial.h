/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a trial inside a test: what must hold for each, and patience with a busy machine. */
#ifndef MODERATO_TESTS_UNIT_BENCH_TRIAL_H
#define MODERATO_TESTS_UNIT_BENCH_TRIAL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/bench.h"

static inline void run(
	const struct bench_env *env, const char *text, struct bench_result *ret_result)
{
	struct error err = {0};
	struct workload w;

	if (workload_parse(text, &w, &err) < 0 || bench_run(env, &w, ret_result, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

#define PATIENCE 10

/* Void because others used the machine, which says nothing about the code. */
static inline bool was_busy(const struct bench_result *result)
{
	return result->status == BENCH_VOID &&
	       (strstr(result->reason, "hypervisor") || strstr(result->reason, "too busy"));
}

/* A busy machine voids trials, rightly; try again before calling it a failure. */
static inline void run_valid(
	const struct bench_env *env, const char *text, struct bench_result *ret_result)
{
	unsigned attempt;

	for (attempt = 0; attempt < PATIENCE; attempt++) {
		run(env, text, ret_result);
		if (ret_result->status == BENCH_OK)
			return;
		if (!was_busy(ret_result))
			break;
		bench_result_fini(ret_result);
	}
	if (attempt == PATIENCE) {
		print_message("the machine is too busy for a trial\n");
		skip();
	}
	fail_msg("%s: void: %s", text, ret_result->reason);
}

static inline void expect_void(const struct bench_result *result, const char *words)
{
	unsigned i;

	assert_int_equal(result->status, BENCH_VOID);
	if (!strstr(result->reason, words))
		fail_msg("\"%s\" does not say \"%s\"", result->reason, words);
	for (i = 0; i < METRIC_COUNT; i++)
		assert_true(isnan(result->metric[i]));
	assert_null(result->hist);
}

#endif
