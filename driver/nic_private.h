/* SPDX-License-Identifier: BSD-2-Clause */
/* struct nic, for driver/nic*.c, irq.c, rx.c, tx.c and moderation.c only. */
#ifndef MODERATO_DRIVER_NIC_PRIVATE_H
#define MODERATO_DRIVER_NIC_PRIVATE_H

#include "common/chips/desc.h"
#include "driver/nic.h"
#include "driver/nic_filter.h"

/* Interrupt causes of ours in INTx and MSI. */
#define NIC_CAUSES_LEGACY (ICR_TXDW | ICR_LSC | ICR_RXDMT0 | ICR_RXO | ICR_RXT0)
/* MSI-X vectors [hardware notes 1.7] */
#define NIC_VECTOR_RX	 0
#define NIC_VECTOR_TX	 1
#define NIC_VECTOR_OTHER 2
#define NIC_MSIX_VECTORS 3

struct rx_ring {
	struct dma_mem mem;	/* descriptors */
	struct dma_mem buffers; /* buffer i belongs to descriptor i for good */
	struct desc *desc;
	uint32_t size;
	uint32_t next;	  /* descriptor to look at next */
	uint32_t held;	  /* handed out by nic_rx_burst(), not yet released */
	uint32_t buffer_bytes;
};

/* What a transmit descriptor slot remembers; meaningful at the first descriptor of a frame. */
struct tx_slot {
	uint32_t last;	    /* index of the frame's last descriptor, the one with RS */
	uint32_t bytes;	    /* counted against the byte limit */
	uint32_t arena_end; /* arena position after the frame; TX_NO_ARENA: foreign memory */
};
#define TX_NO_ARENA UINT32_MAX

struct tx_ring {
	struct dma_mem mem;
	struct dma_mem arena; /* frames lie one after the other, wrapping at the end */
	struct desc *desc;
	struct tx_slot *slot;
	uint32_t size;
	uint32_t next;	     /* descriptor to fill next */
	uint32_t clean;	     /* first descriptor not yet taken back */
	uint32_t tail;	     /* what the chip was told */
	uint32_t frames;     /* queued and not completed */
	uint32_t bytes;	     /* of those frames */
	uint32_t arena_head; /* where the next frame goes */
	uint32_t arena_tail; /* first byte still in use */
	bool ide;	     /* completions are delayed by TIDV: set IDE */
};

enum start_step {
	START_NONE,
	START_QUIESCE,	   /* receive and transmit are off: let pending transactions end */
	START_MASTER_WAIT, /* PCIe: the chip finishes its requests */
	START_OWNER_WAIT,  /* the PHY bus becomes ours */
	START_RESET_WAIT,
	START_NVM_WAIT,
};

struct nic_guard {
	uint64_t next_ns;	    /* next watchdog look */
	uint64_t completed_seen;    /* tx_completed at the last look */
	uint64_t rx_seen;	    /* rx_frames at the last look */
	uint64_t missed_seen;
	uint64_t irq_seen;
	unsigned tx_stuck_looks, rx_stuck_looks;
	/* livelock */
	uint64_t window_start_ns, window_irqs;
	bool capped;
	uint64_t capped_since_ns, last_irq_ns;
	uint64_t rearm_at_ns; /* TIME_NEVER: nothing held back */
	uint32_t rearm_vectors;
};

struct nic {
	struct bus *bus;
	const struct chip *chip;
	nic_event_fn event;
	void *event_ctx;
	enum nic_state state;
	unsigned mtu;
	struct nic_filter filter;
	uint32_t hash_table[REG_MTA_WORDS]; /* as the chip has it, while it runs */

	struct settings requested;
	enum intmode intmode;
	unsigned irq_generation;
	uint32_t irq_mask; /* causes enabled in INTx and MSI */

	struct rx_ring rx;
	struct tx_ring tx;
	struct dma_mem scratch; /* frame templates, see nic_scratch() */

	enum start_step step;
	uint64_t step_at_ns;	/* when the step may go on */
	uint64_t step_limit_ns; /* when it has failed */
	bool first_start;
	bool link_up;
	unsigned speed_mbps;
	uint64_t service_end_ns; /* end of the last interrupt service */
	uint64_t service_begin_ns;
	uint64_t last_tx_kick_ns;

	bool tidv_blind; /* TIDV reads 0 whatever is written: an emulated chip */
	struct nic_guard guard;
	struct nic_counters counters;
};

/* nic.c */
void nic_emit(struct nic *nic, enum nic_event event, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
uint32_t nic_read(struct nic *nic, uint32_t reg);
static inline void nic_write(struct nic *nic, uint32_t reg, uint32_t value)
{
	bus_write32(nic->bus, reg, value);
}
void nic_set_bits(struct nic *nic, uint32_t reg, uint32_t bits);
void nic_clear_bits(struct nic *nic, uint32_t reg, uint32_t bits);
void nic_gone(struct nic *nic, const char *where);
/* False: STATUS reads all ones, and the NIC is gone from now on. */
bool nic_answers(struct nic *nic, const char *where);

/* nic_start.c */
void nic_start_run(struct nic *nic, uint64_t now_ns);
void nic_link_check(struct nic *nic);

/* nic_reset.c */
/* Ask the chip to stop its bus requests; nic_master_stopped() tells when it has. */
void nic_master_stop(struct nic *nic);
bool nic_master_stopped(struct nic *nic);
/* Set CTRL.RST in the way that this chip wants. */
void nic_reset_chip(struct nic *nic);
/* Leave the chip quiet for the next owner: requests ended, bus mastering off, then reset. Waits at
 * most NIC_LEAVE_US. */
void nic_leave(struct nic *nic);

/* nic_statistics.c */
/* What the chip counted before our start is not ours. */
void nic_forget_statistics(struct nic *nic);

/* nic_filter.c */
/* After a reset: address, tables. */
void nic_filter_start(struct nic *nic);
/* The filter's bits of RCTL. */
uint32_t nic_filter_rctl(const struct nic *nic);

/* nic_address.c */
int nic_read_address(struct nic *nic, struct error *err);

/* nic_guard.c */
void nic_guard_reset(struct nic *nic, uint64_t now_ns);
uint64_t nic_guard_run(struct nic *nic, uint64_t now_ns);
/* Count one interrupt; true: hold the re-arm of @vector back until nic_guard_run() gives it free. */
bool nic_guard_holds(struct nic *nic, unsigned vector, uint64_t now_ns);

/* irq.c */
int irq_start(struct nic *nic, struct error *err);
void irq_stop(struct nic *nic);
void irq_rearm(struct nic *nic, unsigned vector);

/* rx.c, tx.c */
#define NIC_DMA_PAGE 4096u
/* Memory for the device that the rings of @settings take, in whole pages. */
size_t rx_dma_bytes(const struct nic *nic, const struct settings *settings);
size_t tx_dma_bytes(const struct settings *settings);
int rx_alloc(struct nic *nic, struct error *err);
void rx_free(struct nic *nic);
void rx_start(struct nic *nic);
void rx_enable(struct nic *nic);
int tx_alloc(struct nic *nic, struct error *err);
void tx_free(struct nic *nic);
void tx_start(struct nic *nic);

/* moderation.c */
void moderation_probe(struct nic *nic);
void moderation_write(struct nic *nic, const struct settings *settings);
void moderation_read(struct nic *nic, struct settings *ret_settings);
int moderation_verify(struct nic *nic, const struct settings *settings, struct error *err);

#endif
