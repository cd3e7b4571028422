/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting moderatod. */
#include "tuner/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

#define PROGRAM	 "moderatod"
#define READY	 "ready"
#define READY_FD 3 /* in the child: the first free one */

void spawn_add(struct spawn_arguments *arguments, const char *option, const char *value)
{
	/* one place stays free for the NULL that ends argv */
	if (arguments->count + 3 > SPAWN_ARGUMENTS_MAX)
		return;
	if (option)
		arguments->word[arguments->count++] = option;
	if (value)
		arguments->word[arguments->count++] = value;
}

static bool try_place(const char *dir, const char *below, char *buf, size_t size)
{
	int len = snprintf(buf, size, "%s%s/" PROGRAM, dir, below);

	return len > 0 && (size_t)len < size && !access(buf, X_OK);
}

static bool find_in_path(char *buf, size_t size)
{
	const char *path = getenv("PATH");
	char dir[PATH_MAX];

	while (path && *path) {
		size_t len = strcspn(path, ":");

		(void)snprintf(dir, sizeof(dir), "%.*s", (int)len, path);
		if (len && try_place(dir, "", buf, size))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

int spawn_find(char *buf, size_t size, struct error *err)
{
	char own[PATH_MAX] = "";
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash = len > 0 ? strrchr(own, '/') : NULL;

	if (slash) {
		*slash = '\0';
		if (try_place(own, "", buf, size) || try_place(own, "/../sbin", buf, size))
			return 0;
	}
	if (find_in_path(buf, size))
		return 0;
	return error_set(err, -ENOENT,
		"cannot find moderatod: it is neither in %s nor in ../sbin of it or in PATH", own);
}

static char **as_argv(struct spawn_arguments *arguments)
{
	arguments->word[arguments->count] = NULL;
	return (char **)arguments->word;
}

int spawn_replace(const char *program, struct spawn_arguments *arguments, struct error *err)
{
	(void)execv(program, as_argv(arguments));
	return error_sys(err, -errno, "cannot run %s", program);
}

static int open_log(const char *path, struct error *err)
{
	char old[PATH_MAX];
	int fd, len = snprintf(old, sizeof(old), "%s.old", path);

	if (len > 0 && (size_t)len < sizeof(old))
		(void)rename(path, old);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	return fd < 0 ? error_sys(err, -errno, "cannot write the log %s", path) : fd;
}

/* In the child: a session of its own, no terminal, the log as output. */
static void become_daemon(const char *program, char **argv, int ready_fd, int log_fd)
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)setsid();
	(void)dup2(null_fd, STDIN_FILENO);
	(void)dup2(log_fd, STDOUT_FILENO);
	(void)dup2(log_fd, STDERR_FILENO);
	if (ready_fd == READY_FD)
		(void)fcntl(ready_fd, F_SETFD, 0);
	else
		(void)dup2(ready_fd, READY_FD);
	(void)execv(program, argv);
	(void)dprintf(READY_FD, "cannot run %s: %s\n", program, strerror(errno));
	_exit(127);
}

/* One line from the child. Return: its length, 0 when the child ended without one, -ETIMEDOUT. */
static int read_verdict(int fd, unsigned timeout_ms, char *line, size_t size)
{
	uint64_t deadline_ns = clock_now_ns() + timeout_ms * NS_PER_MS;
	size_t used = 0;

	while (used + 1 < size) {
		struct pollfd pollfd = {.fd = fd, .events = POLLIN};
		uint64_t now_ns = clock_now_ns();
		int left_ms =
			now_ns < deadline_ns ? (int)((deadline_ns - now_ns) / NS_PER_MS) + 1 : 0;
		int n = poll(&pollfd, 1, left_ms);
		ssize_t got;

		if (n == 0)
			return -ETIMEDOUT;
		if (n < 0 && errno == EINTR)
			continue;
		got = read(fd, line + used, size - 1 - used);
		if (got <= 0)
			break;
		used += (size_t)got;
		if (memchr(line, '\n', used))
			break;
	}
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return (int)strlen(line);
}

/* The last line of the log, without level prefix and program name: why a daemon ended in silence.
 */
static void last_words(const char *log_path, char *buf, size_t size)
{
	FILE *log = fopen(log_path, "re");
	char line[512];

	buf[0] = '\0';
	while (log && fgets(line, sizeof(line), log)) {
		char *text = line[0] == '<' && line[1] && line[2] == '>' ? line + 3 : line;

		if (!strncmp(text, PROGRAM ": ", strlen(PROGRAM ": ")))
			text += strlen(PROGRAM ": ");
		text[strcspn(text, "\n")] = '\0';
		if (*text)
			(void)snprintf(buf, size, "%s", text);
	}
	if (log)
		(void)fclose(log);
}

static int explain_end(pid_t pid, const char *log_path, struct error *err)
{
	char words[512];
	int status = 0;

	(void)waitpid(pid, &status, 0);
	last_words(log_path, words, sizeof(words));
	if (WIFSIGNALED(status))
		return error_set(err, -EIO, "moderatod was ended by signal %d (%s); its log is %s",
			WTERMSIG(status), strsignal(WTERMSIG(status)), log_path);
	if (WEXITSTATUS(status) == 2)
		return error_usage(err, "%s", *words ? words : "moderatod refused its options");
	return error_set(err, -EIO, "%s (log: %s)",
		*words ? words : "moderatod ended without a word", log_path);
}

static int wait_ready(
	pid_t pid, int fd, const char *log_path, unsigned timeout_ms, struct error *err)
{
	char line[512];
	int status = 0, r = read_verdict(fd, timeout_ms, line, sizeof(line));

	if (r > 0 && !strcmp(line, READY))
		return 0;
	if (r == 0)
		return explain_end(pid, log_path, err);
	if (r < 0) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		return error_set(err, -ETIMEDOUT,
			"moderatod was not ready within %u s and was ended; its log is %s",
			timeout_ms / 1000, log_path);
	}
	(void)waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		return error_usage(err, "%s", line);
	return error_set(err, -EIO, "%s", line);
}

int spawn_daemon(const char *program, struct spawn_arguments *arguments, const char *log_path,
	unsigned timeout_ms, pid_t *ret_pid, struct error *err)
{
	int pipe_fd[2], log_fd, r;
	char ready_fd[12];
	pid_t pid;

	log_fd = open_log(log_path, err);
	if (log_fd < 0)
		return log_fd;
	if (pipe2(pipe_fd, O_CLOEXEC)) {
		r = error_sys(err, -errno, "cannot make a pipe");
		(void)close(log_fd);
		return r;
	}
	(void)snprintf(ready_fd, sizeof(ready_fd), "%d", READY_FD);
	spawn_add(arguments, "--ready-fd", ready_fd);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_daemon(program, as_argv(arguments), pipe_fd[1], log_fd);
	r = pid < 0 ? error_sys(err, -errno, "cannot start %s", program) : 0;
	(void)close(pipe_fd[1]);
	(void)close(log_fd);
	if (!r)
		r = wait_ready(pid, pipe_fd[0], log_path, timeout_ms, err);
	(void)close(pipe_fd[0]);
	if (!r)
		*ret_pid = pid;
	return r;
}
