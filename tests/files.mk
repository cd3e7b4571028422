# SPDX-License-Identifier: BSD-2-Clause
unit_sources := $(sort $(wildcard tests/unit/*_test.c))
# A program is NAME_bench.c; the other files are what they share.
perf_sources := $(sort $(wildcard tests/perf/*_bench.c))
perf_shared_sources := $(sort $(filter-out $(perf_sources),$(wildcard tests/perf/*.c)))
fuzz_sources := $(sort $(wildcard tests/fuzz/*_fuzz.c))
# Unit tests in which the device thread runs beside the driver.
tsan_tests := $(filter sim_thread% sim_bus% bridge% daemon%,$(patsubst tests/unit/%.c,%,$(unit_sources)))
