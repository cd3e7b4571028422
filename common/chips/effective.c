/* SPDX-License-Identifier: BSD-2-Clause */
/* What a chip does with a set of knob values: the rules of moderation, without any register access.
 */
#include "common/chips/effective.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/util.h"

/* The range that the manual recommends for ITR, about 6000 down to 700 interrupts a second
 * [SDM-8254x 13.4.18]. */
#define ITR_RECOMMENDED_MIN 651
#define ITR_RECOMMENDED_MAX 5580

/* One configuration under examination. */
struct view {
	const struct chip *chip;
	const struct settings *settings;
	enum intmode intmode;
	unsigned speed_mbps, tick_scale;
	bool msix_rx_timers;
};

static struct view view_make(const struct chip *chip, const struct settings *settings,
	unsigned speed_mbps, bool msix_rx_timers)
{
	struct view view = {
		.chip = chip,
		.settings = settings,
		.speed_mbps = speed_mbps,
		.tick_scale = chip_tick_scale(chip, speed_mbps),
		.msix_rx_timers = msix_rx_timers,
	};

	if (settings_has(settings, KNOB_INTMODE))
		view.intmode = (enum intmode)settings->value[KNOB_INTMODE];
	return view;
}

static uint32_t view_value(const struct view *view, enum knob_id id)
{
	return settings_has(view->settings, id) ? view->settings->value[id] : 0;
}

static uint64_t view_ns(const struct view *view, enum knob_id id)
{
	return knob_ticks_to_ns(&knob_table[id], view_value(view, id), view->tick_scale);
}

static double view_us(const struct view *view, enum knob_id id)
{
	return (double)view_ns(view, id) / 1e3;
}

static bool view_msix(const struct view *view)
{
	return view->intmode == INTMODE_MSIX;
}

static bool tx_timers_dead(const struct view *view)
{
	return view_msix(view) && chip_has_quirk(view->chip, QUIRK_MSIX_TX_TIMERS_DEAD);
}

static bool rx_timers_dead(const struct view *view)
{
	return view_msix(view) && !view->msix_rx_timers;
}

/* Why the chip takes no notice of knob @id, or NULL when the knob acts. */
static const char *dead_reason(const struct view *view, enum knob_id id)
{
	if (!chip_has_knob(view->chip, id))
		return "the chip has no such register";
	switch (id) {
	case KNOB_ITR:
		return view_msix(view) ? "in MSI-X each vector has its own EITR" : NULL;
	case KNOB_EITR0:
	case KNOB_EITR1:
	case KNOB_EITR2:
		return view_msix(view) ? NULL : "acts in MSI-X only";
	case KNOB_EITR3:
	case KNOB_EITR4:
		return view_msix(view) ? "no cause is routed to this vector" : "acts in MSI-X only";
	case KNOB_RDTR:
		return rx_timers_dead(view) ? "taken as ignored in MSI-X" : NULL;
	case KNOB_RADV:
		if (rx_timers_dead(view))
			return "taken as ignored in MSI-X";
		return view_value(view, KNOB_RDTR) ? NULL : "RDTR is 0";
	case KNOB_RAID:
		return "the driver disables the ACK mechanism (RFCTL.ACK_DIS)";
	case KNOB_TIDV:
		return tx_timers_dead(view) ? "does not bound the rate in MSI-X" : NULL;
	case KNOB_TADV:
		if (tx_timers_dead(view))
			return "does not bound the rate in MSI-X";
		return view_value(view, KNOB_TIDV) ? NULL : "TIDV is 0";
	default:
		return NULL;
	}
}

static bool acts(const struct view *view, enum knob_id id)
{
	return !dead_reason(view, id);
}

__attribute__((format(printf, 2, 3))) static void warn(
	struct effective *effective, const char *fmt, ...)
{
	va_list ap;

	if (effective->warning_count >= EFFECTIVE_WARNINGS_MAX)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(effective->warning[effective->warning_count++],
		sizeof(effective->warning[0]), fmt, ap);
	va_end(ap);
}

static void warn_receive_timers(const struct view *view, struct effective *effective)
{
	uint32_t rdtr = view_value(view, KNOB_RDTR), radv = view_value(view, KNOB_RADV);

	if (radv && !rdtr)
		warn(effective,
			"RADV %u has no effect while RDTR is 0: every frame interrupts at once",
			radv);
	if (rdtr)
		warn(effective,
			"RDTR above 0 may hang the receiver, say two drivers' sources and Intel's "
			"driver documentation; the watchdog resets the chip if it does");
	if (view_msix(view) && (rdtr || radv))
		warn(effective,
			"RDTR and RADV in MSI-X: QEMU ignores them, silicon is not known; this "
			"device %s them",
			view->msix_rx_timers ? "is set to obey" : "is taken to ignore");
	if (rdtr && !radv && acts(view, KNOB_RDTR))
		warn(effective,
			"RDTR %u without RADV has no upper bound: frames less than %.1f us apart "
			"restart the timer for ever",
			rdtr, view_us(view, KNOB_RDTR));
}

static void warn_transmit_timers(const struct view *view, struct effective *effective)
{
	uint32_t tidv = view_value(view, KNOB_TIDV), tadv = view_value(view, KNOB_TADV);

	if (tx_timers_dead(view) && (tidv || tadv)) {
		warn(effective,
			"TIDV and TADV do not bound the interrupt rate in MSI-X (seen on silicon "
			"in 2009); EITR1 does");
		return;
	}
	if (tadv && !tidv)
		warn(effective,
			"TADV %u has no effect while TIDV is 0: completions interrupt at once",
			tadv);
	if (tidv && !tadv)
		warn(effective,
			"TIDV %u without TADV has no upper bound: completions less than %.1f us "
			"apart restart the timer for ever",
			tidv, view_us(view, KNOB_TIDV));
}

