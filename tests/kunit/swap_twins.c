// SPDX-License-Identifier: GPL-2.0
/*
 * The swap cache in C as the oracle: C and Rust do the same random operations on twins, pairs of
 * slots of two cgroups. After each operation the entries of the swap table, the folios and the
 * counts must be the same. Both work on the same swap tables: in a second case each operation on
 * one of the twins is done by either implementation.
 *
 * swap_twins.seed=N repeats a run, swap_twins.operations=N sets its length. If a run fails, the
 * suite prints a short sequence of its operations that fails as well.
 *
 * Not tested here: swapout in __swap_cache_del_folio(), read_swap_cache_async(), and readahead by
 * address.
 */

#include <linux/jhash.h>
#include <linux/moduleparam.h>

#include "twins.h"

static u64 seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of the operations; random if 0");

static uint operations = 50000;
module_param(operations, uint, 0444);
MODULE_PARM_DESC(operations, "of each case");

struct folio *c_swap_cache_get_folio(swp_entry_t entry);
bool c_swap_cache_has_folio(swp_entry_t entry);
void *c_swap_cache_get_shadow(swp_entry_t entry);
void __c_swap_cache_add_folio(struct swap_cluster_info *ci, struct folio *folio, swp_entry_t entry);
void __c_swap_cache_del_folio(struct swap_cluster_info *ci, struct folio *folio, swp_entry_t entry,
			      void *shadow, bool swapout);
void c_swap_cache_del_folio(struct folio *folio);
void __c_swap_cache_replace_folio(struct swap_cluster_info *ci, struct folio *old,
				  struct folio *new);
struct folio *c_swap_cache_alloc_folio(swp_entry_t entry, gfp_t gfp, unsigned long orders,
				       struct vm_fault *vmf, struct mempolicy *mpol, pgoff_t ilx);
struct folio *c_swapin_sync(swp_entry_t entry, gfp_t gfp, unsigned long orders,
			    struct vm_fault *vmf, struct mempolicy *mpol, pgoff_t ilx);
struct folio *c_swap_cluster_readahead(swp_entry_t entry, gfp_t gfp, struct mempolicy *mpol,
				       pgoff_t ilx);
void c_swap_update_readahead(struct folio *folio, struct vm_area_struct *vma, unsigned long addr);
void c_swap_page_cluster(int cluster);

static const struct impl {
	struct folio *(*get)(swp_entry_t entry);
	bool (*has)(swp_entry_t entry);
	void *(*shadow)(swp_entry_t entry);
	void (*add)(struct swap_cluster_info *ci, struct folio *folio, swp_entry_t entry);
	void (*del)(struct swap_cluster_info *ci, struct folio *folio, swp_entry_t entry,
		    void *shadow, bool swapout);
	void (*del_locking)(struct folio *folio);
	void (*replace)(struct swap_cluster_info *ci, struct folio *old, struct folio *new);
	struct folio *(*alloc)(swp_entry_t entry, gfp_t gfp, unsigned long orders,
			       struct vm_fault *vmf, struct mempolicy *mpol, pgoff_t ilx);
	struct folio *(*sync)(swp_entry_t entry, gfp_t gfp, unsigned long orders,
			      struct vm_fault *vmf, struct mempolicy *mpol, pgoff_t ilx);
	struct folio *(*ahead)(swp_entry_t entry, gfp_t gfp, struct mempolicy *mpol, pgoff_t ilx);
	void (*update)(struct folio *folio, struct vm_area_struct *vma, unsigned long addr);
} impls[SIDES] = {
	[C] = {
		.get = c_swap_cache_get_folio, .has = c_swap_cache_has_folio,
		.shadow = c_swap_cache_get_shadow,
		.add = __c_swap_cache_add_folio, .del = __c_swap_cache_del_folio,
		.del_locking = c_swap_cache_del_folio, .replace = __c_swap_cache_replace_folio,
		.alloc = c_swap_cache_alloc_folio, .sync = c_swapin_sync,
		.ahead = c_swap_cluster_readahead, .update = c_swap_update_readahead,
	},
	[RUST] = {
		.get = swap_cache_get_folio, .has = swap_cache_has_folio,
		.shadow = swap_cache_get_shadow,
		.add = __swap_cache_add_folio, .del = __swap_cache_del_folio,
		.del_locking = swap_cache_del_folio, .replace = __swap_cache_replace_folio,
		.alloc = swap_cache_alloc_folio, .sync = swapin_sync,
		.ahead = swap_cluster_readahead, .update = swap_update_readahead,
	},
};

