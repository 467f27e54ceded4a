// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the swap cache's interface in mm/swap.h, for either implementation:
 * which task adds the folio of a slot, the state of a slot after a failure, and
 * that a lookup returns the slot's folio.
 *
 * The slots are real, on the active swap device. No assertion ends a test
 * early, since each test has folios and slots to release.
 */

#include <linux/cgroup.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/leafops.h>
#include <linux/mman.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "swap_test.h"

/*
 * Large swap-ins: whether every block in zswap is admitted whose PTEs are exclusive and which the
 * settings of transparent huge pages allow. Rust reads it.
 */
extern bool swap_cache_admit_all_large;
bool swap_cache_admit_all_large;
module_param_named(admit_all_large, swap_cache_admit_all_large, bool, 0644);

/* Drops a user of each slot: a slot that has no folio is freed. */
static void give_back(struct kunit *test, swp_entry_t entry, int order)
{
	int i;

	swap_put_entries_direct(entry, 1 << order);
	for (i = 0; i < 1 << order; i++)
		KUNIT_EXPECT_EQ(test, table_entry(nth(entry, i)), 0UL);
}

static struct folio *alloc_with(swp_entry_t entry, gfp_t gfp, unsigned long orders)
{
	return swap_cache_alloc_folio(entry, gfp, orders, NULL,
				      get_task_policy(current), NO_INTERLEAVE_INDEX);
}

static struct folio *alloc(swp_entry_t entry, unsigned long orders)
{
	return alloc_with(entry, GFP_KERNEL, orders);
}

/* As swapped(), but a large folio isn't stored in zswap, which may let nobody else fill another. */
static swp_entry_t evicted(struct kunit *test, int order, u64 what, void *shadow)
{
	struct folio *folio = new_folio(test, order, what);
	swp_entry_t entry;

	if (!folio)
		return (swp_entry_t) {};
	if (!order)
		return swap_out(test, folio, shadow);
	entry = folio->swap;
	KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	evict(folio, shadow);
	return entry;
}

static void second_add_finds_the_first(struct kunit *test)
{
	swp_entry_t entry = swapped(test, 0, 1, NULL);
	struct folio *folio, *found;

	if (!entry.val)
		return;
	KUNIT_EXPECT_NULL(test, swap_cache_get_folio(entry));
	KUNIT_EXPECT_FALSE(test, swap_cache_has_folio(entry));

	folio = alloc(entry, BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_swapcache(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_swapbacked(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_uptodate(folio));
	KUNIT_EXPECT_EQ(test, folio->swap.val, entry.val);
	/* The caller's and the swap cache's references; the LRU takes its reference later. */
	KUNIT_EXPECT_GE(test, folio_ref_count(folio), 2);
	KUNIT_EXPECT_TRUE(test, swap_cache_has_folio(entry));

	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(entry, BIT(0))), -EEXIST);
	found = swap_cache_get_folio(entry);
	KUNIT_EXPECT_PTR_EQ(test, found, folio);
	folio_put(found);

	drop(folio);
	KUNIT_EXPECT_FALSE(test, swap_cache_has_folio(entry));
	give_back(test, entry, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(entry, BIT(0))), -ENOENT);
	KUNIT_EXPECT_TRUE(test, IS_ERR(swapin(entry)));
}

static void second_swapin_finds_the_first(struct kunit *test)
{
	swp_entry_t entry = swapped(test, 0, 7, NULL);
	struct folio *first, *second;

	if (!entry.val)
		return;
	first = swapin(entry);
	KUNIT_ASSERT_FALSE(test, IS_ERR(first));
	second = swapin(entry);
	KUNIT_EXPECT_PTR_EQ(test, first, second);
	folio_put(second);

	folio_lock(first);
	KUNIT_EXPECT_TRUE(test, folio_matches_swap_entry(first, entry));
	KUNIT_EXPECT_TRUE(test, folio_test_uptodate(first));
	KUNIT_EXPECT_TRUE(test, holds(first, 7));
	drop(first);
	give_back(test, entry, 0);
}

