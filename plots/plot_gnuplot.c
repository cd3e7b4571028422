/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs gnuplot as a child: which terminals it has, and a script whose picture appears whole or not.
 */
#include "plots/plot_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_LIMIT_MS	60000
#define EXIT_NO_PROGRAM 127 /* as a shell says it */
#define WORDS_MAX	8192

/* In the child: quiet, in @dir, in the C locale, then gnuplot. Never returns. */
static void child_exec(const char *dir, int words_fd, char *const argv[])
{
	int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(words_fd, STDOUT_FILENO) < 0 ||
		dup2(words_fd, STDERR_FILENO) < 0 || chdir(dir) || setenv("LC_ALL", "C", 1) ||
		unsetenv("DISPLAY"))
		_exit(EXIT_NO_PROGRAM - 1);
	execvp(argv[0], argv);
	_exit(EXIT_NO_PROGRAM);
}

static int wait_child(pid_t pid, int *ret_status)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd wait_for = {.fd = pidfd, .events = POLLIN};
	int n = 1;

	if (pidfd >= 0) {
		do {
			n = poll(&wait_for, 1, RUN_LIMIT_MS);
		} while (n < 0 && errno == EINTR);
		(void)close(pidfd);
	}
	if (n == 0)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return n == 0 ? -ETIMEDOUT : 0;
}

/* @words_fd receives what it prints. Return: exit code, 255 when killed, or negative. */
static int run_gnuplot(const char *dir, int words_fd, char *const argv[])
{
	int status, rc;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_exec(dir, words_fd, argv);
	rc = wait_child(pid, &status);
	if (rc)
		return rc;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int open_words(void)
{
	int fd = memfd_create("gnuplot", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void read_words(int fd, char words[WORDS_MAX])
{
	ssize_t n = pread(fd, words, WORDS_MAX - 1, 0);

	words[n > 0 ? n : 0] = '\0';
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) {
		bool starts = p == text || strchr(" \t\n", p[-1]);

		if (starts && (!p[len] || strchr(" \t\n", p[len])))
			return true;
	}
	return false;
}

static int no_gnuplot(struct error *err)
{
	return error_set(err, -ENOENT,
		"gnuplot is not installed: no picture was drawn (Debian: gnuplot-nox and "
		"fonts-dejavu-core)");
}

int gnuplot_probe(unsigned *ret_available, struct error *err)
{
	char *argv[] = {"gnuplot", "-e", "print GPVAL_TERMINALS", NULL};
	unsigned available = 0;
	char words[WORDS_MAX];
	int fd = open_words(), code;

	if (fd < 0)
		return error_sys(err, fd, "cannot run gnuplot");
	code = run_gnuplot("/", fd, argv);
	read_words(fd, words);
	(void)close(fd);
	if (code == EXIT_NO_PROGRAM)
		return no_gnuplot(err);
	if (code < 0)
		return error_sys(err, code, "cannot run gnuplot");
	for (unsigned i = 0; code == 0 && i < PLOT_TERMINAL_COUNT; i++) {
		if (has_word(words, plot_terminal_table[i].name))
			available |= 1u << i;
	}
	/* Before 4.4 gnuplot does not tell: then every terminal is worth a try. */
	*ret_available = available ? available : (1u << PLOT_TERMINAL_COUNT) - 1;
	return 0;
}

static int check_picture(const char *path, const char *signature, struct error *err)
{
	char start[512] = "";
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return error_set(err, -EIO, "gnuplot ended well but drew nothing");
	n = fread(start, 1, sizeof(start) - 1, file);
	(void)fclose(file);
	if (!n)
		return error_set(err, -EIO, "gnuplot drew an empty picture");
	if (!memmem(start, n, signature, strlen(signature)))
		return error_set(
			err, -EIO, "what gnuplot drew is not the kind of picture asked for");
	return 0;
}

/* The last line that says something. */
static const char *last_words(char *words)
{
	char *last = words, *save = NULL;

	for (char *line = strtok_r(words, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t^\"");
		if (*line)
			last = line;
	}
	return last;
}

static int run_in(const char *private_dir, const char *script, struct error *err)
{
	char path[PATH_MAX], words[WORDS_MAX];
	char *argv[] = {"gnuplot", path, NULL};
	int fd = open_words(), code;

	if (fd < 0)
		return error_sys(err, fd, "cannot run gnuplot");
	(void)snprintf(path, sizeof(path), "../%s", script);
	code = run_gnuplot(private_dir, fd, argv);
	read_words(fd, words);
	(void)close(fd);
	if (code == EXIT_NO_PROGRAM)
		return no_gnuplot(err);
	if (code < 0)
		return error_sys(err, code, "gnuplot did not finish");
	if (code)
		return error_set(err, -EIO, "gnuplot failed (exit code %d): %.200s", code,
			last_words(words));
	return 0;
}

int gnuplot_run(const char *dir, const char *script, const char *output, const char *signature,
	struct error *err)
{
	char private_dir[PATH_MAX], drawn[PATH_MAX], final[PATH_MAX];
	int rc;

	if (snprintf(private_dir, sizeof(private_dir), "%s/.plot-XXXXXX", dir) >=
		(int)sizeof(private_dir) - 64)
		return error_set(
			err, -ENAMETOOLONG, "the directory's name is too long: %.100s...", dir);
	if (!mkdtemp(private_dir))
		return error_sys(err, -errno, "cannot write in %s", dir);
	(void)snprintf(drawn, sizeof(drawn), "%.*s/%s", PATH_MAX - 64, private_dir, output);
	(void)snprintf(final, sizeof(final), "%.*s/%s", PATH_MAX - 64, dir, output);
	rc = run_in(private_dir, script, err);
	if (!rc)
		rc = check_picture(drawn, signature, err);
	if (!rc && rename(drawn, final))
		rc = error_sys(err, -errno, "cannot write %s", final);
	(void)unlink(drawn);
	(void)rmdir(private_dir);
	return rc;
}
