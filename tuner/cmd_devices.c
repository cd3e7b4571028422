/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato devices: the machine's Ethernet NICs and what can be done with each. */
#include "tuner/client.h"
#include "tuner/command.h"
#include "tuner/nic_view.h"

int cmd_devices(int argc, char **argv, struct error *err)
{
	bool json = false, all = false;
	const struct option_row rows[] = {
		OPT_JSON(&json),
		OPT_FLAG("all", 'a', &all, "also network controllers that are not Ethernet"),
		OPT_END,
	};
	struct options options = {.rows = rows};
	struct host host;
	json_t *nics;
	int r = options_parse(&options, argc, argv, err);

	if (!r)
		r = host_init(&host, err);
	if (!r)
		r = nic_view_json(&host, all, &nics, err);
	if (r)
		return r;
	if (json)
		client_print_json(nics);
	else
		nic_view_print(nics);
	json_decref(nics);
	return 0;
}
