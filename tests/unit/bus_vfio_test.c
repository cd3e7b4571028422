/* SPDX-License-Identifier: BSD-2-Clause */
/* The VFIO backend on a pretend kernel: sentences, failure of every call, interrupts, memory. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "common/util.h"
#include "driver/bus_vfio.h"
#include "driver/bus_vfio_private.h"
#include "driver/nic.h"
#include "tests/lib/fake_vfio.h"
#include "tests/lib/fake_vfio_life.h"

#define ADDRESS "0000:03:00.0"

static struct bus *open_on(struct fake_vfio *fake)
{
	struct error err = {0};
	struct bus *bus = NULL;

	if (bus_vfio_open_on(&fake->sys, "03:00.0", &bus, &err) < 0)
		fail_msg("%s", err.text);
	return bus;
}

static void expect_refusal(struct fake_vfio *fake, const char *address, int code, const char *part)
{
	struct error err = {0};
	struct bus *bus = NULL;

	assert_int_equal(bus_vfio_open_on(&fake->sys, address, &bus, &err), code);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" lacks \"%s\"", err.text, part);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	assert_int_equal(fake->order_errors, 0);
}

static void opened_device_is_quiet_mapped_and_reset_without_mastering(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);

	assert_string_equal(bus->name, ADDRESS);
	assert_string_equal(bus->chip->name, "82574L");
	assert_false(fake->config[PCI_COMMAND] & PCI_COMMAND_MASTER);
	assert_true(fake->config[PCI_COMMAND] & PCI_COMMAND_MEMORY);
	assert_int_equal(fake->resets, 1);
	assert_false(fake->master_at_reset);
	assert_ptr_equal(bus->mmio, fake->bar);
	assert_true(fake->notice_on[VFIO_PCI_REQ_IRQ_INDEX] && fake->notice_on[VFIO_PCI_ERR_IRQ_INDEX]);
	assert_true(bus->request_fd >= 0 && bus->error_fd >= 0);
	assert_int_equal(fake->config[0xe0 + PCI_EXP_LNKCTL], 0); /* the 82574's L0s and L1 are off */
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	assert_int_equal(fake->order_errors, 0);
	fake_vfio_free(fake);
}

static void every_refusal_says_what_to_do(void **state)
{
	struct fake_vfio *f = fake_vfio_new();

	expect_refusal(f, "3:0.0", -EINVAL, "not a PCI address");
	expect_refusal(f, ADDRESS ",vfio=iommu", -EINVAL, "unknown option \"vfio=iommu\"");
	expect_refusal(f, ADDRESS ",rdtr=1", -EINVAL, "there are vfio=group and vfio=iommufd");
	expect_refusal(f, "0000:09:00.0", -ENODEV, "no such PCI device");
	fake_vfio_device(f, "0000:00:1f.2", 0x8086, 0x2922, 0x010601, NULL, 3);
	expect_refusal(f, "0000:00:1f.2", -EINVAL, "not an Ethernet controller");
	fake_vfio_device(f, "0000:04:00.0", 0x10ec, 0x8168, 0x020000, NULL, 3);
	expect_refusal(f, "0000:04:00.0", -EOPNOTSUPP, "10ec:8168 is not one that this driver knows");
	fake_vfio_device(f, "0000:00:19.0", 0x8086, 0x1502, 0x020000, NULL, 3);
	expect_refusal(f, "0000:00:19.0", -EOPNOTSUPP, "82579LM is recognised but not driven: it is part of a chipset");

	f->container_error = -ENOENT;
	expect_refusal(f, ADDRESS, -ENOENT, "modprobe vfio-pci");
	f->container_error = 0;
	f->no_type1 = true;
	expect_refusal(f, ADDRESS, -EOPNOTSUPP, "vfio_iommu_type1");
	f->no_type1 = false;
	f->group_error = -EBUSY;
	expect_refusal(f, ADDRESS, -EBUSY, "/dev/vfio/14 is in use by another process");
	fake_vfio_process(f, 4711, "qemu-system-x86", "/dev/vfio/14");
	expect_refusal(f, ADDRESS, -EBUSY, "/dev/vfio/14 is in use by process 4711 (qemu-system-x86)");
	f->group_error = -EACCES;
	expect_refusal(f, ADDRESS, -EACCES, "/dev/vfio/14: chown it to this user");
	f->group_error = 0;
	f->iommu_error = -EPERM;
	expect_refusal(f, ADDRESS, -EPERM, "allow_unsafe_interrupts");
	f->iommu_error = 0;
	fake_vfio_device(f, ADDRESS, 0x8086, 0x10D3, 0x020000, "e1000e", 14);
	expect_refusal(f, ADDRESS, -EBUSY, "e1000e drives it: moderato bind 0000:03:00.0");
	fake_vfio_device(f, ADDRESS, 0x8086, 0x10D3, 0x020000, NULL, 14);
	expect_refusal(f, ADDRESS, -ENODEV, "no driver is bound");
	fake_vfio_device(f, ADDRESS, 0x8086, 0x10D3, 0x020000, "vfio-pci", -1);
	expect_refusal(f, ADDRESS, -ENODEV, "no IOMMU group");
	fake_vfio_free(f);
}

