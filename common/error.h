/* SPDX-License-Identifier: BSD-2-Clause */
/* One error: a negative error number and the one sentence that a person reads. */
#ifndef MODERATO_COMMON_ERROR_H
#define MODERATO_COMMON_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/*
 * Filled by the function that knows why something failed: what failed, on what, why, and what to
 * do about it. Fixed size, so that reporting never allocates. Zero-initialise before use.
 */
struct error {
	int code;	/* negative errno, 0 = no error */
	bool usage;	/* the caller's words were wrong: exit code 2 instead of 1 */
	char text[512]; /* one sentence, no trailing newline */
};

/**
 * error_set() - record a failure
 * @err:  where to record it; NULL is accepted and records nothing
 * @code: negative errno
 * Return: @code, so that a caller can write "return error_set(...)".
 */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** error_usage() - as error_set() with -EINVAL, for wrong input by the user (exit code 2). */
int error_usage(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** error_sys() - as error_set(), and appends ": " and the text of errno number -@code. */
int error_sys(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** error_context() - put "context: " in front of a recorded sentence. Returns err->code. */
int error_context(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * error_report() - print "program: sentence" on stderr; only main functions call it
 * Return: the exit code, 2 for a usage error, else 1.
 */
int error_report(const struct error *err, const char *program);

#endif
