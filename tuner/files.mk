tuner_sources := tuner/pairs.c tuner/random.c
tuner_sources += tuner/client.c tuner/columns.c tuner/command.c tuner/options.c
tuner_sources += tuner/cmd_list.c
