/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato compare: is B better than A, by pairs run now or by those in a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/compare.h"
#include "tuner/compare_view.h"
#include "tuner/interrupt.h"
#include "tuner/progress.h"
#include "tuner/random.h"
#include "tuner/sweep_device.h"

#define DEFAULT_WORKLOAD "tcp:rx:128k"

/* The command line. */
struct compare_command {
	const char *daemon, *out, *metric, *workload;
	int64_t pairs, seed, sweep;
	double effect; /* per cent */
	bool all_pairs, resume, json;
	char **operand;
	unsigned operand_count;
};

static int parse(struct compare_command *command, int argc, char **argv, struct error *err)
{
	const struct option_row rows[] = {
		OPT_STRING("metric", 'm', &command->metric, "NAME",
			"what to compare, default goodput_mbps, for a ping-pong rr_p50_us"),
		OPT_STRING("workload", 'w', &command->workload, "WORKLOAD",
			"traffic of each trial, default " DEFAULT_WORKLOAD
			"; of stored pairs: only this one"),
		OPT_INT("pairs", 0, &command->pairs, "N", 1, COMPARE_PAIRS_MAX,
			"at most so many: 7, 10, 15, 20 or 30, default 10; below 7 nothing is "
			"proven"),
		OPT_FLAG("all-pairs", 0, &command->all_pairs,
			"do not stop at the first look that decides"),
		OPT_NUMBER("effect", 0, &command->effect, "PERCENT", 0.01, 100,
			"smallest effect worth having, default 1 for throughput, 2 for CPU, 5 for "
			"times"),
		OPT_INT("seed", 0, &command->seed, "N", 0, INT32_MAX,
			"of the order inside the pairs, default random"),
		OPT_STRING("out", 'o', &command->out, "FILE", "also keep everything in this store"),
		OPT_FLAG("resume", 0, &command->resume,
			"go on with the last comparison in the store"),
		OPT_INT("sweep", 0, &command->sweep, "N", 1, INT32_MAX,
			"number of the sweep in FILE, default the last"),
		OPT_JSON(&command->json),
		OPT_DAEMON(&command->daemon),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.operands_max = 3,
		.details = "A and B are presets or settings (\"ITR=1500 RDTR=0\"). \"compare FILE "
			   "A B\" judges what "
			   "FILE holds\nof them, \"compare FILE\" a stored comparison. \"as-is\" "
			   "stands for the "
			   "settings in force.",
	};
	int r = options_parse(&options, argc, argv, err);

	command->operand = options.operand;
	command->operand_count = options.operand_count;
	return r;
}

static void print_result(
	const struct compare_command *command, const struct compare_result *results, size_t count)
{
	json_t *json;

	if (!command->json && count == 1) {
		compare_view(results, stdout);
		return;
	}
	if (!command->json) {
		compare_view_cells(results, count, stdout);
		return;
	}
	json = json_array();
	for (size_t i = 0; i < count; i++)
		(void)json_array_append_new(json, compare_json(&results[i]));
	client_print_json(json);
	json_decref(json);
}

/* --- pairs that a store holds --- */

/* A stored sweep with what it compares. */
struct stored {
	struct store *store;
	int64_t sweep;
	struct store_config *configs;
	size_t config_count;
	struct store_cell *cells;
	size_t cell_count;
	char metric[64]; /* that a comparison was made for, "" for a sweep */
};

static int read_stored_metric(struct stored *stored, struct error *err)
{
	struct store_sweep row;
	int r = store_read_sweep(stored->store, stored->sweep, &row, err);

	if (r < 0)
		return r;
	if (row.kind == SWEEP_KIND_COMPARE)
		(void)snprintf(stored->metric, sizeof(stored->metric), "%s",
			reply_string(row.options, "metric"));
	store_sweep_clear(&row);
	return 0;
}

static int open_stored(struct stored *stored, const char *path, int64_t sweep, struct error *err)
{
	int r = store_open(path, STORE_READ, &stored->store, err);

	stored->sweep = sweep;
	if (r == 0 && !sweep)
		r = store_last_sweep(stored->store, &stored->sweep, err);
	if (r == 0)
		r = read_stored_metric(stored, err);
	if (r == 0)
		r = store_read_configs(
			stored->store, stored->sweep, &stored->configs, &stored->config_count, err);
	if (r == 0)
		r = store_read_cells(
			stored->store, stored->sweep, &stored->cells, &stored->cell_count, err);
	return r;
}

