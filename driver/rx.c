/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive ring: bring-up, bursts, refill. Buffers stay with their descriptors for good. */
#include "driver/nic.h"

#include <errno.h>
#include <string.h>

#include "common/util.h"
#include "driver/nic_private.h"

/* RCTL.BSIZE with BSEX [SDM-8254x 13.4.22]: smallest buffer that holds a whole frame. */
static const struct rx_size {
	uint32_t bytes, rctl;
} rx_sizes[] = {
	{2048, 0u << RCTL_BSIZE_SHIFT},
	{4096, 3u << RCTL_BSIZE_SHIFT | RCTL_BSEX},
	{8192, 2u << RCTL_BSIZE_SHIFT | RCTL_BSEX},
	{16384, 1u << RCTL_BSIZE_SHIFT | RCTL_BSEX},
};

static const struct rx_size *rx_size_for(unsigned mtu)
{
	const unsigned frame = mtu + 14 + 4 + 4;

	for (unsigned i = 0; i < ARRAY_SIZE(rx_sizes) - 1; i++)
		if (frame <= rx_sizes[i].bytes)
			return &rx_sizes[i];
	return &rx_sizes[ARRAY_SIZE(rx_sizes) - 1];
}

void rx_free(struct nic *nic)
{
	struct rx_ring *rx = &nic->rx;

	if (rx->mem.va)
		nic->bus->ops->dma_free(nic->bus, &rx->mem);
	if (rx->buffers.va)
		nic->bus->ops->dma_free(nic->bus, &rx->buffers);
	memset(rx, 0, sizeof(*rx));
}

size_t rx_dma_bytes(const struct nic *nic, const struct settings *settings)
{
	size_t size = settings->value[KNOB_RX_RING];

	return ALIGN_UP(size * sizeof(struct desc), (size_t)NIC_DMA_PAGE) + size * rx_size_for(nic->mtu)->bytes;
}

int rx_alloc(struct nic *nic, struct error *err)
{
	struct rx_ring *rx = &nic->rx;
	uint32_t size = nic->requested.value[KNOB_RX_RING], bytes = rx_size_for(nic->mtu)->bytes;
	int r;

	if (rx->mem.va && rx->size == size && rx->buffer_bytes == bytes)
		return 0;
	rx_free(nic);
	r = nic->bus->ops->dma_alloc(nic->bus, (size_t)size * sizeof(struct desc), &rx->mem, err);
	if (r < 0)
		return r;
	r = nic->bus->ops->dma_alloc(nic->bus, (size_t)size * bytes, &rx->buffers, err);
	if (r < 0) {
		rx_free(nic);
		return r;
	}
	rx->desc = rx->mem.va;
	rx->size = size;
	rx->buffer_bytes = bytes;
	return 0;
}

/* Both words: an extended write-back destroys the address, and word 1 is where DD will appear. */
static inline void rx_arm(struct rx_ring *rx, uint32_t i)
{
	rx->desc[i].word[0] = rx->buffers.iova + (uint64_t)i * rx->buffer_bytes;
	desc_store_status(&rx->desc[i], 0);
}

void rx_start(struct nic *nic)
{
	struct rx_ring *rx = &nic->rx;
	uint32_t rfctl = 0;

	rx->next = rx->held = 0;
	for (uint32_t i = 0; i < rx->size; i++)
		rx_arm(rx, i);
	nic_write(nic, REG_RDBAL, (uint32_t)rx->mem.iova);
	nic_write(nic, REG_RDBAH, (uint32_t)(rx->mem.iova >> 32));
	nic_write(nic, REG_RDLEN, rx->size * (uint32_t)sizeof(struct desc));
	nic_write(nic, REG_RDH, 0);
	nic_write(nic, REG_RDT, 0);
	nic_write(nic, REG_RSRPD, 0); /* small frames raise no cause of their own */
	nic_write(nic, REG_RXCSUM, RXCSUM_IPOFL | RXCSUM_TUOFL);
	if (nic->chip->family != FAM_E1000)
		nic_write(nic, REG_MRQC, 0);
	if (nic->chip->rx_format == RX_FORMAT_EXTENDED)
		rfctl |= RFCTL_EXTEN;
	/* In every mode, not only where it raises spurious interrupts: with RAID 0 the ACK mechanism
	 * would let acknowledgements pass RDTR, which the knob is measured for. */
	if (chip_has_quirk(nic->chip, QUIRK_ACK_DIS_IN_MSIX))
		rfctl |= RFCTL_ACK_DIS;
	if (chip_has_quirk(nic->chip, QUIRK_IPV6_EX_DIS))
		rfctl |= RFCTL_IPV6_EX_DIS | RFCTL_NEW_IPV6_EXT_DIS;
	if (rfctl)
		nic_write(nic, REG_RFCTL, rfctl);
}

