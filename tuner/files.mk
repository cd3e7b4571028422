tuner_sources := tuner/pairs.c tuner/random.c
tuner_sources += tuner/client.c tuner/columns.c tuner/command.c tuner/options.c
tuner_sources += tuner/cmd_list.c
tuner_sources += tuner/store.c tuner/store_look.c tuner/store_plan.c tuner/store_read.c \
	tuner/store_schema.c tuner/store_session.c tuner/store_statement.c tuner/store_trial.c
tuner_sources += tuner/plan.c tuner/plan_order.c