/* The observable state of one side after an operation. */
struct seen {
	/* of the call */
	long ret, mine;
	/* of its slot, and of all slots of the lane */
	long kind, count, shadow, table;
	/* of its folio */
	long order, locked, uptodate, dirty, swapcache, swapbacked, workingset, readahead, lru;
	long refs, swap, group;
	/* of all */
	long cached, refaults, ra, ra_hits;
};

static const char *const seen_names[] = {
	"ret", "mine", "kind", "count", "shadow", "table", "order", "locked", "uptodate", "dirty",
	"swapcache", "swapbacked", "workingset", "readahead", "lru", "refs", "swap", "group",
	"cached", "refaults", "ra", "ra_hits",
};

static_assert(ARRAY_SIZE(seen_names) * sizeof(long) == sizeof(struct seen));

/*
 * A side has the slots of one part of a cluster, in lanes of the size of a large folio. A lane is
 * also larger than a readahead window, which is aligned and so stays within a lane.
 */
#define LANES 8
#define WIDTH 16
#define SLOTS (LANES * WIDTH)

static swp_entry_t first[SIDES];
/*
 * The folio of each slot in the swap cache, locked. A large folio is the element of each of its
 * slots.
 */
static struct folio *folios[SIDES][SLOTS];

enum kind {
	GET, HAS, SHADOW, ALLOC, SYNC, AHEAD, UPDATE, EVICT, DEL, READD, REPLACE, DUP, PUT, KINDS
};

static const char *const kinds[KINDS] = {
	"get", "has", "shadow", "alloc", "sync", "readahead", "update", "evict", "del", "readd",
	"replace", "dup", "put",
};

static struct op {
	enum kind kind;
	u16 slot;
	u32 n, nth;
} *ops;

static struct kunit *test;
static struct rnd_state rnd;
static bool mixed;
static struct twins_run repeated;

/* --- Operations, on one side ------------------------------------------------- */

static void put_away(int side, struct folio *folio)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		if (folios[side][i] == folio)
			folios[side][i] = NULL;
	folio_unlock(folio);
	folio_put(folio);
}

/* Locks the folios that were added to the swap cache for this lane, and takes references. */
static void take_lane(int side, int slot)
{
	struct folio *folio;
	int i;

	for (i = slot / WIDTH * WIDTH; i < (slot / WIDTH + 1) * WIDTH; i++) {
		if (folios[side][i])
			continue;
		folio = swap_cache_get_folio(nth(first[side], i));
		if (!folio)
			continue;
		if (folio_test_large(folio) &&
		    swp_offset(folio->swap) != swp_offset(first[side]) + i) {
			folios[side][i] = folios[side][i - 1];
			folio_put(folio);
			continue;
		}
		folio_lock(folio);
		folios[side][i] = folio;
	}
}

static struct folio *new_one(int side, int order)
{
	struct mem_cgroup *old = set_active_memcg(twin_groups[side]);
	struct folio *folio = folio_alloc(GFP_KERNEL | __GFP_NOFAIL, order);

	__folio_set_locked(folio);
	__folio_set_swapbacked(folio);
	WARN_ON(mem_cgroup_charge(folio, NULL, GFP_KERNEL));
	set_active_memcg(old);
	return folio;
}

