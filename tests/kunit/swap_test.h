/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the KUnit suites: folios in the swap cache, slots with users, their
 * contents, and zswap's parameters.
 */
#ifndef _SWAP_TEST_H
#define _SWAP_TEST_H

#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/moduleparam.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/unaligned.h>
#include <linux/vmstat.h>
#include <linux/zswap.h>

#include "../../../../mm/internal.h"
#include "../../../../mm/swap.h"
#include "../../../../mm/swap_table.h"
#include "setup.h"

/* The order of the large folios under test. */
#ifdef CONFIG_THP_SWAP
#define ORDER 4
#else
#define ORDER 0
#endif

/* --- Contents of folios ------------------------------------------------------ */

/* Page i of the folio repeats @what + i. */
static inline void fill(struct folio *folio, u64 what)
{
	long i;

	for (i = 0; i < folio_nr_pages(folio); i++) {
		void *addr = kmap_local_folio(folio, i * PAGE_SIZE);

		memset64(addr, what + i, PAGE_SIZE / sizeof(u64));
		kunmap_local(addr);
	}
}

/* Whether page i repeats @what. */
static inline bool page_holds(struct folio *folio, int i, u64 what)
{
	u64 *addr = kmap_local_folio(folio, i * PAGE_SIZE);
	bool ret = true;
	int at;

	for (at = 0; IS_ENABLED(CONFIG_ZSWAP) && at < PAGE_SIZE / sizeof(u64); at++)
		ret &= addr[at] == what;
	kunmap_local(addr);
	return ret;
}

/* Whether the first page repeats @what. */
static inline bool holds(struct folio *folio, u64 what)
{
	return page_holds(folio, 0, what);
}

/* The next of a sequence of random numbers. */
static inline u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* A word of a page of text: three of four words are from a list of eight. */
static inline u64 text_word(u64 random)
{
	static const char words[8][9] = { "compress", "swapping", " of the ", "\tif (ret",
					  "struct p", "0000 000", "kernel: ", "return 0" };

	return (random >> 32) % 4 ? get_unaligned((u64 *)words[random & 7]) : random;
}

/* What the suites that measure store. */
enum content { SAME, TEXT, RANDOM };

/* Page @i of @content, the same in each round. */
static inline void make_content(u64 *to, enum content content, int i)
{
	u64 x = 88172645463325252ULL + ((u64)i << 20);
	int k;

	for (k = 0; k < 9; k++)
		next_random(&x);
	for (k = 0; k < PAGE_SIZE / sizeof(u64); k++) {
		u64 r = next_random(&x);

		if (content == SAME)
			to[k] = 0x5a5a5a5a5a5a5a5aULL + i;
		else
			to[k] = content == TEXT ? text_word(r) : r;
	}
}

/* --- Slots ------------------------------------------------------------------- */

/* The swap-table entry. */
static inline unsigned long table_entry(swp_entry_t entry)
{
	return swap_table_get(__swap_entry_to_cluster(entry), swp_cluster_offset(entry));
}

static inline swp_entry_t nth(swp_entry_t entry, int n)
{
	return swp_entry(swp_type(entry), swp_offset(entry) + n);
}

/* A locked, charged user folio, with slots that have no other user yet. */
static inline struct folio *new_folio(struct kunit *test, int order, u64 what)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, order);

	if (!folio) {
		KUNIT_FAIL(test, "no memory for order %d", order);
		return NULL;
	}
	__folio_set_locked(folio);
	__folio_set_swapbacked(folio);
	__folio_mark_uptodate(folio);
	fill(folio, what);
	if (mem_cgroup_charge(folio, NULL, GFP_KERNEL) || folio_alloc_swap(folio)) {
		KUNIT_FAIL(test, "no swap slots for order %d", order);
		folio_unlock(folio);
		folio_put(folio);
		return NULL;
	}
	return folio;
}

/*
 * Removes a folio from the swap cache, and frees its slots if they have no
 * user.
 */
