/* SPDX-License-Identifier: BSD-2-Clause */
/* The schemes of the device argument; the only driver file that knows which backends exist. */
#include "driver/bus.h"

#include <errno.h>
#include <regex.h>
#include <stddef.h>
#include <string.h>

#include "common/util.h"
#include "driver/sim/sim_bus.h"

static const struct {
	const char *prefix;
	int (*open)(const char *rest, struct bus **ret_bus, struct error *err);
} schemes[] = {
	{"sim:", sim_bus_open},
};

static bool looks_like_pci_address(const char *text)
{
	regex_t re;
	bool match;

	if (regcomp(&re, "^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$",
		    REG_EXTENDED | REG_ICASE | REG_NOSUB))
		return false;
	match = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return match;
}

int bus_open(const char *device, struct bus **ret_bus, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		size_t len = strlen(schemes[i].prefix);

		if (!strncmp(device, schemes[i].prefix, len))
			return schemes[i].open(device + len, ret_bus, err);
	}
	if (looks_like_pci_address(device))
		return error_set(err, -EOPNOTSUPP,
				 "%s: this version drives simulated devices only; try sim:82574L", device);
	return error_usage(err, "%s: not a device; give sim:CHIP, for example sim:82574L", device);
}

void bus_close(struct bus *bus)
{
	if (bus)
		bus->ops->close(bus);
}
