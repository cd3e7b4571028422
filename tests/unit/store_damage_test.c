/* SPDX-License-Identifier: BSD-2-Clause */
/* The results store: what is no store, a damaged one, a full one, a full disk. */
#include "tests/unit/store_rig.h"

static void expect_refusal(enum store_mode mode, int code, const char *words)
{
	struct store *store = NULL;
	struct error err = {0};

	assert_int_equal(store_open(path, mode, &store, &err), code);
	assert_null(store);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, words) || !strstr(err.text, path) || strchr(err.text, '\n'))
		fail_msg("sentence lacks \"%s\" or the path: %s", words, err.text);
}

static void put_file(const void *data, size_t bytes, off_t offset)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, bytes, offset), bytes);
	(void)close(fd);
}

static void what_is_not_a_store_is_refused_in_one_sentence(void **state)
{
	static const char text[] = "ITR 1500 was better, I think\n";
	sqlite3 *db;

	expect_refusal(STORE_READ, -ENOENT, "there is no store");
	expect_refusal(STORE_WRITE, -ENOENT, "there is no store");
	put_file(text, sizeof(text), 0);
	expect_refusal(STORE_READ, -EMEDIUMTYPE, "not a store");
	expect_refusal(STORE_CREATE, -EMEDIUMTYPE, "not a store");
	(void)unlink(path);
	put_file(text, 0, 0);
	expect_refusal(STORE_READ, -EMEDIUMTYPE, "not a store");
	(void)unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE a(b)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	expect_refusal(STORE_CREATE, -EMEDIUMTYPE, "not a store");
	(void)unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	expect_refusal(STORE_READ, -EMEDIUMTYPE, "is not a file");
}

static void store_of_another_version_is_refused_and_left_alone(void **state)
{
	struct store *store = open_store(STORE_CREATE);

	assert_int_equal(
		sqlite3_exec(store->db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
	store_close(store);
	expect_refusal(STORE_READ, -EPROTONOSUPPORT, "version 99");
	expect_refusal(STORE_CREATE, -EPROTONOSUPPORT, "version 99");
}

static void damaged_store_is_refused(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 200);
	struct error err = {0};
	char garbage[8192];
	struct stat st;

	assert_int_equal(run_all(store, sweep, -1, &err), -ENOENT);
	store_close(store);
	memset(garbage, 0xa5, sizeof(garbage));
	assert_int_equal(stat(path, &st), 0);
	put_file(garbage, sizeof(garbage), st.st_size / 2 / 4096 * 4096);
	expect_refusal(STORE_READ, -EUCLEAN, "damaged");
	expect_refusal(STORE_WRITE, -EUCLEAN, "damaged");
}

/* Fill until it fails, then everything reported as done must still be there, and go on. */
static void check_full_disk(struct store *store, int64_t sweep, void (*make_room)(struct store *))
{
	struct error err = {0};
	struct store_progress progress;
	int r = run_all(store, sweep, -1, &err);

	if (r != -ENOSPC || !strstr(err.text, "disk is full") || !strstr(err.text, "--resume"))
		fail_msg("%d: %s", r, err.text);
	progress = progress_of(store, sweep);
	assert_true(progress.count[TRIAL_OK] > 5);
	assert_true(progress.count[TRIAL_RUNNING] <= 1);
	make_room(store);
	err = (struct error){0};
	assert_int_equal(run_all(store, sweep, -1, &err), -ENOENT);
	assert_int_equal(progress_of(store, sweep).count[TRIAL_OK], progress.positions);
}

static void lift_page_limit(struct store *store)
{
	assert_int_equal(
		sqlite3_exec(store->db, "PRAGMA max_page_count = 1073741823", NULL, NULL, NULL),
		SQLITE_OK);
}

static void full_store_says_so_and_loses_nothing(void **state)
{
	struct store *store = open_store(STORE_CREATE);
	int64_t sweep = add_plan(store, 200);

	assert_int_equal(
		sqlite3_exec(store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL), SQLITE_OK);
	check_full_disk(store, sweep, lift_page_limit);
	store_close(store);
}

static void enlarge_disk(struct store *store)
{
	assert_int_equal(mount("none", folder, "tmpfs", MS_REMOUNT, "size=64m"), 0);
}

static void full_disk_says_so_and_loses_nothing(void **state)
{
	/* a child, so that the namespaces end with it */
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct store *store;

		if ((geteuid() != 0 && unshare(CLONE_NEWUSER) < 0) || unshare(CLONE_NEWNS) < 0 ||
			mount("none", folder, "tmpfs", 0, "size=512k") < 0)
			_exit(77);
		(void)setenv("TMPDIR", folder, 1);
		store = open_store(STORE_CREATE);
		check_full_disk(store, add_plan(store, 300), enlarge_disk);
		store_close(store);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("no right to mount a small tmpfs here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_unit_test(what_is_not_a_store_is_refused_in_one_sentence),
		store_unit_test(store_of_another_version_is_refused_and_left_alone),
		store_unit_test(damaged_store_is_refused),
		store_unit_test(full_store_says_so_and_loses_nothing),
		store_unit_test(full_disk_says_so_and_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
