tuner_sources :=
