/* SPDX-License-Identifier: BSD-2-Clause */
/* Register file of the simulated chip: access by the table's column, and the registers that act. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/sim/sim_internal.h"

/* enum reg_access plus one, so that 0 means "no such register"; or the moderation core's. */
#define KIND(access)	((uint8_t)((access) + 1))
#define KIND_MODERATION ((uint8_t)0x80)

#define NVM_CHECKSUM_WORD 0x3f
#define NVM_CHECKSUM	  0xbaba /* sum of words 0 to 0x3f [SDM-8254x 5.6] */
#define REG_RAH_LAST	  (REG_RAL0 + 8 * SIM_RA_COUNT)
#define INDEX_MASK	  0xffffu /* RDH, RDT, TDH, TDT */

static void map_block(struct sim *sim, uint32_t offset, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		sim->kind[offset / 4 + i] = KIND(REG_RW);
}

int sim_regs_init(struct sim *sim)
{
	sim->reg = calloc(REG_SPACE_BYTES / 4, sizeof(*sim->reg));
	sim->kind = calloc(REG_SPACE_BYTES / 4, sizeof(*sim->kind));
	if (!sim->reg || !sim->kind)
		return -ENOMEM;
	for (size_t i = 0; i < reg_table_count; i++) {
		const struct reg_info *reg = &reg_table[i];

		if (reg->families & sim->chip->family)
			sim->kind[reg->offset / 4] = sim_moderation_owns(reg->offset)
							     ? KIND_MODERATION
							     : KIND(reg->access);
	}
	map_block(sim, REG_MTA, REG_MTA_WORDS);
	map_block(sim, REG_VFTA, REG_VFTA_WORDS);
	map_block(sim, REG_RAL0, 2 * SIM_RA_COUNT);
	return 0;
}

void sim_regs_fini(struct sim *sim)
{
	free(sim->reg);
	free(sim->kind);
}

/* What receive filtering needs of RAL and RAH. */
static void load_addresses(struct sim *sim)
{
	sim->address_count = 0;
	for (unsigned i = 0; i < SIM_RA_COUNT; i++) {
		uint32_t low = sim_reg(sim, REG_RAL0 + 8 * i),
			 high = sim_reg(sim, REG_RAH0 + 8 * i);
		uint8_t mac[8] = {(uint8_t)low, (uint8_t)(low >> 8), (uint8_t)(low >> 16),
			(uint8_t)(low >> 24), (uint8_t)high, (uint8_t)(high >> 8)};

		if (high & RAH_AV)
			memcpy(&sim->address[sim->address_count++], mac, sizeof(mac));
	}
}

/* MTA and VFTA are memory that a reset leaves alone. */
void sim_regs_reset(struct sim *sim)
{
	memset(sim->reg, 0, REG_MTA);
	memset(sim->reg + REG_RAL0 / 4, 0, (REG_VFTA - REG_RAL0));
	memset(sim->reg + (REG_VFTA + 4 * REG_VFTA_WORDS) / 4, 0,
		REG_SPACE_BYTES - REG_VFTA - 4 * REG_VFTA_WORDS);
	sim->reg[REG_PBA / 4] = sim->chip->rx_pba_kib;
	sim->good_rx_octets = 0;
	sim->good_tx_octets = 0;
	load_addresses(sim);
}

/* The NVM has been read: address 0 is valid again, EECD says so. */
void sim_regs_end_reset(struct sim *sim)
{
	const uint8_t *mac = sim->options.mac;

	sim->reg[REG_CTRL / 4] = CTRL_FD;
	sim->reg[REG_EECD / 4] = EECD_AUTO_RD;
	sim->reg[REG_RAL0 / 4] =
		mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24;
	sim->reg[REG_RAH0 / 4] = RAH_AV | mac[4] | (uint32_t)mac[5] << 8;
	load_addresses(sim);
}

static uint16_t nvm_word(const struct sim *sim, uint32_t word)
{
	const uint8_t *mac = sim->options.mac;
	uint32_t sum = 0;

	if (word < 3)
		return (uint16_t)(mac[2 * word] | mac[2 * word + 1] << 8);
	if (word != NVM_CHECKSUM_WORD)
		return 0;
	for (uint32_t i = 0; i < 3; i++)
		sum += nvm_word(sim, i);
	return (uint16_t)(NVM_CHECKSUM - sum);
}

static void write_eerd(struct sim *sim, uint32_t value)
{
	bool small = sim->chip->eerd == EERD_SMALL;
	uint32_t word = small ? value >> EERD_ADDR_SHIFT_SMALL & 0xff
			      : value >> EERD_ADDR_SHIFT_LARGE & 0x3fff;
	uint32_t keep = value & (small ? 0xff00u : 0xfffcu);

	if (value & EERD_START)
		keep |= (small ? EERD_DONE_SMALL : EERD_DONE_LARGE) | (uint32_t)nvm_word(sim, word)
									      << EERD_DATA_SHIFT;
	sim->reg[REG_EERD / 4] = keep;
}

static uint32_t read_status(const struct sim *sim)
{
	uint32_t value = STATUS_FD, code = 2;

	if (sim->link.speed_mbps < 1000)
		code = sim->link.speed_mbps == 100;
	if (sim->link.up)
		value |= STATUS_LU | code << STATUS_SPEED_SHIFT;
	if (sim->chip->family == FAM_E1000E && !(sim_reg(sim, REG_CTRL) & CTRL_GIO_MASTER_DISABLE))
		value |= STATUS_GIO_MASTER_ENABLE;
	return value;
}

