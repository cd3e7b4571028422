/* SPDX-License-Identifier: BSD-2-Clause */
/* The state directory, made on demand. */
#include "tuner/state_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int choose(char *buf, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	/* a container's root, or root of a user namespace, may not write there */
	if (geteuid() == 0 && !access("/var/lib", W_OK))
		return snprintf(buf, size, "/var/lib/moderato");
	if (state && state[0] == '/')
		return snprintf(buf, size, "%s/moderato", state);
	if (home && home[0] == '/')
		return snprintf(buf, size, "%s/.local/state/moderato", home);
	return snprintf(buf, size, "/tmp/moderato-%u", (unsigned)geteuid());
}

static int make_with_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		*slash = '\0';
		r = mkdir(path, 0700);
		*slash = '/';
		if (r && errno != EEXIST)
			return -errno;
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

int state_dir_name(char *buf, size_t size, struct error *err)
{
	int len = choose(buf, size);

	if (len < 0 || (size_t)len >= size)
		return error_set(err, -ENAMETOOLONG, "the name of the state directory is too long");
	return 0;
}

int state_dir_make(const char *path, struct error *err)
{
	char *copy = strdup(path);
	int r = copy ? make_with_parents(copy) : -ENOMEM;

	free(copy);
	return r ? error_sys(err, r, "cannot make the state directory %s", path) : 0;
}

int state_dir(char *buf, size_t size, struct error *err)
{
	int r = state_dir_name(buf, size, err);

	return r ? r : state_dir_make(buf, err);
}
