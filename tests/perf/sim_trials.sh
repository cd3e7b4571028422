#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Goodput, window effect, round trips, CPU per Gbit and interrupts under UDP on the simulated 82574L.
exec "$BUILD/perf/trial_bench" "$BUILD/moderatod" goodput window roundtrip cpu udp