/* As shmem_replace_folio(). */
static void do_replace(const struct impl *impl, int side, struct folio *folio)
{
	int nr = folio_nr_pages(folio), i;
	struct folio *new = new_one(side, folio_order(folio));
	struct swap_cluster_info *ci;

	folio_set_swapcache(new);
	new->swap = folio->swap;
	folio_ref_add(new, nr);
	ci = swap_cluster_get_and_lock_irq(folio);
	impl->replace(ci, folio, new);
	swap_cluster_unlock_irq(ci);
	node_stat_add_folio(new, NR_FILE_PAGES);
	lruvec_stat_mod_folio(new, NR_SWAPCACHE, nr);
	node_stat_sub_folio(folio, NR_FILE_PAGES);
	lruvec_stat_mod_folio(folio, NR_SWAPCACHE, -nr);
	folio_clear_swapcache(folio);
	folio->swap.val = 0;
	folio_ref_sub(folio, nr);
	for (i = 0; i < SLOTS; i++)
		if (folios[side][i] == folio)
			folios[side][i] = new;
	folio_unlock(folio);
	folio_put(folio);
}

static void do_swapin(const struct op *op, const struct impl *impl, int side, swp_entry_t entry,
		      struct seen *seen)
{
	/* zswap was enabled: only the one in Rust may be called to load a large folio. */
	bool large = op->kind == ALLOC ||
		     (op->kind == SYNC && IS_ENABLED(CONFIG_ZSWAP_LARGE_SWAPIN));
	unsigned long orders = BIT(0) | (large && op->n % 2 ? BIT(ORDER) : 0);
	struct mempolicy *policy = get_task_policy(current);
	struct folio *folio;

	current->fail_nth = op->nth;
	if (op->kind == ALLOC)
		folio = impl->alloc(entry, GFP_KERNEL, orders, NULL, policy, NO_INTERLEAVE_INDEX);
	else if (op->kind == SYNC)
		folio = impl->sync(entry, GFP_KERNEL, orders, NULL, policy, NO_INTERLEAVE_INDEX);
	else
		folio = impl->ahead(entry, GFP_KERNEL, policy, NO_INTERLEAVE_INDEX);
	current->fail_nth = 0;
	seen->ret = PTR_ERR_OR_ZERO(folio);
	seen->mine = folio && folio == folios[side][op->slot];
	if (IS_ERR_OR_NULL(folio))
		goto out;
	if (op->kind == ALLOC)
		folio_unlock(folio);
	folio_put(folio);
out:
	take_lane(side, op->slot);
}

/* As workingset_eviction() makes shadows: of node 0, and of a cgroup that was removed. */
static void *a_shadow(unsigned long age)
{
	return xa_mk_value(age << (1 + NODES_SHIFT + MEM_CGROUP_ID_SHIFT));
}

static void act(const struct op *op, const struct impl *impl, int side, struct seen *seen)
{
	struct folio *folio = folios[side][op->slot], *other;
	swp_entry_t entry = nth(first[side], op->slot);
	struct swap_cluster_info *ci;
	void *shadow;
	int i;

	switch (op->kind) {
	case GET:
		other = impl->get(entry);
		seen->ret = !!other;
		seen->mine = other == folio;
		if (other)
			folio_put(other);
		return;
	case HAS:
		seen->ret = impl->has(entry);
		return;
	case SHADOW:
		seen->ret = (long)impl->shadow(entry);
		return;
	case ALLOC:
	case SYNC:
	case AHEAD:
		return do_swapin(op, impl, side, entry, seen);
	case UPDATE:
		return impl->update(folio, NULL, 0);
	case EVICT:
	case READD:
		shadow = op->n % 3 ? a_shadow(op->n) : NULL;
		entry = folio->swap;
		ci = swap_cluster_get_and_lock_irq(folio);
		impl->del(ci, folio, entry, shadow, false);
		if (op->kind == READD) {
			impl->add(ci, folio, entry);
			folio_ref_sub(folio, folio_nr_pages(folio));
		}
		swap_cluster_unlock_irq(ci);
		if (op->kind == EVICT) {
			folio_ref_sub(folio, folio_nr_pages(folio));
			put_away(side, folio);
		}
		return;
	case DEL:
		impl->del_locking(folio);
		return put_away(side, folio);
	case REPLACE:
		return do_replace(impl, side, folio);
	case DUP:
		i = op->slot % folio_nr_pages(folio);
		seen->ret = folio_dup_swap(folio, folio_page(folio, i));
		return;
	case PUT:
		return swap_put_entries_direct(entry, 1);
	case KINDS:
		break;
	}
}

