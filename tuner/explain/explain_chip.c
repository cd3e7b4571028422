/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains settings on a chip: the rules of effective.c, the moderation core, the candidates. */
#include "tuner/explain/explain_chip.h"

#include <stdio.h>
#include <string.h>

#include "common/chips/effective.h"
#include "common/json.h"
#include "common/util.h"
#include "tuner/explain/candidates.h"
#include "tuner/explain/full_load.h"

#define FRAME_LEAST 64
#define FRAME_USUAL 1518

struct explained {
	const struct explain_request *request;
	const struct chip *chip;
	struct settings settings; /* complete */
	struct effective effective;
	enum intmode mode;
	unsigned tick_scale;
};

static bool is_throttle(enum knob_id id)
{
	return id == KNOB_ITR || (id >= KNOB_EITR0 && id <= KNOB_EITR4);
}

static json_t *knob_json(const struct explained *x, enum knob_id id)
{
	const struct knob *knob = &knob_table[id];
	const struct effective_knob *effect = &x->effective.knob[id];
	uint32_t value = x->settings.value[id];
	json_t *json = json_pack("{s:s, s:I, s:b, s:b, s:b, s:f, s:f, s:s}", "name", knob->name,
		"requested", (json_int_t)value, "named", settings_has(&x->request->asked, id),
		"is_time", 1,
		"acts", effect->acts, "requested_ns",
		(double)knob_ticks_to_ns(knob, value, x->tick_scale), "effective_ns",
		(double)effect->ns, "reason", effect->reason);

	if (is_throttle(id))
		(void)json_object_set_new(json, "rate_per_s",
			json_real(effect->acts ? knob_rate_per_s(knob, value, x->tick_scale) : 0));
	/* the register never holds the 0 that the chip must not be given */
	(void)json_object_set_new(
		json, "register", json_integer(id == KNOB_TIDV && !value ? 1 : value));
	return json;
}

static json_t *knobs_json(const struct explained *x)
{
	json_t *array = json_array();

	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		bool exists = knob_table[id].unit_ps && chip_has_knob(x->chip, (enum knob_id)id);
		/* EITR3 and EITR4 carry no cause: only of interest to who names them */
		bool spare = id == KNOB_EITR3 || id == KNOB_EITR4;

		if (exists && (!spare || settings_has(&x->request->asked, (enum knob_id)id)))
			(void)json_array_append_new(array, knob_json(x, (enum knob_id)id));
	}
	return array;
}

static void clear_throttles(struct settings *settings)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (is_throttle((enum knob_id)id))
			settings->value[id] = 0;
}

static json_t *load_json(
	const struct explained *x, unsigned frame_bytes, enum load_direction direction)
{
	static const char *const names[] = {
		[LOAD_RX] = "rx", [LOAD_TX] = "tx", [LOAD_BOTH] = "both"};
	struct load_case spec = {x->chip, x->settings, x->request->speed_mbps, frame_bytes,
		direction, x->request->msix_rx_timers};
	struct load_result result, unthrottled;

	full_load_run(&spec, &result);
	clear_throttles(&spec.settings);
	full_load_run(&spec, &unthrottled);
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "direction", names[direction],
		"frames_per_s", result.frames_per_s, "interrupts_per_s", result.interrupts_per_s,
		"frames_per_interrupt", result.frames_per_interrupt,
		"interrupts_per_s_without_throttle", unthrottled.interrupts_per_s, "lost_per_s",
		result.lost_per_s);
}

/* How many frames fit into the shorter of a direction's two timers; 0: no timer acts. */
static double window_ns(const struct explained *x, enum knob_id packet, enum knob_id absolute)
{
	const struct effective_knob *p = &x->effective.knob[packet];
	const struct effective_knob *a = &x->effective.knob[absolute];

	if (!p->acts || !p->ns)
		return 0;
	return a->acts && a->ns ? (double)MIN(p->ns, a->ns) : (double)p->ns;
}

/* Bound by the absolute timer alone. */
static double timer_rate(const struct explained *x, enum knob_id absolute)
{
	const struct effective_knob *a = &x->effective.knob[absolute];

	return a->acts && a->ns ? 1e9 / (double)a->ns : 0;
}

