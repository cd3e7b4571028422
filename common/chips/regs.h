/* SPDX-License-Identifier: BSD-2-Clause */
/* Register offsets and bits of the Intel gigabit families, by their datasheet names. */
#ifndef MODERATO_COMMON_CHIPS_REGS_H
#define MODERATO_COMMON_CHIPS_REGS_H

#include <stddef.h>
#include <stdint.h>

enum chip_family {
	FAM_E1000 = 1,	/* 8254x: legacy descriptors */
	FAM_E1000E = 2, /* 8257x, 82583: extended receive descriptors */
};
#define FAM_ALL (FAM_E1000 | FAM_E1000E)

#define REG(name, offset, access, families, source, meaning) REG_##name = (offset),
enum reg_offset {
#include "common/chips/regs.def"
};
#undef REG

#define REG_MTA	     0x5200 /* multicast table, 128 words [SDM-8254x 13.5.1] */
#define REG_MTA_WORDS 128
#define REG_VFTA     0x5600 /* VLAN filter table, 128 words [SDM-8254x 13.5.4] */
#define REG_VFTA_WORDS 128
#define REG_RA_COUNT 15	    /* receive address entries, RAL0 + 8 n */

/* The part of BAR0 that the table describes. */
#define REG_SPACE_BYTES 0x20000

enum reg_access { REG_RW, REG_RO, REG_WO, REG_RC, REG_W1C, REG_W1S, REG_SPECIAL };

struct reg_info {
	const char *name;
	uint32_t offset;
	enum reg_access access;
	unsigned families;
	const char *source;
	const char *meaning;
};

extern const struct reg_info reg_table[];
extern const size_t reg_table_count;

/** reg_find() - row by datasheet name (case matters) or NULL. */
const struct reg_info *reg_find(const char *name);
/** reg_at() - row by offset or NULL. */
const struct reg_info *reg_at(uint32_t offset);

/* CTRL [SDM-8254x 13.4.1] */
#define CTRL_FD	   (1u << 0)
#define CTRL_GIO_MASTER_DISABLE (1u << 2)
#define CTRL_LRST  (1u << 3)
#define CTRL_ASDE  (1u << 5)
#define CTRL_SLU   (1u << 6)
#define CTRL_ILOS  (1u << 7)
#define CTRL_SPEED_SHIFT 8
#define CTRL_SPEED_MASK	 (3u << 8)
#define CTRL_FRCSPD (1u << 11)
#define CTRL_FRCDPX (1u << 12)
#define CTRL_RST    (1u << 26)
#define CTRL_RFCE   (1u << 27)
#define CTRL_TFCE   (1u << 28)
#define CTRL_BIT29  (1u << 29) /* undocumented on 82573/4/83: must be 0 */
#define CTRL_VME    (1u << 30)
#define CTRL_PHY_RST (1u << 31)

/* STATUS [SDM-8254x 13.4.2] */
#define STATUS_FD	  (1u << 0)
#define STATUS_LU	  (1u << 1)
#define STATUS_TXOFF	  (1u << 4)
#define STATUS_SPEED_SHIFT 6
#define STATUS_SPEED_MASK  (3u << 6)
#define STATUS_GIO_MASTER_ENABLE (1u << 19)

#define STATUS_FUNC_SHIFT 2
#define STATUS_FUNC_MASK  (3u << 2) /* port number of a chip with several */

#define EECD_AUTO_RD   (1u << 9)
#define EECD_NVM_FLASH (3u << 15) /* both bits: the NVM is a flash (82573/4/83) */

#define EXTCNF_MDIO_SW_OWNER (1u << 5)

/* EERD [hardware notes 1.3]: the wrong layout never reports done */
#define EERD_START	    (1u << 0)
#define EERD_DONE_SMALL	    (1u << 4)
#define EERD_ADDR_SHIFT_SMALL 8
#define EERD_DONE_LARGE	    (1u << 1)
#define EERD_ADDR_SHIFT_LARGE 2
#define EERD_DATA_SHIFT	    16

