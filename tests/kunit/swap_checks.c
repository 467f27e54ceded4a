// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that callers of the swap cache that violate the requirements of mm/swap.h get a warning:
 * with CONFIG_DEBUG_VM, from either implementation. Also tests that the implementation in Rust
 * never writes to a slot that its caller must not pass, with or without CONFIG_DEBUG_VM.
 *
 * Warnings are printed once: run this once after a boot, or after a write to
 * /sys/kernel/debug/clear_warn_once.
 */

#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include "../../../../mm/internal.h"
#include "../../../../mm/swap.h"
#include "../../../../mm/swap_table.h"
#include "setup.h"

#ifdef CONFIG_THP_SWAP
#define ORDER 1
#else
#define ORDER 0
#endif

/*
 * Counts the warnings of an operation. Suppresses their stack traces in the log.
 */
#define WARNINGS(test, ...)						\
({									\
	int _warnings = 0;						\
									\
	kunit_warning_suppress(test) {					\
		__VA_ARGS__;						\
		_warnings = KUNIT_SUPPRESSED_WARNING_COUNT();		\
	}								\
	_warnings;							\
})

static unsigned long word(swp_entry_t entry)
{
	return swap_table_get(__swap_entry_to_cluster(entry), swp_cluster_offset(entry));
}

/* A locked folio in the swap cache, each of whose slots has another user. */
static struct folio *new_folio(struct kunit *test, int order)
{
	struct folio *folio = folio_alloc(GFP_KERNEL | __GFP_ZERO, order);

	if (!folio) {
		KUNIT_FAIL(test, "no memory for order %d", order);
		return NULL;
	}
	__folio_set_locked(folio);
	__folio_set_swapbacked(folio);
	__folio_mark_uptodate(folio);
	if (mem_cgroup_charge(folio, NULL, GFP_KERNEL) || folio_alloc_swap(folio)) {
		KUNIT_FAIL(test, "no swap slots for order %d", order);
		folio_unlock(folio);
		folio_put(folio);
		return NULL;
	}
	KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	return folio;
}

/* Callers that make no checks themselves. */
static void __maybe_unused add(struct folio *folio, swp_entry_t entry)
{
	struct swap_cluster_info *ci = __swap_entry_to_cluster(entry);

	spin_lock(&ci->lock);
	__swap_cache_add_folio(ci, folio, entry);
	spin_unlock(&ci->lock);
}

static void del_from(struct swap_cluster_info *ci, struct folio *folio, void *shadow)
{
	spin_lock_irq(&ci->lock);
	__swap_cache_del_folio(ci, folio, folio->swap, shadow, false);
	spin_unlock_irq(&ci->lock);
}

static void del(struct folio *folio)
{
	del_from(__swap_entry_to_cluster(folio->swap), folio, NULL);
	folio_ref_sub(folio, folio_nr_pages(folio));
}

static void __maybe_unused replace(swp_entry_t entry, struct folio *old, struct folio *new)
{
	struct swap_cluster_info *ci = __swap_entry_to_cluster(entry);

	spin_lock(&ci->lock);
	__swap_cache_replace_folio(ci, old, new);
	spin_unlock(&ci->lock);
}

static void set_word(swp_entry_t entry, unsigned long to)
{
	struct swap_cluster_info *ci = __swap_entry_to_cluster(entry);

	spin_lock(&ci->lock);
	__swap_table_set(ci, swp_cluster_offset(entry), to);
	spin_unlock(&ci->lock);
}

/* Corrects the statistics for a folio whose wrong entry made them differ. */
static void __maybe_unused count(struct folio *folio, int pages)
{
	node_stat_mod_folio(folio, NR_FILE_PAGES, pages);
	lruvec_stat_mod_folio(folio, NR_SWAPCACHE, pages);
}

/* Drops the last user and the folio. */
static void end(struct kunit *test, struct folio *folio, swp_entry_t entry)
{
	if (folio_test_swapcache(folio))
		del(folio);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 1);
	swap_put_entries_direct(entry, folio_nr_pages(folio));
	KUNIT_EXPECT_EQ(test, word(entry), 0UL);
	folio_unlock(folio);
	folio_put(folio);
}

/* A folio that is to get slots by replacing another one. It has none yet. */
static struct folio *replacement(struct kunit *test, int order, swp_entry_t entry)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, order);

	if (!folio) {
		KUNIT_FAIL(test, "no memory for order %d", order);
		return NULL;
	}
	__folio_set_locked(folio);
	__folio_set_swapbacked(folio);
	folio_set_swapcache(folio);
	folio->swap = entry;
	return folio;
}

