/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato sweep: measure settings against workloads, in random blocks, into a store. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/interrupt.h"
#include "tuner/random.h"
#include "tuner/sweep_device.h"
#include "tuner/sweep_view.h"

/* The command line. */
struct sweep_command {
	const char *daemon, *out, *presets, *buffers, *dirs, *window, *baseline;
	struct option_list sets, workloads;
	int64_t blocks, seconds, streams, seed;
	bool resume, dry_run;
};

static int parse(struct sweep_command *command, int argc, char **argv, struct error *err)
{
	const struct option_row rows[] = {
		OPT_STRING(
			"out", 'o', &command->out, "FILE", "the store; made when it is not there"),
		OPT_LIST("set", 's', &command->sets, "KNOBS",
			"\"ITR=0,195 RDTR=0,375\": every combination; \"NAME: ITR=195\": one with "
			"a name; "
			"may be repeated"),
		OPT_STRING("preset", 'p', &command->presets, "NAMES",
			"settings of drivers, separated by commas; moderato preset lists them"),
		OPT_STRING("buffers", 'b', &command->buffers, "SIZES",
			"buffer sizes, default " PLAN_DEFAULT_BUFFERS),
		OPT_STRING("dirs", 'd', &command->dirs, "DIRS",
			"directions: rx, tx, bidir; default " PLAN_DEFAULT_DIRS),
		OPT_LIST("workload", 'w', &command->workloads, "WORKLOAD",
			"one more workload, \"rr:64\" or \"udp:rx:1k@100M\"; in place of the "
			"matrix of buffers "
			"and directions unless these are given too"),
		OPT_INT("blocks", 0, &command->blocks, "N", 1, 200,
			"repetitions of everything, default 1; verdicts need 7"),
		OPT_INT("seconds", 0, &command->seconds, "N", 1, WORKLOAD_SECONDS_MAX,
			"of traffic in each trial, default 1; the first 0.2 s settle"),
		OPT_STRING("window", 0, &command->window, "SIZE",
			"socket buffers, default the kernel's"),
		OPT_INT("streams", 0, &command->streams, "N", 1, WORKLOAD_STREAMS_MAX,
			"parallel streams, default 1"),
		OPT_STRING("baseline", 0, &command->baseline, "NAME",
			"settings that the others are judged against, default the first"),
		OPT_INT("seed", 0, &command->seed, "N", 0, INT32_MAX,
			"of the random order, default random"),
		OPT_FLAG("resume", 0, &command->resume, "go on with the last sweep in FILE"),
		OPT_FLAG("dry-run", 0, &command->dry_run,
			"show the plan with its order, measure nothing"),
		OPT_DAEMON(&command->daemon),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_max = 1};
	int r = options_parse(&options, argc, argv, err);

	if (r == 0 && options.operand_count)
		command->daemon = options.operand[0];
	return r;
}

static int check(const struct sweep_command *command, struct error *err)
{
	bool plans = command->sets.count || command->presets || command->workloads.count ||
		     command->buffers || command->dirs || command->baseline;

	if (!command->out && !command->dry_run)
		return error_usage(err, "no store named; add --out FILE.db");
	if (command->resume && plans)
		return error_usage(err,
			"--resume goes on with the stored plan; leave out what would change it");
	if (command->resume && command->dry_run)
		return error_usage(err, "--resume and --dry-run exclude each other");
	if (!command->resume && !command->sets.count && !command->presets)
		return error_usage(err, "nothing to sweep; add --set \"ITR=0,195,1500\" or "
					"--preset netbsd-old,linux-static");
	return 0;
}

static int add_cells(const struct sweep_command *command, struct plan *plan, struct error *err)
{
	char tail[96], text[WORKLOAD_TEXT_MAX * 2];
	int used, r = 0;

	used = snprintf(tail, sizeof(tail), "/seconds=%lld/streams=%lld",
		(long long)command->seconds, (long long)command->streams);
	if (command->window)
		(void)snprintf(
			tail + used, sizeof(tail) - (size_t)used, "/window=%.40s", command->window);
	if (!command->workloads.count || command->buffers || command->dirs)
		r = plan_add_matrix(plan,
			command->buffers ? command->buffers : PLAN_DEFAULT_BUFFERS,
			command->dirs ? command->dirs : PLAN_DEFAULT_DIRS, tail, err);
	for (unsigned i = 0; i < command->workloads.count && r == 0; i++) {
		struct workload workload;

		(void)snprintf(text, sizeof(text), "%.160s", command->workloads.item[i]);
		/* a workload's own words win over the options */
		if (!strstr(text, "/seconds="))
			(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
				"/seconds=%lld", (long long)command->seconds);
		r = workload_parse(text, &workload, err);
		if (r == 0)
			r = plan_add_cell(plan, &workload, err);
	}
	return r;
}

static int make_plan(const struct sweep_command *command, const struct sweep_device *device,
	struct plan *plan, struct error *err)
{
	uint64_t seed = command->seed >= 0 ? (uint64_t)command->seed : random_seed();
	int r = 0;

