/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transmit ring: bring-up, queueing, completion. Frames lie one behind the other in an arena of
 * device-visible memory; completions come back in order, so freeing is moving its tail.
 */
#include "driver/nic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/util.h"
#include "driver/nic_private.h"

/* A buffer stays inside one page of memory: pages that the IOMMU puts side by side need not be neighbours,
 * and emulators (QEMU: one mapping a descriptor) lose a frame that crosses from one to the other. */
#define TX_PAGE 4096u
#define TX_SMALL 2048u /* a frame of the usual MTU starts where it need not cross */
/* What a frame may take of the arena, its way to the next page included. */
#define TX_ROOM (NIC_TX_RESERVE + TX_PAGE)
/* The largest byte limit, twice since frames may fill half of each page, and two frames; in whole pages. */
#define TX_ARENA_BYTES ((2 * 1048576u + 2 * TX_ROOM + TX_PAGE - 1) & ~(TX_PAGE - 1))

/* At most: a context descriptor, and in each page that the data touches the pieces the chip can take. */
static uint32_t tx_descriptors_max(const struct chip *chip, uint32_t len)
{
	uint32_t pieces = (TX_PAGE + chip->tx_desc_bytes - 1) / chip->tx_desc_bytes;

	return 1 + (len / TX_PAGE + 2) * pieces;
}

void tx_free(struct nic *nic)
{
	struct tx_ring *tx = &nic->tx;
	bool ide = tx->ide;

	if (tx->mem.va)
		nic->bus->ops->dma_free(nic->bus, &tx->mem);
	if (tx->arena.va)
		nic->bus->ops->dma_free(nic->bus, &tx->arena);
	free(tx->slot);
	memset(tx, 0, sizeof(*tx));
	tx->ide = ide;
}

size_t tx_dma_bytes(const struct settings *settings)
{
	return ALIGN_UP(settings->value[KNOB_TX_RING] * sizeof(struct desc), (size_t)NIC_DMA_PAGE) +
	       TX_ARENA_BYTES;
}

int tx_alloc(struct nic *nic, struct error *err)
{
	struct tx_ring *tx = &nic->tx;
	uint32_t size = nic->requested.value[KNOB_TX_RING];
	int r;

	if (tx->mem.va && tx->size == size)
		return 0;
	tx_free(nic);
	tx->slot = calloc(size, sizeof(*tx->slot));
	if (!tx->slot)
		return error_set(err, -ENOMEM, "%s: out of memory", nic->bus->name);
	r = nic->bus->ops->dma_alloc(nic->bus, (size_t)size * sizeof(struct desc), &tx->mem, err);
	if (r == 0)
		r = nic->bus->ops->dma_alloc(nic->bus, TX_ARENA_BYTES, &tx->arena, err);
	if (r < 0) {
		tx_free(nic);
		return r;
	}
	tx->desc = tx->mem.va;
	tx->size = size;
	return 0;
}

void tx_start(struct nic *nic)
{
	struct tx_ring *tx = &nic->tx;
	uint32_t txdctl = TXDCTL_GRAN | 1u << TXDCTL_WTHRESH_SHIFT;

	tx->next = tx->clean = tx->tail = tx->frames = tx->bytes = 0;
	tx->arena_head = tx->arena_tail = 0;
	memset(tx->mem.va, 0, (size_t)tx->size * sizeof(struct desc));
	nic_write(nic, REG_TDBAL, (uint32_t)tx->mem.iova);
	nic_write(nic, REG_TDBAH, (uint32_t)(tx->mem.iova >> 32));
	nic_write(nic, REG_TDLEN, tx->size * (uint32_t)sizeof(struct desc));
	nic_write(nic, REG_TDH, 0);
	nic_write(nic, REG_TDT, 0);
	if (chip_has_quirk(nic->chip, QUIRK_TXDCTL_COUNT_DESC))
		txdctl |= TXDCTL_COUNT_DESC;
	nic_write(nic, REG_TXDCTL, txdctl);
	if (chip_has_quirk(nic->chip, QUIRK_TXDCTL_COUNT_DESC)) /* the unused second queue alike: erratum */
		nic_write(nic, REG_TXDCTL1, txdctl);
	nic_write(nic, REG_TIPG, 8 | 8u << 10 | 6u << 20); /* copper [hardware notes 1.1] */
	nic_write(nic, REG_TCTL,
		  TCTL_EN | TCTL_PSP | 15u << TCTL_CT_SHIFT | 0x40u << TCTL_COLD_SHIFT | TCTL_RTLC);
}

static uint32_t tx_free_descriptors(const struct tx_ring *tx)
{
	uint32_t used = tx->next >= tx->clean ? tx->next - tx->clean : tx->next + tx->size - tx->clean;

	return tx->size - 1 - used;
}

/* Contiguous room for one more frame; wraps to the start when the end is too near. The head never reaches
 * the tail from behind, so that the two are equal only when nothing is in flight. */