/* Dropping the last user of a slot that has a folio doesn't free it: removing the folio does. */
static void cached_slot_outlives_its_last_user(struct kunit *test)
{
	swp_entry_t entry = swapped(test, 0, 1, NULL);
	struct folio *folio;

	if (!entry.val)
		return;
	folio = alloc(entry, BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	folio_put_swap(folio, NULL);
	KUNIT_EXPECT_TRUE(test, swap_cache_has_folio(entry));
	KUNIT_EXPECT_EQ(test, __swp_tb_get_count(table_entry(entry)), 0);
	drop(folio);
	KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(entry, BIT(0))), -ENOENT);
}

static void slots_are_freed_one_by_one(struct kunit *test)
{
	struct folio *folio = new_folio(test, ORDER, 1);
	swp_entry_t entry;
	int i;

	if (!folio)
		return;
	entry = folio->swap;
	for (i = 0; i < 1 << ORDER; i += 2)
		KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, folio_page(folio, i)), 0);
	drop(folio);
	for (i = 0; i < 1 << ORDER; i++)
		KUNIT_EXPECT_EQ(test, !table_entry(nth(entry, i)), i % 2);
	for (i = 0; i < 1 << ORDER; i += 2)
		give_back(test, nth(entry, i), 0);
}

static void slot_keeps_its_shadow(struct kunit *test)
{
	void *shadow = xa_mk_value(0x123456);
	swp_entry_t entry = swapped(test, 0, 1, shadow);
	struct folio *folio;

	if (!entry.val)
		return;
	KUNIT_EXPECT_PTR_EQ(test, swap_cache_get_shadow(entry), shadow);
	/* An unset shadow is the empty shadow, not a null entry. */
	folio = alloc(entry, BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	KUNIT_EXPECT_NULL(test, swap_cache_get_shadow(entry));
	evict(folio, shadow);
	KUNIT_EXPECT_PTR_EQ(test, swap_cache_get_shadow(entry), shadow);
	KUNIT_EXPECT_EQ(test, swp_tb_get_count(table_entry(entry)), 1);

	folio = alloc(entry, BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	drop(folio);
	KUNIT_EXPECT_PTR_EQ(test, swap_cache_get_shadow(entry), xa_mk_value(0));
	give_back(test, entry, 0);
	KUNIT_EXPECT_NULL(test, swap_cache_get_shadow(entry));
}

#ifdef CONFIG_THP_SWAP
/* Falls back to smaller ranges of slots: the orders are tried from the largest. */
static void add_falls_back_to_smaller_orders(struct kunit *test)
{
	swp_entry_t entry = evicted(test, ORDER, 1, NULL);
	struct swap_cluster_info *ci;
	struct folio *folio, *one;

	if (!entry.val)
		return;
	folio = alloc(nth(entry, 5), BIT(ORDER) | BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	KUNIT_EXPECT_EQ(test, folio_order(folio), ORDER);
	KUNIT_EXPECT_EQ(test, folio->swap.val, entry.val);
	drop(folio);

	one = alloc(nth(entry, 3), BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(nth(entry, 3), BIT(ORDER))), -EEXIST);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(nth(entry, 5), BIT(ORDER))), -EBUSY);
	folio = alloc(nth(entry, 5), BIT(ORDER) | BIT(2) | BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	KUNIT_EXPECT_EQ(test, folio_order(folio), 2);
	KUNIT_EXPECT_EQ(test, folio->swap.val, nth(entry, 4).val);
	drop(folio);
	drop(one);

	/* A slot with the zeromap bit: a large folio must not include it and its neighbours. */
	one = alloc(nth(entry, 9), BIT(0));
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	ci = swap_cluster_get_and_lock(one);
	__swap_table_set_zero(ci, swp_cluster_offset(one->swap));
	swap_cluster_unlock(ci);
	evict(one, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(nth(entry, 5), BIT(ORDER))), -EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(nth(entry, 9), BIT(ORDER))), -EBUSY);
	/* The zeromap bit is cleared when the slot is freed. */
	give_back(test, nth(entry, 9), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(nth(entry, 9), BIT(ORDER))), -ENOENT);
	KUNIT_EXPECT_EQ(test, PTR_ERR(alloc(nth(entry, 5), BIT(ORDER))), -EBUSY);

	give_back(test, entry, 3);
	give_back(test, nth(entry, 8), 0);
	give_back(test, nth(entry, 10), 1);
	give_back(test, nth(entry, 12), 2);
}

