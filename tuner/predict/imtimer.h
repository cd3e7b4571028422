/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moderation by a hardware timer, as DragonFly's nfe(4) does it [hardware notes 2.7]: causes in,
 * interrupts out, time explicit. 0: every cause interrupts. +Y: the chip's periodic timer alone, every
 * Y us. -Y: causes while quiet, the timer while interrupts average more than 1 000 000/Y a second.
 */
#ifndef MODERATO_TUNER_PREDICT_IMTIMER_H
#define MODERATO_TUNER_PREDICT_IMTIMER_H

#include <stdbool.h>
#include <stdint.h>

struct imtimer {
	bool dynamic;	   /* -Y */
	bool by_timer;	   /* only the timer is unmasked */
	bool masked;	   /* the handler runs */
	bool cause;	   /* a frame came or went */
	bool ticked;	   /* the timer ran out while the handler ran */
	uint64_t period_ns; /* of the timer, 0: none */
	uint64_t timer_ns; /* its next tick */
	uint64_t raise_ns; /* TIME_NEVER: nothing due */
	/* The rate that decides between the two, looked at once a second. */
	uint64_t look_ns, rate_limit, count, average;
};

/** imtimer_init() - @us as the tunable: 0, +Y or -Y; |Y| below 11 rounds to no timer. */
void imtimer_init(struct imtimer *t, int us, uint64_t now_ns);
/** imtimer_cause() - a frame arrived or left at @now_ns. */
void imtimer_cause(struct imtimer *t, uint64_t now_ns);
/** imtimer_next() - when imtimer_step() is due. */
uint64_t imtimer_next(const struct imtimer *t);
/** imtimer_step() - do what is due at imtimer_next(). Return: true when an interrupt is raised. */
bool imtimer_step(struct imtimer *t);
/** imtimer_mask() - the handler begins: causes are acknowledged, nothing is raised. */
void imtimer_mask(struct imtimer *t);
/** imtimer_unmask() - the handler ends. */
void imtimer_unmask(struct imtimer *t, uint64_t now_ns);

#endif
