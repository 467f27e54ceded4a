// SPDX-License-Identifier: GPL-2.0
/*
 * zswap in C as the oracle: C and Rust do the same random operations on twins, pairs of folios with
 * the same contents, each with its own slots and cgroup. After each operation all results that
 * callers and users can observe must be the same on both sides, and the contents that are loaded
 * must be those that were stored.
 *
 * The kernel itself calls only zswap in Rust, which has no entries for the slots of the C side. The
 * suite calls zswap in C for these slots: it loads them before the kernel reads them from the
 * device, and invalidates them before they are freed.
 *
 * zswap_twins.seed=N repeats a run, zswap_twins.operations=N sets its length. If a run fails, the
 * suite prints a short sequence of its operations that fails as well, except for runs of several
 * tasks, which can't be repeated. comparable() has the values that may differ.
 */

#include <linux/cgroup.h>
#include <linux/jhash.h>
#include <linux/moduleparam.h>
#include <linux/shrinker.h>
#include <linux/swap_ops.h>
#include <linux/workqueue.h>

#include "../../../../mm/memcontrol-v1.h"
#include "c_zswap.h"
#include "faulty_acomp.h"
#include "twins.h"

static u64 seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of the operations; random if 0");

static uint operations = 20000;
module_param(operations, uint, 0444);
MODULE_PARM_DESC(operations, "of each case");

static const struct impl {
	bool (*store)(struct folio *folio);
	int (*load)(struct folio *folio);
	void (*invalidate)(swp_entry_t swp);
	void (*swapin)(struct folio *folio);
	void (*offline)(struct mem_cgroup *memcg);
	unsigned long (*total)(void);
	bool (*enabled)(void);
	bool (*never)(void);
	struct workqueue_struct *(*queue)(void);
	atomic_long_t *stored;
	const char *name, *shrinker;
} impls[SIDES] = {
	[C] = {
		.name = "zswap_c", .shrinker = "c-mm-zswap", .queue = c_zswap_shrink_queue,
		.store = c_zswap_store, .load = c_zswap_load, .invalidate = c_zswap_invalidate,
		.swapin = c_zswap_folio_swapin, .offline = c_zswap_memcg_offline_cleanup,
		.total = c_zswap_total_pages, .stored = &c_zswap_stored_pages,
		.enabled = c_zswap_is_enabled, .never = c_zswap_never_enabled,
	},
	[RUST] = {
		.name = "zswap", .shrinker = "mm-zswap", .queue = zswap_shrink_queue,
		.store = zswap_store, .load = zswap_load, .invalidate = zswap_invalidate,
		.swapin = zswap_folio_swapin, .offline = zswap_memcg_offline_cleanup,
		.total = zswap_total_pages, .stored = &zswap_stored_pages,
		.enabled = zswap_is_enabled, .never = zswap_never_enabled,
	},
};

/* The observable state of one side after an operation. */
struct seen {
	/* of the call and its folio */
	long ret, more, locked, uptodate, dirty, swapcache, reclaim, refs, contents, left;
	/* of all */
	long stored, total, enabled, never, bytes, pages, incompressible, swapins;
	/* the events during the operation */
	long ins, outs, backs, zeroes, group_ins, group_outs, group_backs;
};

static const char *const seen_names[] = {
	"ret", "more", "locked", "uptodate", "dirty", "swapcache", "reclaim", "refs", "contents",
	"left", "stored", "total", "enabled", "never", "bytes", "pages", "incompressible",
	"swapins", "ins", "outs", "backs", "zeroes", "group_ins", "group_outs", "group_backs",
};

static_assert(ARRAY_SIZE(seen_names) * sizeof(long) == sizeof(struct seen));

/* The slots of a folio, which is swapped out as a whole, and swapped in page by page. */
#define MOST BIT(ORDER)

struct lane {
	int nr[SIDES];			/* the same on both sides, except during renewal */
	swp_entry_t entry[SIDES];	/* the first */
	struct folio *large[SIDES];	/* locked, in the swap cache, until it is evicted */
	struct slot {
		struct folio *folio[SIDES];	/* likewise, a folio of this slot alone */
		bool kept[SIDES];		/* zswap or the device has its data */
		u32 contents;			/* the hash of its contents */
	} slots[MOST];
};

enum kind { STORE, LOAD, INVALIDATE, EVICT, FAULT, WHOLE, RENEW, PRESS, PARAM, GROUP, KINDS };
static const char *const kinds[KINDS] = {
	"store", "load", "invalidate", "evict", "fault", "whole", "renew", "press", "param",
	"group",
};

/* Whether Rust swaps in large folios. */
#define HAS_WHOLE (ORDER && IS_ENABLED(CONFIG_ZSWAP_LARGE_SWAPIN))

struct op {
	enum kind kind;
	u16 lane, slot;
	u64 what;
	u32 n, nth;
	enum fault fault;
	const char *param, *value;
};

/* A task, its lanes, and its operations. */
struct worker {
	struct kunit *test;
	struct rnd_state rnd;
	struct lane *lanes;
	int nr_lanes;
	bool without_memory;	/* some allocations fail */
	bool alone;		/* no other task uses zswap: all can be compared */
	bool full;		/* the limit of the pools may be hit */
	bool loud;
	bool broken;		/* no memory or no slot is left */
	u32 chosen;		/* operations so far */
	u32 nths;		/* allocations that were made to fail */
	u32 counts[KINDS], refused[KINDS];
};

