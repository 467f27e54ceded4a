// SPDX-License-Identifier: GPL-2.0
/*
 * A swap-in that zswap fills as a whole, and other operations on its slots. Before its folio is
 * added, they decide which folio it gets. From then on they wait, or change nothing.
 */

#include <linux/cgroup.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "races.h"

#define PAGES ((int)BIT(ORDER))

/* The slot on which the others act. */
#define VICTIM 9

/* The slot that is swapped in. */
static const int targets[] = { 3, VICTIM };

/* The slots under test. */
static struct {
	struct mem_cgroup *memcg;
	swp_entry_t entry;	/* of the first */
	u64 what[PAGES];	/* the contents of their pages */
	struct side whole;	/* swaps them in */
	u64 failed;		/* the number of failed swap-ins so far */
} now;

/* --- Swap-ins ---------------------------------------------------------------- */

/* The slot's page in the folio. */
static int page_of(struct folio *folio, swp_entry_t entry)
{
	return swp_offset(entry) - swp_offset(folio->swap);
}

/* Keeps the folio, with a reference and not locked. */
static void do_whole(struct side *side)
{
	struct folio *folio = fault_orders(side->entry, side->nr);
	u64 *addr;

	side->folio = folio;
	if (!folio)
		return;
	addr = kmap_local_folio(folio, page_of(folio, side->entry) * PAGE_SIZE);
	side->found = addr[0];
	kunmap_local(addr);
	folio_unlock(folio);
}

/* A swap-in of slot @i, as a whole if possible, or only of its page. */
static struct side swapin_of(int i, unsigned long orders)
{
	return (struct side) { .run = do_whole, .entry = nth(now.entry, i), .nr = orders };
}

static void begin_group(struct kunit *test)
{
	needs_point(test, whole_points[0].name);
	now.memcg = make_group(test);
}

static void end_group(struct kunit *test)
{
	/* Batches of other CPUs have references. */
	lru_add_drain_all();
	KUNIT_EXPECT_TRUE(test, remove_group(now.memcg));
	put_group(now.memcg);
}

static u64 failed_so_far(struct kunit *test)
{
	char text[33];
	u64 nr = 0;

	if (swap_test_read_debugfs("zswap/large_load_fail", text, sizeof(text)) ||
	    kstrtou64(strim(text), 0, &nr))
		KUNIT_FAIL(test, "no statistics");
	return nr;
}

/* Swaps out a large folio. If @zero isn't negative, this page of it is zero-marked. */
static bool begin(struct kunit *test, int zero)
{
	struct folio *folio = new_folio_of(test, now.memcg, ORDER, 100);
	int i;

	if (!folio)
		return false;
	for (i = 0; i < PAGES; i++)
		now.what[i] = i == zero ? 0 : 100 + i;
	if (zero >= 0)
		folio_zero_segment(folio, zero * PAGE_SIZE, (zero + 1) * PAGE_SIZE);
	now.entry = swap_out(test, folio, NULL);
	KUNIT_EXPECT_EQ(test, stored(), PAGES - (zero >= 0));
	/* The next visit writes back. */
	press(now.memcg, stored());
	now.failed = failed_so_far(test);
	return true;
}

/* Swaps in slot @target, and holds the task at @point. */
static bool hold(struct kunit *test, const struct point *point, int target)
{
	now.whole = swapin_of(target, BIT(ORDER) | BIT(0));
	if (!strcmp(point->name, "fill:before_page"))
		now.whole.stop.pass = VICTIM;
	return side_begin(test, &now.whole, point->name);
}

static struct folio *release(struct kunit *test)
{
	side_end(test, &now.whole);
	return now.whole.folio;
}

static void expect_contents(struct kunit *test, struct folio *folio)
{
	int i, at = -page_of(folio, now.entry); /* the folio's first slot */

	for (i = 0; i < folio_nr_pages(folio); i++)
		KUNIT_EXPECT_TRUE_MSG(test, page_holds(folio, i, now.what[at + i]),
				      "slot %d", at + i);
}

