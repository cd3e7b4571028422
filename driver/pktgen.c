/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet generator and counter on the driver's own rings: rates without a TCP stack. */
#include "driver/pktgen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/util.h"

#define PKTGEN_FRAMES	  64   /* identical frames, so that one buffer is not read over and over */
#define PKTGEN_SLOT_BYTES 2048
_Static_assert(PKTGEN_FRAMES * PKTGEN_SLOT_BYTES <= NIC_SCRATCH_BYTES, "templates fit the scratch memory");
#define PKTGEN_RETRY_NS	  (20 * NS_PER_US) /* ring full and no completion interrupt yet */

struct pktgen {
	struct nic *nic;
	struct pktgen_options options;
	struct pktgen_stats stats;
	struct dma_mem mem;
	uint64_t iova[PKTGEN_FRAMES];
};

/* UDP to the discard port (RFC 863) at a broadcast-free test address. */
static void pktgen_fill(uint8_t *frame, uint32_t len, const uint8_t mac[6])
{
	static const uint8_t dst[6] = {0x02, 0, 0, 0, 0, 0xfe};
	static const uint8_t ip[20] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0,
				       0,    198, 18, 0, 1, 198, 18, 0, 2};
	uint32_t ip_len = len - 14, udp_len = ip_len - 20;
	uint16_t sum;

	memcpy(frame, dst, 6);
	memcpy(frame + 6, mac, 6);
	frame[12] = 0x08;
	frame[13] = 0x00;
	memcpy(frame + 14, ip, sizeof(ip));
	frame[16] = (uint8_t)(ip_len >> 8);
	frame[17] = (uint8_t)ip_len;
	sum = (uint16_t)~csum_fold(csum_partial(frame + 14, 20, 0));
	memcpy(frame + 24, &sum, 2);
	frame[34] = 0;
	frame[35] = 9;
	frame[36] = 0;
	frame[37] = 9;
	frame[38] = (uint8_t)(udp_len >> 8);
	frame[39] = (uint8_t)udp_len;
}

static int pktgen_check(const struct pktgen_options *options, struct error *err)
{
	if (options->frame_bytes < 64 || options->frame_bytes > 1518)
		return error_usage(err, "frame_bytes %u: 64 to 1518", options->frame_bytes);
	if (options->burst < 1 || options->burst > PKTGEN_FRAMES)
		return error_usage(err, "burst %u: 1 to %u", options->burst, PKTGEN_FRAMES);
	if (!(options->rate_pps >= 0 && options->rate_pps <= 2e7))
		return error_usage(err, "rate_pps %g: 0 (no limit) to 20000000", options->rate_pps);
	return 0;
}

int pktgen_start(struct nic *nic, const struct pktgen_options *options, uint64_t now_ns,
		 struct pktgen **ret_pktgen, struct error *err)
{
	struct bus *bus = nic_bus(nic);
	struct pktgen *pktgen;
	int r = pktgen_check(options, err);

	if (r < 0)
		return r;
	if (nic_state(nic) != NIC_RUNNING)
		return error_set(err, -ENETDOWN, "%s: the device is %s, not running", bus->name,
				 nic_state_name(nic_state(nic)));
	pktgen = calloc(1, sizeof(*pktgen));
	if (!pktgen)
		return error_set(err, -ENOMEM, "pktgen: out of memory");
	r = nic_scratch(nic, &pktgen->mem, err);
	if (r < 0) {
		free(pktgen);
		return r;
	}
	pktgen->nic = nic;
	pktgen->options = *options;
	pktgen->stats.running = true;
	pktgen->stats.start_ns = now_ns;
	for (unsigned i = 0; i < PKTGEN_FRAMES; i++) {
		pktgen->iova[i] = pktgen->mem.iova + i * PKTGEN_SLOT_BYTES;
		pktgen_fill((uint8_t *)pktgen->mem.va + i * PKTGEN_SLOT_BYTES, options->frame_bytes - 4,
			    nic_mac(nic));
	}
	*ret_pktgen = pktgen;
	return 0;
}

void pktgen_stop(struct pktgen *pktgen, uint64_t now_ns, struct pktgen_stats *ret_stats)
{
	if (pktgen->stats.running)
		pktgen->stats.end_ns = now_ns;
	pktgen->stats.running = false;
	*ret_stats = pktgen->stats;
	free(pktgen);
}

void pktgen_stats(const struct pktgen *pktgen, struct pktgen_stats *ret_stats)
{
	*ret_stats = pktgen->stats;
}

/* How many frames the schedule allows by now: frame k is due at start + k / rate. */
static uint64_t pktgen_due(const struct pktgen *pktgen, uint64_t now_ns)
{
	const struct pktgen_options *o = &pktgen->options;
	uint64_t limit = o->count ? o->count : UINT64_MAX;
	double elapsed_s = (double)(now_ns - pktgen->stats.start_ns) / 1e9;

	if (o->rate_pps == 0)
		return limit;
	return MIN(limit, (uint64_t)(elapsed_s * o->rate_pps) + 1);
}

static uint64_t pktgen_deadline(const struct pktgen *pktgen, bool full, uint64_t now_ns)
{
	const struct pktgen_options *o = &pktgen->options;

	if (full || o->rate_pps == 0)
		return now_ns + PKTGEN_RETRY_NS;
	return pktgen->stats.start_ns + (uint64_t)((double)pktgen->stats.sent / o->rate_pps * 1e9);
}

uint64_t pktgen_run(struct pktgen *pktgen, uint64_t now_ns)
{
	const uint32_t len = pktgen->options.frame_bytes - 4; /* the chip adds the FCS */
	uint64_t due;
	unsigned queued = 0;
	bool full = false;

	if (!pktgen->options.transmit || !pktgen->stats.running || nic_state(pktgen->nic) != NIC_RUNNING)
		return TIME_NEVER;
	due = pktgen_due(pktgen, now_ns);
	(void)nic_tx_reap(pktgen->nic);
	while (pktgen->stats.sent < due && queued < 256) {
		if (nic_tx_post(pktgen->nic, pktgen->iova[pktgen->stats.sent % PKTGEN_FRAMES], len) < 0) {
			pktgen->stats.ring_full++;
			full = true;
			break;
		}
		pktgen->stats.sent++;
		if (++queued % pktgen->options.burst == 0)
			nic_tx_kick(pktgen->nic, now_ns);
	}
	nic_tx_kick(pktgen->nic, now_ns);
	if (pktgen->options.count && pktgen->stats.sent >= pktgen->options.count) {
		pktgen->stats.running = false;
		pktgen->stats.end_ns = now_ns;
		return TIME_NEVER;
	}
	return pktgen_deadline(pktgen, full, now_ns);
}

bool pktgen_counts_rx(const struct pktgen *pktgen)
{
	return pktgen->options.count_rx;
}

void pktgen_received(struct pktgen *pktgen, unsigned frames)
{
	pktgen->stats.received += frames;
}
