/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM zswap

#if !defined(_TRACE_ZSWAP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_ZSWAP_H

#include <linux/swapops.h>
#include <linux/tracepoint.h>

#ifndef _ZSWAP_OUTCOME
#define _ZSWAP_OUTCOME
/* The outcome of storing a folio. */
enum zswap_outcome {
	ZSWAP_STORED,
	ZSWAP_DISABLED,		/* zswap is off, or was never set up */
	ZSWAP_CGROUP_LIMIT,	/* the cgroup is at its limit, and writeback freed nothing */
	ZSWAP_POOL_LIMIT,	/* max_pool_percent was reached */
	ZSWAP_NO_POOL,		/* no pool exists */
	ZSWAP_NO_MEMORY,	/* for an entry, its LRU list or a node of the tree */
	ZSWAP_NO_ROOM,		/* for the compressed page, in zsmalloc */
	ZSWAP_NOT_COMPRESSED,	/* failed or no smaller, and the cgroup has writeback disabled */
};
#endif

#define ZSWAP_OUTCOMES				\
	EM(ZSWAP_STORED, "stored")		\
	EM(ZSWAP_DISABLED, "disabled")		\
	EM(ZSWAP_CGROUP_LIMIT, "cgroup limit")	\
	EM(ZSWAP_POOL_LIMIT, "pool limit")	\
	EM(ZSWAP_NO_POOL, "no pool")		\
	EM(ZSWAP_NO_MEMORY, "no memory")	\
	EM(ZSWAP_NO_ROOM, "no room")		\
	EMe(ZSWAP_NOT_COMPRESSED, "not compressed")

#undef EM
#undef EMe
#define EM(a, b) TRACE_DEFINE_ENUM(a);
#define EMe(a, b) TRACE_DEFINE_ENUM(a);
ZSWAP_OUTCOMES
#undef EM
#undef EMe
#define EM(a, b) { a, b },
#define EMe(a, b) { a, b }

#ifdef CONFIG_ZSWAP_RUST
/*
 * A folio was stored, or was refused and has to be written to the swap device.
 * Pages whose slots have the zeromap bit set take no entry in zswap.
 */
TRACE_EVENT(zswap_store,

	TP_PROTO(unsigned long first, unsigned int pages, unsigned int zeroes,
		 unsigned int outcome),

	TP_ARGS(first, pages, zeroes, outcome),

	TP_STRUCT__entry(
		__field(unsigned long, offset)
		__field(unsigned int, type)
		__field(unsigned int, pages)
		__field(unsigned int, zeroes)
		__field(unsigned int, outcome)
	),

	TP_fast_assign(
		__entry->type = swp_type((swp_entry_t){ first });
		__entry->offset = swp_offset((swp_entry_t){ first });
		__entry->pages = pages;
		__entry->zeroes = zeroes;
		__entry->outcome = outcome;
	),

	TP_printk("slot=%u:%lu pages=%u zeroes=%u outcome=%s", __entry->type, __entry->offset,
		  __entry->pages, __entry->zeroes,
		  __print_symbolic(__entry->outcome, ZSWAP_OUTCOMES))
);

DECLARE_EVENT_CLASS(zswap_slot,

	TP_PROTO(unsigned long slot),

	TP_ARGS(slot),

	TP_STRUCT__entry(
		__field(unsigned int, type)
		__field(unsigned long, offset)
	),

	TP_fast_assign(
		__entry->type = swp_type((swp_entry_t){ slot });
		__entry->offset = swp_offset((swp_entry_t){ slot });
	),

	TP_printk("slot=%u:%lu", __entry->type, __entry->offset)
);

/* A page is about to be decompressed for a load. */
DEFINE_EVENT(zswap_slot, zswap_load_begin,
	TP_PROTO(unsigned long slot),
	TP_ARGS(slot)
);

DECLARE_EVENT_CLASS(zswap_slot_error,

	TP_PROTO(unsigned long slot, int error),

	TP_ARGS(slot, error),

	TP_STRUCT__entry(
		__field(unsigned long, offset)
		__field(unsigned int, type)
		__field(int, error)
	),

	TP_fast_assign(
		__entry->type = swp_type((swp_entry_t){ slot });
		__entry->offset = swp_offset((swp_entry_t){ slot });
		__entry->error = error;
	),

	TP_printk("slot=%u:%lu error=%d", __entry->type, __entry->offset, __entry->error)
);

/* The page was decompressed, or decompression failed (-EIO). */
DEFINE_EVENT(zswap_slot_error, zswap_load_end,
	TP_PROTO(unsigned long slot, int error),
	TP_ARGS(slot, error)
);

/*
 * The current task submitted a page to the swap device, or writeback failed:
 * the slot has a folio or the device is being swapped off (-EEXIST), the slot
 * was freed (-ENOENT, -ENOMEM), there was no memory (-ENOMEM), decompression
 * failed (-EIO). Not reported for a stale entry, whose slot has the zeromap bit.
 */
DEFINE_EVENT(zswap_slot_error, zswap_writeback,
	TP_PROTO(unsigned long slot, int error),
	TP_ARGS(slot, error)
);

/* A slot is being freed, and its entry as well. */
DEFINE_EVENT(zswap_slot, zswap_invalidate,
	TP_PROTO(unsigned long slot),
	TP_ARGS(slot)
);

/*
 * A walk over the LRU list of a node and cgroup has ended; left: the number of
 * entries that it was allowed to visit and has not visited.
 */
TRACE_EVENT(zswap_shrink,

	TP_PROTO(int nid, u64 cgroup, unsigned long left, unsigned long freed,
		 unsigned int in_swap_cache),

	TP_ARGS(nid, cgroup, left, freed, in_swap_cache),

	TP_STRUCT__entry(
		__field(u64, cgroup)
		__field(unsigned long, left)
		__field(unsigned long, freed)
		__field(int, nid)
		__field(bool, in_swap_cache)
	),

	TP_fast_assign(
		__entry->nid = nid;
		__entry->cgroup = cgroup;
		__entry->left = left;
		__entry->freed = freed;
		__entry->in_swap_cache = in_swap_cache;
	),

	TP_printk("nid=%d cgroup=%llu left=%lu freed=%lu in_swap_cache=%d", __entry->nid,
		  __entry->cgroup, __entry->left, __entry->freed, __entry->in_swap_cache)
);

#endif /* CONFIG_ZSWAP_RUST */

#ifdef CONFIG_SWAP_CACHE_RUST
/*
 * An attempt to add a new folio of this order to the swap cache for the slot:
 * the folio was added (0), the slot has one already (-EEXIST), or another
 * error.
 */
TRACE_EVENT(swap_cache_add,

	TP_PROTO(unsigned long slot, unsigned int order, int error),

	TP_ARGS(slot, order, error),

	TP_STRUCT__entry(
		__field(unsigned long, offset)
		__field(unsigned int, type)
		__field(unsigned int, order)
		__field(int, error)
	),

	TP_fast_assign(
		__entry->type = swp_type((swp_entry_t){ slot });
		__entry->offset = swp_offset((swp_entry_t){ slot });
		__entry->order = order;
		__entry->error = error;
	),

	TP_printk("slot=%u:%lu order=%u error=%d", __entry->type, __entry->offset,
		  __entry->order, __entry->error)
);

#endif /* CONFIG_SWAP_CACHE_RUST */

#endif /* _TRACE_ZSWAP_H */

#include <trace/define_trace.h>
