/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time per packet of the ring and descriptor path: 64-byte frames received and sent again in batches
 * of 32 against the null device; the null device's own time by the same loop without the driver.
 */
#include <stdio.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/nic.h"
#include "tests/lib/daemon_child.h"
#include "tests/lib/null_bus.h"

#define BATCH	 32
#define FRAME	 60 /* 64 with FCS */
#define PACKETS	 (1u << 20)
#define ROUNDS	 9

/* Time stamp counter where there is one; ticks are converted by a calibration against the clock. */
static inline uint64_t ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return clock_now_ns();
#endif
}

static double ns_per_tick(void)
{
	uint64_t t0 = ticks(), n0 = clock_now_ns();

	while (clock_now_ns() - n0 < 50 * NS_PER_MS)
		;
	return (double)(clock_now_ns() - n0) / (double)(ticks() - t0);
}

static unsigned forward_batch(struct nic *nic)
{
	struct rx_frame frames[BATCH];
	unsigned n = nic_rx_burst(nic, frames, BATCH);

	for (unsigned i = 0; i < n; i++)
		(void)nic_tx_post(nic, frames[i].iova, frames[i].len);
	nic_tx_kick(nic, 0);
	return n;
}

/* Received and sent again; buffers go back to the receive ring once the send is reported done. */
static double run_driver(struct nic *nic, struct bus *bus)
{
	uint64_t start = ticks(), sent = 0;

	while (sent < PACKETS) {
		(void)null_bus_receive(bus, BATCH, FRAME);
		sent += forward_batch(nic);
		(void)null_bus_transmit(bus);
		(void)nic_tx_reap(nic);
		nic_rx_release(nic);
	}
	return (double)(ticks() - start) / (double)sent;
}

/* The null device alone: an empty driver that only moves the tails as the real one does. */
static double run_empty(struct bus *bus, uint32_t rx_size, uint32_t tx_size)
{
	uint32_t rdt = bus_read32(bus, REG_RDT), tdt = bus_read32(bus, REG_TDT);
	uint64_t start = ticks(), done = 0;

	while (done < PACKETS) {
		unsigned n = null_bus_receive(bus, BATCH, FRAME);

		tdt = (tdt + n) % tx_size;
		bus_write32(bus, REG_TDT, tdt);
		(void)null_bus_transmit(bus);
		rdt = (rdt + n) % rx_size;
		bus_write32(bus, REG_RDT, rdt);
		done += n;
	}
	return (double)(ticks() - start) / (double)done;
}

static int bring_up(const char *chip, struct bus **ret_bus, struct nic **ret_nic, struct error *err)
{
	struct settings settings = {0};
	uint64_t now = 0;
	int r = null_bus_open(chip, ret_bus, err);

	if (r == 0)
		r = nic_open(*ret_bus, NULL, NULL, ret_nic, err);
	if (r < 0)
		return r;
	settings_put(&settings, KNOB_RX_RING, 256);
	settings_put(&settings, KNOB_TX_RING, 256);
	settings_put(&settings, KNOB_INTMODE, INTMODE_INTX);
	r = nic_start(*ret_nic, &settings, now, err);
	for (unsigned i = 0; r == 0 && i < 100 && nic_state(*ret_nic) != NIC_RUNNING; i++)
		(void)nic_run(*ret_nic, now += 10 * NS_PER_MS);
	null_bus_arm(*ret_bus);
	return r;
}

int main(int argc, char **argv)
{
	const char *chip = argc > 1 ? argv[1] : "82574L";
	double driver[ROUNDS], empty[ROUNDS], scale = ns_per_tick(), d, e;
	struct error err = {0};
	struct bus *bus;
	struct nic *nic;
	char name[160];

	if (bring_up(chip, &bus, &nic, &err) < 0)
		return error_report(&err, "ring_bench");
	(void)run_driver(nic, bus);
	for (unsigned i = 0; i < ROUNDS; i++)
		driver[i] = run_driver(nic, bus);
	for (unsigned i = 0; i < ROUNDS; i++)
		empty[i] = run_empty(bus, 256, 256);
	d = figure_median(driver, ROUNDS) * scale;
	e = figure_median(empty, ROUNDS) * scale;
	(void)snprintf(name, sizeof(name),
		       "ring path %s, 64 B received and sent again, batch 32, null device included", chip);
	figure_print(name, d, "ns/packet", "<=60");
	(void)snprintf(name, sizeof(name), "null device alone %s, the same loop with an empty driver", chip);
	figure_print(name, e, "ns/packet", "-");
	(void)snprintf(name, sizeof(name), "ring path %s, time stamp counter cycles", chip);
	figure_print(name, d / scale, "cycles/packet", "-");
	nic_close(nic);
	bus->ops->close(bus);
	return 0;
}
