/* SPDX-License-Identifier: BSD-2-Clause */
/* The schemes of the device argument; the only driver file that knows which backends exist. */
#include "driver/bus.h"

#include <stddef.h>
#include <string.h>

#include "common/pci.h"
#include "common/util.h"
#include "driver/bus_vfio.h"
#include "driver/sim/sim_bus.h"

static const struct {
	const char *prefix;
	int (*open)(const char *rest, struct bus **ret_bus, struct error *err);
} schemes[] = {
	{"sim:", sim_bus_open},
};

int bus_open_on(const struct sys *sys, const char *device, struct bus **ret_bus, struct error *err)
{
	char address[PCI_ADDRESS_BYTES], word[PCI_ADDRESS_BYTES] = "";
	size_t word_len = strcspn(device, ",");

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		size_t len = strlen(schemes[i].prefix);

		if (!strncmp(device, schemes[i].prefix, len))
			return schemes[i].open(device + len, ret_bus, err);
	}
	if (word_len < sizeof(word))
		memcpy(word, device, word_len);
	if (pci_address_parse(word, address))
		return bus_vfio_open_on(sys, device, ret_bus, err);
	return error_usage(err,
			   "%s: not a device; give a PCI address, for example 0000:03:00.0, or sim:CHIP, for "
			   "example sim:82574L", device);
}

int bus_open(const char *device, struct bus **ret_bus, struct error *err)
{
	return bus_open_on(&sys_kernel, device, ret_bus, err);
}

void bus_close(struct bus *bus)
{
	if (bus)
		bus->ops->close(bus);
}
