/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the sources as arrays, for the two printers of documents. */
#ifndef MODERATO_DOCS_DESCRIBE_H
#define MODERATO_DOCS_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/control.h"

struct describe_method {
	const char *name, *meaning;
};
struct describe_member {
	const char *method, *name, *type;
	bool required; /* parameters only */
	const char *meaning;
};
struct describe_counter {
	const char *name, *unit, *meaning;
};

struct describe_command {
	const char *name, *arguments, *help;
};
struct describe_metric {
	const char *name, *unit, *better, *meaning, *source;
};

extern const struct describe_method describe_methods[];
extern const size_t describe_method_count;
extern const struct describe_method describe_notifications[];
extern const size_t describe_notification_count;
extern const struct describe_method describe_events[];
extern const size_t describe_event_count;
extern const char *const describe_guarded[]; /* methods that another's lease refuses */
extern const size_t describe_guarded_count;
extern const struct describe_member describe_params[];
extern const size_t describe_param_count;
extern const struct describe_member describe_fields[];
extern const size_t describe_field_count;
extern const struct describe_counter describe_counters[];
extern const size_t describe_counter_count;
extern const struct describe_counter describe_sim_counters[];
extern const size_t describe_sim_counter_count;
extern const struct describe_command describe_commands[];
extern const size_t describe_command_count;
extern const struct describe_metric describe_metrics[];
extern const size_t describe_metric_count;
extern const struct describe_method describe_notes[];
extern const size_t describe_note_count;

/** describe_chips() - the page of the cards. */
void describe_chips(void);

/**
 * describe_man() - print a man page's scdoc source with its tables filled in
 * A line "@commands@", "@methods@", "@knobs@" or "@counters@" is replaced; "@version@" anywhere in a
 * line too.
 * Return: exit code; a missing file is reported on stderr.
 */
int describe_man(const char *path);

#endif