static void put_replacement(struct folio *folio)
{
	folio_clear_swapcache(folio);
	folio->private = NULL;
	if (folio_test_locked(folio))
		folio_unlock(folio);
	folio_put(folio);
}

/*
 * A swap-table entry that isn't the folio's. Both implementations always warn.
 */
static void foreign_entries_warn(struct kunit *test)
{
	struct folio *folio = new_folio(test, 0), *new;
	unsigned long own;
	swp_entry_t entry;

	if (!folio)
		return;
	entry = folio->swap;
	own = word(entry);
	new = replacement(test, 0, entry);
	if (new) {
		set_word(entry, shadow_to_swp_tb(NULL, __swp_tb_get_flags(own)));
		KUNIT_EXPECT_EQ(test, WARNINGS(test, replace(entry, folio, new)), 1);
		put_replacement(new);
	}
	set_word(entry, shadow_to_swp_tb(NULL, __swp_tb_get_flags(own)));
	KUNIT_EXPECT_EQ(test, WARNINGS(test, del(folio)), 1);
	KUNIT_EXPECT_FALSE(test, folio_test_swapcache(folio));
	KUNIT_EXPECT_EQ(test, swp_tb_get_count(word(entry)), 1);
	end(test, folio, entry);
}

#ifdef CONFIG_DEBUG_VM
static void adding_is_checked(struct kunit *test)
{
	struct folio *folio = new_folio(test, 0);
	swp_entry_t entry;

	if (!folio)
		return;
	entry = folio->swap;
	del(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, add(folio, entry); del(folio)), 0);

	folio_unlock(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, add(folio, entry)), 1);
	folio_lock(folio);
	del(folio);

	__folio_clear_swapbacked(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, add(folio, entry)), 1);
	__folio_set_swapbacked(folio);
	del(folio);

	folio_set_swapcache(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, add(folio, entry)), 1);

	/* A slot that has a folio. */
	folio_clear_swapcache(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, add(folio, entry)), 1);
	folio_ref_sub(folio, 1);
	count(folio, -1);
	end(test, folio, entry);
}

static void deleting_is_checked(struct kunit *test)
{
	struct folio *folio = new_folio(test, 0);
	swp_entry_t entry;

	if (!folio)
		return;
	entry = folio->swap;
	folio_unlock(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, del(folio)), 1);
	folio_lock(folio);
	add(folio, entry);

	folio_clear_swapcache(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, del(folio)), 1);
	add(folio, entry);

	folio_test_set_writeback(folio);
	KUNIT_EXPECT_EQ(test, WARNINGS(test, del(folio)), 1);
	folio_test_clear_writeback(folio);
	add(folio, entry);

	/* A pointer that isn't a shadow. */
	KUNIT_EXPECT_EQ(test, WARNINGS(test, del_from(__swap_entry_to_cluster(entry), folio,
						      (void *)0x10UL)), 1);
	folio_ref_sub(folio, 1);
	add(folio, entry);
	end(test, folio, entry);
}

static void replacing_is_checked(struct kunit *test)
{
	struct folio *folio = new_folio(test, 0), *new;
	unsigned long own;
	swp_entry_t entry;

	if (!folio)
		return;
	entry = folio->swap;
	own = word(entry);
	new = replacement(test, 0, entry);
	if (new) {
		folio_clear_swapcache(new);
		KUNIT_EXPECT_EQ(test, WARNINGS(test, replace(entry, folio, new)), 1);
		set_word(entry, own);
		folio_set_swapcache(new);

		folio_unlock(new);
		KUNIT_EXPECT_EQ(test, WARNINGS(test, replace(entry, folio, new)), 1);
		set_word(entry, own);
		folio_lock(new);
		put_replacement(new);
	}
	end(test, folio, entry);
}
#endif

#ifdef CONFIG_SWAP_CACHE_RUST
/* The last slot in the cluster of @entry. */
static swp_entry_t last_of(swp_entry_t entry)
{
	return swp_entry(swp_type(entry), swp_offset(entry) | (SWAPFILE_CLUSTER - 1));
}

/*
 * Slots beyond the end of the cluster, and slots of another cluster: C would
 * write there. Runs after foreign_entries_warn(), which triggers the same warnings.
 */
