/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the reference pages in docs/ from the tables of the sources; describe_man.c does man pages. */
#include "docs/describe.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/chips/chip.h"
#include "common/chips/regs.h"
#include "common/util.h"

/* A table cell: a bar inside would end it. */
static void print_cell(const char *text)
{
	printf("| ");
	for (; *text; text++)
		printf(*text == '|' ? "\\%c" : "%c", *text);
	printf(" ");
}

static void print_row(const char *const *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_cell(cells[i]);
	printf("|\n");
}

#define ROW(...)                                                                                   \
	print_row((const char *const[]){__VA_ARGS__},                                              \
		  ARRAY_SIZE(((const char *const[]){__VA_ARGS__})))

/* The tables' meanings begin with a small letter and have no full stop. */
static void print_sentence(const char *meaning)
{
	printf("%c%s.", toupper((unsigned char)meaning[0]), meaning + 1);
}

static void print_title(const char *title, const char *from)
{
	printf("<!-- SPDX-License-Identifier: BSD-2-Clause -->\n"
	       "<!-- Made by `make docs` from %s; change the tables, not this page. -->\n# %s\n\n",
	       from, title);
}

/* --- the control protocol --- */

static const struct {
	int code;
	const char *name, *meaning;
} control_errors[] = {
	{CONTROL_ERR_PARSE, "parse", "the line is not JSON"},
	{CONTROL_ERR_REQUEST, "request", "the object is not a JSON-RPC 2.0 request"},
	{CONTROL_ERR_METHOD, "method", "no such method"},
	{CONTROL_ERR_PARAMS, "params", "a member is unknown, missing, of the wrong type or out of range"},
	{CONTROL_ERR_FAILED, "failed", "the device or the system said no"},
	{CONTROL_ERR_LEASED, "leased", "another connection holds the lease; the sentence names it"},
	{CONTROL_ERR_RESTART, "restart", "the knob acts only through `restart`"},
	{CONTROL_ERR_UNAVAILABLE, "unavailable", "this device has no such method"},
	{CONTROL_ERR_TOO_LONG, "too-long", "the line is longer than the limit"},
	{CONTROL_ERR_BUSY, "busy", "a restart or reset is under way"},
};

static void print_params(const char *method)
{
	bool any = false;

	for (size_t i = 0; i < describe_param_count; i++) {
		const struct describe_member *m = &describe_params[i];

		if (strcmp(m->method, method))
			continue;
		if (!any)
			printf("| param | type | required | meaning |\n|---|---|---|---|\n");
		any = true;
		ROW(m->name, m->type, m->required ? "yes" : "", m->meaning);
	}
	if (any)
		printf("\n");
}

static void print_fields(const char *method)
{
	bool any = false;

	for (size_t i = 0; i < describe_field_count; i++) {
		const struct describe_member *m = &describe_fields[i];

		if (strcmp(m->method, method))
			continue;
		if (!any)
			printf("| result | type | meaning |\n|---|---|---|\n");
		any = true;
		ROW(m->name, m->type, m->meaning);
	}
	if (any)
		printf("\n");
}

static bool is_guarded(const char *method)
{
	for (size_t i = 0; i < describe_guarded_count; i++)
		if (!strcmp(describe_guarded[i], method))
			return true;
	return false;
}

