/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bring-up in the order of the manual's initialisation chapter [SDM-8254x 14; hardware notes 1.9].
 * The waits are steps of a small state machine, so that the owner's thread never sleeps here.
 */
#include "driver/nic.h"

#include <errno.h>

#include "common/clock.h"
#include "common/log.h"
#include "driver/nic_private.h"

#define QUIESCE_WAIT_NS	  (10 * NS_PER_MS)  /* pending transactions after receive and transmit off */
#define RESET_WAIT_NS	  (5 * NS_PER_MS)   /* 82540/5/6: 5 ms before the first access */
#define RESET_POLL_NS	  (1 * NS_PER_MS)
#define RESET_LIMIT_NS	  (200 * NS_PER_MS) /* RST and the NVM load clear well below that */
#define MASTER_POLL_NS	  (100 * NS_PER_US)
#define MASTER_LIMIT_NS	  (80 * NS_PER_MS)  /* Intel's shared code: 800 looks, 100 us apart */
#define OWNER_LIMIT_NS	  (10 * NS_PER_MS)
#define PHY_CONFIG_NS	  (25 * NS_PER_MS)  /* 82573/4/83 load their PHY configuration */

static void start_fail(struct nic *nic, const char *why)
{
	nic->step = START_NONE;
	nic->state = NIC_FAILED;
	(void)nic->bus->ops->set_master(nic->bus, false, NULL);
	nic_emit(nic, NIC_EVENT_START_FAILED, "%s: %s; the device is left masked", nic->bus->name, why);
}

/* Chip bits after reset, from Intel's shared code [hardware notes 1.9, step 10]. */
static void start_chip_bits(struct nic *nic)
{
	if (chip_has_quirk(nic->chip, QUIRK_CTRL_BIT29)) {
		nic_clear_bits(nic, REG_CTRL, CTRL_BIT29);
		nic_clear_bits(nic, REG_CTRL_EXT, CTRL_EXT_BIT23);
		nic_set_bits(nic, REG_CTRL_EXT, CTRL_EXT_BIT22);
	}
	if (chip_has_quirk(nic->chip, QUIRK_TARC_82571)) {
		nic_write(nic, REG_TARC0,
			  (nic_read(nic, REG_TARC0) & ~TARC0_82571_CLEAR) | TARC0_82571_SET);
		nic_write(nic, REG_TARC1, (nic_read(nic, REG_TARC1) & ~TARC1_82571_CLEAR) |
						  TARC1_82571_SET | TARC1_NO_MULR);
		nic_clear_bits(nic, REG_CTRL_EXT, CTRL_EXT_DMA_DYN_CLK_EN);
	}
	if (chip_has_quirk(nic->chip, QUIRK_PBA_ECC))
		nic_set_bits(nic, REG_PBA_ECC, PBA_ECC_CORRECT);
	if (chip_has_quirk(nic->chip, QUIRK_GCR_BITS)) {
		nic_set_bits(nic, REG_TARC0, TARC0_BIT26);
		nic_set_bits(nic, REG_GCR, GCR_BIT22);
		nic_set_bits(nic, REG_GCR2, GCR2_BIT0);
	}
}

/* The chip's upper half of PBA says what is left for transmit: two of the longest frames must fit. */
static void start_packet_buffer(struct nic *nic)
{
	uint32_t rx = nic->chip->rx_pba_kib, tx, frame_kib = (nic->mtu + 22 + 1023) / 1024;

	nic_write(nic, REG_PBA, rx);
	tx = nic_read(nic, REG_PBA) >> 16;
	if (nic->mtu <= 1500 || tx == 0 || tx >= 2 * frame_kib)
		return;
	if (rx + tx >= 3 * frame_kib)
		nic_write(nic, REG_PBA, rx + tx - 2 * frame_kib);
}

static void start_link(struct nic *nic)
{
	uint32_t ctrl = nic_read(nic, REG_CTRL);
	uint32_t speed = nic->requested.value[KNOB_SPEED];

	ctrl &= ~(CTRL_LRST | CTRL_ILOS | CTRL_PHY_RST | CTRL_FRCSPD | CTRL_FRCDPX | CTRL_SPEED_MASK |
		  CTRL_RFCE | CTRL_TFCE | CTRL_VME | CTRL_GIO_MASTER_DISABLE);
	ctrl |= CTRL_SLU | CTRL_FD;
	if (speed == 0)
		ctrl |= CTRL_ASDE;
	else
		ctrl = (ctrl & ~CTRL_ASDE) | CTRL_FRCSPD | CTRL_FRCDPX |
		       (uint32_t)(speed == 1000 ? 2 : speed == 100 ? 1 : 0) << CTRL_SPEED_SHIFT;
	nic_write(nic, REG_CTRL, ctrl);
	/* No pause frames: they would hide receive overruns behind a slower sender. */
	nic_write(nic, REG_FCAL, 0x00c28001);
	nic_write(nic, REG_FCAH, 0x0100);
	nic_write(nic, REG_FCT, 0x8808);
	nic_write(nic, REG_FCTTV, 0);
	nic_write(nic, REG_FCRTL, 0);
	nic_write(nic, REG_FCRTH, 0);
	start_packet_buffer(nic);
}