/* The slot's swap-table entry, without the bits that differ between the sides. */
static void see_slot(int side, int i, struct seen *seen)
{
	unsigned long word = table_entry(nth(first[side], i));

	seen->kind = swp_tb_is_folio(word) ? 2 : swp_tb_is_shadow(word);
	seen->count = word ? swp_tb_get_count(word) : -1;
	seen->shadow = swp_tb_is_shadow(word) ? (long)swp_tb_to_shadow(word) : 0;
	seen->mine += 2 * (swp_tb_is_folio(word) && swp_tb_to_folio(word) == folios[side][i]);
	seen->table = jhash_3words(seen->kind, seen->count, seen->shadow, seen->table);
}

static void look(const struct op *op, int side, struct seen *seen)
{
	struct folio *folio = folios[side][op->slot];
	struct mem_cgroup *memcg = twin_groups[side];
	int i, slot = op->slot;

	for (i = slot / WIDTH * WIDTH; i < (slot / WIDTH + 1) * WIDTH; i++)
		see_slot(side, i, seen);
	see_slot(side, slot, seen);
	if (folio) {
		lru_add_drain(); /* batches have references */
		seen->order = folio_order(folio);
		seen->locked = folio_test_locked(folio);
		seen->uptodate = folio_test_uptodate(folio);
		seen->dirty = folio_test_dirty(folio);
		seen->swapcache = folio_test_swapcache(folio);
		seen->swapbacked = folio_test_swapbacked(folio);
		seen->workingset = folio_test_workingset(folio);
		seen->readahead = !folio_test_large(folio) && folio_test_readahead(folio);
		seen->lru = folio_test_lru(folio);
		seen->swap = folio->swap.val - first[side].val;
		rcu_read_lock();
		seen->group = folio_memcg(folio) == memcg;
		rcu_read_unlock();
		seen->refs = folio_ref_count(folio);
	}
	css_rstat_flush(&memcg->css);
	seen->cached = memcg_page_state(memcg, NR_SWAPCACHE);
	seen->refaults += memcg_page_state(memcg, WORKINGSET_REFAULT_ANON);
	seen->ra += event(SWAP_RA);
	seen->ra_hits += event(SWAP_RA_HIT);
}

/* --- Both sides -------------------------------------------------------------- */

static bool possible(const struct op *op)
{
	struct folio *folio = folios[C][op->slot];
	unsigned long word = table_entry(nth(first[C], op->slot));
	int count = word ? swp_tb_get_count(word) : -1;

	switch (op->kind) {
	case EVICT:
	case DEL:
	case READD:
	case REPLACE:
		return folio;
	case UPDATE:
		return folio && !folio_test_large(folio);
	case DUP:
		return folio && count < 3;
	case PUT: /* a slot without a user must have a folio: none is freed here */
		return count > 1;
	default:
		return true;
	}
}