static struct shrinker *shrinkers[SIDES];

/* The suite's cases run on CPU 0, and so allocate on its node. */
#define NODE cpu_to_node(0)

/* --- Contents ---------------------------------------------------------------- */

enum { HALF = RANDOM + 1, ONE, ZERO, NR_CONTENTS };

static void write_page(u64 *to, u64 what, int kind)
{
	u64 x = what | 1;
	int k;

	for (k = 0; k < PAGE_SIZE / sizeof(u64); k++) {
		u64 r = next_random(&x);

		switch (kind) {
		case SAME:
			to[k] = what;
			break;
		case TEXT:
			to[k] = text_word(r);
			break;
		case RANDOM:
			to[k] = r;
			break;
		case HALF:
			to[k] = k % 256 < what % 250 ? r : 0;
			break;
		default:
			to[k] = 0;
		}
	}
	if (kind == ONE)
		((u8 *)to)[(what >> 8) % PAGE_SIZE] = 1;
}

/*
 * Only single-page folios are zero-filled: zswap in Rust sets the zeromap bit for zero-filled pages
 * of large folios, and doesn't store them.
 */
static void write_folio(struct folio *folio, u64 what)
{
	int nr = folio_nr_pages(folio), i;

	for (i = 0; i < nr; i++)
		write_page(folio_address(folio) + i * PAGE_SIZE, what + i,
			   (what + i) % (nr > 1 ? ZERO : NR_CONTENTS));
}

static u32 hash(struct folio *folio, int i)
{
	return jhash2(folio_address(folio) + i * PAGE_SIZE, PAGE_SIZE / sizeof(u32), 0);
}

/* The result of a fault on a slot that is in the swap cache on this side. */
#define THERE 2

/* --- Operations, on one side ------------------------------------------------- */

static void see_folio(struct seen *seen, struct folio *folio)
{
	int i;

	seen->locked = folio_test_locked(folio);
	seen->uptodate = folio_test_uptodate(folio);
	seen->dirty = folio_test_dirty(folio);
	seen->swapcache = folio_test_swapcache(folio);
	seen->reclaim = folio_test_reclaim(folio);
	seen->contents = 0;
	for (i = 0; i < folio_nr_pages(folio); i++)
		seen->contents = seen->contents * 31 + hash(folio, i);
}

/*
 * A store that hits the pool limit queues the worker, which walks the lists while the store clears
 * its slots: their order is not defined. A work item that is queued first delays the worker: each
 * queue runs one item at a time per node, and both are queued on CPU 0.
 */
struct hold {
	struct work_struct work;
	struct completion held, go;
};

static void wait_to_go(struct work_struct *work)
{
	struct hold *hold = container_of(work, struct hold, work);

	complete(&hold->held);
	wait_for_completion(&hold->go);
}

static void hold_worker(int side, struct hold *hold)
{
	INIT_WORK_ONSTACK(&hold->work, wait_to_go);
	init_completion(&hold->held);
	init_completion(&hold->go);
	queue_work(impls[side].queue(), &hold->work);
	wait_for_completion(&hold->held);
}

static void run_worker(int side, struct hold *hold)
{
	complete(&hold->go);
	flush_workqueue(impls[side].queue());
	destroy_work_on_stack(&hold->work);
}

/*
 * The worker iterates over the cgroups from its last position. The cgroup of the C side precedes
 * the other one, so the iterations of the two would end at different positions: makes the worker
 * begin at the root. The order is that of mem_cgroup_iter().
 */
static void rewind_worker(int side)
{
	impls[side].offline(root_mem_cgroup);
	impls[side].offline(twin_groups[C]);
	impls[side].offline(twin_groups[RUST]);
}

static void do_store(struct worker *w, const struct op *op, int side, struct folio *folio,
		     struct seen *seen)
{
	bool settle = w->alone && w->full;
	int refs = folio_ref_count(folio), tries = op->nth ? 2 : 1;
	unsigned int flags;
	struct hold hold;

	write_folio(folio, op->what);
	folio_mark_uptodate(folio);
	if (op->n % 2)
		folio_set_dirty(folio);
	flags = memalloc_noreclaim_save();
	/*
	 * The n-th allocation isn't the same on both sides, as their allocations differ. So a
	 * second store, in which no allocation fails, is compared.
	 */
	for (; tries; tries--) {
		if (settle)
			hold_worker(side, &hold);
		current->fail_nth = tries == 2 ? op->nth : 0;
		seen->ret = impls[side].store(folio);
		w->nths += tries == 2 && !current->fail_nth;
		current->fail_nth = 0;
		if (settle)
			run_worker(side, &hold);
	}
	memalloc_noreclaim_restore(flags);
	seen->refs = folio_ref_count(folio) - refs;
	see_folio(seen, folio);
}

static void do_load(int side, struct folio *folio, struct seen *seen)
{
	int refs = folio_ref_count(folio);

	memset(folio_address(folio), 0xa5, PAGE_SIZE);
	folio_clear_uptodate(folio);
	folio_clear_dirty(folio);
	seen->ret = impls[side].load(folio);
	seen->refs = folio_ref_count(folio) - refs;
	see_folio(seen, folio);
	if (seen->ret != -ENOENT) /* it was unlocked; writeback may have the lock for a moment */
		folio_lock(folio);
}

/*
 * The folio of the slot, locked, in the swap cache: a new one, unless the slot was written back. Or
 * an error.
 */
