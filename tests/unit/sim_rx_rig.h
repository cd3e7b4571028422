/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames offered and descriptors expected, for tests of the simulated chip's receive unit. */
#ifndef MODERATO_TESTS_UNIT_SIM_RX_RIG_H
#define MODERATO_TESTS_UNIT_SIM_RX_RIG_H

#include "tests/lib/sim_rig.h"

#include <errno.h>

#include "tests/lib/frame_make.h"

#define OK_ONE (RX_STAT_DD | RX_STAT_EOP)
#define SUMS   (RXCSUM_IPOFL | RXCSUM_TUOFL)

static inline struct sim_counters counters(struct rig *rig)
{
	struct sim_counters c;

	rig->bus->ops->sim->get_counters(rig->bus, &c);
	return c;
}

/* Hand a frame to the wire and let it arrive. */
static inline void offer(struct rig *rig, const uint8_t *frame, uint32_t len)
{
	assert_int_equal(sim_vbus_offer(rig->bus, frame, len, NULL), 0);
	rig_advance(rig, rig_now(rig) + 20000);
}

static inline void open_extended(struct rig *rig, uint32_t count, uint32_t rctl)
{
	rig_open(rig, "82574L");
	rig_write(rig, REG_RFCTL, RFCTL_EXTEN | RFCTL_ACK_DIS);
	rig_write(rig, REG_RXCSUM, SUMS | 1u << 13); /* PCSD: no packet checksum */
	rig_start_rx(rig, count, rctl);
}

static inline uint64_t ext(uint32_t len, uint32_t low)
{
	return (uint64_t)len << RXE_LEN_SHIFT | low;
}

/* The plain 16-bit sum that the packet checksum field holds, as it lies in memory. */
static inline uint16_t memory_sum(const uint8_t *p, uint32_t len)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < len; i++) {
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)(sum << 8 | sum >> 8);
}

#endif