static void print_control(void)
{
	print_title("Control protocol", "common/control.def");
	printf("JSON-RPC 2.0 over a UNIX stream socket (mode 0600), one object a line, at most %d bytes "
	       "a request;\nprotocol %d. Counters are cumulative, so a window is the difference of two "
	       "replies and of their `time_ns`.\n`knobs` as a type is an object from knob name to "
	       "register units (or a mode's name); the names stand in\n[knobs.md](knobs.md), the "
	       "counters in [counters.md](counters.md). An unknown member is an error, and an error\n"
	       "changes nothing. Batches and parameters by position are refused.\n\nIn every reply:\n\n",
	       CONTROL_LINE_MAX, CONTROL_PROTOCOL);
	print_fields("*");
	printf("## Methods\n\n");
	for (size_t i = 0; i < describe_method_count; i++) {
		const struct describe_method *m = &describe_methods[i];

		printf("### %s\n\n", m->name);
		print_sentence(m->meaning);
		printf("%s\n\n", is_guarded(m->name) ?
					   " Refused while another connection holds the lease." :
					   "");
		print_params(m->name);
		print_fields(m->name);
	}
	printf("## Notifications\n\n");
	for (size_t i = 0; i < describe_notification_count; i++) {
		const struct describe_method *n = &describe_notifications[i];

		printf("### %s (notification)\n\n", n->name);
		print_sentence(n->meaning);
		printf("\n\n");
		if (strcmp(n->name, "stats"))
			print_fields(n->name);
	}
	printf("## Events of the control server\n\n| event | meaning |\n|---|---|\n");
	for (size_t i = 0; i < describe_event_count; i++)
		ROW(describe_events[i].name, describe_events[i].meaning);
	printf("\nThose of the device are listed by `info`.\n\n");
	printf("## Errors\n\n`error.message` is one sentence; `error.data` may hold `errno` and `knob`.\n\n"
	       "| code | name | meaning |\n|---:|---|---|\n");
	for (size_t i = 0; i < ARRAY_SIZE(control_errors); i++) {
		char code[16];

		(void)snprintf(code, sizeof(code), "%d", control_errors[i].code);
		ROW(code, control_errors[i].name, control_errors[i].meaning);
	}
}

/* --- knobs, chips, quirks, registers --- */

static void print_knobs_table(void)
{
	printf("| knob | unit at 1000 Mb/s | range | start | acts | meaning | hazard | source |\n"
	       "|---|---|---|---:|---|---|---|---|\n");
	for (size_t i = 0; i < KNOB_COUNT; i++) {
		const struct knob *k = &knob_table[i];
		char unit[32] = "", range[32], initial[16];

		if (k->unit_ps)
			(void)snprintf(unit, sizeof(unit), "%u ns", k->unit_ps / 1000);
		(void)snprintf(range, sizeof(range), "%u..%u", k->min, k->max);
		(void)snprintf(initial, sizeof(initial), "%u", k->initial);
		if (k->id == KNOB_INTMODE) {
			(void)snprintf(range, sizeof(range), "intx, msi, msix");
			(void)snprintf(initial, sizeof(initial), "%s", intmode_name(k->initial));
		}
		ROW(k->name, unit, range, initial, k->restart ? "after restart" : "live", k->meaning,
		    k->hazard, k->source);
	}
}

static void print_chip(const struct chip *chip)
{
	printf("### %s\n\nPCI id %04x:%04x, family %s. Interrupt modes:", chip->name, chip->vendor,
	       chip->device, chip_family_name(chip->family));
	for (int mode = 0; mode < INTMODE_COUNT; mode++)
		if (chip->intmodes & INTMODE_BIT(mode))
			printf(" %s", intmode_name(mode));
	printf(". Rings to %u descriptors, frames to %u bytes, %s receive descriptors,\n%u KiB of the "
	       "packet buffer for reception. Source: %s.\n\nKnobs:",
	       chip->ring_max, chip->max_frame,
	       chip->rx_format == RX_FORMAT_EXTENDED ? "extended" : "legacy", chip->rx_pba_kib,
	       chip->source);
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (chip_has_knob(chip, id))
			printf(" %s", knob_table[id].name);
	printf(".\n\n");
	if (!chip->quirks)
		return;
	printf("Quirks:");
	for (unsigned q = 0; q < QUIRK_COUNT; q++)
		if (chip_has_quirk(chip, 1u << q))
			printf(" %s", quirk_table[q].name);
	printf(".\n\n");
}

