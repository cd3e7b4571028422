/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_run(): prepare a trial, run it, and hand out its result. */
#include "bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/trial.h"
#include "common/clock.h"
#include "common/util.h"

#define CALL_TIMEOUT_MS 2000

int bench_check_window(uint64_t asked_bytes, uint64_t rmem_max, uint64_t wmem_max,
	bool *ret_clipped, struct error *err)
{
	uint64_t limit = MIN(rmem_max, wmem_max);

	if (asked_bytes > 2 * limit)
		return error_usage(err,
			"a window of %llu bytes is more than the kernel grants (twice the "
			"smaller of rmem_max %llu and wmem_max %llu); raise both: sysctl -w "
			"net.core.rmem_max=%llu net.core.wmem_max=%llu",
			(unsigned long long)asked_bytes, (unsigned long long)rmem_max,
			(unsigned long long)wmem_max, (unsigned long long)asked_bytes,
			(unsigned long long)asked_bytes);
	if (ret_clipped)
		*ret_clipped = asked_bytes > limit;
	return 0;
}

/* Return: a number from a file of one line, @otherwise when there is none. */
static uint64_t read_limit(const char *path, uint64_t otherwise)
{
	unsigned long long value = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return otherwise;
	if (fscanf(file, "%llu", &value) != 1)
		value = otherwise;
	(void)fclose(file);
	return value;
}

static int check_request(const struct workload *workload, struct error *err)
{
	int ret = workload_check(workload, err);

	if (ret < 0 || !workload->window_bytes)
		return ret;
	/* One value for all namespaces of the machine; without /proc libiperf will complain itself.
	 */
	return bench_check_window(workload->window_bytes,
		read_limit("/proc/sys/net/core/rmem_max", WORKLOAD_WINDOW_MAX),
		read_limit("/proc/sys/net/core/wmem_max", WORKLOAD_WINDOW_MAX), NULL, err);
}

static int take_snapshot(
	const struct trial *trial, struct trial_snapshot *ret_snapshot, struct error *err)
{
	int ret;

	if (!trial->env->control)
		return 0;
	ret = control_call(
		trial->env->control, "get", NULL, &ret_snapshot->settings, CALL_TIMEOUT_MS, err);
	if (ret < 0)
		return ret;
	return meter_read(&trial->meter, 0, &ret_snapshot->counters, err);
}

static void snapshot_fini(struct trial_snapshot *snapshot)
{
	json_decref(snapshot->settings);
	meter_edge_fini(&snapshot->counters);
}

