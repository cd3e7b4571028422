/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts: vectors, masks, acknowledging causes, re-arming [hardware notes 1.7, 1.8]. */
#include "driver/nic.h"

#include "common/clock.h"
#include "driver/nic_private.h"

/* RX on vector 0, TX on 1, the rest on 2, each valid; bit 31: every write-back interrupts. */
#define IVAR_LAYOUT                                                                                \
	(IVAR_TX_EVERY_WB | (IVAR_VALID | NIC_VECTOR_OTHER) << IVAR_OTHER_SHIFT |                  \
	 (IVAR_VALID | NIC_VECTOR_TX) << IVAR_TXQ0_SHIFT | (IVAR_VALID | NIC_VECTOR_RX) << IVAR_RXQ0_SHIFT)
_Static_assert(IVAR_LAYOUT == 0x800A0908, "the value that three vectors need");

/* A service that starts this soon after the last one ended means that the host is the limit. */
#define BACK_TO_BACK_NS 3000

static void irq_start_msix(struct nic *nic)
{
	nic_write(nic, REG_IVAR, IVAR_LAYOUT);
	nic_write(nic, REG_EIAC, ICR_RXQ0 | ICR_TXQ0);
	nic_clear_bits(nic, REG_CTRL_EXT, CTRL_EXT_IAME);
	nic_set_bits(nic, REG_CTRL_EXT, CTRL_EXT_EIAME | CTRL_EXT_PBA_CLR);
}

/* INTx and MSI: on PCIe chips a read of ICR masks what IAM names, which spares the IMC write. */
static void irq_start_single(struct nic *nic)
{
	if (nic->chip->family != FAM_E1000E)
		return;
	nic_write(nic, REG_EIAC, 0);
	nic_clear_bits(nic, REG_CTRL_EXT, CTRL_EXT_EIAME);
	nic_write(nic, REG_IAM, UINT32_MAX);
	nic_set_bits(nic, REG_CTRL_EXT, CTRL_EXT_IAME);
}

int irq_start(struct nic *nic, struct error *err)
{
	unsigned count;
	int r;

	nic->intmode = (enum intmode)nic->requested.value[KNOB_INTMODE];
	count = nic->intmode == INTMODE_MSIX ? NIC_MSIX_VECTORS : 1;
	r = nic->bus->ops->irq_enable(nic->bus, nic->intmode, count, err);
	if (r < 0)
		return r;
	nic->irq_generation++;
	if (nic->intmode == INTMODE_MSIX) {
		irq_start_msix(nic);
		nic->irq_mask = ICR_RXQ0 | ICR_TXQ0 | ICR_OTHER | ICR_LSC;
	} else {
		irq_start_single(nic);
		nic->irq_mask = NIC_CAUSES_LEGACY;
	}
	nic_write(nic, REG_IMS, nic->irq_mask);
	return 0;
}

void irq_stop(struct nic *nic)
{
	nic->bus->ops->irq_disable(nic->bus);
	nic->irq_generation++;
}

static void irq_count(struct nic *nic, unsigned vector, uint64_t messages, uint64_t now_ns)
{
	struct nic_counters *c = &nic->counters;
	uint64_t *const per_vector[] = {&c->irq_vector_0, &c->irq_vector_1, &c->irq_vector_2,
					&c->irq_vector_3, &c->irq_vector_4};

	c->irq_messages += messages;
	c->irq_wakeups++;
	*per_vector[vector] += messages;
	nic->guard.window_irqs += messages;
	nic->guard.last_irq_ns = now_ns;
	nic->service_begin_ns = now_ns;
}

static void irq_count_causes(struct nic *nic, uint32_t causes)
{
	struct nic_counters *c = &nic->counters;

	c->irq_cause_rx += (causes & (ICR_RXT0 | ICR_RXQ0)) != 0;
	c->irq_cause_tx += (causes & (ICR_TXDW | ICR_TXQ0)) != 0;
	c->irq_cause_link += (causes & ICR_LSC) != 0;
	c->irq_cause_overrun += (causes & (ICR_RXO | ICR_RXDMT0)) != 0;
	c->irq_spurious += causes == 0;
}

/* INTx and MSI: the read of ICR acknowledges everything at once. */
static uint32_t irq_begin_single(struct nic *nic)
{
	uint32_t causes = nic_read(nic, REG_ICR);

	if (causes == UINT32_MAX) {
		nic_gone(nic, "ICR");
		return 0;
	}
	if (nic->chip->family == FAM_E1000E) {
		if (!(causes & ICR_INT_ASSERTED))
			return 0; /* a shared line, not ours */
	} else if (causes) {
		nic_write(nic, REG_IMC, UINT32_MAX);
	}
	return causes & nic->irq_mask;
}

/* The "other" vector reads ICR and gives back the queue causes that the read swallowed. */
static uint32_t irq_begin_other(struct nic *nic)
{
	uint32_t causes = nic_read(nic, REG_ICR);

	if (causes == UINT32_MAX) {
		nic_gone(nic, "ICR");
		return 0;
	}
	if (causes & (ICR_RXQ0 | ICR_TXQ0))
		nic_write(nic, REG_ICS, causes & (ICR_RXQ0 | ICR_TXQ0));
	return causes & (ICR_LSC | ICR_OTHER | ICR_RXO);
}

uint32_t nic_irq_begin(struct nic *nic, unsigned vector, uint64_t messages, uint64_t now_ns)
{
	uint32_t causes;

	irq_count(nic, vector, messages, now_ns);
	if (nic->bus->dead)
		return 0;
	if (nic->intmode != INTMODE_MSIX)
		causes = irq_begin_single(nic);
	else if (vector == NIC_VECTOR_OTHER)
		causes = irq_begin_other(nic);
	else /* EIAC cleared the cause when the message left: no register read here */
		causes = vector == NIC_VECTOR_RX ? ICR_RXQ0 : ICR_TXQ0;
	irq_count_causes(nic, causes);
	if (causes & ICR_LSC)
		nic_link_check(nic);
	return causes;
}

void irq_rearm(struct nic *nic, unsigned vector)
{
	static const uint32_t msix_mask[NIC_MSIX_VECTORS] = {
		[NIC_VECTOR_RX] = ICR_RXQ0,
		[NIC_VECTOR_TX] = ICR_TXQ0,
		[NIC_VECTOR_OTHER] = ICR_OTHER | ICR_LSC,
	};

	if (nic->bus->dead)
		return;
	nic_write(nic, REG_IMS, nic->intmode == INTMODE_MSIX ? msix_mask[vector] : nic->irq_mask);
	if (nic->intmode == INTMODE_INTX)
		nic->bus->ops->irq_unmask(nic->bus);
}

void nic_irq_end(struct nic *nic, unsigned vector, bool more, uint64_t now_ns)
{
	if (more)
		return;
	if (nic->service_begin_ns - nic->service_end_ns < BACK_TO_BACK_NS)
		nic->counters.host_bound_ns += now_ns - nic->service_begin_ns;
	nic->service_end_ns = now_ns;
	if (nic_guard_holds(nic, vector, now_ns))
		return;
	irq_rearm(nic, vector);
}