static void close_stored(struct stored *stored)
{
	store_configs_free(stored->configs, stored->config_count);
	free(stored->cells);
	store_close(stored->store);
}

static const struct store_config *find_config(
	const struct stored *stored, const char *name, struct error *err)
{
	char names[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < stored->config_count; i++)
		if (strcasecmp(stored->configs[i].name, name) == 0)
			return &stored->configs[i];
	for (size_t i = 0; i < stored->config_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.80s",
			i ? ", " : "", stored->configs[i].name);
	error_usage(err, "%s has no settings \"%.80s\"; it has: %s", store_path(stored->store),
		name, names);
	return NULL;
}

static const char *metric_for(const struct compare_command *command, const char *workload)
{
	if (command->metric)
		return command->metric;
	return strncmp(workload, "rr:", 3) == 0 ? "rr_p50_us" : "goodput_mbps";
}

/* "tcp:rx:4k" also means a stored "tcp:rx:4k/seconds=2". */
static bool is_workload(const char *stored, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(stored, wanted, length) == 0 &&
	       (stored[length] == '\0' || stored[length] == '/');
}

static bool cell_wanted(const struct compare_command *command, const struct store_cell *cell)
{
	bool pingpong = strncmp(cell->workload, "rr:", 3) == 0;

	if (command->workload)
		return is_workload(cell->workload, command->workload);
	/* one metric a list: latency of ping-pongs stands in no list of goodputs */
	return command->metric || !pingpong;
}

static const char *pick_metric(const struct compare_command *command, const struct stored *stored,
	const struct store_cell *cell)
{
	return command->metric || !*stored->metric ? metric_for(command, cell->workload)
						   : stored->metric;
}

static int judge_cells(const struct compare_command *command, const struct stored *stored,
	const struct store_config *a, const struct store_config *b, struct compare_result *results,
	size_t *ret_count, struct error *err)
{
	unsigned wanted = 0;
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < stored->cell_count; i++)
		wanted += stored->cell_count == 1 || cell_wanted(command, &stored->cells[i]);
	for (size_t i = 0; i < stored->cell_count && r >= 0; i++) {
		const struct store_cell *cell = &stored->cells[i];

		if (stored->cell_count > 1 && !cell_wanted(command, cell))
			continue;
		r = compare_stored(stored->store, stored->sweep, cell, a, b,
			pick_metric(command, stored, cell), command->effect / 100.0, wanted,
			&results[count], err);
		count += r == 0;
		/* a metric that only other workloads have leaves no row */
		r = r == -ENODATA && (wanted > 1 || count) ? 0 : r;
	}
	*ret_count = count;
	if (r == 0 && count == 0)
		return error_set(err, -ENODATA, "%s holds no pair for that%s%s",
			store_path(stored->store), command->workload ? ": no workload " : "",
			command->workload ? command->workload : "");
	return r;
}

static int judge_stored(
	const struct compare_command *command, struct stored *stored, struct error *err)
{
	const struct store_config *a, *b;
	struct compare_result *results;
	size_t count;
	int r;

	if (command->operand_count == 1 && stored->config_count != 2)
		return error_usage(err, "%s holds %zu settings; name the two to compare",
			store_path(stored->store), stored->config_count);
	a = command->operand_count == 1 ? &stored->configs[0]
					: find_config(stored, command->operand[1], err);
	b = command->operand_count == 1 ? &stored->configs[1]
	    : a				? find_config(stored, command->operand[2], err)
					: NULL;
	if (!a || !b)
		return -EINVAL;
	if (a == b)
		return error_usage(err, "not a comparison: both sides are %s", a->name);
	results = calloc(stored->cell_count + 1, sizeof(*results));
	if (!results)
		return error_set(err, -ENOMEM, "out of memory for the comparison");
	r = judge_cells(command, stored, a, b, results, &count, err);
	if (r == 0)
		print_result(command, results, count);
	free(results);
	return r;
}

static int compare_in_store(const struct compare_command *command, struct error *err)
{
	struct stored stored = {0};
	int r;

	if (command->operand_count == 2)
		return error_usage(
			err, "\"compare FILE\" or \"compare FILE A B\", not one side alone");
	r = open_stored(&stored, command->operand[0], command->sweep, err);
	if (r == 0)
		r = judge_stored(command, &stored, err);
	close_stored(&stored);
	return r;
}

/* --- pairs run now --- */

static void show_trial(void *context, const struct sweep_progress *progress)
{
	char text[1200];

	(void)progress_format_trial(progress, text, sizeof(text));
	if (progress->trial && progress->status != TRIAL_OK)
		progress_note(context, text);
	else
		progress_show(context, text);
}

