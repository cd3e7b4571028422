/* SPDX-License-Identifier: BSD-2-Clause */
/* Bus operations of the simulated device before its thread runs. */
#include "driver/sim/sim_bus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/mini_driver.h"

static void registers_answer_before_the_device_runs(void **state)
{
	struct mini_driver *f = *state;

	mini_open(f, "82574L");
	assert_string_equal(f->bus->name, "sim:82574L");
	assert_string_equal(f->bus->ops->scheme, "sim");
	assert_string_equal(f->bus->chip->name, "82574L");
	bus_write32(f->bus, REG_ITR, 500);
	assert_int_equal(bus_read32(f->bus, REG_ITR), 500);
	assert_int_equal(f->bus->ops->reset(f->bus, NULL), 0);
	assert_int_equal(bus_read32(f->bus, REG_ITR), 0);
	assert_int_equal(mini_counters(f)->device_cpu_ns, 0);
}

static void wrong_arguments_are_usage_errors(void **state)
{
	struct error err = {0};
	struct bus *bus = NULL;

	assert_true(sim_bus_open("82574Q", &bus, &err) < 0);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "82574L"));
	assert_true(sim_bus_open("82574L,speeed=10", &bus, &err) < 0);
	assert_true(err.usage);
	assert_null(bus);
}

static void memory_is_zeroed_and_has_addresses_of_its_own(void **state)
{
	static const uint8_t zeros[4096];
	struct dma_mem mem[16];
	struct mini_driver *f = *state;
	struct error err = {0};
	struct dma_mem more;

	mini_open(f, "82574L");
	for (unsigned i = 0; i < 16; i++) {
		mini_alloc(f, 5000, &mem[i]);
		assert_true(mem[i].size >= 5000);
		assert_int_equal((uintptr_t)mem[i].va % 4096, 0);
		assert_memory_equal(mem[i].va, zeros, sizeof(zeros));
		assert_true(mem[i].iova >= 0x100000 && mem[i].iova != (uintptr_t)mem[i].va);
		assert_true(i == 0 || mem[i].iova >= mem[i - 1].iova + mem[i - 1].size);
	}
	assert_true(f->bus->ops->dma_alloc(f->bus, 4096, &more, &err) < 0);
	assert_true(err.text[0]);
	for (unsigned i = 0; i < 16; i++)
		f->bus->ops->dma_free(f->bus, &mem[i]);
	assert_null(mem[0].va);
	f->bus->ops->dma_free(f->bus, &mem[0]);
	mini_alloc(f, 4096, &more);
	f->bus->ops->dma_free(f->bus, &more);
}

static void interrupt_modes_are_those_of_the_chip(void **state)
{
	struct mini_driver *f = *state;
	struct error err = {0};

	mini_open(f, "82545EM");
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSIX, 1, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "82545EM"));
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_INTX, 2, &err), -EINVAL);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_INTX, 1, &err), 0);
	assert_int_equal(f->bus->irq_count, 1);
	f->bus->ops->close(f->bus);
	mini_open(f, "82574L");
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSIX, 6, &err), -EINVAL);
	assert_int_equal(f->bus->ops->irq_enable(f->bus, INTMODE_MSIX, 5, &err), 0);
	assert_int_equal(f->bus->irq_count, 5);
	for (unsigned v = 0; v < 5; v++)
		assert_true(f->bus->irq_fd[v] >= 0);
	f->bus->ops->irq_disable(f->bus);
	assert_int_equal(f->bus->irq_count, 0);
	assert_int_equal(f->bus->irq_fd[0], -1);
}

static void impossible_cpu_is_told(void **state)
{
	struct mini_driver *f = *state;
	struct error err = {0};

	mini_open(f, "82574L");
	assert_true(f->bus->ops->sim->start(f->bus, 1000, &err) < 0);
	assert_non_null(strstr(err.text, "CPU 1000"));
	assert_int_equal(f->bus->ops->sim->start(f->bus, -1, &err), 0);
	assert_int_equal(f->bus->ops->sim->start(f->bus, -1, &err), -EBUSY);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mini_set_up, mini_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registers_answer_before_the_device_runs),
		TEST(wrong_arguments_are_usage_errors),
		TEST(memory_is_zeroed_and_has_addresses_of_its_own),
		TEST(interrupt_modes_are_those_of_the_chip),
		TEST(impossible_cpu_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
