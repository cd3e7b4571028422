bench_sources := bench/hist.c bench/metric.c bench/workload.c