static json_t *frame_json(const struct explained *x, unsigned frame_bytes)
{
	double frame_ns = full_load_frame_ns(frame_bytes, x->request->speed_mbps);
	json_t *json = json_pack("{s:i, s:f, s:f, s:f, s:f}", "frame_bytes", frame_bytes,
		"frame_ns", frame_ns, "line_rate_per_s", 1e9 / frame_ns, "rx_window_frames",
		window_ns(x, KNOB_RDTR, KNOB_RADV) / frame_ns, "tx_window_frames",
		window_ns(x, KNOB_TIDV, KNOB_TADV) / frame_ns);
	json_t *loads = json_array();

	for (unsigned direction = LOAD_RX; direction <= LOAD_BOTH && full_load_known(x->chip);
		direction++)
		(void)json_array_append_new(
			loads, load_json(x, frame_bytes, (enum load_direction)direction));
	(void)json_object_set_new(json, "load", loads);
	return json;
}

static json_t *frames_json(const struct explained *x)
{
	const struct explain_request *request = x->request;
	json_t *array = json_array();

	for (size_t i = 0; i < request->frame_count; i++)
		(void)json_array_append_new(array, frame_json(x, request->frames[i]));
	if (request->frame_count)
		return array;
	(void)json_array_append_new(array, frame_json(x, FRAME_LEAST));
	(void)json_array_append_new(array, frame_json(x, FRAME_USUAL));
	if (x->chip->max_frame > FRAME_USUAL + 4 && x->request->speed_mbps == 1000)
		(void)json_array_append_new(array, frame_json(x, MIN(x->chip->max_frame, 9234u)));
	return array;
}

static json_t *warnings_json(const struct explained *x)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < x->effective.warning_count; i++)
		(void)json_array_append_new(array, json_string(x->effective.warning[i]));
	return array;
}

/* Hazards of this very part that touch a knob with a value above 0. */
static json_t *hazards_json(const struct explained *x)
{
	json_t *array = json_array();

	for (size_t i = 0; i < card_fact_count; i++) {
		const struct card_fact *fact = &card_fact_table[i];
		const struct knob *knob = knob_find(fact->knob);

		if (fact->kind == FACT_HAZARD && knob && x->settings.value[knob->id] &&
			chip_has_knob(x->chip, knob->id) &&
			card_fits(x->request->card, fact->families, fact->cards))
			(void)json_array_append_new(
				array, json_sprintf("%s: %s [%s]", fact->knob, fact->text,
					       fact->source));
	}
	return array;
}

static json_t *candidates_json(const struct explained *x)
{
	struct candidate rows[CANDIDATES_MAX];
	size_t count = candidates_make(x->chip, &x->settings, x->request->speed_mbps,
		x->request->msix_rx_timers, rows);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		char text[256];

		(void)json_array_append_new(
			array, json_pack("{s:s, s:s, s:s}", "settings",
				       settings_format(&rows[i].change, text, sizeof(text)), "why",
				       rows[i].why, "hazard", rows[i].hazard));
	}
	return array;
}

static int complete(struct explained *x, struct error *err)
{
	int r = chip_check_settings(x->chip, &x->request->asked, err);

	if (r < 0)
		return r;
	chip_initial_settings(x->chip, &x->settings);
	settings_merge(&x->settings, &x->request->asked);
	x->mode = (enum intmode)x->settings.value[KNOB_INTMODE];
	x->tick_scale = chip_tick_scale(x->chip, x->request->speed_mbps);
	effective_compute(x->chip, &x->settings, x->request->speed_mbps,
		x->request->msix_rx_timers, &x->effective);
	return 0;
}

int explain_chip_json(const struct explain_request *request, json_t **ret_json, struct error *err)
{
	struct explained x = {.request = request, .chip = card_chip(request->card)};
	json_t *json;
	int r;

	if (!x.chip)
		return error_usage(err,
			"the %s has another logic than the Intel cores: \"moderato chips %s\" "
			"tells what its registers do",
			request->card->name, request->card->name);
	r = complete(&x, err);
	if (r < 0)
		return r;
	json = json_pack("{s:s, s:s, s:s, s:i, s:o, s:f, s:f, s:f}", "chip", request->card->name,
		"state", card_state_name(card_state(request->card)), "intmode",
		intmode_name(x.mode), "speed_mbps", request->speed_mbps, "knobs", knobs_json(&x),
		"rate_limit_per_s", x.effective.rate_limit_per_s, "rx_timer_limit_per_s",
		timer_rate(&x, KNOB_RADV), "tx_timer_limit_per_s", timer_rate(&x, KNOB_TADV));
	(void)json_object_update_new(
		json, json_pack("{s:s, s:o, s:o, s:o, s:o}", "model", "moderation core", "frames", frames_json(&x), "warnings",
			      warnings_json(&x), "hazards", hazards_json(&x), "candidates",
			      candidates_json(&x)));
	*ret_json = json;
	return 0;
}