/* All slots in a clean folio, with @entries that stay until the folio is mapped. Puts it. */
static void expect_whole(struct kunit *test, struct folio *folio, int entries, bool mapped)
{
	int i;

	if (!folio) {
		KUNIT_FAIL(test, "no folio");
		return;
	}
	KUNIT_EXPECT_EQ(test, folio_order(folio), ORDER);
	KUNIT_EXPECT_TRUE(test, folio_test_uptodate(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_dirty(folio));
	KUNIT_EXPECT_TRUE(test, folio_trylock(folio));
	KUNIT_EXPECT_TRUE(test, folio_matches_swap_entry(folio, now.entry));
	rcu_read_lock();
	KUNIT_EXPECT_PTR_EQ(test, folio_memcg(folio), now.memcg);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, stored(), entries);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, has_zero_mark(nth(now.entry, i)), !now.what[i]);
	expect_contents(test, folio);
	css_rstat_flush(&now.memcg->css);
	KUNIT_EXPECT_EQ(test, memcg_page_state(now.memcg, NR_SWAPCACHE), PAGES);
	if (mapped) {
		KUNIT_EXPECT_EQ(test, zswap_folio_mapped(folio), entries > 0);
		KUNIT_EXPECT_TRUE(test, folio_test_dirty(folio));
		KUNIT_EXPECT_EQ(test, stored(), 0L);
	}
	/* Those of the swap cache, and this one. */
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), PAGES + 1);
	folio_unlock(folio);
	folio_put(folio);
}

/* Only the page of slot @i. Puts its folio. */
static void expect_page(struct kunit *test, struct folio *folio, int i)
{
	if (!folio) {
		KUNIT_FAIL(test, "no folio");
		return;
	}
	KUNIT_EXPECT_EQ(test, folio_order(folio), 0);
	KUNIT_EXPECT_TRUE(test, folio_trylock(folio));
	KUNIT_EXPECT_TRUE(test, folio_matches_swap_entry(folio, nth(now.entry, i)));
	expect_contents(test, folio);
	folio_unlock(folio);
	folio_put(folio);
}

/* All slots have their contents. Frees them: nothing is left. */
static void finish(struct kunit *test)
{
	int i, k, nr;

	for (i = 0; i < PAGES; i += nr) {
		struct folio *folio;

		nr = 1;
		if (!table_entry(nth(now.entry, i)))
			continue;
		folio = fault(nth(now.entry, i));
		if (folio) {
			expect_contents(test, folio);
		} else {
			KUNIT_FAIL(test, "slot %d is lost", i);
			/* For the next cases: free it with a folio that wasn't filled. */
			folio = swap_cache_get_folio(nth(now.entry, i));
			if (!folio)
				continue;
			folio_lock(folio);
		}
		nr = folio_nr_pages(folio);
		for (k = i; k < i + nr; k++)
			if (swp_tb_get_count(table_entry(nth(now.entry, k))))
				lose_user(nth(now.entry, k));
		drop(folio);
	}
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, table_entry(nth(now.entry, i)), 0UL);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, failed_so_far(test), now.failed);
	css_rstat_flush(&now.memcg->css);
	KUNIT_EXPECT_EQ(test, memcg_page_state(now.memcg, MEMCG_ZSWAPPED), 0UL);
	KUNIT_EXPECT_EQ(test, memcg_page_state(now.memcg, MEMCG_ZSWAP_B), 0UL);
	KUNIT_EXPECT_EQ(test, memcg_page_state(now.memcg, NR_SWAPCACHE), 0UL);
}

/* --- The cases --------------------------------------------------------------- */

/*
 * A page is written back before the folio is added, and may also have left the swap cache since:
 * no whole folio.
 */
void whole_swapin_excludes_writeback(struct kunit *test)
{
	int i;

	begin_group(test);
	for_each_point(whole_points, true) {
		for (i = 0; i < (point->folio ? 2 : 4); i++) {
			/* The first slot is the first to be written back. */
			int target = i % 2 ? VICTIM : 0;
			unsigned long written = event(ZSWPWB);
			struct folio *folio;
			long left = -1;

			if (!begin(test, -1))
				goto out;
			if (hold(test, point, target)) {
				press(now.memcg, 1);
				left = stored();
				folio = i < 2 ? NULL : fault(now.entry);
				if (folio)
					evict(folio, NULL);
			}
			folio = release(test);
			KUNIT_EXPECT_EQ(test, left, point->folio ? PAGES : PAGES - 1);
			KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + !point->folio);
			if (point->folio)
				expect_whole(test, folio, PAGES, true);
			else
				expect_page(test, folio, target);
			finish(test);
		}
	}
out:
	end_group(test);
}

