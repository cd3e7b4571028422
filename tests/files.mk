unit_sources := $(sort $(wildcard tests/unit/*_test.c))
