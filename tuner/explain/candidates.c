/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that propose settings: each looks at what is in force and offers changes. */
#include "tuner/explain/candidates.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/chips/effective.h"
#include "common/util.h"

#define ADVISED_LOW  651 /* the band of the manual [SDM-8254x 13.4.18] */
#define ADVISED_HIGH 5580
#define TICK_RATIO   4 /* a timer's tick is four throttle ticks: 1.024 us and 256 ns */
#define FRAMES_SHORT 8 /* a transmit window of fewer full frames than this is called short */
#define FRAME_US     12.304 /* 1518 bytes with preamble and gap at 1000 Mb/s */

static const char rdtr_hazard[] =
	"RDTR above 0 may hang the adapter (Intel's driver documentation, Linux and FreeBSD sources)";

struct search {
	const struct chip *chip;
	const struct settings *now;
	struct effective effective;
	bool msix_rx_timers;
	bool msix;
	struct candidate *out;
	struct settings canonical[CANDIDATES_MAX + 1]; /* [0]: the present settings */
	size_t count;
};

static uint32_t value(const struct search *s, enum knob_id id)
{
	return s->now->value[id];
}

static bool acts(const struct search *s, enum knob_id id)
{
	return chip_has_knob(s->chip, id) && s->effective.knob[id].acts;
}

static struct settings change1(enum knob_id id, uint32_t v)
{
	struct settings change = {0};

	settings_put(&change, id, MIN(v, knob_table[id].max));
	return change;
}

static struct settings change2(enum knob_id a, uint32_t va, enum knob_id b, uint32_t vb)
{
	struct settings change = change1(a, va);

	settings_put(&change, b, MIN(vb, knob_table[b].max));
	return change;
}

/* Adds it unless the chip cannot hold it or cannot tell it from what is there already. */
__attribute__((format(printf, 3, 4))) static void offer(
	struct search *s, struct settings change, const char *fmt, ...)
{
	struct settings complete = *s->now, canonical;
	struct candidate *c = &s->out[s->count];
	va_list ap;

	if (s->count == CANDIDATES_MAX || chip_check_settings(s->chip, &change, NULL))
		return;
	settings_merge(&complete, &change);
	settings_canonical(s->chip, &complete, s->msix_rx_timers, &canonical);
	for (size_t i = 0; i <= s->count; i++)
		if (settings_equal(&s->canonical[i], &canonical))
			return;
	c->change = change;
	c->hazard = settings_has(&change, KNOB_RDTR) && change.value[KNOB_RDTR] ? rdtr_hazard : "";
	va_start(ap, fmt);
	(void)vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
	s->canonical[++s->count] = canonical;
}

/* The throttle of the transmit side in ticks of 256 ns. */
static uint32_t tx_throttle(const struct search *s)
{
	return value(s, s->msix ? KNOB_EITR1 : KNOB_ITR);
}

static void larger_transmit_timers(struct search *s)
{
	uint32_t window = MIN(value(s, KNOB_TIDV), value(s, KNOB_TADV));
	uint32_t throttle = tx_throttle(s) / TICK_RATIO;
	double frames = window * 1.024 / FRAME_US;

	if (s->msix || !value(s, KNOB_TIDV))
		return;
	if (!chip_has_knob(s->chip, KNOB_TADV)) {
		offer(s, change1(KNOB_TIDV, value(s, KNOB_TIDV) * 4),
			"a larger transmit timer, four times as long");
		return;
	}
	if (!value(s, KNOB_TADV)) {
		offer(s, change1(KNOB_TADV, value(s, KNOB_TIDV)),
			"a bound for TIDV, which back-to-back frames restart for ever");
		return;
	}
	if (window < throttle || frames < FRAMES_SHORT)
		offer(s,
			change2(KNOB_TIDV, MAX(throttle, window * 2), KNOB_TADV,
				MAX(throttle, window * 2)),
			"larger transmit timers: %u ticks are only %.1f full frames", window,
			frames);
	offer(s, change2(KNOB_TIDV, window * 4, KNOB_TADV, window * 4),
		"larger transmit timers, four times as long");
}