/* After bus mastering is on. RCTL is written once: QEMU's e1000 receives nothing for a second after
 * every write of it. */
void rx_enable(struct nic *nic)
{
	uint32_t rctl = RCTL_EN | RCTL_BAM | RCTL_SECRC | rx_size_for(nic->mtu)->rctl;

	if (nic->mtu > 1500)
		rctl |= RCTL_LPE;
	rctl |= nic_filter_rctl(nic);
	nic_write(nic, REG_RCTL, rctl);
	/* Head equal to tail is an empty ring: one descriptor stays with us. */
	nic_write(nic, REG_RDT, nic->rx.size - 1);
}

/* What a completed descriptor says, whatever its format. */
struct rx_result {
	uint32_t len;
	bool eop, error, csum_ok, csum_bad;
};

static inline void rx_decode(enum rx_format format, uint64_t word, struct rx_result *ret)
{
	uint32_t status;

	if (format == RX_FORMAT_EXTENDED) {
		uint32_t low = (uint32_t)word;

		status = low & 0xff;
		ret->len = (uint32_t)(word >> RXE_LEN_SHIFT) & 0xffff;
		ret->error = (low & (RXE_ERR_CE | RXE_ERR_RXE)) != 0;
		ret->csum_bad = (low & (RXE_ERR_TCPE | RXE_ERR_IPE)) != 0;
	} else {
		uint32_t errors = (uint32_t)(word >> RXL_ERRORS_SHIFT) & 0xff;

		status = (uint32_t)(word >> RXL_STATUS_SHIFT) & 0xff;
		ret->len = (uint32_t)word & RXL_LEN_MASK;
		ret->error = (errors & (RXL_ERR_CE | RXL_ERR_RXE)) != 0;
		ret->csum_bad = (errors & (RXL_ERR_TCPE | RXL_ERR_IPE)) != 0;
	}
	ret->eop = (status & RX_STAT_EOP) != 0;
	ret->csum_ok = (status & (RX_STAT_TCPCS | RX_STAT_UDPCS)) && !(status & RX_STAT_IXSM) &&
		       !ret->csum_bad;
}

static inline bool rx_done(enum rx_format format, uint64_t word)
{
	return (format == RX_FORMAT_EXTENDED ? word : word >> RXL_STATUS_SHIFT) & RX_STAT_DD;
}

unsigned nic_rx_burst(struct nic *nic, struct rx_frame *frames, unsigned max)
{
	struct rx_ring *rx = &nic->rx;
	const enum rx_format format = nic->chip->rx_format;
	uint8_t *base = rx->buffers.va;
	uint64_t bytes = 0;
	unsigned n = 0;

	while (n < max && rx->held < rx->size - 1) {
		uint32_t i = rx->next;
		uint64_t word = desc_load_status(&rx->desc[i]);
		struct rx_result result;

		if (!rx_done(format, word))
			break;
		rx_decode(format, word, &result);
		rx->next = i + 1 == rx->size ? 0 : i + 1;
		rx->held++;
		if (__builtin_expect(!result.eop || result.error || result.len > rx->buffer_bytes, 0)) {
			if (result.error)
				nic->counters.rx_drop_error++;
			else
				nic->counters.rx_drop_long++;
			continue;
		}
		frames[n].data = base + (size_t)i * rx->buffer_bytes;
		frames[n].iova = rx->buffers.iova + (uint64_t)i * rx->buffer_bytes;
		frames[n].len = result.len;
		frames[n].csum_ok = result.csum_ok;
		frames[n].csum_bad = result.csum_bad;
		nic->counters.rx_csum_bad += result.csum_bad;
		__builtin_prefetch(&rx->desc[rx->next]);
		bytes += result.len;
		n++;
	}
	nic->counters.rx_frames += n;
	nic->counters.rx_bytes += bytes;
	return n;
}

void nic_rx_release(struct nic *nic)
{
	struct rx_ring *rx = &nic->rx;
	uint32_t i;

	if (!rx->held)
		return;
	i = rx->next >= rx->held ? rx->next - rx->held : rx->next + rx->size - rx->held;
	while (i != rx->next) {
		rx_arm(rx, i);
		i = i + 1 == rx->size ? 0 : i + 1;
	}
	rx->held = 0;
	nic_write(nic, REG_RDT, rx->next == 0 ? rx->size - 1 : rx->next - 1);
}

bool nic_rx_pending(const struct nic *nic)
{
	const struct rx_ring *rx = &nic->rx;

	return rx->mem.va && rx->held < rx->size - 1 &&
	       rx_done(nic->chip->rx_format, desc_load_status(&rx->desc[rx->next]));
}