static void show_look(void *context, const struct pairs_result *look)
{
	char text[160];

	progress_note(context, compare_format_look(look, text, sizeof(text)));
}

static int make_request(
	const struct compare_command *command, struct compare_request *request, struct error *err)
{
	const char *workload = command->workload ? command->workload : DEFAULT_WORKLOAD;
	int r = workload_parse(workload, &request->workload, err);

	if (r == 0)
		r = compare_check_pairs((unsigned)command->pairs, err);
	if (r < 0)
		return r;
	if (!command->resume) {
		request->a = command->operand[0];
		request->b = command->operand[1];
	}
	request->metric = metric_for(command, workload);
	request->pairs = (unsigned)command->pairs;
	request->all_pairs = command->all_pairs;
	request->smallest_effect = command->effect / 100.0;
	request->seed = command->seed >= 0 ? (uint64_t)command->seed : random_seed();
	request->report = show_trial;
	request->report_look = show_look;
	return 0;
}

/* The stored metric unless another is asked for. */
static int resume_request(const struct compare_command *command, struct compare_request *request,
	char *metric, size_t size, int64_t *ret_sweep, struct error *err)
{
	struct store_sweep row;
	int r = command->sweep ? (*ret_sweep = command->sweep, 0)
			       : store_last_sweep(request->store, ret_sweep, err);

	if (r == 0)
		r = store_read_sweep(request->store, *ret_sweep, &row, err);
	if (r < 0)
		return r;
	(void)snprintf(metric, size, "%s", reply_string(row.options, "metric"));
	if (!command->metric && *metric)
		request->metric = metric;
	store_sweep_clear(&row);
	return 0;
}

static int run_pairs(const struct compare_command *command, struct compare_request *request,
	struct compare_result *ret_result, struct error *err)
{
	char metric[64];
	int64_t sweep;
	int r;

	if (!command->resume)
		return compare_run(request, ret_result, err);
	r = resume_request(command, request, metric, sizeof(metric), &sweep, err);
	return r < 0 ? r : compare_resume(request, sweep, ret_result, err);
}

static int compare_on_daemon(const struct compare_command *command, struct error *err)
{
	enum store_mode mode = command->resume ? STORE_WRITE : STORE_CREATE;
	struct compare_request request = {0};
	struct compare_result result;
	struct sweep_device device;
	struct progress line;
	int r = make_request(command, &request, err);

	if (r == 0)
		r = sweep_device_open(&device, command->daemon, interrupt_catch(), err);
	if (r < 0)
		return r;
	(void)snprintf(device.holder, sizeof(device.holder), "moderato compare");
	progress_init(&line, stderr);
	request.report_context = &line;
	compare_on_device(&request, &device);
	if (command->out)
		r = store_open(command->out, mode, &request.store, err);
	if (r == 0)
		r = run_pairs(command, &request, &result, err);
	progress_finish(&line);
	if (r == 0)
		print_result(command, &result, 1);
	if (r == -EINTR && command->out)
		r = error_set(err, r, "stopped; go on with: moderato compare --resume --out %s",
			command->out);
	store_close(request.store);
	sweep_device_close(&device);
	return r;
}

/* A store that is there, or what can only be meant as one. */
static bool is_store(const char *operand)
{
	const char *dot = strrchr(operand, '.');
	struct stat st;

	return strchr(operand, '/') || (dot && strcmp(dot, ".db") == 0) ||
	       (stat(operand, &st) == 0 && S_ISREG(st.st_mode));
}

int cmd_compare(int argc, char **argv, struct error *err)
{
	struct compare_command command = {.pairs = COMPARE_DEFAULT_PAIRS, .seed = -1};
	int r = parse(&command, argc, argv, err);

	if (r)
		return r;
	if (command.resume && (command.operand_count > 1 || !command.out))
		return error_usage(err,
			"--resume takes the sides from the store: compare --resume --out FILE");
	if (command.resume) {
		command.daemon = command.operand_count ? command.operand[0] : command.daemon;
		return compare_on_daemon(&command, err);
	}
	if (command.operand_count && is_store(command.operand[0]))
		return compare_in_store(&command, err);
	if (command.operand_count < 2)
		return error_usage(err, "name two settings to compare, or a store that is there");
	if (command.operand_count == 3)
		command.daemon = command.operand[2];
	return compare_on_daemon(&command, err);
}