static bool tx_arena_room(struct tx_ring *tx)
{
	if (tx->frames == 0)
		tx->arena_head = tx->arena_tail = 0;
	if (tx->arena_head >= tx->arena_tail) {
		if (tx->arena.size - tx->arena_head >= TX_ROOM)
			return true;
		if (tx->arena_tail <= TX_ROOM)
			return false;
		tx->arena_head = 0;
		return true;
	}
	return tx->arena_tail - tx->arena_head > TX_ROOM;
}

uint8_t *nic_tx_reserve(struct nic *nic)
{
	struct tx_ring *tx = &nic->tx;

	if (!tx->mem.va || nic->bus->dead || tx->bytes >= nic->requested.value[KNOB_TX_BYTE_LIMIT] ||
	    tx_free_descriptors(tx) < tx_descriptors_max(nic->chip, NIC_TX_RESERVE) || !tx_arena_room(tx))
		return NULL;
	return (uint8_t *)tx->arena.va + tx->arena_head;
}

/* What the chip is to do with a frame; offsets and sizes in bytes. */
struct tx_job {
	uint32_t len, header, segments;
	uint16_t mss;
	uint8_t l3, l4;	    /* offsets of IP and TCP/UDP headers */
	uint8_t csum_at;    /* offset of the checksum field */
	bool csum, tso, ipv4;
};

static int tx_job_tso(uint8_t *data, const struct vnet *vnet, struct tx_job *job)
{
	struct frame_info info;
	uint64_t sum;
	uint16_t seed;

	if (!frame_parse(data, job->len, &info) || info.l4_proto != IPPROTO_TCP || !vnet->gso_size ||
	    info.payload_offset >= job->len || info.payload_offset > 240)
		return -EINVAL;
	job->tso = job->csum = true;
	job->ipv4 = info.ip_version == 4;
	job->l3 = (uint8_t)info.l3_offset;
	job->l4 = (uint8_t)info.l4_offset;
	job->csum_at = (uint8_t)(info.l4_offset + 16);
	job->header = info.payload_offset;
	job->mss = vnet->gso_size;
	job->segments = (job->len - job->header + job->mss - 1) / job->mss;
	/* The chip adds each segment's length itself: lengths go in as 0, the TCP checksum as the
	 * pseudo-header sum without length [SDM-8254x 3.5]. */
	if (job->ipv4)
		memset(data + info.l3_offset + 10, 0, 2);
	memset(data + info.l3_offset + (job->ipv4 ? 2 : 4), 0, 2);
	sum = csum_pseudo(data, &info, 0);
	seed = csum_fold(sum);
	memcpy(data + job->csum_at, &seed, 2);
	return 0;
}

static int tx_job_make(struct nic *nic, uint8_t *data, uint32_t len, const struct vnet *vnet,
		       struct tx_job *job)
{
	*job = (struct tx_job){.len = len, .segments = 1};
	if (!vnet || (!(vnet->flags & VNET_NEEDS_CSUM) && vnet->gso_type == VNET_GSO_NONE))
		return len > nic->mtu + 18 ? -EMSGSIZE : 0;
	if (vnet->gso_type != VNET_GSO_NONE)
		return tx_job_tso(data, vnet, job);
	if (len > nic->mtu + 18)
		return -EMSGSIZE;
	if (vnet->csum_start > 240 || vnet->csum_start + vnet->csum_offset + 2u > len ||
	    vnet->csum_start + vnet->csum_offset > 255)
		return -EINVAL;
	job->csum = true;
	job->l3 = 14;
	job->l4 = (uint8_t)vnet->csum_start;
	job->csum_at = (uint8_t)(vnet->csum_start + vnet->csum_offset);
	return 0;
}

static inline uint32_t tx_put(struct tx_ring *tx, uint64_t word0, uint64_t word1)
{
	uint32_t i = tx->next;

	tx->desc[i].word[0] = word0;
	desc_store_status(&tx->desc[i], word1);
	tx->next = i + 1 == tx->size ? 0 : i + 1;
	return i;
}

static void tx_put_context(struct tx_ring *tx, const struct tx_job *job)
{
	uint64_t word0 = 0, word1 = TX_CMD_DEXT | TX_DTYP_CONTEXT;

	word0 |= (uint64_t)job->l3 << TX_CTX_IPCSS_SHIFT;
	word0 |= (uint64_t)(job->l3 + 10) << TX_CTX_IPCSO_SHIFT;
	word0 |= (uint64_t)(job->l4 - 1) << TX_CTX_IPCSE_SHIFT;
	word0 |= (uint64_t)job->l4 << TX_CTX_TUCSS_SHIFT;
	word0 |= (uint64_t)job->csum_at << TX_CTX_TUCSO_SHIFT;
	if (job->tso) {
		word1 |= TX_CMD_TSE | TX_CMD_TCP | (job->ipv4 ? TX_CMD_IP : 0);
		word1 |= job->len - job->header;
		word1 |= (uint64_t)job->header << TX_CTX_HDRLEN_SHIFT;
		word1 |= (uint64_t)job->mss << TX_CTX_MSS_SHIFT;
	} else if (job->csum_at == job->l4 + 16) {
		word1 |= TX_CMD_TCP;
	}
	(void)tx_put(tx, word0, word1);
}