static void print_registers(void)
{
	static const char *const access[] = {
		[REG_RW] = "read, write", [REG_RO] = "read", [REG_WO] = "write",
		[REG_RC] = "read clears", [REG_W1C] = "write 1 clears", [REG_W1S] = "write 1 sets",
		[REG_SPECIAL] = "special",
	};

	printf("| register | offset | access | families | meaning | source |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < reg_table_count; i++) {
		const struct reg_info *r = &reg_table[i];
		char offset[16];

		(void)snprintf(offset, sizeof(offset), "0x%05x", r->offset);
		ROW(r->name, offset, access[r->access],
		    r->families == FAM_ALL ? "all" : chip_family_name(r->families), r->meaning, r->source);
	}
}

static void print_knobs(void)
{
	print_title("Knobs, chips, quirks and registers", "common/chips/*.def");
	printf("Values are register units; the command line also takes times (`ITR=384us`) and reports\n"
	       "both. At 10 and 100 Mb/s a tick lasts four times as long.\n\n## Knobs\n\n");
	print_knobs_table();
	printf("\n## Chips\n\n");
	for (size_t i = 0; i < chip_table_count; i++)
		print_chip(&chip_table[i]);
	printf("## Quirks\n\nCode asks for a quirk by name, never for a chip.\n\n"
	       "| quirk | symptom | parts | source | remedy |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < QUIRK_COUNT; i++) {
		const struct quirk_info *q = &quirk_table[i];

		ROW(q->name, q->symptom, q->parts, q->source, q->remedy);
	}
	printf("\n## Registers\n\n");
	print_registers();
}

static void print_counters(void)
{
	print_title("Counters", "driver/counters.def and driver/sim/sim_counters.def");
	printf("Cumulative from the daemon's start, 64 bits, never reset: take differences.\n\n"
	       "## Driver (`stats.counters`)\n\n| counter | unit | meaning |\n|---|---|---|\n");
	for (size_t i = 0; i < describe_counter_count; i++)
		ROW(describe_counters[i].name, describe_counters[i].unit, describe_counters[i].meaning);
	printf("\n## Simulated device (`stats.sim`)\n\n| counter | meaning |\n|---|---|\n");
	for (size_t i = 0; i < describe_sim_counter_count; i++)
		ROW(describe_sim_counters[i].name, describe_sim_counters[i].meaning);
}

static void print_metrics(void)
{
	print_title("Figures of a trial", "bench/metrics.def and bench/notes.def");
	printf("Names as in the store, in `table --format json` and in `compare`. Rates are over the measured "
	       "window; a figure\nthat a trial does not have is absent, never 0.\n\n"
	       "| figure | unit | better | meaning | from |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < describe_metric_count; i++) {
		const struct describe_metric *m = &describe_metrics[i];
		const char *better = m->better[0] == 'H' ? "more" : m->better[0] == 'L' ? "less" : "";

		ROW(m->name, m->unit, better, m->meaning, m->source);
	}
	printf("\n## Notes\n\nMarks on a valid trial: the figures hold, the note says what bounded them.\n\n"
	       "| note | meaning |\n|---|---|\n");
	for (size_t i = 0; i < describe_note_count; i++)
		ROW(describe_notes[i].name, describe_notes[i].meaning);
}

static const struct {
	const char *name;
	void (*print)(void);
} pages[] = {
	{"control", print_control},
	{"knobs", print_knobs},
	{"counters", print_counters},
	{"metrics", print_metrics},
	{"chips", describe_chips},
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "man"))
		return describe_man(argv[2]);
	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(pages); i++) {
		if (strcmp(argv[1], pages[i].name))
			continue;
		pages[i].print();
		return fflush(stdout) ? 1 : 0;
	}
	fprintf(stderr, "usage: describe control|knobs|counters|metrics|chips\n       describe man FILE.scd\n");
	return 2;
}