/* 64-bit octet counters: both halves clear when the high one is read [SDM-8254x 13.7.30]. */
static uint32_t read_octets(uint64_t *octets, bool high)
{
	uint64_t value = *octets;

	if (!high)
		return (uint32_t)value;
	*octets = 0;
	return (uint32_t)(value >> 32);
}

static uint32_t read_stored(struct sim *sim, uint32_t offset)
{
	uint32_t value = sim->reg[offset / 4];

	switch (sim->kind[offset / 4]) {
	case KIND(REG_WO):
		return 0;
	case KIND(REG_RC):
		sim->reg[offset / 4] = 0;
		return value;
	default:
		return value;
	}
}

/* @which: distance from the base address register, the same in both directions. */
static uint32_t read_ring(const struct sim_ring *ring, uint32_t which)
{
	switch (which) {
	case RING_BASE_LOW:
		return (uint32_t)ring->base;
	case RING_BASE_HIGH:
		return (uint32_t)(ring->base >> 32);
	case RING_BYTES:
		return ring->bytes;
	case RING_HEAD:
		return ring->head;
	default:
		return ring->tail;
	}
}

static uint32_t read_acting(struct sim *sim, uint32_t offset)
{
	switch (offset) {
	case REG_STATUS:
		return read_status(sim);
	case REG_RDBAL:
	case REG_RDBAH:
	case REG_RDLEN:
	case REG_RDH:
	case REG_RDT:
		return read_ring(&sim->rx.ring, offset - REG_RDBAL);
	case REG_TDBAL:
	case REG_TDBAH:
	case REG_TDLEN:
	case REG_TDH:
	case REG_TDT:
		return read_ring(&sim->tx.ring, offset - REG_TDBAL);
	case REG_GORCL:
	case REG_GORCH:
		return read_octets(&sim->good_rx_octets, offset == REG_GORCH);
	case REG_GOTCL:
	case REG_GOTCH:
		return read_octets(&sim->good_tx_octets, offset == REG_GOTCH);
	default:
		return read_stored(sim, offset);
	}
}

uint32_t sim_read32(struct sim *sim, uint32_t offset, uint64_t now_ns)
{
	uint32_t value = 0;

	if (sim_fault_strike(sim, SIM_FAULT_ALL_ONES))
		return ~0u;
	if (offset >= REG_SPACE_BYTES || (offset & 3) || !sim->kind[offset / 4])
		return 0;
	if (sim->kind[offset / 4] != KIND_MODERATION)
		return read_acting(sim, offset);
	(void)sim_moderation_read(&sim->moderation, offset, MAX(now_ns, sim->now_ns), &value);
	return value;
}

static void write_ctrl(struct sim *sim, uint32_t value, uint64_t now_ns)
{
	uint32_t old = sim_reg(sim, REG_CTRL);

	if (value & CTRL_RST) {
		sim_soft_reset(sim);
		sim->in_reset = true;
		sim->reg[REG_CTRL / 4] = CTRL_RST;
		sim->reset_end_ns = TIME_NEVER;
		if (!sim_fault_strike(sim, SIM_FAULT_STUCK_RESET))
			sim->reset_end_ns = now_ns + (uint64_t)sim->options.reset_us * NS_PER_US;
		return;
	}
	if (sim->in_reset)
		return;
	sim->reg[REG_CTRL / 4] = value;
	sim_link_ctrl(sim, old, now_ns);
	if ((old & ~value) & CTRL_GIO_MASTER_DISABLE)
		sim_tx_kick(sim, now_ns);
}

static void write_ring(struct sim *sim, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	bool transmit = offset >= REG_TDBAL;
	uint32_t which = offset - (transmit ? REG_TDBAL : REG_RDBAL);

	if (which == RING_TAIL && transmit)
		sim_tx_write_tail(sim, value & INDEX_MASK, now_ns);
	else if (which == RING_TAIL)
		sim_rx_write_tail(sim, value & INDEX_MASK, now_ns);
	else if (transmit)
		sim_tx_write_ring(sim, which, value);
	else
		sim_ring_write(&sim->rx.ring, which, value);
}

/* Registers that the moderation core does not own. */
static void write_acting(struct sim *sim, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	uint32_t old = sim->reg[offset / 4];

	switch (offset) {
	case REG_EERD:
		write_eerd(sim, value);
		return;
	case REG_EECD:
		value |= EECD_AUTO_RD;
		break;
	case REG_RDBAL:
	case REG_RDBAH:
	case REG_RDLEN:
	case REG_RDH:
	case REG_RDT:
	case REG_TDBAL:
	case REG_TDBAH:
	case REG_TDLEN:
	case REG_TDH:
	case REG_TDT:
		write_ring(sim, offset, value, now_ns);
		return;
	default:
		break;
	}
	sim->reg[offset / 4] = value;
	if (offset == REG_RCTL)
		sim_rx_write_rctl(sim, old);
	else if (offset == REG_TCTL)
		sim_tx_kick(sim, now_ns);
	else if (offset >= REG_RAL0 && offset < REG_RAH_LAST)
		load_addresses(sim);
}

void sim_write32(struct sim *sim, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	uint8_t kind;

	now_ns = MAX(now_ns, sim->now_ns);
	if (sim_gone(sim) || offset >= REG_SPACE_BYTES || (offset & 3))
		return;
	kind = sim->kind[offset / 4];
	if (!kind || kind == KIND(REG_RO) || kind == KIND(REG_RC))
		return;
	if (offset == REG_CTRL) {
		write_ctrl(sim, value, now_ns);
		return;
	}
	if (sim->in_reset)
		return;
	if (kind == KIND_MODERATION)
		(void)sim_moderation_write(&sim->moderation, offset, value, now_ns);
	else
		write_acting(sim, offset, value, now_ns);
}
