/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison in words, as a table of looks, and as JSON. */
#include "tuner/compare_view.h"

#include <math.h>

#include "tuner/columns.h"
#include "tuner/modes.h"

static const char *better_name(const struct compare_result *result)
{
	return result->rule.direction == PAIRS_LESS_IS_BETTER ? "less" : "more";
}

static void format_interval(const struct pairs_result *look, char *buf, size_t size)
{
	if (look->has_interval)
		(void)snprintf(buf, size, "%.3f to %.3f", look->low, look->high);
	else
		(void)snprintf(buf, size, "-");
}

char *compare_format_look(const struct pairs_result *look, char *buf, size_t size)
{
	char interval[64];

	format_interval(look, interval, sizeof(interval));
	(void)snprintf(buf, size, "%u pair%s: ratio %.3f (%s), %s", look->pairs,
		look->pairs == 1 ? "" : "s", look->ratio, interval,
		pairs_verdict_name(look->verdict));
	return buf;
}

/* Why nothing is proven. */
static void format_unproven(const struct compare_result *result, char *buf, size_t size)
{
	const struct pairs_result *last = &result->last;

	if (last->pairs < PAIRS_LEAST)
		(void)snprintf(buf, size, "n = %u, no verdict: at least %d pairs are needed",
			last->pairs, PAIRS_LEAST);
	else if (result->two_modes)
		(void)snprintf(buf, size,
			"not proven: the trials of a side fall into two modes, so a verdict needs "
			"%d pairs",
			MODES_PAIRS_MIN);
	else if (!last->has_interval)
		(void)snprintf(buf, size,
			"not proven: %u pairs cannot reach a confidence of %.2f %%", last->pairs,
			100.0 * result->rule.confidence);
	else if (last->low <= 1.0 && last->high >= 1.0)
		(void)snprintf(buf, size,
			"not proven: the interval holds 1 and reaches out of the band of %.3g %% "
			"that does "
			"not matter",
			100.0 * result->rule.smallest_effect);
	else
		(void)snprintf(buf, size,
			"not proven: different, yet neither surely below nor estimated above the "
			"%.3g %% "
			"that matter",
			100.0 * result->rule.smallest_effect);
}

char *compare_format_verdict(const struct compare_result *result, char *buf, size_t size)
{
	const struct pairs_result *last = &result->last;
	char interval[64];

	format_interval(last, interval, sizeof(interval));
	switch (last->verdict) {
	case PAIRS_NOT_PROVEN:
		format_unproven(result, buf, size);
		break;
	case PAIRS_SAME:
		(void)snprintf(buf, size, "same: %s differs by less than %.3g %% (ratio %s)",
			metric_table[result->metric].name, 100.0 * result->rule.smallest_effect,
			interval);
		break;
	case PAIRS_BETTER:
	case PAIRS_WORSE:
		(void)snprintf(buf, size, "%s: %s is %.3f times as high (%s) with %s",
			pairs_verdict_name(last->verdict), metric_table[result->metric].name,
			last->ratio, interval, result->name_b);
		break;
	}
	return buf;
}

static void view_looks(const struct compare_result *result, FILE *out)
{
	struct columns *columns = columns_new("rrlrrl");
	unsigned rows = result->look_count ? result->look_count : 1;

	columns_cell(columns, "PAIRS");
	columns_cell(columns, "RATIO");
	columns_cell(columns, "INTERVAL");
	columns_cell(columns, "CONFIDENCE");
	columns_cell(columns, "P");
	columns_cell(columns, "VERDICT");
	columns_end_heading(columns);
	for (unsigned i = 0; i < rows; i++) {
		const struct pairs_result *look =
			result->look_count ? &result->look[i] : &result->last;
		char interval[64];

		format_interval(look, interval, sizeof(interval));
		columns_cell(columns, "%u", look->pairs);
		columns_cell(columns, "%.3f", look->ratio);
		columns_cell(columns, "%s", interval);
		columns_cell(
			columns, look->has_interval ? "%.2f %%" : "-", 100.0 * look->confidence);
		columns_cell(columns, "%.2g", look->p_value);
		columns_cell(columns, "%s", pairs_verdict_name(look->verdict));
		columns_end_row(columns);
	}
	columns_print_free(columns, out);
}

