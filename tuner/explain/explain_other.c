/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains settings on chips of another logic than the Intel cores. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/chips/nforce.h"
#include "common/util.h"
#include "profiles/driver_param.h"
#include "tuner/explain/explain_chip.h"
#include "tuner/explain/full_load.h"
#include "tuner/explain/report.h"

#define NAMES_MAX 16

/* One setting that was named. */
struct named {
	const char *name; /* as the card calls it */
	char word[24];	  /* as the user called it, "EITR0" */
	int64_t value;
	uint32_t reg;	/* what the register holds */
	double unit_ns; /* 0: no time */
};

struct other {
	const struct explain_request *request;
	struct card_knob knobs[CARD_KNOBS_MAX];
	size_t knob_count;
	struct named named[NAMES_MAX];
	size_t count;
	json_t *warnings;
};

static const struct named *find_named(const struct other *x, const char *name)
{
	for (size_t i = 0; i < x->count; i++)
		if (!strcmp(x->named[i].name, name))
			return &x->named[i];
	return NULL;
}

/* "EITR", "EITR3" and "EITRn" are the card's "EITRn". */
static bool is_called(const char *knob, const char *word, size_t len)
{
	size_t stem = strlen(knob) - (knob[strlen(knob) - 1] == 'n');

	if (len == strlen(knob) && !strncasecmp(knob, word, len))
		return true;
	if (stem == strlen(knob) || len < stem || strncasecmp(knob, word, stem) != 0)
		return false;
	for (size_t i = stem; i < len; i++)
		if (!isdigit((unsigned char)word[i]))
			return false;
	return true;
}

static const struct card_knob *find_knob(const struct other *x, const char *word, size_t len)
{
	for (size_t i = 0; i < x->knob_count; i++)
		if (is_called(x->knobs[i].name, word, len))
			return &x->knobs[i];
	return NULL;
}

static int fail_name(const struct other *x, const char *word, struct error *err)
{
	char names[300] = "";

	for (size_t i = 0; i < x->knob_count; i++)
		(void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			i ? ", " : "", x->knobs[i].name);
	return error_usage(err, "\"%.40s\": the %s has %s", word, x->request->card->name, names);
}

/* DragonFly's word for nForce's timer: microseconds with a sign, the register takes ticks. */
static int take_imtimer(struct other *x, const char *text, struct named *named, struct error *err)
{
	int64_t us;

	if (!report_integer(text, &us) || us < -671088 || us > 671088)
		return error_usage(err,
			"imtimer=%.40s: not microseconds within 671088, with a sign for the mode", text);
	*named = (struct named){.name = "imtimer", .word = "imtimer", .value = us, .unit_ns = NFORCE_TICK_NS};
	named->reg = nforce_ticks_of_us((uint32_t)(us < 0 ? -us : us));
	if (us && !named->reg)
		(void)json_array_append_new(x->warnings,
			json_sprintf("imtimer %lld: below 11 us no tick is left, the timer is off",
				(long long)us));
	return 0;
}

static int take_register(
	struct other *x, const char *word, size_t len, struct named *named, struct error *err)
{
	const struct card_knob *knob = find_knob(x, word, len);
	int64_t value;

	if (!knob)
		return fail_name(x, word, err);
	if (!report_integer(word + len + 1, &value) || value < knob->min || value > knob->max)
		return error_usage(err, "%.60s is out of range: %u to %u", word, knob->min, knob->max);
	*named = (struct named){
		.name = knob->name, .value = value, .unit_ns = knob->unit_ps / 1e3};
	(void)snprintf(named->word, sizeof(named->word), "%.*s", (int)MIN(len, sizeof(named->word) - 1),
		word);
	named->reg = (uint32_t)value;
	/* whole microseconds in bits 14:2 */
	if (knob->unit_ps == 250000 && (value & 3)) {
		named->reg &= ~3u;
		(void)json_array_append_new(x->warnings,
			json_sprintf("%s %lld: bits 1:0 are no part of the interval, it acts as %u",
				named->word, (long long)value, named->reg));
	}
	return 0;
}

static int take_word(struct other *x, const char *word, struct error *err)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : 0;
	struct named *named = &x->named[x->count];
	int r;

	if (!len || !equals[1])
		return error_usage(err, "\"%.60s\" is no setting; write NAME=VALUE", word);
	if (x->count == NAMES_MAX)
		return error_usage(err, "more than %d settings", NAMES_MAX);
	if (x->request->card->family == CARD_NFORCE && len == 7 && !strncasecmp(word, "imtimer", 7))
		r = take_imtimer(x, equals + 1, named, err);
	else
		r = take_register(x, word, len, named, err);
	x->count += r == 0;
	return r;
}