/* Events that mean that somebody else had a hand in this trial. */
static bool is_foreign_event(const char *name)
{
	static const char *const names[] = {
		"settings-changed", "settings-reverted", "revert-failed", "restore-failed"};
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (name && strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Take what the connection has queued; keep the first foreign event since the trial began. */
static void collect_events(struct trial *trial)
{
	json_t *message;

	if (!trial->env->control)
		return;
	while (control_next_notification(trial->env->control, 0, &message, NULL) == 0) {
		json_t *params = json_object_get(message, "params");
		const char *name = json_string_value(json_object_get(params, "name"));
		const char *detail = json_string_value(json_object_get(params, "detail"));
		json_int_t at_ns = json_integer_value(json_object_get(params, "time_ns"));

		if (!trial->foreign[0] && is_foreign_event(name) &&
			(uint64_t)at_ns >= trial->begin_ns)
			(void)snprintf(trial->foreign, sizeof(trial->foreign),
				"settings were changed by somebody else: %s",
				detail ? detail : name);
		json_decref(message);
	}
}

static int trial_init(struct trial *trial, const struct bench_env *env,
	const struct workload *workload, struct error *err)
{
	*trial = (struct trial){
		.env = env,
		.workload = workload,
		.begin_ns = clock_now_ns(),
		.ready_fd = -1,
		.notify_fd = -1,
		.child = {{.out_fd = -1}, {.out_fd = -1}},
	};
	meter_open(&trial->meter, env->control);
	trial->shared = mmap(NULL, sizeof(*trial->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (trial->shared == MAP_FAILED) {
		trial->shared = NULL;
		return error_sys(err, -errno, "cannot map memory for a trial");
	}
	trial->ready_fd = eventfd(0, EFD_CLOEXEC);
	trial->notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (trial->ready_fd < 0 || trial->notify_fd < 0)
		return error_sys(err, -errno, "cannot make an eventfd for a trial");
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static void trial_fini(struct trial *trial)
{
	unsigned i;

	for (i = 0; i < BENCH_SIDES; i++) {
		child_fini(&trial->child[i]);
		iperf_doc_fini(&trial->doc[i]);
	}
	for (i = 0; i < TRIAL_EDGES; i++)
		meter_edge_fini(&trial->edge[i]);
	snapshot_fini(&trial->before);
	snapshot_fini(&trial->after);
	close_fd(&trial->ready_fd);
	close_fd(&trial->notify_fd);
	meter_close(&trial->meter);
	if (trial->shared)
		(void)munmap(trial->shared, sizeof(*trial->shared));
}

/* The text changes hands. */
static char *take_text(struct child *child)
{
	char *text = child->text;

	child->text = NULL;
	child->text_len = child->text_size = 0;
	return text;
}

static void fill_texts(struct trial *trial, struct bench_result *result)
{
	const char *client = trial->doc[BENCH_CLIENT].note, *server = trial->doc[BENCH_SERVER].note;

	if (trial->workload->kind == WORKLOAD_RR)
		return;
	(void)snprintf(result->iperf_text, sizeof(result->iperf_text), "%.120s%s%.120s", client,
		client[0] && server[0] ? "; " : "", server);
	result->client_json = take_text(&trial->child[BENCH_CLIENT]);
	result->server_json = take_text(&trial->child[BENCH_SERVER]);
}

static int copy_hist(const struct trial *trial, struct bench_result *result, struct error *err)
{
	if (trial->workload->kind != WORKLOAD_RR)
		return 0;
	result->hist = malloc(sizeof(*result->hist));
	if (!result->hist)
		return error_set(err, -ENOMEM, "out of memory for a histogram");
	*result->hist = trial->shared->rr.hist;
	return 0;
}

static int fill_result(struct trial *trial, struct bench_result *result, struct error *err)
{
	unsigned i;

	*result = (struct bench_result){.status = BENCH_OK, .begin_ns = trial->begin_ns};
	trial_read_results(trial);
	trial_compute(trial, result->metric);
	if (trial_judge(trial, result->reason, sizeof(result->reason)))
		result->status = BENCH_VOID;
	if (trial->has_edge[TRIAL_BEGIN])
		result->window_begin_ns = trial->edge[TRIAL_BEGIN].at_ns;
	if (trial->has_edge[TRIAL_END])
		result->window_end_ns = trial->edge[TRIAL_END].at_ns;
	if (result->status == BENCH_OK) {
		result->notes = trial_notes(trial, result->metric);
		if (copy_hist(trial, result, err) < 0)
			return -ENOMEM;
	} else {
		for (i = 0; i < METRIC_COUNT; i++)
			result->metric[i] = (double)NAN;
	}
	fill_texts(trial, result);
	return 0;
}

static int run_trial(struct trial *trial, struct error *err)
{
	int ret = take_snapshot(trial, &trial->before, err);

	if (ret == 0)
		ret = trial_run_traffic(trial, err);
	if (ret == 0)
		ret = take_snapshot(trial, &trial->after, err);
	collect_events(trial);
	return ret;
}

int bench_run(const struct bench_env *env, const struct workload *workload,
	struct bench_result *ret_result, struct error *err)
{
	struct bench_result result;
	struct trial trial;
	int ret;

	ret = check_request(workload, err);
	if (ret < 0)
		return ret;
	if (workload->kind == WORKLOAD_RR && env->peer_external)
		return error_usage(
			err, "rr needs a peer of our own: an iperf3 server does not answer it");
	ret = trial_init(&trial, env, workload, err);
	if (ret == 0)
		ret = run_trial(&trial, err);
	if (ret == 0)
		ret = fill_result(&trial, &result, err);
	trial_fini(&trial);
	if (ret < 0)
		return ret;
	result.end_ns = clock_now_ns();
	*ret_result = result;
	return 0;
}

void bench_result_fini(struct bench_result *result)
{
	free(result->hist);
	free(result->client_json);
	free(result->server_json);
	result->hist = NULL;
	result->client_json = result->server_json = NULL;
}

static json_t *notes_json(uint32_t notes)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < BENCH_NOTE_COUNT; i++)
		if (notes & BENCH_NOTE_BIT(i))
			json_array_append_new(array, json_string(bench_note_table[i].name));
	return array;
}

static json_t *metrics_json(const double *metric)
{
	json_t *object = json_object();
	unsigned i;

	for (i = 0; i < METRIC_COUNT; i++)
		if (isfinite(metric[i]))
			json_object_set_new(object, metric_table[i].name, json_real(metric[i]));
	return object;
}

json_t *bench_result_json(const struct bench_result *result)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:I, s:I, s:I, s:I}}", "status",
		result->status == BENCH_OK ? "ok" : "void", "reason", result->reason, "text",
		result->iperf_text, "notes", notes_json(result->notes), "metrics",
		metrics_json(result->metric), "times", "begin_ns", (json_int_t)result->begin_ns,
		"end_ns", (json_int_t)result->end_ns, "window_begin_ns",
		(json_int_t)result->window_begin_ns, "window_end_ns",
		(json_int_t)result->window_end_ns);
}
