#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CPU time of the chip's model per frame, in virtual time.
exec "$BUILD/perf/model_bench"
