/* SPDX-License-Identifier: BSD-2-Clause */
/* moderato bind and unbind: take a NIC from the kernel's driver for VFIO, and give it back. */
#include <stdio.h>

#include "tuner/command.h"
#include "tuner/nic_bind.h"
#include "tuner/options.h"

static void print_taken(const struct nic_bind_request *request, const struct nic_bind_result *result)
{
	for (unsigned i = 0; i < result->count; i++)
		printf("%s: vfio-pci, was %s\n", result->moved[i].address,
			result->moved[i].driver[0] ? result->moved[i].driver : "without driver");
	if (!result->count)
		printf("%s: already bound to vfio-pci\n", request->address);
	if (request->user)
		printf("/dev/vfio/%d belongs to %s\n", result->group, request->user);
}

int cmd_bind(int argc, char **argv, struct error *err)
{
	struct nic_bind_request request = {0};
	const struct option_row rows[] = {
		OPT_FLAG("force", 'f', &request.force,
			"even a NIC that the default route or this session uses"),
		OPT_FLAG("group", 'g', &request.group,
			"with all other devices of its IOMMU group"),
		OPT_STRING("user", 'u', &request.user, "NAME",
			"make NAME the owner of the group's node, so that moderatod needs no root"),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_min = 1, .operands_max = 1};
	struct nic_bind_result result;
	struct host host;
	int r = options_parse(&options, argc, argv, err);

	if (!r)
		r = host_init(&host, err);
	if (r)
		return r;
	request.address = options.operand[0];
	r = nic_bind(&host, &request, &result, err);
	if (!r)
		print_taken(&request, &result);
	return r;
}

static void print_given_back(const struct nic_bind_result *result)
{
	for (unsigned i = 0; i < result->count; i++)
		printf("%s: %s\n", result->moved[i].address,
			result->moved[i].driver[0] ? result->moved[i].driver : "without driver, as before");
}

int cmd_unbind(int argc, char **argv, struct error *err)
{
	bool all = false;
	const struct option_row rows[] = {
		OPT_FLAG("all", 'a', &all, "every NIC that was taken and not given back, as after a crash"),
		OPT_END,
	};
	struct options options = {.rows = rows, .operands_max = 1};
	struct nic_bind_result result = {0};
	struct host host;
	int r = options_parse(&options, argc, argv, err);

	if (!r && all == (options.operand_count == 1))
		r = error_usage(err, "give one PCI address, or --all");
	if (!r)
		r = host_init(&host, err);
	if (!r)
		r = all ? nic_unbind_all(&host, &result, err) : nic_unbind(&host, options.operand[0], &result, err);
	print_given_back(&result);
	if (!r && !result.count)
		printf("nothing was taken\n");
	return r;
}
