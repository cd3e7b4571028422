/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato watch: rates, settings and events as they happen; a screen on a terminal, lines
 * otherwise. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/watch_screen.h"

#define HEADING_EVERY 20

struct watch {
	struct control_client *client;
	struct watch_view view;
	struct rates_sample last;
	json_t *info, *settings;
	uint64_t interval_ns;
	int64_t count; /* intervals to show; 0: until told to stop */
	int64_t shown;
	bool screen, plain;
};

static int fetch_settings(struct watch *watch, struct error *err)
{
	json_t *settings;
	int r = control_call(watch->client, "get", NULL, &settings, 0, err);

	if (r)
		return r;
	json_decref(watch->settings);
	watch->settings = settings;
	watch->view.settings = settings;
	return 0;
}

static void keep_event(struct watch *watch, const json_t *params)
{
	struct watch_view *view = &watch->view;
	time_t now = time(NULL);
	struct tm local;
	char clock[16];

	(void)strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
	if (!watch->screen) {
		printf("# %s %s: %s\n", clock, reply_string(params, "name"),
			reply_string(params, "detail"));
		(void)fflush(stdout);
		return;
	}
	memmove(view->event[1], view->event[0], sizeof(view->event) - sizeof(view->event[0]));
	(void)snprintf(view->event[0], sizeof(view->event[0]), "%s %s: %s", clock,
		reply_string(params, "name"), reply_string(params, "detail"));
	if (view->event_count < WATCH_EVENTS)
		view->event_count++;
}

static void show_line(const struct watch *watch)
{
	if (watch->shown % HEADING_EVERY == 0)
		rates_print_heading(stdout);
	rates_print_line(stdout, &watch->view.rates);
}

static int take_stats(struct watch *watch, const json_t *stats, struct error *err)
{
	struct rates_sample sample;
	int r = 0;

	rates_sample_read(stats, &sample);
	if (watch->last.time_ns) {
		rates_between(&watch->last, &sample, &watch->view.rates);
		watch->view.have_rates = true;
		/* another client may have changed knobs; the screen shows what is in force */
		if (watch->screen)
			r = fetch_settings(watch, err);
		else
			show_line(watch);
		watch->shown++;
	}
	watch->last = sample;
	return r;
}

static int take_message(struct watch *watch, const json_t *message, struct error *err)
{
	const json_t *params = json_object_get(message, "params");
	const char *method = reply_string(message, "method");

	if (!strcmp(method, "stats"))
		return take_stats(watch, params, err);
	if (!strcmp(method, "event"))
		keep_event(watch, params);
	return 0;
}

static int take_messages(struct watch *watch, struct error *err)
{
	json_t *message;
	int r;

	while (!(r = control_next_notification(watch->client, 0, &message, err))) {
		r = take_message(watch, message, err);
		json_decref(message);
		if (r)
			return r;
	}
	return r == -EAGAIN ? 0 : r;
}

static bool is_done(const struct watch *watch)
{
	return (watch->screen && watch_screen_wants_quit()) ||
	       (watch->count && watch->shown >= watch->count) || ferror(stdout);
}

static int loop(struct watch *watch, struct error *err)
{
	struct pollfd pollfds[] = {
		{.fd = control_fd(watch->client), .events = POLLIN},
		{.fd = watch->screen ? STDIN_FILENO : -1, .events = POLLIN},
	};

	while (!is_done(watch)) {
		int r;

		if (watch->screen)
			watch_screen_draw(&watch->view);
		/* a changed size of the terminal interrupts the wait, and the next drawing fits */
		(void)poll(pollfds, 2, -1);
		r = take_messages(watch, err);
		if (r)
			return r;
	}
	return 0;
}

static int start(struct watch *watch, struct error *err)
{
	json_t *stats;
	int r = control_call(watch->client, "info", NULL, &watch->info, 0, err);

	if (!r)
		r = fetch_settings(watch, err);
	if (!r)
		r = control_call(watch->client, "stats", NULL, &stats, 0, err);
	if (r)
		return r;
	r = take_stats(watch, stats, err);
	json_decref(stats);
	if (!r)
		r = control_call(watch->client, "subscribe",
			json_pack("{s:b, s:I}", "events", 1, "stats_ms",
				(json_int_t)(watch->interval_ns / NS_PER_MS)),
			NULL, 0, err);
	watch->view.info = watch->info;
	watch->view.interval_s = (double)watch->interval_ns / 1e9;
	return r;
}

static int run(struct watch *watch, struct error *err)
{
	int r = start(watch, err);

	if (r)
		return r;
	watch->screen = !watch->plain && !watch_screen_open();
	r = loop(watch, err);
	watch_screen_close();
	return r;
}

int cmd_watch(int argc, char **argv, struct error *err)
{
	struct watch watch = {.interval_ns = NS_PER_S};
	const char *name = NULL;
	const struct option_row rows[] = {
		OPT_DAEMON(&name),
		OPT_DURATION("interval", 'i', &watch.interval_ns, "TIME", 0.01, 60,
			"time between two views (default 1s)"),
		OPT_INT("count", 'c', &watch.count, "N", 1, 1e15, "end after so many intervals"),
		OPT_FLAG("plain", 'p', &watch.plain,
			"lines instead of a screen, as without a terminal"),
		OPT_END,
	};
	struct options options = {.rows = rows, .details = "Keys: q quits.\n"};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	r = control_connect(name, &watch.client, err);
	if (r)
		return r;
	r = run(&watch, err);
	json_decref(watch.info);
	json_decref(watch.settings);
	control_disconnect(watch.client);
	return r;
}
