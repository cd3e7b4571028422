/* SPDX-License-Identifier: BSD-2-Clause */
/* The chip's own counters, which clear when read, added up in ours. */
#include "driver/nic.h"

#include "common/util.h"
#include "driver/nic_private.h"

static const struct {
	uint32_t reg;
	size_t counter; /* offset in struct nic_counters */
} statistics[] = {
	{REG_MPC, offsetof(struct nic_counters, rx_missed)},
	{REG_RNBC, offsetof(struct nic_counters, rx_no_buffer)},
	{REG_CRCERRS, offsetof(struct nic_counters, rx_crc_error)},
	{REG_RXERRC, offsetof(struct nic_counters, rx_phy_error)},
	{REG_RLEC, offsetof(struct nic_counters, rx_length_error)},
	{REG_RUC, offsetof(struct nic_counters, rx_length_error)},
	{REG_ROC, offsetof(struct nic_counters, rx_length_error)},
};

void nic_collect_statistics(struct nic *nic)
{
	if (nic->bus->dead || (nic->state != NIC_RUNNING && nic->state != NIC_LINK_WAIT))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		uint64_t *counter = (uint64_t *)((char *)&nic->counters + statistics[i].counter);
		uint32_t value = nic_read(nic, statistics[i].reg);

		if (value == UINT32_MAX) { /* no count that can be */
			if (!nic_answers(nic, "statistics"))
				return;
			continue;
		}
		*counter += value;
	}
}

void nic_forget_statistics(struct nic *nic)
{
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++)
		(void)nic_read(nic, statistics[i].reg);
}
