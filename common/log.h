/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines on stderr, with the "<N>" level prefix that journald reads when stderr is not a terminal. */
#ifndef MODERATO_COMMON_LOG_H
#define MODERATO_COMMON_LOG_H

enum log_level { LOG_LEVEL_ERROR = 3, LOG_LEVEL_WARNING = 4, LOG_LEVEL_INFO = 6, LOG_LEVEL_DEBUG = 7 };

/** log_set_level() - lines above this level are dropped; the default is LOG_LEVEL_WARNING. */
void log_set_level(enum log_level level);

/** log_line() - one line, printf style, no newline in @fmt. Safe from any thread. */
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)	 log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
