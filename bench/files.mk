# SPDX-License-Identifier: BSD-2-Clause
bench_sources := bench/bench.c bench/bench_env.c bench/child.c bench/cpu_id.c bench/env.c \
	bench/hist.c bench/iperf_json.c bench/iperf_run.c bench/meter.c bench/metric.c bench/rr.c \
	bench/tcp_meter.c bench/trial_judge.c bench/trial_result.c bench/trial_run.c bench/workload.c
