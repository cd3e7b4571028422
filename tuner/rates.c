/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of counters over time. */
#include "tuner/rates.h"

#include <string.h>

#include "tuner/client.h"

static uint64_t counter(const json_t *counters, const char *name)
{
	return (uint64_t)reply_int(counters, name);
}

static uint64_t counters_sum(const json_t *counters, const char *const *names)
{
	uint64_t sum = 0;

	for (; *names; names++)
		sum += counter(counters, *names);
	return sum;
}

void rates_sample_read(const json_t *stats, struct rates_sample *ret_sample)
{
	static const char *const drops[] = {"rx_drop_error", "rx_drop_long", "rx_drop_tap",
		"tx_drop_bad", "tx_drop_long", "tx_drop_state", "tap_drops", NULL};
	const json_t *counters = json_object_get(stats, "counters");
	const json_t *histogram = json_object_get(stats, "batch_histogram");
	struct rates_sample sample = {
		.time_ns = (uint64_t)reply_int(stats, "time_ns"),
		.irq_messages = counter(counters, "irq_messages"),
		.irq_cause_rx = counter(counters, "irq_cause_rx"),
		.rx_frames = counter(counters, "rx_frames"),
		.rx_bytes = counter(counters, "rx_bytes"),
		.tx_frames = counter(counters, "tx_frames"),
		.tx_bytes = counter(counters, "tx_bytes"),
		.missed = counter(counters, "rx_missed"),
		.dropped = counters_sum(counters, drops),
		.driver_cpu_ns = counter(counters, "thread_cpu_ns"),
		.device_cpu_ns = counter(json_object_get(stats, "sim"), "device_cpu_ns"),
	};
	char name[32];

	for (unsigned i = 0; i < RATES_VECTORS; i++) {
		(void)snprintf(name, sizeof(name), "irq_vector_%u", i);
		sample.irq[i] = counter(counters, name);
	}
	for (unsigned i = 0; i < RATES_BUCKETS; i++)
		sample.batch[i] = (uint64_t)json_integer_value(json_array_get(histogram, i));
	*ret_sample = sample;
}

void rates_between(
	const struct rates_sample *from, const struct rates_sample *to, struct rates *ret_rates)
{
	struct rates rates = {0};
	double seconds = (double)(to->time_ns - from->time_ns) / 1e9;

	*ret_rates = rates;
	if (to->time_ns <= from->time_ns)
		return;
	rates.seconds = seconds;
	for (unsigned i = 0; i < RATES_VECTORS; i++)
		rates.irq_per_s[i] = (double)(to->irq[i] - from->irq[i]) / seconds;
	rates.irq_total_per_s = (double)(to->irq_messages - from->irq_messages) / seconds;
	rates.rx_frames_per_s = (double)(to->rx_frames - from->rx_frames) / seconds;
	rates.tx_frames_per_s = (double)(to->tx_frames - from->tx_frames) / seconds;
	rates.rx_mbit_per_s = (double)(to->rx_bytes - from->rx_bytes) * 8e-6 / seconds;
	rates.tx_mbit_per_s = (double)(to->tx_bytes - from->tx_bytes) * 8e-6 / seconds;
	if (to->irq_cause_rx > from->irq_cause_rx)
		rates.rx_frames_per_irq = (double)(to->rx_frames - from->rx_frames) /
					  (double)(to->irq_cause_rx - from->irq_cause_rx);
	rates.missed_per_s = (double)(to->missed - from->missed) / seconds;
	rates.dropped_per_s = (double)(to->dropped - from->dropped) / seconds;
	rates.driver_cpu = (double)(to->driver_cpu_ns - from->driver_cpu_ns) / 1e9 / seconds;
	rates.device_cpu = (double)(to->device_cpu_ns - from->device_cpu_ns) / 1e9 / seconds;
	for (unsigned i = 0; i < RATES_BUCKETS; i++)
		rates.batch[i] = to->batch[i] - from->batch[i];
	*ret_rates = rates;
}

char *rates_bucket_name(unsigned bucket, char *buf, size_t size)
{
	unsigned low = bucket ? 1u << (bucket - 1) : 0;

	if (bucket < 2)
		(void)snprintf(buf, size, "%u", bucket);
	else if (bucket == RATES_BUCKETS - 1)
		(void)snprintf(buf, size, "%u+", low);
	else
		(void)snprintf(buf, size, "%u-%u", low, 2 * low - 1);
	return buf;
}

json_t *rates_json(const struct rates *rates)
{
	json_t *vectors = json_array(), *batch = json_array();

	for (unsigned i = 0; i < RATES_VECTORS; i++)
		(void)json_array_append_new(vectors, json_real(rates->irq_per_s[i]));
	for (unsigned i = 0; i < RATES_BUCKETS; i++)
		(void)json_array_append_new(batch, json_integer((json_int_t)rates->batch[i]));
	return json_pack("{s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}",
		"seconds", rates->seconds, "irq_total_per_s", rates->irq_total_per_s, "irq_per_s",
		vectors, "rx_frames_per_s", rates->rx_frames_per_s, "tx_frames_per_s",
		rates->tx_frames_per_s, "rx_mbit_per_s", rates->rx_mbit_per_s, "tx_mbit_per_s",
		rates->tx_mbit_per_s, "rx_frames_per_irq", rates->rx_frames_per_irq, "missed_per_s",
		rates->missed_per_s, "dropped_per_s", rates->dropped_per_s, "driver_cpu",
		rates->driver_cpu, "device_cpu", rates->device_cpu, "batch_histogram", batch);
}

void rates_print_heading(FILE *out)
{
	(void)fprintf(out, "%9s %9s %9s %9s %9s %7s %7s %9s %8s %7s %6s\n", "rx fr/s", "tx fr/s",
		"rx Mbit/s", "tx Mbit/s", "irq/s", "vec 0", "vec 1", "rx fr/irq", "missed/s",
		"drops/s", "CPU %");
}

void rates_print_line(FILE *out, const struct rates *rates)
{
	(void)fprintf(out, "%9.0f %9.0f %9.1f %9.1f %9.1f %7.0f %7.0f %9.1f %8.0f %7.0f %6.1f\n",
		rates->rx_frames_per_s, rates->tx_frames_per_s, rates->rx_mbit_per_s,
		rates->tx_mbit_per_s, rates->irq_total_per_s, rates->irq_per_s[0],
		rates->irq_per_s[1], rates->rx_frames_per_irq, rates->missed_per_s,
		rates->dropped_per_s, rates->driver_cpu * 100);
	(void)fflush(out);
}
