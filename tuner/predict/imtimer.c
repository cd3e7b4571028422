/* SPDX-License-Identifier: BSD-2-Clause */
/* Moderation by a hardware timer: the nfe(4) way [hardware notes 2.7]. */
#include "tuner/predict/imtimer.h"

#include <stdlib.h>
#include <string.h>

#include "common/chips/nforce.h"
#include "common/clock.h"
#include "common/util.h"

#define LOOK_NS NS_PER_S /* the driver averages once a second */

void imtimer_init(struct imtimer *t, int us, uint64_t now_ns)
{
	uint64_t ticks = nforce_ticks_of_us((uint32_t)abs(us));

	memset(t, 0, sizeof(*t));
	t->period_ns = ticks * NFORCE_TICK_NS;
	t->dynamic = us < 0 && ticks;
	t->by_timer = us > 0 && ticks;
	t->rate_limit = us ? 1000000 / (uint64_t)abs(us) : 0;
	t->timer_ns = t->period_ns ? now_ns + t->period_ns : TIME_NEVER;
	t->look_ns = t->dynamic ? now_ns + LOOK_NS : TIME_NEVER;
	t->raise_ns = TIME_NEVER;
}

void imtimer_cause(struct imtimer *t, uint64_t now_ns)
{
	t->cause = true;
	if (!t->by_timer && !t->masked && t->raise_ns == TIME_NEVER)
		t->raise_ns = now_ns;
}

uint64_t imtimer_next(const struct imtimer *t)
{
	uint64_t next = MIN(t->raise_ns, t->look_ns);

	return t->by_timer ? MIN(next, t->timer_ns) : next;
}

/* The average jumps up at once and decays by a quarter of the difference a second. */
static void look_at_rate(struct imtimer *t, uint64_t now_ns)
{
	if (t->count >= t->average)
		t->average = t->count;
	else
		t->average = (3 * t->average + t->count) / 4;
	t->count = 0;
	t->look_ns = now_ns + LOOK_NS;
	t->by_timer = t->average > t->rate_limit;
	if (t->by_timer) {
		t->timer_ns = now_ns + t->period_ns;
		t->raise_ns = TIME_NEVER;
	} else if (t->cause && !t->masked) {
		t->raise_ns = now_ns;
	}
}

bool imtimer_step(struct imtimer *t)
{
	uint64_t now_ns = imtimer_next(t);
	bool raised = false;

	if (t->look_ns <= now_ns)
		look_at_rate(t, now_ns);
	if (t->by_timer && t->timer_ns <= now_ns) {
		t->timer_ns += t->period_ns;
		t->ticked = t->masked;
		raised = !t->masked;
	}
	if (t->raise_ns <= now_ns) {
		t->raise_ns = TIME_NEVER;
		raised = true;
	}
	t->count += raised;
	return raised;
}

void imtimer_mask(struct imtimer *t)
{
	t->masked = true;
	t->cause = false;
}

void imtimer_unmask(struct imtimer *t, uint64_t now_ns)
{
	t->masked = false;
	if (t->by_timer ? t->ticked : t->cause)
		t->raise_ns = now_ns;
	t->ticked = false;
}