/* --- interrupts a second of one direction, frames back to back every @frame_ns --- */

/* A throttle: the next frame after its window, or every frame that is longer than it. */
static double igb_rate(const struct other *x, double frame_ns)
{
	const struct named *eitr = find_named(x, "EITRn");
	double window = eitr ? eitr->reg * eitr->unit_ns : 0;

	return 1e9 / (window > frame_ns ? window : frame_ns);
}

/* By the timer alone, or every frame; below 0 the timer while frames come faster than 1e6 / -Y. */
static double nforce_rate(const struct other *x, double frame_ns)
{
	const struct named *timer = find_named(x, "imtimer");

	if (!timer)
		timer = find_named(x, "IMTIMER");
	if (!timer || !timer->reg || (timer->value < 0 && 1e9 / frame_ns <= 1e6 / -(double)timer->value))
		return 1e9 / frame_ns;
	return 1e9 / (timer->reg * timer->unit_ns);
}

/* The first frame starts the time; time or count ends the group, the next frame starts anew. */
static double bcm_rate(const struct other *x, double frame_ns, const char *ticks_name, const char *bds_name)
{
	const struct named *ticks = find_named(x, ticks_name), *bds = find_named(x, bds_name);
	double by_time = ticks ? floor(ticks->reg * ticks->unit_ns / frame_ns) + 1 : 1;
	double frames = bds && bds->reg ? (ticks ? fmin(by_time, bds->reg) : bds->reg) : by_time;

	return 1e9 / (frames * frame_ns);
}

static double rate_of(const struct other *x, double frame_ns, enum load_direction direction)
{
	switch (x->request->card->family) {
	case CARD_IGB:
		return igb_rate(x, frame_ns);
	case CARD_NFORCE:
		return nforce_rate(x, frame_ns);
	default:
		return direction == LOAD_RX
			       ? bcm_rate(x, frame_ns, "rx_coal_ticks", "rx_max_coal_bds")
			       : bcm_rate(x, frame_ns, "tx_coal_ticks", "tx_max_coal_bds");
	}
}

static json_t *load_json(const struct other *x, double frame_ns, enum load_direction direction)
{
	double rate = rate_of(x, frame_ns, direction);

	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "direction",
		direction == LOAD_RX ? "rx" : "tx", "frames_per_s", 1e9 / frame_ns,
		"interrupts_per_s", rate, "frames_per_interrupt", 1e9 / frame_ns / rate,
		"interrupts_per_s_without_throttle", 1e9 / frame_ns, "lost_per_s", 0.0);
}

static json_t *frame_json(const struct other *x, unsigned bytes)
{
	double frame_ns = full_load_frame_ns(bytes, x->request->speed_mbps);

	return json_pack("{s:i, s:f, s:f, s:f, s:f, s:[o, o]}", "frame_bytes", bytes, "frame_ns",
		frame_ns, "line_rate_per_s", 1e9 / frame_ns, "rx_window_frames", 0.0,
		"tx_window_frames", 0.0, "load", load_json(x, frame_ns, LOAD_RX),
		load_json(x, frame_ns, LOAD_TX));
}

static json_t *frames_json(const struct other *x)
{
	json_t *array = json_array();

	for (size_t i = 0; i < x->request->frame_count; i++)
		(void)json_array_append_new(array, frame_json(x, x->request->frames[i]));
	if (!x->request->frame_count) {
		(void)json_array_append_new(array, frame_json(x, 64));
		(void)json_array_append_new(array, frame_json(x, 1518));
	}
	return array;
}

/* Why a named setting does nothing, or "". */
static const char *dead_reason(const struct other *x, const struct named *named)
{
	enum card_family family = x->request->card->family;

	if (family == CARD_NFORCE && !strcmp(named->name, "imtimer") && !named->reg)
		return "no moderation: real causes interrupt";
	if (strstr(named->name, "_int"))
		return "acts only while an interrupt is being served";
	return "";
}

static json_t *knob_json(const struct other *x, const struct named *named)
{
	const char *reason = dead_reason(x, named);
	double ns = named->reg * named->unit_ns;
	bool throttle = ns > 0 && x->request->card->family != CARD_BCM570X &&
			x->request->card->family != CARD_BCM5705 &&
			x->request->card->family != CARD_BCM5717;
	json_t *json = json_pack("{s:s, s:I, s:b, s:b, s:b, s:f, s:f, s:s, s:I}", "name", named->word,
		"requested", (json_int_t)named->value, "named", 1, "is_time", named->unit_ns > 0,
		"acts", !*reason, "requested_ns",
		ns, "effective_ns", *reason ? 0 : ns, "reason", reason, "register",
		(json_int_t)named->reg);

	if (throttle && !*reason)
		(void)json_object_set_new(json, "rate_per_s", json_real(1e9 / ns));
	return json;
}

