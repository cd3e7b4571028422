/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the demo's table and contrasts through the sweep and compare libraries, with one progress
 * bar. */
#include "tuner/demo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/util.h"
#include "tuner/random.h"
#include "tuner/sweep_device.h"

#define BAR_WIDTH 24

const struct demo_plan demo_plan_full = {"32,256,1k,4k,16k,128k", 10};
const struct demo_plan demo_plan_quick = {"1k,128k", 7};

static const struct {
	const char *workload, *metric;
} contrasts[DEMO_CONTRASTS] = {
	{"tcp:rx:128k", "driver_cpu_per_gbit_s"},
	{"rr:64", "rr_p50_us"},
};

struct demo {
	const struct demo_plan *plan;
	struct sweep_device device;
	struct store *store;
	struct progress *progress;
	const volatile sig_atomic_t *stop;
	struct demo_result *result;
	unsigned done, total; /* trials of all parts; done: those of finished parts */
	uint64_t started_ns;
};

static void show_progress(struct demo *demo, const struct sweep_progress *p)
{
	char text[256], bar[BAR_WIDTH + 8], left[32] = "", value[32] = "";
	unsigned done = demo->done + p->done;
	uint64_t spent_ns = clock_now_ns() - demo->started_ns;

	if (done)
		(void)format_duration(spent_ns / done * (demo->total - MIN(done, demo->total)),
			left, sizeof(left));
	if (p->result && p->result->status == BENCH_OK &&
		p->result->metric[METRIC_GOODPUT_MBPS] > 0)
		(void)snprintf(value, sizeof(value), "%.0f Mbit/s",
			p->result->metric[METRIC_GOODPUT_MBPS]);
	else if (p->result && p->result->metric[METRIC_RR_P50_US] > 0)
		(void)snprintf(
			value, sizeof(value), "%.1f us", p->result->metric[METRIC_RR_P50_US]);
	(void)snprintf(text, sizeof(text), "%s %u/%u%s%s%s  %s %s %s",
		progress_bar(done, demo->total, BAR_WIDTH, bar, sizeof(bar)), done, demo->total,
		*left ? "  " : "", left, *left ? " left" : "", p->config_name ? p->config_name : "",
		p->workload ? p->workload : "", value);
	progress_show(demo->progress, text);
	if (p->trial && p->status != TRIAL_OK && p->reason && *p->reason)
		progress_note(demo->progress, p->reason);
}

static int report_sweep(void *context, const struct sweep_progress *p, struct error *err)
{
	show_progress(context, p);
	return 0;
}

static void report_compare(void *context, const struct sweep_progress *p)
{
	show_progress(context, p);
}

/* ---- one block of the table ---- */

static int plan_table(struct demo *demo, struct plan *plan, struct error *err)
{
	int rc;

	plan->device = demo->device.plan;
	rc = plan_add_presets(plan, DEMO_PRESETS, err);
	rc = rc ? rc : plan_add_matrix(plan, demo->plan->buffers, "rx,tx", "", err);
	rc = rc ? rc : plan_find_config(plan, DEMO_CONTRAST_A, &plan->baseline, err);
	return rc ? rc : plan_order_blocks(plan, 1, random_seed(), err);
}

static int run_table(struct demo *demo, const struct plan *plan, struct error *err)
{
	struct store_sweep sweep = {.kind = SWEEP_KIND_SWEEP, .options = json_object()};
	struct sweep_run run = {.store = demo->store,
		.ops = &sweep_device_ops,
		.context = &demo->device,
		.environment = demo->device.environment,
		.stop = demo->stop,
		.pause_ms = SWEEP_PAUSE_MS,
		.report = report_sweep,
		.report_context = demo};
	int rc;

	(void)snprintf(sweep.device, sizeof(sweep.device), "%s", demo->device.device);
	(void)snprintf(sweep.path_kind, sizeof(sweep.path_kind), "%s", demo->device.env.path_kind);
	rc = plan_store(plan, demo->store, &sweep, err);
	run.sweep = demo->result->sweep = sweep.id;
	store_sweep_clear(&sweep);
	if (rc)
		return rc;
	rc = sweep_run(&run, &demo->result->table, err);
	demo->done += (unsigned)plan->trial_count;
	return rc;
}

static int measure_table(struct demo *demo, struct error *err)
{
	struct plan plan = {0};
	int rc = plan_table(demo, &plan, err);

	if (!rc) {
		demo->total = (unsigned)plan.trial_count + DEMO_CONTRASTS * 2 * demo->plan->pairs;
		demo->started_ns = clock_now_ns();
		rc = run_table(demo, &plan, err);
	}
	plan_fini(&plan);
	return rc;
}

/* ---- the contrasts ---- */

static int measure_contrast(struct demo *demo, unsigned index, struct error *err)
{
	struct compare_request request = {.a = DEMO_CONTRAST_A,
		.b = DEMO_CONTRAST_B,
		.metric = contrasts[index].metric,
		.pairs = demo->plan->pairs,
		.all_pairs = true,
		.seed = random_seed(),
		.store = demo->store,
		.stop = demo->stop,
		.pause_ms = SWEEP_PAUSE_MS,
		.report = report_compare,
		.report_context = demo};
	int rc = workload_parse(contrasts[index].workload, &request.workload, err);

	if (rc)
		return rc;
	compare_on_device(&request, &demo->device);
	rc = compare_run(&request, &demo->result->contrast[index], err);
	if (rc)
		return rc;
	demo->done += 2 * demo->plan->pairs;
	demo->result->contrast_count = index + 1;
	return 0;
}

int demo_measure(const struct demo_plan *plan, const char *daemon, struct store *store,
	struct progress *progress, const volatile sig_atomic_t *stop,
	struct demo_result *ret_result, struct error *err)
{
	struct demo demo = {.plan = plan,
		.store = store,
		.progress = progress,
		.stop = stop,
		.result = ret_result};
	int rc;

	memset(ret_result, 0, sizeof(*ret_result));
	rc = sweep_device_open(&demo.device, daemon, stop, err);
	if (rc)
		return rc;
	rc = measure_table(&demo, err);
	for (unsigned i = 0; i < DEMO_CONTRASTS && !rc; i++)
		rc = measure_contrast(&demo, i, err);
	progress_finish(progress);
	sweep_device_close(&demo.device);
	return rc;
}
