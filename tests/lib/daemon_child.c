/* SPDX-License-Identifier: BSD-2-Clause */
/* Start, connect to and end a moderatod; print figures. */
#include "tests/lib/daemon_child.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/json.h"

int daemon_child_start(struct daemon_child *child, const char *program, const char *device,
		       const char *option, struct error *err)
{
	int ready[2];
	char fd_text[16], line[512] = "";
	ssize_t n;

	*child = (struct daemon_child){0};
	(void)snprintf(child->socket_path, sizeof(child->socket_path), "/tmp/moderato-figure-%d.sock",
		       getpid());
	if (pipe(ready) < 0)
		return error_sys(err, -errno, "pipe");
	child->pid = fork();
	if (child->pid == 0) {
		(void)close(ready[0]);
		(void)snprintf(fd_text, sizeof(fd_text), "%d", ready[1]);
		execl(program, program, device, "--name", "figure", "--socket", child->socket_path,
		      "--ready-fd", fd_text, option, NULL);
		_exit(127);
	}
	(void)close(ready[1]);
	n = child->pid < 0 ? -1 : read(ready[0], line, sizeof(line) - 1);
	(void)close(ready[0]);
	if (n <= 0 || strncmp(line, "ready", 5) != 0) {
		daemon_child_stop(child);
		return error_set(err, -EIO, "%s did not start: %s", program, line);
	}
	return control_connect(child->socket_path, &child->client, err);
}

void daemon_child_stop(struct daemon_child *child)
{
	control_disconnect(child->client);
	child->client = NULL;
	if (child->pid > 0) {
		(void)kill(child->pid, SIGTERM);
		(void)waitpid(child->pid, NULL, 0);
	}
	child->pid = 0;
}

int daemon_child_restart(struct daemon_child *child, const char *list, struct error *err)
{
	struct settings settings = {0};
	int r = settings_parse_list(&settings, list, err);

	if (r < 0)
		return r;
	return control_call(child->client, "restart", json_pack("{s:o}", "knobs", json_settings(&settings)),
			    NULL, 0, err);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double figure_median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void figure_print(const char *name, double value, const char *unit, const char *target)
{
	const char *verdict = "-";
	double limit = strlen(target) > 2 ? strtod(target + 2, NULL) : 0;

	if (target[0] == '<')
		verdict = value <= limit ? "met" : "missed";
	else if (target[0] == '>')
		verdict = value >= limit ? "met" : "missed";
	printf("figure\t%s\t%.*f\t%s\t%s\t%s\n", name, fabs(value) < 10 ? 3 : 1, value, unit, target, verdict);
	(void)fflush(stdout);
}
