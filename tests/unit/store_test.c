/* SPDX-License-Identifier: BSD-2-Clause */
/* The results store: plans, trials, and writers killed at any instant. */
#include "tests/unit/store_rig.h"

static void plan_is_read_back_as_written(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t id = add_plan(store, POSITIONS), last = 0;
	struct store_sweep sweep;
	struct store_config *configs;
	struct store_cell *cells;
	size_t count;
	struct error err = {0};

	store_close(store);
	store = open_store(STORE_READ);
	assert_int_equal(store_last_sweep(store, &last, &err), 0);
	assert_int_equal(last, id);
	assert_int_equal(store_read_sweep(store, id, &sweep, &err), 0);
	assert_string_equal(sweep.device, "sim:82574L");
	assert_string_equal(sweep.path_kind, "tap");
	assert_int_equal(sweep.seed, 42);
	assert_int_equal(sweep.blocks, 3);
	assert_int_equal(json_integer_value(json_object_get(sweep.options, "window")), 65536);
	assert_int_equal(strlen(sweep.created), 20);
	store_sweep_clear(&sweep);
	assert_int_equal(store_read_configs(store, id, &configs, &count, &err), 0);
	assert_int_equal(count, 2);
	assert_string_equal(configs[1].name, "new");
	assert_int_equal(json_integer_value(json_object_get(configs[1].settings, "ITR")), 1500);
	store_configs_free(configs, count);
	assert_int_equal(store_read_cells(store, id, &cells, &count, &err), 0);
	assert_int_equal(count, 2);
	assert_string_equal(cells[0].workload, "tcp:rx:4k");
	free(cells);
	assert_int_equal(progress_of(store, id).positions, POSITIONS);
	store_close(store);
}

struct collected {
	unsigned count;
	struct store_value value[8];
};

static int collect_value(void *context, const struct store_value *value)
{
	struct collected *collected = context;

	collected->value[collected->count++] = *value;
	return 0;
}

static void void_trial_keeps_its_reason_gives_no_number_and_is_run_again_next(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 2), session;
	struct collected collected = {0};
	struct store_trial trial;
	struct error err = {0};

	assert_int_equal(store_begin_session(store, sweep, NULL, &session, NULL, &err), 0);
	assert_int_equal(store_next_trial(store, sweep, &trial, &err), 0);
	assert_int_equal(store_start_trial(store, &trial, session, &err), 0);
	assert_int_equal(finish(store, &trial, TRIAL_VOID, true, &err), 0);
	assert_int_equal(
		store_each_value(store, sweep, "metric_00", collect_value, &collected, &err), 0);
	assert_int_equal(collected.value[0].status, TRIAL_PLANNED); /* the second attempt */
	assert_false(collected.value[0].present);

	assert_int_equal(store_next_trial(store, sweep, &trial, &err), 0);
	assert_int_equal(trial.position, 1);
	assert_int_equal(trial.attempt, 2);
	assert_int_equal(store_start_trial(store, &trial, session, &err), 0);
	assert_int_equal(finish(store, &trial, TRIAL_OK, false, &err), 0);
	assert_int_equal(store_next_trial(store, sweep, &trial, &err), 0);
	assert_int_equal(trial.position, 2);

	collected.count = 0;
	assert_int_equal(
		store_each_value(store, sweep, "metric_03", collect_value, &collected, &err), 0);
	assert_int_equal(collected.count, 2); /* one row a position, the last attempt */
	assert_true(collected.value[0].present);
	assert_true(collected.value[0].value == 4.0);
	assert_false(collected.value[1].present);
	assert_int_equal(collected.value[1].status, TRIAL_PLANNED);
	assert_int_equal(progress_of(store, sweep).done, 1);
	assert_int_equal(progress_of(store, sweep).count[TRIAL_VOID], 1);
	store_close(store);
}

