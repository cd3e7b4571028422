/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors put and frames expected, for tests of the simulated chip's transmit unit. */
#ifndef MODERATO_TESTS_UNIT_SIM_TX_RIG_H
#define MODERATO_TESTS_UNIT_SIM_TX_RIG_H

#include "tests/lib/sim_rig.h"

#include <stdlib.h>

#include "tests/lib/frame_make.h"

#define PLAIN	     (TX_CMD_EOP | TX_CMD_IFCS | TX_CMD_RS)
#define DATA	     (TX_CMD_DEXT | TX_DTYP_DATA)
#define WIRE_NS(len) (((len) + 24) * 8ull)

static inline struct frame_layout place(struct rig *rig, const struct frame_spec *spec)
{
	return frame_make(rig->tx_data.va, spec);
}

static inline uint8_t *data(struct rig *rig)
{
	return rig->tx_data.va;
}

static inline void put_plain(struct rig *rig, uint32_t len)
{
	rig_put_tx(rig, rig->tx_data.iova, len | PLAIN);
}

static inline void put_context(struct rig *rig, const struct frame_layout *l, uint32_t mss, uint64_t flags)
{
	uint64_t w0 = (uint64_t)l->l3 << TX_CTX_IPCSS_SHIFT |
		      (uint64_t)(l->l3 + 10) << TX_CTX_IPCSO_SHIFT |
		      (uint64_t)(l->l4 - 1) << TX_CTX_IPCSE_SHIFT |
		      (uint64_t)l->l4 << TX_CTX_TUCSS_SHIFT |
		      (uint64_t)l->l4_sum << TX_CTX_TUCSO_SHIFT;
	uint64_t w1 = TX_CMD_DEXT | TX_DTYP_CONTEXT | flags;

	if (mss)
		w1 |= (l->len - l->payload) | TX_CMD_TSE |
		      (uint64_t)l->payload << TX_CTX_HDRLEN_SHIFT |
		      (uint64_t)mss << TX_CTX_MSS_SHIFT;
	rig_put_tx(rig, w0, w1);
}

static inline void expect_sent(struct rig *rig, const uint8_t *frame, uint32_t len)
{
	struct sim_frame sent;

	assert_true(sim_vbus_collect(rig->bus, &sent));
	assert_int_equal(sent.len, len);
	assert_memory_equal(sent.data, frame, len);
}

static inline void expect_nothing_sent(struct rig *rig)
{
	struct sim_frame sent;

	assert_false(sim_vbus_collect(rig->bus, &sent));
}

static inline struct sim_counters counters(struct rig *rig)
{
	struct sim_counters c;

	rig->bus->ops->sim->get_counters(rig->bus, &c);
	return c;
}

#endif
