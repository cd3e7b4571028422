/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads files of text whole, with a limit. */
#include "tuner/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX (4u << 20)

int text_file_read(const char *name, char **ret_text, struct error *err)
{
	bool standard = !strcmp(name, "-");
	FILE *file = standard ? stdin : fopen(name, "re");
	char *text = malloc(FILE_MAX + 1);
	size_t size = 0;
	int r = 0;

	if (!file || !text)
		r = error_sys(err, text ? -errno : -ENOMEM, "cannot read %.100s", name);
	if (r == 0)
		size = fread(text, 1, FILE_MAX + 1, file);
	if (r == 0 && ferror(file))
		r = error_sys(err, -EIO, "cannot read %.100s", name);
	if (r == 0 && size > FILE_MAX)
		r = error_set(err, -EFBIG, "%.100s is larger than %u MiB; cut out the lines that matter",
			name, FILE_MAX >> 20);
	if (r == 0 && memchr(text, '\0', size))
		r = error_usage(err, "%.100s is no text: it has zero bytes", name);
	if (file && !standard)
		(void)fclose(file);
	if (r < 0) {
		free(text);
		return r;
	}
	text[size] = '\0';
	*ret_text = text;
	return 0;
}

bool text_file_is_store(const char *name)
{
	static const char begin[] = "SQLite format 3";
	char head[sizeof(begin)] = "";
	FILE *file = fopen(name, "re");
	bool is_store;

	if (!file)
		return false;
	is_store = fread(head, 1, sizeof(begin), file) == sizeof(begin) &&
		   !memcmp(head, begin, sizeof(begin));
	(void)fclose(file);
	return is_store;
}
