/* SPDX-License-Identifier: BSD-2-Clause */
/* The moderation core with a host that answers its interrupts, for tests in virtual time. */
#ifndef MODERATO_TESTS_LIB_SIM_HOST_H
#define MODERATO_TESTS_LIB_SIM_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/sim/sim_moderation.h"

#define US	  NS_PER_US
#define LOG_MAX	  4096
#define ALL_QUEUE (ICR_RXQ0 | ICR_TXQ0)

/* A host that answers each interrupt @service_ns later, as drivers do. */
struct host {
	struct sim_moderation m;
	bool answers;
	uint64_t service_ns;
	uint64_t answer_ns; /* TIME_NEVER: nothing to answer */
	uint32_t answer_vectors;
	unsigned raises, by_vector[SIM_VECTORS];
	uint64_t raise_ns[LOG_MAX];
};

static inline void write_reg(struct host *h, uint32_t offset, uint32_t value, uint64_t at)
{
	assert_true(sim_moderation_write(&h->m, offset, value, at));
}

static inline uint32_t read_reg(struct host *h, uint32_t offset, uint64_t at)
{
	uint32_t value = 0;

	assert_true(sim_moderation_read(&h->m, offset, at, &value));
	return value;
}

static inline void start(struct host *h, enum chip_family family, enum intmode mode)
{
	const struct sim_moderation_config config = {.family = family};

	memset(h, 0, sizeof(*h));
	h->answers = true;
	h->answer_ns = TIME_NEVER;
	sim_moderation_init(&h->m, &config);
	sim_moderation_set_mode(&h->m, mode, mode == INTMODE_MSIX ? SIM_VECTORS : 1);
	if (mode == INTMODE_MSIX) {
		write_reg(h, REG_IVAR, 0x800A0908, 0);
		write_reg(h, REG_EIAC, ALL_QUEUE, 0);
		write_reg(h, REG_IMS, ALL_QUEUE | ICR_OTHER, 0);
	} else {
		write_reg(h, REG_IMS, ICR_RXT0 | ICR_TXDW | ICR_LSC | ICR_RXO | ICR_RXDMT0, 0);
	}
	if (family == FAM_E1000E)
		write_reg(h, REG_RFCTL, RFCTL_ACK_DIS, 0);
}

static inline void answer(struct host *h)
{
	uint64_t at = h->answer_ns;

	h->answer_ns = TIME_NEVER;
	if (h->m.mode == INTMODE_MSIX) {
		write_reg(h, REG_IMS, ALL_QUEUE, at);
		return;
	}
	(void)read_reg(h, REG_ICR, at);
	if (h->m.mode == INTMODE_INTX)
		sim_moderation_unmask_line(&h->m, at);
}

static inline void log_raise(struct host *h, uint32_t vectors, uint64_t at)
{
	for (unsigned v = 0; v < SIM_VECTORS; v++) {
		if (!(vectors >> v & 1))
			continue;
		if (h->raises < LOG_MAX)
			h->raise_ns[h->raises] = at;
		h->raises++;
		h->by_vector[v]++;
	}
	if (vectors && h->answers && h->answer_ns == TIME_NEVER)
		h->answer_ns = at + h->service_ns;
}

/* Everything that is due up to and including @until. */
static inline void run(struct host *h, uint64_t until)
{
	for (;;) {
		uint64_t next = sim_moderation_next(&h->m);

		if (MIN(next, h->answer_ns) > until)
			return;
		if (next <= h->answer_ns)
			log_raise(h, sim_moderation_step(&h->m), next);
		else
			answer(h);
	}
}

static inline void rx(struct host *h, uint64_t at)
{
	run(h, at);
	sim_moderation_rx(&h->m, 1518, false, at);
}

static inline void rx_sized(struct host *h, uint32_t bytes, bool ack, uint64_t at)
{
	run(h, at);
	sim_moderation_rx(&h->m, bytes, ack, at);
}

static inline void tx(struct host *h, bool ide, uint64_t at)
{
	run(h, at);
	sim_moderation_tx(&h->m, ide, at);
}

static inline void set(struct host *h, uint32_t offset, uint32_t value, uint64_t at)
{
	run(h, at);
	write_reg(h, offset, value, at);
}

static inline void rx_stream(struct host *h, uint64_t from, uint64_t step, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		rx(h, from + i * step);
}

static inline void expect_raises(struct host *h, const uint64_t *at, unsigned count)
{
	assert_int_equal(h->raises, count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(h->raise_ns[i], at[i]);
}

#define EXPECT_RAISES(h, ...)                                                                      \
	do {                                                                                       \
		const uint64_t at_[] = {__VA_ARGS__};                                              \
		expect_raises((h), at_, ARRAY_SIZE(at_));                                          \
	} while (0)

#endif
