/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato demo: from nothing to a table, a chart and a profile, on a simulated NIC. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tuner/command.h"
#include "tuner/demo.h"
#include "tuner/demo_daemon.h"
#include "tuner/demo_report.h"
#include "tuner/options.h"

#define DEVICE "sim:82574L"

static volatile sig_atomic_t stop;

static void on_signal(int signo)
{
	stop = signo;
}

/* A further signal while the daemon is taken down must not cut that short, so none ever kills. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	(void)sigaction(SIGPIPE, &action, NULL);
}

/* Results of an earlier demo are kept under the time of their last change. */
static int keep_earlier(const char *path, struct error *err)
{
	char kept[PATH_MAX], stamp[32];
	struct stat status;
	struct tm tm;

	if (stat(path, &status))
		return 0;
	(void)strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&status.st_mtime, &tm));
	(void)snprintf(kept, sizeof(kept), "%.*s-%s.db", (int)strlen(path) - 3, path, stamp);
	if (rename(path, kept))
		return error_sys(err, -errno, "cannot keep the earlier results as %s", kept);
	fprintf(stderr, "results of an earlier demo are now in %s\n", kept);
	return 0;
}

static int prepare_directory(const char *out, char *db, size_t size, struct error *err)
{
	if (mkdir(out, 0777) && errno != EEXIST)
		return error_sys(err, -errno, "cannot make the directory %s", out);
	if (access(out, W_OK | X_OK))
		return error_sys(err, -errno, "cannot write into %s", out);
	if (snprintf(db, size, "%s/demo.db", out) >= PATH_MAX - 64)
		return error_usage(err, "the name of the directory is too long");
	return keep_earlier(db, err);
}

static int measure(const struct demo_plan *plan, const char *db, const char *daemon,
	struct store **ret_store, struct demo_result *ret_result, struct error *err)
{
	struct progress progress;
	int rc = store_open(db, STORE_CREATE, ret_store, err);

	if (rc)
		return rc;
	progress_init(&progress, stderr);
	rc = demo_measure(plan, daemon, *ret_store, &progress, &stop, ret_result, err);
	if (rc == -EINTR)
		error_set(err, rc, "stopped; %s has what was measured, the daemon is down", db);
	return rc;
}

static int run(const struct demo_plan *plan, const char *out, struct error *err)
{
	struct demo_result *result = calloc(1, sizeof(*result));
	struct demo_daemon daemon = {.pid = 0};
	struct store *store = NULL;
	char db[PATH_MAX], log[PATH_MAX];
	int rc;

	if (!result)
		return error_sys(err, -ENOMEM, "cannot run the demo");
	rc = prepare_directory(out, db, sizeof(db), err);
	(void)snprintf(log, sizeof(log), "%s/moderatod.log", out);
	rc = rc ? rc : demo_daemon_start(&daemon, DEVICE, log, err);
	if (!rc) {
		demo_report_begin(plan, DEVICE, stdout);
		rc = measure(plan, db, daemon.name, &store, result, err);
	}
	demo_daemon_stop(&daemon);
	if (!rc)
		rc = demo_report(store, out, result, err);
	store_close(store);
	free(result);
	return rc;
}

int cmd_demo(int argc, char **argv, struct error *err)
{
	const char *out = "out";
	bool quick = false;
	const struct option_row rows[] = {
		OPT_STRING("out", 'o', &out, "DIR", "where the results go (default out)"),
		OPT_FLAG("quick", 'q', &quick, "two buffer sizes and seven pairs: a minute"),
		OPT_END};
	struct options options = {.rows = rows,
		.details =
			"Starts a daemon of its own on " DEVICE ", measures four presets over six\n"
			"buffer sizes, proves two contrasts by ten pairs each, and ends the "
			"daemon.\n"
			"Needs no NIC; root, or a kernel that allows TAP in a user namespace.\n"};
	int rc = options_parse(&options, argc, argv, err);

	if (rc)
		return rc;
	catch_signals();
	return run(quick ? &demo_plan_quick : &demo_plan_full, out, err);
}