static void group_that_is_not_viable_names_members_and_drivers_but_no_bridge(void **state)
{
	struct fake_vfio *f = fake_vfio_new();
	struct error err = {0};
	struct bus *bus;

	f->not_viable = true;
	fake_vfio_device(f, "0000:02:00.0", 0x8086, 0x1234, 0x060400, "pcieport", 14);
	fake_vfio_device(f, "0000:03:00.1", 0x8086, 0x10D3, 0x020000, "e1000e", 14);
	fake_vfio_device(f, "0000:03:00.2", 0x8086, 0x10D3, 0x020000, NULL, 14);
	assert_int_equal(bus_vfio_open_on(&f->sys, ADDRESS, &bus, &err), -EPERM);
	assert_non_null(strstr(err.text, "0000:03:00.1 (e1000e);"));
	assert_null(strstr(err.text, "pcieport"));
	assert_null(strstr(err.text, "03:00.2"));
	assert_non_null(strstr(err.text, "moderato bind --group 0000:03:00.0"));
	assert_int_equal(fake_vfio_leaks(f), 0);
	fake_vfio_free(f);
}

static void nothing_leaks_and_nothing_sticks_whichever_call_fails(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();

	fake_vfio_fail_each_call(fake, ADDRESS);
	fake_vfio_free(fake);
}

static void modes_are_switched_by_taking_the_old_one_away(void **state)
{
	static const struct {
		enum intmode mode;
		unsigned count;
		int index;
	} steps[] = {
		{INTMODE_INTX, 1, VFIO_PCI_INTX_IRQ_INDEX}, {INTMODE_MSIX, 3, VFIO_PCI_MSIX_IRQ_INDEX},
		{INTMODE_MSI, 1, VFIO_PCI_MSI_IRQ_INDEX},   {INTMODE_MSIX, 5, VFIO_PCI_MSIX_IRQ_INDEX},
		{INTMODE_INTX, 1, VFIO_PCI_INTX_IRQ_INDEX},
	};
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct error err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (bus->ops->irq_enable(bus, steps[i].mode, steps[i].count, &err) < 0)
			fail_msg("step %zu: %s", i, err.text);
		assert_int_equal(fake->irq_mode, steps[i].index);
		assert_int_equal(bus->irq_count, steps[i].count);
	}
	bus->ops->irq_unmask(bus);
	assert_int_equal(fake->unmasks, 1);
	bus->ops->irq_disable(bus);
	assert_int_equal(fake->irq_mode, -1);
	bus->ops->irq_unmask(bus);
	assert_int_equal(fake->unmasks, 1);
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

static void fewer_vectors_than_asked_for_is_a_failure_that_names_the_next_mode(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct error err = {0};
	struct bus *bus;

	fake->irq_grant = 2;
	bus = open_on(fake);
	assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSIX, 3, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "msix needs 3 vectors and 2 can be had: choose intmode=msi"));
	assert_int_equal(bus->irq_count, 0);
	assert_int_equal(fake->irq_mode, -1);
	bus_close(bus);

	fake->irq_count[VFIO_PCI_MSI_IRQ_INDEX] = 0;
	bus = open_on(fake);
	assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSIX, 3, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "choose intmode=intx"));
	assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSI, 1, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "msi needs 1 vectors and 0 can be had"));
	fake->irq_grant = 0;
	assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSIX, 3, &err), 0);
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

