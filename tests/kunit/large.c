// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of swap-ins that zswap fills as a whole: which ranges of slots it accepts,
 * what the folio and the slots are afterwards, and what is left after a failure.
 */

#include <linux/file.h>
#include <linux/shmem_fs.h>

#include "faulty_acomp.h"
#include "swap_test.h"

#define CONTENTS (0x1a19eULL << 40)

/* Where the page of a slot is. */
enum state { HELD, ZERO, STALE, DEVICE };

/* Clears a page of a folio. */
static void clear_page_of(struct folio *folio, int i)
{
	folio_zero_segment(folio, i * PAGE_SIZE, (i + 1) * PAGE_SIZE);
}

/* Swaps out a folio whose slots are then in @states. */
static swp_entry_t swapped_in_states(struct kunit *test, int order, const enum state *states)
{
	struct folio *folio = new_folio(test, order, CONTENTS);
	struct swap_cluster_info *ci;
	swp_entry_t entry;
	int i;

	if (!folio)
		return (swp_entry_t) {};
	entry = folio->swap;
	for (i = 0; i < 1 << order; i++)
		if (states[i] == ZERO)
			clear_page_of(folio, i);
	KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	KUNIT_EXPECT_TRUE(test, store(folio));
	for (i = 0; i < 1 << order; i++)
		if (states[i] == DEVICE)
			zswap_invalidate(nth(entry, i));
	/* C marks a whole folio, and leaves older entries. */
	ci = swap_cluster_get_and_lock(folio);
	for (i = 0; i < 1 << order; i++)
		if (states[i] == STALE)
			__swap_table_set_zero(ci, swp_cluster_offset(nth(entry, i)));
	swap_cluster_unlock(ci);
	evict(folio, xa_mk_value(7));
	return entry;
}

/* Removes what is cached for the slots, and frees them. */
static void give_back(struct kunit *test, swp_entry_t entry, int order)
{
	int i;

	for (i = 0; i < 1 << order; i++) {
		struct folio *folio = swap_cache_get_folio(nth(entry, i));

		if (!folio)
			folio = swap_cache_alloc_folio(nth(entry, i), GFP_KERNEL, BIT(0), NULL,
						       get_task_policy(current),
						       NO_INTERLEAVE_INDEX);
		else
			folio_lock(folio);
		if (IS_ERR(folio)) {
			KUNIT_FAIL(test, "slot %d is lost", i);
			continue;
		}
		folio_put_swap(folio, NULL);
		i += folio_nr_pages(folio) - 1;
		drop(folio);
	}
}

/*
 * The folio after a load of its slots, which are in @states: filled and clean, with the
 * entries in their slots. Then its first mapping.
 */