static struct folio *enter_cache(swp_entry_t entry, bool *written)
{
	struct folio *folio;

	for (;;) {
		folio = swap_cache_get_folio(entry);
		*written = folio;
		if (!folio)
			folio = swap_cache_alloc_folio(entry, GFP_KERNEL, BIT(0), NULL,
						       get_task_policy(current),
						       NO_INTERLEAVE_INDEX);
		if (IS_ERR(folio)) {
			if (PTR_ERR(folio) == -EEXIST)
				continue;
			return folio;
		}
		if (!*written)
			return folio;
		folio_lock(folio);
		folio_wait_writeback(folio);
		if (folio_test_swapcache(folio) && folio->swap.val == entry.val)
			return folio;
		folio_unlock(folio);
		folio_put(folio);
	}
}

/* As do_swap_page(), with this side's zswap. */
static void do_fault(const struct op *op, int side, swp_entry_t entry, struct folio **at,
		     struct seen *seen)
{
	struct swap_io_ctx ctx = {};
	struct folio *folio;
	bool written;

	folio = enter_cache(entry, &written);
	seen->more = IS_ERR(folio) ? 0 : written;
	if (seen->more) {
		/*
		 * A folio batch of the worker's CPU has a reference, which may be dropped at any
		 * time.
		 */
		lru_add_drain_all();
		see_folio(seen, folio);
		if (op->n % 2) {
			folio_clear_reclaim(folio);
			*at = folio;
			return;
		}
		drop(folio);
		folio = enter_cache(entry, &written);
	}
	if (IS_ERR(folio)) {
		seen->more = PTR_ERR(folio);
		return;
	}
	do_load(side, folio, seen);
	if (seen->ret == -ENOENT) {
		impls[side].swapin(folio);
		swap_read_folio(&ctx, folio);
		swap_read_submit(&ctx);
		folio_lock(folio);
		see_folio(seen, folio);
	}
	if (seen->ret && seen->ret != -ENOENT)
		drop(folio);
	else
		*at = folio;
}

static atomic_long_t *swapins(struct mem_cgroup *memcg)
{
	struct lruvec *lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(NODE));

	return &lruvec->zswap_lruvec_state.nr_disk_swapins;
}

/*
 * All slots in one folio, which is dropped before it is mapped, so that nothing changes. C can't do
 * that: it does nothing.
 */
static void do_whole(int side, swp_entry_t entry, struct seen *seen)
{
	atomic_long_t *nr = swapins(twin_groups[side]);
	long before = atomic_long_read(nr);
	struct seen now = {};
	struct folio *folio;

	if (side == C)
		return;
	folio = swapin_orders(entry, BIT(ORDER));
	if (IS_ERR(folio)) {
		seen->ret = PTR_ERR(folio);
		return;
	}
	folio_lock(folio);
	if (folio_test_large(folio) && folio_matches_swap_entry(folio, entry)) {
		see_folio(&now, folio);
		seen->ret = ORDER;
		seen->uptodate = now.uptodate;
		seen->dirty = now.dirty;
		seen->contents = now.contents;
		drop(folio);
	} else { /* of a slot that was written back */
		folio_unlock(folio);
		folio_put(folio);
	}
	/* If all slots were written back, the device was read. */
	atomic_long_set(nr, before);
}

static void do_press(const struct op *op, int side, struct seen *seen)
{
	struct shrink_control sc = {
		.nid = NODE,
		.gfp_mask = op->what % 8 ? GFP_KERNEL : GFP_NOIO,
		.memcg = twin_groups[side],
	};

	seen->more = shrinkers[side]->count_objects(shrinkers[side], &sc);
	sc.nr_to_scan = op->n;
	sc.nr_scanned = op->n;
	seen->ret = shrinkers[side]->scan_objects(shrinkers[side], &sc);
	seen->contents = sc.nr_scanned;
	seen->left = sc.nr_to_scan;
}

static void do_param(const struct op *op, int side, struct seen *seen)
{
	char name[64], value[64] = "";

	snprintf(name, sizeof(name), "%s.%s", impls[side].name, op->param);
	seen->ret = set_param(name, op->value);
	seen->more = get_param(name, value, sizeof(value));
	seen->contents = jhash(value, strlen(value), 0);
}

static void do_group(const struct op *op, int side)
{
	static const unsigned long limits[] = { PAGE_COUNTER_MAX, 0, 1, 4, 10 };
	struct mem_cgroup *memcg = twin_groups[side];

	if (op->n % 2)
		WRITE_ONCE(memcg->zswap_writeback, op->what % 4 != 0);
	else
		WRITE_ONCE(memcg->zswap_max, limits[op->what % 16 < 4 ? 1 + op->what % 4 : 0]);
}

/* Frees the lane's slots, whatever their state. */
static void free_side(struct lane *lane, int side)
{
	struct folio **at, *folio;
	bool written;
	int i;

	for (i = 0; i < lane->nr[side]; i++) {
		swp_entry_t entry = nth(lane->entry[side], i);

		at = &lane->slots[i].folio[side];
		folio = *at;
		*at = NULL;
		/*
		 * Freeing the slot frees its entry in zswap in Rust. The entry in zswap in C is
		 * freed here, with the folio locked.
		 */
		if (side == C && !folio && !lane->large[C])
			folio = enter_cache(entry, &written);
		if (side == C)
			impls[C].invalidate(entry);
		if (!IS_ERR_OR_NULL(folio))
			drop(folio);
	}
	if (lane->large[side])
		drop(lane->large[side]);
	lane->large[side] = NULL;
	swap_put_entries_direct(lane->entry[side], lane->nr[side]);
}

