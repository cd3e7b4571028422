/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two halves of the moderation core, timing and registers, share. */
#ifndef MODERATO_DRIVER_SIM_SIM_MODERATION_INTERNAL_H
#define MODERATO_DRIVER_SIM_SIM_MODERATION_INTERNAL_H

#include "driver/sim/sim_moderation.h"

/** moderation_cause_mask() - the bits that ICR, ICS, IMS and IMC have on this family. */
uint32_t moderation_cause_mask(const struct sim_moderation *m);
/** moderation_set_causes() - set bits of ICR; a message is formed where one is unmasked. */
void moderation_set_causes(struct sim_moderation *m, uint32_t causes, uint64_t now_ns);
/** moderation_update() - ICR, IMS or the routing changed: form or withdraw messages. */
void moderation_update(struct sim_moderation *m, uint64_t now_ns);
/** moderation_route() - which causes each vector stands for, from mode and IVAR. */
void moderation_route(struct sim_moderation *m);
/** moderation_expire_rx(), moderation_expire_tx() - stop the delay timers of that direction and set
 * its cause. */
void moderation_expire_rx(struct sim_moderation *m, uint32_t more_causes, uint64_t now_ns);
void moderation_expire_tx(struct sim_moderation *m, uint64_t now_ns);
/** moderation_find_next() - a deadline changed. */
void moderation_find_next(struct sim_moderation *m);

#endif