static void choose(struct op *op)
{
	static const enum kind often[] = {
		GET, HAS, SHADOW, ALLOC, ALLOC, SYNC, SYNC, AHEAD, AHEAD, AHEAD, UPDATE, UPDATE,
		EVICT, EVICT, EVICT, EVICT, DEL, DEL, READD, REPLACE, DUP, PUT,
	};

	do {
		*op = (struct op) {
			.kind = often[below(&rnd, ARRAY_SIZE(often))],
			.slot = below(&rnd, SLOTS),
			.n = below(&rnd, 1 << 10),
		};
		if (op->kind == ALLOC || op->kind == SYNC)
			op->nth = below(&rnd, 3) ? 0 : 1 + below(&rnd, 4);
	} while (!possible(op));
}

static bool run_op(const struct op *op)
{
	struct seen seen[SIDES];
	const long *c = (const long *)&seen[C], *rust = (const long *)&seen[RUST];
	bool ret = true;
	int side, i;

	for (side = C; side < SIDES; side++) {
		/* Each implementation has its own state of readahead. */
		bool either = mixed && op->kind != AHEAD && op->kind != UPDATE;
		int by = side == RUST && either ? op->n % 2 : side;
		struct seen before = {};

		look(op, side, &before);
		seen[side] = (struct seen) {
			.refaults = -before.refaults, .ra = -before.ra, .ra_hits = -before.ra_hits,
		};
		act(op, &impls[by], side, &seen[side]);
		look(op, side, &seen[side]);
	}
	for (i = 0; i < ARRAY_SIZE(seen_names); i++) {
		if (c[i] == rust[i])
			continue;
		ret = false;
		if (repeated.loud)
			kunit_err(test, "%s: %s is %ld in C, %ld in Rust", kinds[op->kind],
				  seen_names[i], c[i], rust[i]);
	}
	return ret;
}

/* --- A run ------------------------------------------------------------------- */

/* The number of slots that are allocated to find a whole part of a cluster among them. */
#define MOST (8 * SLOTS)

/*
 * Finds slots for a side: all slots of one aligned part of a cluster. Each has a user, and a folio
 * in @folios.
 */
static bool take_slots(int side)
{
	struct folio **all = kvcalloc(MOST, sizeof(*all), GFP_KERNEL), *folio;
	unsigned long *have = bitmap_zalloc(SMALL_DEVICE * 2, GFP_KERNEL);
	int nr = 0, step = 1 << ORDER, i;
	unsigned long at = 0;
	bool found = false;

	while (all && have && !found && nr < MOST / step) {
		folio = twin_folio(test, side, ORDER);
		if (!folio)
			break;
		all[nr++] = folio;
		at = swp_offset(folio->swap);
		if (at + SLOTS > SMALL_DEVICE * 2)
			continue;
		bitmap_set(have, at, step);
		at = round_down(at, SLOTS);
		found = find_next_zero_bit(have, at + SLOTS, at) == at + SLOTS;
	}
	for (i = 0; i < nr; i++) {
		unsigned long offset = swp_offset(all[i]->swap);
		int k;

		if (found && offset >= at && offset < at + SLOTS) {
			first[side] = swp_entry(swp_type(all[i]->swap), at);
			for (k = 0; k < step; k++)
				folios[side][offset - at + k] = all[i];
			continue;
		}
		folio_put_swap(all[i], NULL);
		drop(all[i]);
	}
	kvfree(all);
	bitmap_free(have);
	return found;
}

static void free_slots(int side)
{
	struct folio *folio;
	int i, users;

	if (!first[side].val)
		return;
	for (i = 0; i < SLOTS; i++) {
		folio = folios[side][i];
		if (folio) {
			swap_cache_del_folio(folio);
			put_away(side, folio);
		}
	}
	for (i = 0; i < SLOTS; i++)
		for (users = swp_tb_get_count(table_entry(nth(first[side], i))); users; users--)
			swap_put_entries_direct(nth(first[side], i), 1);
	first[side].val = 0;
}