static void new_side(struct worker *w, struct lane *lane, int side, int order)
{
	struct folio *folio = twin_folio(w->test, side, order);

	lane->nr[side] = folio ? 1 << order : 0;
	if (!folio) {
		w->broken = true;
		return;
	}
	lane->entry[side] = folio->swap;
	if (order)
		lane->large[side] = folio;
	else
		lane->slots[0].folio[side] = folio;
}

/* The folio that the operation is for, if its slot is in the swap cache. */
static struct folio *folio_of(struct worker *w, const struct op *op, int side)
{
	struct lane *lane = &w->lanes[op->lane];

	return lane->large[side] ?: lane->slots[op->slot % lane->nr[side]].folio[side];
}

static void act(struct worker *w, const struct op *op, int side, struct seen *seen)
{
	struct lane *lane = &w->lanes[op->lane];
	struct folio *folio = folio_of(w, op, side);
	int i = op->slot % lane->nr[side];

	switch (op->kind) {
	case STORE:
		return do_store(w, op, side, folio, seen);
	case LOAD:
		return do_load(side, folio, seen);
	case INVALIDATE:
		return impls[side].invalidate(nth(lane->entry[side], i));
	case EVICT:
		lane->large[side] = NULL;
		lane->slots[i].folio[side] = NULL;
		return evict(folio, NULL);
	case FAULT:
		seen->more = THERE;
		if (!folio)
			do_fault(op, side, nth(lane->entry[side], i), &lane->slots[i].folio[side],
				 seen);
		return;
	case WHOLE:
		return do_whole(side, nth(lane->entry[side], i), seen);
	case RENEW:
		free_side(lane, side);
		return new_side(w, lane, side, op->what % 3 ? 0 : ORDER);
	case PRESS:
		return do_press(op, side, seen);
	case PARAM:
		return do_param(op, side, seen);
	case GROUP:
		return do_group(op, side);
	case KINDS:
		break;
	}
}

static void look_around(int side, struct seen *seen)
{
	struct mem_cgroup *memcg = twin_groups[side];

	css_rstat_flush(&memcg->css);
	seen->stored = atomic_long_read(impls[side].stored);
	seen->total = impls[side].total();
	seen->enabled = impls[side].enabled();
	seen->never = impls[side].never();
	seen->bytes = memcg_page_state(memcg, MEMCG_ZSWAP_B);
	seen->pages = memcg_page_state(memcg, MEMCG_ZSWAPPED);
	seen->incompressible = memcg_page_state(memcg, MEMCG_ZSWAP_INCOMP);
	seen->swapins = atomic_long_read(swapins(memcg));
	seen->ins += event(ZSWPIN);
	seen->outs += event(ZSWPOUT);
	seen->backs += event(ZSWPWB);
	seen->zeroes += event(SWPOUT_ZERO);
	seen->group_ins += memcg_events(memcg, ZSWPIN);
	seen->group_outs += memcg_events(memcg, ZSWPOUT);
	seen->group_backs += memcg_events(memcg, ZSWPWB);
}

static void run_side(struct worker *w, const struct op *op, int side, struct seen *seen)
{
	struct seen before = {};

	*seen = (struct seen) {};
	if (!w->alone)
		return act(w, op, side, seen);
	lru_add_drain(); /* batches have references */
	if (w->full)
		rewind_worker(side);
	look_around(side, &before);
	*seen = (struct seen) {
		.ins = -before.ins, .outs = -before.outs, .backs = -before.backs,
		.zeroes = -before.zeroes, .group_ins = -before.group_ins,
		.group_outs = -before.group_outs, .group_backs = -before.group_backs,
	};
	acomp_inject(&faulty_compress, op->kind == STORE ? op->fault : FAULT_NONE);
	acomp_inject(&faulty_decompress, op->kind == STORE ? FAULT_NONE : op->fault);
	act(w, op, side, seen);
	acomp_inject(&faulty_compress, FAULT_NONE);
	acomp_inject(&faulty_decompress, FAULT_NONE);
	look_around(side, seen);
}

/* --- Choosing operations ----------------------------------------------------- */

static bool all_kept(const struct lane *lane, int first, int nr)
{
	int i;

	for (i = first; i < first + nr; i++)
		if (!lane->slots[i].kept[C] || !lane->slots[i].kept[RUST])
			return false;
	return true;
}

/* Whether no slot of the lane is in the swap cache. */
static bool all_out(const struct lane *lane)
{
	int side, i;

	for (side = C; side < SIDES; side++) {
		if (lane->large[side])
			return false;
		for (i = 0; i < lane->nr[side]; i++)
			if (lane->slots[i].folio[side])
				return false;
	}
	return true;
}

/* Whether the operation is possible now: earlier operations may have been left out. */
static bool possible(struct worker *w, const struct op *op)
{
	struct lane *lane = &w->lanes[op->lane];
	bool cached = folio_of(w, op, C) && folio_of(w, op, RUST);

	switch (op->kind) {
	case STORE:
	case INVALIDATE:
		return cached;
	case LOAD:
		return cached && !lane->large[C];
	case EVICT:
		return cached && (lane->large[C] ? all_kept(lane, 0, lane->nr[C]) :
						   all_kept(lane, op->slot % lane->nr[C], 1));
	case FAULT:
		return !cached;
	case WHOLE:
		return HAS_WHOLE && lane->nr[C] == MOST && all_out(lane);
	default:
		return true;
	}
}