/* A page is swapped in by itself: before the folio is added, or it waits for the whole folio. */
void fault_on_a_page_waits_for_the_whole(struct kunit *test)
{
	int i;

	begin_group(test);
	for_each_point(whole_points, true) {
		for (i = 0; i < ARRAY_SIZE(targets); i++) {
			struct side single;
			struct folio *folio;
			bool must_wait = point->folio && !point->data, waits = false;

			if (!begin(test, -1))
				goto out;
			single = swapin_of(VICTIM, BIT(0));
			if (hold(test, point, targets[i])) {
				side_begin(test, &single, NULL);
				waits = side_waits(&single, must_wait);
			}
			folio = release(test);
			side_end(test, &single);
			KUNIT_EXPECT_EQ(test, waits, must_wait);
			KUNIT_EXPECT_EQ(test, single.found, now.what[VICTIM]);
			KUNIT_EXPECT_EQ(test, single.folio == folio,
					point->folio || targets[i] == VICTIM);
			if (single.folio)
				folio_put(single.folio);
			if (point->folio)
				expect_whole(test, folio, PAGES, true);
			else
				expect_page(test, folio, targets[i]);
			finish(test);
		}
	}
out:
	end_group(test);
}

/* Two swap in the whole from different slots: both get the same folio. */
void two_whole_swapins_get_one_folio(struct kunit *test)
{
	begin_group(test);
	for_each_point(whole_points, true) {
		struct side second;
		struct folio *folio;
		bool must_wait = point->folio && !point->data, waits = false;

		if (!begin(test, -1))
			break;
		second = swapin_of(VICTIM, BIT(ORDER) | BIT(0));
		if (hold(test, point, 3)) {
			side_begin(test, &second, NULL);
			waits = side_waits(&second, must_wait);
		}
		folio = release(test);
		side_end(test, &second);
		KUNIT_EXPECT_EQ(test, waits, must_wait);
		if (point->folio) {
			KUNIT_EXPECT_PTR_EQ(test, second.folio, folio);
			if (folio)
				folio_put(folio);
			expect_whole(test, second.folio, PAGES, true);
		} else {
			/* The slot of the first has a folio: it is found. */
			KUNIT_EXPECT_PTR_EQ(test, folio, second.folio);
			if (second.folio)
				folio_put(second.folio);
			expect_whole(test, folio, PAGES, true);
		}
		finish(test);
	}
	end_group(test);
}

/* A slot is freed: before the folio is added, or when the folio leaves, mapped or not. */
void whole_folio_pins_freed_slot(struct kunit *test)
{
	int i;

	begin_group(test);
	for_each_point(whole_points, true) {
		for (i = 0; i < 4; i++) {
			int target = targets[i % 2];
			bool mapped = i / 2;
			struct folio *folio;
			swp_entry_t freed;
			long left = -1;

			if (!begin(test, -1))
				goto out;
			freed = nth(now.entry, VICTIM);
			if (hold(test, point, target)) {
				lose_user(freed);
				left = stored();
			}
			folio = release(test);
			KUNIT_EXPECT_EQ(test, left, point->folio ? PAGES : PAGES - 1);
			if (point->folio) {
				expect_whole(test, folio, PAGES, mapped);
				if (!mapped) {
					drop(fault(freed));
					KUNIT_EXPECT_EQ(test, stored(), PAGES - 1);
					KUNIT_EXPECT_EQ(test, table_entry(freed), 0UL);
				}
			} else if (target == VICTIM) {
				KUNIT_EXPECT_NULL(test, folio);
			} else {
				expect_page(test, folio, target);
			}
			finish(test);
		}
	}
out:
	end_group(test);
}

/* What is done to the slots, after which zswap still has all of them. */
enum change { DATA, REUSE, MARK, UNMARK, ALL, CHANGES };

static void set_mark(struct folio *folio, bool mark)
{
	struct swap_cluster_info *ci = swap_cluster_get_and_lock(folio);

	if (mark)
		__swap_table_set_zero(ci, swp_cluster_offset(folio->swap));
	else
		__swap_table_clear_zero(ci, swp_cluster_offset(folio->swap));
	swap_cluster_unlock(ci);
}

