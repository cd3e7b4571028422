/* SPDX-License-Identifier: BSD-2-Clause */
/* Workloads: text form, limits, and how much of the wire they can use. */
#include "bench/workload.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"

#define DEFAULT_BUFFER_BYTES (128u * 1024)
/* 3.12's own 1000 us opens a rate-limited sender in bursts that then set the interrupt rate. */
#define DEFAULT_PACING_US 100u

static const char *const kind_names[] = {"tcp", "udp", "rr"};
static const char *const dir_names[] = {"tx", "rx", "bidir"};

void workload_default(struct workload *ret_workload)
{
	*ret_workload = (struct workload){
		.kind = WORKLOAD_TCP,
		.dir = WORKLOAD_TX,
		.buffer_bytes = DEFAULT_BUFFER_BYTES,
		.streams = 1,
		.seconds = 1,
		.pacing_us = DEFAULT_PACING_US,
	};
}

static int name_index(const char *const *names, unsigned count, const char *text)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (strcmp(names[i], text) == 0)
			return (int)i;
	return -1;
}

/* "64", "4k", "1M", "2.5G" with @step 1000 or 1024; a fraction only before a suffix. */
static int parse_scaled(const char *text, unsigned step, uint64_t *ret_value)
{
	static const char suffixes[] = "kmg";
	uint64_t scale = 1;
	const char *at;
	double value;
	char *end;

	if (!isdigit((unsigned char)text[0]) ||
		(text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
		return -EINVAL;
	value = strtod(text, &end);
	at = *end ? strchr(suffixes, tolower((unsigned char)*end)) : NULL;
	if (at) {
		for (; at >= suffixes; at--)
			scale *= step;
		end++;
	}
	value *= (double)scale;
	if (*end || value > 1e15 || value != (double)(uint64_t)value)
		return -EINVAL;
	*ret_value = (uint64_t)value;
	return 0;
}

static int parse_u32(const char *text, uint32_t *ret_value)
{
	uint64_t value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end || errno || value > UINT32_MAX)
		return -EINVAL;
	*ret_value = (uint32_t)value;
	return 0;
}

static int parse_size(const char *text, uint32_t *ret_bytes)
{
	uint64_t value;

	if (parse_scaled(text, 1024, &value) < 0 || value > UINT32_MAX)
		return -EINVAL;
	*ret_bytes = (uint32_t)value;
	return 0;
}

static int parse_option(char *option, struct workload *w, struct error *err)
{
	char *value = strchr(option, '=');
	int ret;

	if (!value)
		return error_usage(err, "workload option \"%s\" has no \"=\"", option);
	*value++ = '\0';
	if (strcmp(option, "window") == 0)
		ret = parse_size(value, &w->window_bytes);
	else if (strcmp(option, "streams") == 0)
		ret = parse_u32(value, &w->streams);
	else if (strcmp(option, "seconds") == 0)
		ret = parse_u32(value, &w->seconds);
	else if (strcmp(option, "pacing") == 0)
		ret = parse_u32(value, &w->pacing_us);
	else if (strcmp(option, "samples") == 0)
		ret = parse_u32(value, &w->samples);
	else
		return error_usage(err,
			"workload option \"%s\" is unknown: window, streams, seconds, pacing or "
			"samples",
			option);
	if (ret < 0)
		return error_usage(
			err, "workload option %s=\"%s\" is not a number in range", option, value);
	return 0;
}

static int parse_options(char *options, struct workload *w, struct error *err)
{
	char *save = NULL, *option;
	int ret;

	for (option = strtok_r(options, "/", &save); option; option = strtok_r(NULL, "/", &save)) {
		ret = parse_option(option, w, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* "128k" or "1k@100M" */
static int parse_buffer(char *text, struct workload *w, struct error *err)
{
	char *rate = strchr(text, '@');

	if (rate)
		*rate++ = '\0';
	if (parse_size(text, &w->buffer_bytes) < 0)
		return error_usage(
			err, "buffer size \"%s\" is not a size such as 32, 4k or 128k", text);
	if (rate && parse_scaled(rate, 1000, &w->rate_bps) < 0)
		return error_usage(err, "rate \"%s\" is not a rate such as 100M or 2.5G", rate);
	return 0;
}

static int parse_kind(const char *text, struct workload *w, struct error *err)
{
	int kind = name_index(kind_names, ARRAY_SIZE(kind_names), text);

	if (kind < 0)
		return error_usage(err, "workload kind \"%s\" is unknown: tcp, udp or rr", text);
	w->kind = (enum workload_kind)kind;
	return 0;
}

static int parse_dir(const char *text, struct workload *w, struct error *err)
{
	int dir = name_index(dir_names, ARRAY_SIZE(dir_names), text);

	if (dir < 0)
		return error_usage(err, "direction \"%s\" is unknown: tx, rx or bidir", text);
	w->dir = (enum workload_dir)dir;
	return 0;
}

static int parse_fields(char *text, struct workload *w, struct error *err)
{
	char *next = text, *field = strsep(&next, ":");
	int ret;

	ret = parse_kind(field, w, err);
	if (ret < 0)
		return ret;
	if (w->kind != WORKLOAD_RR) {
		field = strsep(&next, ":");
		if (!field)
			return error_usage(
				err, "workload \"%s\" has no direction: tx, rx or bidir", text);
		ret = parse_dir(field, w, err);
		if (ret < 0)
			return ret;
	}
	field = strsep(&next, ":");
	if (!field)
		return error_usage(err, "workload \"%s\" has no buffer size", text);
	if (next)
		return error_usage(err, "workload has too many parts at \"%s\"", next);
	return parse_buffer(field, w, err);
}

int workload_parse(const char *text, struct workload *ret_workload, struct error *err)
{
	char copy[WORKLOAD_TEXT_MAX], *options;
	struct workload w;
	int ret;

	if (strlen(text) >= sizeof(copy))
		return error_usage(
			err, "workload text is longer than %zu characters", sizeof(copy) - 1);
	workload_default(&w);
	strcpy(copy, text);
	options = strchr(copy, '/');
	if (options)
		*options++ = '\0';
	ret = parse_fields(copy, &w, err);
	if (ret == 0 && options)
		ret = parse_options(options, &w, err);
	if (ret == 0)
		ret = workload_check(&w, err);
	if (ret == 0)
		*ret_workload = w;
	else
		error_context(err, "workload \"%s\"", text);
	return ret;
}

static int check_buffer(const struct workload *w, struct error *err)
{
	static const uint32_t lowest[] = {1, WORKLOAD_UDP_BUFFER_MIN, WORKLOAD_RR_BUFFER_MIN};
	static const uint32_t highest[] = {
		WORKLOAD_TCP_BUFFER_MAX, WORKLOAD_UDP_BUFFER_MAX, WORKLOAD_RR_BUFFER_MAX};

	if (w->buffer_bytes < lowest[w->kind] || w->buffer_bytes > highest[w->kind])
		return error_usage(err, "a buffer of %u bytes is not possible for %s: %u to %u",
			w->buffer_bytes, kind_names[w->kind], lowest[w->kind], highest[w->kind]);
	return 0;
}

static int check_range(
	const char *what, uint32_t value, uint32_t min, uint32_t max, struct error *err)
{
	if (value < min || value > max)
		return error_usage(err, "%s %u is out of range: %u to %u", what, value, min, max);
	return 0;
}

static int check_rr(const struct workload *w, struct error *err)
{
	if (w->dir != WORKLOAD_TX || w->streams != 1 || w->window_bytes || w->rate_bps)
		return error_usage(err, "rr has no direction, streams, window or rate: it is one "
					"question at a time");
	return 0;
}

int workload_check(const struct workload *w, struct error *err)
{
	int ret = check_buffer(w, err);

	if (ret == 0)
		ret = check_range("window", w->window_bytes, 0, WORKLOAD_WINDOW_MAX, err);
	if (ret == 0)
		ret = check_range("streams", w->streams, 1, WORKLOAD_STREAMS_MAX, err);
	if (ret == 0)
		ret = check_range("seconds", w->seconds, 1, WORKLOAD_SECONDS_MAX, err);
	if (ret == 0)
		ret = check_range("pacing", w->pacing_us, 1, WORKLOAD_PACING_MAX_US, err);
	if (ret == 0 && w->kind == WORKLOAD_RR)
		ret = check_rr(w, err);
	if (ret < 0)
		return ret;
	if (w->kind == WORKLOAD_UDP && w->rate_bps == 0)
		return error_usage(err, "udp needs a rate, as in udp:tx:1k@100M");
	if (w->rate_bps && w->rate_bps / w->streams == 0)
		return error_usage(err, "rate is less than one bit a second per stream");
	if (w->samples && w->kind != WORKLOAD_RR)
		return error_usage(err, "samples are for rr only");
	return 0;
}

/* The shortest text that reads back to the same number: a suffix only where it divides exactly. */
static char *format_scaled(uint64_t value, unsigned step, char *buf, unsigned long size)
{
	static const char *const suffixes[] = {"", "k", "M", "G"};
	unsigned i = 0;

	while (i + 1 < ARRAY_SIZE(suffixes) && value && value % step == 0) {
		value /= step;
		i++;
	}
	(void)snprintf(buf, size, "%llu%s", (unsigned long long)value, suffixes[i]);
	return buf;
}

char *workload_format_bytes(uint64_t bytes, char *buf, unsigned long size)
{
	return format_scaled(bytes, 1024, buf, size);
}

static void append(char *buf, unsigned long size, const char *name, const char *value)
{
	size_t used = strlen(buf);

	(void)snprintf(buf + used, size - used, "%s%s", name, value);
}

static void append_number(
	char *buf, unsigned long size, const char *name, uint32_t value, uint32_t usual)
{
	char text[16];

	if (value == usual)
		return;
	(void)snprintf(text, sizeof(text), "%u", value);
	append(buf, size, name, text);
}

char *workload_format(const struct workload *w, char *buf, unsigned long size)
{
	struct workload usual;
	char text[32];

	workload_default(&usual);
	(void)snprintf(buf, size, "%s:", kind_names[w->kind]);
	if (w->kind != WORKLOAD_RR)
		append(buf, size, dir_names[w->dir], ":");
	append(buf, size, workload_format_bytes(w->buffer_bytes, text, sizeof(text)), "");
	if (w->rate_bps)
		append(buf, size, "@", format_scaled(w->rate_bps, 1000, text, sizeof(text)));
	if (w->window_bytes)
		append(buf, size,
			"/window=", workload_format_bytes(w->window_bytes, text, sizeof(text)));
	append_number(buf, size, "/streams=", w->streams, usual.streams);
	append_number(buf, size, "/seconds=", w->seconds, usual.seconds);
	append_number(buf, size, "/pacing=", w->pacing_us, usual.pacing_us);
	append_number(buf, size, "/samples=", w->samples, usual.samples);
	return buf;
}

char *workload_cell_name(const struct workload *w, char *buf, unsigned long size)
{
	char text[32];

	workload_format_bytes(w->buffer_bytes, text, sizeof(text));
	if (w->kind == WORKLOAD_RR) {
		(void)snprintf(buf, size, "rr %s", text);
		return buf;
	}
	(void)snprintf(buf, size, "%s%s %s", w->kind == WORKLOAD_UDP ? "udp " : "", text,
		dir_names[w->dir]);
	if (w->rate_bps)
		append(buf, size, " @", format_scaled(w->rate_bps, 1000, text, sizeof(text)));
	if (w->window_bytes)
		append(buf, size, " w", workload_format_bytes(w->window_bytes, text, sizeof(text)));
	append_number(buf, size, " x", w->streams, 1);
	return buf;
}

bool workload_equal(const struct workload *a, const struct workload *b)
{
	return a->kind == b->kind && a->dir == b->dir && a->buffer_bytes == b->buffer_bytes &&
	       a->window_bytes == b->window_bytes && a->rate_bps == b->rate_bps &&
	       a->streams == b->streams && a->seconds == b->seconds &&
	       a->pacing_us == b->pacing_us && a->samples == b->samples;
}

#define IPV4_UDP_BYTES	   28u
#define IPV4_TCP_BYTES	   52u /* with time stamps, which Linux uses */
#define WIRE_EXTRA_BYTES   38u /* Ethernet header 14, FCS 4, preamble 8, gap 12 */
#define ETHERNET_MIN_BYTES 46u /* shortest payload of a frame */

bool workload_fragmented(const struct workload *w, unsigned mtu)
{
	return w->kind != WORKLOAD_TCP && w->buffer_bytes + IPV4_UDP_BYTES > mtu;
}

double workload_wire_limit_mbps(const struct workload *w, unsigned speed_mbps, unsigned mtu)
{
	double payload, packet;

	if (!speed_mbps || mtu <= IPV4_TCP_BYTES)
		return 0;
	if (w->kind == WORKLOAD_TCP) {
		payload = mtu - IPV4_TCP_BYTES;
		packet = mtu;
	} else if (workload_fragmented(w, mtu)) {
		/* Near enough: full fragments only, one IP header each. */
		payload = mtu - 20u;
		packet = mtu;
	} else {
		payload = w->buffer_bytes;
		packet = MAX(w->buffer_bytes + IPV4_UDP_BYTES, ETHERNET_MIN_BYTES);
	}
	return speed_mbps * payload / (packet + WIRE_EXTRA_BYTES);
}