static void raw_data_is_kept_compressed_and_whole(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 1), session;
	struct store_trial trial;
	char text[5000];
	struct store_blob blob = {"result", text, sizeof(text)};
	struct store_outcome outcome = {
		.status = TRIAL_VOID, .reason = "x", .blobs = &blob, .blob_count = 1};
	struct error err = {0};
	sqlite3_stmt *stmt;
	void *data;
	size_t bytes;

	memset(text, 'a', sizeof(text));
	assert_int_equal(store_begin_session(store, sweep, NULL, &session, NULL, &err), 0);
	assert_int_equal(store_next_trial(store, sweep, &trial, &err), 0);
	assert_int_equal(store_finish_trial(store, &trial, &outcome, false, &err), 0);
	assert_int_equal(store_read_blob(store, trial.id, "result", &data, &bytes, &err), 0);
	assert_int_equal(bytes, sizeof(text));
	assert_memory_equal(data, text, sizeof(text));
	free(data);
	assert_int_equal(store_read_blob(store, trial.id, "other", &data, &bytes, &err), -ENOENT);
	assert_int_equal(store_query(store, &stmt, &err, "SELECT length(zlib) FROM raw", ""), 0);
	assert_int_equal(store_step(store, stmt, &err), 1);
	assert_true(sqlite3_column_int(stmt, 0) < 200);
	sqlite3_finalize(stmt);
	store_close(store);
}

static void absent_metrics_are_not_stored(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 1), session;
	struct store_metric metrics[] = {{"goodput_mbps", 938.0}, {"rr_p50_us", NAN}};
	struct store_outcome outcome = {.status = TRIAL_OK, .metrics = metrics, .metric_count = 2};
	struct collected collected = {0};
	struct store_trial trial;
	struct error err = {0};

	assert_int_equal(store_begin_session(store, sweep, NULL, &session, NULL, &err), 0);
	assert_int_equal(store_next_trial(store, sweep, &trial, &err), 0);
	assert_int_equal(store_finish_trial(store, &trial, &outcome, false, &err), 0);
	assert_int_equal(
		store_each_value(store, sweep, "rr_p50_us", collect_value, &collected, &err), 0);
	assert_int_equal(collected.value[0].status, TRIAL_OK);
	assert_false(collected.value[0].present);
	store_close(store);
}

static void count_whole_trials(struct store *store, int64_t *ret_ok, int64_t *ret_whole)
{
	struct error err = {0};
	sqlite3_stmt *stmt;

	assert_int_equal(
		store_query(store, &stmt, &err,
			"SELECT count(*), total(n = 40 AND EXISTS(SELECT 1 FROM raw WHERE trial = "
			"id))"
			" FROM (SELECT id, (SELECT count(*) FROM metric WHERE trial = id) AS n"
			"  FROM trial WHERE status = 'ok')",
			""),
		0);
	assert_int_equal(store_step(store, stmt, &err), 1);
	*ret_ok = sqlite3_column_int64(stmt, 0);
	*ret_whole = sqlite3_column_int64(stmt, 1);
	sqlite3_finalize(stmt);
}

/* Starts a writer, kills it after @delay_us; returns the last position it had reported as done. */
static unsigned run_and_kill(int64_t sweep, unsigned delay_us)
{
	unsigned position = 0, last = 0;
	int pipe_fds[2], status;
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (child == 0) {
		struct error err = {0};

		(void)run_all(open_store(STORE_WRITE), sweep, pipe_fds[1], &err);
		_exit(0);
	}
	(void)close(pipe_fds[1]);
	(void)usleep(delay_us);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	while (read(pipe_fds[0], &position, sizeof(position)) == sizeof(position))
		last = position;
	(void)close(pipe_fds[0]);
	return last;
}

static void writer_killed_at_20_instants_loses_at_most_the_trial_in_flight(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, LONG_PLAN), ok, whole, session;
	struct random_source source;
	struct error err = {0};
	unsigned reported = 0;

	store_close(store);
	random_init(&source, (uint64_t)getpid());
	for (unsigned round = 0; round < 20; round++) {
		unsigned last = run_and_kill(sweep, 2000 + random_below(&source, 40000));
		struct store_progress progress;
		unsigned lost;

		reported = MAX(reported, last);
		store = open_store(STORE_WRITE);
		progress = progress_of(store, sweep);
		assert_true(progress.count[TRIAL_OK] >= reported);
		assert_true(progress.count[TRIAL_RUNNING] <= 1);
		count_whole_trials(store, &ok, &whole);
		assert_int_equal(ok, progress.count[TRIAL_OK]);
		assert_int_equal(ok, whole);
		assert_int_equal(store_begin_session(store, sweep, NULL, &session, &lost, &err), 0);
		assert_int_equal(lost, progress.count[TRIAL_RUNNING]);
		assert_int_equal(progress_of(store, sweep).count[TRIAL_RUNNING], 0);
		assert_int_equal(
			store_end_session(store, session, &(struct session_times){0}, &err), 0);
		store_close(store);
	}
	assert_true(reported > 0);
	/* the rest completes the same plan, in order, no position twice */
	store = open_store(STORE_WRITE);
	assert_int_equal(run_all(store, sweep, -1, &err), -ENOENT);
	assert_int_equal(progress_of(store, sweep).count[TRIAL_OK], LONG_PLAN);
	assert_int_equal(progress_of(store, sweep).positions, LONG_PLAN);
	store_close(store);
}