static void choose_param(struct worker *w, struct op *op, u32 how)
{
	static const char *const params[][2] = {
		{ "compressor", "lzo" }, { "compressor", "lz4" }, { "compressor", "zstd" },
		{ "compressor", "deflate" }, { "compressor", FAULTY_NAME },
		{ "compressor", FAULTY_NAME }, { "compressor", FAULTY_NAME },
		{ "compressor", "none such" }, { "compressor", "" }, { "compressor", " lz4\n" },
		{ "enabled", "N" }, { "enabled", "maybe" }, { "enabled", "1" },
		{ "max_pool_percent", "0" }, { "max_pool_percent", "-1" },
		{ "max_pool_percent", "4294967296" }, { "max_pool_percent", "100" },
		{ "accept_threshold_percent", "0" }, { "accept_threshold_percent", "100" },
		{ "accept_threshold_percent", "50x" },
		{ "shrinker_enabled", "N" }, { "shrinker_enabled", "Y" },
	};
	/* Chosen more often, so that the parameters soon return to these values. */
	static const char *const usual[][2] = {
		{ "enabled", "Y" }, { "max_pool_percent", "90" }, { "shrinker_enabled", "Y" },
		{ "accept_threshold_percent", "90" },
	};
	const char *const *param = how % 4 ? usual[below(&w->rnd, ARRAY_SIZE(usual))] :
					     params[below(&w->rnd, ARRAY_SIZE(params))];

	op->kind = PARAM;
	op->param = param[0];
	op->value = param[1];
}

/* Chooses an operation, which may be impossible. */
static void choose_any(struct worker *w, struct op *op)
{
	static const enum fault load_faults[] = { FAULT_EIO, FAULT_SHORT, FAULT_LONG };
	/*
	 * In alternation, most slots are swapped out, so that the shrinkers find entries, and most
	 * are in the swap cache.
	 */
	bool cold = w->chosen / 128 % 2;
	u32 how = below(&w->rnd, 1000);

	*op = (struct op) {
		.lane = below(&w->rnd, w->nr_lanes),
		.slot = below(&w->rnd, MOST),
		.what = (u64)prandom_u32_state(&w->rnd) << 16 | below(&w->rnd, 1 << 16),
		.n = below(&w->rnd, 64),
	};
	if (how < (w->full ? 150 : 30)) {
		choose_param(w, op, how);
	} else if (how < 170) {
		op->kind = how % 8 ? PRESS : GROUP;
		/* At a limit both write back, whose allocations differ. */
		if (op->kind == GROUP && w->without_memory)
			op->n |= 1;
		op->fault = below(&w->rnd, 8) ? FAULT_NONE : FAULT_EIO;
	} else if (how < 190) {
		op->kind = RENEW;
	} else if (how < 400 && HAS_WHOLE && all_out(&w->lanes[op->lane])) {
		op->kind = WHOLE;
	} else if (!folio_of(w, op, C) || !folio_of(w, op, RUST)) {
		op->kind = cold && how % 16 ? KINDS : FAULT;
		op->fault = below(&w->rnd, 8) ? FAULT_NONE : load_faults[below(&w->rnd, 3)];
	} else if (!cold && how < 270) {
		op->kind = INVALIDATE;
	} else if (!cold && how < 400 && !w->lanes[op->lane].large[C]) {
		op->kind = LOAD;
		op->fault = below(&w->rnd, 8) ? FAULT_NONE : load_faults[below(&w->rnd, 3)];
	} else {
		op->kind = EVICT;
	}
	if (op->kind == EVICT && ((!cold && how < 600) || !possible(w, op))) {
		op->kind = STORE;
		if (!below(&w->rnd, 4))
			op->fault = FAULT_EIO + below(&w->rnd, FAULT_HUGE - FAULT_EIO + 1);
		if (op->fault == FAULT_SHORT || op->fault == FAULT_LONG) /* what is stored is cut */
			op->fault = FAULT_NONE;
		op->nth = w->without_memory && !below(&w->rnd, 3) ? 1 + below(&w->rnd, 8) : 0;
	}
}

static void choose(struct worker *w, struct op *op)
{
	do {
		choose_any(w, op);
	} while (op->kind == KINDS || !possible(w, op));
	w->chosen++;
}

/* --- Comparing --------------------------------------------------------------- */

