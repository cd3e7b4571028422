#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Time per packet of the ring and descriptor path against a null device, for both descriptor formats.
"$BUILD/perf/ring_bench" 82574L && "$BUILD/perf/ring_bench" 82545EM