static void out_of_reach_slots_warn(struct kunit *test)
{
	struct folio *folio = new_folio(test, ORDER), *new;
	int nr = 1 << ORDER;
	unsigned long own, last;
	swp_entry_t entry;

	if (!folio)
		return;
	entry = folio->swap;
	own = word(entry);
	last = word(last_of(entry));
	if (ORDER && swp_offset(entry) + nr <= swp_offset(last_of(entry))) {
		new = replacement(test, ORDER, last_of(entry));
		if (new) {
			/* One from the check, and one since the slots are of another cluster. */
			KUNIT_EXPECT_EQ(test, WARNINGS(test, replace(entry, folio, new)), 2);
			KUNIT_EXPECT_EQ(test, word(last_of(entry)), last);
			put_replacement(new);
		}

		folio->swap = last_of(entry);
		KUNIT_EXPECT_EQ(test, WARNINGS(test, del(folio)), 2);
		KUNIT_EXPECT_EQ(test, word(last_of(entry)), last);
		KUNIT_EXPECT_EQ(test, word(entry), own);
		folio->swap = entry;
		folio_set_swapcache(folio);
		folio_ref_add(folio, nr);
		count(folio, nr);

		del(folio);
		KUNIT_EXPECT_EQ(test, WARNINGS(test, add(folio, last_of(entry))), 1);
		KUNIT_EXPECT_EQ(test, word(last_of(entry)), last);
		KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 1);
		KUNIT_EXPECT_FALSE(test, folio_test_swapcache(folio));
		add(folio, entry);
	}
	KUNIT_EXPECT_EQ(test, word(entry), own);
	end(test, folio, entry);
}

#ifdef CONFIG_DEBUG_VM
/* Runs after out_of_reach_slots_warn(), which triggers the warnings without CONFIG_DEBUG_VM. */
static void calls_that_corrupt_in_c_warn(struct kunit *test)
{
	struct folio *folio = new_folio(test, 0), *new;
	struct swap_info_struct *si;
	swp_entry_t entry;
	unsigned long own;
	pgoff_t other;

	if (!folio)
		return;
	entry = folio->swap;
	own = word(entry);
	si = __swap_entry_to_info(entry);
	other = swp_offset(entry) ^ SWAPFILE_CLUSTER;
	if (other < si->max) {
		/*
		 * One from the check, and one since the slot is of another folio or of none.
		 */
		KUNIT_EXPECT_EQ(test, WARNINGS(test, del_from(__swap_offset_to_cluster(si, other),
							      folio, NULL)), 2);
		KUNIT_EXPECT_EQ(test, word(entry), own);
		folio->swap = entry;
		folio_set_swapcache(folio);
		count(folio, 1);
	}

	new = swp_cluster_offset(entry) ? replacement(test, 0, (swp_entry_t){}) : NULL;
	if (new) {
		KUNIT_EXPECT_EQ(test, WARNINGS(test, replace(entry, folio, new)), 2);
		KUNIT_EXPECT_EQ(test, word(entry), own);
		put_replacement(new);
	}

	/* A shadow with bits at the position of the flags. */
	KUNIT_EXPECT_EQ(test, WARNINGS(test, del_from(__swap_entry_to_cluster(entry), folio,
						      (void *)~0UL)), 1);
	KUNIT_EXPECT_EQ(test, swp_tb_get_count(word(entry)), 1);
	folio_ref_sub(folio, 1);
	add(folio, entry);
	end(test, folio, entry);
}
#endif
#endif

static struct kunit_case swap_checks_cases[] = {
	KUNIT_CASE(foreign_entries_warn),
#ifdef CONFIG_SWAP_CACHE_RUST
	KUNIT_CASE(out_of_reach_slots_warn),
#endif
#ifdef CONFIG_DEBUG_VM
	KUNIT_CASE(adding_is_checked),
	KUNIT_CASE(deleting_is_checked),
	KUNIT_CASE(replacing_is_checked),
#ifdef CONFIG_SWAP_CACHE_RUST
	KUNIT_CASE(calls_that_corrupt_in_c_warn),
#endif
#endif
	{}
};

static int swap_checks_init(struct kunit *test)
{
	return swap_test_warn_again();
}

static struct kunit_suite swap_checks_suite = {
	.name = "swap_checks",
	.suite_init = swap_test_begin,
	.suite_exit = swap_test_end,
	.init = swap_checks_init,
	.test_cases = swap_checks_cases,
};

kunit_test_suite(swap_checks_suite);