	plan->device = device->plan;
	for (unsigned i = 0; i < command->sets.count && r == 0; i++)
		r = plan_add_product(plan, command->sets.item[i], err);
	if (r == 0 && command->presets)
		r = plan_add_presets(plan, command->presets, err);
	if (r == 0 && command->baseline)
		r = plan_find_config(plan, command->baseline, &plan->baseline, err);
	if (r == 0)
		r = add_cells(command, plan, err);
	return r < 0 ? r : plan_order_blocks(plan, (unsigned)command->blocks, seed, err);
}

static json_t *list_json(const struct option_list *list)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < list->count; i++)
		(void)json_array_append_new(array, json_string(list->item[i]));
	return array;
}

static int store_plan(const struct sweep_command *command, const struct sweep_device *device,
	const struct plan *plan, struct store *store, int64_t *ret_sweep, struct error *err)
{
	struct store_sweep row = {.kind = SWEEP_KIND_SWEEP};
	int r;

	(void)snprintf(row.device, sizeof(row.device), "%s", device->device);
	(void)snprintf(row.path_kind, sizeof(row.path_kind), "%s", device->env.path_kind);
	row.options = json_pack("{s:s, s:o, s:s*, s:o}", "command", "sweep", "set",
		list_json(&command->sets), "preset", command->presets, "workload",
		list_json(&command->workloads));
	r = plan_store(plan, store, &row, err);
	*ret_sweep = row.id;
	store_sweep_clear(&row);
	return r;
}

/* A new plan; 1 when it was only to be shown. */
static int begin_plan(const struct sweep_command *command, const struct sweep_device *device,
	struct store **ret_store, int64_t *ret_sweep, struct error *err)
{
	struct plan plan = {0};
	int r = make_plan(command, device, &plan, err);

	if (r == 0) {
		sweep_view_plan(&plan, device->device, command->dry_run, stdout);
		r = command->dry_run ? 1 : store_open(command->out, STORE_CREATE, ret_store, err);
	}
	if (r == 0)
		r = store_plan(command, device, &plan, *ret_store, ret_sweep, err);
	plan_fini(&plan);
	return r;
}

/* The stored plan must be for what is there now. */
static int resume_plan(const struct sweep_command *command, const struct sweep_device *device,
	struct store **ret_store, int64_t *ret_sweep, struct error *err)
{
	struct store_sweep row;
	int r = store_open(command->out, STORE_WRITE, ret_store, err);

	if (r == 0)
		r = store_last_sweep(*ret_store, ret_sweep, err);
	if (r == 0)
		r = store_read_sweep(*ret_store, *ret_sweep, &row, err);
	if (r < 0)
		return r;
	if (row.kind != SWEEP_KIND_SWEEP)
		r = error_set(err, -EINVAL,
			"the last plan in %s is a comparison; go on with moderato compare",
			command->out);
	else if (strcmp(row.chip, device->plan.chip->name) != 0)
		r = error_set(err, -EINVAL, "%s was begun on a %s, this is a %s", command->out,
			row.chip, device->plan.chip->name);
	store_sweep_clear(&row);
	return r;
}

/* Why it ended, how far it came, and the command that goes on. */
static int add_hint(const struct sweep_command *command, const struct sweep_summary *summary,
	int code, struct error *err)
{
	struct error reason = *err;
	char daemon[80] = "";

	if (code == -EINTR)
		(void)snprintf(reason.text, sizeof(reason.text), "stopped");
	if (command->daemon)
		(void)snprintf(daemon, sizeof(daemon), " %.64s", command->daemon);
	return error_set(err, code,
		"%.300s; %u of %u trials are done, go on with: moderato sweep%s --resume --out %s",
		reason.text, summary->done, summary->total, daemon, command->out);
}

static int run(const struct sweep_command *command, struct sweep_device *device,
	struct store *store, int64_t sweep, struct error *err)
{
	struct progress line;
	struct sweep_summary summary;
	struct sweep_run sweep_job = {
		.store = store,
		.sweep = sweep,
		.ops = &sweep_device_ops,
		.context = device,
		.environment = device->environment,
		.stop = device->env.stop,
		.pause_ms = SWEEP_PAUSE_MS,
		.report = sweep_view_progress,
		.report_context = &line,
	};
	int r;

	progress_init(&line, stderr);
	r = sweep_run(&sweep_job, &summary, err);
	progress_finish(&line);
	if (summary.total)
		sweep_view_summary(&summary, stdout);
	if (r < 0)
		return summary.total ? add_hint(command, &summary, r, err) : r;
	printf("The table: moderato table %s\n", command->out);
	return 0;
}

int cmd_sweep(int argc, char **argv, struct error *err)
{
	struct sweep_command command = {.blocks = 1, .seconds = 1, .streams = 1, .seed = -1};
	struct sweep_device device;
	struct store *store = NULL;
	int64_t sweep = 0;
	int r = parse(&command, argc, argv, err);

	if (r == 0)
		r = check(&command, err);
	if (r == 0)
		r = sweep_device_open(&device, command.daemon, interrupt_catch(), err);
	if (r)
		return r;
	r = command.resume ? resume_plan(&command, &device, &store, &sweep, err)
			   : begin_plan(&command, &device, &store, &sweep, err);
	if (r == 0)
		r = run(&command, &device, store, sweep, err);
	store_close(store);
	sweep_device_close(&device);
	return r;
}
