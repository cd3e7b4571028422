/* SPDX-License-Identifier: BSD-2-Clause */
/* The traffic of a trial: two children, two readings, one deadline. */
#include "bench/trial.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bench/iperf_run.h"
#include "bench/rr.h"
#include "common/clock.h"
#include "common/util.h"

/* Counters of the end are read while the traffic still runs. */
#define END_GUARD_NS NS_PER_MS
/* How long a server may take to print its result after the client has ended. */
#define SERVER_GRACE_NS (300 * NS_PER_MS)

enum bench_side trial_watched_side(const struct trial *trial)
{
	if (trial->workload->kind == WORKLOAD_RR || trial->env->peer_external)
		return BENCH_CLIENT;
	return trial->workload->dir == WORKLOAD_TX ? BENCH_SERVER : BENCH_CLIENT;
}

static int start_child(struct trial *trial, enum bench_side side, struct error *err)
{
	static const child_fn iperf_fns[] = {iperf_client_child, iperf_server_child};
	static const child_fn rr_fns[] = {rr_client_child, rr_server_child};
	static const char *const names[] = {"client", "server"};
	const struct bench_env *env = trial->env;
	struct bench_job job = {
		.env = env,
		.workload = trial->workload,
		.shared = trial->shared,
		.side = side,
		.ready_fd = trial->ready_fd,
		.notify_fd = trial->notify_fd,
	};
	struct child_place place = {
		.userns_fd = env->userns_fd,
		.netns_fd = side == BENCH_CLIENT ? env->local_netns_fd : env->peer_netns_fd,
		.cpu = side == BENCH_CLIENT ? env->client_cpu : env->server_cpu,
	};
	int keep[] = {
		MIN(trial->ready_fd, trial->notify_fd), MAX(trial->ready_fd, trial->notify_fd)};
	child_fn fn = trial->workload->kind == WORKLOAD_RR ? rr_fns[side] : iperf_fns[side];

	return child_start(
		&trial->child[side], names[side], &place, keep, ARRAY_SIZE(keep), fn, &job, err);
}

static int start_children(struct trial *trial, struct error *err)
{
	int ret;

	if (trial->env->peer_external)
		atomic_store(&trial->shared->port, trial->env->peer_port);
	else if ((ret = start_child(trial, BENCH_SERVER, err)) < 0)
		return ret;
	return start_child(trial, BENCH_CLIENT, err);
}

/* The end of the traffic is the sender's, and either side may have started a little earlier. */
static uint64_t earliest_start_ns(const struct trial *trial)
{
	uint64_t client_ns = atomic_load(&trial->shared->side[BENCH_CLIENT].start_ns);
	uint64_t server_ns = atomic_load(&trial->shared->side[BENCH_SERVER].start_ns);

	if (!client_ns || !server_ns)
		return MAX(client_ns, server_ns);
	return MIN(client_ns, server_ns);
}

/* When the next reading is due; TIME_NEVER while that is not known. */
static uint64_t edge_due_ns(const struct trial *trial)
{
	enum bench_side side = trial_watched_side(trial);
	uint64_t start_ns = atomic_load(&trial->shared->side[side].start_ns);
	const struct shared_rr *rr = &trial->shared->rr;
	uint64_t rr_ns;

	if (trial->has_edge[TRIAL_END] || !start_ns)
		return TIME_NEVER;
	if (trial->workload->kind == WORKLOAD_RR) {
		rr_ns = atomic_load(trial->has_edge[TRIAL_BEGIN] ? &rr->end_ns : &rr->begin_ns);
		return rr_ns ? rr_ns : TIME_NEVER;
	}
	if (!trial->has_edge[TRIAL_BEGIN])
		return start_ns + BENCH_SETTLE_NS;
	return earliest_start_ns(trial) + trial->workload->seconds * NS_PER_S - END_GUARD_NS;
}

static int read_edge(struct trial *trial, struct error *err)
{
	enum trial_edge edge = trial->has_edge[TRIAL_BEGIN] ? TRIAL_END : TRIAL_BEGIN;
	int ret;

	ret = meter_read(&trial->meter, trial->child[BENCH_CLIENT].pid, &trial->edge[edge], err);
	if (ret < 0)
		return ret;
	trial->has_edge[edge] = true;
	if (edge == TRIAL_END)
		atomic_store(&trial->shared->rr.stop, 1);
	return 0;
}

/* A deadline counts from the start of the traffic, once that is known. */
static void extend_deadline(struct trial *trial)
{
	enum bench_side side = trial_watched_side(trial);
	uint64_t start_ns = atomic_load(&trial->shared->side[side].start_ns);

	if (start_ns)
		trial->deadline_ns =
			start_ns + trial->workload->seconds * NS_PER_S + BENCH_DEADLINE_NS;
}

static void wait_until(struct trial *trial, uint64_t due_ns)
{
	/* poll() skips negative descriptors: a child whose output has ended. */
	struct pollfd fds[] = {
		{.fd = trial->child[BENCH_CLIENT].out_fd, .events = POLLIN},
		{.fd = trial->child[BENCH_SERVER].out_fd, .events = POLLIN},
		{.fd = trial->notify_fd, .events = POLLIN},
	};
	uint64_t now_ns = clock_now_ns(), left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left_ns / NS_PER_S),
		.tv_nsec = (long)(left_ns % NS_PER_S),
	};
	eventfd_t ignored;

	if (ppoll(fds, ARRAY_SIZE(fds), &timeout, NULL) > 0 && (fds[2].revents & POLLIN))
		(void)eventfd_read(trial->notify_fd, &ignored);
}

/* Both children: gather output; a server is given a short time after the client has ended.
 * Return: true while one lives. */
static bool pump_children(struct trial *trial)
{
	struct child *server = &trial->child[BENCH_SERVER];
	bool client_alive = child_pump(&trial->child[BENCH_CLIENT]);
	bool server_alive = child_pump(server);

	if (!client_alive && server_alive) {
		if (trial->workload->kind == WORKLOAD_RR) {
			child_kill(server); /* it answers for ever */
			return false;
		}
		trial->deadline_ns = MIN(trial->deadline_ns, clock_now_ns() + SERVER_GRACE_NS);
	}
	return client_alive || server_alive;
}

static int wait_children(struct trial *trial, struct error *err)
{
	int ret = 0;

	while (ret == 0 && pump_children(trial)) {
		bool client_alive = trial->child[BENCH_CLIENT].pid != 0;
		uint64_t now_ns = clock_now_ns(), edge_ns = edge_due_ns(trial);

		if (trial->env->stop && *trial->env->stop)
			return error_set(err, -EINTR, "the trial was interrupted");
		if (client_alive)
			extend_deadline(trial);
		if (now_ns >= trial->deadline_ns) {
			trial->timed_out = client_alive;
			return 0;
		}
		if (now_ns >= edge_ns)
			ret = read_edge(trial, err);
		else
			wait_until(trial, MIN(edge_ns, trial->deadline_ns));
	}
	return ret;
}

int trial_run_traffic(struct trial *trial, struct error *err)
{
	unsigned side;
	int ret;

	trial->deadline_ns =
		clock_now_ns() + trial->workload->seconds * NS_PER_S + BENCH_DEADLINE_NS;
	ret = start_children(trial, err);
	if (ret == 0)
		ret = wait_children(trial, err);
	for (side = 0; side < BENCH_SIDES; side++)
		child_kill(&trial->child[side]);
	for (side = 0; ret == 0 && side < BENCH_SIDES; side++)
		if (child_failed_place(&trial->child[side], err))
			ret = -EPERM;
	return ret;
}
