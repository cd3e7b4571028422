/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the moderation core: acknowledge rules of ICR, masks, timer values. */
#include <stddef.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim_moderation_internal.h"

#define FIELD_MASK 0xffffu
#define RSRPD_MASK 0xfffu      /* width as in QEMU; not found in a manual */
#define EIAC_MASK  0x01f00000u /* [hardware notes 1.1] */

/* Registers that hold a value; those whose write does more are in write_acting(). */
static const struct stored_register {
	uint32_t offset;
	size_t member;
	uint32_t mask;
} stored[] = {
#define STORED(name, member, mask)                                                                 \
	{                                                                                          \
		REG_##name, offsetof(struct sim_moderation, member), mask                          \
	}
	STORED(IMS, ims, ~0u),
	STORED(ITR, itr, FIELD_MASK),
	STORED(EITR0, eitr[0], FIELD_MASK),
	STORED(EITR1, eitr[1], FIELD_MASK),
	STORED(EITR2, eitr[2], FIELD_MASK),
	STORED(EITR3, eitr[3], FIELD_MASK),
	STORED(EITR4, eitr[4], FIELD_MASK),
	STORED(RDTR, rdtr, FIELD_MASK),
	STORED(RADV, radv, FIELD_MASK),
	STORED(TIDV, tidv, FIELD_MASK),
	STORED(TADV, tadv, FIELD_MASK),
	STORED(RAID, raid, FIELD_MASK),
	STORED(RSRPD, rsrpd, RSRPD_MASK),
	STORED(IVAR, ivar, ~0u),
	STORED(EIAC, eiac, EIAC_MASK),
	STORED(IAM, iam, ~0u),
	STORED(CTRL_EXT, ctrl_ext, ~0u),
	STORED(RFCTL, rfctl, ~0u),
#undef STORED
};

/* Statistics: cleared by reading, not writable. */
static const struct counted_register {
	uint32_t offset;
	size_t member;
} counted[] = {
	{REG_IAC, offsetof(struct sim_moderation, iac)},
	{REG_ICRXPTC, offsetof(struct sim_moderation, icrxptc)},
	{REG_ICRXATC, offsetof(struct sim_moderation, icrxatc)},
	{REG_ICTXPTC, offsetof(struct sim_moderation, ictxptc)},
	{REG_ICTXATC, offsetof(struct sim_moderation, ictxatc)},
};

static uint32_t *member_at(struct sim_moderation *m, size_t member)
{
	return (uint32_t *)(void *)((char *)m + member);
}

static const struct stored_register *find_stored(uint32_t offset)
{
	for (size_t i = 0; i < ARRAY_SIZE(stored); i++)
		if (stored[i].offset == offset)
			return &stored[i];
	return NULL;
}

/* The host acknowledged or unmasked @causes: nothing of theirs is raised with an earlier time. */
static void rearm(struct sim_moderation *m, uint32_t causes, uint64_t now_ns)
{
	for (unsigned v = 0; v < SIM_VECTORS; v++)
		if (m->vector[v].causes & causes)
			m->vector[v].rearm_ns = MAX(m->vector[v].rearm_ns, now_ns);
}

/* Acknowledge rules of hardware notes 1.8. */
static uint32_t read_icr(struct sim_moderation *m, uint64_t now_ns)
{
	uint32_t value = m->icr;
	bool asserted = (m->icr & m->ims) != 0;

	if (m->config.family == FAM_E1000E) {
		if (asserted)
			value |= ICR_INT_ASSERTED;
		if (m->ims && !asserted)
			return value;
		if (asserted && (m->ctrl_ext & CTRL_EXT_IAME))
			m->ims &= ~m->iam;
	}
	m->icr = 0;
	rearm(m, ~0u, now_ns);
	moderation_update(m, now_ns);
	return value;
}

bool sim_moderation_read(
	struct sim_moderation *m, uint32_t offset, uint64_t now_ns, uint32_t *ret_value)
{
	const struct stored_register *reg;

	if (offset == REG_ICR) {
		*ret_value = read_icr(m, now_ns);
		return true;
	}
	*ret_value = 0;
	if (offset == REG_ICS || offset == REG_IMC)
		return true;
	reg = find_stored(offset);
	if (reg) {
		*ret_value = *member_at(m, reg->member);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		if (counted[i].offset != offset)
			continue;
		*ret_value = *member_at(m, counted[i].member);
		*member_at(m, counted[i].member) = 0;
		return true;
	}
	return false;
}

/* Causes, masks and routing; false: not one of them. */
static bool write_cause_or_mask(
	struct sim_moderation *m, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	switch (offset) {
	case REG_ICR:
		m->icr &= ~value;
		rearm(m, value, now_ns);
		break;
	case REG_ICS:
		moderation_set_causes(m, value, now_ns);
		return true;
	case REG_IMS:
		m->ims |= value & moderation_cause_mask(m);
		rearm(m, value, now_ns);
		break;
	case REG_IMC:
		m->ims &= ~value;
		break;
	case REG_IVAR:
		m->ivar = value;
		moderation_route(m);
		break;
	default:
		return false;
	}
	moderation_update(m, now_ns);
	return true;
}

/* A delay register was written: bit 31 flushes, 0 stops the absolute timer of its direction. */
static void delay_written(
	struct sim_moderation *m, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	if ((offset == REG_RDTR && !m->rdtr) || (offset == REG_RADV && !m->radv))
		m->rx_absolute_ns = TIME_NEVER;
	if (offset == REG_TADV && !m->tadv)
		m->tx_absolute_ns = TIME_NEVER;
	if (offset == REG_RDTR && (value & RDTR_FPD) && m->rx_packet_ns != TIME_NEVER) {
		m->icrxptc++;
		moderation_expire_rx(m, 0, now_ns);
	}
	if (offset == REG_TIDV && (value & TIDV_FPD) && m->config.family == FAM_E1000E &&
		m->tx_packet_ns != TIME_NEVER) {
		m->ictxptc++;
		moderation_expire_tx(m, now_ns);
	}
	moderation_find_next(m);
}

bool sim_moderation_write(
	struct sim_moderation *m, uint32_t offset, uint32_t value, uint64_t now_ns)
{
	const struct stored_register *reg;

	if (write_cause_or_mask(m, offset, value, now_ns))
		return true;
	reg = find_stored(offset);
	if (!reg)
		return false;
	*member_at(m, reg->member) = value & reg->mask;
	delay_written(m, offset, value, now_ns);
	return true;
}

bool sim_moderation_owns(uint32_t offset)
{
	if (offset == REG_ICR || offset == REG_ICS || offset == REG_IMC || find_stored(offset))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		if (counted[i].offset == offset)
			return true;
	return false;
}
