/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the .def files once into the arrays that describe.h names. */
#include "docs/describe.h"

#include <stdint.h>

#include "common/util.h"

/* control.def supplies empty definitions of the rows that an inclusion does not want. */

#define METHOD(name, meaning) {name, meaning},
const struct describe_method describe_methods[] = {
#include "common/control.def"
};
const size_t describe_method_count = ARRAY_SIZE(describe_methods);

#define NOTIFICATION(name, meaning) {name, meaning},
const struct describe_method describe_notifications[] = {
#include "common/control.def"
};
const size_t describe_notification_count = ARRAY_SIZE(describe_notifications);

#define EVENT(name, meaning) {name, meaning},
const struct describe_method describe_events[] = {
#include "common/control.def"
};
const size_t describe_event_count = ARRAY_SIZE(describe_events);

#define GUARD(method) method,
const char *const describe_guarded[] = {
#include "common/control.def"
};
const size_t describe_guarded_count = ARRAY_SIZE(describe_guarded);

#define PARAM(method, name, type, required, meaning) {method, name, type, required, meaning},
const struct describe_member describe_params[] = {
#include "common/control.def"
};
const size_t describe_param_count = ARRAY_SIZE(describe_params);

#define FIELD(method, name, type, meaning) {method, name, type, false, meaning},
const struct describe_member describe_fields[] = {
#include "common/control.def"
};
const size_t describe_field_count = ARRAY_SIZE(describe_fields);

#define COUNTER(name, unit, meaning) {#name, unit, meaning},
const struct describe_counter describe_counters[] = {
#include "driver/counters.def"
};
#undef COUNTER
const size_t describe_counter_count = ARRAY_SIZE(describe_counters);

#define SIM_COUNTER(name, meaning) {#name, "", meaning},
const struct describe_counter describe_sim_counters[] = {
#include "driver/sim/sim_counters.def"
};
#undef SIM_COUNTER
const size_t describe_sim_counter_count = ARRAY_SIZE(describe_sim_counters);

#define METRIC(id, name, unit, better, meaning, source) {name, unit, #better, meaning, source},
const struct describe_metric describe_metrics[] = {
#include "bench/metrics.def"
};
const size_t describe_metric_count = ARRAY_SIZE(describe_metrics);

#define NOTE(id, name, meaning) {name, meaning},
const struct describe_method describe_notes[] = {
#include "bench/notes.def"
};
const size_t describe_note_count = ARRAY_SIZE(describe_notes);

#define COMMAND(id, name, group, arguments, help) {name, arguments, help},
const struct describe_command describe_commands[] = {
#include "tuner/commands.def"
};
const size_t describe_command_count = ARRAY_SIZE(describe_commands);
