/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of one JSON object as a table: reading with checks, and writing, in table order. */
#ifndef MODERATO_PROFILES_FIELD_H
#define MODERATO_PROFILES_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum field_type { FIELD_STRING, FIELD_INT, FIELD_BOOL, FIELD_NUMBER };

struct field {
	const char *name;
	enum field_type type;
	size_t offset; /* in the struct */
	size_t size;   /* of the member */
	bool required;
	const char *allowed; /* strings: values separated by '|', "" = any */
	const char *meaning;
};

/* One section of profile.def: its name in the file ("" = top level), its fields. */
struct field_section {
	const char *name;
	const struct field *fields;
	size_t count;
	const char *others; /* members read elsewhere, separated by spaces */
};

extern const struct field_section section_profile, section_chip, section_cpu, section_effect,
	section_evidence;

/** fields_clear() - every field absent. */
void fields_clear(const struct field_section *section, void *base);
/** fields_write() - present fields into @object, in table order. Return 0 or -ENOMEM. */
int fields_write(const struct field_section *section, const void *base, json_t *object);
/**
 * fields_read() - the reverse: wrong type, missing, unknown member, or a value that is not allowed
 * is a usage error naming "section.member"
 */
int fields_read(const struct field_section *section, json_t *object, void *base, struct error *err);

#endif