/* Like a split: smaller folios get parts of a large folio's slots. */
static void split_replaces_parts(struct kunit *test)
{
	struct folio *old = new_folio(test, ORDER, 1), *new;
	struct swap_cluster_info *ci;
	swp_entry_t entry;
	int i;

	if (!old)
		return;
	entry = old->swap;
	KUNIT_EXPECT_EQ(test, folio_dup_swap(old, folio_page(old, 6)), 0);
	new = folio_alloc(GFP_KERNEL, 1);
	KUNIT_ASSERT_NOT_NULL(test, new);
	__folio_set_locked(new);
	__folio_set_swapbacked(new);
	folio_set_swapcache(new);
	new->swap = nth(entry, 6);
	folio_ref_add(new, 2);

	ci = swap_cluster_get_and_lock(old);
	__swap_cache_replace_folio(ci, old, new);
	swap_cluster_unlock(ci);
	for (i = 0; i < 1 << ORDER; i++) {
		struct folio *found = swap_cache_get_folio(nth(entry, i));

		KUNIT_EXPECT_PTR_EQ(test, found, i / 2 == 3 ? new : old);
		folio_put(found);
		KUNIT_EXPECT_EQ(test, __swp_tb_get_count(table_entry(nth(entry, i))), i == 6);
	}

	/* Undoes the split. */
	ci = swap_cluster_get_and_lock(old);
	for (i = 6; i < 8; i++)
		__swap_table_set(ci, swp_cluster_offset(nth(entry, i)),
				 folio_to_swp_tb(old,
						 __swp_tb_get_flags(table_entry(nth(entry, i)))));
	swap_cluster_unlock(ci);
	folio_clear_swapcache(new);
	new->private = NULL;
	folio_unlock(new);
	folio_put_refs(new, 3);
	folio_put_swap(old, folio_page(old, 6));
	drop(old);
}
#endif

/* Like migration: another folio gets the same slots, with their counts. */
static void migration_replaces_all(struct kunit *test)
{
	struct folio *old = new_folio(test, ORDER, 1);
	struct folio *new = folio_alloc(GFP_KERNEL, ORDER);
	struct swap_cluster_info *ci;
	int i, nr = 1 << ORDER;
	swp_entry_t entry;

	if (!old || !new)
		return;
	entry = old->swap;
	KUNIT_EXPECT_EQ(test, folio_dup_swap(old, NULL), 0);
	__folio_set_locked(new);
	__folio_set_swapbacked(new);
	KUNIT_EXPECT_EQ(test, mem_cgroup_charge(new, NULL, GFP_KERNEL), 0);

	ci = swap_cluster_get_and_lock_irq(old);
	folio_ref_add(new, nr);
	new->swap = entry;
	folio_set_swapcache(new);
	__swap_cache_replace_folio(ci, old, new);
	node_stat_mod_folio(old, NR_FILE_PAGES, -nr);
	lruvec_stat_mod_folio(old, NR_SWAPCACHE, -nr);
	node_stat_mod_folio(new, NR_FILE_PAGES, nr);
	lruvec_stat_mod_folio(new, NR_SWAPCACHE, nr);
	folio_ref_sub(old, nr);
	swap_cluster_unlock_irq(ci);
	folio_clear_swapcache(old);
	old->private = NULL;
	folio_unlock(old);
	folio_put(old);

	for (i = 0; i < nr; i++) {
		struct folio *found = swap_cache_get_folio(nth(entry, i));

		KUNIT_EXPECT_PTR_EQ(test, found, new);
		folio_put(found);
		KUNIT_EXPECT_EQ(test, __swp_tb_get_count(table_entry(nth(entry, i))), 1);
	}
	evict(new, NULL);
	give_back(test, entry, ORDER);
}

#ifdef CONFIG_MEMCG
#define GROUP "swap_cache"

/* Creates a cgroup. Returns it with a reference. */
static struct mem_cgroup *make_group(struct kunit *test)
{
	struct mem_cgroup *memcg = swap_test_make_group(GROUP);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(memcg), "no cgroup: %pe", memcg);
	return memcg;
}

static void put_group(struct kunit *test, struct mem_cgroup *memcg)
{
	mem_cgroup_put(memcg);
	KUNIT_EXPECT_EQ(test, swap_test_remove_group(GROUP), 0);
}

