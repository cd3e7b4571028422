/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and writing the members of profile.def, and the tables themselves. */
#include "profiles/field.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/util.h"
#include "common/list.h"
#include "profiles/profile.h"

#define ROW(owner, type, name, required, allowed, meaning)                                         \
	{#name, FIELD_##type, offsetof(struct owner, name), sizeof(((struct owner *)0)->name),     \
		required, allowed, meaning},

static const struct field profile_fields[] = {
#define PROFILE_FIELD(...) ROW(profile, __VA_ARGS__)
#include "profiles/profile.def"
};
static const struct field chip_fields[] = {
#define CHIP_FIELD(...) ROW(profile_chip, __VA_ARGS__)
#include "profiles/profile.def"
};
static const struct field cpu_fields[] = {
#define CPU_FIELD(...) ROW(profile_cpu, __VA_ARGS__)
#include "profiles/profile.def"
};
static const struct field effect_fields[] = {
#define EFFECT_FIELD(...) ROW(profile_effect, __VA_ARGS__)
#include "profiles/profile.def"
};
static const struct field evidence_fields[] = {
#define EVIDENCE_FIELD(...) ROW(profile_evidence, __VA_ARGS__)
#include "profiles/profile.def"
};

const struct field_section section_profile = {"", profile_fields, ARRAY_SIZE(profile_fields),
	"chip cpu setting baseline effects environment evidence"};
const struct field_section section_chip = {"chip", chip_fields, ARRAY_SIZE(chip_fields), ""};
const struct field_section section_cpu = {"cpu", cpu_fields, ARRAY_SIZE(cpu_fields), ""};
const struct field_section section_effect = {
	"effects", effect_fields, ARRAY_SIZE(effect_fields), ""};
const struct field_section section_evidence = {
	"evidence", evidence_fields, ARRAY_SIZE(evidence_fields), "trials"};

void fields_clear(const struct field_section *section, void *base)
{
	for (size_t i = 0; i < section->count; i++) {
		const struct field *f = &section->fields[i];
		char *member = (char *)base + f->offset;

		memset(member, 0, f->size);
		if (f->type == FIELD_INT)
			*(int64_t *)(void *)member = PROFILE_NO_INT;
		else if (f->type == FIELD_NUMBER)
			*(double *)(void *)member = NAN;
	}
}

/* New reference, or NULL with *@ret_absent when there is nothing to write. */
static json_t *field_value(const struct field *f, const void *base, bool *ret_absent)
{
	const void *member = (const char *)base + f->offset;

	*ret_absent = false;
	switch (f->type) {
	case FIELD_STRING:
		*ret_absent = !*(const char *)member && !f->required;
		return *ret_absent ? NULL : json_string(member);
	case FIELD_INT:
		*ret_absent = *(const int64_t *)member == PROFILE_NO_INT;
		return *ret_absent ? NULL : json_integer(*(const int64_t *)member);
	case FIELD_BOOL:
		return json_boolean(*(const bool *)member);
	case FIELD_NUMBER:
		*ret_absent = isnan(*(const double *)member);
		return *ret_absent ? NULL : json_real(*(const double *)member);
	}
	return NULL;
}

int fields_write(const struct field_section *section, const void *base, json_t *object)
{
	for (size_t i = 0; i < section->count; i++) {
		bool absent;
		json_t *value = field_value(&section->fields[i], base, &absent);

		if (!absent && json_object_set_new(object, section->fields[i].name, value))
			return -ENOMEM;
	}
	return 0;
}

static int unknown_member(const struct field_section *section, const char *name, struct error *err)
{
	return error_usage(err, "%s%sunknown member \"%.40s\"", section->name,
		*section->name ? ": " : "", name);
}

static int check_known(const struct field_section *section, json_t *object, struct error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		bool known = list_has(section->others, name, ' ');

		for (size_t i = 0; i < section->count && !known; i++)
			known = !strcmp(section->fields[i].name, name);
		if (!known)
			return unknown_member(section, name, err);
	}
	return 0;
}

static int read_string(const struct field *f, json_t *object, char *member, struct error *err)
{
	const char *text = "";
	int rc = json_member_string(object, f->name, f->required, &text, err);

	if (rc)
		return rc;
	if (strlen(text) >= f->size)
		return error_usage(
			err, "member \"%s\" is longer than %zu bytes", f->name, f->size - 1);
	if (*f->allowed && (*text || f->required) && !list_has(f->allowed, text, '|'))
		return error_usage(
			err, "member \"%s\" is \"%.40s\"; it may be %s", f->name, text, f->allowed);
	(void)snprintf(member, f->size, "%s", text);
	return 0;
}

static int read_field(const struct field *f, json_t *object, void *base, struct error *err)
{
	void *member = (char *)base + f->offset;

	switch (f->type) {
	case FIELD_STRING:
		return read_string(f, object, member, err);
	case FIELD_INT:
		return json_member_int(object, f->name, f->required, member, err);
	case FIELD_BOOL:
		return json_member_bool(object, f->name, f->required, member, err);
	case FIELD_NUMBER:
		return json_member_number(object, f->name, f->required, member, err);
	}
	return -EINVAL;
}

int fields_read(const struct field_section *section, json_t *object, void *base, struct error *err)
{
	int rc;

	if (!json_is_object(object))
		return error_usage(err, "%s must be an object",
			*section->name ? section->name : "the profile");
	fields_clear(section, base);
	rc = check_known(section, object, err);
	for (size_t i = 0; i < section->count && !rc; i++) {
		rc = read_field(&section->fields[i], object, base, err);
		if (rc && *section->name)
			error_context(err, "%s", section->name);
	}
	return rc;
}
