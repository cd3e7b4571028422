/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the VFIO backend: bounds known beforehand, guard pages, device addresses. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/clock.h"
#include "driver/bus_vfio.h"
#include "driver/bus_vfio_private.h"
#include "driver/nic.h"
#include "tests/lib/fake_vfio.h"

#define ADDRESS "0000:03:00.0"

static struct bus *open_on(struct fake_vfio *fake)
{
	struct error err = {0};
	struct bus *bus = NULL;

	if (bus_vfio_open_on(&fake->sys, ADDRESS, &bus, &err) < 0)
		fail_msg("%s", err.text);
	return bus;
}

static void close_clean(struct fake_vfio *fake, struct bus *bus)
{
	bus_close(bus);
	assert_int_equal(fake_vfio_leaks(fake), 0);
	fake_vfio_free(fake);
}

/* --- bounds --- */

static void limit_on_locked_memory_is_known_before_anything_is_mapped(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct error err = {0};
	struct dma_mem mem;
	unsigned calls;

	fake->memlock = 2 << 20;
	assert_int_equal(bus->ops->dma_alloc(bus, 1 << 20, &mem, &err), 0);
	calls = fake->calls;
	assert_int_equal(bus->ops->dma_alloc(bus, 8 << 20, &mem, &err), -ENOMEM);
	assert_int_equal(fake->calls, calls);
	assert_non_null(strstr(err.text, "at least 9216 KiB are needed"));
	assert_non_null(strstr(err.text, "RLIMIT_MEMLOCK allows 2048 KiB"));
	assert_non_null(strstr(err.text, "prlimit --memlock=9437184 --pid $$"));
	close_clean(fake, bus);
}

/* Others may have used it up: the kernel has the last word. */
static void limit_that_the_kernel_finds_has_the_same_sentence(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct error err = {0};
	struct dma_mem mem;

	fake->map_error = -ENOMEM;
	assert_int_equal(bus->ops->dma_alloc(bus, 8 << 20, &mem, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "at least 8192 KiB are needed"));
	assert_int_equal(bus->dma_bytes, 0);
	close_clean(fake, bus);
}

static void one_daemon_s_total_is_bounded_and_counted(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct error err = {0};
	struct dma_mem mem[2];

	assert_int_equal(bus->dma_limit, VFIO_DMA_LIMIT);
	assert_int_equal(bus->ops->dma_alloc(bus, VFIO_DMA_LIMIT - 4096, &mem[0], &err), 0);
	assert_int_equal(bus->dma_bytes, fake_vfio_mapped(fake));
	assert_int_equal(bus->ops->dma_alloc(bus, 4097, &mem[1], &err), -ENOSPC);
	assert_non_null(strstr(err.text, "over the 81920 KiB"));
	assert_int_equal(bus->ops->dma_alloc(bus, 4096, &mem[1], &err), 0);
	bus->ops->dma_free(bus, &mem[0]);
	assert_int_equal(bus->dma_bytes, 4096);
	assert_int_equal(fake->mapped_most, VFIO_DMA_LIMIT);
	close_clean(fake, bus);
}

static void the_longest_rings_of_the_largest_frames_fit_into_the_bound(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct settings most = {0};
	struct error err = {0};
	struct nic *nic;

	bus->mmio[REG_RAL0 / 4] = 2;
	bus->mmio[REG_RAH0 / 4] = RAH_AV | 1;
	assert_int_equal(nic_open(bus, NULL, NULL, &nic, &err), 0);
	assert_int_equal(nic_set_mtu(nic, bus->chip->max_frame - 22, &err), 0);
	settings_put(&most, KNOB_RX_RING, bus->chip->ring_max);
	settings_put(&most, KNOB_TX_RING, bus->chip->ring_max);
	if (nic_start(nic, &most, 0, &err) < 0)
		fail_msg("%s", err.text);
	nic_close(nic);
	close_clean(fake, bus);
}

/* The ring that runs is not given up for one that cannot be had. */
static void restart_with_too_large_a_ring_changes_nothing(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct settings larger = {0};
	struct error err = {0};
	struct bus *bus;
	struct nic *nic;
	uint32_t ring;

	fake->memlock = 4 << 20;
	bus = open_on(fake);
	bus->mmio[REG_RAL0 / 4] = 2;
	bus->mmio[REG_RAH0 / 4] = RAH_AV | 1;
	assert_int_equal(nic_open(bus, NULL, NULL, &nic, &err), 0);
	ring = nic_requested(nic)->value[KNOB_RX_RING];
	settings_put(&larger, KNOB_RX_RING, 4096);
	bus->mmio[REG_RCTL / 4] = RCTL_EN;
	assert_int_equal(nic_start(nic, &larger, 0, &err), -ENOMEM);
	assert_int_equal(nic_requested(nic)->value[KNOB_RX_RING], ring);
	assert_int_equal(bus->mmio[REG_RCTL / 4], RCTL_EN);
	assert_int_equal(nic_state(nic), NIC_STOPPED);
	assert_non_null(strstr(err.text, "RLIMIT_MEMLOCK allows 4096 KiB"));
	assert_int_equal(nic_start(nic, NULL, 0, &err), 0);
	nic_close(nic);
	close_clean(fake, bus);
}

