/* SPDX-License-Identifier: BSD-2-Clause */
/* Showing what a daemon is, from the members of its `info`. */
#include "tuner/info_view.h"

#include <stdio.h>
#include <string.h>

#include "common/util.h"
#include "tuner/client.h"
#include "tuner/columns.h"

/* "intx, msi, msix" of an array of strings */
static char *joined(const json_t *array, const char *separator, char *buf, size_t size)
{
	size_t used = 0, i;
	json_t *item;

	buf[0] = '\0';
	json_array_foreach ((json_t *)array, i, item) {
		const char *text =
			json_is_string(item) ? json_string_value(item) : reply_string(item, "name");

		if (used < size)
			used += (size_t)snprintf(
				buf + used, size - used, "%s%s", used ? separator : "", text);
	}
	return buf;
}

static void print_chip(const json_t *info)
{
	const json_t *chip = json_object_get(info, "chip");
	long long vectors = reply_int(chip, "msix_vectors");
	char modes[64];

	printf("  chip        %s (%04llx:%04llx), family %s; interrupt modes %s",
		reply_string(chip, "name"), (long long)reply_int(chip, "vendor"),
		(long long)reply_int(chip, "device"), reply_string(chip, "family"),
		joined(json_object_get(chip, "intmodes"), ", ", modes, sizeof(modes)));
	if (vectors)
		printf(" (%lld vectors)", vectors);
	printf("\n");
}

static void print_state(const json_t *info)
{
	const json_t *link = json_object_get(info, "link");

	printf("  state       %s; link ", reply_string(info, "state"));
	if (json_is_true(json_object_get(link, "up")))
		printf("up at %lld Mb/s, %s duplex", (long long)reply_int(link, "speed_mbps"),
			json_is_true(json_object_get(link, "full_duplex")) ? "full" : "half");
	else
		printf("down");
	printf(", %lld change%s\n", (long long)reply_int(link, "changes"),
		reply_int(link, "changes") == 1 ? "" : "s");
}

static void print_path(const json_t *info)
{
	const json_t *path = json_object_get(info, "path");
	const json_t *offloads = json_object_get(path, "offloads");
	const char *peer_interface = reply_string(path, "peer_interface");
	char names[64];
	bool local_peer = !strcmp(reply_string(path, "peer_runs"), "local") || *peer_interface;

	printf("  local       %s/%lld on %s (%s), MTU %lld, namespace %s\n",
		reply_string(path, "local"), (long long)reply_int(path, "prefix"),
		reply_string(path, "interface"), reply_string(path, "mac"),
		(long long)reply_int(path, "mtu"), reply_string(path, "namespace"));
	printf("              queue %lld frames; offloads %s\n",
		(long long)reply_int(path, "queue_len"),
		json_array_size(offloads) ? joined(offloads, ", ", names, sizeof(names)) : "off");
	printf("  peer        %s%s%s%s\n", reply_string(path, "peer"),
		*peer_interface ? " on " : "", peer_interface,
		local_peer ? ", run by this daemon in another namespace" : "");
}

static void print_cpu(const json_t *scheduling, const char *member, const char *what)
{
	const json_t *cpu = json_object_get(scheduling, member);

	if (json_is_integer(cpu) && json_integer_value(cpu) >= 0)
		printf(", %s CPU %lld", what, (long long)json_integer_value(cpu));
}

/* Real devices only. */
static void print_dma(const json_t *info)
{
	const json_t *dma = json_object_get(info, "dma");

	if (dma)
		printf("  memory      %lld KiB for the device, at most %lld; by VFIO %s\n",
			(long long)json_integer_value(json_object_get(dma, "bytes")) / 1024,
			(long long)json_integer_value(json_object_get(dma, "limit")) / 1024,
			reply_string(dma, "by"));
}

static void print_scheduling(const json_t *info)
{
	const json_t *scheduling = json_object_get(info, "scheduling");
	const char *driver = reply_string(scheduling, "driver");

	printf("  scheduling  %s", driver);
	print_cpu(scheduling, "cpu", "driver on");
	print_cpu(scheduling, "device_cpu", "device on");
	printf("\n");
	if (!strcmp(driver, "other"))
		printf("              without SCHED_FIFO p99 objectives are refused and rates "
		       "above 20000/s\n"
		       "              count as host-bound; run as root or raise RLIMIT_RTPRIO to "
		       "1\n");
}

static void print_lease(const json_t *info)
{
	const json_t *lease = json_object_get(info, "lease");

	if (json_is_true(json_object_get(lease, "held")))
		printf("  lease       held by %s\n", reply_string(lease, "holder"));
}

void info_view_print_summary(const json_t *info)
{
	printf("%s%s%s: %s, pid %lld\n", console_bold(stdout), reply_string(info, "name"),
		console_plain(stdout), reply_string(info, "device"),
		(long long)reply_int(info, "pid"));
	print_chip(info);
	print_state(info);
	print_path(info);
	print_scheduling(info);
	print_dma(info);
	print_lease(info);
}

static void unit_cell(struct columns *columns, const json_t *knob)
{
	long long unit_ps = reply_int(knob, "unit_ps");

	if (unit_ps)
		columns_cell(columns, "%.15g us", (double)unit_ps / 1e6);
	else
		columns_cell(columns, "-");
}

/* Numbers, or the names of an enumeration. */
static void range_cells(struct columns *columns, const json_t *knob)
{
	const json_t *values = json_object_get(knob, "values"),
		     *initial = json_object_get(knob, "initial");
	char names[64];

	if (json_array_size(values))
		columns_cell(columns, "%s", joined(values, "|", names, sizeof(names)));
	else
		columns_cell(columns, "%lld..%lld", (long long)reply_int(knob, "min"),
			(long long)reply_int(knob, "max"));
	if (json_is_string(initial))
		columns_cell(columns, "%s", json_string_value(initial));
	else
		columns_cell(columns, "%lld", (long long)json_integer_value(initial));
}

void info_view_print_knobs(const json_t *info)
{
	static const char *const headings[] = {
		"KNOB", "UNIT", "RANGE", "INITIAL", "CHANGE", "MEANING"};
	struct columns *columns = columns_new("lrlrll");
	json_t *knob;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(headings); i++)
		columns_cell(columns, "%s", headings[i]);
	columns_end_heading(columns);
	json_array_foreach (json_object_get(info, "knobs"), i, knob) {
		const char *hazard = reply_string(knob, "hazard");

		columns_cell(columns, "%s", reply_string(knob, "name"));
		unit_cell(columns, knob);
		range_cells(columns, knob);
		columns_cell(columns, "%s",
			json_is_true(json_object_get(knob, "restart")) ? "restart" : "live");
		columns_cell(columns, "%s%s%s", reply_string(knob, "meaning"),
			*hazard ? "; NOTE: " : "", hazard);
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}

void info_view_print_quirks(const json_t *info)
{
	struct columns *columns = columns_new("ll");
	json_t *quirk;
	size_t i;

	columns_cell(columns, "QUIRK");
	columns_cell(columns, "SYMPTOM, REMEDY, SOURCE");
	columns_end_heading(columns);
	json_array_foreach (json_object_get(json_object_get(info, "chip"), "quirks"), i, quirk) {
		columns_cell(columns, "%s", reply_string(quirk, "name"));
		columns_cell(columns, "%s; %s (%s)", reply_string(quirk, "symptom"),
			reply_string(quirk, "remedy"), reply_string(quirk, "source"));
		columns_end_row(columns);
	}
	columns_print_free(columns, stdout);
}
