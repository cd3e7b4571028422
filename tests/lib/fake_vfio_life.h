/* SPDX-License-Identifier: BSD-2-Clause */
/* A device's whole life on the pretend kernel, with each of its calls failing once; needs cmocka. */
#ifndef MODERATO_TESTS_LIB_FAKE_VFIO_LIFE_H
#define MODERATO_TESTS_LIB_FAKE_VFIO_LIFE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/bus_vfio.h"
#include "tests/lib/fake_vfio.h"

/** fake_vfio_whole_life() - open, map, arm, close: all that can fail. Return: as bus_vfio_open_on(). */
static inline int fake_vfio_whole_life(struct fake_vfio *fake, const char *device, struct error *err)
{
	struct dma_mem mem[2] = {{0}};
	struct bus *bus;
	int r;

	r = bus_vfio_open_on(&fake->sys, device, &bus, err);
	if (r < 0)
		return r;
	r = bus->ops->dma_alloc(bus, 4096, &mem[0], err);
	if (r == 0)
		r = bus->ops->dma_alloc(bus, 100000, &mem[1], err);
	if (r == 0)
		r = bus->ops->irq_enable(bus, INTMODE_INTX, 1, err);
	if (r == 0)
		r = bus->ops->irq_enable(bus, INTMODE_MSIX, 3, err);
	if (r == 0)
		r = bus->ops->set_master(bus, true, err);
	bus->ops->dma_free(bus, &mem[0]);
	bus_close(bus);
	return r;
}

/** fake_vfio_fail_each_call() - whichever call fails, there is a sentence, nothing is left, and the next life is
 * whole. */
static inline void fake_vfio_fail_each_call(struct fake_vfio *fake, const char *device)
{
	struct error err = {0};
	unsigned total, refused = 0;

	assert_int_equal(fake_vfio_whole_life(fake, device, &err), 0);
	total = fake->calls;
	for (unsigned n = 1; n <= total; n++) {
		err = (struct error){0};
		fake->fail_at = n;
		if (fake_vfio_whole_life(fake, device, &err) < 0) {
			refused++;
			assert_true(err.text[0]);
		}
		fake->fail_at = 0;
		if (fake_vfio_leaks(fake) || fake->order_errors)
			fail_msg("call %u: %u leaks, %u order errors", n, fake_vfio_leaks(fake),
				fake->order_errors);
		err = (struct error){0};
		if (fake_vfio_whole_life(fake, device, &err) < 0)
			fail_msg("after failure of call %u: %s", n, err.text);
	}
	assert_true(refused > total / 2);
}

#endif
