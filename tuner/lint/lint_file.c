/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the settings to check come from: a file of lines, or the plan in a store. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/util.h"
#include "tuner/card_view.h"
#include "tuner/lint/lint.h"
#include "tuner/store.h"

/* What the lines before the first setting say. */
struct head {
	const struct card *card;
	unsigned speed_mbps;
	bool msix_rx_timers;
	bool begun;
};

/* "chip 82574L" with @word "chip": what follows it, or NULL. */
static const char *after_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || (line[len] && !isblank((unsigned char)line[len])))
		return NULL;
	line += len;
	return line + strspn(line, " \t");
}

static int read_head_line(struct head *head, unsigned number, const char *line, struct error *err)
{
	const char *rest;
	int r;

	rest = after_word(line, "chip");
	if (rest) {
		r = card_lookup(rest, &head->card, err);
		return r ? error_context(err, "line %u", number) : 1;
	}
	rest = after_word(line, "speed");
	if (rest) {
		unsigned speed = (unsigned)strtoul(rest, NULL, 10);

		if (speed != 10 && speed != 100 && speed != 1000)
			return error_usage(err, "line %u: speed \"%.20s\" is not 10, 100 or 1000",
				number, rest);
		head->speed_mbps = speed;
		return 1;
	}
	if (after_word(line, "msix-rx-timers")) {
		head->msix_rx_timers = true;
		return 1;
	}
	return 0;
}

static void read_setting(struct lint *lint, unsigned number, const char *line)
{
	const char *rest = after_word(line, "preset");

	if (rest) {
		lint_presets(lint, number, rest);
		return;
	}
	rest = after_word(line, "set");
	lint_set(lint, number, rest ? rest : line);
}

static int read_line(struct lint *lint, struct head *head, unsigned number, const char *line,
	struct error *err)
{
	int r = head->begun ? 0 : read_head_line(head, number, line, err);

	if (r)
		return r < 0 ? r : 0;
	if (!head->begun && !head->card)
		return error_usage(err,
			"line %u: no chip named yet; begin the file with \"chip 82574L\" or give --chip",
			number);
	if (!head->begun)
		r = lint_init(lint, head->card, head->speed_mbps, head->msix_rx_timers, err);
	if (r == 0)
		read_setting(lint, number, line);
	head->begun = r == 0;
	return r;
}

int lint_file(struct lint *lint, const struct card *card, unsigned speed_mbps, const char *text,
	struct error *err)
{
	struct head head = {.card = card, .speed_mbps = speed_mbps};
	char *copy = strdup(text), *save = copy;
	unsigned number = 0;
	int r = copy ? 0 : error_set(err, -ENOMEM, "out of memory for the file");

	for (char *line; r == 0 && (line = strsep(&save, "\n"));) {
		size_t len;

		number++;
		line[strcspn(line, "#\r")] = '\0';
		line += strspn(line, " \t");
		len = strlen(line);
		while (len && isblank((unsigned char)line[len - 1]))
			line[--len] = '\0';
		if (len)
			r = read_line(lint, &head, number, line, err);
	}
	free(copy);
	if (r == 0 && !head.begun)
		r = error_usage(err, "no setting in the file; write lines such as \"set ITR=0,651,1500\"");
	else if (r < 0 && head.begun)
		lint_fini(lint);
	return r;
}

static int add_configs(struct lint *lint, struct store *store, int64_t sweep, struct error *err)
{
	struct store_config *configs;
	size_t count;
	int r = store_read_configs(store, sweep, &configs, &count, err);

	for (size_t i = 0; r == 0 && i < count; i++) {
		struct settings asked;
		char text[256];

		/* one value a knob: what a sweep of these settings alone would say */
		if (json_to_settings(configs[i].asked, &asked, err))
			continue;
		lint_set(lint, 0, settings_format(&asked, text, sizeof(text)));
	}
	if (r == 0)
		store_configs_free(configs, count);
	return r;
}

int lint_store(struct lint *lint, const char *path, struct error *err)
{
	struct plan_device device;
	struct store_sweep row;
	struct store *store;
	int64_t sweep = 0;
	int r = store_open(path, STORE_READ, &store, err);

	if (r < 0)
		return r;
	r = store_last_sweep(store, &sweep, err);
	if (r == 0)
		r = store_read_sweep(store, sweep, &row, err);
	if (r < 0) {
		store_close(store);
		return r;
	}
	r = plan_read_device(&row, &device, err);
	if (r == 0)
		r = lint_init(lint, card_find(device.chip->name), device.speed_mbps,
			device.msix_rx_timers, err);
	if (r == 0) {
		lint->plan.device.base = device.base;
		r = add_configs(lint, store, sweep, err);
	}
	store_sweep_clear(&row);
	store_close(store);
	return r;
}
