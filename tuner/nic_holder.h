/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process has an IOMMU group open. */
#ifndef MODERATO_TUNER_NIC_HOLDER_H
#define MODERATO_TUNER_NIC_HOLDER_H

#include <stdbool.h>

#include "tuner/host.h"

struct nic_holder {
	int pid;
	char name[32];
};

/** nic_holder_find() - the first process with the node of @group open; false: none that this user
 * may look into. */
bool nic_holder_find(const struct host *host, int group, struct nic_holder *ret_holder);

#endif
