/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt moderation of the simulated chip: delay timers, throttle windows, causes and masks. */
#include "driver/sim/sim_moderation_internal.h"

#include <string.h>

#include "common/clock.h"
#include "common/util.h"

#define THROTTLE_TICK_NS 256  /* ITR, EITRn [SDM-8254x 13.4.18] */
#define DELAY_TICK_NS	 1024 /* RDTR, RADV, TIDV, TADV [SDM-8254x 13.4.30], RAID */

/* Causes that the MSI-X entry OTHER stands for [82574 register lists; QEMU]. MDAC 9, MNG 18. */
#define OTHER_CAUSES (ICR_LSC | ICR_RXO | (1u << 9) | ICR_SRPD | ICR_ACK | (1u << 18))

/* Bits that ICR, ICS, IMS and IMC have [hardware notes 1.4]. */
#define CAUSES_E1000  0x0001ffffu
#define CAUSES_E1000E 0x01f7ffffu

static uint64_t delay_ns(const struct sim_moderation *m, uint32_t ticks)
{
	return (uint64_t)ticks * DELAY_TICK_NS * m->tick_scale;
}

static uint64_t throttle_ns(const struct sim_moderation *m, unsigned vector)
{
	uint32_t ticks = m->mode == INTMODE_MSIX ? m->eitr[vector] : m->itr;

	return (uint64_t)ticks * THROTTLE_TICK_NS * m->tick_scale;
}

static unsigned vector_count(const struct sim_moderation *m)
{
	return m->mode == INTMODE_MSIX ? SIM_VECTORS : 1;
}

uint32_t moderation_cause_mask(const struct sim_moderation *m)
{
	return m->config.family == FAM_E1000E ? CAUSES_E1000E : CAUSES_E1000;
}

static uint32_t rx_cause(const struct sim_moderation *m)
{
	return m->mode == INTMODE_MSIX ? ICR_RXQ0 : ICR_RXT0;
}

static uint32_t tx_cause(const struct sim_moderation *m)
{
	return m->mode == INTMODE_MSIX ? ICR_TXQ0 : ICR_TXDW;
}

void moderation_find_next(struct sim_moderation *m)
{
	uint64_t next = MIN(m->rx_packet_ns, m->rx_absolute_ns);

	next = MIN(next, m->rx_ack_ns);
	next = MIN(next, m->tx_packet_ns);
	next = MIN(next, m->tx_absolute_ns);
	next = MIN(next, m->line_raise_ns);
	for (unsigned v = 0; v < vector_count(m); v++)
		next = MIN(next, m->vector[v].assert_ns);
	m->next_ns = next;
}

/* A message forms when the level rises; it leaves at the latest of cause, window end, re-arm. */
static void update_vector(struct sim_moderation *m, struct sim_vector *vec, uint64_t now_ns)
{
	bool level = (m->icr & m->ims & vec->causes) != 0;

	if (level == vec->level)
		return;
	vec->level = level;
	if (level) {
		vec->assert_ns = MAX(now_ns, MAX(vec->window_end_ns, vec->rearm_ns));
		return;
	}
	vec->assert_ns = TIME_NEVER;
	m->line = false;
	m->line_raise_ns = TIME_NEVER;
}

void moderation_update(struct sim_moderation *m, uint64_t now_ns)
{
	for (unsigned v = 0; v < vector_count(m); v++)
		update_vector(m, &m->vector[v], now_ns);
	moderation_find_next(m);
}

void moderation_set_causes(struct sim_moderation *m, uint32_t causes, uint64_t now_ns)
{
	if (m->mode == INTMODE_MSIX && (causes & OTHER_CAUSES))
		causes |= ICR_OTHER;
	causes &= moderation_cause_mask(m) & ~m->icr;
	m->icr |= causes;
	if (causes & m->ims)
		moderation_update(m, now_ns);
}

