/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel logs: dumps of a transmit unit that hangs, resets, link changes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/chips/regs.h"
#include "common/util.h"
#include "tuner/explain/report.h"

#define RING_ASSUMED 256 /* Linux's default; a dump does not tell it */
#define DUMPS_MAX    64
#define DUMP_EVERY_S 2.0 /* the watchdog's period [Linux e1000e netdev.c] */

/* A field of a dump as the kernel prints it, "NAME <HEX>". */
enum field {
	FIELD_TDH,
	FIELD_TDT,
	FIELD_USE,
	FIELD_CLEAN,
	FIELD_STAMP,
	FIELD_JIFFIES,
	FIELD_WATCH_STATUS,
	FIELD_MAC_STATUS,
	FIELD_PCI_STATUS,
	FIELD_COUNT,
};
static const char *const field_names[FIELD_COUNT] = {
	[FIELD_TDH] = "TDH",
	[FIELD_TDT] = "TDT",
	[FIELD_USE] = "next_to_use",
	[FIELD_CLEAN] = "next_to_clean",
	[FIELD_STAMP] = "time_stamp",
	[FIELD_JIFFIES] = "jiffies",
	[FIELD_WATCH_STATUS] = "next_to_watch.status",
	[FIELD_MAC_STATUS] = "MAC Status",
	[FIELD_PCI_STATUS] = "PCI Status",
};

struct dump {
	unsigned line;
	char device[64];
	double time_s; /* of the log's time stamp, NAN without */
	bool has[FIELD_COUNT];
	uint64_t value[FIELD_COUNT];
};

struct log {
	json_t *report;
	struct dump dumps[DUMPS_MAX];
	size_t count;
	unsigned hangs; /* also those past the table */
};

/* "[ 1234.567890] text": the seconds, and where the text begins. */
static double take_time(const char **line)
{
	const char *open = strchr(*line, '[');
	double seconds;
	int used = 0;

	if (!open || sscanf(open, "[ %lf]%n", &seconds, &used) != 1 || !used)
		return NAN;
	*line = open + used;
	return seconds;
}

/* The last words before @what, such as "0000:00:19.0 eth0", are the device. */
static void copy_device(const char *line, const char *what, char *buf, size_t size)
{
	const char *end = what, *start;

	while (end > line && strchr(" :", end[-1]))
		end--;
	start = end;
	for (unsigned spaces = 0; start > line; start--) {
		spaces += start[-1] == ' ';
		if (spaces == 2)
			break;
	}
	start += strspn(start, " ");
	(void)snprintf(buf, size, "%.*s", (int)MIN(end - start, 60), start);
}

static void take_field(struct dump *dump, const char *line)
{
	for (unsigned i = 0; i < FIELD_COUNT; i++) {
		const char *at = strstr(line, field_names[i]);
		size_t len = strlen(field_names[i]);
		unsigned long long value;

		/* "next_to_watch <8>" is not "next_to_watch.status <0>" */
		if (!at || dump->has[i] || sscanf(at + len, " <%llx>", &value) != 1)
			continue;
		dump->has[i] = true;
		dump->value[i] = value;
	}
}

static unsigned ring_distance(uint64_t from, uint64_t to)
{
	return (unsigned)(to >= from ? to - from : to + RING_ASSUMED - from);
}

static void describe_ring(const struct dump *d, char *text, size_t size)
{
	unsigned outstanding = ring_distance(d->value[FIELD_TDH], d->value[FIELD_TDT]);

	if (!d->has[FIELD_TDH] || !d->has[FIELD_TDT])
		(void)snprintf(text, size, "the dump is incomplete");
	else if (!outstanding)
		(void)snprintf(text, size,
			"nothing outstanding: false alarm of the chip, completions were not taken");
	else
		(void)snprintf(text, size, "%u descriptors outstanding (head 0x%llx, tail 0x%llx%s)",
			outstanding, (unsigned long long)d->value[FIELD_TDH],
			(unsigned long long)d->value[FIELD_TDT],
			d->value[FIELD_TDT] < d->value[FIELD_TDH] ? "; a ring of 256 assumed" : "");
}

