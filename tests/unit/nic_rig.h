/* SPDX-License-Identifier: BSD-2-Clause */
/* A driver on the null device, brought up with settings, for tests of the driver's core. */
#ifndef MODERATO_TESTS_UNIT_NIC_RIG_H
#define MODERATO_TESTS_UNIT_NIC_RIG_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/chips/desc.h"
#include "common/clock.h"
#include "common/util.h"
#include "driver/nic.h"
#include "tests/lib/null_bus.h"

struct fixture {
	struct bus *bus;
	struct nic *nic;
	uint64_t now;
	unsigned seen[16]; /* by event */
};

static inline void on_event(void *ctx, enum nic_event event, const char *detail)
{
	((struct fixture *)ctx)->seen[event]++;
}

static inline void run_for(struct fixture *f, uint64_t ns)
{
	uint64_t end = f->now + ns;

	while (f->now < end) {
		f->now += NS_PER_MS;
		(void)nic_run(f->nic, f->now);
	}
}

static inline void bring_up(struct fixture *f, const char *chip, const char *list)
{
	struct settings settings = {0};
	struct error err = {0};

	*f = (struct fixture){0};
	assert_int_equal(null_bus_open(chip, &f->bus, &err), 0);
	assert_int_equal(nic_open(f->bus, on_event, f, &f->nic, &err), 0);
	assert_int_equal(settings_parse_list(&settings, list, &err), 0);
	assert_int_equal(nic_start(f->nic, &settings, f->now, &err), 0);
	run_for(f, 100 * NS_PER_MS);
}

static inline void tear_down(struct fixture *f)
{
	nic_close(f->nic);
	f->bus->ops->close(f->bus);
}

#endif
