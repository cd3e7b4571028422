/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt rates of the simulated chip in real time: the frame source on the wire, the driver
 * counting, no TCP. Delivered against raised and against 1e9 / (256 ITR), in MSI and MSI-X, with and
 * without SCHED_FIFO; and one interrupt per frame with ITR 0.
 *
 * usage: irq_bench MODERATOD   (root, or where TAPs may be made)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/util.h"
#include "tests/lib/daemon_child.h"

#define MEASURE_MS 500
#define ROUNDS	   5

struct sample {
	double t_ns, messages, raised, rx_frames, wire_frames, missed, vector0;
};

static double member(json_t *object, const char *group, const char *name)
{
	return json_number_value(json_object_get(json_object_get(object, group), name));
}

static int take_sample(struct control_client *client, struct sample *ret, struct error *err)
{
	json_t *stats;
	int r = control_call(client, "stats", NULL, &stats, 0, err);

	if (r < 0)
		return r;
	*ret = (struct sample){
		.t_ns = json_number_value(json_object_get(stats, "time_ns")),
		.messages = member(stats, "counters", "irq_messages"),
		.vector0 = member(stats, "counters", "irq_vector_0"),
		.rx_frames = member(stats, "counters", "rx_frames"),
		.raised = member(stats, "sim", "raised_0") + member(stats, "sim", "raised_1") +
			  member(stats, "sim", "raised_2"),
		.wire_frames = member(stats, "sim", "wire_rx_frames"),
		.missed = member(stats, "sim", "rx_missed"),
	};
	json_decref(stats);
	return 0;
}

struct rates {
	double vector0_per_s, delivered_share, frames_per_s, irq_per_frame, missed_share;
};

static int measure(struct control_client *client, double pps, int frame_bytes, struct rates *ret,
		   struct error *err)
{
	struct sample a, b;
	double s;
	int r;

	r = control_call(client, "sim.source",
			 json_pack("{s:b,s:i,s:f}", "on", 1, "frame_bytes", frame_bytes, "rate_pps", pps), NULL,
			 0, err);
	if (r < 0)
		return r;
	(void)usleep(100000);
	r = take_sample(client, &a, err);
	(void)usleep(MEASURE_MS * 1000);
	if (r == 0)
		r = take_sample(client, &b, err);
	if (r == 0)
		r = control_call(client, "sim.source", json_pack("{s:b}", "on", 0), NULL, 0, err);
	if (r < 0)
		return r;
	s = (b.t_ns - a.t_ns) / 1e9;
	ret->vector0_per_s = (b.vector0 - a.vector0) / s;
	ret->delivered_share = (b.messages - a.messages) / (b.raised - a.raised);
	ret->frames_per_s = (b.rx_frames - a.rx_frames) / s;
	ret->irq_per_frame = (b.vector0 - a.vector0) / (b.wire_frames - a.wire_frames);
	ret->missed_share = (b.missed - a.missed) / (b.wire_frames - a.wire_frames);
	return 0;
}

static int set_mode(struct daemon_child *child, const char *mode, int itr, struct error *err)
{
	char list[96];

	(void)snprintf(list, sizeof(list), "rx-ring=1024,RDTR=0,intmode=%s,%s=%d", mode,
		       strcmp(mode, "msix") ? "ITR" : "EITR0", itr);
	return daemon_child_restart(child, list, err);
}

static const char *fifo_name(bool fifo)
{
	return fifo ? "SCHED_FIFO" : "no SCHED_FIFO";
}

/* How far the delivered rate is from 1e9 / (256 ITR), delivered over raised, and frames missed. */
static int rate_figure(struct daemon_child *child, const char *mode, int itr, double pps, bool fifo,
		       struct error *err)
{
	double want = 1e9 / (256.0 * itr), off[ROUNDS], share[ROUNDS], missed[ROUNDS];
	char name[160];
	struct rates rates;
	int r = set_mode(child, mode, itr, err);

	for (unsigned i = 0; r == 0 && i < ROUNDS; i++) {
		r = measure(child->client, pps, 64, &rates, err);
		off[i] = fabs(rates.vector0_per_s / want - 1) * 100;
		share[i] = rates.delivered_share;
		missed[i] = rates.missed_share * 100;
	}
	if (r < 0)
		return r;
	(void)snprintf(name, sizeof(name), "interrupt rate off %.0f/s, %s, %.0f frames/s, %s", want, mode, pps,
		       fifo_name(fifo));
	figure_print(name, figure_median(off, ROUNDS), "%", !fifo ? "-" : want <= 20100 ? "<=1" : "<=2");
	(void)snprintf(name, sizeof(name), "delivered over raised, %s ITR %d, %.0f frames/s, %s", mode, itr, pps,
		       fifo_name(fifo));
	figure_print(name, figure_median(share, ROUNDS), "ratio", fifo ? ">=0.999" : "-");
	(void)snprintf(name, sizeof(name), "frames missed, %s ITR %d, %.0f frames/s, %s", mode, itr, pps,
		       fifo_name(fifo));
	figure_print(name, figure_median(missed, ROUNDS), "%", "-");
	return 0;
}

static int per_frame_figure(struct daemon_child *child, double pps, bool fifo, struct error *err)
{
	double share[ROUNDS];
	struct rates rates;
	char name[128];
	int r = set_mode(child, "msix", 0, err);

	for (unsigned i = 0; r == 0 && i < ROUNDS; i++) {
		r = measure(child->client, pps, 64, &rates, err);
		share[i] = rates.irq_per_frame * 100;
	}
	if (r < 0)
		return r;
	(void)snprintf(name, sizeof(name), "interrupts per frame, msix, ITR 0, %.0f frames/s, %s", pps,
		       fifo_name(fifo));
	figure_print(name, figure_median(share, ROUNDS), "%", fifo ? ">=98" : "-");
	return 0;
}

static int run_all(const char *program, bool fifo, struct error *err)
{
	static const int itrs[] = {1500, 976, 488, 195, 98, 55};
	static const double rates[] = {300000, 1488095};
	static const char *const modes[] = {"msi", "msix"};
	struct daemon_child child = {0};
	int r = daemon_child_start(&child, program, "sim:82574L", fifo ? NULL : "--no-fifo", err);

	if (r == 0)
		r = control_call(child.client, "pktgen.start",
				 json_pack("{s:b,s:b}", "transmit", 0, "count_rx", 1), NULL, 0, err);
	for (unsigned m = 0; m < ARRAY_SIZE(modes); m++)
		for (unsigned p = 0; p < ARRAY_SIZE(rates); p++)
			for (unsigned i = 0; r == 0 && i < ARRAY_SIZE(itrs); i++)
				r = rate_figure(&child, modes[m], itrs[i], rates[p], fifo, err);
	if (r == 0)
		r = per_frame_figure(&child, 20000, fifo, err);
	if (r == 0)
		r = per_frame_figure(&child, 81274, fifo, err);
	daemon_child_stop(&child);
	return r;
}

int main(int argc, char **argv)
{
	struct error err = {0};

	if (argc != 2) {
		fprintf(stderr, "usage: irq_bench MODERATOD\n");
		return 2;
	}
	if (run_all(argv[1], true, &err) < 0 || run_all(argv[1], false, &err) < 0)
		return error_report(&err, "irq_bench");
	return 0;
}
