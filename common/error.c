/* SPDX-License-Identifier: BSD-2-Clause */
/* Recording and printing of one error sentence. */
#include "common/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 4, 0)))
error_fill(struct error *err, int code, bool usage, const char *fmt, va_list ap)
{
	if (!err)
		return;
	err->code = code;
	err->usage = usage;
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_fill(err, code, false, fmt, ap);
	va_end(ap);
	return code;
}

int error_usage(struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_fill(err, -EINVAL, true, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int error_sys(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;
	size_t used;

	va_start(ap, fmt);
	error_fill(err, code, false, fmt, ap);
	va_end(ap);
	if (err) {
		used = strlen(err->text);
		(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(-code));
	}
	return code;
}

int error_context(struct error *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	size_t used;

	if (!err)
		return 0;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
	return err->code;
}

int error_report(const struct error *err, const char *program)
{
	fprintf(stderr, "%s: %s\n", program, err->text[0] ? err->text : "unknown error");
	return err->usage ? 2 : 1;
}
