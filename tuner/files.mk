# SPDX-License-Identifier: BSD-2-Clause
tuner_sources := tuner/pairs.c tuner/random.c
tuner_sources += tuner/client.c tuner/columns.c tuner/command.c tuner/options.c tuner/state_dir.c
tuner_sources += tuner/info_view.c tuner/pktgen_report.c tuner/rates.c tuner/settings_view.c tuner/spawn.c \
	tuner/watch_screen.c
tuner_sources += tuner/cmd_capture.c tuner/cmd_down.c tuner/cmd_fault.c tuner/cmd_get.c tuner/cmd_info.c \
	tuner/cmd_list.c tuner/cmd_ns.c tuner/cmd_pktgen.c tuner/cmd_regs.c tuner/cmd_restart.c \
	tuner/cmd_set.c tuner/cmd_stats.c tuner/cmd_up.c tuner/cmd_watch.c
tuner_sources += tuner/store.c tuner/store_look.c tuner/store_plan.c tuner/store_read.c \
	tuner/store_schema.c tuner/store_session.c tuner/store_statement.c tuner/store_trial.c
tuner_sources += tuner/plan.c tuner/plan_order.c
tuner_sources += tuner/cmd_demo.c tuner/demo.c tuner/demo_daemon.c tuner/demo_report.c
tuner_sources += tuner/cmd_plot.c tuner/sweep_tables.c tuner/cmd_preset.c tuner/cmd_profile.c \
	tuner/plot_build.c tuner/profile_build.c tuner/profile_place.c
tuner_sources += tuner/plan_store.c tuner/sweep.c tuner/sweep_trial.c tuner/sweep_device.c \
	tuner/progress.c tuner/spacing.c tuner/compare.c tuner/compare_pairs.c tuner/compare_run.c
tuner_sources += tuner/cmd_sweep.c tuner/cmd_compare.c tuner/compare_view.c tuner/interrupt.c tuner/sweep_view.c
tuner_sources += tuner/cmd_table.c tuner/modes.c tuner/table_judge.c tuner/table_load.c tuner/table_source.c
tuner_sources += tuner/cmd_devices.c tuner/host.c tuner/nic_records.c tuner/nic_scan.c tuner/nic_uses.c \
	tuner/nic_view.c
tuner_sources += tuner/cmd_bind.c tuner/nic_bind.c tuner/nic_bind_plan.c tuner/nic_move.c
tuner_sources += tuner/card_json.c tuner/card_view.c tuner/cmd_chips.c
tuner_sources += tuner/explain/cmd_explain.c tuner/explain/explain_chip.c tuner/explain/explain_chip_view.c \
	tuner/explain/candidates.c tuner/explain/full_load.c tuner/explain/explain_other.c
tuner_sources += tuner/explain/report.c tuner/explain/read_ethtool.c tuner/explain/read_modprobe.c \
	tuner/explain/read_tunables.c tuner/explain/read_log.c tuner/explain/read_rates.c
tuner_sources += tuner/lint/cmd_lint.c tuner/lint/lint.c tuner/lint/lint_file.c tuner/text_file.c
# Interrupt rates at full load come from the simulated chip's own moderation core.
tuner_sources += driver/sim/sim_moderation.c driver/sim/sim_moderation_regs.c
tuner_sources += tuner/predict/engine.c tuner/predict/host.c tuner/predict/imtimer.c tuner/predict/nic.c \
	tuner/predict/program.c tuner/predict/tcp.c tuner/predict/forecast.c tuner/predict/recipe.c \
	tuner/predict/calibrate.c tuner/predict/cmd_predict.c tuner/predict/cmd_calibrate.c tuner/predict/cmd_recipe.c
# The predictor runs on the simulated chip's own moderation core.
tuner_sources += driver/sim/sim_moderation.c driver/sim/sim_moderation_regs.c