/* Slots that were swapped out and are charged to this cgroup. */
static swp_entry_t swapped_by(struct kunit *test, struct mem_cgroup *memcg, int order,
			      u64 what, void *shadow)
{
	struct mem_cgroup *before = set_active_memcg(memcg);
	swp_entry_t entry = evicted(test, order, what, shadow);

	set_active_memcg(before);
	return entry;
}

/* A task that finds a folio that is about to be removed again. */
struct finder {
	struct completion done;
	swp_entry_t entry;
	bool stop;
	int found, still_there, locked, kept;
};

static int find(void *data)
{
	struct finder *finder = data;
	int ms;

	while (!READ_ONCE(finder->stop)) {
		struct folio *folio = swap_cache_get_folio(finder->entry);

		if (!folio) {
			cond_resched();
			continue;
		}
		for (ms = 0; !folio_trylock(folio) && ms < 5000; ms++)
			fsleep(1000);
		if (ms == 5000) {
			finder->locked++;
		} else {
			rcu_read_lock();
			if (folio_test_swapcache(folio) || folio_memcg(folio))
				finder->still_there++;
			rcu_read_unlock();
			folio_unlock(folio);
		}
		/* Waits until this task has the only reference. */
		for (ms = 0; folio_ref_count(folio) != 1 && ms < 5000; ms++)
			fsleep(1000);
		if (ms == 5000)
			finder->kept++;
		folio_put(folio);
		WRITE_ONCE(finder->found, finder->found + 1);
	}
	complete(&finder->done);
	return 0;
}

static long charge_fallbacks(int order)
{
	long sum = 0;
#ifdef CONFIG_THP_SWAP
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(mthp_stats, cpu).stats[order][MTHP_STAT_SWPIN_FALLBACK_CHARGE];
#endif
	return sum;
}

/*
 * If a folio can't be charged, the slots don't change, and no task gets the
 * folio.
 */
static void failed_charge_leaves_the_slots(struct kunit *test)
{
	/* If no memory can be reclaimed, the charge fails without the OOM killer. */
	const gfp_t gfp = GFP_KERNEL | __GFP_NORETRY;
	struct mem_cgroup *memcg = make_group(test);
	void *shadow = xa_mk_value(0x42);
	int order;

	/* The cgroup's stock of charges is per CPU. */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	for (order = 0; order <= ORDER; order += ORDER ?: 1) {
		swp_entry_t entry = swapped_by(test, memcg, order, 100, shadow);
		struct finder finder = { .entry = entry };
		unsigned long before[1 << ORDER], used, max;
		struct task_struct *task;
		struct folio *folio;
		long fallbacks, failed = 0;
		unsigned long end;
		int i;

		if (!entry.val)
			break;
		for (i = 0; i < 1 << order; i++)
			before[i] = table_entry(nth(entry, i));
		max = xchg(&memcg->memory.max, 0);
		/* Uses up the stock first. */
		for (i = 0; i < 2 * MEMCG_CHARGE_BATCH; i++) {
			folio = alloc_with(entry, gfp, BIT(order));
			if (IS_ERR(folio))
				break;
			evict(folio, shadow);
		}
		used = page_counter_read(&memcg->memory);
		fallbacks = charge_fallbacks(order);

		init_completion(&finder.done);
		task = kthread_run(find, &finder, "swap_find");
		if (IS_ERR(task))
			KUNIT_FAIL(test, "no thread");
		end = jiffies + 20 * HZ;
		do {
			folio = alloc_with(entry, gfp, BIT(order));
			if (!IS_ERR(folio)) {
				evict(folio, shadow);
				KUNIT_FAIL(test, "charged nonetheless");
				break;
			}
			failed++;
			if (PTR_ERR(folio) != -ENOMEM)
				KUNIT_FAIL(test, "error %ld", PTR_ERR(folio));
			for (i = 0; i < 1 << order; i++)
				if (table_entry(nth(entry, i)) != before[i])
					break;
			if (i != 1 << order) {
				KUNIT_EXPECT_EQ(test, table_entry(nth(entry, i)), before[i]);
				break;
			}
			cond_resched();
		} while ((failed < 100 || READ_ONCE(finder.found) < 3) &&
			 time_before(jiffies, end));
		WRITE_ONCE(finder.stop, true);
		if (!IS_ERR(task))
			wait_for_completion(&finder.done);
		KUNIT_EXPECT_GE(test, finder.found, 3);
		KUNIT_EXPECT_EQ(test, finder.still_there, 0);
		KUNIT_EXPECT_EQ(test, finder.locked, 0);
		KUNIT_EXPECT_EQ(test, finder.kept, 0);
		KUNIT_EXPECT_LE(test, page_counter_read(&memcg->memory), used);
		if (order)
			KUNIT_EXPECT_EQ(test, charge_fallbacks(order) - fallbacks, failed);
		xchg(&memcg->memory.max, max);

		for (i = 0; i < 1 << order; i++) {
			folio = swapin(nth(entry, i));
			if (IS_ERR(folio)) {
				KUNIT_FAIL(test, "no swapin of slot %d: %ld", i, PTR_ERR(folio));
				continue;
			}
			folio_lock(folio);
			KUNIT_EXPECT_TRUE(test, folio_matches_swap_entry(folio, nth(entry, i)));
			/* A large folio was stored nowhere. */
			KUNIT_EXPECT_TRUE(test, order || holds(folio, 100 + i));
			rcu_read_lock();
			KUNIT_EXPECT_PTR_EQ(test, folio_memcg(folio), memcg);
			rcu_read_unlock();
			drop(folio);
		}
		give_back(test, entry, order);
	}
	put_group(test, memcg);
}
#endif

