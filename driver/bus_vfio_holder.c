/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the process that holds a VFIO node, by the descriptors that /proc shows. */
#include "driver/bus_vfio_holder.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool process_holds(long pid, const char *node)
{
	char path[64], target[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[n < 0 ? 0 : n] = '\0';
		found = !strcmp(target, node);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

static void process_name(long pid, char *buf, size_t size)
{
	char path[64], name[32] = "?";
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%31[^\n]", name) != 1)
			name[0] = '?';
		(void)fclose(f);
	}
	(void)snprintf(buf, size, "process %ld (%s)", pid, name);
}

const char *vfio_holder(const char *node, char *buf, size_t size)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	(void)snprintf(buf, size, "another process");
	while (dir && (entry = readdir(dir))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 0 && process_holds(pid, node)) {
			process_name(pid, buf, size);
			break;
		}
	}
	if (dir)
		(void)closedir(dir);
	return buf;
}
