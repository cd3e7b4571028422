tuner_sources := tuner/pairs.c tuner/random.c
