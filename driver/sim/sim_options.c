/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a simulated device: the text after "sim:". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/nearest.h"
#include "driver/sim/sim_internal.h"

#define PEER_USECS_MAX 100000
#define RESET_US_MAX   1000000
#define LINK_US_MAX    10000000

/* Return: 0, or a usage error that names option, value and what is accepted. */
typedef int (*set_fn)(struct sim_options *options, const char *value, struct error *err);

static bool parse_number(const char *text, unsigned long max, unsigned *ret_value)
{
	char *end;
	unsigned long value;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value > max)
		return false;
	*ret_value = (unsigned)value;
	return true;
}

static int set_speed(struct sim_options *options, const char *value, struct error *err)
{
	unsigned speed;

	if (!parse_number(value, 1000, &speed) || (speed != 10 && speed != 100 && speed != 1000))
		return error_usage(err,
			"Option speed of a simulated device cannot be \"%s\"; take 10, 100 or 1000 "
			"(Mb/s)",
			value);
	options->speed_mbps = speed;
	return 0;
}

static int set_msix_rx_timers(struct sim_options *options, const char *value, struct error *err)
{
	if (strcmp(value, "on") && strcmp(value, "off"))
		return error_usage(err,
			"Option msix-rx-timers of a simulated device cannot be \"%s\"; take on or "
			"off",
			value);
	options->msix_rx_timers = !strcmp(value, "on");
	return 0;
}

static int set_wire(struct sim_options *options, const char *value, struct error *err)
{
	if (strcmp(value, "infinite") && strcmp(value, "paced"))
		return error_usage(err,
			"Option wire of a simulated device cannot be \"%s\"; take paced or "
			"infinite",
			value);
	options->infinite_wire = !strcmp(value, "infinite");
	return 0;
}

static int set_usecs(const char *name, const char *value, unsigned long max, unsigned *ret_value,
	struct error *err)
{
	if (parse_number(value, max, ret_value))
		return 0;
	return error_usage(err,
		"Option %s of a simulated device cannot be \"%s\"; take 0 to %lu microseconds",
		name, value, max);
}

static int set_peer_usecs(struct sim_options *options, const char *value, struct error *err)
{
	return set_usecs("peer-usecs", value, PEER_USECS_MAX, &options->peer_usecs, err);
}

static int set_reset_usecs(struct sim_options *options, const char *value, struct error *err)
{
	return set_usecs("reset-usecs", value, RESET_US_MAX, &options->reset_us, err);
}

static int set_link_usecs(struct sim_options *options, const char *value, struct error *err)
{
	return set_usecs("link-usecs", value, LINK_US_MAX, &options->link_us, err);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

static int set_mac(struct sim_options *options, const char *value, struct error *err)
{
	uint8_t mac[6];
	bool good = strlen(value) == 17;

	for (unsigned i = 0; good && i < sizeof(mac); i++) {
		int high = hex_digit(value[3 * i]), low = hex_digit(value[3 * i + 1]);

		good = high >= 0 && low >= 0 && (i == 5 || value[3 * i + 2] == ':');
		mac[i] = (uint8_t)(high * 16 + low);
	}
	if (!good || (mac[0] & 1))
		return error_usage(err,
			"Option mac of a simulated device cannot be \"%s\"; take a unicast address "
			"like 02:00:00:00:00:01",
			value);
	memcpy(options->mac, mac, sizeof(mac));
	return 0;
}

static const struct option_row {
	const char *name;
	set_fn set;
} rows[] = {
	{"speed", set_speed},
	{"msix-rx-timers", set_msix_rx_timers},
	{"wire", set_wire},
	{"peer-usecs", set_peer_usecs},
	{"reset-usecs", set_reset_usecs},
	{"link-usecs", set_link_usecs},
	{"mac", set_mac},
};

static int unknown_option(const char *name, struct error *err)
{
	struct nearest nearest = {.wanted = name};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		nearest_offer(&nearest, rows[i].name);
	if (nearest.best)
		return error_usage(err, "A simulated device has no option \"%s\"; did you mean %s?",
			name, nearest.best);
	return error_usage(err,
		"A simulated device has no option \"%s\"; it has speed, msix-rx-timers, wire, "
		"peer-usecs, reset-usecs, link-usecs and mac",
		name);
}

static int set_option(struct sim_options *options, char *text, struct error *err)
{
	char *value = strchr(text, '=');

	if (!value)
		return error_usage(err,
			"Option \"%s\" of a simulated device has no value; write option=value",
			text);
	*value++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, text))
			return rows[i].set(options, value, err);
	return unknown_option(text, err);
}

static int find_chip(const char *name, const struct chip **ret_chip, struct error *err)
{
	struct nearest nearest = {.wanted = name};
	const struct chip *chip;
	char names[128] = "";

	for (size_t i = 0; (chip = chip_simulated(i)); i++) {
		size_t used = strlen(names);

		if (!strcasecmp(chip->name, name)) {
			*ret_chip = chip;
			return 0;
		}
		nearest_offer(&nearest, chip->name);
		(void)snprintf(
			names + used, sizeof(names) - used, "%s%s", i ? ", " : "", chip->name);
	}
	chip = chip_find(name);
	if (chip)
		return error_usage(err,
			"The %s is driven on real hardware only: give its PCI address; simulated "
			"are %s",
			chip->name, names);
	if (nearest.best)
		return error_usage(err, "There is no simulated chip \"%s\"; did you mean %s?", name,
			nearest.best);
	return error_usage(err, "There is no simulated chip \"%s\"; known are %s", name, names);
}

int sim_options_parse(const char *text, struct sim_options *ret_options, struct error *err)
{
	struct sim_options options = {
		.speed_mbps = 1000,
		.reset_us = 1000,
		.link_us = 2000,
		.mac = {2, 0, 0, 0, 0, 1},
	};
	char copy[256], *rest = copy, *word;
	int error;

	if (strlen(text) >= sizeof(copy))
		return error_usage(err,
			"The options of a simulated device are longer than %zu characters",
			sizeof(copy) - 1);
	strcpy(copy, text);
	word = strsep(&rest, ",");
	error = find_chip(word, &options.chip, err);
	while (!error && (word = strsep(&rest, ",")))
		error = set_option(&options, word, err);
	if (!error)
		*ret_options = options;
	return error;
}
