/* SPDX-License-Identifier: BSD-2-Clause */
/* Moving one PCI device between its kernel driver and vfio-pci by driver_override. */
#ifndef MODERATO_TUNER_NIC_MOVE_H
#define MODERATO_TUNER_NIC_MOVE_H

#include "common/pci.h"
#include "tuner/host.h"

/** nic_move_allowed() - may this user move @address? Return: 0, or negative with a sentence. */
int nic_move_allowed(const struct host *host, const char *address, struct error *err);
/** nic_move_load_vfio() - load vfio-pci when it is not there. Return: 0, or negative with a sentence. */
int nic_move_load_vfio(const struct host *host, struct error *err);

/** nic_move_to_vfio() - from whatever driver to vfio-pci. Return: 0, or negative with a sentence;
 * the device may then be with no driver, see nic_move_back(). */
int nic_move_to_vfio(const struct host *host, const char *address, struct error *err);

/**
 * nic_move_back() - clear the override and give the device to the driver it had
 * @driver: that driver, "": none, leave it unbound; NULL: not known, whichever takes it.
 * Works from any state that an interrupted move leaves behind. Return: 0 with the name of the driver
 * that has it now, or negative with a sentence.
 */
int nic_move_back(const struct host *host, const char *address, const char *driver,
	char ret_driver[PCI_DRIVER_BYTES], struct error *err);

#endif
