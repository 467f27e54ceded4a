// SPDX-License-Identifier: GPL-2.0
/* Swap-in and lookup while the slot changes. */

#include "races.h"

/*
 * Points at which a lookup, or a swap-in that lost the race to add a folio, has
 * seen the folio and has no reference yet.
 */
static const struct point lookup_points[] = {
	{ "swapin:before_lookup" },
	{ "lookup:before_folio_get" },
	{}
};

static void do_lookup(struct side *side)
{
	side->folio = swap_cache_get_folio(side->entry);
}

/* The last user is dropped during a load: slot and entry are not freed before the load ends. */
void load_keeps_freed_slot_until_it_ends(struct kunit *test)
{
	for_each_point(load_points, point->folio) {
		struct side load = { .run = do_fault };
		swp_entry_t entry = swapped(test, 0, 7, NULL);
		long left = -1;

		if (!entry.val)
			return;
		load.entry = entry;
		if (side_begin(test, &load, point->name)) {
			lose_user(entry);
			left = stored();
		}
		side_end(test, &load);
		KUNIT_EXPECT_EQ(test, left, 1L);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		drop_cached(test, entry);
	}
}

/*
 * After a lookup has found no folio, and before a folio is added, another task swaps the page in,
 * changes it, and swaps it out again: the slot is the same, its contents are not.
 */
void swapin_reads_the_changed_slot(struct kunit *test)
{
	struct side load = { .run = do_fault };
	swp_entry_t entry;

	needs_point(test, "add:after_alloc");
	entry = swapped(test, 0, 7, NULL);
	if (!entry.val)
		return;
	load.entry = entry;
	if (side_begin(test, &load, "add:after_alloc"))
		change(test, entry, 8);
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, load.found, 8ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
}

/* Like swapin_reads_the_changed_slot(), but the slot is freed: no page can be swapped in. */
void swapin_of_freed_slot_fails(struct kunit *test)
{
	struct side load = { .run = do_fault };
	swp_entry_t entry;

	needs_point(test, "add:after_alloc");
	entry = swapped(test, 0, 7, NULL);
	if (!entry.val)
		return;
	load.entry = entry;
	if (side_begin(test, &load, "add:after_alloc"))
		lose_user(entry);
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, load.found, 0ULL);
	KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
}

/* One task swaps in, another one finds the folio and waits: both get the page. */
void second_fault_waits_for_the_first(struct kunit *test)
{
	for_each_point(load_points, true) {
		struct side first = { .run = do_fault }, second = { .run = do_fault };
		swp_entry_t entry = swapped(test, 0, 7, NULL);
		bool waits = false;

		if (!entry.val)
			return;
		first.entry = entry;
		second.entry = entry;
		if (side_begin(test, &first, point->name)) {
			side_begin(test, &second, NULL);
			waits = side_waits(&second, point->folio);
		}
		side_end(test, &first);
		side_end(test, &second);
		KUNIT_EXPECT_EQ(test, waits, point->folio);
		KUNIT_EXPECT_EQ(test, first.found, 7ULL);
		KUNIT_EXPECT_EQ(test, second.found, 7ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* The folio that a lookup or a lost race has seen is removed, and another one may be added. */
void fault_retries_if_the_folio_leaves(struct kunit *test)
{
	int another;

	needs_point(test, "lookup:before_folio_get");
	for_each_point(lookup_points, true) {
		for (another = 0; another < 2; another++) {
			struct side load = { .run = do_fault };
			struct folio *folio = new_user_folio(test, 7);
			swp_entry_t entry;

			if (!folio)
				return;
			entry = folio->swap;
			load.entry = entry;
			side_begin(test, &load, point->name);
			fill(folio, 8);
			KUNIT_EXPECT_TRUE(test, store(folio));
			evict(folio, NULL);
			if (another) {
				folio = fault(entry);
				if (folio) {
					fill(folio, 9);
					folio_unlock(folio);
					folio_put(folio);
				}
			}
			side_end(test, &load);
			KUNIT_EXPECT_EQ(test, load.found, 8ULL + another);
			KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL + another);
		}
	}
}

/*
 * A lookup finds the slot's current folio, although a reference to the old one can still be taken.
 */
void lookup_ignores_folio_that_has_left(struct kunit *test)
{
	int another;

	needs_point(test, "lookup:before_folio_get");
	for (another = 0; another < 2; another++) {
		struct side lookup = { .run = do_lookup };
		struct folio *folio = new_user_folio(test, 7), *now = NULL;
		swp_entry_t entry;

		if (!folio)
			return;
		entry = folio->swap;
		lookup.entry = entry;
		side_begin(test, &lookup, "lookup:before_folio_get");
		KUNIT_EXPECT_TRUE(test, store(folio));
		folio_get(folio);
		evict(folio, NULL);
		if (another) {
			now = fault(entry);
			if (now)
				folio_unlock(now);
		}
		side_end(test, &lookup);
		KUNIT_EXPECT_PTR_EQ(test, lookup.folio, now);
		if (lookup.folio)
			folio_put(lookup.folio);
		if (now)
			folio_put(now);
		folio_put(folio);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/*
 * The task that has swapped in a page drops it unused: the folio has the only
 * copy, and must be dirty.
 */
void unused_load_leaves_dirty_folio(struct kunit *test)
{
	swp_entry_t entry = swapped(test, 0, 7, NULL);
	struct side load = { .run = do_fault, .entry = entry };
	struct folio *folio;
	bool dirty = false;

	if (!entry.val)
		return;
	side_begin(test, &load, "acomp:before_decompress");
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	folio = fault(entry);
	if (folio) {
		dirty = folio_test_dirty(folio);
		/* As reclaim must do with a dirty folio. */
		KUNIT_EXPECT_TRUE(test, store(folio));
		evict(folio, NULL);
	}
	KUNIT_EXPECT_TRUE(test, dirty);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
}
