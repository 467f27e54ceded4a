// SPDX-License-Identifier: GPL-2.0
/* Swapoff during other operations. */

#include "races.h"

/* Like do_fault(), but without the folio's lock, so that the slot may be freed. Pins the device. */
static void do_swapin(struct side *side)
{
	struct swap_info_struct *si = get_swap_device(side->entry);
	struct folio *folio = si ? swapin_orders(side->entry, side->nr) : ERR_PTR(-ENODEV);

	if (!IS_ERR(folio)) {
		folio_wait_locked(folio);
		if (folio_test_uptodate(folio))
			side->found = content(folio);
		folio_put(folio);
	}
	if (si)
		put_swap_device(si);
}

static void do_swapoff(struct side *side)
{
	side->found = swap_test_swapoff();
}

/*
 * Swapoff while writeback has the swap entry of a slot of the device: swapoff waits if writeback
 * has a reference to the device.
 */
void swapoff_waits_for_writeback(struct kunit *test)
{
	for_each_point(writeback_points, true) {
		struct side writeback = { .run = do_press };
		struct side swapoff = { .run = do_swapoff };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = aged(test, 7);
		bool waits = false;

		if (!entry.val)
			return;
		if (side_begin(test, &writeback, point->name)) {
			lose_user(entry);
			side_begin(test, &swapoff, NULL);
			if (point->device)
				waits = side_waits(&swapoff, true);
			else
				side_end(test, &swapoff);
		}
		side_end(test, &writeback);
		if (point->device)
			side_end(test, &swapoff);
		KUNIT_EXPECT_EQ(test, waits, point->device);
		KUNIT_EXPECT_EQ(test, (int)swapoff.found, 0);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + point->folio);
		KUNIT_EXPECT_EQ(test, swap_test_swapon(), 0);
	}
}

/* Swapoff also waits for a fault, which gets its pages. */
static void swapoff_waits(struct kunit *test, const struct point *points, int order)
{
	for_each_point(points, point->folio) {
		struct side load = { .run = do_swapin, .nr = BIT(order) };
		struct side swapoff = { .run = do_swapoff };
		swp_entry_t entry = swapped(test, order, 7, NULL);
		bool waits = false;

		if (!entry.val)
			return;
		load.entry = entry;
		if (side_begin(test, &load, point->name)) {
			swap_put_entries_direct(entry, 1 << order);
			side_begin(test, &swapoff, NULL);
			waits = side_waits(&swapoff, true);
		}
		side_end(test, &load);
		side_end(test, &swapoff);
		KUNIT_EXPECT_TRUE(test, waits);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, (int)swapoff.found, 0);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, swap_test_swapon(), 0);
	}
}

void swapoff_waits_for_load(struct kunit *test)
{
	swapoff_waits(test, load_points, 0);
}

void swapoff_waits_for_whole_swapin(struct kunit *test)
{
	needs_point(test, whole_points[0].name);
	swapoff_waits(test, whole_points, ORDER);
}