/* By eventfd where the kernel takes one, by ioctl where it does not or where the write fails. */
static void intx_is_unmasked_by_eventfd_or_ioctl(void **state)
{
	for (unsigned by_ioctl = 0; by_ioctl < 2; by_ioctl++) {
		struct fake_vfio *fake = fake_vfio_new();
		struct bus *bus;

		fake->no_unmask_fd = by_ioctl;
		bus = open_on(fake);
		assert_int_equal(bus->ops->irq_enable(bus, INTMODE_INTX, 1, NULL), 0);
		assert_int_equal(fake->unmask_fd >= 0, !by_ioctl);
		for (unsigned i = 1; i <= 3; i++) {
			assert_true(fake_vfio_interrupt(fake));
			assert_false(fake_vfio_interrupt(fake)); /* masked until the driver is done */
			bus->ops->irq_unmask(bus);
			assert_int_equal(fake->unmasks, i);
		}
		assert_true(fake_vfio_interrupt(fake));
		fake->fail_at = 1; /* the write to the eventfd; without one, nothing helps */
		bus->ops->irq_unmask(bus);
		assert_int_equal(fake->intx_masked, by_ioctl);
		fake->fail_at = 0;
		assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSI, 1, NULL), 0);
		assert_int_equal(fake->unmask_fd, -1);
		bus_close(bus);
		assert_int_equal(fake_vfio_leaks(fake), 0);
		fake_vfio_free(fake);
	}
}

/* After a bus error not one call goes to the device: all is left to the kernel's closing. */
static void a_frozen_device_is_closed_untouched(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct error err = {0};
	struct bus *bus = open_on(fake);
	struct dma_mem mem;
	unsigned calls;

	assert_int_equal(bus->ops->dma_alloc(bus, 4096, &mem, NULL), 0);
	assert_int_equal(bus->ops->irq_enable(bus, INTMODE_MSIX, 3, NULL), 0);
	assert_int_equal(bus->ops->set_master(bus, true, NULL), 0);
	bus->dead = bus->frozen = true;
	calls = fake->device_calls;
	assert_int_equal(bus->ops->set_master(bus, true, &err), -EIO);
	bus_close(bus);
	assert_int_equal(fake->device_calls, calls);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

static void registers_without_a_mapping_go_through_the_descriptor(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus;

	fake->no_mmap = true;
	bus = open_on(fake);
	assert_null(bus->mmio);
	bus_write32(bus, REG_ITR, 488);
	assert_int_equal(fake->regs[REG_ITR / 4], 488);
	assert_int_equal(bus_read32(bus, REG_ITR), 488);
	assert_int_equal(bus->ops->write_io(bus, REG_CTRL, CTRL_RST), -ENODEV);
	bus_close(bus);

	fake->io_bar = true;
	bus = open_on(fake);
	assert_int_equal(bus->ops->write_io(bus, REG_RCTL, 7), 0);
	assert_int_equal(fake->io_written[0], REG_RCTL);
	assert_int_equal(fake->io_written[1], 7);
	bus_close(bus);
	fake_vfio_free(fake);
}

/* A list of parts that may be mapped: all the registers must be in one. */
static void registers_are_mapped_only_where_the_kernel_lists_them(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus;

	fake->mappable = REG_SPACE_BYTES;
	bus = open_on(fake);
	assert_non_null(bus->mmio);
	bus_close(bus);
	fake->mappable = REG_SPACE_BYTES - 4096;
	bus = open_on(fake);
	assert_null(bus->mmio);
	bus_write32(bus, REG_ITR, 488);
	assert_int_equal(fake->regs[REG_ITR / 4], 488);
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

/* The page of the registers goes away under the driver, as after an unplug. */
static void register_access_that_faults_marks_the_device_dead(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	FILE *empty = tmpfile();

	assert_non_null(empty);
	assert_ptr_equal(mmap((void *)(uintptr_t)bus->mmio, REG_SPACE_BYTES, PROT_READ | PROT_WRITE,
				 MAP_FIXED | MAP_SHARED, fileno(empty), 0),
		(void *)(uintptr_t)bus->mmio);
	assert_false(bus->dead);
	assert_int_equal(bus_read32(bus, REG_STATUS), UINT32_MAX);
	assert_true(bus->dead);
	bus_write32(bus, REG_CTRL, 0);
	(void)fclose(empty);
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opened_device_is_quiet_mapped_and_reset_without_mastering),
		cmocka_unit_test(every_refusal_says_what_to_do),
		cmocka_unit_test(group_that_is_not_viable_names_members_and_drivers_but_no_bridge),
		cmocka_unit_test(nothing_leaks_and_nothing_sticks_whichever_call_fails),
		cmocka_unit_test(modes_are_switched_by_taking_the_old_one_away),
		cmocka_unit_test(fewer_vectors_than_asked_for_is_a_failure_that_names_the_next_mode),
		cmocka_unit_test(intx_is_unmasked_by_eventfd_or_ioctl),
		cmocka_unit_test(a_frozen_device_is_closed_untouched),
		cmocka_unit_test(registers_without_a_mapping_go_through_the_descriptor),
		cmocka_unit_test(registers_are_mapped_only_where_the_kernel_lists_them),
		cmocka_unit_test(register_access_that_faults_marks_the_device_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
