/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings as JSON, typed members, and files that are whole or absent. */
#include "common/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/util.h"

static char dir[64], path[128];

static int make_dir(void **state)
{
	strcpy(dir, "/tmp/moderato-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/x.json", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)unlink(path);
	return rmdir(dir); /* fails when a temporary file was left */
}

static void settings_go_there_and_back(void **state)
{
	struct settings settings = {0}, back;
	struct error err = {0};
	json_t *object;
	char *text;

	settings_put(&settings, KNOB_ITR, 1500);
	settings_put(&settings, KNOB_INTMODE, INTMODE_MSIX);
	settings_put(&settings, KNOB_TX_RING, 512);
	object = json_settings(&settings);
	text = json_dumps(object, JSON_COMPACT);
	assert_string_equal(text, "{\"ITR\":1500,\"intmode\":\"msix\",\"tx-ring\":512}");
	free(text);
	assert_int_equal(json_to_settings(object, &back, &err), 0);
	assert_true(settings_equal(&settings, &back));
	json_decref(object);
}

static void wrong_settings_are_refused_whole(void **state)
{
	static const struct {
		const char *text, *words;
	} table[] = {
		{"[]", "an array"},
		{"{\"ITX\":1}", "unknown knob \"ITX\": did you mean ITR?"},
		{"{\"frobnicate\":1}", "unknown knob \"frobnicate\""},
		{"{\"RDTR\":1,\"ITR\":65536}", "ITR: 65536 is outside 0..65535"},
		{"{\"ITR\":-1}", "outside"},
		{"{\"ITR\":1.0}", "not a real number"},
		{"{\"ITR\":\"1\"}", "not a string"},
		{"{\"intmode\":\"irq\"}", "\"irq\" is not intx, msi or msix"},
		{"{\"intmode\":3}", "outside"},
		{"{\"intmode\":true}", "or a mode name, not a boolean"},
		{"{\"itr\":1,\"ITR\":2}", "twice"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct settings settings = {.present = 0x5a};
		json_t *object = json_loads(table[i].text, 0, NULL);
		struct error err = {0};

		assert_int_equal(json_to_settings(object, &settings, &err), -EINVAL);
		assert_true(err.usage);
		if (!strstr(err.text, table[i].words))
			print_error("%s: %s\n", table[i].text, err.text);
		assert_non_null(strstr(err.text, table[i].words));
		assert_int_equal(settings.present, 0x5a);
		json_decref(object);
	}
}

static void members_are_typed(void **state)
{
	json_t *object =
		json_loads("{\"i\":3,\"r\":2.5,\"b\":true,\"s\":\"x\",\"n\":null}", 0, NULL);
	struct error err = {0};
	const char *s = "old";
	int64_t i = 9;
	double r = 9;
	bool b = false;

	assert_int_equal(json_member_int(object, "i", true, &i, &err), 0);
	assert_int_equal(i, 3);
	assert_int_equal(json_member_number(object, "r", true, &r, &err), 0);
	assert_true(r == 2.5);
	assert_int_equal(json_member_number(object, "i", true, &r, &err), 0);
	assert_true(r == 3);
	assert_int_equal(json_member_bool(object, "b", true, &b, &err), 0);
	assert_true(b);
	assert_int_equal(json_member_string(object, "s", true, &s, &err), 0);
	assert_string_equal(s, "x");

	assert_int_equal(json_member_int(object, "none", false, &i, &err), 0);
	assert_int_equal(i, 3);
	assert_int_equal(json_member_int(object, "none", true, &i, &err), -EINVAL);
	assert_string_equal(err.text, "member \"none\" is missing");
	assert_int_equal(json_member_int(object, "r", false, &i, &err), -EINVAL);
	assert_string_equal(err.text, "member \"r\" must be an integer, not a real number");
	assert_int_equal(json_member_bool(object, "i", false, &b, &err), -EINVAL);
	assert_int_equal(json_member_string(object, "n", false, &s, &err), -EINVAL);
	assert_string_equal(s, "x");
	assert_int_equal(json_member_number(object, "s", false, &r, &err), -EINVAL);
	json_decref(object);
}

static void a_file_keeps_order_and_is_readable_text(void **state)
{
	json_t *value = json_loads("{\"z\":1,\"a\":[1,2]}", 0, NULL), *back;
	struct error err = {0};
	char text[128] = "";
	struct stat st;
	FILE *file;

	(void)umask(022);
	assert_int_equal(json_write_file(value, path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	file = fopen(path, "r");
	(void)fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	assert_string_equal(text, "{\n  \"z\": 1,\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
	assert_int_equal(json_read_file(path, &back, &err), 0);
	assert_true(json_equal(value, back));
	json_decref(back);
	json_decref(value);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
	json_t *small = json_pack("{s:i}", "x", 1), *big = json_object(), *back;
	struct rlimit old, limit;
	struct error err = {0};
	char *filler = calloc(1, 20001);

	assert_int_equal(json_write_file(small, path, &err), 0);
	memset(filler, 'x', 20000);
	json_object_set_new(big, "x", json_string(filler));
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){.rlim_cur = 4096, .rlim_max = old.rlim_max};
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(json_write_file(big, path, &err), -EFBIG);
	(void)setrlimit(RLIMIT_FSIZE, &old);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(json_read_file(path, &back, &err), 0);
	assert_true(json_equal(small, back));
	json_decref(back);
	json_decref(small);
	json_decref(big);
	free(filler);
	assert_true(json_write_file(NULL, path, &err) < 0);
	assert_true(json_write_file(json_null(), "/nonexistent/x", &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/x"));
}

static void a_broken_file_is_said_with_line_and_column(void **state)
{
	struct error err = {0};
	json_t *value = NULL;
	FILE *file = fopen(path, "w");

	fputs("{\n  \"a\": 1,\n  \"a\": 2\n}\n", file);
	(void)fclose(file);
	assert_int_equal(json_read_file(path, &value, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "line 3"));
	assert_non_null(strstr(err.text, "column"));
	assert_int_equal(json_read_file("/nonexistent/x", &value, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/x"));
	assert_null(value);
}

#define json_test(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		json_test(settings_go_there_and_back),
		json_test(wrong_settings_are_refused_whole),
		json_test(members_are_typed),
		json_test(a_file_keeps_order_and_is_readable_text),
		json_test(a_failed_write_leaves_the_old_file),
		json_test(a_broken_file_is_said_with_line_and_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
