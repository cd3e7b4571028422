/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU identity from /proc/cpuinfo. */
#include "bench/cpu_id.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"

#define CORE_KINDS_MAX 8

/* ARM prints numbers only. Names from the implementers' own part lists. */
static const struct {
	unsigned implementer, part;
	const char *name;
} arm_parts[] = {
	{0x41, 0xd03, "Cortex-A53"},
	{0x41, 0xd04, "Cortex-A35"},
	{0x41, 0xd05, "Cortex-A55"},
	{0x41, 0xd07, "Cortex-A57"},
	{0x41, 0xd08, "Cortex-A72"},
	{0x41, 0xd09, "Cortex-A73"},
	{0x41, 0xd0a, "Cortex-A75"},
	{0x41, 0xd0b, "Cortex-A76"},
	{0x41, 0xd0c, "Neoverse N1"},
	{0x41, 0xd40, "Neoverse V1"},
	{0x41, 0xd49, "Neoverse N2"},
	{0x41, 0xd4f, "Neoverse V2"},
	{0x70, 0x662, "FTC662"},
	{0x70, 0x663, "FTC663"},
};

struct arm_core {
	unsigned implementer, part, variant, revision;
	unsigned count;
	bool has_part;
};

struct cpuinfo {
	char vendor[32], model_name[96], hardware[96];
	int family, model, stepping; /* -1: no such line */
	unsigned cpus;
	struct arm_core core[CORE_KINDS_MAX], current;
	unsigned cores;
};

static void copy_value(char *buf, size_t size, const char *value)
{
	if (!buf[0])
		(void)snprintf(buf, size, "%s", value);
}

static bool same_core(const struct arm_core *a, const struct arm_core *b)
{
	return a->implementer == b->implementer && a->part == b->part && a->variant == b->variant &&
	       a->revision == b->revision;
}

/* The lines of one ARM core are complete: count it with its kind. */
static void end_core(struct cpuinfo *info)
{
	unsigned i;

	for (i = 0; info->current.has_part && i < info->cores; i++) {
		if (same_core(&info->core[i], &info->current)) {
			info->core[i].count++;
			info->current = (struct arm_core){0};
		}
	}
	if (info->current.has_part && info->cores < CORE_KINDS_MAX) {
		info->core[info->cores] = info->current;
		info->core[info->cores++].count = 1;
	}
	info->current = (struct arm_core){0};
}

static unsigned number(const char *value)
{
	return (unsigned)strtoul(value, NULL, 0);
}

static void take_line(struct cpuinfo *info, const char *name, const char *value)
{
	/* "processor" counts; "Processor" with a capital letter is a description on old ARM. */
	if (strcmp(name, "processor") == 0) {
		end_core(info);
		info->cpus++;
	} else if (strcmp(name, "vendor_id") == 0) {
		copy_value(info->vendor, sizeof(info->vendor), value);
	} else if (strcmp(name, "cpu family") == 0) {
		info->family = (int)number(value);
	} else if (strcmp(name, "model") == 0) {
		info->model = (int)number(value);
	} else if (strcmp(name, "stepping") == 0) {
		info->stepping = (int)number(value);
	} else if (strcmp(name, "model name") == 0) {
		copy_value(info->model_name, sizeof(info->model_name), value);
	} else if (strcmp(name, "Hardware") == 0) {
		copy_value(info->hardware, sizeof(info->hardware), value);
	} else if (strcmp(name, "CPU implementer") == 0) {
		info->current.implementer = number(value);
	} else if (strcmp(name, "CPU variant") == 0) {
		info->current.variant = number(value);
	} else if (strcmp(name, "CPU revision") == 0) {
		info->current.revision = number(value);
	} else if (strcmp(name, "CPU part") == 0) {
		info->current.part = number(value);
		info->current.has_part = true;
	}
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		*--end = '\0';
	return text + strspn(text, " \t");
}

static void parse_text(const char *text, struct cpuinfo *info)
{
	char line[256];

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *colon;

		(void)snprintf(line, sizeof(line), "%.*s", (int)MIN(len, sizeof(line) - 1), text);
		text += len + (text[len] == '\n');
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		take_line(info, trim(line), trim(colon + 1));
	}
	end_core(info);
}

static void append(char *buf, const char *separator, const char *text)
{
	size_t used = strlen(buf);

	(void)snprintf(buf + used, CPU_ID_TEXT - used, "%s%s", used ? separator : "", text);
}

static const char *arm_part_name(const struct arm_core *core)
{
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(arm_parts); i++)
		if (arm_parts[i].implementer == core->implementer &&
			arm_parts[i].part == core->part)
			return arm_parts[i].name;
	return NULL;
}

static void name_arm(const struct cpuinfo *info, struct cpu_id *id)
{
	char text[96];
	unsigned i;

	for (i = 0; i < info->cores; i++) {
		const struct arm_core *core = &info->core[i];
		const char *known = arm_part_name(core);

		(void)snprintf(text, sizeof(text), "arm-0x%02x-0x%03x-r%up%u", core->implementer,
			core->part, core->variant, core->revision);
		append(id->key, "+", text);
		if (info->cores > 1) {
			char counted[128];

			(void)snprintf(counted, sizeof(counted), "%u x %s", core->count,
				known ? known : text);
			append(id->name, " + ", counted);
		} else {
			append(id->name, "", known ? known : text);
		}
	}
}

static void name_x86(const struct cpuinfo *info, struct cpu_id *id)
{
	(void)snprintf(id->key, sizeof(id->key), "%s-%d-%d-%d", info->vendor, info->family,
		info->model, info->stepping);
	(void)snprintf(
		id->name, sizeof(id->name), "%s", info->model_name[0] ? info->model_name : id->key);
}

static void name_other(
	const struct cpuinfo *info, const char *dt_model, const char *machine, struct cpu_id *id)
{
	if (info->model_name[0])
		append(id->key, "", info->model_name);
	else if (dt_model && dt_model[0])
		append(id->key, "", dt_model);
	else if (info->hardware[0])
		append(id->key, "", info->hardware);
	else
		(void)snprintf(id->key, sizeof(id->key), "unknown-%s", machine);
	(void)snprintf(id->name, sizeof(id->name), "%s", id->key);
}

void cpu_id_parse(
	const char *cpuinfo, const char *dt_model, const char *machine, struct cpu_id *ret_id)
{
	struct cpuinfo info = {.family = -1, .model = -1, .stepping = -1};

	*ret_id = (struct cpu_id){.cpus = 0};
	parse_text(cpuinfo, &info);
	ret_id->cpus = info.cpus;
	if (info.cores)
		name_arm(&info, ret_id);
	else if (info.vendor[0] && info.family >= 0)
		name_x86(&info, ret_id);
	else
		name_other(&info, dt_model, machine, ret_id);
	/* ARM kernels for 32 bits do print a model name beside the numbers; it reads better. */
	if (info.cores == 1 && info.model_name[0] && !arm_part_name(&info.core[0]))
		(void)snprintf(ret_id->name, sizeof(ret_id->name), "%s", info.model_name);
}