void nic_link_check(struct nic *nic)
{
	uint32_t status = nic_read(nic, REG_STATUS);
	static const unsigned speeds[] = {10, 100, 1000, 1000};
	bool up;

	if (status == UINT32_MAX) {
		nic_gone(nic, "STATUS");
		return;
	}
	up = (status & STATUS_LU) != 0;
	nic->speed_mbps = speeds[(status & STATUS_SPEED_MASK) >> STATUS_SPEED_SHIFT];
	if (up == nic->link_up)
		return;
	nic->link_up = up;
	nic->counters.link_changes++;
	nic->state = up ? NIC_RUNNING : NIC_LINK_WAIT;
	if (up)
		nic_emit(nic, NIC_EVENT_LINK_UP, "%s: link up at %u Mb/s", nic->bus->name, nic->speed_mbps);
	else
		nic_emit(nic, NIC_EVENT_LINK_DOWN, "%s: link down", nic->bus->name);
}

/* Before anything is given up: rings that cannot be had must not cost those that run. */
static int start_check_memory(struct nic *nic, const struct settings *wanted, struct error *err)
{
	const struct bus_ops *ops = nic->bus->ops;

	if (!ops->dma_check)
		return 0;
	return ops->dma_check(nic->bus, rx_dma_bytes(nic, wanted) + tx_dma_bytes(wanted) + NIC_SCRATCH_BYTES, err);
}

int nic_start(struct nic *nic, const struct settings *change, uint64_t now_ns, struct error *err)
{
	struct settings wanted = nic->requested;
	int r;

	if (change) {
		r = chip_check_settings(nic->chip, change, err);
		if (r < 0)
			return r;
		settings_merge(&wanted, change);
	}
	r = change || nic->first_start ? start_check_memory(nic, &wanted, err) : 0;
	if (r < 0)
		return r;
	nic->requested = wanted;
	if (nic->state != NIC_STOPPED || nic->first_start == false)
		nic->counters.resets++;
	nic_stop(nic);
	nic->bus->dead = false;
	nic->state = NIC_RESETTING;
	nic->step = START_QUIESCE;
	nic->step_at_ns = now_ns + (nic->first_start ? 0 : QUIESCE_WAIT_NS);
	nic->step_limit_ns = 0;
	nic->first_start = false;
	return 0;
}

static void start_reset(struct nic *nic, uint64_t now_ns)
{
	struct error err = {0};

	if (nic->bus->ops->reset(nic->bus, &err) < 0) {
		start_fail(nic, err.text);
		return;
	}
	nic_write(nic, REG_IMC, UINT32_MAX);
	nic_reset_chip(nic);
	nic->step = START_RESET_WAIT;
	nic->step_at_ns = now_ns + RESET_WAIT_NS;
	nic->step_limit_ns = now_ns + RESET_LIMIT_NS;
}

/* Firmware that never lets go must not keep the driver from starting: Linux goes on as well. */
static void start_owner_wait(struct nic *nic, uint64_t now_ns)
{
	if (chip_has_quirk(nic->chip, QUIRK_MDIO_OWNER) && now_ns < nic->step_limit_ns) {
		nic_set_bits(nic, REG_EXTCNF_CTRL, EXTCNF_MDIO_SW_OWNER);
		if (!(nic_read(nic, REG_EXTCNF_CTRL) & EXTCNF_MDIO_SW_OWNER)) {
			nic->step_at_ns = now_ns + RESET_POLL_NS;
			return;
		}
	}
	start_reset(nic, now_ns);
}

/* A request in flight while RST is written can hang the reset. */
static void start_master_wait(struct nic *nic, uint64_t now_ns)
{
	if (!nic_answers(nic, "STATUS before reset"))
		return;
	if (!nic_master_stopped(nic) && now_ns < nic->step_limit_ns) {
		nic->step_at_ns = now_ns + MASTER_POLL_NS;
		return;
	}
	nic->step = START_OWNER_WAIT;
	nic->step_limit_ns = now_ns + OWNER_LIMIT_NS;
	start_owner_wait(nic, now_ns);
}