static void expect_whole(struct kunit *test, struct folio *folio, swp_entry_t entry, int order,
			 const enum state *states)
{
	int i, entries = 0;
	long before = stored();

	KUNIT_EXPECT_FALSE(test, folio_test_locked(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_uptodate(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_dirty(folio));
	folio_lock(folio);
	KUNIT_EXPECT_TRUE(test, folio_test_swapcache(folio));
	KUNIT_EXPECT_EQ(test, folio->swap.val, entry.val);
	for (i = 0; i < 1 << order; i++) {
		bool zero = states[i] != HELD;

		KUNIT_EXPECT_TRUE_MSG(test, page_holds(folio, i, zero ? 0 : CONTENTS + i),
				      "page %d", i);
		KUNIT_EXPECT_EQ(test, has_zero_mark(nth(entry, i)), zero);
		entries += states[i] != ZERO;
	}

	KUNIT_EXPECT_TRUE(test, zswap_folio_mapped(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_dirty(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
	KUNIT_EXPECT_EQ(test, stored(), before - entries);
	/* Only the first mapping finds entries. */
	KUNIT_EXPECT_FALSE(test, zswap_folio_mapped(folio));
	folio_unlock(folio);
	folio_put(folio);
}

/* All combinations for four slots. */
static void any_mix_of_held_and_zero(struct kunit *test)
{
	long before = stored();
	int n;

	for (n = 0; n < 81; n++) {
		unsigned long zswpin, swpin_zero;
		enum state states[4];
		int i, rest = n, held = 0;
		struct folio *folio;
		swp_entry_t entry;
		long now;

		for (i = 0; i < 4; i++, rest /= 3) {
			states[i] = rest % 3;
			held += states[i] == HELD;
		}
		entry = swapped_in_states(test, 2, states);
		if (!entry.val)
			return;
		now = stored();
		zswpin = event(ZSWPIN);
		swpin_zero = event(SWPIN_ZERO);
		folio = swapin_orders(nth(entry, n % 4), BIT(2) | BIT(0));
		if (IS_ERR(folio)) {
			KUNIT_FAIL(test, "%d: %ld", n, PTR_ERR(folio));
			return;
		}
		if (held == 1) {
			/* Mostly zeroes: one page. */
			KUNIT_EXPECT_EQ(test, folio_order(folio), 0);
			folio_put(folio);
		} else if (!held) {
			/* As in C. */
			KUNIT_EXPECT_EQ(test, folio_order(folio), 2);
			KUNIT_EXPECT_EQ(test, stored(), now);
			folio_put(folio);
		} else {
			KUNIT_EXPECT_EQ(test, folio_order(folio), 2);
			KUNIT_EXPECT_EQ(test, stored(), now);
			KUNIT_EXPECT_GE(test, event(ZSWPIN), zswpin + held);
			KUNIT_EXPECT_GE(test, event(SWPIN_ZERO), swpin_zero + 4 - held);
			expect_whole(test, folio, entry, 2, states);
		}
		give_back(test, entry, 2);
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
}

/* Sixteen slots in random states. */
static void large_mixes(struct kunit *test)
{
	long before = stored();
	u64 random = 0x9e3779b97f4a7c15;
	int n;

	for (n = 0; n < 50; n++) {
		enum state states[16];
		struct folio *folio;
		swp_entry_t entry;
		int i, held = 0;

		for (i = 0; i < 16; i++) {
			states[i] = next_random(&random) % 4 ? HELD : 1 + next_random(&random) % 2;
			held += states[i] == HELD;
		}
		entry = swapped_in_states(test, 4, states);
		if (!entry.val)
			return;
		folio = swapin_orders(nth(entry, next_random(&random) % 16), BIT(4));
		if (held < 8) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(folio), -EBUSY);
		} else if (IS_ERR(folio)) {
			KUNIT_FAIL(test, "%d: %ld", n, PTR_ERR(folio));
		} else {
			KUNIT_EXPECT_EQ(test, folio_order(folio), 4);
			expect_whole(test, folio, entry, 4, states);
		}
		give_back(test, entry, 4);
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
}

/* A slot on the device, at each position: smaller folios only, without it. */
static void device_slot_is_left_out(struct kunit *test)
{
	long before = stored();
	int at, target, first;

	for (at = 0; at < 16; at++) {
		enum state states[16] = {}, mixed;

		for (mixed = HELD; mixed <= ZERO; mixed++) {
			states[(at + 1) % 16] = mixed;
			for (target = at; target < at + 16; target += 5) {
				int slot = target % 16;
				struct folio *folio;
				swp_entry_t entry;

				states[at] = DEVICE;
				entry = swapped_in_states(test, 4, states);
				if (!entry.val)
					return;
				folio = swapin_orders(nth(entry, slot), BIT(4) | BIT(2) | BIT(0));
				if (IS_ERR(folio)) {
					KUNIT_FAIL(test, "%d, %d", at, slot);
					return;
				}
				KUNIT_EXPECT_EQ_MSG(test, folio_order(folio),
						    slot / 4 == at / 4 ? 0 : 2,
						    "%d, %d", at, slot);
				folio_lock(folio);
				first = folio_test_large(folio) ? slot & ~3 : slot;
				if (slot != at)
					KUNIT_EXPECT_TRUE(test, holds(folio, states[first] == ZERO ?
								      0 : CONTENTS + first));
				folio_unlock(folio);
				folio_put(folio);
				give_back(test, entry, 4);
				KUNIT_EXPECT_EQ(test, stored(), before);
			}
		}
	}
}

/* A folio for one slot, at each position. */
static void present_folio_is_left_alone(struct kunit *test)
{
	static const enum state states[16];
	long before = stored();
	int at;

	for (at = 0; at < 16; at++) {
		swp_entry_t entry = swapped_in_states(test, 4, states);
		struct folio *one, *folio;

		if (!entry.val)
			return;
		one = swapin(nth(entry, at));
		KUNIT_ASSERT_FALSE(test, IS_ERR(one));
		folio = swapin_orders(nth(entry, at), BIT(4) | BIT(0));
		KUNIT_EXPECT_PTR_EQ(test, folio, one);
		folio_put(folio);
		folio = swapin_orders(nth(entry, (at + 4) % 16), BIT(4) | BIT(2) | BIT(0));
		KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
		KUNIT_EXPECT_EQ(test, folio_order(folio), 2);
		folio_put(folio);
		folio_put(one);
		give_back(test, entry, 4);
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
}

/* Page @bad can't be decompressed: one page is swapped in, and all other entries stay. */
static void bad_page_keeps_all_entries(struct kunit *test)
{
	static const enum state states[16];
	long before = stored();
	int bad;

	for (bad = 0; bad < 16; bad++) {
		swp_entry_t entry = swapped_in_states(test, 4, states);
		struct folio *folio;

		if (!entry.val)
			return;
		/* The next try, of one page, succeeds, unless each fails. */
		acomp_inject(&faulty_decompress, FAULT_EIO);
		faulty_decompress.every = bad + 1;
		folio = swapin_orders(nth(entry, 3), BIT(4) | BIT(2) | BIT(0));
		acomp_inject(&faulty_decompress, FAULT_NONE);
		faulty_decompress.every = 0;
		KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
		KUNIT_EXPECT_EQ(test, folio_order(folio), 0);
		KUNIT_EXPECT_EQ(test, folio_test_uptodate(folio), bad > 0);
		/* A folio of one page has the only copy of its page, as ever. */
		KUNIT_EXPECT_EQ(test, stored(), before + (bad ? 15 : 16));
		if (bad)
			KUNIT_EXPECT_TRUE(test, holds(folio, CONTENTS + 3));
		folio_put(folio);
		give_back(test, entry, 4);
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
}

#ifdef CONFIG_FAILSLAB
/* Each allocation fails in turn: a smaller folio, or an error, and nothing is lost. */
static void failed_allocation_loses_nothing(struct kunit *test)
{
	static const enum state states[16];
	long before = stored();
	int n, large = 0, small = 0;

	for (n = 1; n < 50 && large < 3; n++) {
		swp_entry_t entry = swapped_in_states(test, 4, states);
		unsigned int left;
		struct folio *folio;
		int i;

		if (!entry.val)
			return;
		current->fail_nth = n;
		folio = swapin_orders(nth(entry, 5), BIT(4) | BIT(2) | BIT(0));
		left = current->fail_nth;
		current->fail_nth = 0;
		if (!IS_ERR(folio)) {
			large += folio_order(folio) == 4;
			small += folio_order(folio) == 0;
			KUNIT_EXPECT_NE(test, folio_order(folio), 2);
			KUNIT_EXPECT_TRUE(test, folio_test_uptodate(folio));
			folio_put(folio);
		}
		for (i = 0; i < 16; i++) {
			folio = swapin(nth(entry, i));
			if (IS_ERR(folio)) {
				KUNIT_FAIL(test, "%d: page %d is lost", n, i);
				continue;
			}
			folio_lock(folio);
			KUNIT_EXPECT_TRUE(test, page_holds(folio, folio_test_large(folio) ? i : 0,
							   CONTENTS + i));
			folio_unlock(folio);
			folio_put(folio);
		}
		give_back(test, entry, 4);
		KUNIT_EXPECT_EQ(test, stored(), before);
		if (!left)
			continue;
	}
	KUNIT_EXPECT_GE(test, large, 3);
	kunit_info(test, "one page %d times", small);
}
#endif

/* Pages of two pools, one of them asynchronous, and some stored uncompressed. */
static void entries_of_several_pools(struct kunit *test)
{
	static const enum state states[16];
	long before = stored();
	struct folio *folio;
	swp_entry_t entry;
	int i;

	KUNIT_EXPECT_EQ(test, 0, set_param("zswap.compressor", ACCEL_NAME));
	entry = swapped_in_states(test, 4, states);
	if (!entry.val)
		return;
	for (i = 1; i < 16; i += 3) {
		folio = swapin(nth(entry, i));
		KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
		folio_lock(folio);
		KUNIT_EXPECT_EQ(test, 0, set_param("zswap.compressor",
						   i % 2 ? "lz4" : ACCEL_NAME));
		acomp_inject(&faulty_compress, i % 2 ? FAULT_NONE : FAULT_EIO);
		KUNIT_EXPECT_TRUE(test, store(folio));
		acomp_inject(&faulty_compress, FAULT_NONE);
		evict(folio, NULL);
	}
	KUNIT_EXPECT_EQ(test, 0, set_param("zswap.compressor", FAULTY_NAME));
	folio = swapin_orders(entry, BIT(4));
	if (IS_ERR(folio)) {
		KUNIT_FAIL(test, "%ld", PTR_ERR(folio));
		return;
	}
	expect_whole(test, folio, entry, 4, states);
	give_back(test, entry, 4);
	KUNIT_EXPECT_EQ(test, stored(), before);
}

/* C can't get a folio that only zswap could fill. */
static void c_gets_no_folio_for_held_slots(struct kunit *test)
{
	static const enum state states[16];
	swp_entry_t entry = swapped_in_states(test, 4, states);
	struct folio *folio;

	if (!entry.val)
		return;
	folio = swap_cache_alloc_folio(entry, GFP_KERNEL, BIT(4), NULL,
				       get_task_policy(current), NO_INTERLEAVE_INDEX);
	KUNIT_EXPECT_EQ(test, PTR_ERR(folio), -EBUSY);
	give_back(test, entry, 4);
}

/* A large folio of which zswap has nothing is read from the device: its lock is kept. */
static void large_folio_that_is_not_held(struct kunit *test)
{
	struct folio *folio = new_folio(test, 4, CONTENTS);
	long before = stored();

	if (!folio)
		return;
	folio_clear_uptodate(folio);
	KUNIT_EXPECT_EQ(test, zswap_load(folio), -ENOENT);
	KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
	folio_mark_uptodate(folio);
	/* Nor does its first mapping change anything. */
	KUNIT_EXPECT_FALSE(test, zswap_folio_mapped(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_dirty(folio));
	drop(folio);
	KUNIT_EXPECT_EQ(test, stored(), before);
}

/* A folio that is dropped before its first mapping leaves all as it was. */
static void unmapped_folio_is_dropped(struct kunit *test)
{
	enum state states[16] = { [3] = ZERO, [9] = STALE };
	swp_entry_t entry = swapped_in_states(test, 4, states);
	long before = stored();
	struct folio *folio;
	int turn;

	if (!entry.val)
		return;
	for (turn = 0; turn < 3; turn++) {
		folio = swapin_orders(nth(entry, 4), BIT(4));
		KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
		folio_lock(folio);
		drop(folio);
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
	folio = swapin_orders(nth(entry, 4), BIT(4));
	KUNIT_ASSERT_FALSE(test, IS_ERR(folio));
	expect_whole(test, folio, entry, 4, states);
	give_back(test, entry, 4);
}

/* Whether all words of a page of a file are @what. */
static bool file_holds(struct file *file, pgoff_t index, u64 what)
{
	struct folio *folio = shmem_read_folio(file->f_mapping, index);
	bool ret;

	if (IS_ERR(folio))
		return false;
	ret = page_holds(folio, index - folio->index, what);
	folio_put(folio);
	return ret;
}

/* Fills a page of a file, and swaps it out. Returns its slot's offset; 0 on failure. */
static pgoff_t swap_out_page(struct kunit *test, struct file *file, pgoff_t index, u64 what)
{
	struct folio *folio = shmem_read_folio(file->f_mapping, index);
	swp_entry_t entry;
	u64 *addr;

	if (IS_ERR(folio))
		return 0;
	folio_lock(folio);
	addr = kmap_local_folio(folio, 0);
	memset64(addr, what, PAGE_SIZE / sizeof(u64));
	kunmap_local(addr);
	folio_mark_dirty(folio);
	KUNIT_EXPECT_TRUE(test, folio_clear_dirty_for_io(folio));
	if (shmem_write_folio(folio)) {
		folio_unlock(folio);
		folio_put(folio);
		return 0;
	}
	folio_lock(folio);
	folio_wait_writeback(folio);
	entry = folio->swap;
	drop(folio);
	return swp_offset(entry);
}

/*
 * A fault on anonymous memory has swapped in a large folio for slots that belong to a file
 * by then, and the folio doesn't fit the file's pages. Their readers must not find it for ever.
 */
static void unfit_folio_is_deleted(struct kunit *test)
{
	struct file *file = shmem_kernel_file_setup("unfit", 64 * PAGE_SIZE, EMPTY_VMA_FLAGS);
	long before = stored();
	pgoff_t offset, first = 0, base;
	int i, run = 0, type;
	struct folio *folio;
	swp_entry_t entry;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	offset = swap_out_page(test, file, 0, CONTENTS);
	/* The next slot isn't aligned like the page. */
	base = offset % 16 ? 1 : 2;
	for (i = base; i < 64 && run < 16; i++) {
		pgoff_t next = swap_out_page(test, file, i, CONTENTS + i);

		if (next % 16 == 0) {
			run = next ? 1 : 0;
			first = i;
		} else {
			run = run && next == offset + 1 ? run + 1 : 0;
		}
		offset = next;
	}
	if (run < 16 || (offset - 15) % 16 == first % 16) {
		KUNIT_FAIL(test, "no row of slots");
		goto out;
	}
	type = swp_type(radix_to_swp_entry(xa_load(&file->f_mapping->i_pages, first)));
	entry = swp_entry(type, offset - 15);
	folio = swapin_orders(entry, BIT(4));
	KUNIT_EXPECT_FALSE(test, IS_ERR(folio));
	if (IS_ERR(folio))
		goto out;
	KUNIT_EXPECT_EQ(test, folio_order(folio), 4);
	KUNIT_EXPECT_TRUE(test, file_holds(file, first + 3, CONTENTS + first + 3));
	folio_lock(folio);
	KUNIT_EXPECT_FALSE(test, folio_test_swapcache(folio));
	folio_unlock(folio);
	folio_put(folio);
	while (i-- > base)
		KUNIT_EXPECT_TRUE(test, file_holds(file, i, CONTENTS + i));
out:
	__fput_sync(file);
	KUNIT_EXPECT_EQ(test, stored(), before);
}

static struct kunit_case zswap_large_cases[] = {
	KUNIT_CASE(any_mix_of_held_and_zero),
	KUNIT_CASE(large_mixes),
	KUNIT_CASE(device_slot_is_left_out),
	KUNIT_CASE(present_folio_is_left_alone),
	KUNIT_CASE(bad_page_keeps_all_entries),
#ifdef CONFIG_FAILSLAB
	KUNIT_CASE(failed_allocation_loses_nothing),
#endif
	KUNIT_CASE(entries_of_several_pools),
	KUNIT_CASE(c_gets_no_folio_for_held_slots),
	KUNIT_CASE(large_folio_that_is_not_held),
	KUNIT_CASE(unmapped_folio_is_dropped),
	KUNIT_CASE(unfit_folio_is_deleted),
	{}
};

static int zswap_large_init(struct kunit *test)
{
	if (set_param("zswap.enabled", "Y") ||
	    set_param("zswap.compressor", FAULTY_NAME))
		return -ENODEV;
	acomp_inject(&faulty_compress, FAULT_NONE);
	acomp_inject(&faulty_decompress, FAULT_NONE);
	return 0;
}

static struct kunit_suite zswap_large_suite = {
	.name = "zswap_large",
	.suite_init = swap_test_begin,
	.suite_exit = swap_test_end,
	.init = zswap_large_init,
	.test_cases = zswap_large_cases,
};

kunit_test_suite(zswap_large_suite);