static void sweep_run_by_a_live_process_is_not_begun_twice(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 2), session;
	int ready[2], status;
	struct error err = {0};
	pid_t child;
	char byte;

	store_close(store);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		store = open_store(STORE_WRITE);
		if (store_begin_session(store, sweep, NULL, &session, NULL, &err) == 0)
			(void)!write(ready[1], "x", 1);
		(void)pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	store = open_store(STORE_WRITE);
	assert_int_equal(store_begin_session(store, sweep, NULL, &session, NULL, &err), -EBUSY);
	assert_non_null(strstr(err.text, "is running this sweep"));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(store_begin_session(store, sweep, NULL, &session, NULL, &err), 0);
	store_close(store);
	(void)close(ready[0]);
	(void)close(ready[1]);
}

static void reading_leaves_nothing_beside_the_file(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 3);
	char beside[160];

	store_close(store);
	store = open_store(STORE_READ);
	assert_int_equal(progress_of(store, sweep).positions, 3);
	(void)snprintf(beside, sizeof(beside), "%s-shm", path);
	assert_int_equal(access(beside, F_OK), -1);
	store_close(store);
	assert_int_equal(access(beside, F_OK), -1);
}

static void running_sweep_can_be_read_meanwhile(void **state)
{
	struct store *writer = open_store(STORE_CREATE), *reader;
	int64_t sweep = add_plan(writer, 3), session;
	struct store_trial trial;
	struct error err = {0};

	assert_int_equal(store_begin_session(writer, sweep, NULL, &session, NULL, &err), 0);
	assert_int_equal(store_next_trial(writer, sweep, &trial, &err), 0);
	assert_int_equal(finish(writer, &trial, TRIAL_OK, false, &err), 0);
	reader = open_store(STORE_READ);
	assert_int_equal(progress_of(reader, sweep).count[TRIAL_OK], 1);
	store_close(reader);
	store_close(writer);
}

static int take_look(void *context, const struct store_look *look)
{
	*(struct store_look *)context = *look;
	return 0;
}

static void looks_environment_and_times_are_kept(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 1), session;
	struct store_look look = {.metric = "goodput_mbps",
				  .cell = 1,
				  .config_a = 1,
				  .config_b = 2,
				  .pairs = 3,
				  .ratio = 1.2,
				  .low = NAN,
				  .high = NAN,
				  .p_value = 1,
				  .verdict = "not proven"},
			  seen = {0};
	struct session_times times = {100, 80, 10}, total = {0};
	json_t *environment = json_pack("{s:s}", "kernel", "6.1"), *read;
	struct error err = {0};

	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			store_begin_session(store, sweep, environment, &session, NULL, &err), 0);
		assert_int_equal(store_end_session(store, session, &times, &err), 0);
		assert_int_equal(store_put_look(store, sweep, &look, &err), 0);
	}
	assert_int_equal(store_read_environment(store, sweep, &read, &err), 0);
	assert_true(json_equal(read, environment));
	json_decref(read);
	json_decref(environment);
	assert_int_equal(store_read_times(store, sweep, &total, &err), 0);
	assert_int_equal(total.wall_ns, 200);
	assert_int_equal(total.settling_ns, 20);
	assert_int_equal(store_each_look(store, sweep, take_look, &seen, &err), 0);
	assert_int_equal(seen.pairs, 3);
	assert_true(isnan(seen.low));
	assert_string_equal(seen.verdict, "not proven");
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_unit_test(plan_is_read_back_as_written),
		store_unit_test(void_trial_keeps_its_reason_gives_no_number_and_is_run_again_next),
		store_unit_test(raw_data_is_kept_compressed_and_whole),
		store_unit_test(absent_metrics_are_not_stored),
		store_unit_test(writer_killed_at_20_instants_loses_at_most_the_trial_in_flight),
		store_unit_test(sweep_run_by_a_live_process_is_not_begun_twice),
		store_unit_test(reading_leaves_nothing_beside_the_file),
		store_unit_test(running_sweep_can_be_read_meanwhile),
		store_unit_test(looks_environment_and_times_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
