/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: any bytes as a file of settings, a log or a sweep file; the first byte names the format. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/explain/report.h"
#include "tuner/lint/lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool held)
{
	if (!held)
		abort();
}

/* Every row says something, and the whole is JSON that can be written. */
static void check_report(json_t *report)
{
	json_t *row;
	char *text;
	size_t i;

	json_array_foreach (json_object_get(report, "rows"), i, row) {
		must(json_is_integer(json_object_get(row, "line")));
		must(json_string_length(json_object_get(row, "verdict")) > 0);
		must(json_is_string(json_object_get(row, "key")));
		must(json_string_length(json_object_get(row, "effect")) > 0);
	}
	text = json_dumps(report, 0);
	must(text != NULL);
	free(text);
	json_decref(report);
}

static void explain(unsigned format, const char *text)
{
	static const char *const formats[] = {"ethtool", "modprobe", "loader.conf", "sysctl.conf",
		"tunables", "log", "rates"};
	static const char *const drivers[] = {NULL, "igb", "tg3", "forcedeth"};
	const struct explain_input input = {.name = "-",
		.text = text,
		.driver = drivers[format / 16 % 4],
		.card = card_find("I219")};
	struct error err = {0};
	json_t *report = NULL;
	int r = explain_read(&input, formats[format % 7], &report, &err);

	must(r == 0 || (r < 0 && err.text[0]));
	if (r == 0)
		check_report(report);
}

static void lint(const char *text)
{
	struct error err = {0};
	struct lint lint;
	json_t *json;
	int r = lint_file(&lint, card_find("82574L"), 1000, text, &err);

	must(r == 0 || (r < 0 && err.text[0]));
	if (r < 0)
		return;
	lint_finish(&lint);
	json = lint_json(&lint);
	must(json != NULL);
	json_decref(json);
	lint_fini(&lint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	/* as text_file_read() hands it over: no zero bytes */
	if (size < 2 || memchr(data + 1, 0, size - 1))
		return 0;
	text = malloc(size);
	must(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] % 8 == 7)
		lint(text);
	else
		explain(data[0], text);
	free(text);
	return 0;
}