#ifdef CONFIG_FAILSLAB
/*
 * Whichever allocation fails, the slots don't change, and can get a folio afterwards. Returns the
 * number of allocations that can fail.
 */
static int each_allocation_fails(struct kunit *test, swp_entry_t entry, int order, void *shadow)
{
	int n, failed = 0;

	for (n = 1; n < 20; n++) {
		struct folio *folio;
		unsigned int left;

		current->fail_nth = n;
		folio = alloc(entry, BIT(order));
		left = current->fail_nth;
		current->fail_nth = 0;
		if (!IS_ERR(folio)) {
			evict(folio, shadow);
		} else {
			failed++;
			KUNIT_EXPECT_EQ(test, PTR_ERR(folio), -ENOMEM);
			KUNIT_EXPECT_FALSE(test, swap_cache_has_folio(entry));
		}
		KUNIT_EXPECT_PTR_EQ(test, swap_cache_get_shadow(entry), shadow);
		KUNIT_EXPECT_EQ(test, swp_tb_get_count(table_entry(entry)), 1);
		if (left)
			break;
	}
	return failed;
}

static void failed_additions_leave_nothing(struct kunit *test)
{
	void *shadow = xa_mk_value(0x42);
	swp_entry_t entry = evicted(test, ORDER, 1, shadow);
	int order;

	if (!entry.val)
		return;
	for (order = 0; order <= ORDER; order += ORDER ?: 1)
		KUNIT_EXPECT_GT(test, each_allocation_fails(test, entry, order, shadow), 0);
	give_back(test, entry, ORDER);
}

#if defined(CONFIG_MEMCG) && defined(CONFIG_THP_SWAP)
/* A cgroup's deferred split queue is allocated after its first large folio was charged. */
static void first_large_folio_gets_split_queue(struct kunit *test)
{
	struct mem_cgroup *memcg = make_group(test);
	void *shadow = xa_mk_value(0x42);
	swp_entry_t entry;
	int first, second;

	entry = swapped_by(test, memcg, ORDER, 1, shadow);
	if (entry.val) {
		first = each_allocation_fails(test, entry, ORDER, shadow);
		second = each_allocation_fails(test, entry, ORDER, shadow);
		KUNIT_EXPECT_GT(test, first, second);
		KUNIT_EXPECT_GT(test, second, 0);
		give_back(test, entry, ORDER);
	}
	put_group(test, memcg);
}
#endif
#endif

/* Several threads operating on one slot. */
struct race {
	struct completion go, done;
	swp_entry_t entry;
	int rounds;
	atomic_t ready, won, lost, wrong;
};

#define RACERS 3