/* The five entries of IVAR, in its order. */
void moderation_route(struct sim_moderation *m)
{
	static const uint32_t cause[] = {ICR_RXQ0, ICR_RXQ1, ICR_TXQ0, ICR_TXQ1, ICR_OTHER};

	for (unsigned v = 0; v < SIM_VECTORS; v++)
		m->vector[v].causes = 0;
	if (m->mode != INTMODE_MSIX) {
		m->vector[0].causes = moderation_cause_mask(m);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(cause); i++) {
		uint32_t entry = m->ivar >> (4 * i) & 15;
		uint32_t vector = entry & 7;

		if ((entry & IVAR_VALID) && vector < m->vectors && vector < SIM_VECTORS)
			m->vector[vector].causes |= cause[i];
	}
}

static void forget_messages(struct sim_moderation *m)
{
	for (unsigned v = 0; v < SIM_VECTORS; v++) {
		m->vector[v].level = false;
		m->vector[v].assert_ns = TIME_NEVER;
	}
	m->line = false;
	m->line_masked = false;
	m->line_raise_ns = TIME_NEVER;
}

void sim_moderation_init(struct sim_moderation *m, const struct sim_moderation_config *config)
{
	memset(m, 0, sizeof(*m));
	m->config = *config;
	m->mode = INTMODE_INTX;
	m->vectors = 1;
	m->tick_scale = 1;
	sim_moderation_reset(m);
}

void sim_moderation_reset(struct sim_moderation *m)
{
	struct sim_moderation fresh = {
		.config = m->config,
		.mode = m->mode,
		.vectors = m->vectors,
		.tick_scale = m->tick_scale,
		.rx_packet_ns = TIME_NEVER,
		.rx_absolute_ns = TIME_NEVER,
		.rx_ack_ns = TIME_NEVER,
		.tx_packet_ns = TIME_NEVER,
		.tx_absolute_ns = TIME_NEVER,
	};
	bool line_masked = m->line_masked;

	*m = fresh;
	forget_messages(m);
	m->line_masked = line_masked;
	moderation_route(m);
	moderation_find_next(m);
}

void sim_moderation_set_mode(struct sim_moderation *m, enum intmode mode, unsigned vectors)
{
	m->mode = mode;
	m->vectors = vectors;
	forget_messages(m);
	moderation_route(m);
	moderation_find_next(m);
}

void sim_moderation_set_speed(struct sim_moderation *m, unsigned speed_mbps)
{
	m->tick_scale = speed_mbps == 1000 ? 1 : 4;
}

void moderation_expire_rx(struct sim_moderation *m, uint32_t more_causes, uint64_t now_ns)
{
	m->rx_packet_ns = TIME_NEVER;
	m->rx_absolute_ns = TIME_NEVER;
	m->rx_ack_ns = TIME_NEVER;
	moderation_set_causes(m, rx_cause(m) | more_causes, now_ns);
}

void moderation_expire_tx(struct sim_moderation *m, uint64_t now_ns)
{
	m->tx_packet_ns = TIME_NEVER;
	m->tx_absolute_ns = TIME_NEVER;
	moderation_set_causes(m, tx_cause(m), now_ns);
}

/* Start, or restart, the receive timers for one frame. */
static void delay_rx(struct sim_moderation *m, uint64_t now_ns)
{
	m->rx_packet_ns = now_ns + delay_ns(m, m->rdtr);
	if (m->radv && m->rx_absolute_ns == TIME_NEVER)
		m->rx_absolute_ns = now_ns + delay_ns(m, m->radv);
}

/* Return: true when the ACK mechanism lets the frame interrupt at once. */
static bool rx_ack(struct sim_moderation *m, uint64_t now_ns)
{
	if (m->mode == INTMODE_MSIX) {
		moderation_set_causes(m, ICR_ACK, now_ns);
		return false;
	}
	if (!m->raid) {
		moderation_set_causes(m, ICR_ACK, now_ns);
		return true;
	}
	if (m->rx_ack_ns == TIME_NEVER)
		m->rx_ack_ns = now_ns + delay_ns(m, m->raid);
	return false;
}

