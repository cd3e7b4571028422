#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Speed of the predictor: one long stream, and a ranking of many settings.
exec "$BUILD/perf/predict_bench"