static void change_slots(struct kunit *test, enum change how)
{
	swp_entry_t entry = nth(now.entry, VICTIM);
	struct mem_cgroup *old = set_active_memcg(now.memcg);
	struct folio *folio;
	int i;

	now.what[VICTIM] = how == MARK ? 0 : 200;
	if (how == REUSE) {
		lose_user(entry);
		folio = new_folio_at(test, entry, 200);
		if (folio)
			swap_out(test, folio, NULL);
	} else if (how == DATA) {
		change(test, entry, 200);
	} else if (how == ALL) {
		folio = fault_orders(entry, BIT(ORDER));
		if (folio) {
			KUNIT_EXPECT_TRUE(test, zswap_folio_mapped(folio));
			fill(folio, 300);
			KUNIT_EXPECT_TRUE(test, store(folio));
			evict(folio, NULL);
			for (i = 0; i < PAGES; i++)
				now.what[i] = 300 + i;
		}
	} else {
		folio = fault(entry);
		if (folio) {
			/* As C marks a page of zeroes, an older entry stays. */
			fill(folio, 200);
			set_mark(folio, false);
			KUNIT_EXPECT_TRUE(test, store(folio));
			set_mark(folio, how == MARK);
			evict(folio, NULL);
		}
	}
	set_active_memcg(old);
}

/* After the look without the lock, the slots get other contents, marks, or another use. */
void whole_swapin_reads_the_changed_slots(struct kunit *test)
{
	enum change how;

	begin_group(test);
	for (how = DATA; how < CHANGES; how++) {
		if (!begin(test, how == UNMARK ? VICTIM : -1))
			break;
		if (hold(test, &whole_points[0], 3))
			change_slots(test, how);
		expect_whole(test, release(test), PAGES, true);
		finish(test);
	}
	end_group(test);
}

/*
 * All slots are on the device, and in zswap once C has allocated a folio for them:
 * it gets one page.
 */
void device_slots_become_held(struct kunit *test)
{
	struct mem_cgroup *old;
	struct folio *folio;
	int i;

	begin_group(test);
	if (!begin(test, -1))
		goto out;
	for (i = 0; i < PAGES; i++)
		zswap_invalidate(nth(now.entry, i));
	now.whole = swapin_of(3, BIT(ORDER) | BIT(0));
	if (side_begin(test, &now.whole, "add:after_alloc")) {
		old = set_active_memcg(now.memcg);
		for (i = 0; i < PAGES; i++) {
			folio = fault(nth(now.entry, i));
			if (!folio) {
				KUNIT_FAIL(test, "slot %d can't be read", i);
				continue;
			}
			fill(folio, now.what[i]);
			KUNIT_EXPECT_TRUE(test, store(folio));
			evict(folio, NULL);
		}
		set_active_memcg(old);
		KUNIT_EXPECT_EQ(test, stored(), (long)PAGES);
	}
	expect_page(test, release(test), 3);
	finish(test);
out:
	end_group(test);
}

/* After the folio was unlocked, another task maps it, changes it, and swaps it out. */
void whole_swapin_repeats_if_the_folio_leaves(struct kunit *test)
{
	begin_group(test);
	for_each_point(whole_points, point->data) {
		if (!begin(test, -1))
			break;
		if (hold(test, point, 3))
			change_slots(test, ALL);
		expect_whole(test, release(test), PAGES, true);
		finish(test);
	}
	end_group(test);
}

/* The pool is retired, or zswap or large swap-ins disabled. */
void whole_swapin_survives_changed_parameters(struct kunit *test)
{
	static const char *const params[][3] = {
		{ "zswap.compressor", "lz4", FAULTY_NAME },
		{ "zswap.enabled", "N", "Y" },
		{ "zswap.large_swapin", "N", "Y" },
	};
	int i;

	begin_group(test);
	for_each_point(whole_points, true) {
		for (i = 0; i < ARRAY_SIZE(params); i++) {
			if (!begin(test, -1))
				goto out;
			if (hold(test, point, 3))
				KUNIT_EXPECT_EQ(test, set_param(params[i][0], params[i][1]), 0);
			release(test);
			KUNIT_EXPECT_EQ(test, set_param(params[i][0], params[i][2]), 0);
			expect_whole(test, now.whole.folio, PAGES, true);
			finish(test);
		}
	}
out:
	end_group(test);
}

static void reclaim(void)
{
	lru_add_drain_all();
	try_to_free_mem_cgroup_pages(now.memcg, PAGES, GFP_KERNEL, MEMCG_RECLAIM_MAY_SWAP, NULL);
}

