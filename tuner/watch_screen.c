/* SPDX-License-Identifier: BSD-2-Clause */
/* Drawing by ncurses: settings, rates, the batch histogram as bars, the latest events. */
#include "tuner/watch_screen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* its macro names collide with nothing of ours only when the bool type comes first */
#include <ncurses.h>

#include "common/chips/knob.h"
#include "common/util.h"
#include "tuner/client.h"
#include "tuner/settings_view.h"

#define BAR_LEFT 22 /* column where bars begin */
#define BAR_MAX	 60

static SCREEN *screen;

int watch_screen_open(void)
{
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) || !getenv("TERM"))
		return -ENOTTY;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -ENOTTY;
	(void)cbreak();
	(void)noecho();
	(void)nodelay(stdscr, TRUE);
	(void)keypad(stdscr, TRUE);
	(void)curs_set(0);
	return 0;
}

void watch_screen_close(void)
{
	if (!screen)
		return;
	(void)endwin();
	delscreen(screen);
	screen = NULL;
}

bool watch_screen_wants_quit(void)
{
	bool quit = false;
	int key;

	while ((key = getch()) != ERR)
		quit |= key == 'q' || key == 'Q';
	return quit;
}

/* A line that starts at @column of row *@row and moves on to the next; cut at the right edge. */
__attribute__((format(printf, 3, 4))) static void line(int *row, int column, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (*row < LINES && column < COLS)
		(void)mvaddnstr(*row, column, text, COLS - column);
	(*row)++;
}

static void heading(int *row, const char *text)
{
	(void)attron(A_BOLD);
	line(row, 0, "%s", text);
	(void)attroff(A_BOLD);
}

static void bar(int row, double share)
{
	int room = MIN(COLS - BAR_LEFT - 1, BAR_MAX);
	int length = room > 0 ? (int)(share * room + 0.5) : 0;

	if (row >= LINES)
		return;
	for (int i = 0; i < length; i++)
		(void)mvaddch(row, BAR_LEFT + i, '#');
}

static void draw_title(int *row, const struct watch_view *view)
{
	const json_t *link = json_object_get(view->info, "link");

	(void)attron(A_REVERSE);
	line(row, 0, " %s  %s  %lld Mb/s  %s ", reply_string(view->info, "name"),
		reply_string(view->info, "device"),
		(long long)(view->settings ? reply_int(view->settings, "speed_mbps")
					   : reply_int(link, "speed_mbps")),
		reply_string(view->settings, "intmode"));
	(void)attroff(A_REVERSE);
	(*row)--;
	line(row, MAX(COLS - 24, 0), "every %.15g s, q quits", view->interval_s);
}

/* "ITR 1500 (384.0 us)" for knobs that are set and act; dead ones in brackets */
static int format_knob(const char *name, const json_t *knob, char *buf, size_t size)
{
	long long value = reply_int(knob, "readback");
	double ns = reply_number(knob, "effective_ns");
	char interval[32];

	if (json_is_false(json_object_get(knob, "acts")))
		return snprintf(buf, size, "[%s %lld: no effect]", name, value);
	return snprintf(buf, size, "%s %lld (%s)", name, value,
		settings_view_interval(ns, interval, sizeof(interval)));
}

static void draw_settings(int *row, const struct watch_view *view)
{
	const json_t *knobs = json_object_get(view->settings, "knobs");
	char text[64];
	int column = 0;

	(*row)++;
	for (size_t i = 0; i < KNOB_COUNT; i++) {
		const json_t *knob = json_object_get(knobs, knob_table[i].name);
		int length;

		if (!knob || !knob_table[i].unit_ps || !reply_int(knob, "readback"))
			continue;
		length = format_knob(knob_table[i].name, knob, text, sizeof(text));
		if (column && column + length + 2 > COLS) {
			(*row)++;
			column = 0;
		}
		line(row, column, "%s", text);
		(*row)--;
		column += length + 2;
	}
	if (!column)
		line(row, 0, "%s",
			view->settings ? "no moderation: every throttle and timer is 0" : "");
	else
		(*row)++;
}

static void draw_interrupts(int *row, const struct rates *rates)
{
	double most = 1;

	(*row)++;
	heading(row, "interrupts/s");
	for (unsigned i = 0; i < RATES_VECTORS; i++)
		most = MAX(most, rates->irq_per_s[i]);
	for (unsigned i = 0; i < RATES_VECTORS; i++) {
		if (i && rates->irq_per_s[i] <= 0)
			continue;
		bar(*row, rates->irq_per_s[i] / most);
		line(row, 2, "vector %u %10.1f", i, rates->irq_per_s[i]);
	}
}

static void draw_traffic(int *row, const struct rates *rates)
{
	(*row)++;
	heading(row, "                 receive    transmit");
	line(row, 0, "frames/s    %12.0f%12.0f", rates->rx_frames_per_s, rates->tx_frames_per_s);
	line(row, 0, "Mbit/s      %12.1f%12.1f", rates->rx_mbit_per_s, rates->tx_mbit_per_s);
	line(row, 0, "fr/interrupt%12.1f", rates->rx_frames_per_irq);
	line(row, 0, "missed/s    %12.0f   dropped/s %.0f", rates->missed_per_s,
		rates->dropped_per_s);
	(*row)++;
	bar(*row, MIN(rates->driver_cpu, 1.0));
	line(row, 0, "driver CPU %8.1f %%", rates->driver_cpu * 100);
	if (rates->device_cpu > 0) {
		bar(*row, MIN(rates->device_cpu, 1.0));
		line(row, 0, "device CPU %8.1f %%", rates->device_cpu * 100);
	}
}

static void draw_batches(int *row, const struct rates *rates)
{
	uint64_t most = 1;
	unsigned last = 0;
	char name[16];

	(*row)++;
	heading(row, "frames found by a receive interrupt");
	for (unsigned i = 0; i < RATES_BUCKETS; i++) {
		most = MAX(most, rates->batch[i]);
		if (rates->batch[i])
			last = i;
	}
	for (unsigned i = 0; i <= last; i++) {
		bar(*row, (double)rates->batch[i] / (double)most);
		line(row, 0, "%9s %10.0f", rates_bucket_name(i, name, sizeof(name)),
			(double)rates->batch[i] / (rates->seconds > 0 ? rates->seconds : 1));
	}
}

static void draw_notes(int *row, const struct watch_view *view)
{
	json_t *warnings = json_object_get(view->settings, "warnings"), *warning;
	size_t i;

	(*row)++;
	json_array_foreach (warnings, i, warning)
		line(row, 0, "warning: %s", json_string_value(warning));
	for (unsigned e = 0; e < view->event_count; e++)
		line(row, 0, "%s", view->event[e]);
}

void watch_screen_draw(const struct watch_view *view)
{
	int row = 0;

	(void)erase();
	draw_title(&row, view);
	draw_settings(&row, view);
	if (view->have_rates) {
		draw_interrupts(&row, &view->rates);
		draw_traffic(&row, &view->rates);
		draw_batches(&row, &view->rates);
	}
	draw_notes(&row, view);
	(void)refresh();
}