static void first_transmit_timers(struct search *s)
{
	uint32_t throttle = tx_throttle(s) / TICK_RATIO;

	if (s->msix || value(s, KNOB_TIDV) || !chip_has_knob(s->chip, KNOB_TIDV))
		return;
	if (chip_has_knob(s->chip, KNOB_TADV))
		offer(s, change2(KNOB_TIDV, MAX(throttle, 64u), KNOB_TADV, MAX(throttle, 64u)),
			"transmit timers: every completion interrupts at once now");
	else
		offer(s, change1(KNOB_TIDV, 64),
			"a transmit timer: every completion interrupts at once now");
}

static void throttle_band(struct search *s)
{
	enum knob_id id = s->msix ? KNOB_EITR0 : KNOB_ITR;
	uint32_t v = value(s, id);

	if (!chip_has_knob(s->chip, id))
		return;
	if (!v) {
		offer(s, change1(id, ADVISED_LOW), "a throttle: there is none (6000/s)");
		offer(s, change1(id, 1500), "a throttle as NetBSD's (2604/s)");
		return;
	}
	if (v < ADVISED_LOW)
		offer(s, change1(id, ADVISED_LOW),
			"the fast end of the band that the manual recommends (6000/s)");
	if (v > ADVISED_HIGH)
		offer(s, change1(id, ADVISED_HIGH),
			"the slow end of the band that the manual recommends (700/s)");
	if (v * 2 >= ADVISED_LOW)
		offer(s, change1(id, v * 2), "half the interrupts");
	offer(s, change1(id, v / 2 ? v / 2 : 1), "twice the interrupts, for latency");
}

static void receive_timers(struct search *s)
{
	uint32_t rdtr = value(s, KNOB_RDTR), radv = value(s, KNOB_RADV);

	if (rdtr && acts(s, KNOB_RDTR))
		offer(s, change1(KNOB_RDTR, 0),
			"without the receive timer, which holds back acknowledgements");
	if (!rdtr && radv && chip_has_knob(s->chip, KNOB_RADV))
		offer(s, change1(KNOB_RDTR, radv + 1),
			"the only way in which RADV %u acts: RDTR = RADV + 1", radv);
}

static void right_throttle_for_the_mode(struct search *s)
{
	uint32_t itr = value(s, KNOB_ITR), tadv = value(s, KNOB_TADV);

	if (!s->msix || !chip_has_knob(s->chip, KNOB_EITR1))
		return;
	if (itr && itr != value(s, KNOB_EITR0))
		offer(s, change2(KNOB_EITR0, itr, KNOB_EITR1, itr),
			"in MSI-X the EITRn take ITR's place");
	if (tadv && value(s, KNOB_TIDV))
		offer(s, change1(KNOB_EITR1, tadv * TICK_RATIO),
			"the interval of TADV %u, in the register that bounds the rate in MSI-X",
			tadv);
}

static void other_modes(struct search *s)
{
	for (unsigned mode = 0; mode < INTMODE_COUNT; mode++)
		if (mode != value(s, KNOB_INTMODE) && (s->chip->intmodes & INTMODE_BIT(mode)) &&
			mode != INTMODE_INTX)
			offer(s, change1(KNOB_INTMODE, mode),
				"the interrupt mode decides which knobs act; needs a restart");
}

size_t candidates_make(const struct chip *chip, const struct settings *settings,
	unsigned speed_mbps, bool msix_rx_timers, struct candidate ret[CANDIDATES_MAX])
{
	static void (*const rules[])(struct search *) = {right_throttle_for_the_mode,
		larger_transmit_timers, first_transmit_timers, throttle_band, receive_timers,
		other_modes};
	struct search s = {
		.chip = chip,
		.now = settings,
		.msix_rx_timers = msix_rx_timers,
		.msix = settings->value[KNOB_INTMODE] == INTMODE_MSIX,
		.out = ret,
	};

	effective_compute(chip, settings, speed_mbps, msix_rx_timers, &s.effective);
	settings_canonical(chip, settings, msix_rx_timers, &s.canonical[0]);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		rules[i](&s);
	return s.count;
}
