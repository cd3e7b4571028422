/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC's own address: from receive address 0, else from the NVM. */
#include "driver/nic.h"

#include <errno.h>

#include "driver/nic_private.h"

/* A word takes some 50 us; a read of the register about one. */
#define EERD_POLLS 100000

static int nvm_read(struct nic *nic, unsigned word, uint16_t *ret_value)
{
	bool small = nic->chip->eerd == EERD_SMALL;
	unsigned shift = small ? EERD_ADDR_SHIFT_SMALL : EERD_ADDR_SHIFT_LARGE;
	uint32_t done = small ? EERD_DONE_SMALL : EERD_DONE_LARGE;

	nic_write(nic, REG_EERD, word << shift | EERD_START);
	for (unsigned i = 0; i < EERD_POLLS; i++) {
		uint32_t value = nic_read(nic, REG_EERD);

		if (value == UINT32_MAX)
			return -ENODEV;
		if (value & done) {
			*ret_value = (uint16_t)(value >> EERD_DATA_SHIFT);
			return 0;
		}
	}
	return -ETIMEDOUT;
}

static bool address_is_valid(const uint8_t mac[6])
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 6; i++)
		sum |= mac[i];
	return sum && !(mac[0] & 1);
}

/* Words 0 to 2, low byte first; the second port of a chip has the same but for the last bit. */
static int address_from_nvm(struct nic *nic, uint8_t ret_mac[6])
{
	for (unsigned i = 0; i < 3; i++) {
		uint16_t word;
		int r = nvm_read(nic, i, &word);

		if (r < 0)
			return r;
		ret_mac[2 * i] = (uint8_t)word;
		ret_mac[2 * i + 1] = (uint8_t)(word >> 8);
	}
	if ((nic_read(nic, REG_STATUS) & STATUS_FUNC_MASK) >> STATUS_FUNC_SHIFT == 1)
		ret_mac[5] ^= 1;
	return 0;
}

/* The NVM load puts the address into receive address 0 with the valid bit set [SDM-8254x 13.5.3]. */
int nic_read_address(struct nic *nic, struct error *err)
{
	uint32_t low = nic_read(nic, REG_RAL0), high = nic_read(nic, REG_RAH0);
	uint8_t *mac = nic->filter.mac;
	int r;

	if (low == UINT32_MAX && high == UINT32_MAX)
		return error_set(err, -ENODEV, "%s: registers read all ones: the device does not answer",
				 nic->bus->name);
	for (unsigned i = 0; i < 4; i++)
		mac[i] = (uint8_t)(low >> (8 * i));
	mac[4] = (uint8_t)high;
	mac[5] = (uint8_t)(high >> 8);
	if ((high & RAH_AV) && address_is_valid(mac))
		return 0;
	r = address_from_nvm(nic, mac);
	if (r < 0)
		return error_sys(err, r,
				 "%s: receive address 0 holds no valid MAC (RAL0 %08x RAH0 %08x) and the NVM "
				 "does not answer", nic->bus->name, low, high);
	if (!address_is_valid(mac))
		return error_set(err, -EIO,
				 "%s: neither receive address 0 nor the NVM holds a valid MAC (RAL0 %08x "
				 "RAH0 %08x)", nic->bus->name, low, high);
	return 0;
}
