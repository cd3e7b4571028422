/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the control socket of a daemon lies, what a daemon is called, and connecting to it. */
#include "common/control.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define CONNECT_TIMEOUT_S 2
#define NAMES_MAX	  256

/*
 * Root of a user namespace is not root of the machine: /run is not its to write. A container's root
 * whose /run is writable counts as root.
 */
static bool is_machine_root(void)
{
	return geteuid() == 0 && (access("/run/moderato", W_OK) == 0 || access("/run", W_OK) == 0);
}

/* The user id outside of a user namespace that maps this process to another one. */
static unsigned long outer_uid(void)
{
	unsigned long inside, outside, count, uid = geteuid();
	FILE *file = fopen("/proc/self/uid_map", "re");

	if (!file)
		return uid;
	while (fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3) {
		if (uid >= inside && uid - inside < count) {
			uid = outside + (uid - inside);
			break;
		}
	}
	(void)fclose(file);
	return uid;
}

char *control_socket_dir(char *buf, unsigned long size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (is_machine_root())
		(void)snprintf(buf, size, "/run/moderato");
	else if (runtime && runtime[0] == '/')
		(void)snprintf(buf, size, "%s/moderato", runtime);
	else
		(void)snprintf(buf, size, "/tmp/moderato-%lu", outer_uid());
	return buf;
}

char *control_socket_path(const char *name, char *buf, unsigned long size)
{
	size_t used;

	control_socket_dir(buf, size);
	used = strlen(buf);
	(void)snprintf(buf + used, size - used, "/%s.sock", name);
	return buf;
}

char *control_default_name(const char *device, char *buf, unsigned long size)
{
	size_t i;

	for (i = 0; i + 1 < size && device[i] && device[i] != ','; i++) {
		unsigned char c = (unsigned char)device[i];

		buf[i] = isalnum(c) || c == '.' || c == '_' || c == '-' ? (char)c : '-';
	}
	if (size)
		buf[i] = '\0';
	return buf;
}

static int connect_path(const char *path, int *ret_fd, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	/* a daemon that hangs has a full backlog, and connect() would wait for ever */
	struct timeval timeout = {.tv_sec = CONNECT_TIMEOUT_S};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(err, -ENAMETOOLONG,
			"cannot connect to %s: longer than the %zu bytes "
			"of a socket address",
			path, sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_sys(err, -errno, "cannot make a socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		int rc = -errno;

		(void)close(fd);
		if (rc == -ENOENT || rc == -ECONNREFUSED)
			return error_set(err, rc,
				"no moderatod answers at %s: start it with `moderato "
				"up DEVICE`",
				path);
		return error_sys(err, rc, "cannot connect to %s", path);
	}
	*ret_fd = fd;
	return 0;
}

static int is_socket_name(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && !strcmp(entry->d_name + len - 5, ".sock");
}

static void append_name(char *names, const char *file)
{
	size_t used = strlen(names);

	(void)snprintf(names + used, NAMES_MAX - used, "%s%.*s", used ? ", " : "",
		(int)(strlen(file) - 5), file);
}

/* Sockets whose daemon is gone do not count. */
static int connect_only(int *ret_fd, struct error *err)
{
	char dir[PATH_MAX / 2], path[PATH_MAX], names[NAMES_MAX] = "";
	struct dirent **entries = NULL;
	int fd = -1, found = 0, count;

	count = scandir(control_socket_dir(dir, sizeof(dir)), &entries, is_socket_name, alphasort);
	for (int i = 0; i < count; i++) {
		int candidate;

		(void)snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (!connect_path(path, &candidate, NULL)) {
			append_name(names, entries[i]->d_name);
			if (found++)
				(void)close(candidate);
			else
				fd = candidate;
		}
		free(entries[i]);
	}
	free(entries);
	if (found > 1) {
		(void)close(fd);
		return error_usage(err, "several daemons run: say which one of %s", names);
	}
	if (!found)
		return error_set(err, -ENOENT,
			"no moderatod runs (no live socket in %s): start one "
			"with `moderato up sim:82574L`",
			dir);
	*ret_fd = fd;
	return 0;
}

int control_socket_connect(const char *name_or_path, int *ret_fd, struct error *err)
{
	char name[NAME_MAX], path[PATH_MAX];

	if (!name_or_path)
		return connect_only(ret_fd, err);
	if (strchr(name_or_path, '/'))
		return connect_path(name_or_path, ret_fd, err);
	/* a device argument works as the name made from it; a name maps to itself */
	control_default_name(name_or_path, name, sizeof(name));
	return connect_path(control_socket_path(name, path, sizeof(path)), ret_fd, err);
}