static void race(struct kunit *test, struct race *race, int (*run)(void *))
{
	int i, started = 0;

	init_completion(&race->go);
	init_completion(&race->done);
	for (i = 0; i < RACERS; i++) {
		struct task_struct *task = kthread_run(run, race, "swap_race/%d", i);

		if (IS_ERR(task))
			KUNIT_FAIL(test, "no thread");
		else
			started++;
	}
	complete_all(&race->go);
	while (started--)
		wait_for_completion(&race->done);
	KUNIT_EXPECT_EQ(test, atomic_read(&race->wrong), 0);
}

static int try_to_win(void *data)
{
	struct race *race = data;
	struct folio *folio;
	int i;

	wait_for_completion(&race->go);
	for (i = 0; i < race->rounds; i++) {
		folio = alloc(race->entry, BIT(0));
		if (!IS_ERR(folio)) {
			/* No other task can have locked it. */
			if (atomic_inc_return(&race->ready) != 1 ||
			    !folio_matches_swap_entry(folio, race->entry))
				atomic_inc(&race->wrong);
			atomic_inc(&race->won);
			atomic_dec(&race->ready);
			drop(folio);
		} else if (PTR_ERR(folio) == -EEXIST) {
			atomic_inc(&race->lost);
		} else {
			atomic_inc(&race->wrong);
		}
		cond_resched();
	}
	complete(&race->done);
	return 0;
}

static void one_of_several_adds_wins(struct kunit *test)
{
	struct race one = { .entry = swapped(test, 0, 1, NULL), .rounds = 3000 };

	if (!one.entry.val)
		return;
	race(test, &one, try_to_win);
	KUNIT_EXPECT_EQ(test, atomic_read(&one.won) + atomic_read(&one.lost), RACERS * one.rounds);
	KUNIT_EXPECT_GT(test, atomic_read(&one.won), 0);
	give_back(test, one.entry, 0);
}

/* Like a fault: swaps in, waits for the lock, rechecks that the folio is still that of the slot. */
static int fault_and_evict(void *data)
{
	struct race *race = data;
	struct folio *folio;
	int i;

	wait_for_completion(&race->go);
	for (i = 0; i < race->rounds; i++) {
		folio = swapin(race->entry);
		if (IS_ERR(folio)) {
			atomic_inc(&race->wrong);
			continue;
		}
		folio_lock(folio);
		if (!folio_matches_swap_entry(folio, race->entry)) {
			/* Evicted meanwhile: a fault would be retried. */
			atomic_inc(&race->lost);
			folio_unlock(folio);
			folio_put(folio);
			continue;
		}
		if (!folio_test_uptodate(folio) || !holds(folio, 5))
			atomic_inc(&race->wrong);
		atomic_inc(&race->won);
		/* Like reclaim, which frees the page for reuse. */
		if (i % 2 && store(folio)) {
			evict(folio, NULL);
		} else {
			folio_unlock(folio);
			folio_put(folio);
		}
		cond_resched();
	}
	complete(&race->done);
	return 0;
}

static void faults_against_reclaim(struct kunit *test)
{
	struct race one = { .entry = swapped(test, 0, 5, NULL), .rounds = 3000 };
	struct folio *folio;

	if (!one.entry.val)
		return;
	race(test, &one, fault_and_evict);
	KUNIT_EXPECT_EQ(test, atomic_read(&one.won) + atomic_read(&one.lost), RACERS * one.rounds);
	folio = swapin(one.entry);
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	folio_lock(folio);
	KUNIT_EXPECT_TRUE(test, holds(folio, 5));
	drop(folio);
	give_back(test, one.entry, 0);
}

#if defined(CONFIG_ZSWAP_LARGE_SWAPIN) && ORDER && PAGE_SHIFT == 12
/* The orders for a fault on the page at @addr, for which @pte is in the page table. */
static unsigned long orders_at(unsigned long addr, pte_t pte)
{
	struct mm_struct *mm = current->mm;
	unsigned long orders;

	mmap_read_lock(mm);
	{
		struct vm_fault vmf = {
			.vma = find_vma(mm, addr),
			.address = addr,
			.pmd = mm_find_pmd(mm, addr),
			.orig_pte = pte,
		};

		orders = swapin_large_orders(&vmf, softleaf_from_pte(pte), BIT(ORDER));
	}
	mmap_read_unlock(mm);
	return orders;
}