static bool begin(void)
{
	int side, i;

	for (side = C; side < SIDES; side++) {
		free_slots(side);
		if (!take_slots(side))
			return false;
	}
	/* Resets the readahead of both sides: no hits, the smallest window, the same last slot. */
	for (i = 0; i < 12; i++)
		for (side = C; side < SIDES; side++) {
			struct op op = { .kind = AHEAD, .slot = i % 2 * 2 * WIDTH };
			struct seen seen = {};

			act(&op, &impls[side], side, &seen);
		}
	return true;
}

static u32 fails(const u32 *list, u32 nr)
{
	u32 i;

	if (!begin())
		return 0;
	for (i = 0; i < nr; i++)
		if (possible(&ops[list[i]]) && !run_op(&ops[list[i]]))
			return i + 1;
	return 0;
}

static void print(struct kunit *test, u32 operation)
{
	const struct op *op = &ops[operation];

	kunit_err(test, "%u: %s, slot %u, n %u, nth %u", operation, kinds[op->kind], op->slot,
		  op->n, op->nth);
}

static struct twins_run repeated = { .fails = fails, .print = print };

static void run(struct kunit *now, bool mix)
{
	u64 start = seed ?: get_random_u32(), time;
	u32 counts[KINDS] = {}, n, i;
	long free;
	int side;

	test = now;
	mixed = mix;
	repeated.loud = true;
	free = get_nr_swap_pages();
	kunit_info(test, "swap_twins.seed=%llu", start);
	prandom_seed_state(&rnd, start);
	ops = kvcalloc(operations, sizeof(*ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	if (!begin()) {
		KUNIT_FAIL(test, "no %d slots side by side", SLOTS);
		goto out;
	}
	time = ktime_get_ns();
	for (n = 0; n < operations; n++) {
		choose(&ops[n]);
		counts[ops[n].kind]++;
		if (!run_op(&ops[n])) {
			KUNIT_FAIL(test, "operation %u of swap_twins.seed=%llu", n, start);
			twins_explain(test, &repeated, n + 1);
			break;
		}
		cond_resched();
	}
	time = ktime_get_ns() - time;
	for (i = 0; i < KINDS; i++) {
		kunit_info(test, "%u times %s", counts[i], kinds[i]);
		KUNIT_EXPECT_TRUE(test, counts[i] || n < operations);
	}
	kunit_info(test, "%u operations in %llu ms", n, div_u64(time, NSEC_PER_MSEC));
out:
	kvfree(ops);
	for (side = C; side < SIDES; side++) {
		free_slots(side);
		/*
		 * The stock, which is charged in advance, may differ while slots are in use: the
		 * charge is checked only here.
		 */
		KUNIT_EXPECT_LE(test, page_counter_read(&twin_groups[side]->memory),
				MEMCG_CHARGE_BATCH);
	}
	KUNIT_EXPECT_EQ(test, get_nr_swap_pages(), free);
}

static void swap_caches_agree(struct kunit *test)
{
	run(test, false);
}

static void swap_caches_mix(struct kunit *test)
{
	run(test, true);
}

static struct kunit_case swap_twins_cases[] = {
	KUNIT_CASE_SLOW(swap_caches_agree),
	KUNIT_CASE_SLOW(swap_caches_mix),
	{}
};

static int swap_twins_init(struct kunit *test)
{
	/* Clusters and folio batches are per CPU. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	return 0;
}

static void swap_twins_end(struct kunit_suite *suite)
{
	twins_remove_groups();
	swap_test_end(suite);
}

static int swap_twins_begin(struct kunit_suite *suite)
{
	int ret = swap_test_begin(suite);

	if (ret)
		return ret;
	c_swap_page_cluster(3);
	ret = twins_make_groups();
	if (ret)
		swap_twins_end(suite); /* KUnit doesn't call it if this fails */
	return ret;
}

static struct kunit_suite swap_twins_suite = {
	.name = "swap_twins",
	.suite_init = swap_twins_begin,
	.suite_exit = swap_twins_end,
	.init = swap_twins_init,
	.test_cases = swap_twins_cases,
};

kunit_test_suite(swap_twins_suite);
