/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals and rates of a generator run. */
#include "tuner/pktgen_report.h"

#include <inttypes.h>

#include "tuner/client.h"
#include "tuner/columns.h"

void pktgen_sample_read(const json_t *stats, struct pktgen_sample *ret_sample)
{
	const json_t *sim = json_object_get(stats, "sim");

	rates_sample_read(stats, &ret_sample->counters);
	ret_sample->source_frames = reply_int(sim, "source_frames");
	ret_sample->sink_frames = reply_int(sim, "sink_frames");
}

static void add_line(const struct pktgen_outcome *outcome, struct columns *columns,
	const char *what, int64_t frames, double per_s)
{
	columns_cell(columns, "%s", what);
	columns_cell(columns, "%" PRId64, frames);
	if (!outcome->counted)
		columns_cell(columns, "%.0f", per_s);
	columns_end_row(columns);
}

static void print_frames(const struct pktgen_outcome *outcome, const struct rates *rates)
{
	const struct pktgen_sample *before = &outcome->before, *from = &outcome->from;
	const struct pktgen_sample *to = &outcome->to, *after = &outcome->after;
	double seconds = rates->seconds > 0 ? rates->seconds : 1;
	struct columns *columns = columns_new("lrr");

	columns_cell(columns, "COUNTED");
	columns_cell(columns, "FRAMES");
	columns_cell(columns, "%s", outcome->counted ? "" : "FRAMES/S");
	columns_end_heading(columns);
	if (outcome->transmit)
		add_line(outcome, columns, "sent", outcome->sent, rates->tx_frames_per_s);
	if (outcome->transmit && outcome->simulated)
		add_line(outcome, columns, "left the wire",
			after->sink_frames - before->sink_frames,
			(double)(to->sink_frames - from->sink_frames) / seconds);
	if (outcome->source)
		add_line(outcome, columns, "source", after->source_frames - before->source_frames,
			(double)(to->source_frames - from->source_frames) / seconds);
	add_line(outcome, columns, "received", outcome->received, rates->rx_frames_per_s);
	add_line(outcome, columns, "missed",
		(int64_t)(after->counters.missed - before->counters.missed), rates->missed_per_s);
	columns_print_free(columns, stdout);
}

static void print_totals(const struct pktgen_outcome *outcome)
{
	const struct rates_sample *before = &outcome->before.counters;
	const struct rates_sample *after = &outcome->after.counters;
	uint64_t frames =
		after->rx_frames - before->rx_frames + after->tx_frames - before->tx_frames;
	uint64_t cpu_ns = after->driver_cpu_ns - before->driver_cpu_ns;

	printf("\n%" PRIu64 " interrupts", after->irq_messages - before->irq_messages);
	if (frames)
		printf("; driver CPU %.0f ns a frame", (double)cpu_ns / (double)frames);
	if (outcome->transmit && outcome->elapsed_ns > 0)
		printf("; sent at %.0f frames/s",
			(double)outcome->sent * 1e9 / (double)outcome->elapsed_ns);
	printf("\n");
}

static void print_rates(const struct rates *rates)
{
	double frames = rates->rx_frames_per_s + rates->tx_frames_per_s;

	printf("\n%.1f interrupts/s", rates->irq_total_per_s);
	if (rates->rx_frames_per_irq > 0)
		printf(", %.1f frames per receive interrupt", rates->rx_frames_per_irq);
	printf("; driver CPU %.1f %%", rates->driver_cpu * 100);
	if (frames > 0)
		printf(", %.0f ns a frame", rates->driver_cpu * 1e9 / frames);
	printf("\n");
}

void pktgen_report_print(const struct pktgen_outcome *outcome)
{
	struct rates rates;

	rates_between(&outcome->from.counters, &outcome->to.counters, &rates);
	printf("%" PRId64 "-byte frames", outcome->frame_bytes);
	if (!outcome->counted)
		printf(", %.3f s", rates.seconds);
	printf("%s\n", outcome->interrupted ? ", interrupted" : "");
	print_frames(outcome, &rates);
	if (outcome->counted)
		print_totals(outcome);
	else
		print_rates(&rates);
	if (outcome->transmit)
		printf("transmit ring full %" PRId64 " times\n", outcome->ring_full);
}

json_t *pktgen_report_json(const struct pktgen_outcome *outcome)
{
	const struct pktgen_sample *before = &outcome->before, *after = &outcome->after;
	json_t *value = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "frame_bytes",
		(json_int_t)outcome->frame_bytes, "sent", (json_int_t)outcome->sent, "received",
		(json_int_t)outcome->received, "missed",
		(json_int_t)(after->counters.missed - before->counters.missed), "elapsed_ns",
		(json_int_t)outcome->elapsed_ns, "ring_full", (json_int_t)outcome->ring_full,
		"source_frames", (json_int_t)(after->source_frames - before->source_frames),
		"sink_frames", (json_int_t)(after->sink_frames - before->sink_frames),
		"interrupted", outcome->interrupted);
	struct rates rates;

	rates_between(&outcome->from.counters, &outcome->to.counters, &rates);
	if (!outcome->counted)
		(void)json_object_set_new(value, "rates", rates_json(&rates));
	return value;
}
