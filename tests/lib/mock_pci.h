/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine's sysfs, proc and dev in a temporary directory, and the kernel's side of binding. */
#ifndef MODERATO_TESTS_LIB_MOCK_PCI_H
#define MODERATO_TESTS_LIB_MOCK_PCI_H

#include "tuner/host.h"

#define MOCK_DEVICES_MAX 16

struct mock_pci {
	char root[64], sysfs[80], proc[80], dev[80];
	struct host host; /* of this tree */
	struct {
		char address[16];
		const char *native; /* driver that takes it without an override, NULL: none */
	} device[MOCK_DEVICES_MAX];
	unsigned count;
	unsigned writes;      /* to sysfs so far */
	bool vfio_refuses;    /* vfio-pci is loaded and its probe fails */
	bool modules;	      /* modprobe finds what it is asked for */
	unsigned die_at;      /* from this write on all fail, 0: never */
	bool dies;	      /* and the process ends there, as from kill -9 */
	const char *addressed, *addresses; /* an interface and what addresses_of() says of it */
	const char *ssh_ifname; /* who owns the session's address, NULL: nobody */
};

/** mock_pci_init() - drivers e1000e, igb and vfio-pci, no device, no route. */
void mock_pci_init(struct mock_pci *mock);
void mock_pci_fini(struct mock_pci *mock);

/** mock_pci_add() - a device with its kernel driver bound; @group -1: none; @driver NULL: none. */
void mock_pci_add(struct mock_pci *mock, const char *address, unsigned ids, unsigned class_code,
	int group, const char *driver);
/** mock_pci_rebind() - move the driver link by hand; NULL: to nothing. */
void mock_pci_rebind(struct mock_pci *mock, const char *address, const char *driver);
/** mock_pci_interface() - an interface of the device, or of none (NULL), up at 1000 Mb/s. */
void mock_pci_interface(struct mock_pci *mock, const char *ifname, const char *address);
/** mock_pci_route() - the IPv4 default route. */
void mock_pci_route(struct mock_pci *mock, const char *ifname);
/** mock_pci_file() / mock_pci_link() - below the root, with the directories on the way. */
void mock_pci_file(struct mock_pci *mock, const char *name, const char *text);
void mock_pci_link(struct mock_pci *mock, const char *name, const char *target);
/** mock_pci_driver() - name of the bound driver, "" for none; valid until the next call. */
const char *mock_pci_driver(struct mock_pci *mock, const char *address);
/** mock_pci_override() - present text of driver_override; valid until the next call. */
const char *mock_pci_override(struct mock_pci *mock, const char *address);

#endif