static json_t *hazards_json(const struct other *x)
{
	const struct card *card = x->request->card;
	json_t *array = json_array();

	for (size_t i = 0; i < card_fact_count; i++) {
		const struct card_fact *fact = &card_fact_table[i];

		if (fact->kind == FACT_HAZARD && card_fits(card, fact->families, fact->cards) &&
			(!*fact->knob || find_named(x, fact->knob)))
			(void)json_array_append_new(array,
				json_sprintf("%s%s%s [%s]", fact->knob, *fact->knob ? ": " : "",
					fact->text, fact->source));
	}
	return array;
}

static void warn_imtimer(const struct other *x)
{
	const struct named *timer = find_named(x, "imtimer");

	if (!timer || !timer->reg)
		return;
	if (timer->value < 0)
		(void)json_array_append_new(x->warnings,
			json_sprintf("imtimer %lld: from the timer only while interrupts come faster "
				     "than %.0f a second; at or below that real causes interrupt",
				(long long)timer->value, 1e6 / -(double)timer->value));
	else
		(void)json_array_append_new(x->warnings,
			json_string("a positive imtimer interrupts at its rate also when nothing "
				    "happens"));
}

static void warn_eitr(const struct other *x)
{
	const struct named *eitr = find_named(x, "EITRn");

	if (x->request->card->family != CARD_IGB || !eitr)
		return;
	if (x->request->speed_mbps != 1000)
		(void)json_array_append_new(x->warnings,
			json_string("whether ticks are longer below 1000 Mb/s was not found"));
	for (size_t i = 0; i < x->knob_count; i++)
		if (!strcmp(x->knobs[i].name, "EITRn") && x->knobs[i].high && eitr->reg &&
			(eitr->reg < x->knobs[i].low || eitr->reg > x->knobs[i].high))
			(void)json_array_append_new(x->warnings,
				json_sprintf("%s %u is outside %u to %u, the range that the manual "
					     "recommends; it acts all the same",
					eitr->word, eitr->reg, x->knobs[i].low, x->knobs[i].high));
}

/* The highest interrupt rate that a throttle or timer allows, 0: none. */
static double limit_of(const struct other *x)
{
	const struct named *eitr = find_named(x, "EITRn"), *timer = find_named(x, "imtimer");

	if (eitr && eitr->reg)
		return 1e9 / (eitr->reg * eitr->unit_ns);
	return timer && timer->reg ? 1e9 / (timer->reg * timer->unit_ns) : 0;
}

static json_t *make_json(struct other *x)
{
	const struct explain_request *request = x->request;
	enum intmode mode = request->card->family == CARD_IGB ? INTMODE_MSIX : INTMODE_MSI;
	json_t *knobs = json_array();

	if (!(card_intmodes(request->card) & INTMODE_BIT(mode)))
		mode = INTMODE_INTX;

	if (settings_has(&request->asked, KNOB_INTMODE))
		mode = (enum intmode)request->asked.value[KNOB_INTMODE];
	for (size_t i = 0; i < x->count; i++)
		(void)json_array_append_new(knobs, knob_json(x, &x->named[i]));
	warn_imtimer(x);
	warn_eitr(x);
	return json_pack("{s:s, s:s, s:s, s:i, s:o, s:f, s:f, s:f, s:o, s:O, s:o, s:[], s:s}", "chip",
		request->card->name, "state", card_state_name(card_state(request->card)), "intmode",
		intmode_name(mode), "speed_mbps", request->speed_mbps, "knobs", knobs,
		"rate_limit_per_s", limit_of(x), "rx_timer_limit_per_s", 0.0,
		"tx_timer_limit_per_s", 0.0, "frames", frames_json(x), "warnings", x->warnings,
		"hazards", hazards_json(x), "candidates", "model", "closed form");
}

int explain_other_json(const struct explain_request *request, json_t **ret_json, struct error *err)
{
	struct other x = {.request = request, .warnings = json_array()};
	int r = 0;

	x.knob_count = card_knobs(request->card, x.knobs);
	if (settings_has(&request->asked, KNOB_INTMODE) &&
		!(card_intmodes(request->card) & INTMODE_BIT(request->asked.value[KNOB_INTMODE])))
		r = error_usage(err, "the %s has no interrupt mode %s", request->card->name,
			intmode_name((enum intmode)request->asked.value[KNOB_INTMODE]));
	for (char **word = request->words; word && *word && r == 0; word++)
		r = take_word(&x, *word, err);
	if (r == 0)
		*ret_json = make_json(&x);
	json_decref(x.warnings);
	return r;
}
