/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer of nForce chips, which interrupts at its period: its unit, and a driver's arithmetic. */
#ifndef MODERATO_COMMON_CHIPS_NFORCE_H
#define MODERATO_COMMON_CHIPS_NFORCE_H

#include <stdint.h>

#define NFORCE_TICK_NS 10240 /* the register at 0x000C has 16 bits of these [DragonFly if_nfereg.h] */

/** nforce_ticks_of_us() - microseconds to ticks as DragonFly's nfe(4) computes them: below 11 us none. */
static inline uint32_t nforce_ticks_of_us(uint32_t us)
{
	return (uint32_t)((uint64_t)us * 100 / 1024 & 0xffff);
}

#endif