/* Reclaim leaves the folio until it is abandoned, and then drops it without a write. */
void reclaim_drops_unmapped_whole_folio(struct kunit *test)
{
	begin_group(test);
	set_param("zswap.shrinker_enabled", "N");
	for_each_point(whole_points, point->folio) {
		unsigned long out = event(PSWPOUT) + event(ZSWPOUT);
		struct folio *folio;

		if (!begin(test, -1))
			break;
		if (hold(test, point, 3))
			reclaim();
		KUNIT_EXPECT_TRUE(test, swap_cache_has_folio(now.entry));
		folio = release(test);
		expect_whole(test, folio, PAGES, false);
		reclaim();
		KUNIT_EXPECT_FALSE(test, swap_cache_has_folio(now.entry));
		KUNIT_EXPECT_EQ(test, stored(), PAGES);
		KUNIT_EXPECT_EQ(test, event(PSWPOUT) + event(ZSWPOUT), out + PAGES);
		folio = swapin_orders(now.entry, BIT(ORDER));
		expect_whole(test, IS_ERR(folio) ? NULL : folio, PAGES, true);
		finish(test);
	}
	end_group(test);
}

/* A page can't be decompressed: a task that waits gets its page, and a freed slot is released. */
void failed_whole_swapin_leaves_the_slots(struct kunit *test)
{
	int freed;

	begin_group(test);
	for_each_point(whole_points, point->folio && !point->data) {
		for (freed = 0; freed < 2; freed++) {
			struct side second;
			swp_entry_t entry;

			if (!begin(test, -1))
				goto out;
			entry = nth(now.entry, VICTIM);
			second = swapin_of(7, BIT(0));
			if (hold(test, point, 3)) {
				if (freed)
					lose_user(entry);
				side_begin(test, &second, NULL);
				side_waits(&second, true);
				/* The third page from now. The two swap-ins after it succeed. */
				faulty_decompress.every = 3;
				acomp_inject(&faulty_decompress, FAULT_EIO);
			}
			release(test);
			side_end(test, &second);
			acomp_inject(&faulty_decompress, FAULT_NONE);
			faulty_decompress.every = 0;
			expect_page(test, now.whole.folio, 3);
			KUNIT_EXPECT_EQ(test, second.found, now.what[7]);
			expect_page(test, second.folio, 7);
			KUNIT_EXPECT_EQ(test, stored(), PAGES - 2 - freed);
			KUNIT_EXPECT_EQ(test, !table_entry(entry), freed);
			now.failed++;
			finish(test);
		}
	}
out:
	end_group(test);
}

/* --- A page that fails ------------------------------------------------------- */

#define BLOCK (PAGES * PAGE_SIZE)

/* Maps a block of memory of this task with a large folio, and swaps it out. */
static unsigned long map_and_swap_out(struct kunit *test, unsigned long shared)
{
	unsigned long addr;
	int i;

	addr = kunit_vm_mmap(test, NULL, 0, 2 * BLOCK, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | shared, 0);
	KUNIT_ASSERT_NE(test, addr, 0);
	addr = ALIGN(addr, BLOCK);
	KUNIT_ASSERT_EQ(test, 0, do_madvise(current->mm, addr, BLOCK, MADV_HUGEPAGE));
	for (i = 0; i < PAGES; i++) {
		now.what[i] = 100 + i;
		KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)(addr + i * PAGE_SIZE),
						      &now.what[i], sizeof(u64)));
	}
	/* It may be in the batch of another CPU. */
	lru_add_drain_all();
	KUNIT_ASSERT_EQ(test, 0, do_madvise(current->mm, addr, BLOCK, MADV_PAGEOUT));
	KUNIT_ASSERT_EQ(test, stored(), PAGES);
	return addr;
}

/* The slot of its first page, from the page table or from the file. */
static swp_entry_t slot_of(struct kunit *test, unsigned long addr, bool shared)
{
	swp_entry_t entry = {};
	struct vm_area_struct *vma;
	spinlock_t *ptl; /* of the page table */
	void *found;
	pte_t *pte;

	if (!shared) {
		pte = get_locked_pte(current->mm, addr, &ptl);
		if (pte) {
			entry = softleaf_from_pte(ptep_get(pte));
			pte_unmap_unlock(pte, ptl);
		}
		return entry;
	}
	mmap_read_lock(current->mm);
	vma = vma_lookup(current->mm, addr);
	found = !vma ? NULL : xa_load(&vma->vm_file->f_mapping->i_pages,
				      linear_page_index(vma, addr));
	mmap_read_unlock(current->mm);
	if (xa_is_value(found))
		entry = radix_to_swp_entry(found);
	return entry;
}