/* Maps the @nr pages at @addr, and accesses them. */
static void access_pages(struct kunit *test, unsigned long addr, int nr)
{
	for (; nr--; addr += PAGE_SIZE)
		KUNIT_EXPECT_EQ(test, put_user(1, (char __user *)addr), 0);
}

static void forget_access(unsigned long addr)
{
	struct mm_struct *mm = current->mm;
	pte_t *pte;

	mmap_read_lock(mm);
	pte = pte_offset_map(mm_find_pmd(mm, addr), addr);
	ptep_test_and_clear_young(find_vma(mm, addr), addr, pte);
	pte_unmap(pte);
	mmap_read_unlock(mm);
}

/* Announces a pattern of accesses, or takes that back. */
static void announce(unsigned long addr, vm_flags_t flag, bool set)
{
	struct vm_area_struct *vma;

	mmap_write_lock(current->mm);
	vma = find_vma(current->mm, addr);
	if (set)
		vm_flags_set(vma, flag);
	else
		vm_flags_clear(vma, flag);
	mmap_write_unlock(current->mm);
}

/* For a fault that gets BIT(ORDER) if its cgroup has room. How much is tested on the host. */
static void check_room(struct kunit *test, unsigned long fault, pte_t pte)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg = swap_test_make_group("orders");
	unsigned long usage;

	if (IS_ERR(memcg)) {
		KUNIT_FAIL(test, "no cgroup: %pe", memcg);
		return;
	}
	KUNIT_EXPECT_EQ(test, swap_test_enter_group("orders/"), 0);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), BIT(ORDER));
	usage = page_counter_read(&memcg->memory);
	WRITE_ONCE(memcg->memory.high, usage / 2);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	WRITE_ONCE(memcg->memory.high, usage + 1000);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), BIT(ORDER));
	WRITE_ONCE(memcg->memory.max, usage / 2);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	WRITE_ONCE(memcg->memory.high, PAGE_COUNTER_MAX);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	WRITE_ONCE(memcg->memory.max, PAGE_COUNTER_MAX);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), BIT(ORDER));
	KUNIT_EXPECT_EQ(test, swap_test_enter_group(""), 0);
	mem_cgroup_put(memcg);
	KUNIT_EXPECT_EQ(test, swap_test_remove_group("orders"), 0);
#endif
}

/* For a block at @addr that isn't mapped, in the middle of a VMA. */
static void check_orders(struct kunit *test, unsigned long addr, swp_entry_t entry)
{
	const unsigned long size = PAGE_SIZE << ORDER;
	const int enough = (1 << ORDER) * 3 / 4;
	const unsigned long first = addr - enough * PAGE_SIZE;
	const unsigned long used = arch_has_hw_pte_young() && !IS_ENABLED(CONFIG_ARM64_CONTPTE) ?
				   BIT(ORDER) : 0;
	const unsigned long fault = addr + 5 * PAGE_SIZE;
	const pte_t shared = swp_entry_to_pte(nth(entry, 5));
	const pte_t pte = pte_swp_mkexclusive(shared);
	unsigned long page;

	access_pages(test, first + PAGE_SIZE, enough - 1);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	access_pages(test, first, 1);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), used);
	KUNIT_EXPECT_EQ(test, orders_at(fault, shared), 0UL);
	forget_access(first);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);

	/* A page next to the block must be among them. */
	access_pages(test, addr - size, 1 << ORDER);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), used);
	forget_access(addr - PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	access_pages(test, addr + size, 1);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), used);
	for (page = addr - size; page < addr; page += PAGE_SIZE)
		forget_access(page);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);

	/* The block behind it counts, too. */
	access_pages(test, addr + size, enough);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), used);
	announce(addr, VM_RAND_READ, true);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	announce(addr, VM_RAND_READ, false);
	forget_access(addr + size + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), 0UL);
	announce(addr, VM_SEQ_READ, true);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), BIT(ORDER));
	check_room(test, fault, pte);
	announce(addr, VM_SEQ_READ, false);

	KUNIT_EXPECT_EQ(test, set_param("swap_cache.admit_all_large", "Y"), 0);
	KUNIT_EXPECT_EQ(test, orders_at(fault, pte), BIT(ORDER));
	KUNIT_EXPECT_EQ(test, orders_at(fault, shared), 0UL);
	KUNIT_EXPECT_EQ(test, set_param("swap_cache.admit_all_large", "N"), 0);
}

