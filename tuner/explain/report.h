/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file of settings comes to: a JSON object {format, driver, rows, notes}. Readers add rows;
 * nothing that they do not understand ends them, it becomes a row with a reason.
 */
#ifndef MODERATO_TUNER_EXPLAIN_REPORT_H
#define MODERATO_TUNER_EXPLAIN_REPORT_H

#include <jansson.h>

#include "common/chips/card.h"
#include "common/error.h"
#include "profiles/driver_param.h"

/* A file of settings, and what was said about it. */
struct explain_input {
	const char *name; /* of the file, "-" for standard input */
	const char *text; /* ends with a zero byte */
	const char *driver; /* NULL: not named */
	const struct card *card; /* NULL: not named */
	json_t *current;	 /* "key" -> value text in force, or NULL */
};

/* One place of a file. */
struct report_at {
	unsigned line;
	const char *scope; /* interface, port, module ...; "" without */
};

/** report_new() - an empty report; new reference. */
json_t *report_new(const char *format, const char *driver);
/** report_add() - one setting and what it comes to. */
void report_add(json_t *report, struct report_at at, const char *key, const char *value,
	const struct param_effect *effect);
/** report_verdict() - as report_add() with a verdict and a sentence of the reader's own. */
void report_verdict(json_t *report, struct report_at at, const char *key, const char *value,
	enum param_verdict verdict, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/** report_note() - a sentence about the whole. */
void report_note(json_t *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** report_print() - for a person. */
void report_print(const json_t *report);

/** report_integer() - all of @text is one decimal or hexadecimal number, sign allowed. */
bool report_integer(const char *text, int64_t *ret_value);

/**
 * Readers: one per format, text in, report out (new reference). They fail only when the text is of
 * another format altogether, with a usage error.
 */
int read_ethtool(const struct explain_input *input, json_t **ret_report, struct error *err);
int read_modprobe(const struct explain_input *input, json_t **ret_report, struct error *err);
int read_loader_conf(const struct explain_input *input, json_t **ret_report, struct error *err);
int read_sysctl_conf(const struct explain_input *input, json_t **ret_report, struct error *err);
int read_tunables(const struct explain_input *input, json_t **ret_report, struct error *err);
int read_log(const struct explain_input *input, json_t **ret_report, struct error *err);
int read_rates(const struct explain_input *input, json_t **ret_report, struct error *err);

/** explain_read() - by the format's name, or by what the text looks like (@format NULL). */
int explain_read(const struct explain_input *input, const char *format, json_t **ret_report,
	struct error *err);
/** ethtool_request() - "rx-usecs=3" words as `ethtool -C` of @input->driver would take them. */
int ethtool_request(
	const struct explain_input *input, char **words, json_t **ret_report, struct error *err);
/** ethtool_current() - an `ethtool -c` read-out as key -> value text; new reference. */
int ethtool_current(const struct explain_input *input, json_t **ret_values, struct error *err);

#endif
