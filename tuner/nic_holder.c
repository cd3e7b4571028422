/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks through the descriptors of all processes for the group's node. */
#include "tuner/nic_holder.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool holds(const char *fd_dir, const char *node)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct dirent *entry;
	DIR *dir = opendir(fd_dir);
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n;

		(void)snprintf(path, sizeof(path), "%.200s/%s", fd_dir, entry->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found = !strcmp(target, node);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

static void read_name(const struct host *host, struct nic_holder *holder)
{
	char path[PATH_MAX];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%d/comm", host->proc, holder->pid);
	f = fopen(path, "re");
	if (!f || !fgets(holder->name, sizeof(holder->name), f))
		(void)snprintf(holder->name, sizeof(holder->name), "a process");
	if (f)
		(void)fclose(f);
	holder->name[strcspn(holder->name, "\n")] = '\0';
}

bool nic_holder_find(const struct host *host, int group, struct nic_holder *ret_holder)
{
	char node[PATH_MAX], path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = opendir(host->proc);
	bool found = false;

	(void)snprintf(node, sizeof(node), "%s/vfio/%d", host->dev, group);
	while (dir && !found && (entry = readdir(dir))) {
		ret_holder->pid = (int)strtol(entry->d_name, NULL, 10);
		if (ret_holder->pid <= 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%d/fd", host->proc, ret_holder->pid);
		found = holds(path, node);
	}
	if (dir)
		(void)closedir(dir);
	if (found)
		read_name(host, ret_holder);
	return found;
}
