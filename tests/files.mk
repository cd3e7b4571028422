# SPDX-License-Identifier: BSD-2-Clause
unit_sources := $(sort $(wildcard tests/unit/*_test.c))
perf_sources := $(sort $(wildcard tests/perf/*_bench.c))
# Devices and helpers that unit tests and figures share.
test_lib_sources := $(sort $(wildcard tests/lib/*.c))
fuzz_sources := $(sort $(wildcard tests/fuzz/*_fuzz.c))
# Unit tests in which the device thread runs beside the driver.
tsan_tests := $(filter sim_thread% sim_bus% bridge% daemon%,$(patsubst tests/unit/%.c,%,$(unit_sources)))
# End-to-end tests that sanitizer builds run too: every data path, faults, leases, bad input.
sanitized_cli := bringup modes faults daemon badinput
