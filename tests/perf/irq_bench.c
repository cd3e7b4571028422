/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt rates of the simulated chip in real time: the frame source on the wire, the driver
 * counting, no TCP. Delivered against raised and against 1e9 / (256 ITR), in MSI and MSI-X, with and
 * without SCHED_FIFO; and one interrupt per frame with ITR 0.
 *
 * usage: irq_bench MODERATOD   (root, or where TAPs may be made)
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/control_client.h"
#include "common/util.h"

#define MEASURE_MS 500
#define ROUNDS	   5

struct daemon_child {
	pid_t pid;
	char socket_path[64];
	struct control_client *client;
};

static int child_start(struct daemon_child *child, const char *program, bool fifo, struct error *err)
{
	int ready[2];
	char fd_text[16], line[256] = "";
	ssize_t n;

	(void)snprintf(child->socket_path, sizeof(child->socket_path), "/tmp/irq-bench-%d.sock", getpid());
	if (pipe(ready) < 0)
		return error_sys(err, -errno, "pipe");
	child->pid = fork();
	if (child->pid == 0) {
		(void)close(ready[0]);
		(void)snprintf(fd_text, sizeof(fd_text), "%d", ready[1]);
		execl(program, program, "sim:82574L", "--name", "irq-bench", "--socket", child->socket_path,
		      "--ready-fd", fd_text, fifo ? NULL : "--no-fifo", NULL);
		_exit(127);
	}
	(void)close(ready[1]);
	n = read(ready[0], line, sizeof(line) - 1);
	(void)close(ready[0]);
	if (n <= 0 || strncmp(line, "ready", 5))
		return error_set(err, -EIO, "%s did not start: %s", program, line);
	return control_connect(child->socket_path, &child->client, err);
}

static void child_stop(struct daemon_child *child)
{
	control_disconnect(child->client);
	child->client = NULL;
	if (child->pid > 0) {
		(void)kill(child->pid, SIGTERM);
		(void)waitpid(child->pid, NULL, 0);
	}
	child->pid = 0;
}

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
		.t_ns = json_number_value(json_object_get(stats, "t_ns")),
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

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static int set_mode(struct control_client *client, const char *mode, int itr, struct error *err)
{
	const char *knob = strcmp(mode, "msix") ? "ITR" : "EITR0";

	return control_call(client, "restart",
			    json_pack("{s:{s:s,s:i,s:i,s:i}}", "knobs", "intmode", mode, knob, itr, "RDTR", 0,
				      "rx-ring", 1024),
			    NULL, 0, err);
}

/* One line: how far the delivered rate is from 1e9 / (256 ITR), and delivered over raised. */
static int rate_figure(struct control_client *client, const char *mode, int itr, double pps, bool fifo,
		       struct error *err)
{
	double want = 1e9 / (256.0 * itr), off[ROUNDS], share[ROUNDS], missed[ROUNDS];
	double limit = want <= 20100 ? 1.0 : 2.0, o, d;
	struct rates rates;
	int r = set_mode(client, mode, itr, err);

	for (unsigned i = 0; r == 0 && i < ROUNDS; i++) {
		r = measure(client, pps, 64, &rates, err);
		off[i] = fabs(rates.vector0_per_s / want - 1) * 100;
		share[i] = rates.delivered_share;
		missed[i] = rates.missed_share * 100;
	}
	if (r < 0)
		return r;
	o = median(off, ROUNDS);
	d = median(share, ROUNDS);
	printf("figure\tinterrupt rate off %.0f/s, %s, %.0f frames/s, %s\t%.2f\t%%\t%s\t%s\n", want, mode, pps,
	       fifo ? "SCHED_FIFO" : "no SCHED_FIFO", o, fifo ? (limit == 1 ? "<=1" : "<=2") : "-",
	       fifo ? (o <= limit ? "met" : "missed") : "-");
	printf("figure\tdelivered over raised, %s ITR %d, %.0f frames/s, %s\t%.4f\tratio\t%s\t%s\n", mode, itr,
	       pps, fifo ? "SCHED_FIFO" : "no SCHED_FIFO", d, fifo ? ">=0.999" : "-",
	       fifo ? (d >= 0.999 ? "met" : "missed") : "-");
	printf("figure\tframes missed, %s ITR %d, %.0f frames/s, %s\t%.3f\t%%\t-\t-\n", mode, itr, pps,
	       fifo ? "SCHED_FIFO" : "no SCHED_FIFO", median(missed, ROUNDS));
	(void)fflush(stdout);
	return 0;
}

static int per_frame_figure(struct control_client *client, double pps, bool fifo, struct error *err)
{
	double share[ROUNDS], s;
	struct rates rates;
	int r = set_mode(client, "msix", 0, err);

	for (unsigned i = 0; r == 0 && i < ROUNDS; i++) {
		r = measure(client, pps, 64, &rates, err);
		share[i] = rates.irq_per_frame * 100;
	}
	if (r < 0)
		return r;
	s = median(share, ROUNDS);
	printf("figure\tinterrupts per frame, msix, ITR 0, %.0f frames/s, %s\t%.2f\t%%\t%s\t%s\n", pps,
	       fifo ? "SCHED_FIFO" : "no SCHED_FIFO", s, fifo ? ">=98" : "-",
	       fifo ? (s >= 98 ? "met" : "missed") : "-");
	(void)fflush(stdout);
	return 0;
}

static int run_all(const char *program, bool fifo, struct error *err)
{
	static const int itrs[] = {1500, 976, 488, 195, 98, 55};
	static const double rates[] = {300000, 1488095};
	static const char *const modes[] = {"msi", "msix"};
	struct daemon_child child = {0};
	int r = child_start(&child, program, fifo, err);

	if (r == 0)
		r = control_call(child.client, "pktgen.start",
				 json_pack("{s:b,s:b}", "transmit", 0, "count_rx", 1), NULL, 0, err);
	for (unsigned m = 0; m < ARRAY_SIZE(modes); m++)
		for (unsigned p = 0; p < ARRAY_SIZE(rates); p++)
			for (unsigned i = 0; r == 0 && i < ARRAY_SIZE(itrs); i++)
				r = rate_figure(child.client, modes[m], itrs[i], rates[p], fifo, err);
	if (r == 0)
		r = per_frame_figure(child.client, 20000, fifo, err);
	if (r == 0)
		r = per_frame_figure(child.client, 81274, fifo, err);
	child_stop(&child);
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