static const char *speed_of(uint64_t status)
{
	static const char *const names[] = {"10 Mb/s", "100 Mb/s", "1000 Mb/s", "1000 Mb/s"};

	return names[(status & STATUS_SPEED_MASK) >> STATUS_SPEED_SHIFT];
}

static void describe_link(const struct dump *d, char *text, size_t size)
{
	uint64_t status = d->value[FIELD_MAC_STATUS];

	*text = '\0';
	if (d->has[FIELD_MAC_STATUS])
		(void)snprintf(text, size, "; link %s, %s duplex, %s%s",
			status & STATUS_LU ? "up" : "down", status & STATUS_FD ? "full" : "half",
			speed_of(status), status & STATUS_TXOFF ? ", paused by flow control" : "");
}

static void describe_age(const struct dump *d, char *text, size_t size)
{
	*text = '\0';
	if (d->has[FIELD_STAMP] && d->has[FIELD_JIFFIES])
		(void)snprintf(text, size, "; the oldest is %llu ticks old",
			(unsigned long long)(d->value[FIELD_JIFFIES] - d->value[FIELD_STAMP]));
}

static void report_dump(json_t *report, const struct dump *d)
{
	char ring[120], link[100], age[60], value[24] = "";

	describe_ring(d, ring, sizeof(ring));
	describe_link(d, link, sizeof(link));
	describe_age(d, age, sizeof(age));
	if (d->has[FIELD_MAC_STATUS])
		(void)snprintf(value, sizeof(value), "status 0x%llx",
			(unsigned long long)d->value[FIELD_MAC_STATUS]);
	report_verdict(report, (struct report_at){d->line, d->device}, "unit hang", value,
		VERDICT_VOID, "%s%s%s", ring, age, link);
}

static json_t *dump_json(const struct dump *d)
{
	json_t *json = json_pack("{s:i, s:s}", "line", d->line, "device", d->device);
	bool ring = d->has[FIELD_TDH] && d->has[FIELD_TDT];

	for (unsigned i = 0; i < FIELD_COUNT; i++)
		if (d->has[i])
			(void)json_object_set_new(
				json, field_names[i], json_integer((json_int_t)d->value[i]));
	if (ring)
		(void)json_object_set_new(json, "outstanding",
			json_integer(ring_distance(d->value[FIELD_TDH], d->value[FIELD_TDT])));
	if (d->has[FIELD_STAMP] && d->has[FIELD_JIFFIES])
		(void)json_object_set_new(json, "age_ticks",
			json_integer((json_int_t)(d->value[FIELD_JIFFIES] - d->value[FIELD_STAMP])));
	return json;
}

/* The kernel's tick, from two dumps of one hang. */
static void note_ticks(const struct log *log, const struct dump *a, const struct dump *b)
{
	static const double rates[] = {100, 250, 300, 1000};
	bool timed = !isnan(a->time_s) && !isnan(b->time_s) && b->time_s > a->time_s;
	double seconds = timed ? b->time_s - a->time_s : DUMP_EVERY_S, best = rates[0];
	uint64_t ticks = b->value[FIELD_JIFFIES] - a->value[FIELD_JIFFIES];

	if (!a->has[FIELD_JIFFIES] || !b->has[FIELD_JIFFIES] || !ticks || ticks > 100000)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (fabs((double)ticks / seconds - rates[i]) < fabs((double)ticks / seconds - best))
			best = rates[i];
	report_note(log->report, "lines %u and %u: %llu ticks in %.4g s%s: the kernel counts %.0f a second",
		a->line, b->line, (unsigned long long)ticks, seconds,
		timed ? "" : " (the watchdog's period, there are no time stamps)", best);
	(void)json_object_set_new(log->report, "ticks_per_s", json_real(best));
}

