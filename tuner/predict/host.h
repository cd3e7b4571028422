/* SPDX-License-Identifier: BSD-2-Clause */
/* A host model: what a machine pays for network work, and how its system behaves. */
#ifndef MODERATO_TUNER_PREDICT_HOST_H
#define MODERATO_TUNER_PREDICT_HOST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

#define HOST_SCHEMA "moderato-host-1"

enum host_cost {
#define HOST_COST(id, key, unit, min, max, meaning) HOST_COST_##id,
#include "tuner/predict/host.def"
	HOST_COST_COUNT
};

enum host_rule {
#define HOST_RULE(id, key, unit, initial, min, max, meaning) HOST_RULE_##id,
#include "tuner/predict/host.def"
	HOST_RULE_COUNT
};

enum host_peer {
#define HOST_PEER(id, key, unit, initial, min, max, meaning) HOST_##id,
#include "tuner/predict/host.def"
	HOST_PEER_COUNT
};

/* A row of host.def. */
struct host_member {
	const char *key, *unit, *meaning;
	double initial, min, max; /* a cost has no initial value: the file must give it */
};
extern const struct host_member host_cost_table[HOST_COST_COUNT];
extern const struct host_member host_rule_table[HOST_RULE_COUNT];
extern const struct host_member host_peer_table[HOST_PEER_COUNT];

struct host_value {
	double value;
	double min, max; /* where a fit may put it */
	bool fixed;	 /* known otherwise: a fit leaves it alone */
	char source[256];
};

struct host {
	char name[64];
	char about[512];
	struct host_value cost[HOST_COST_COUNT];
	double rule[HOST_RULE_COUNT];
	double peer[HOST_PEER_COUNT];
	/* Free text of the file, kept when it is written again; owned, may be NULL. */
	json_t *sources;
	json_t *fit;
};

/**
 * host_parse() - from a host file's JSON
 * Every cost must be there; a rule or peer member that is not has its initial value.
 * Return: 0; a usage error that names the member: missing, unknown, no number, negative, outside
 * its range.
 */
int host_parse(json_t *json, struct host *ret_host, struct error *err);
/**
 * host_load() - by name ("iq80321": one of those shipped) or by path (has a "/" or ends in .json)
 * Return: 0, or an error with the file's name in front.
 */
int host_load(const char *name, struct host *ret_host, struct error *err);
/** host_find_file() - path of a shipped file below profiles/ ("hosts/iq80321.json"): beside the
 * installed or the built program, or below MODERATO_DATA. Return: 0 or -ENOENT. */
int host_find_file(const char *name, char *ret_path, size_t size, struct error *err);
/** host_json() - the file's content; new reference. Numbers are rounded to four digits. */
json_t *host_json(const struct host *host);
void host_clear(struct host *host);

#endif
