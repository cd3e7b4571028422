/* SPDX-License-Identifier: BSD-2-Clause */
/* Which knob spaces the interrupts of a direction, and whether two settings come to the same. */
#include "tuner/spacing.h"

#include <stdio.h>
#include <string.h>

#include "common/chips/effective.h"

#define ALIKE 0.02

static struct spacing slower(struct spacing a, struct spacing b)
{
	if (a.ns == b.ns)
		a.knobs |= b.knobs;
	return a.ns >= b.ns ? a : b;
}

static struct spacing of_knob(const struct effective *effective, enum knob_id id)
{
	uint64_t ns = effective->knob[id].acts ? effective->knob[id].ns : 0;

	return (struct spacing){.ns = ns, .knobs = ns ? 1u << id : 0};
}

/* Of the two timers of a direction the one that runs out first; an absolute timer of 0 is off. */
static struct spacing of_timers(
	const struct effective *effective, enum knob_id packet, enum knob_id absolute)
{
	struct spacing a = of_knob(effective, packet), b = of_knob(effective, absolute);

	return b.ns && b.ns < a.ns ? b : a;
}

void spacing_compute(const struct plan_device *device, const struct settings *settings,
	struct spacing *ret_rx, struct spacing *ret_tx)
{
	bool msix = settings_has(settings, KNOB_INTMODE) &&
		    settings->value[KNOB_INTMODE] == INTMODE_MSIX;
	struct effective effective;

	effective_compute(
		device->chip, settings, device->speed_mbps, device->msix_rx_timers, &effective);
	*ret_rx = slower(of_knob(&effective, msix ? KNOB_EITR0 : KNOB_ITR),
		of_timers(&effective, KNOB_RDTR, KNOB_RADV));
	*ret_tx = slower(of_knob(&effective, msix ? KNOB_EITR1 : KNOB_ITR),
		of_timers(&effective, KNOB_TIDV, KNOB_TADV));
}

static bool alike(const struct spacing *a, const struct spacing *b)
{
	double x = (double)a->ns, y = (double)b->ns;

	return x <= y * (1 + ALIKE) && y <= x * (1 + ALIKE);
}

/* "ITR 1500 and RDTR 375" */
static void format_knobs(
	const struct spacing *spacing, const struct settings *settings, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned id = 0; id < KNOB_COUNT && used < size; id++)
		if (spacing->knobs >> id & 1)
			used += (size_t)snprintf(buf + used, size - used, "%s%s %u",
				used ? " and " : "", knob_table[id].name, settings->value[id]);
}

static void explain_direction(const char *direction, const struct spacing *a,
	const struct settings *sa, const struct spacing *b, const struct settings *sb, char *buf,
	size_t size)
{
	char from_a[80], from_b[80];

	if (a->ns == 0) {
		(void)snprintf(buf, size, "%s interrupts are not held back by either", direction);
		return;
	}
	format_knobs(a, sa, from_a, sizeof(from_a));
	format_knobs(b, sb, from_b, sizeof(from_b));
	if (strcmp(from_a, from_b) == 0)
		(void)snprintf(buf, size, "%s interrupts are %.0f us apart by %s in both",
			direction, (double)a->ns / 1e3, from_a);
	else
		(void)snprintf(buf, size,
			"%s interrupts are %.0f us apart by %s in the one and %s in the other",
			direction, (double)a->ns / 1e3, from_a, from_b);
}

bool spacing_explain_same(const struct plan_device *device, const struct settings *a,
	const struct settings *b, char *buf, size_t size)
{
	struct spacing rx_a, rx_b, tx_a, tx_b;
	char rx[240], tx[240];

	/* another interrupt mode is another path through chip and driver, whatever the intervals */
	if (settings_equal(a, b) || a->value[KNOB_INTMODE] != b->value[KNOB_INTMODE])
		return false;
	spacing_compute(device, a, &rx_a, &tx_a);
	spacing_compute(device, b, &rx_b, &tx_b);
	if (!alike(&rx_a, &rx_b) || !alike(&tx_a, &tx_b))
		return false;
	explain_direction("receive", &rx_a, a, &rx_b, b, rx, sizeof(rx));
	explain_direction("transmit", &tx_a, a, &tx_b, b, tx, sizeof(tx));
	(void)snprintf(buf, size, "%s; %s", rx, tx);
	return true;
}
