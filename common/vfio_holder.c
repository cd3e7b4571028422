/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks through the descriptors of all processes for a VFIO node. */
#include "common/vfio_holder.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool process_holds(const char *proc, int pid, const char *node)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "%s/%d/fd", proc, pid);
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

static void read_name(const char *proc, struct vfio_holder *holder)
{
	char path[PATH_MAX];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%d/comm", proc, holder->pid);
	f = fopen(path, "re");
	if (!f || !fgets(holder->name, sizeof(holder->name), f))
		(void)snprintf(holder->name, sizeof(holder->name), "a process");
	if (f)
		(void)fclose(f);
	holder->name[strcspn(holder->name, "\n")] = '\0';
}

bool vfio_holder_find(const char *proc, const char *node, struct vfio_holder *ret_holder)
{
	struct dirent *entry;
	DIR *dir = opendir(proc);
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		ret_holder->pid = (int)strtol(entry->d_name, NULL, 10);
		found = ret_holder->pid > 0 && process_holds(proc, ret_holder->pid, node);
	}
	if (dir)
		(void)closedir(dir);
	if (found)
		read_name(proc, ret_holder);
	return found;
}
