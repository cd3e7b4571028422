/* SPDX-License-Identifier: BSD-2-Clause */
/* Where trials run: defaults, or what a daemon tells about its path. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench.h"
#include "common/json.h"
#include "common/util.h"

#define IPERF_PORT	5201
#define PASSED_FDS_MAX	4
#define CALL_TIMEOUT_MS 2000

/* Will a socket take it? An unprivileged one takes only what tcp_allowed_congestion_control lists.
 */
static bool socket_takes(const char *congestion)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool takes = fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion,
					(socklen_t)strlen(congestion)) == 0;

	if (fd >= 0)
		(void)close(fd);
	return takes;
}

/* Never the machine's default, which may be bbr: its pacing would be measured. */
static const char *usual_congestion(void)
{
	return socket_takes("cubic") ? "cubic" : "reno";
}

void bench_env_init(struct bench_env *ret_env)
{
	*ret_env = (struct bench_env){
		.userns_fd = -1,
		.local_netns_fd = -1,
		.peer_netns_fd = -1,
		.local = "127.0.0.1",
		.peer = "127.0.0.1",
		.peer_port = IPERF_PORT,
		.client_cpu = -1,
		.server_cpu = -1,
		.path_kind = "plain",
		.mtu = 1500,
	};
	(void)snprintf(ret_env->congestion, sizeof(ret_env->congestion), "%s", usual_congestion());
}

void bench_env_fini(struct bench_env *env)
{
	int *fds[] = {&env->userns_fd, &env->local_netns_fd, &env->peer_netns_fd};
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			(void)close(*fds[i]);
		*fds[i] = -1;
	}
}

/* Each passed descriptor has its name at the same place in `fds`; unknown ones are closed. */
static void adopt_fds(json_t *names, int *fds, struct bench_env *env)
{
	const struct {
		const char *name;
		int *where;
	} places[] = {
		{"netns", &env->local_netns_fd},
		{"peer_netns", &env->peer_netns_fd},
		{"userns", &env->userns_fd},
	};
	unsigned i, j;

	for (i = 0; i < PASSED_FDS_MAX; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		for (j = 0; name && j < ARRAY_SIZE(places); j++) {
			if (strcmp(places[j].name, name) != 0 || *places[j].where >= 0)
				continue;
			*places[j].where = fds[i];
			fds[i] = -1;
		}
		if (fds[i] >= 0)
			(void)close(fds[i]);
	}
}

static int copy_address(
	json_t *path, const char *member, char *ret_text, unsigned long size, struct error *err)
{
	const char *text = json_string_value(json_object_get(path, member));

	if (!text || !text[0])
		return error_set(
			err, -EPROTO, "the daemon tells no %s address of its path", member);
	(void)snprintf(ret_text, size, "%s", text);
	return 0;
}

static int read_path(json_t *info, struct bench_env *env, struct error *err)
{
	json_t *path = json_object_get(info, "path");
	const char *kind = json_string_value(json_object_get(path, "kind"));
	const char *peer_runs = json_string_value(json_object_get(path, "peer_runs"));
	json_int_t mtu = json_integer_value(json_object_get(path, "mtu"));
	int ret;

	ret = copy_address(path, "local", env->local, sizeof(env->local), err);
	if (ret == 0)
		ret = copy_address(path, "peer", env->peer, sizeof(env->peer), err);
	if (ret < 0)
		return ret;
	(void)snprintf(env->path_kind, sizeof(env->path_kind), "%s", kind ? kind : "tap");
	env->peer_external = !peer_runs || strcmp(peer_runs, "local") != 0;
	if (mtu > 0)
		env->mtu = (unsigned)mtu;
	return 0;
}

static void read_facts(json_t *info, struct bench_env *env)
{
	json_t *scheduling = json_object_get(info, "scheduling");
	const char *driver = json_string_value(json_object_get(scheduling, "driver"));
	json_int_t speed =
		json_integer_value(json_object_get(json_object_get(info, "link"), "speed_mbps"));

	env->simulated = json_is_true(json_object_get(info, "simulated"));
	env->driver_fifo = driver && strcmp(driver, "fifo") == 0;
	env->speed_mbps = speed > 0 ? (unsigned)speed : 0;
}

/* -1 when the member is missing or not pinned. */
static int cpu_member(json_t *scheduling, const char *name)
{
	json_t *member = json_object_get(scheduling, name);

	return json_is_integer(member) ? (int)json_integer_value(member) : -1;
}

/*
 * Client and server get CPUs of their own beside the driver's, as far as there are any; on two CPUs
 * they share the other one, and on one nobody is pinned.
 */
static void place_children(json_t *info, struct bench_env *env)
{
	json_t *scheduling = json_object_get(info, "scheduling");
	int driver = cpu_member(scheduling, "cpu"), device = cpu_member(scheduling, "device_cpu");
	int found[] = {-1, -1};
	unsigned count = 0;
	cpu_set_t allowed;
	int cpu;

	if (driver < 0 || sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	for (cpu = 0; cpu < CPU_SETSIZE && count < ARRAY_SIZE(found); cpu++)
		if (CPU_ISSET((unsigned)cpu, &allowed) && cpu != driver && cpu != device)
			found[count++] = cpu;
	env->client_cpu = found[0];
	env->server_cpu = count > 1 ? found[1] : found[0];
}

int bench_env_from_daemon(
	struct control_client *client, struct bench_env *ret_env, struct error *err)
{
	int fds[PASSED_FDS_MAX] = {-1, -1, -1, -1};
	struct bench_env env;
	json_t *info;
	int ret;

	ret = control_call_fds(
		client, "info", json_pack("{s:b}", "fds", 1), &info, fds, PASSED_FDS_MAX, err);
	if (ret < 0)
		return ret;
	bench_env_init(&env);
	env.control = client;
	adopt_fds(json_object_get(info, "fds"), fds, &env);
	ret = read_path(info, &env, err);
	read_facts(info, &env);
	place_children(info, &env);
	json_decref(info);
	if (ret == 0)
		ret = control_call(client, "subscribe", json_pack("{s:b}", "events", 1), NULL,
			CALL_TIMEOUT_MS, err);
	if (ret < 0) {
		bench_env_fini(&env);
		return ret;
	}
	*ret_env = env;
	return 0;
}