void sim_moderation_rx(struct sim_moderation *m, uint32_t bytes, bool is_ack, uint64_t now_ns)
{
	bool delayed = m->rdtr && (m->mode != INTMODE_MSIX || m->config.msix_rx_timers);
	uint32_t more = 0;

	if (is_ack && sim_moderation_wants_acks(m) && rx_ack(m, now_ns))
		delayed = false;
	if (m->rsrpd && bytes <= m->rsrpd) {
		more = ICR_SRPD;
		delayed = false;
	}
	if (delayed)
		delay_rx(m, now_ns);
	else
		moderation_expire_rx(m, more, now_ns);
	moderation_find_next(m);
}

void sim_moderation_tx(struct sim_moderation *m, bool ide, uint64_t now_ns)
{
	if (!ide || !m->tidv || (m->mode == INTMODE_MSIX && !m->config.msix_tx_timers)) {
		moderation_expire_tx(m, now_ns);
	} else {
		m->tx_packet_ns = now_ns + delay_ns(m, m->tidv);
		if (m->tadv && m->tx_absolute_ns == TIME_NEVER)
			m->tx_absolute_ns = now_ns + delay_ns(m, m->tadv);
	}
	moderation_find_next(m);
}

void sim_moderation_cause(struct sim_moderation *m, uint32_t causes, uint64_t now_ns)
{
	moderation_set_causes(m, causes, now_ns);
}

void sim_moderation_unmask_line(struct sim_moderation *m, uint64_t now_ns)
{
	m->line_masked = false;
	m->vector[0].rearm_ns = MAX(m->vector[0].rearm_ns, now_ns);
	if (m->line)
		m->line_raise_ns = now_ns;
	else if (m->vector[0].assert_ns != TIME_NEVER)
		m->vector[0].assert_ns = MAX(m->vector[0].assert_ns, now_ns);
	moderation_find_next(m);
}

/* MSI-X: what leaving does to the causes that the message stands for [hardware notes 1.7]. */
static void auto_clear(struct sim_moderation *m, uint32_t sent, uint64_t now_ns)
{
	uint32_t mask = sent & m->eiac;

	m->icr &= ~(sent & m->eiac);
	if (m->ctrl_ext & CTRL_EXT_EIAME)
		mask |= sent & m->iam;
	m->ims &= ~mask;
	moderation_update(m, now_ns);
}

static uint32_t assert_vector(struct sim_moderation *m, unsigned v, uint64_t now_ns)
{
	struct sim_vector *vec = &m->vector[v];

	vec->assert_ns = TIME_NEVER;
	vec->window_end_ns = now_ns + throttle_ns(m, v);
	m->iac++;
	if (m->mode == INTMODE_MSIX)
		auto_clear(m, m->icr & m->ims & vec->causes, now_ns);
	if (m->mode != INTMODE_INTX)
		return 1u << v;
	m->line = true;
	if (m->line_masked)
		return 0;
	m->line_masked = true;
	return 1;
}

static void expire_timers(struct sim_moderation *m, uint64_t now_ns)
{
	if (m->rx_packet_ns <= now_ns) {
		m->icrxptc++;
		moderation_expire_rx(m, 0, now_ns);
	} else if (m->rx_absolute_ns <= now_ns) {
		m->icrxatc++;
		moderation_expire_rx(m, 0, now_ns);
	} else if (m->rx_ack_ns <= now_ns) {
		moderation_expire_rx(m, ICR_ACK, now_ns);
	}
	if (m->tx_packet_ns <= now_ns) {
		m->ictxptc++;
		moderation_expire_tx(m, now_ns);
	} else if (m->tx_absolute_ns <= now_ns) {
		m->ictxatc++;
		moderation_expire_tx(m, now_ns);
	}
}

uint32_t sim_moderation_step(struct sim_moderation *m)
{
	uint64_t now_ns = m->next_ns;
	uint32_t raised = 0;

	if (now_ns == TIME_NEVER)
		return 0;
	expire_timers(m, now_ns);
	if (m->line_raise_ns <= now_ns) {
		m->line_raise_ns = TIME_NEVER;
		m->line_masked = true;
		raised |= 1;
	}
	for (unsigned v = 0; v < vector_count(m); v++)
		if (m->vector[v].assert_ns <= now_ns)
			raised |= assert_vector(m, v, now_ns);
	moderation_find_next(m);
	return raised;
}
