/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato fault: make a simulated device misbehave. */
#include <inttypes.h>
#include <stdio.h>

#include "tuner/client.h"
#include "tuner/command.h"

int cmd_fault(int argc, char **argv, struct error *err)
{
	const char *name = NULL;
	int64_t count = 1;
	const struct option_row rows[] = {
		OPT_DAEMON(&name),
		OPT_INT("count", 'c', &count, "N", 0, 1e15,
			"how often it strikes (default 1); 0 clears it"),
		OPT_END,
	};
	struct options options = {
		.rows = rows,
		.operands_min = 1,
		.operands_max = 1,
		.details = "Faults: rx-hang (with RDTR above 0), tx-hang, link-flap, stuck-reset,\n"
			   "lost-interrupt, all-ones, dma-error.\n",
	};
	int r = options_parse(&options, argc, argv, err);

	if (r)
		return r;
	r = client_call_once(name, "sim.fault",
		json_pack("{s:s, s:I}", "name", options.operand[0], "count", (json_int_t)count),
		NULL, 0, err);
	if (r)
		return r;
	if (count)
		printf("%s will strike %" PRId64 " time%s; \"moderato stats\" counts what it did\n",
			options.operand[0], count, count == 1 ? "" : "s");
	else
		printf("%s is cleared\n", options.operand[0]);
	return 0;
}