static inline void drop(struct folio *folio)
{
	swap_cache_del_folio(folio);
	folio_unlock(folio);
	folio_put(folio);
}

/* Removes a folio from the swap cache, like reclaim. */
static inline void evict(struct folio *folio, void *shadow)
{
	struct swap_cluster_info *ci = swap_cluster_get_and_lock_irq(folio);

	folio_clear_dirty(folio);
	__swap_cache_del_folio(ci, folio, folio->swap, shadow, false);
	swap_cluster_unlock_irq(ci);
	folio_ref_sub(folio, folio_nr_pages(folio));
	folio_unlock(folio);
	folio_put(folio);
}

/* Stores a folio in zswap, as in reclaim. Fails without zswap. */
static inline bool store(struct folio *folio)
{
	unsigned int flags;
	bool ret;

	/*
	 * For lockdep: locks that a store takes must not be held during an
	 * allocation.
	 */
	fs_reclaim_acquire(GFP_KERNEL);
	flags = memalloc_noreclaim_save();
	ret = zswap_store(folio) || !IS_ENABLED(CONFIG_ZSWAP);
	memalloc_noreclaim_restore(flags);
	fs_reclaim_release(GFP_KERNEL);
	return ret;
}

/* Gives the folio's slots a user, stores the folio, and evicts it. */
static inline swp_entry_t swap_out(struct kunit *test, struct folio *folio, void *shadow)
{
	swp_entry_t entry = folio->swap;

	KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	KUNIT_EXPECT_TRUE(test, store(folio));
	evict(folio, shadow);
	return entry;
}

/* Swapped-out slots: each has one user, and its data in zswap. */
static inline swp_entry_t swapped(struct kunit *test, int order, u64 what, void *shadow)
{
	struct folio *folio = new_folio(test, order, what);

	return folio ? swap_out(test, folio, shadow) : (swp_entry_t) {};
}

static inline struct folio *swapin_orders(swp_entry_t entry, unsigned long orders)
{
	return swapin_sync(entry, GFP_KERNEL, orders, NULL,
			   get_task_policy(current), NO_INTERLEAVE_INDEX);
}

static inline struct folio *swapin(swp_entry_t entry)
{
	return swapin_orders(entry, BIT(0));
}

static inline bool has_zero_mark(swp_entry_t entry)
{
	guard(rcu)();
	return __swap_table_test_zero(__swap_entry_to_cluster(entry),
				      swp_cluster_offset(entry));
}

#ifdef CONFIG_ZSWAP
/* --- Zswap ------------------------------------------------------------------- */

static inline int set_param(const char *name, const char *value)
{
	const struct kernel_param *kp;
	char text[64];
	int ret = -ENOENT;

	strscpy(text, value);
	kernel_param_lock(NULL);
	for (kp = __start___param; kp < __stop___param; kp++)
		if (!strcmp(kp->name, name))
			ret = kp->ops->set(text, kp);
	kernel_param_unlock(NULL);
	return ret;
}

static inline int get_param(const char *name, char *value, size_t size)
{
	char *text __free(kfree) = kmalloc(PAGE_SIZE, GFP_KERNEL);
	const struct kernel_param *kp;
	int ret = -ENOENT;

	if (!text)
		return -ENOMEM;
	kernel_param_lock(NULL);
	for (kp = __start___param; kp < __stop___param; kp++)
		if (!strcmp(kp->name, name))
			ret = kp->ops->get(text, kp);
	kernel_param_unlock(NULL);
	if (ret < 0)
		return ret;
	text[ret] = 0;
	return strscpy(value, strim(text), size) < 0 ? -E2BIG : 0;
}

static inline long stored(void)
{
	return atomic_long_read(&zswap_stored_pages);
}
#endif

/* The event's count since boot. */
static noinline_for_stack __maybe_unused unsigned long event(enum vm_event_item item)
{
	unsigned long events[NR_VM_EVENT_ITEMS];

	all_vm_events(events);
	return events[item];
}

#endif
