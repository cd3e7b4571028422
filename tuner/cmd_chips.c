/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato chips: what is known of the chips of the field, driven or not. */
#include <stdio.h>
#include <string.h>

#include "tuner/card_view.h"
#include "tuner/client.h"
#include "tuner/command.h"

int card_lookup(const char *name, const struct card **ret_card, struct error *err)
{
	const char *near[5];
	char list[200] = "";
	size_t count;

	*ret_card = card_find(name);
	if (*ret_card)
		return 0;
	count = card_suggest(name, near, sizeof(near) / sizeof(near[0]));
	if (!count)
		return error_usage(err,
			"unknown chip \"%.40s\"; \"moderato chips\" lists those that are known",
			name);
	for (size_t i = 0; i < count; i++)
		(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			!i			   ? ""
				: i + 1 == count ? " or "
						 : ", ",
			near[i]);
	return error_usage(err, "unknown chip \"%.40s\"; did you mean %s?", name, list);
}

int cmd_chips(int argc, char **argv, struct error *err)
{
	bool json = false;
	const struct option_row rows[] = {OPT_JSON(&json), OPT_END};
	struct options options = {.rows = rows, .operands_max = 1};
	const struct card *card = NULL;
	json_t *value;
	int r = options_parse(&options, argc, argv, err);

	if (r == 0 && options.operand_count)
		r = card_lookup(options.operand[0], &card, err);
	if (r)
		return r;
	value = card ? card_json(card) : card_list_json();
	if (json)
		client_print_json(value);
	else if (card)
		card_print(value);
	else
		card_list_print(value);
	json_decref(value);
	return 0;
}
