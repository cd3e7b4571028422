/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile for people: what, where, for what, with which effect, and what it must not be used for.
 */
#include "profiles/profile.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_setting(const struct profile *p, const struct profile_setting *setting,
	const char *title, FILE *out)
{
	const struct chip *chip = chip_find(p->chip.name);

	fprintf(out, "%-12s%s\n", title, setting->name);
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		const struct knob *knob = &knob_table[id];
		char text[32];
		uint64_t ns;

		if (!settings_has(&setting->values, id))
			continue;
		fprintf(out, "  %-14s%8s", knob->name,
			knob_format_value(knob, setting->values.value[id], text, sizeof(text)));
		if (chip && profile_knob_ns(chip, id, setting->values.value[id],
				    (unsigned)p->chip.speed_mbps, &ns))
			fprintf(out, "%12.3f us", (double)ns / 1e3);
		if (!p->tx_transferable && profile_knob_is_tx(id))
			fprintf(out, "   " PROFILE_TX_MARK);
		fputc('\n', out);
	}
}

static void print_effect(const struct profile_effect *e, FILE *out)
{
	char interval[48] = "-";

	if (!isnan(e->low))
		(void)snprintf(interval, sizeof(interval), "%.3f..%.3f", e->low, e->high);
	fprintf(out, "  %-16s%-24s%8.3f  %-16s%4" PRId64 "  %s\n", e->cell, e->metric, e->ratio,
		interval, e->n, e->verdict);
}

static void print_effects(const struct profile *p, FILE *out)
{
	if (!p->effect_count) {
		fprintf(out, "effects     none measured\n");
		return;
	}
	fprintf(out, "effects     %s / %s\n", p->setting.name, p->baseline.name);
	fprintf(out, "  %-16s%-24s%8s  %-16s%4s  %s\n", "cell", "metric", "ratio", "interval", "n",
		"verdict");
	for (size_t i = 0; i < p->effect_count; i++)
		print_effect(&p->effects[i], out);
}

void profile_print(const struct profile *p, FILE *out)
{
	fprintf(out, "chip        %s (%s, %s), %s, %" PRId64 " Mb/s%s\n", p->chip.name,
		p->chip.pci_id, p->chip.family, p->chip.intmode, p->chip.speed_mbps,
		p->simulated ? ", simulated" : "");
	fprintf(out, "CPU         %s (%s)\n", p->cpu.name, p->cpu.key);
	fprintf(out, "objective   %s\nworkload    %s\n", p->objective, p->workload);
	fprintf(out, "path        %s%s\n", p->path,
		p->tx_transferable ? "" : " (" PROFILE_TX_MARK " until verified on the target)");
	print_setting(p, &p->setting, "setting", out);
	print_setting(p, &p->baseline, "baseline", out);
	print_effects(p, out);
	fprintf(out, "rests on    %zu trials in %s\n", p->evidence.trial_count, p->evidence.store);
	fprintf(out, "written     %s by %s\n", p->created, p->tool);
}