/*
 * For a block at @addr, at one end of its page table; @neighbour is the only one within that. Sees
 * a refusal at an end, not a read beyond it, which finds whatever is there.
 */
static void check_end(struct kunit *test, unsigned long addr, unsigned long neighbour,
		      swp_entry_t entry)
{
	const pte_t pte = pte_swp_mkexclusive(swp_entry_to_pte(entry));
	const unsigned long used = arch_has_hw_pte_young() && !IS_ENABLED(CONFIG_ARM64_CONTPTE) ?
				   BIT(ORDER) : 0;

	/* On both sides. */
	access_pages(test, addr - PAGE_SIZE, 1);
	access_pages(test, addr + (PAGE_SIZE << ORDER), 1);
	KUNIT_EXPECT_EQ(test, orders_at(addr, pte), 0UL);
	access_pages(test, neighbour, 1 << ORDER);
	KUNIT_EXPECT_EQ(test, orders_at(addr, pte), used);
	forget_access(neighbour < addr ? addr - PAGE_SIZE : neighbour);
	KUNIT_EXPECT_EQ(test, orders_at(addr, pte), 0UL);
}

static void orders_follow_the_access_bits(struct kunit *test)
{
	const unsigned long size = PAGE_SIZE << ORDER;
	unsigned long addr;
	swp_entry_t entry;

	/* Three page tables; the last block of the second, and its first, have two neighbours. */
	addr = kunit_vm_mmap(test, NULL, SZ_1G, 3 * PMD_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_EQ(test, addr, SZ_1G);
	/* Pages are mapped one by one. */
	KUNIT_ASSERT_EQ(test, 0, do_madvise(current->mm, addr, 3 * PMD_SIZE, MADV_NOHUGEPAGE));
	entry = swapped(test, ORDER, 1, NULL);
	if (!entry.val)
		return;
	check_orders(test, addr + PMD_SIZE / 2, entry);
	check_end(test, addr + PMD_SIZE, addr + PMD_SIZE + size, entry);
	check_end(test, addr + 2 * PMD_SIZE - size, addr + 2 * PMD_SIZE - 2 * size, entry);
	give_back(test, entry, ORDER);
}
#endif

static struct kunit_case swap_cache_cases[] = {
	KUNIT_CASE(second_add_finds_the_first),
	KUNIT_CASE(second_swapin_finds_the_first),
	KUNIT_CASE(cached_slot_outlives_its_last_user),
	KUNIT_CASE(slots_are_freed_one_by_one),
	KUNIT_CASE(slot_keeps_its_shadow),
#ifdef CONFIG_THP_SWAP
	KUNIT_CASE(add_falls_back_to_smaller_orders),
	KUNIT_CASE(split_replaces_parts),
#endif
	KUNIT_CASE(migration_replaces_all),
#ifdef CONFIG_MEMCG
	KUNIT_CASE(failed_charge_leaves_the_slots),
#endif
#ifdef CONFIG_FAILSLAB
	KUNIT_CASE(failed_additions_leave_nothing),
#if defined(CONFIG_MEMCG) && defined(CONFIG_THP_SWAP)
	KUNIT_CASE(first_large_folio_gets_split_queue),
#endif
#endif
	KUNIT_CASE(one_of_several_adds_wins),
	KUNIT_CASE(faults_against_reclaim),
#if defined(CONFIG_ZSWAP_LARGE_SWAPIN) && ORDER && PAGE_SHIFT == 12
	KUNIT_CASE(orders_follow_the_access_bits),
#endif
	{}
};

static int swap_cache_init(struct kunit *test)
{
#ifdef CONFIG_ZSWAP
	/* These tests store the data of slots in zswap. */
	if (!zswap_is_enabled())
		return set_param("zswap.enabled", "Y");
#endif
	return 0;
}

static struct kunit_suite swap_cache_suite = {
	.name = "swap_cache",
	.suite_init = swap_test_begin,
	.suite_exit = swap_test_end,
	.init = swap_cache_init,
	.test_cases = swap_cache_cases,
};

kunit_test_suite(swap_cache_suite);
