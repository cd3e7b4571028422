#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Interrupt rates of the simulated chip against the programmed throttle, with and without SCHED_FIFO.
exec "$BUILD/perf/irq_bench" "$BUILD/moderatod"