/* Updates the expected state of the slots, and checks the observed state against it. */
static bool contents_agree(struct worker *w, const struct op *op, int side, const struct seen *seen)
{
	struct lane *lane = &w->lanes[op->lane];
	int i = op->slot % lane->nr[side], nr = 1;
	struct slot *slot = &lane->slots[i];
	struct folio *folio = folio_of(w, op, side);
	bool kept = slot->kept[side];
	long contents = 0;

	switch (op->kind) {
	case STORE:
		if (lane->large[side]) {
			i = 0;
			nr = lane->nr[side];
		}
		for (; nr--; i++) {
			lane->slots[i].kept[side] = seen->ret;
			lane->slots[i].contents = hash(folio, lane->large[side] ? i : 0);
		}
		return true;
	case INVALIDATE:
		slot->kept[side] = false;
		return true;
	case RENEW:
		for (i = 0; i < MOST; i++)
			lane->slots[i].kept[side] = false;
		return true;
	case LOAD:
		if (seen->ret == -EIO)
			return kept && w->alone && op->fault;
		if (seen->ret == -ENOENT)
			return !kept;
		slot->kept[side] = false;
		return kept && seen->contents == slot->contents;
	case FAULT:
		if (seen->ret == -EIO)
			return w->alone && op->fault;
		if (seen->more < 0 || seen->more == THERE)
			return true;
		slot->kept[side] = false;
		return folio && seen->uptodate && seen->contents == slot->contents;
	case WHOLE:
		if (seen->ret <= 0)
			return true;
		for (i = 0; i < MOST; i++)
			contents = contents * 31 + lane->slots[i].contents;
		return seen->uptodate && !seen->dirty && seen->contents == contents;
	default:
		return true;
	}
}

static bool comparable(struct worker *w, const struct op *op, const char *name)
{
	/* C has done nothing. */
	if (op->kind == WHOLE && (strstr(name, "ins") || !strcmp(name, "ret") ||
				  !strcmp(name, "uptodate") || !strcmp(name, "contents")))
		return false;
	/*
	 * The placement of objects differs: Rust stores all pages of a large folio before it frees
	 * the older entries of its slots, and different allocations fail.
	 */
	if (!strcmp(name, "total"))
		return !ORDER && !w->without_memory;
	/* A store that fails for lack of memory is repeated, and its pages are counted twice. */
	return !(op->nth && strstr(name, "outs"));
}

static bool agree(struct worker *w, const struct op *op, const struct seen seen[SIDES])
{
	const long *c = (const long *)&seen[C], *rust = (const long *)&seen[RUST];
	bool ret = true;
	int i;

	for (i = 0; i < ARRAY_SIZE(seen_names); i++) {
		if (c[i] == rust[i] || !comparable(w, op, seen_names[i]))
			continue;
		ret = false;
		if (w->loud)
			kunit_err(w->test, "%s: %s is %ld in C, %ld in Rust", kinds[op->kind],
				  seen_names[i], c[i], rust[i]);
	}
	return ret;
}

static bool run_op(struct worker *w, const struct op *op)
{
	struct seen seen[SIDES];
	bool ret;
	int side;

	w->full |= op->kind == PARAM && !strcmp(op->param, "max_pool_percent") &&
		   !strcmp(op->value, "0");
	for (side = C; side < SIDES; side++)
		run_side(w, op, side, &seen[side]);
	if (w->broken)
		return false;
	w->counts[op->kind]++;
	w->refused[op->kind] += op->kind == STORE ? !seen[C].ret :
				op->kind == WHOLE ? seen[RUST].ret <= 0 : seen[C].ret < 0;
	if (op->kind == STORE && seen[C].ret)
		w->full = false;
	ret = !w->alone || agree(w, op, seen);
	for (side = C; ret && side < SIDES; side++) {
		ret = contents_agree(w, op, side, &seen[side]);
		if (!ret && w->loud)
			kunit_err(w->test, "%s: not what was stored, in %s: returned %ld",
				  kinds[op->kind], impls[side].name, seen[side].ret);
	}
	return ret;
}

/* --- A run ------------------------------------------------------------------- */

static int default_params(void)
{
	static const char *const params[][2] = {
		{ "enabled", "Y" }, { "compressor", FAULTY_NAME }, { "max_pool_percent", "90" },
		{ "accept_threshold_percent", "90" }, { "shrinker_enabled", "Y" },
	};
	struct seen seen = {};
	int i, side, ret = 0;

	for (side = C; side < SIDES; side++) {
		for (i = 0; i < ARRAY_SIZE(params); i++) {
			do_param(&(struct op){ .param = params[i][0], .value = params[i][1] }, side,
				 &seen);
			ret = ret ?: seen.ret;
		}
		WRITE_ONCE(twin_groups[side]->zswap_max, PAGE_COUNTER_MAX);
		WRITE_ONCE(twin_groups[side]->zswap_writeback, true);
		atomic_long_set(swapins(twin_groups[side]), 0);
	}
	return ret;
}

static void free_lanes(struct worker *w)
{
	int i, side;

	for (i = 0; i < w->nr_lanes; i++)
		for (side = C; side < SIDES; side++)
			if (w->lanes[i].nr[side])
				free_side(&w->lanes[i], side);
	memset(w->lanes, 0, w->nr_lanes * sizeof(*w->lanes));
}

static bool begin(struct worker *w)
{
	int i, side;

	free_lanes(w);
	w->full = false;
	w->broken = false;
	for (i = 0; i < w->nr_lanes; i++)
		for (side = C; side < SIDES; side++)
			new_side(w, &w->lanes[i], side, i % 3 ? 0 : ORDER);
	return !w->broken;
}

static struct worker only;
static struct op *ops;

static struct twins_run repeated;

static u32 fails(const u32 *list, u32 nr)
{
	u32 i;

	only.loud = repeated.loud;
	if (default_params() || !begin(&only))
		return 0;
	for (i = 0; i < nr; i++)
		if (possible(&only, &ops[list[i]]) && !run_op(&only, &ops[list[i]]))
			return only.broken ? 0 : i + 1;
	return 0;
}