/* This process's own limit, as the kernel's operations see it. */
static void the_process_s_limit_is_what_setrlimit_set(void **state)
{
	struct rlimit before, limit;
	uint64_t seen;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &before), 0);
	limit = before;
	limit.rlim_cur = before.rlim_max == RLIM_INFINITY ? 1 << 20 : before.rlim_max / 2;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	seen = sys_kernel.ops->memlock_limit(sys_kernel.ctx);
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &before), 0);
	/* root with CAP_IPC_LOCK is exempt */
	assert_true(seen == limit.rlim_cur || (seen == UINT64_MAX && geteuid() == 0));
}

/* --- memory --- */

static int signal_of_a_touch(volatile char *at)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)signal(SIGSEGV, SIG_DFL);
		*at = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_step_over_either_end_faults(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct dma_mem mem;

	assert_int_equal(bus->ops->dma_alloc(bus, 10000, &mem, NULL), 0);
	assert_int_equal((uintptr_t)mem.va % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
	assert_int_equal(((char *)mem.va)[mem.size - 1], 0);
	assert_int_equal(signal_of_a_touch((char *)mem.va), 0);
	assert_int_equal(signal_of_a_touch((char *)mem.va + mem.size - 1), 0);
	assert_int_equal(signal_of_a_touch((char *)mem.va - 1), SIGSEGV);
	assert_int_equal(signal_of_a_touch((char *)mem.va + mem.size), SIGSEGV);
	close_clean(fake, bus);
}

static void memory_that_the_iommu_kept_is_not_given_back(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct dma_mem mem;
	unsigned before;

	assert_int_equal(bus->ops->dma_alloc(bus, 8192, &mem, NULL), 0);
	before = fake->mappings;
	fake->unmap_lie = 4096;
	bus->ops->dma_free(bus, &mem);
	assert_int_equal(fake->mappings, before);
	close_clean(fake, bus); /* which takes every mapping away */
}

/* A device that runs over the end of its memory must meet nothing. */
static void memory_lies_apart_for_the_device(void **state)
{
	struct fake_vfio *fake = fake_vfio_new();
	struct bus *bus = open_on(fake);
	struct dma_mem mem[4];

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(bus->ops->dma_alloc(bus, 4096u << 2 * i, &mem[i], NULL), 0);
		assert_int_equal(mem[i].iova % IOVA_GAP, 0);
		for (unsigned j = 0; j < i; j++)
			assert_true(mem[i].iova >= mem[j].iova + mem[j].size + 16384 ||
				    mem[j].iova >= mem[i].iova + mem[i].size + 16384);
	}
	close_clean(fake, bus);
}

/* --- device addresses --- */

static void addresses_start_at_1_mib_and_keep_a_gap_between(void **state)
{
	struct iova_space space = {0};
	uint64_t at;

	iova_default(&space);
	assert_true(iova_find(&space, 8192, &at));
	assert_int_equal(at, 0x100000);
	space.map[0] = (struct dma_mem){.va = &space, .iova = at, .size = 8192};
	assert_true(iova_find(&space, 4096, &at));
	assert_int_equal(at, 0x120000);
	space.map[0].size = IOVA_GAP + 1;
	assert_true(iova_find(&space, 4096, &at));
	assert_int_equal(at, 0x130000);
	assert_false(iova_find(&space, 0, &at));
}

static void addresses_avoid_the_msi_window_even_when_nobody_reports_it(void **state)
{
	struct iova_space space = {.range = {{0xfed00000, 0x1ffffffff}}, .range_count = 1};
	uint64_t at;

	assert_true(iova_find(&space, 0x200000, &at));
	assert_int_equal(at, 0xfef10000);
}

static void addresses_go_above_4_gib_only_when_there_is_no_room_below(void **state)
{
	struct iova_space space = {
		.range = {{0x100000000, 0x7fffffffff}, {0x200000, 0x2fffff}}, .range_count = 2};
	uint64_t at;

	assert_true(iova_find(&space, 0x100000, &at));
	assert_int_equal(at, 0x200000);
	assert_true(iova_find(&space, 0x101000, &at));
	assert_int_equal(at, 0x100000000);
	space.range_count = 0;
	assert_false(iova_find(&space, 4096, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_on_locked_memory_is_known_before_anything_is_mapped),
		cmocka_unit_test(limit_that_the_kernel_finds_has_the_same_sentence),
		cmocka_unit_test(one_daemon_s_total_is_bounded_and_counted),
		cmocka_unit_test(the_longest_rings_of_the_largest_frames_fit_into_the_bound),
		cmocka_unit_test(restart_with_too_large_a_ring_changes_nothing),
		cmocka_unit_test(the_process_s_limit_is_what_setrlimit_set),
		cmocka_unit_test(a_step_over_either_end_faults),
		cmocka_unit_test(memory_that_the_iommu_kept_is_not_given_back),
		cmocka_unit_test(memory_lies_apart_for_the_device),
		cmocka_unit_test(addresses_start_at_1_mib_and_keep_a_gap_between),
		cmocka_unit_test(addresses_avoid_the_msi_window_even_when_nobody_reports_it),
		cmocka_unit_test(addresses_go_above_4_gib_only_when_there_is_no_room_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
