/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive filters: RAL and RAH, the multicast hash table, RCTL.UPE and MPE. */
#include "driver/nic_filter.h"

#include <errno.h>
#include <string.h>

#include "driver/nic_private.h"

#define HASH_BITS_PER_WORD 32

/* With RCTL.MO 0: bits 47 to 36 of the address, of which the first byte on the wire is the lowest; the upper
 * seven choose the word [SDM-8254x 13.4.22 and 13.5.1]. */
static unsigned hash_of(const uint8_t group[6])
{
	return (unsigned)group[5] << 4 | group[4] >> 4;
}

static void hash_table(const struct nic_filter *filter, uint32_t ret_table[REG_MTA_WORDS])
{
	memset(ret_table, 0, REG_MTA_WORDS * sizeof(ret_table[0]));
	for (unsigned i = 0; i < filter->group_count; i++) {
		unsigned hash = hash_of(filter->group[i]);

		ret_table[hash / HASH_BITS_PER_WORD] |= 1u << hash % HASH_BITS_PER_WORD;
	}
}

/* Early chips lose one of two writes that follow at once: the read posts it. */
static void write_table_word(struct nic *nic, unsigned i, uint32_t value)
{
	nic_write(nic, REG_MTA + 4 * i, value);
	if (nic->chip->family == FAM_E1000)
		(void)nic_read(nic, REG_STATUS);
}

static void write_address(struct nic *nic)
{
	const uint8_t *mac = nic->filter.mac;

	nic_write(nic, REG_RAH0, 0); /* valid bit first when clearing, last when setting [SDM-8254x 13.5.3] */
	nic_write(nic, REG_RAL0,
		  mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24);
	nic_write(nic, REG_RAH0, mac[4] | (uint32_t)mac[5] << 8 | RAH_AV);
}

/* The other addresses and the tables are RAM of undefined content. */
void nic_filter_start(struct nic *nic)
{
	nic_write(nic, REG_VET, 0x8100);
	for (unsigned i = 0; i < REG_VFTA_WORDS; i++)
		nic_write(nic, REG_VFTA + 4 * i, 0);
	write_address(nic);
	for (unsigned i = 1; i < REG_RA_COUNT; i++) {
		nic_write(nic, REG_RAH0 + 8 * i, 0);
		nic_write(nic, REG_RAL0 + 8 * i, 0);
	}
	hash_table(&nic->filter, nic->hash_table);
	for (unsigned i = 0; i < REG_MTA_WORDS; i++)
		write_table_word(nic, i, nic->hash_table[i]);
}

uint32_t nic_filter_rctl(const struct nic *nic)
{
	return nic->filter.promiscuous	 ? RCTL_UPE | RCTL_MPE :
	       nic->filter.all_multicast ? RCTL_MPE :
					   0;
}

/* Only what differs: QEMU's e1000 receives nothing for a second after every write of RCTL. */
static void apply(struct nic *nic)
{
	uint32_t table[REG_MTA_WORDS], rctl = nic_read(nic, REG_RCTL), wanted;

	hash_table(&nic->filter, table);
	for (unsigned i = 0; i < REG_MTA_WORDS; i++)
		if (table[i] != nic->hash_table[i])
			write_table_word(nic, i, table[i]);
	memcpy(nic->hash_table, table, sizeof(table));
	wanted = (rctl & ~(RCTL_UPE | RCTL_MPE)) | nic_filter_rctl(nic);
	if (rctl != UINT32_MAX && wanted != rctl)
		nic_write(nic, REG_RCTL, wanted);
}

int nic_set_filter(struct nic *nic, const struct nic_filter *filter)
{
	static const uint8_t none[6];
	bool other_mac = memcmp(filter->mac, nic->filter.mac, 6) != 0;

	if ((filter->mac[0] & 1) || !memcmp(filter->mac, none, 6) || filter->group_count > NIC_GROUPS_MAX)
		return -EINVAL;
	nic->filter = *filter;
	if (nic->bus->dead || (nic->state != NIC_RUNNING && nic->state != NIC_LINK_WAIT))
		return 0;
	if (other_mac)
		write_address(nic);
	apply(nic);
	return 0;
}

const struct nic_filter *nic_filter_of(const struct nic *nic)
{
	return &nic->filter;
}
