/* SPDX-License-Identifier: BSD-2-Clause */
/* The iommufd way of the VFIO backend on a pretend kernel: order, choice, failure of every call. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver/bus_vfio.h"
#include "driver/bus_vfio_private.h"
#include "tests/lib/fake_vfio.h"
#include "tests/lib/fake_vfio_life.h"

#define ADDRESS "0000:03:00.0"
#define ASKED	ADDRESS ",vfio=iommufd"

static struct fake_vfio *kernel_with_both(void)
{
	struct fake_vfio *fake = fake_vfio_new();

	fake_vfio_cdev(fake);
	return fake;
}

static struct bus *open_on(struct fake_vfio *fake, const char *device)
{
	struct error err = {0};
	struct bus *bus = NULL;

	if (bus_vfio_open_on(&fake->sys, device, &bus, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(fake->order_errors, 0);
	return bus;
}

static void close_clean(struct fake_vfio *fake, struct bus *bus)
{
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	assert_int_equal(fake->order_errors, 0);
}

static void the_group_is_taken_unless_iommufd_is_asked_for(void **state)
{
	struct fake_vfio *fake = kernel_with_both();
	struct bus *bus = open_on(fake, ADDRESS);

	assert_true(fake->attached);
	assert_false(fake->bound);
	close_clean(fake, bus);
	bus = open_on(fake, ASKED);
	assert_false(fake->attached);
	assert_true(fake->bound && fake->pt_attached);
	assert_string_equal(bus->name, ADDRESS);
	assert_string_equal(bus->opened_by, "iommufd");
	assert_int_equal(fake->resets, 2);
	assert_false(fake->config[PCI_COMMAND] & PCI_COMMAND_MASTER);
	close_clean(fake, bus);
	fake_vfio_free(fake);
}

static void iommufd_is_taken_where_there_are_no_groups(void **state)
{
	static const int missing[] = {-ENOENT, -ENODEV};
	struct fake_vfio *fake = kernel_with_both();
	struct error err = {0};
	struct bus *bus;

	for (unsigned i = 0; i < 2; i++) {
		fake->container_error = missing[i];
		bus = open_on(fake, ADDRESS);
		assert_true(fake->bound);
		close_clean(fake, bus);
	}
	fake->container_error = 0;
	fake->group_error = -ENOENT;
	bus = open_on(fake, ADDRESS);
	assert_true(fake->bound);
	close_clean(fake, bus);

	/* Debian 6.1 without its VFIO modules: no group, and no node either */
	struct fake_vfio *without = fake_vfio_new();

	fake_vfio_no_cdev(without);
	without->container_error = -ENOENT;
	assert_int_equal(bus_vfio_open_on(&without->sys, ADDRESS, &bus, &err), -ENOENT);
	assert_non_null(strstr(err.text, "modprobe vfio-pci"));
	fake_vfio_free(without);

	/* a refusal is no absence */
	fake->group_error = -EACCES;
	assert_int_equal(bus_vfio_open_on(&fake->sys, ADDRESS, &bus, &err), -EACCES);
	/* and who asks for the group gets its sentence */
	fake->container_error = -ENOENT;
	assert_int_equal(bus_vfio_open_on(&fake->sys, ADDRESS ",vfio=group", &bus, &err), -ENOENT);
	assert_non_null(strstr(err.text, "modprobe vfio-pci"));
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

static void expect_refusal(struct fake_vfio *fake, int code, const char *part)
{
	struct error err = {0};
	struct bus *bus;

	assert_int_equal(bus_vfio_open_on(&fake->sys, ASKED, &bus, &err), code);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" lacks \"%s\"", err.text, part);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	assert_int_equal(fake->order_errors, 0);
}

static void every_refusal_says_what_to_do(void **state)
{
	struct fake_vfio *f = fake_vfio_new();

	expect_refusal(f, -ENOENT, "CONFIG_VFIO_DEVICE_CDEV");
	fake_vfio_no_cdev(f);
	expect_refusal(f, -ENOENT, "CONFIG_VFIO_DEVICE_CDEV");
	fake_vfio_cdev(f);
	f->cdev_error = -EBUSY;
	fake_vfio_process(f, 4712, "dpdk-testpmd", "/dev/vfio/devices/vfio3");
	expect_refusal(f, -EBUSY, "/dev/vfio/devices/vfio3 is in use by process 4712 (dpdk-testpmd)");
	f->cdev_error = -EACCES;
	expect_refusal(f, -EACCES, "/dev/vfio/devices/vfio3: chown it to this user");
	f->cdev_error = 0;
	f->iommufd_error = -ENOENT;
	expect_refusal(f, -ENOENT, "modprobe iommufd");
	f->iommufd_error = 0;
	f->bind_error = -EPERM;
	expect_refusal(f, -EPERM, "/sys/module/iommufd/parameters/allow_unsafe_interrupts");
	f->bind_error = -EBUSY;
	fake_vfio_device(f, "0000:03:00.1", 0x8086, 0x10D3, 0x020000, "e1000e", 14);
	expect_refusal(f, -EPERM, "0000:03:00.1 (e1000e);");
	fake_vfio_free(f);
}

/* What a failing DETACH or DESTROY leaves, closing takes away. */
static void whichever_call_fails_all_is_undone(void **state)
{
	struct fake_vfio *fake = kernel_with_both();

	fake_vfio_fail_each_call(fake, ASKED);
	fake_vfio_free(fake);
}

static void memory_is_mapped_by_the_ranges_of_the_device_and_accounted(void **state)
{
	struct fake_vfio *fake = kernel_with_both();
	struct bus *bus = open_on(fake, ASKED);
	struct dma_mem mem[2];

	assert_int_equal(vfio_bus(bus)->iova.range_count, 2);
	assert_int_equal(vfio_bus(bus)->iova.range[1].last, 0x7fffffffff);
	assert_int_equal(bus->ops->dma_alloc(bus, 5000, &mem[0], NULL), 0);
	assert_int_equal(bus->ops->dma_alloc(bus, 1 << 20, &mem[1], NULL), 0);
	assert_int_equal(fake_vfio_mapped(fake), 8192 + (1 << 20));
	bus->ops->dma_free(bus, &mem[0]);
	assert_int_equal(fake_vfio_mapped(fake), 1 << 20);
	close_clean(fake, bus); /* takes what was not freed */

	fake->no_ranges = true;
	bus = open_on(fake, ASKED);
	assert_int_equal(vfio_bus(bus)->iova.range_count, 2); /* those of every 39-bit IOMMU */
	close_clean(fake, bus);
	fake_vfio_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_group_is_taken_unless_iommufd_is_asked_for),
		cmocka_unit_test(iommufd_is_taken_where_there_are_no_groups),
		cmocka_unit_test(every_refusal_says_what_to_do),
		cmocka_unit_test(whichever_call_fails_all_is_undone),
		cmocka_unit_test(memory_is_mapped_by_the_ranges_of_the_device_and_accounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
