/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of long work: one line that refreshes on a terminal, plain lines elsewhere. */
#include "tuner/progress.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/util.h"
#include "tuner/sweep.h"

#define FALLBACK_WIDTH 80

void progress_init(struct progress *progress, FILE *out)
{
	*progress = (struct progress){.out = out, .terminal = isatty(fileno(out)) == 1};
}

static unsigned terminal_width(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col
									     : FALLBACK_WIDTH;
}

void progress_show(struct progress *progress, const char *text)
{
	if (!progress->terminal) {
		fprintf(progress->out, "%s\n", text);
		return;
	}
	/* one column less, so that no terminal wraps; clear what a longer text left */
	fprintf(progress->out, "\r%.*s\033[K", (int)terminal_width(progress->out) - 1, text);
	(void)fflush(progress->out);
	progress->shown = true;
}

void progress_finish(struct progress *progress)
{
	if (progress->shown)
		fprintf(progress->out, "\r\033[K");
	(void)fflush(progress->out);
	progress->shown = false;
}

void progress_note(struct progress *progress, const char *text)
{
	progress_finish(progress);
	fprintf(progress->out, "%s\n", text);
}

char *progress_bar(unsigned done, unsigned total, unsigned width, char *buf, size_t size)
{
	unsigned full = total ? (unsigned)((uint64_t)done * width / total) : 0;
	size_t used = 0;

	if (size < (size_t)width + 3)
		width = size < 3 ? 0 : (unsigned)size - 3;
	buf[used++] = '[';
	for (unsigned i = 0; i < width; i++)
		buf[used++] = i < full ? '#' : '.';
	buf[used++] = ']';
	buf[used] = '\0';
	return buf;
}

char *format_duration(uint64_t ns, char *buf, size_t size)
{
	uint64_t seconds = (ns + NS_PER_S / 2) / NS_PER_S;

	if (ns < 10 * NS_PER_S - NS_PER_S / 20)
		(void)snprintf(buf, size, "%.1f s", (double)ns / NS_PER_S);
	else if (seconds < 60)
		(void)snprintf(buf, size, "%u s", (unsigned)seconds);
	else if (seconds < 3600)
		(void)snprintf(buf, size, "%u min %02u s", (unsigned)(seconds / 60),
			(unsigned)(seconds % 60));
	else
		(void)snprintf(buf, size, "%u h %02u min", (unsigned)(seconds / 3600),
			(unsigned)(seconds / 60 % 60));
	return buf;
}

/* The figure that says most: latency of a ping-pong, goodput of a stream. */
static void format_figure(const struct bench_result *result, char *buf, size_t size)
{
	static const enum metric_id shown[] = {METRIC_RR_P50_US, METRIC_GOODPUT_MBPS};

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		double value = result->metric[shown[i]];

		if (isnan(value))
			continue;
		(void)snprintf(buf, size, "%.1f %s%s", value, metric_table[shown[i]].unit,
			shown[i] == METRIC_RR_P50_US ? " p50" : "");
		return;
	}
}

static void format_outcome(const struct sweep_progress *progress, char *buf, size_t size)
{
	if (progress->status == TRIAL_OK && progress->result)
		format_figure(progress->result, buf, size);
	else if (progress->status == TRIAL_PLANNED)
		(void)snprintf(buf, size, "interrupted");
	else
		(void)snprintf(buf, size, "%s%s: %s", trial_status_name(progress->status),
			progress->retried ? ", tried again" : "", progress->reason);
}

char *progress_format_trial(const struct sweep_progress *progress, char *buf, size_t size)
{
	char duration[32], left[48] = "", outcome[600] = "";
	int digits = snprintf(NULL, 0, "%u", progress->total);

	if (!progress->trial) {
		(void)snprintf(
			buf, size, "[%*u/%u] starting", digits, progress->done, progress->total);
		return buf;
	}
	format_outcome(progress, outcome, sizeof(outcome));
	if (progress->left_ns || progress->done == progress->total)
		(void)snprintf(left, sizeof(left), "%s left  ",
			format_duration(progress->left_ns, duration, sizeof(duration)));
	(void)snprintf(buf, size, "[%*u/%u] %s%s  %s  %s", digits, progress->done, progress->total,
		left, progress->config_name, progress->workload, outcome);
	return buf;
}
