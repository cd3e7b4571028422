/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptor layouts, 16 bytes each, little endian [SDM-8254x 3.2-3.3; hardware notes 1.6].
 * Words are accessed as two 64-bit values; the status word is read with acquire and written with
 * release order, because driver and device (or simulator thread) share the memory.
 */
#ifndef MODERATO_COMMON_CHIPS_DESC_H
#define MODERATO_COMMON_CHIPS_DESC_H

#include <stdint.h>

struct desc {
	uint64_t word[2];
};
_Static_assert(sizeof(struct desc) == 16, "descriptors are 16 bytes");

/* Receive, legacy write-back (word 1) */
#define RXL_LEN_MASK	  0xffffu
#define RXL_STATUS_SHIFT  32
#define RXL_ERRORS_SHIFT  40
/* Receive, extended write-back (word 1): status 19:0, errors 31:20, length 47:32 */
#define RXE_LEN_SHIFT	  32
/* Status bits of both formats, counted from the start of the status field */
#define RX_STAT_DD	(1u << 0)
#define RX_STAT_EOP	(1u << 1)
#define RX_STAT_IXSM	(1u << 2)
#define RX_STAT_VP	(1u << 3)
#define RX_STAT_UDPCS	(1u << 4)
#define RX_STAT_TCPCS	(1u << 5)
#define RX_STAT_IPCS	(1u << 6)
/* Legacy error byte */
#define RXL_ERR_CE   (1u << 0)
#define RXL_ERR_TCPE (1u << 5)
#define RXL_ERR_IPE  (1u << 6)
#define RXL_ERR_RXE  (1u << 7)
/* Extended error bits, in the low half of word 1 */
#define RXE_ERR_CE   (1u << 24)
#define RXE_ERR_TCPE (1u << 29)
#define RXE_ERR_IPE  (1u << 30)
#define RXE_ERR_RXE  (1u << 31)

/* Transmit, word 1 */
#define TX_LEN_MASK_LEGACY 0xffffu
#define TX_LEN_MASK_DATA   0xfffffu /* 19:0 of context (PAYLEN) and data (DTALEN) descriptors */
#define TX_DTYP_SHIFT	20
#define TX_DTYP_MASK	(0xfull << 20)
#define TX_DTYP_CONTEXT (0ull << 20)
#define TX_DTYP_DATA	(1ull << 20)
#define TX_CMD_EOP	(1ull << 24)
#define TX_CMD_TCP	(1ull << 24) /* in a context descriptor */
#define TX_CMD_IFCS	(1ull << 25)
#define TX_CMD_IP	(1ull << 25) /* in a context descriptor */
#define TX_CMD_IC	(1ull << 26) /* legacy: insert checksum */
#define TX_CMD_TSE	(1ull << 26)
#define TX_CMD_RS	(1ull << 27)
#define TX_CMD_DEXT	(1ull << 29)
#define TX_CMD_VLE	(1ull << 30)
#define TX_CMD_IDE	(1ull << 31)
#define TX_STAT_DD	(1ull << 32)
#define TX_POPTS_IXSM	(1ull << 40)
#define TX_POPTS_TXSM	(1ull << 41)
#define TX_LEGACY_CSO_SHIFT 16
#define TX_LEGACY_CSS_SHIFT 40
#define TX_CTX_HDRLEN_SHIFT 40
#define TX_CTX_MSS_SHIFT    48
/* Context descriptor, word 0 */
#define TX_CTX_IPCSS_SHIFT 0
#define TX_CTX_IPCSO_SHIFT 8
#define TX_CTX_IPCSE_SHIFT 16
#define TX_CTX_TUCSS_SHIFT 32
#define TX_CTX_TUCSO_SHIFT 40
#define TX_CTX_TUCSE_SHIFT 48

/** desc_load_status() - word 1 with acquire order: fields read after it belong to the same write-back. */
static inline uint64_t desc_load_status(const struct desc *d)
{
	return __atomic_load_n(&d->word[1], __ATOMIC_ACQUIRE);
}

/** desc_store_status() - word 1 with release order: everything written before is visible with it. */
static inline void desc_store_status(struct desc *d, uint64_t value)
{
	__atomic_store_n(&d->word[1], value, __ATOMIC_RELEASE);
}

#endif