/* Reads page @i. */
static u64 read_user(struct kunit *test, unsigned long addr, int i)
{
	u64 found = 0;

	KUNIT_EXPECT_EQ(test, 0, copy_from_user(&found, (void __user *)(addr + i * PAGE_SIZE),
						sizeof(found)));
	return found;
}

/* Swaps it in as a large folio, which nobody maps. */
static struct folio *swap_in_unmapped(struct kunit *test, unsigned long addr, bool shared)
{
	struct folio *folio;

	now.entry = slot_of(test, addr, shared);
	KUNIT_ASSERT_NE(test, now.entry.val, 0);
	folio = swapin_orders(now.entry, BIT(ORDER));
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(folio));
	KUNIT_EXPECT_EQ(test, folio_order(folio), ORDER);
	return folio;
}

/* Neither the swap cache nor a process has it any more. */
static void expect_deleted(struct kunit *test, struct folio *folio, int refs)
{
	lru_add_drain_all();
	KUNIT_EXPECT_FALSE(test, folio_test_swapcache(folio));
	KUNIT_EXPECT_NULL(test, folio->mapping);
	KUNIT_EXPECT_EQ(test, folio_ref_count(folio), refs);
}

/*
 * A page of a large folio fails between its swap-in and its first mapping. A fault on that page, or
 * on another, swaps in all pages anew; the folio is deleted, and never freed.
 */
void failed_page_is_read_anew(struct kunit *test)
{
	int i, k;

	if (!IS_ENABLED(CONFIG_MEMORY_FAILURE))
		kunit_skip(test, "without CONFIG_MEMORY_FAILURE");
	needs_point(test, whole_points[0].name);
	for (i = 0; i < 4; i++) {
		bool shared = i / 2;
		unsigned long addr = map_and_swap_out(test, shared ? MAP_SHARED : MAP_PRIVATE);
		struct folio *folio = swap_in_unmapped(test, addr, shared);

		SetPageHWPoison(folio_page(folio, VICTIM));
		folio_set_has_hwpoisoned(folio);
		KUNIT_EXPECT_EQ(test, read_user(test, addr, targets[i % 2]),
				now.what[targets[i % 2]]);

		/* That of this test, and the one that keeps it from being freed. */
		expect_deleted(test, folio, 2);
		for (k = 0; k < PAGES; k++)
			KUNIT_EXPECT_EQ(test, read_user(test, addr, k), now.what[k]);
		ClearPageHWPoison(folio_page(folio, VICTIM));
		folio_clear_has_hwpoisoned(folio);
		folio_put_refs(folio, folio_ref_count(folio));
		vm_munmap(addr, BLOCK);
		KUNIT_EXPECT_EQ(test, stored(), 0);
	}
}

/* As fork does with the page table of the parent. */
static void share(struct kunit *test, unsigned long addr)
{
	struct mm_struct *mm = current->mm;
	spinlock_t *ptl; /* of the page table */
	pte_t *pte;
	int i;

	pte = get_locked_pte(mm, addr, &ptl);
	KUNIT_ASSERT_NOT_NULL(test, pte);
	for (i = 0; i < PAGES; i++)
		set_pte_at(mm, addr + i * PAGE_SIZE, pte + i,
			   pte_swp_clear_exclusive(ptep_get(pte + i)));
	pte_unmap_unlock(pte, ptl);
}

/*
 * Slots are shared between the swap-in of a large folio and its first mapping. It would be mapped
 * as memory of one process. A fault deletes it, and swaps in each page anew.
 */
void shared_folio_is_read_anew(struct kunit *test)
{
	int i, k;

	needs_point(test, whole_points[0].name);
	for (i = 0; i < 2; i++) {
		unsigned long addr = map_and_swap_out(test, MAP_PRIVATE);
		struct folio *folio = swap_in_unmapped(test, addr, false);

		share(test, addr);
		KUNIT_EXPECT_EQ(test, read_user(test, addr, targets[i]), now.what[targets[i]]);

		expect_deleted(test, folio, 1);
		folio_put(folio);
		for (k = 0; k < PAGES; k++)
			KUNIT_EXPECT_EQ(test, read_user(test, addr, k), now.what[k]);
		vm_munmap(addr, BLOCK);
		KUNIT_EXPECT_EQ(test, stored(), 0);
	}
}
