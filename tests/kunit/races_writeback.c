// SPDX-License-Identifier: GPL-2.0
/* Writeback of a page while its slot is used, freed or reused. */

#include "races.h"

/* Writeback has locked the folio: a fault finds it, waits for the lock, and gets its contents. */
void fault_waits_for_writeback(struct kunit *test)
{
	for_each_point(writeback_points, point->folio) {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = aged(test, 7);
		bool locked = false, uptodate = true;
		struct folio *folio;

		if (!entry.val)
			return;
		if (side_begin(test, &writeback, point->name)) {
			folio = swapin(entry);
			if (!IS_ERR(folio)) {
				locked = folio_test_locked(folio);
				uptodate = folio_test_uptodate(folio);
				folio_put(folio);
			}
		}
		side_end(test, &writeback);
		KUNIT_EXPECT_TRUE(test, locked);
		KUNIT_EXPECT_FALSE(test, uptodate);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 1);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* A fault has locked the folio: writeback doesn't wait, and doesn't change the entry. */
void writeback_skips_slot_being_loaded(struct kunit *test)
{
	for_each_point(load_points, true) {
		struct side load = { .run = do_fault };
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = aged(test, 7);
		/* The fault has not added a folio yet: writeback isn't excluded. */
		bool lost = !point->folio;
		long left = -1;

		if (!entry.val)
			return;
		load.entry = entry;
		if (side_begin(test, &load, point->name)) {
			side_begin(test, &writeback, NULL);
			side_end(test, &writeback);
			left = stored();
		}
		side_end(test, &load);
		KUNIT_EXPECT_EQ(test, left, lost ? 0L : 1L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + lost);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* The slot that writeback has seen is freed before writeback adds its folio, or after. */
void freed_slot_is_released_after_writeback(struct kunit *test)
{
	for_each_point(writeback_points, true) {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = aged(test, 7);
		long left = -1;

		if (!entry.val)
			return;
		if (side_begin(test, &writeback, point->name)) {
			lose_user(entry);
			left = stored();
		}
		side_end(test, &writeback);
		/* A folio in the swap cache pins the slot and the entry. */
		KUNIT_EXPECT_EQ(test, left, point->folio ? 1L : 0L);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + point->folio);
		if (point->folio)
			drop_cached(test, entry);
		KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
	}
}

/* The slot of an entry that writeback has seen is freed, and reused for another page. */
void writeback_skips_reused_slot(struct kunit *test)
{
	needs_point(test, "writeback:after_lru_unlock");
	for_each_point(writeback_points, !point->folio) {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = aged(test, 7), other = {};
		struct folio *folio = NULL;

		if (!entry.val)
			return;
		if (side_begin(test, &writeback, point->name)) {
			lose_user(entry);
			/* This entry gets the memory of the old one. */
			other = swapped(test, 0, 8, NULL);
			folio = new_folio_at(test, entry, 9);
			if (folio)
				swap_out(test, folio, NULL);
			else
				KUNIT_FAIL(test, "the slot wasn't reused");
		}
		side_end(test, &writeback);
		/* The entry of the new page still has its second chance. */
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		KUNIT_EXPECT_EQ(test, stored(), 2L);
		if (folio)
			KUNIT_EXPECT_EQ(test, last_fault(entry), 9ULL);
		KUNIT_EXPECT_EQ(test, last_fault(other), 8ULL);
	}
}

/*
 * Like writeback_skips_reused_slot(), but the new entry has the address of the old one: writeback
 * may write the new page, and must not write the old one.
 */
void writeback_never_writes_replaced_entry(struct kunit *test)
{
	needs_point(test, "writeback:after_lru_unlock");
	for_each_point(writeback_points, !point->folio) {
		struct side writeback = { .run = do_press };
		swp_entry_t entry = aged(test, 7);

		if (!entry.val)
			return;
		if (side_begin(test, &writeback, point->name))
			change(test, entry, 8);
		side_end(test, &writeback);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
	}
}

/* The slot's zeromap bit was set without a call of zswap: its entry is stale. */
void writeback_skips_zeroed_slot(struct kunit *test)
{
	needs_point(test, "writeback:after_lru_unlock");
	for_each_point(writeback_points, !point->folio) {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		struct folio *folio = new_user_folio(test, 7);
		struct swap_cluster_info *ci;
		swp_entry_t entry;

		if (!folio)
			return;
		entry = folio->swap;
		KUNIT_EXPECT_TRUE(test, store(folio));
		age();
		side_begin(test, &writeback, point->name);
		/* As reclaim does for a zero-filled page. */
		ci = swap_cluster_get_and_lock(folio);
		__swap_table_set_zero(ci, swp_cluster_offset(entry));
		swap_cluster_unlock(ci);
		evict(folio, NULL);
		side_end(test, &writeback);

		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_FALSE(test, swap_cache_has_folio(entry));
		folio = fault(entry);
		lose_user(entry);
		if (folio) {
			KUNIT_EXPECT_TRUE(test, holds(folio, 0));
			drop(folio);
		} else {
			KUNIT_FAIL(test, "a page of zeroes can't be read");
		}
	}
}

/* A page that can't be decompressed isn't written, and no task gets a folio without contents. */
void failed_writeback_keeps_the_entry(struct kunit *test)
{
	struct side writeback = { .run = do_press }, load = { .run = do_fault };
	struct folio *folio, *waited = NULL;
	unsigned long written = event(ZSWPWB);
	bool locked = true, cached = true;
	swp_entry_t entry;

	needs_point(test, "writeback:after_add_folio");
	needs_point(test, "lookup:before_folio_get");
	entry = aged(test, 7);
	if (!entry.val)
		return;
	load.entry = entry;
	if (side_begin(test, &writeback, "writeback:after_add_folio")) {
		/* The lookup has seen the folio, and has no reference yet. */
		side_begin(test, &load, "lookup:before_folio_get");
		/* A task with a reference waits for the lock. */
		waited = swapin(entry);
	}
	acomp_inject(&faulty_decompress, FAULT_EIO);
	side_end(test, &writeback);
	if (!IS_ERR_OR_NULL(waited)) {
		locked = folio_test_locked(waited);
		cached = folio_test_swapcache(waited);
		if (locked)
			folio_unlock(waited);
		folio_put(waited);
	}
	KUNIT_EXPECT_FALSE(test, locked);
	KUNIT_EXPECT_FALSE(test, cached);
	folio = swap_cache_get_folio(entry);
	if (folio) {
		KUNIT_FAIL(test, "a folio without contents is left");
		if (folio_test_locked(folio))
			folio_unlock(folio);
		folio_put(folio);
	}
	KUNIT_EXPECT_EQ(test, stored(), 1L);
	acomp_inject(&faulty_decompress, FAULT_NONE);
	if (load.stop.point)
		side_end(test, &load);
	KUNIT_EXPECT_EQ(test, load.found, 7ULL);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
}

/* Only the folio pinned the slot: slot and entry are freed when it is removed. */
void failed_writeback_frees_unused_slot(struct kunit *test)
{
	for_each_point(writeback_points, point->folio && !point->data) {
		struct side writeback = { .run = do_press };
		swp_entry_t entry = aged(test, 7);

		if (!entry.val)
			return;
		if (side_begin(test, &writeback, point->name)) {
			lose_user(entry);
			acomp_inject(&faulty_decompress, FAULT_EIO);
		}
		side_end(test, &writeback);
		acomp_inject(&faulty_decompress, FAULT_NONE);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
	}
}