static void start_quiesce(struct nic *nic, uint64_t now_ns)
{
	nic_master_stop(nic);
	nic->step = START_MASTER_WAIT;
	nic->step_limit_ns = now_ns + MASTER_LIMIT_NS;
	start_master_wait(nic, now_ns);
}

/* EECD bit 9 is the size of the EEPROM on 8254x chips, the end of the NVM load on the others. */
static bool start_nvm_loaded(struct nic *nic)
{
	return nic->chip->family == FAM_E1000 || (nic_read(nic, REG_EECD) & EECD_AUTO_RD);
}

static void start_reset_wait(struct nic *nic, uint64_t now_ns)
{
	uint32_t ctrl = nic_read(nic, REG_CTRL);

	if (ctrl == UINT32_MAX) {
		nic_gone(nic, "CTRL after reset");
		return;
	}
	if (!(ctrl & CTRL_RST) && start_nvm_loaded(nic)) {
		if (chip_has_quirk(nic->chip, QUIRK_FLASH_EE_RST) &&
		    (nic_read(nic, REG_EECD) & EECD_NVM_FLASH) == EECD_NVM_FLASH)
			nic_set_bits(nic, REG_CTRL_EXT, CTRL_EXT_EE_RST);
		nic->step = START_NVM_WAIT;
		nic->step_at_ns =
			now_ns + (nic->chip->family == FAM_E1000E ? PHY_CONFIG_NS : RESET_POLL_NS);
		return;
	}
	nic->step_at_ns = now_ns + RESET_POLL_NS;
	if (now_ns >= nic->step_limit_ns)
		start_fail(nic, ctrl & CTRL_RST ? "reset sticks: CTRL.RST still set after 200 ms" :
						  "EECD.AUTO_RD not set 200 ms after reset");
}

static int start_queues(struct nic *nic, struct error *err)
{
	int r;

	r = rx_alloc(nic, err);
	if (r < 0)
		return r;
	r = tx_alloc(nic, err);
	if (r < 0)
		return r;
	/* Rings first: an emulated reset may leave receive on, and addresses of an earlier owner. */
	tx_start(nic);
	rx_start(nic);
	r = nic->bus->ops->set_master(nic->bus, true, err);
	if (r < 0)
		return r;
	rx_enable(nic);
	return 0;
}

static void start_finish(struct nic *nic, uint64_t now_ns)
{
	struct error err = {0};

	nic->step = START_NONE;
	if (!nic_answers(nic, "STATUS after reset"))
		return;
	nic_write(nic, REG_IMC, UINT32_MAX);
	(void)nic_read(nic, REG_ICR);
	nic_forget_statistics(nic);
	if (chip_has_quirk(nic->chip, QUIRK_MDIO_OWNER))
		nic_clear_bits(nic, REG_EXTCNF_CTRL, EXTCNF_MDIO_SW_OWNER);
	start_chip_bits(nic);
	nic_filter_start(nic);
	start_link(nic);
	moderation_probe(nic);
	if (start_queues(nic, &err) < 0 || irq_start(nic, &err) < 0) {
		start_fail(nic, err.text);
		return;
	}
	moderation_write(nic, &nic->requested);
	if (!nic_answers(nic, "STATUS after setup"))
		return;
	if (moderation_verify(nic, &nic->requested, &err) < 0)
		nic_emit(nic, NIC_EVENT_SETTINGS_LOST, "%s: %s", nic->bus->name, err.text);
	nic->state = NIC_LINK_WAIT;
	nic_guard_reset(nic, now_ns);
	nic_emit(nic, NIC_EVENT_STARTED, "%s: started in %s", nic->bus->name, intmode_name(nic->intmode));
	nic_link_check(nic);
	nic_write(nic, REG_ICS, ICR_LSC); /* a link change during the steps above must not get lost */
}

void nic_start_run(struct nic *nic, uint64_t now_ns)
{
	if (now_ns < nic->step_at_ns)
		return;
	switch (nic->step) {
	case START_NONE:
		break;
	case START_QUIESCE:
		start_quiesce(nic, now_ns);
		break;
	case START_MASTER_WAIT:
		start_master_wait(nic, now_ns);
		break;
	case START_OWNER_WAIT:
		start_owner_wait(nic, now_ns);
		break;
	case START_RESET_WAIT:
		start_reset_wait(nic, now_ns);
		break;
	case START_NVM_WAIT:
		start_finish(nic, now_ns);
		break;
	}
}
