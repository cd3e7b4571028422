#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Round trip of set and read back over the control socket, idle and with the wire saturated.
exec "$BUILD/perf/trial_bench" "$BUILD/moderatod" socket