/* Two dumps of one device in a row: does the chip still fetch? */
static void note_progress(const struct log *log, const struct dump *a, const struct dump *b)
{
	bool stuck = a->value[FIELD_TDH] == b->value[FIELD_TDH] &&
		     a->value[FIELD_STAMP] == b->value[FIELD_STAMP];

	if (!a->has[FIELD_TDH] || !b->has[FIELD_TDH])
		return;
	if (stuck)
		report_note(log->report,
			"lines %u and %u: the head did not move: the chip's DMA is stuck, no "
			"interrupt was lost",
			a->line, b->line);
	else
		report_note(log->report,
			"lines %u and %u: the head moved: another hang, or only slow progress",
			a->line, b->line);
	(void)json_object_set_new(log->report, "head_stuck", json_boolean(stuck));
}

static void note_hangs(const struct log *log)
{
	for (size_t i = 1; i < log->count; i++) {
		const struct dump *a = &log->dumps[i - 1], *b = &log->dumps[i];

		if (strcmp(a->device, b->device) != 0)
			continue;
		note_progress(log, a, b);
		note_ticks(log, a, b);
		break;
	}
	if (!log->hangs)
		return;
	report_note(log->report,
		"%u dump%s of a hang: a measurement that ran then is void, and its setting never wins",
		log->hangs, log->hangs > 1 ? "s" : "");
	report_note(log->report,
		"if the setting had a receive timer (RDTR, RxIntDelay, rx_int_delay) above 0, do not "
		"try it on this chip again: the timer is known for hangs");
	report_note(log->report,
		"test offloads apart, with the moderation unchanged: ethtool -K INTERFACE tso off, "
		"then gso off");
}

static void take_event(const struct log *log, unsigned number, const char *line)
{
	static const struct {
		const char *words, *key, *text;
		enum param_verdict verdict;
	} events[] = {
		{"NETDEV WATCHDOG", "transmit time-out", "the kernel gave a queue up and resets",
			VERDICT_VOID},
		{"Reset adapter", "reset", "the driver resets the chip", VERDICT_VOID},
		{"NIC Link is Down", "link down", "a link change", VERDICT_VOID},
		{"NIC Link is Up", "link up", "a link change, normal at the start", VERDICT_EVENT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		const char *at = strstr(line, events[i].words);
		char device[64];

		if (!at)
			continue;
		copy_device(line, at, device, sizeof(device));
		report_verdict(log->report, (struct report_at){number, device}, events[i].key, "",
			events[i].verdict, "%s", events[i].text);
	}
}

static void take_line(struct log *log, unsigned number, const char *line)
{
	double time_s = take_time(&line);
	const char *hang = strcasestr(line, "Detected ");
	struct dump *dump;

	if (hang && strcasestr(hang, "Unit Hang")) {
		log->hangs++;
		if (log->count == DUMPS_MAX)
			return;
		dump = &log->dumps[log->count++];
		*dump = (struct dump){.line = number, .time_s = time_s};
		copy_device(line, hang, dump->device, sizeof(dump->device));
		return;
	}
	if (log->count && strchr(line, '<'))
		take_field(&log->dumps[log->count - 1], line);
	else
		take_event(log, number, line);
}

int read_log(const struct explain_input *input, json_t **ret_report, struct error *err)
{
	struct log *log = calloc(1, sizeof(*log));
	char *copy = strdup(input->text), *save = copy;
	json_t *dumps = json_array();
	unsigned number = 0;

	if (!log || !copy) {
		free(log);
		free(copy);
		json_decref(dumps);
		return error_set(err, -ENOMEM, "out of memory for %.80s", input->name);
	}
	log->report = report_new("log", input->driver);
	for (char *line; (line = strsep(&save, "\n"));)
		take_line(log, ++number, line);
	for (size_t i = 0; i < log->count; i++) {
		report_dump(log->report, &log->dumps[i]);
		(void)json_array_append_new(dumps, dump_json(&log->dumps[i]));
	}
	note_hangs(log);
	if (!json_array_size(json_object_get(log->report, "rows")))
		report_note(log->report, "nothing in it about a NIC that hangs, resets or loses its link");
	(void)json_object_set_new(log->report, "dumps", dumps);
	*ret_report = log->report;
	free(copy);
	free(log);
	return 0;
}