static void print(struct kunit *test, u32 operation)
{
	const struct op *op = &ops[operation];

	kunit_err(test, "%u: %s, lane %u, slot %u, what %llx, n %u, nth %u, fault %d%s%s%s%s",
		  operation, kinds[op->kind], op->lane, op->slot, op->what, op->n, op->nth,
		  op->fault, op->param ? ", " : "", op->param ?: "", op->param ? "=" : "",
		  op->value ?: "");
}

static struct twins_run repeated = { .fails = fails, .print = print };

/* The files that users see. */
static const char *const files[] = {
	"pool_limit_hit", "reject_reclaim_fail", "reject_compress_fail", "reject_compress_poor",
	"reject_alloc_fail", "reject_kmemcache_fail", "decompress_fail", "written_back_pages",
	"stored_pages", "stored_incompressible_pages",
};

struct statistics {
	u64 files[SIDES][ARRAY_SIZE(files)];
};

static int read_statistics(struct statistics *now)
{
	char path[64], text[33];
	int i, side, ret = 0;

	for (side = C; side < SIDES; side++)
		for (i = 0; i < ARRAY_SIZE(files) && !ret; i++) {
			snprintf(path, sizeof(path), "%s/%s", impls[side].name, files[i]);
			ret = swap_test_read_debugfs(path, text, sizeof(text)) ?:
			      kstrtou64(strim(text), 0, &now->files[side][i]);
		}
	return ret;
}

static void expect_nothing_left(struct kunit *test)
{
	int side;

	for (side = C; side < SIDES; side++) {
		struct seen seen = {};

		look_around(side, &seen);
		KUNIT_EXPECT_EQ(test, seen.stored, 0);
		KUNIT_EXPECT_EQ(test, seen.bytes, 0);
		KUNIT_EXPECT_EQ(test, seen.pages, 0);
		KUNIT_EXPECT_EQ(test, seen.incompressible, 0);
		KUNIT_EXPECT_EQ(test, seen.total, 0);
	}
}

static void report(struct kunit *test, const struct worker *w, u64 time, u64 backs)
{
	u32 i, nr = 0;

	for (i = 0; i < KINDS; i++) {
		kunit_info(test, "%u times %s, %u refused", w->counts[i], kinds[i], w->refused[i]);
		if (i != WHOLE || HAS_WHOLE)
			KUNIT_EXPECT_GT(test, w->counts[i], i == WHOLE ? w->refused[i] : 0);
		nr += w->counts[i];
	}
	KUNIT_EXPECT_GT(test, event(ZSWPWB), backs);
	KUNIT_EXPECT_GT(test, w->refused[STORE], 0);
	kunit_info(test, "%u operations in %llu ms; %llu pages written back", nr,
		   div_u64(time, NSEC_PER_MSEC), event(ZSWPWB) - backs);
}

static struct lane lanes[48];

