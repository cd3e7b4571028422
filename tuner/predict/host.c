/* SPDX-License-Identifier: BSD-2-Clause */
/* Host models: their JSON files, read with every member checked. */
#include "tuner/predict/host.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"
#include "common/nearest.h"
#include "common/util.h"

const struct host_member host_cost_table[HOST_COST_COUNT] = {
#define HOST_COST(id, key, unit, min, max, meaning) {key, unit, meaning, NAN, min, max},
#include "tuner/predict/host.def"
};
const struct host_member host_rule_table[HOST_RULE_COUNT] = {
#define HOST_RULE(id, key, unit, initial, min, max, meaning) {key, unit, meaning, initial, min, max},
#include "tuner/predict/host.def"
};
const struct host_member host_peer_table[HOST_PEER_COUNT] = {
#define HOST_PEER(id, key, unit, initial, min, max, meaning) {key, unit, meaning, initial, min, max},
#include "tuner/predict/host.def"
};

/* A member that is no number, negative or out of its range is refused by name. */
static int check_number(json_t *value, const char *group, const struct host_member *member,
	double min, double max, double *ret, struct error *err)
{
	double number;

	if (!json_is_number(value))
		return error_usage(err, "%s.%s must be a number", group, member->key);
	number = json_number_value(value);
	if (number < 0)
		return error_usage(err, "%s.%s is %g: a cost cannot be negative", group, member->key,
			number);
	if (number < min || number > max)
		return error_usage(err, "%s.%s is %g: the range is %g to %g %s", group, member->key,
			number, min, max, member->unit);
	*ret = number;
	return 0;
}

static int check_names(json_t *object, const char *group, const struct host_member *table,
	size_t count, struct error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		struct nearest nearest = {.wanted = name};
		size_t i = 0;

		while (i < count && strcmp(table[i].key, name))
			nearest_offer(&nearest, table[i++].key);
		if (i < count)
			continue;
		return nearest.best ? error_usage(err, "unknown member %s.%.40s: did you mean %s?",
					      group, name, nearest.best)
				    : error_usage(err, "unknown member %s.%.40s", group, name);
	}
	return 0;
}

static int read_range(json_t *object, const struct host_member *member, struct host_value *ret,
	struct error *err)
{
	int r = json_member_number(object, "min", false, &ret->min, err);

	r = r ?: json_member_number(object, "max", false, &ret->max, err);
	if (r)
		return error_context(err, "costs.%s", member->key);
	if (ret->min < member->min || ret->max > member->max || ret->min > ret->max)
		return error_usage(err, "costs.%s: the range %g to %g is not within %g to %g %s",
			member->key, ret->min, ret->max, member->min, member->max, member->unit);
	return 0;
}

static int check_cost_members(json_t *object, const struct host_member *member, struct error *err)
{
	static const char *const names[] = {"value", "min", "max", "fixed", "source"};
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		size_t i = 0;

		while (i < ARRAY_SIZE(names) && strcmp(names[i], name))
			i++;
		if (i == ARRAY_SIZE(names))
			return error_usage(err, "unknown member costs.%s.%.40s: value, min, max, "
						"fixed and source are known", member->key, name);
	}
	return 0;
}

static int read_cost(
	json_t *object, const struct host_member *member, struct host_value *ret, struct error *err)
{
	const char *source = "";
	int r;

	if (!object)
		return error_usage(err, "costs.%s is missing: %s, in %s", member->key,
			member->meaning, member->unit);
	if (!json_is_object(object))
		return error_usage(err, "costs.%s must be an object with value, min, max and source",
			member->key);
	*ret = (struct host_value){.min = member->min, .max = member->max};
	r = check_cost_members(object, member, err);
	r = r ?: read_range(object, member, ret, err);
	r = r ?: json_member_bool(object, "fixed", false, &ret->fixed, err);
	r = r ?: json_member_string(object, "source", false, &source, err);
	if (r)
		return r;
	if (!json_object_get(object, "value"))
		return error_usage(err, "costs.%s.value is missing", member->key);
	(void)snprintf(ret->source, sizeof(ret->source), "%s", source);
	return check_number(json_object_get(object, "value"), "costs", member, ret->min, ret->max,
		&ret->value, err);
}

static int read_costs(json_t *json, struct host *host, struct error *err)
{
	json_t *costs = json_object_get(json, "costs");
	int r;

	if (!json_is_object(costs))
		return error_usage(err, "the member costs must be an object");
	r = check_names(costs, "costs", host_cost_table, HOST_COST_COUNT, err);
	for (unsigned i = 0; !r && i < HOST_COST_COUNT; i++)
		r = read_cost(json_object_get(costs, host_cost_table[i].key), &host_cost_table[i],
			&host->cost[i], err);
	return r;
}

/* "rules" and "peer": plain numbers, each with an initial value. */
static int read_plain(json_t *json, const char *group, const struct host_member *table,
	size_t count, double *ret, struct error *err)
{
	json_t *object = json_object_get(json, group);
	int r;

	for (size_t i = 0; i < count; i++)
		ret[i] = table[i].initial;
	if (!object)
		return 0;
	if (!json_is_object(object))
		return error_usage(err, "the member %s must be an object", group);
	r = check_names(object, group, table, count, err);
	for (size_t i = 0; !r && i < count; i++) {
		json_t *value = json_object_get(object, table[i].key);

		if (value)
			r = check_number(value, group, &table[i], table[i].min, table[i].max,
				&ret[i], err);
	}
	return r;
}

