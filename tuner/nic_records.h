/* SPDX-License-Identifier: BSD-2-Clause */
/* Which NICs moderato took from the kernel's drivers: kept in the state directory, so that a crash
 * or another day's command can give them back. */
#ifndef MODERATO_TUNER_NIC_RECORDS_H
#define MODERATO_TUNER_NIC_RECORDS_H

#include <jansson.h>

#include "common/pci.h"
#include "tuner/host.h"

struct nic_record {
	char address[PCI_ADDRESS_BYTES];
	char driver[PCI_DRIVER_BYTES];	/* that it had before, "": none */
	char taken_for[PCI_ADDRESS_BYTES]; /* the device that `bind` was asked for */
};

/** nic_records_read() - all records as a new reference; none yet is an empty list.
 * Return: 0, or negative with a sentence (unreadable file, no rights). */
int nic_records_read(const struct host *host, json_t **ret_records, struct error *err);

/** nic_records_lock() - makes the state directory and keeps other commands out until the descriptor
 * is closed. Return: the descriptor, or negative with a sentence. */
int nic_records_lock(const struct host *host, struct error *err);

/** nic_records_write() - replaces the file at once, on disk before this returns. */
int nic_records_write(const struct host *host, json_t *records, struct error *err);

/** nic_records_get() - the record of @address. Return: 0 or -ENOENT. */
int nic_records_get(const json_t *records, const char *address, struct nic_record *ret_record);
/** nic_records_put() - add, or replace one of the same address. */
void nic_records_put(json_t *records, const struct nic_record *record);
/** nic_records_drop() - forget @address. */
void nic_records_drop(json_t *records, const char *address);

#endif
