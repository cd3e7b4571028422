/* SPDX-License-Identifier: BSD-2-Clause */
/* NICs as `moderato devices` shows them: JSON, and a table made from it. */
#ifndef MODERATO_TUNER_NIC_VIEW_H
#define MODERATO_TUNER_NIC_VIEW_H

#include <jansson.h>

#include "tuner/host.h"

/** nic_view_json() - the machine's NICs; @all as nic_scan(). Return: 0 with a new reference, or
 * negative with a sentence. */
int nic_view_json(const struct host *host, bool all, json_t **ret_nics, struct error *err);

/** nic_view_print() - the array as a table, then what only supported NICs have, on stdout. */
void nic_view_print(const json_t *nics);

#endif