static int read_head(json_t *json, struct host *host, struct error *err)
{
	static const char *const names[] = {"schema", "name", "about", "costs", "rules", "peer",
		"sources", "fit"};
	const char *schema, *text, *about = "", *name;
	json_t *value;
	int r;

	if (!json_is_object(json))
		return error_usage(err, "a host file is a JSON object");
	json_object_foreach (json, name, value) {
		size_t i = 0;

		while (i < ARRAY_SIZE(names) && strcmp(names[i], name))
			i++;
		if (i == ARRAY_SIZE(names))
			return error_usage(err, "unknown member %.40s", name);
	}
	r = json_member_string(json, "schema", true, &schema, err);
	r = r ?: json_member_string(json, "name", true, &text, err);
	r = r ?: json_member_string(json, "about", false, &about, err);
	if (r)
		return r;
	if (strcmp(schema, HOST_SCHEMA))
		return error_usage(err, "the schema is \"%.40s\", not \"" HOST_SCHEMA "\"", schema);
	(void)snprintf(host->name, sizeof(host->name), "%s", text);
	(void)snprintf(host->about, sizeof(host->about), "%s", about);
	return 0;
}

int host_parse(json_t *json, struct host *ret_host, struct error *err)
{
	struct host host = {.name = ""};
	int r = read_head(json, &host, err);

	r = r ?: read_costs(json, &host, err);
	r = r ?: read_plain(json, "rules", host_rule_table, HOST_RULE_COUNT, host.rule, err);
	r = r ?: read_plain(json, "peer", host_peer_table, HOST_PEER_COUNT, host.peer, err);
	if (r)
		return r;
	host.sources = json_incref(json_object_get(json, "sources"));
	host.fit = json_incref(json_object_get(json, "fit"));
	*ret_host = host;
	return 0;
}

void host_clear(struct host *host)
{
	json_decref(host->sources);
	json_decref(host->fit);
	memset(host, 0, sizeof(*host));
}

/* Beside an installed program, beside a built one, or where the environment says. */
int host_find_file(const char *name, char *ret_path, size_t size, struct error *err)
{
	const char *data = getenv("MODERATO_DATA");
	const char *const places[] = {"../share/moderato", "../../profiles"};
	char exe[256];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (data) {
		(void)snprintf(ret_path, size, "%s/%s", data, name);
		if (!access(ret_path, R_OK))
			return 0;
	}
	exe[MAX(len, 0)] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (unsigned i = 0; slash && i < ARRAY_SIZE(places); i++) {
		(void)snprintf(ret_path, size, "%s/%s/%s", exe, places[i], name);
		if (!access(ret_path, R_OK))
			return 0;
	}
	return error_usage(err, "no file %s among those that came with moderato (MODERATO_DATA=DIR "
				"names another place)", name);
}

int host_load(const char *name, struct host *ret_host, struct error *err)
{
	char file[128], path[512];
	json_t *json;
	int r;

	if (strchr(name, '/') || strstr(name, ".json")) {
		(void)snprintf(path, sizeof(path), "%s", name);
	} else {
		(void)snprintf(file, sizeof(file), "hosts/%.100s.json", name);
		r = host_find_file(file, path, sizeof(path), err);
		if (r < 0)
			return r;
	}
	r = json_read_file(path, &json, err);
	if (r < 0)
		return r;
	r = host_parse(json, ret_host, err);
	json_decref(json);
	return r < 0 ? error_context(err, "host file %s", path) : 0;
}

/* Four significant digits: more would pretend, and would not survive another compiler. */
static json_t *rounded(double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.4g", value);
	value = strtod(text, NULL);
	return value == floor(value) && fabs(value) < 1e9 ? json_integer((json_int_t)value)
							   : json_real(value);
}

static json_t *cost_json(const struct host_value *cost)
{
	json_t *object = json_object();

	json_object_set_new(object, "value", rounded(cost->value));
	json_object_set_new(object, "min", rounded(cost->min));
	json_object_set_new(object, "max", rounded(cost->max));
	if (cost->fixed)
		json_object_set_new(object, "fixed", json_true());
	json_object_set_new(object, "source", json_string(cost->source));
	return object;
}

static json_t *integer_or_exact(double value)
{
	return value == floor(value) ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *plain_json(const struct host_member *table, size_t count, const double *values)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, table[i].key, integer_or_exact(values[i]));
	return object;
}

json_t *host_json(const struct host *host)
{
	json_t *json = json_object(), *costs = json_object();

	json_object_set_new(json, "schema", json_string(HOST_SCHEMA));
	json_object_set_new(json, "name", json_string(host->name));
	json_object_set_new(json, "about", json_string(host->about));
	for (unsigned i = 0; i < HOST_COST_COUNT; i++)
		json_object_set_new(costs, host_cost_table[i].key, cost_json(&host->cost[i]));
	json_object_set_new(json, "costs", costs);
	json_object_set_new(
		json, "rules", plain_json(host_rule_table, HOST_RULE_COUNT, host->rule));
	json_object_set_new(json, "peer", plain_json(host_peer_table, HOST_PEER_COUNT, host->peer));
	if (host->sources)
		json_object_set(json, "sources", host->sources);
	if (host->fit)
		json_object_set(json, "fit", host->fit);
	return json;
}