/* CTRL_EXT */
#define CTRL_EXT_EE_RST		      (1u << 13)
#define CTRL_EXT_DMA_DYN_CLK_EN	      (1u << 19)
#define CTRL_EXT_BIT22		      (1u << 22) /* must be 1 on 82573/4/83 */
#define CTRL_EXT_BIT23		      (1u << 23) /* must be 0 on 82573/4/83 */
#define CTRL_EXT_EIAME		      (1u << 24)
#define CTRL_EXT_IAME		      (1u << 27)
#define CTRL_EXT_DRV_LOAD	      (1u << 28)
#define CTRL_EXT_INT_TIMERS_CLEAR_ENA (1u << 29)
#define CTRL_EXT_PBA_CLR	      (1u << 31)

/* Interrupt causes (ICR, ICS, IMS, IMC) */
#define ICR_TXDW	 (1u << 0)
#define ICR_TXQE	 (1u << 1)
#define ICR_LSC		 (1u << 2)
#define ICR_RXSEQ	 (1u << 3)
#define ICR_RXDMT0	 (1u << 4)
#define ICR_RXO		 (1u << 6)
#define ICR_RXT0	 (1u << 7)
#define ICR_SRPD	 (1u << 16)
#define ICR_ACK		 (1u << 17)
#define ICR_RXQ0	 (1u << 20)
#define ICR_RXQ1	 (1u << 21)
#define ICR_TXQ0	 (1u << 22)
#define ICR_TXQ1	 (1u << 23)
#define ICR_OTHER	 (1u << 24)
#define ICR_INT_ASSERTED (1u << 31) /* 8257x and later */

/* IVAR (82574) [hardware notes 1.7]: five fields, bit 3 of each = valid; bit 31 = interrupt on every
 * transmit write-back */
#define IVAR_RXQ0_SHIFT	    0
#define IVAR_RXQ1_SHIFT	    4
#define IVAR_TXQ0_SHIFT	    8
#define IVAR_TXQ1_SHIFT	    12
#define IVAR_OTHER_SHIFT    16
#define IVAR_VALID	    8u
#define IVAR_TX_EVERY_WB    (1u << 31)

/* Timers */
#define RDTR_FPD (1u << 31)
#define TIDV_FPD (1u << 31)

/* RCTL */
#define RCTL_EN	      (1u << 1)
#define RCTL_SBP      (1u << 2)
#define RCTL_UPE      (1u << 3)
#define RCTL_MPE      (1u << 4)
#define RCTL_LPE      (1u << 5)
#define RCTL_RDMTS_SHIFT 8
#define RCTL_MO_SHIFT 12 /* which bits of a multicast address choose in MTA */
#define RCTL_BAM      (1u << 15)
#define RCTL_BSIZE_SHIFT 16
#define RCTL_BSEX     (1u << 25)
#define RCTL_SECRC    (1u << 26)

/* TCTL */
#define TCTL_EN	   (1u << 1)
#define TCTL_PSP   (1u << 3)
#define TCTL_CT_SHIFT 4
#define TCTL_COLD_SHIFT 12
#define TCTL_RTLC  (1u << 24)
#define TCTL_MULR  (1u << 28)

#define TXDCTL_WTHRESH_SHIFT 16
#define TXDCTL_COUNT_DESC (1u << 22)
#define TXDCTL_GRAN	  (1u << 24)

#define TARC0_BIT26 (1u << 26)
/* 82571/2 [hardware notes 1.9, chip bits] */
#define TARC0_82571_CLEAR (0xfu << 27)
#define TARC0_82571_SET	  (0xfu << 23)
#define TARC1_82571_CLEAR (3u << 29)
#define TARC1_82571_SET	  (1u << 22 | 7u << 24)
#define TARC1_NO_MULR	  (1u << 28) /* set when TCTL.MULR is not */
#define PBA_ECC_CORRECT	  (1u << 0)
#define GCR_BIT22   (1u << 22)
#define GCR2_BIT0   (1u << 0)

#define RXCSUM_IPOFL (1u << 8)
#define RXCSUM_TUOFL (1u << 9)

#define RFCTL_ACK_DIS	       (1u << 12)
#define RFCTL_EXTEN	       (1u << 15)
#define RFCTL_IPV6_EX_DIS      (1u << 16)
#define RFCTL_NEW_IPV6_EXT_DIS (1u << 17)

#define RAH_AV (1u << 31)

#endif