static void view_sides(const struct compare_result *result, FILE *out)
{
	char text[PLAN_NAME_MAX * 2 + WORKLOAD_TEXT_MAX + 16];

	(void)snprintf(text, sizeof(text), "%s against %s, %s", result->name_b, result->name_a,
		result->workload);
	print_wrapped(out, "", text);
	print_wrapped(out, "differ in: ", result->difference);
	fprintf(out, "%s in %s, %s is better; an effect below %.3g %% does not matter\n",
		metric_table[result->metric].name, metric_table[result->metric].unit,
		better_name(result), 100.0 * result->rule.smallest_effect);
}

void compare_view(const struct compare_result *result, FILE *out)
{
	char text[512];

	view_sides(result, out);
	fprintf(out, "\n");
	view_looks(result, out);
	fprintf(out, "\nmedians: %.4g with %s, %.4g with %s\n", result->median_a, result->name_a,
		result->median_b, result->name_b);
	if (result->lost)
		fprintf(out, "pairs lost to void or failed trials: %u\n", result->lost);
	print_wrapped(out, "", compare_format_verdict(result, text, sizeof(text)));
	if (*result->same_effect)
		print_wrapped(out, "both settings come to the same: ", result->same_effect);
}

void compare_view_cells(const struct compare_result *results, size_t count, FILE *out)
{
	struct columns *columns = columns_new("lrrrrll");
	char text[512];

	view_sides(&results[0], out);
	fprintf(out, "\n");
	columns_cell(columns, "WORKLOAD");
	columns_cell(columns, "PAIRS");
	columns_cell(columns, "A");
	columns_cell(columns, "B");
	columns_cell(columns, "RATIO");
	columns_cell(columns, "INTERVAL");
	columns_cell(columns, "VERDICT");
	columns_end_heading(columns);
	for (size_t i = 0; i < count; i++) {
		const struct compare_result *result = &results[i];
		char interval[64];

		format_interval(&result->last, interval, sizeof(interval));
		columns_cell(columns, "%s", result->workload);
		columns_cell(columns, "%u", result->last.pairs);
		columns_cell(columns, "%.4g", result->median_a);
		columns_cell(columns, "%.4g", result->median_b);
		columns_cell(columns, "%.3f", result->last.ratio);
		columns_cell(columns, "%s", interval);
		columns_cell(columns, "%s",
			result->last.pairs < PAIRS_LEAST
				? compare_format_verdict(result, text, sizeof(text))
				: pairs_verdict_name(result->last.verdict));
		columns_end_row(columns);
	}
	columns_print_free(columns, out);
	fprintf(out, "\nA and B are medians; intervals of at least %.2f %%\n",
		100.0 * results[0].rule.confidence);
	if (*results[0].same_effect)
		print_wrapped(out, "both settings come to the same: ", results[0].same_effect);
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *look_json(const struct pairs_result *look)
{
	return json_pack("{s:i, s:i, s:o, s:o, s:o, s:f, s:f, s:s}", "pairs", (int)look->pairs,
		"zeros", (int)look->zeros, "ratio", number_or_null(look->ratio), "low",
		number_or_null(look->has_interval ? look->low : NAN), "high",
		number_or_null(look->has_interval ? look->high : NAN), "confidence",
		look->confidence, "p_value", look->p_value, "verdict",
		pairs_verdict_name(look->verdict));
}

json_t *compare_json(const struct compare_result *result)
{
	json_t *looks = json_array();

	for (unsigned i = 0; i < result->look_count; i++)
		(void)json_array_append_new(looks, look_json(&result->look[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:b, s:i, s:s, s:s}",
		"a", result->name_a, "b", result->name_b, "workload", result->workload, "metric",
		metric_table[result->metric].name, "unit", metric_table[result->metric].unit,
		"better", better_name(result), "smallest_effect", result->rule.smallest_effect,
		"asked_confidence", result->rule.confidence, "median_a",
		number_or_null(result->median_a), "median_b", number_or_null(result->median_b),
		"result", look_json(&result->last), "looks", looks, "two_modes", result->two_modes,
		"lost", (int)result->lost, "difference", result->difference, "same_effect",
		result->same_effect);
}