/* "EITR0, EITR3" of those vectors' throttles from @first on that are not 0 */
static char *list_throttles(const struct view *view, enum knob_id first, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned id = first; id <= KNOB_EITR4; id++)
		if (view_value(view, (enum knob_id)id) && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
				knob_table[id].name);
	return buf;
}

static void warn_throttles(const struct view *view, struct effective *effective)
{
	uint32_t itr = view_value(view, KNOB_ITR);
	char names[64];

	if (view_msix(view) && itr)
		warn(effective, "ITR %u has no effect in MSI-X: each vector has its own EITR", itr);
	if (!view_msix(view) && *list_throttles(view, KNOB_EITR0, names, sizeof(names)))
		warn(effective, "no effect in %s: %s; ITR is the throttle there",
			intmode_name(view->intmode), names);
	if (view_msix(view) && *list_throttles(view, KNOB_EITR3, names, sizeof(names)))
		warn(effective, "no effect: %s; the driver routes no cause to these vectors",
			names);
	if (!view_msix(view) && itr && (itr < ITR_RECOMMENDED_MIN || itr > ITR_RECOMMENDED_MAX))
		warn(effective,
			"ITR %u (%.1f/s) is outside %u to %u, the range that the manual "
			"recommends; it acts all the same",
			itr, knob_rate_per_s(&knob_table[KNOB_ITR], itr, view->tick_scale),
			ITR_RECOMMENDED_MIN, ITR_RECOMMENDED_MAX);
}

/*
 * An interrupt needs a timer to have run out and the throttle window to be over, so the slower of
 * the two decides. Of the two timers of a direction it is the shorter one that runs out first.
 */
static void warn_precedence(const struct view *view, enum knob_id throttle, enum knob_id packet,
	enum knob_id absolute, const char *direction, struct effective *effective)
{
	uint64_t absolute_ns = acts(view, absolute) ? view_ns(view, absolute) : 0;
	uint64_t throttle_ns = view_ns(view, throttle), packet_ns = view_ns(view, packet);
	enum knob_id timer = absolute_ns && absolute_ns < packet_ns ? absolute : packet;
	uint64_t timer_ns = view_ns(view, timer);

	if (!acts(view, throttle) || !throttle_ns || !acts(view, packet) || !packet_ns)
		return;
	if (timer_ns < throttle_ns)
		warn(effective,
			"%s %u (%.1f us) is longer than %s %u (%.1f us) and takes precedence: it "
			"alone spaces the %s interrupts",
			knob_table[throttle].name, view_value(view, throttle),
			view_us(view, throttle), knob_table[timer].name, view_value(view, timer),
			view_us(view, timer), direction);
	else if (timer_ns > throttle_ns)
		warn(effective,
			"%s %u (%.1f us) is longer than %s %u (%.1f us): the timer, not the "
			"throttle, spaces the %s interrupts",
			knob_table[timer].name, view_value(view, timer), view_us(view, timer),
			knob_table[throttle].name, view_value(view, throttle),
			view_us(view, throttle), direction);
}

static void warn_rest(const struct view *view, struct effective *effective)
{
	bool any_time = false;

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		any_time |= knob_table[id].unit_ps && view_value(view, (enum knob_id)id);
	if (view_value(view, KNOB_RAID))
		warn(effective, "RAID has no effect: the driver keeps the ACK mechanism off "
				"(RFCTL.ACK_DIS)");
	if (view->tick_scale != 1 && any_time)
		warn(effective,
			"at %u Mb/s a tick is taken as %u times as long, as others measured and no "
			"manual says: intervals and rates at this speed are unverified",
			view->speed_mbps, view->tick_scale);
}

static void describe_knob(const struct view *view, enum knob_id id, struct effective_knob *ret_knob)
{
	const char *reason = dead_reason(view, id);

	ret_knob->acts = !reason;
	ret_knob->reason = reason ? reason : "";
	ret_knob->ns = reason ? 0 : view_ns(view, id);
}

void effective_compute(const struct chip *chip, const struct settings *settings,
	unsigned speed_mbps, bool msix_rx_timers, struct effective *ret_effective)
{
	struct view view = view_make(chip, settings, speed_mbps, msix_rx_timers);
	enum knob_id rx_throttle = view_msix(&view) ? KNOB_EITR0 : KNOB_ITR;
	enum knob_id tx_throttle = view_msix(&view) ? KNOB_EITR1 : KNOB_ITR;

	memset(ret_effective, 0, sizeof(*ret_effective));
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		describe_knob(&view, (enum knob_id)id, &ret_effective->knob[id]);
	ret_effective->rate_limit_per_s = knob_rate_per_s(
		&knob_table[rx_throttle], view_value(&view, rx_throttle), view.tick_scale);
	warn_receive_timers(&view, ret_effective);
	warn_transmit_timers(&view, ret_effective);
	warn_throttles(&view, ret_effective);
	warn_precedence(&view, rx_throttle, KNOB_RDTR, KNOB_RADV, "receive", ret_effective);
	warn_precedence(&view, tx_throttle, KNOB_TIDV, KNOB_TADV, "transmit", ret_effective);
	warn_rest(&view, ret_effective);
}

void settings_canonical(const struct chip *chip, const struct settings *settings,
	bool msix_rx_timers, struct settings *ret_canonical)
{
	struct view view = view_make(chip, settings, 0, msix_rx_timers);
	struct settings canonical = *settings;

	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (!settings_has(settings, (enum knob_id)id) || !acts(&view, (enum knob_id)id))
			canonical.value[id] = 0;
	*ret_canonical = canonical;
}