/* Data of one frame in pieces that the chip can take; returns the index of the last descriptor. */
static uint32_t tx_put_data(struct nic *nic, uint64_t iova, const struct tx_job *job)
{
	struct tx_ring *tx = &nic->tx;
	const uint32_t piece_max = nic->chip->tx_desc_bytes;
	uint64_t cmd = TX_CMD_IFCS, end = TX_CMD_EOP | TX_CMD_RS | (tx->ide ? TX_CMD_IDE : 0);
	uint32_t left = job->len, last = 0;

	if (job->csum) {
		cmd |= TX_CMD_DEXT | TX_DTYP_DATA | TX_POPTS_TXSM;
		if (job->tso)
			cmd |= TX_CMD_TSE | (job->ipv4 ? TX_POPTS_IXSM : 0);
	}
	while (left) {
		uint32_t page = TX_PAGE - (uint32_t)(iova % TX_PAGE);
		uint32_t piece = MIN(MIN(left, piece_max), page);

		left -= piece;
		last = tx_put(tx, iova, cmd | piece | (left ? 0 : end));
		iova += piece;
	}
	return last;
}

static void tx_account(struct nic *nic, uint32_t first, uint32_t last, const struct tx_job *job,
		       uint32_t arena_end)
{
	struct tx_ring *tx = &nic->tx;
	uint32_t wire = job->len + (job->segments - 1) * job->header;

	tx->slot[first] = (struct tx_slot){.last = last, .bytes = job->len, .arena_end = arena_end};
	tx->frames++;
	tx->bytes += job->len;
	nic->counters.tx_frames += job->segments;
	nic->counters.tx_bytes += wire;
	nic->counters.tx_super += job->tso;
}

int nic_tx_commit(struct nic *nic, uint32_t len, const struct vnet *vnet)
{
	struct tx_ring *tx = &nic->tx;
	uint8_t *data = (uint8_t *)tx->arena.va + tx->arena_head;
	uint32_t first = tx->next, last, end;
	struct tx_job job;
	int r;

	r = tx_job_make(nic, data, len, vnet, &job);
	if (r < 0) {
		if (r == -EMSGSIZE)
			nic->counters.tx_drop_long++;
		else
			nic->counters.tx_drop_bad++;
		return r;
	}
	if (job.len < 60) { /* a TAP gives short frames unpadded */
		memset(data + job.len, 0, 60 - job.len);
		job.len = 60;
	}
	if (job.csum)
		tx_put_context(tx, &job);
	last = tx_put_data(nic, tx->arena.iova + tx->arena_head, &job);
	end = (tx->arena_head + job.len + 63) & ~63u;
	if (TX_PAGE - end % TX_PAGE < TX_SMALL)
		end = (end + TX_PAGE - 1) & ~(TX_PAGE - 1);
	tx_account(nic, first, last, &job, end);
	tx->arena_head = end;
	return 0;
}

int nic_tx_post(struct nic *nic, uint64_t iova, uint32_t len)
{
	struct tx_ring *tx = &nic->tx;
	struct tx_job job = {.len = len, .segments = 1};
	uint32_t first = tx->next, last;

	if (!tx->mem.va || tx_free_descriptors(tx) < tx_descriptors_max(nic->chip, len))
		return -ENOBUFS;
	last = tx_put_data(nic, iova, &job);
	tx_account(nic, first, last, &job, TX_NO_ARENA);
	return 0;
}

void nic_tx_kick(struct nic *nic, uint64_t now_ns)
{
	struct tx_ring *tx = &nic->tx;

	if (tx->tail == tx->next)
		return;
	tx->tail = tx->next;
	nic->last_tx_kick_ns = now_ns;
	nic_write(nic, REG_TDT, tx->tail);
}

unsigned nic_tx_reap(struct nic *nic)
{
	struct tx_ring *tx = &nic->tx;
	unsigned done = 0;

	while (tx->frames) {
		const struct tx_slot *slot = &tx->slot[tx->clean];

		if (!(desc_load_status(&tx->desc[slot->last]) & TX_STAT_DD))
			break;
		if (slot->arena_end != TX_NO_ARENA)
			tx->arena_tail = slot->arena_end;
		tx->bytes -= slot->bytes;
		tx->frames--;
		tx->clean = slot->last + 1 == tx->size ? 0 : slot->last + 1;
		done++;
	}
	nic->counters.tx_completed += done;
	return done;
}

unsigned nic_tx_in_flight(const struct nic *nic)
{
	return nic->tx.frames;
}
