/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines on stderr. */
#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level log_threshold = LOG_LEVEL_WARNING;

void log_set_level(enum log_level level)
{
	log_threshold = level;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (level > log_threshold)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s\n", line);
	else
		fprintf(stderr, "<%d>%s\n", (int)level, line);
}
