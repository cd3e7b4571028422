/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep shows: its plan before, its progress, its sum after. */
#include "tuner/sweep_view.h"

#include <inttypes.h>
#include <string.h>

#include "tuner/columns.h"

static void view_configs(const struct plan *plan, FILE *out)
{
	struct columns *columns = columns_new("ll");
	char settings[PLAN_NAME_MAX];

	columns_cell(columns, "SETTINGS");
	columns_cell(columns, "KNOBS (the others keep the values in force)");
	columns_end_heading(columns);
	for (size_t i = 0; i < plan->config_count; i++) {
		const struct plan_config *config = &plan->configs[i];

		columns_cell(
			columns, "%s%s", config->name, i == plan->baseline ? " (baseline)" : "");
		(void)settings_format(&config->asked, settings, sizeof(settings));
		columns_cell(columns, "%s%s%s", strcmp(settings, config->name) ? settings : "as named",
			*config->note ? "; " : "", config->note);
		columns_end_row(columns);
	}
	columns_print_free(columns, out);
}

static void view_merged(const struct plan *plan, FILE *out)
{
	if (!plan->merged_count)
		return;
	fprintf(out, "\nMeasured once, because the chip cannot tell them apart:\n");
	for (size_t i = 0; i < plan->merged_count; i++)
		fprintf(out, "  %s = %s\n", plan->merged[i].name,
			plan->configs[plan->merged[i].config].name);
}

static void view_warning(void *context, const struct plan_config *config, const char *warning)
{
	char prefix[PLAN_NAME_MAX + 16];

	(void)snprintf(prefix, sizeof(prefix), "warning: %s: ", config->name);
	print_wrapped(context, prefix, warning);
}

static void view_cells(const struct plan *plan, FILE *out)
{
	char text[WORKLOAD_TEXT_MAX];

	fprintf(out, "\nWorkloads:");
	for (size_t i = 0; i < plan->cell_count; i++)
		fprintf(out, " %s", workload_format(&plan->cells[i], text, sizeof(text)));
	fprintf(out, "\n");
}

static void view_order(const struct plan *plan, FILE *out)
{
	struct columns *columns = columns_new("rrll");
	char text[WORKLOAD_TEXT_MAX];

	columns_cell(columns, "TRIAL");
	columns_cell(columns, "BLOCK");
	columns_cell(columns, "WORKLOAD");
	columns_cell(columns, "SETTINGS");
	columns_end_heading(columns);
	for (size_t i = 0; i < plan->trial_count; i++) {
		const struct plan_trial *trial = &plan->trials[i];

		columns_cell(columns, "%zu", i + 1);
		columns_cell(columns, "%u", trial->block);
		columns_cell(columns, "%s",
			workload_format(&plan->cells[trial->cell], text, sizeof(text)));
		columns_cell(columns, "%s", plan->configs[trial->config].name);
		columns_end_row(columns);
	}
	fprintf(out, "\n");
	columns_print_free(columns, out);
}

void sweep_view_plan(const struct plan *plan, const char *device, bool order, FILE *out)
{
	char duration[32];

	view_configs(plan, out);
	view_merged(plan, out);
	view_cells(plan, out);
	plan_each_warning(plan, view_warning, out);
	if (order)
		view_order(plan, out);
	fprintf(out,
		"\n%zu settings x %zu workloads x %u block%s = %zu trials on %s, about %s; %u "
		"restart%s, "
		"seed %" PRIu64 "\n",
		plan->config_count, plan->cell_count, plan->blocks, plan->blocks == 1 ? "" : "s",
		plan->trial_count, device,
		format_duration(plan->estimate_ns, duration, sizeof(duration)), plan->restarts,
		plan->restarts == 1 ? "" : "s", plan->seed);
	(void)fflush(out);
}

int sweep_view_progress(void *context, const struct sweep_progress *progress, struct error *err)
{
	struct progress *line = context;
	char text[1200];

	(void)progress_format_trial(progress, text, sizeof(text));
	/* what went wrong stays on the screen */
	if (progress->trial && progress->status != TRIAL_OK)
		progress_note(line, text);
	else
		progress_show(line, text);
	return 0;
}

void sweep_view_summary(const struct sweep_summary *summary, FILE *out)
{
	unsigned attempts = summary->ok + summary->voided + summary->failed;

	fprintf(out, "%u of %u trials done; this run: %u ok", summary->done, summary->total,
		summary->ok);
	if (summary->voided)
		fprintf(out, ", %u void", summary->voided);
	if (summary->failed)
		fprintf(out, ", %u failed", summary->failed);
	if (summary->times.wall_ns && attempts > 1)
		fprintf(out, "; not measuring: %.1f %% of the time",
			100.0 * sweep_not_measuring(&summary->times));
	fprintf(out, "\n");
	(void)fflush(out);
}
