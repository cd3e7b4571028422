/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the .def files once into the arrays that describe.h names. */
#include "docs/describe.h"

#include "common/util.h"

#define METHOD(name, meaning) {name, meaning},
#define PARAM(method, name, type, required, meaning)
#define FIELD(method, name, type, meaning)
const struct describe_method describe_methods[] = {
#include "common/control.def"
};
const size_t describe_method_count = ARRAY_SIZE(describe_methods);

#define METHOD(name, meaning)
#define PARAM(method, name, type, required, meaning) {method, name, type, required, meaning},
#define FIELD(method, name, type, meaning)
const struct describe_member describe_params[] = {
#include "common/control.def"
};
const size_t describe_param_count = ARRAY_SIZE(describe_params);

#define METHOD(name, meaning)
#define PARAM(method, name, type, required, meaning)
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
