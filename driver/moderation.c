/* SPDX-License-Identifier: BSD-2-Clause */
/* Moderation settings to registers and back: the only code that writes a moderation register. */
#include "driver/nic_private.h"

#include <errno.h>

#include "common/util.h"

/* The chip must not be given TIDV 0 [SDM-8254x 13.4.41]: 1 is written and IDE stays out of the
 * descriptors, so that completions interrupt at once. */
static uint32_t moderation_raw(enum knob_id id, uint32_t value)
{
	return id == KNOB_TIDV && value == 0 ? 1 : value;
}

static bool moderation_is_register(const struct nic *nic, const struct settings *settings,
				   enum knob_id id)
{
	return settings_has(settings, id) && chip_has_knob(nic->chip, id) &&
	       knob_table[id].kind == KNOB_KIND_REGISTER;
}

/* QEMU's models act on TIDV but read it as 0; the manual has it readable [SDM-8254x 13.4.41]. Before
 * the rings run no value of it does anything. */
void moderation_probe(struct nic *nic)
{
	const uint32_t pattern = 0x55;

	if (!chip_has_knob(nic->chip, KNOB_TIDV))
		return;
	nic_write(nic, REG_TIDV, pattern);
	nic->tidv_blind = (nic_read(nic, REG_TIDV) & 0xffff) == 0;
}

static uint32_t moderation_read_one(struct nic *nic, enum knob_id id)
{
	if (id == KNOB_TIDV && nic->tidv_blind)
		return moderation_raw(id, nic->requested.value[id]);
	return nic_read(nic, knob_table[id].reg) & 0xffff;
}

void moderation_write(struct nic *nic, const struct settings *settings)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (moderation_is_register(nic, settings, id))
			nic_write(nic, knob_table[id].reg, moderation_raw(id, settings->value[id]));
	if (settings_has(settings, KNOB_TIDV))
		nic->tx.ide = settings->value[KNOB_TIDV] != 0;
}

void moderation_read(struct nic *nic, struct settings *ret_settings)
{
	*ret_settings = nic->requested;
	for (unsigned id = 0; id < KNOB_COUNT; id++)
		if (moderation_is_register(nic, &nic->requested, id))
			settings_put(ret_settings, id, moderation_read_one(nic, id));
}

int moderation_verify(struct nic *nic, const struct settings *settings, struct error *err)
{
	for (unsigned id = 0; id < KNOB_COUNT; id++) {
		const struct knob *knob = &knob_table[id];
		uint32_t want, got;

		if (!moderation_is_register(nic, settings, id) || (id == KNOB_TIDV && nic->tidv_blind))
			continue;
		want = moderation_raw(id, settings->value[id]);
		got = nic_read(nic, knob->reg) & 0xffff;
		if (got != want)
			return error_set(err, -EIO, "%s: wrote %u, read back %u", knob->name, want, got);
	}
	return 0;
}
