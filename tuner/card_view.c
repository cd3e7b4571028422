/* SPDX-License-Identifier: BSD-2-Clause */
/* Cards as text, printed from their JSON, so that both say the same. */
#include "tuner/card_view.h"

#include <stdio.h>
#include <string.h>

#include "common/util.h"
#include "tuner/client.h"
#include "tuner/columns.h"

static char *join(const json_t *array, const char *separator, char *buf, size_t size)
{
	size_t used = 0, i;
	json_t *item;

	buf[0] = '\0';
	json_array_foreach ((json_t *)array, i, item)
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
				i ? separator : "", json_string_value(item));
	return buf;
}

static void heading(struct columns *columns, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		columns_cell(columns, "%s", names[i]);
	columns_end_heading(columns);
}

void card_list_print(const json_t *list)
{
	static const char *const names[] = {"CHIP", "FAMILY", "STATE", "MODES", "PCI IDS"};
	struct columns *columns = columns_new("lllll");
	json_t *row;
	size_t i;

	heading(columns, names, ARRAY_SIZE(names));
	json_array_foreach ((json_t *)list, i, row) {
		char text[600];

		columns_cell(columns, "%s", reply_string(row, "name"));
		columns_cell(columns, "%s", reply_string(row, "family"));
		columns_cell(columns, "%s%s", reply_string(row, "state"),
			json_is_true(json_object_get(row, "simulated")) ? ", simulated" : "");
		columns_cell(columns, "%s",
			join(json_object_get(row, "intmodes"), ",", text, sizeof(text)));
		columns_cell(
			columns, "%s", join(json_object_get(row, "pci"), " ", text, sizeof(text)));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
	printf("\n\"moderato chips NAME\" tells what is known of a chip.\n");
}

/* "4096", or a word where nothing is known. */
static const char *number(const json_t *object, const char *name, char *buf, size_t size)
{
	if (!json_is_integer(json_object_get(object, name)))
		return "not known";
	(void)snprintf(buf, size, "%lld", (long long)reply_int(object, name));
	return buf;
}

static void print_summary(const json_t *card)
{
	char a[600], b[32], c[32], d[32];

	printf("%s%s%s (%s), %s%s\n", console_bold(stdout), reply_string(card, "name"),
		console_plain(stdout), reply_string(card, "family"), reply_string(card, "state"),
		json_is_true(json_object_get(card, "simulated")) ? ", simulated" : "");
	if (*reply_string(card, "note"))
		print_wrapped(stdout, "  ", reply_string(card, "note"));
	printf("  interrupts: %s; MSI-X vectors: %s\n",
		join(json_object_get(card, "intmodes"), ", ", a, sizeof(a)),
		number(card, "msix_vectors", b, sizeof(b)));
	printf("  queues: %lld receive, %lld transmit; ring: at most %s descriptors\n",
		(long long)reply_int(card, "rx_queues"), (long long)reply_int(card, "tx_queues"),
		number(card, "ring_max", b, sizeof(b)));
	printf("  largest frame: %s bytes; receive buffer: %s KiB\n",
		number(card, "max_frame", c, sizeof(c)),
		number(card, "rx_buffer_kib", d, sizeof(d)));
	print_wrapped(stdout, "  source: ", reply_string(card, "source"));
}

static void print_parts(const json_t *card)
{
	struct columns *columns = columns_new("lll");
	json_t *part;
	size_t i;

	printf("\nParts:\n");
	json_array_foreach (json_object_get(card, "parts"), i, part) {
		bool driven = json_is_true(json_object_get(part, "driven"));

		columns_cell(columns, "  %s", reply_string(part, "id"));
		columns_cell(columns, "%s", reply_string(part, "name"));
		columns_cell(
			columns, "%s", driven ? "driven" : reply_string(part, "reason"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

static void knob_cells(struct columns *columns, const json_t *knob)
{
	const json_t *recommended = json_object_get(knob, "recommended");
	const json_t *unit = json_object_get(knob, "unit_ns");
	char text[32];

	columns_cell(columns, "  %s", reply_string(knob, "name"));
	columns_cell(columns, "%s", reply_string(knob, "register"));
	columns_cell(columns, "%s", reply_string(knob, "bits"));
	if (json_is_real(unit))
		columns_cell(columns, "%.15g ns", json_real_value(unit));
	else
		columns_cell(columns, "-");
	columns_cell(columns, "%lld..%lld", (long long)reply_int(knob, "min"),
		(long long)reply_int(knob, "max"));
	columns_cell(columns, "%s", number(knob, "reset", text, sizeof(text)));
	if (json_is_array(recommended))
		columns_cell(columns, "%lld..%lld",
			(long long)json_integer_value(json_array_get(recommended, 0)),
			(long long)json_integer_value(json_array_get(recommended, 1)));
	else
		columns_cell(columns, "-");
	columns_end_row(columns);
}

static void print_knobs(const json_t *card)
{
	static const char *const names[] = {
		"  KNOB", "REGISTER", "BITS", "UNIT", "RANGE", "RESET", "ADVISED"};
	struct columns *columns = columns_new("llllrrr");
	json_t *knob;
	size_t i;

	printf("\nRegisters of moderation (units at 1000 Mb/s):\n");
	heading(columns, names, ARRAY_SIZE(names));
	json_array_foreach (json_object_get(card, "knobs"), i, knob)
		knob_cells(columns, knob);
	columns_print_free(columns, stdout);
	printf("\n");
	columns = columns_new("ll");
	json_array_foreach (json_object_get(card, "knobs"), i, knob) {
		columns_cell(columns, "  %s", reply_string(knob, "name"));
		columns_cell(columns, "%s [%s]", reply_string(knob, "meaning"),
			reply_string(knob, "source"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

static void print_facts(const json_t *card)
{
	json_t *fact;
	size_t i;

	printf("\nWhat is known:\n");
	json_array_foreach (json_object_get(card, "facts"), i, fact) {
		char prefix[80], text[512];

		(void)snprintf(prefix, sizeof(prefix), "  %s%s%s: ", reply_string(fact, "kind"),
			*reply_string(fact, "knob") ? ", " : "", reply_string(fact, "knob"));
		(void)snprintf(text, sizeof(text), "%s [%s]", reply_string(fact, "text"),
			reply_string(fact, "source"));
		print_wrapped(stdout, prefix, text);
	}
	json_array_foreach (json_object_get(card, "quirks"), i, fact) {
		char text[512];

		(void)snprintf(text, sizeof(text), "%s; the driver's remedy: %s [%s]",
			reply_string(fact, "symptom"), reply_string(fact, "remedy"),
			reply_string(fact, "source"));
		print_wrapped(stdout, "  quirk: ", text);
	}
}

static void print_drivers(const json_t *card)
{
	json_t *row;
	size_t i;

	printf("\nDrivers:");
	json_array_foreach (json_object_get(card, "drivers"), i, row)
		printf("%s %s %s", i ? ";" : "", reply_string(row, "os"),
			reply_string(row, "driver"));
	printf("\n");
}

static void print_presets(const json_t *card)
{
	struct columns *columns = columns_new("ll");
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(card, "presets"), i, row) {
		columns_cell(columns, "  preset %s", reply_string(row, "name"));
		columns_cell(columns, "%s", reply_string(row, "settings"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

static void print_writes(const json_t *card)
{
	struct columns *columns = columns_new("lll");
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(card, "writes"), i, row) {
		columns_cell(columns, "  %s %s", reply_string(row, "os"),
			reply_string(row, "driver"));
		columns_cell(columns, "%s", reply_string(row, "knob"));
		columns_cell(columns, "%s [%s]", reply_string(row, "value"),
			reply_string(row, "source"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

void card_print(const json_t *card)
{
	print_summary(card);
	print_parts(card);
	print_knobs(card);
	print_facts(card);
	print_drivers(card);
	print_presets(card);
	print_writes(card);
}
