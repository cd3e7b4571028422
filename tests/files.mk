unit_sources := $(sort $(wildcard tests/unit/*_test.c))
perf_sources := $(sort $(wildcard tests/perf/*.c))
fuzz_sources := $(sort $(wildcard tests/fuzz/*_fuzz.c))
# Unit tests in which the device thread runs beside the driver.
tsan_tests := $(filter sim_thread% sim_bus% bridge% daemon%,$(patsubst tests/unit/%.c,%,$(unit_sources)))
