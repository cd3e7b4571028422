/* SPDX-License-Identifier: BSD-2-Clause */
/* Cards as JSON, and the same JSON as text for people. */
#ifndef MODERATO_TUNER_CARD_VIEW_H
#define MODERATO_TUNER_CARD_VIEW_H

#include <jansson.h>

#include "common/chips/card.h"

/** card_list_json() - an array with one object per card: name, family, state, simulated, intmodes,
 * pci ("8086:10d3" ...), note. New reference. */
json_t *card_list_json(void);
/** card_json() - everything known of one card; new reference. Members: docs/man/moderato.1, chips. */
json_t *card_json(const struct card *card);

/** card_list_print() - the list as a table, grouped by family. */
void card_list_print(const json_t *list);
/** card_print() - one card. */
void card_print(const json_t *card);

/** card_lookup() - by name; a usage error names the nearest cards when there is none. */
int card_lookup(const char *name, const struct card **ret_card, struct error *err);

#endif