static void run(struct kunit *test, bool without_memory)
{
	u64 start = seed ?: get_random_u32(), backs = event(ZSWPWB), time;
	struct statistics before, after;
	u32 n, i;

	ops = kvcalloc(operations, sizeof(*ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	only = (struct worker) {
		.test = test, .lanes = lanes, .nr_lanes = ARRAY_SIZE(lanes),
		.without_memory = without_memory, .alone = true, .loud = true,
	};
	kunit_info(test, "zswap_twins.seed=%llu", start);
	prandom_seed_state(&only.rnd, start);
	if (!begin(&only) || read_statistics(&before)) {
		KUNIT_FAIL(test, "no slots, or no statistics");
		goto out;
	}
	time = ktime_get_ns();
	for (n = 0; n < operations; n++) {
		choose(&only, &ops[n]);
		if (!run_op(&only, &ops[n])) {
			KUNIT_FAIL(test, "operation %u of zswap_twins.seed=%llu", n, start);
			twins_explain(test, &repeated, n + 1);
			break;
		}
		cond_resched();
	}
	time = ktime_get_ns() - time;
	KUNIT_EXPECT_EQ(test, read_statistics(&after), 0);
	/* Different allocations fail, so the counts differ. */
	for (i = 0; n == operations && !without_memory && i < ARRAY_SIZE(files); i++)
		KUNIT_EXPECT_EQ_MSG(test, after.files[C][i] - before.files[C][i],
				    after.files[RUST][i] - before.files[RUST][i], "%s", files[i]);
	if (n == operations)
		report(test, &only, time, backs);
	if (n == operations && without_memory)
		KUNIT_EXPECT_GT(test, only.nths, 0);
out:
	free_lanes(&only);
	kvfree(ops);
	expect_nothing_left(test);
}

static void twins_agree(struct kunit *test)
{
	run(test, false);
}

static void twins_agree_without_memory(struct kunit *test)
{
	run(test, true);
}

/* --- Several tasks ----------------------------------------------------------- */

#define TASKS 4

static struct task {
	struct worker worker;
	struct completion done;
	u32 nr;
	bool bad;
} tasks[TASKS];

static int work(void *data)
{
	struct task *task = data;
	struct op op;
	u32 n;

	for (n = 0; n < task->nr && !task->bad; n++) {
		choose(&task->worker, &op);
		task->bad = !run_op(&task->worker, &op);
		cond_resched();
	}
	complete(&task->done);
	return 0;
}

/*
 * Each task has its own lanes. All share the cgroups, parameters and shrinkers, so the effect of a
 * single operation on the counts can't be compared. The contents that are loaded must be those that
 * were stored, the counts must add up once all tasks have stopped, and no entry may be left.
 */
static void twins_of_tasks(struct kunit *test)
{
	u64 start = seed ?: get_random_u32(), backs = event(ZSWPWB), time = ktime_get_ns();
	int i, side, nr = ARRAY_SIZE(lanes) / TASKS;

	kunit_info(test, "zswap_twins.seed=%llu", start);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	faulty_compress.every = 5;
	acomp_inject(&faulty_compress, FAULT_EIO);
	for (i = 0; i < TASKS; i++) {
		struct task *task = &tasks[i];

		*task = (struct task) {
			.worker = {
				.test = test, .lanes = &lanes[i * nr], .nr_lanes = nr,
				.loud = true,
			},
			.nr = operations / TASKS,
		};
		init_completion(&task->done);
		prandom_seed_state(&task->worker.rnd, start + i);
		if (begin(&task->worker) && !IS_ERR(kthread_run(work, task, "zswap_twins/%d", i)))
			continue;
		task->bad = true;
		complete(&task->done);
	}
	for (i = 0; i < TASKS; i++) {
		wait_for_completion(&tasks[i].done);
		KUNIT_EXPECT_FALSE_MSG(test, tasks[i].bad, "task %d", i);
	}
	acomp_inject(&faulty_compress, FAULT_NONE);
	faulty_compress.every = 0;
	for (side = C; side < SIDES; side++) {
		struct seen seen = {};

		flush_workqueue(impls[side].queue());
		look_around(side, &seen);
		KUNIT_EXPECT_EQ(test, seen.stored, seen.pages);
		KUNIT_EXPECT_GE(test, seen.pages, seen.incompressible);
	}
	/* Swaps in all pages. */
	for (i = 0; i < ARRAY_SIZE(lanes); i++) {
		struct worker *w = &tasks[i / nr].worker;
		struct op op = { .kind = FAULT, .lane = i % nr };

		for (op.slot = 0; op.slot < lanes[i].nr[C]; op.slot++)
			if (possible(w, &op))
				KUNIT_EXPECT_TRUE(test, run_op(w, &op));
	}
	for (i = 0; i < TASKS; i++) {
		for (side = 0; i && side < KINDS; side++) {
			tasks[0].worker.counts[side] += tasks[i].worker.counts[side];
			tasks[0].worker.refused[side] += tasks[i].worker.refused[side];
		}
		free_lanes(&tasks[i].worker);
	}
	report(test, &tasks[0].worker, ktime_get_ns() - time, backs);
	expect_nothing_left(test);
}

/* --- The suite --------------------------------------------------------------- */

static struct kunit_case zswap_twins_cases[] = {
	KUNIT_CASE_SLOW(twins_agree),
	KUNIT_CASE_SLOW(twins_agree_without_memory),
	KUNIT_CASE_SLOW(twins_of_tasks),
	{}
};

extern struct list_head shrinker_list;
extern struct mutex shrinker_mutex;

static struct shrinker *find_shrinker(const char *name)
{
	struct shrinker *shrinker;

	guard(mutex)(&shrinker_mutex);
	list_for_each_entry(shrinker, &shrinker_list, list)
		if (shrinker->name && !strncmp(shrinker->name, name, strlen(name)))
			return shrinker;
	return NULL;
}

static int zswap_twins_init(struct kunit *test)
{
	/* Compressors and folio batches are per CPU. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	return default_params();
}

/* Swapoff would wait forever for the locked folios of an aborted case. */
static void zswap_twins_exit(struct kunit *test)
{
	struct worker all = { .test = test, .lanes = lanes, .nr_lanes = ARRAY_SIZE(lanes) };

	free_lanes(&all);
}

/* The device for which zswap in C has trees. */
static struct swap_info_struct *device;

static void zswap_twins_end(struct kunit_suite *suite)
{
	int side;

	for (side = C; device && side < SIDES; side++)
		if (!IS_ERR_OR_NULL(twin_groups[side]))
			c_zswap_memcg_offline_cleanup(twin_groups[side]);
	twins_remove_groups();
	if (device)
		c_zswap_swapoff(device->type);
	device = NULL;
	swap_test_end(suite);
}

static int zswap_twins_begin(struct kunit_suite *suite)
{
	struct swap_info_struct *si;
	int ret = swap_test_begin(suite), side;

	if (ret)
		return ret;
	si = swap_test_device();
	ret = c_zswap_swapon(si->type, si->max);
	if (!ret) {
		device = si;
		/*
		 * After boot, setting the parameters sets up an implementation that wasn't enabled
		 * at boot.
		 */
		ret = twins_make_groups() ?: default_params();
	}
	for (side = C; !ret && side < SIDES; side++) {
		shrinkers[side] = find_shrinker(impls[side].shrinker);
		if (shrinkers[side])
			continue;
		pr_err("%s: %s isn't enabled at boot: CONFIG_ZSWAP_DEFAULT_ON\n", suite->name,
		       impls[side].name);
		ret = -ENODEV;
	}
	if (ret)
		zswap_twins_end(suite); /* KUnit doesn't call it if this fails */
	return ret;
}

static struct kunit_suite zswap_twins_suite = {
	.name = "zswap_twins",
	.suite_init = zswap_twins_begin,
	.suite_exit = zswap_twins_end,
	.init = zswap_twins_init,
	.exit = zswap_twins_exit,
	.test_cases = zswap_twins_cases,
};

kunit_test_suite(zswap_twins_suite);
