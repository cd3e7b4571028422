/* SPDX-License-Identifier: BSD-2-Clause */
/* This machine: who owns an address, where the session comes from, writing to sysfs. */
#include "tuner/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/pci.h"
#include "tuner/state_dir.h"

#define SESSION_VARIABLE  "SSH_CONNECTION="
#define ANCESTORS_MAX	  64
#define ENVIRONMENT_BYTES (256 * 1024)

static bool same_address(const struct sockaddr *have, int family, const void *want)
{
	if (!have || have->sa_family != family)
		return false;
	if (family == AF_INET)
		return !memcmp(&((const struct sockaddr_in *)have)->sin_addr, want,
			sizeof(struct in_addr));
	return !memcmp(&((const struct sockaddr_in6 *)have)->sin6_addr, want,
		sizeof(struct in6_addr));
}

static bool address_owner(void *ctx, const char *text, char ret_ifname[IF_NAMESIZE])
{
	struct in6_addr want; /* large enough for both families */
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;
	struct ifaddrs *list, *at;

	(void)ctx;
	if (inet_pton(family, text, &want) != 1 || getifaddrs(&list))
		return false;
	for (at = list; at; at = at->ifa_next)
		if (same_address(at->ifa_addr, family, &want))
			break;
	if (at)
		(void)snprintf(ret_ifname, IF_NAMESIZE, "%s", at->ifa_name);
	freeifaddrs(list);
	return at != NULL;
}

/* As text; "" for what is no IP address that somebody gave the interface. */
static const char *given_address(const struct sockaddr *address, char text[INET6_ADDRSTRLEN])
{
	const struct sockaddr_in6 *six = (const void *)address;
	const struct sockaddr_in *four = (const void *)address;

	text[0] = '\0';
	if (address && address->sa_family == AF_INET)
		(void)inet_ntop(AF_INET, &four->sin_addr, text, INET6_ADDRSTRLEN);
	else if (address && address->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
		(void)inet_ntop(AF_INET6, &six->sin6_addr, text, INET6_ADDRSTRLEN);
	return text;
}

static void addresses_of(void *ctx, const char *ifname, char *ret, size_t size)
{
	char text[INET6_ADDRSTRLEN];
	struct ifaddrs *list;
	size_t len = 0;

	(void)ctx;
	ret[0] = '\0';
	if (getifaddrs(&list))
		return;
	for (struct ifaddrs *at = list; at && len < size; at = at->ifa_next)
		if (!strcmp(at->ifa_name, ifname) && given_address(at->ifa_addr, text)[0])
			len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? " " : "", text);
	freeifaddrs(list);
}

static int write_file(void *ctx, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;
	size_t len = strlen(text);

	(void)ctx;
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len)
		r = -errno;
	(void)close(fd);
	return r;
}

static int load_module(void *ctx, const char *name)
{
	char module[PCI_DRIVER_BYTES], program[] = "modprobe", quiet[] = "-q", end[] = "--";
	char *words[] = {program, quiet, end, module, NULL};
	int r, status = 0;
	pid_t pid;

	(void)ctx;
	(void)snprintf(module, sizeof(module), "%s", name);
	r = posix_spawnp(&pid, program, NULL, NULL, words, environ);
	if (r)
		return -r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ENOENT;
}

/* Third word of "CLIENT PORT SERVER PORT", without the zone of a link-local address. */
static const char *server_address(const char *connection)
{
	static char server[INET6_ADDRSTRLEN + IF_NAMESIZE];

	if (sscanf(connection, "%*s %*s %61s", server) != 1)
		return NULL;
	server[strcspn(server, "%")] = '\0';
	return server;
}

/* The variable in the environment that process @pid was started with. */
static const char *variable_of(int pid, char *buf, size_t size)
{
	char path[64];
	const char *found = NULL;
	size_t len;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	len = fread(buf, 1, size - 1, f);
	(void)fclose(f);
	buf[len] = '\0';
	for (char *at = buf; at < buf + len && !found; at += strlen(at) + 1)
		if (!strncmp(at, SESSION_VARIABLE, strlen(SESSION_VARIABLE)))
			found = at + strlen(SESSION_VARIABLE);
	return found;
}

static int parent_of(int pid)
{
	char path[64], line[1024];
	const char *after;
	int parent = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* the name in brackets may hold anything, also a bracket */
	if (fgets(line, sizeof(line), f) && (after = strrchr(line, ')')))
		(void)sscanf(after, ") %*c %d", &parent);
	(void)fclose(f);
	return parent;
}

/* sudo drops the variable, so that the shell it was called from has to be asked. */
static const char *session_address(void)
{
	const char *connection = getenv("SSH_CONNECTION"), *address = NULL;
	char *buf;
	int pid = getpid();

	if (connection)
		return server_address(connection);
	buf = malloc(ENVIRONMENT_BYTES);
	for (unsigned i = 0; buf && i < ANCESTORS_MAX && pid > 1 && !address; i++) {
		connection = variable_of(pid, buf, ENVIRONMENT_BYTES);
		if (connection)
			address = server_address(connection);
		pid = parent_of(pid);
	}
	free(buf);
	return address;
}

int host_init(struct host *host, struct error *err)
{
	*host = (struct host){
		.sysfs = PCI_SYSFS,
		.proc = "/proc",
		.dev = "/dev",
		.session = session_address(),
		.address_owner = address_owner,
		.addresses_of = addresses_of,
		.write = write_file,
		.load_module = load_module,
	};
	return state_dir_name(host->state_dir, sizeof(host->state_dir), err);
}
