/* SPDX-License-Identifier: BSD-2-Clause */
/* Register file of the simulated chip: access by the table's column, and the registers that act. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/sim/sim_internal.h"

/* enum reg_access plus one, so that 0 means "no such register". */
#define KIND(access) ((uint8_t)((access) + 1))

#define NVM_CHECKSUM_WORD 0x3f
#define NVM_CHECKSUM	  0xbaba /* sum of words 0 to 0x3f [SDM-8254x 5.6] */
#define REG_RAH_LAST	  (REG_RAL0 + 8 * SIM_RA_COUNT)

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
	for (size_t i = 0; i < reg_table_count; i++)
		if (reg_table[i].families & sim->chip->family)
			sim->kind[reg_table[i].offset / 4] = KIND(reg_table[i].access);
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
		uint32_t low = sim_reg(sim, REG_RAL0 + 8 * i), high = sim_reg(sim, REG_RAH0 + 8 * i);
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
	sim->reg[REG_RAL0 / 4] = mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 |
				 (uint32_t)mac[3] << 24;
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
	uint32_t word = small ? value >> EERD_ADDR_SHIFT_SMALL & 0xff :
				value >> EERD_ADDR_SHIFT_LARGE & 0x3fff;
	uint32_t keep = value & (small ? 0xff00u : 0xfffcu);

	if (value & EERD_START)
		keep |= (small ? EERD_DONE_SMALL : EERD_DONE_LARGE) |
			(uint32_t)nvm_word(sim, word) << EERD_DATA_SHIFT;
	sim->reg[REG_EERD / 4] = keep;
}

static uint32_t read_status(const struct sim *sim)
{
	uint32_t value = STATUS_FD, code = 2;

	if (sim->link.speed_mbps < 1000)
		code = sim->link.speed_mbps == 100;
	if (sim->link.up)
		value |= STATUS_LU | code << STATUS_SPEED_SHIFT;
	if (sim->chip->family == FAM_E1000E &&
		!(sim_reg(sim, REG_CTRL) & CTRL_GIO_MASTER_DISABLE))
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
	case KIND(REG_WO): return 0;
	case KIND(REG_RC): sim->reg[offset / 4] = 0; return value;
	default: return value;
	}
}

static bool gone(struct sim *sim)
{
	return sim_fault_strike(sim, SIM_FAULT_ALL_ONES);
}

uint32_t sim_read32(struct sim *sim, uint32_t offset, uint64_t now_ns)
{
	uint32_t value;

	if (gone(sim))
		return ~0u;
	if (offset >= REG_SPACE_BYTES || (offset & 3) || !sim->kind[offset / 4])
		return 0;
	if (sim_moderation_read(&sim->moderation, offset, MAX(now_ns, sim->now_ns), &value))
		return value;
	switch (offset) {
	case REG_STATUS: return read_status(sim);
	case REG_RDBAL: return (uint32_t)sim->rx.ring.base;
	case REG_RDBAH: return (uint32_t)(sim->rx.ring.base >> 32);
	case REG_RDLEN: return sim->rx.ring.bytes;
	case REG_RDH: return sim->rx.ring.head;
	case REG_RDT: return sim->rx.ring.tail;
	case REG_TDBAL: return (uint32_t)sim->tx.ring.base;
	case REG_TDBAH: return (uint32_t)(sim->tx.ring.base >> 32);
	case REG_TDLEN: return sim->tx.ring.bytes;
	case REG_TDH: return sim->tx.ring.head;
	case REG_TDT: return sim->tx.ring.tail;
	case REG_GORCL: return read_octets(&sim->good_rx_octets, false);
	case REG_GORCH: return read_octets(&sim->good_rx_octets, true);
	case REG_GOTCL: return read_octets(&sim->good_tx_octets, false);
	case REG_GOTCH: return read_octets(&sim->good_tx_octets, true);
	default: return read_stored(sim, offset);
	}
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

/* Registers that do something; false: plain storage. */
static bool write_acting(struct sim *sim, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	uint32_t old = sim->reg[offset / 4];

	switch (offset) {
	case REG_EERD: write_eerd(sim, value); return true;
	case REG_EECD: sim->reg[offset / 4] = value | EECD_AUTO_RD; return true;
	case REG_RCTL:
		sim->reg[offset / 4] = value;
		sim_rx_write_rctl(sim, old);
		return true;
	case REG_TCTL:
		sim->reg[offset / 4] = value;
		sim_tx_kick(sim, now_ns);
		return true;
	case REG_RDBAL:
	case REG_RDBAH:
	case REG_RDLEN: sim_ring_write(&sim->rx.ring, offset - REG_RDBAL, value); return true;
	case REG_RDH: sim->rx.ring.head = value & 0xffff; return true;
	case REG_RDT: sim_rx_write_tail(sim, value & 0xffff, now_ns); return true;
	case REG_TDBAL:
	case REG_TDBAH:
	case REG_TDLEN:
	case REG_TDH: sim_tx_write_ring(sim, offset, value); return true;
	case REG_TDT: sim_tx_write_tail(sim, value & 0xffff, now_ns); return true;
	default: return false;
	}
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
	if (sim->in_reset || sim_moderation_write(&sim->moderation, offset, value, now_ns) ||
		write_acting(sim, offset, value, now_ns))
		return;
	sim->reg[offset / 4] = value;
	if (offset >= REG_RAL0 && offset < REG_RAH_LAST)
		load_addresses(sim);
}
