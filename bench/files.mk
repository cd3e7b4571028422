bench_sources :=
