// SPDX-License-Identifier: GPL-2.0
/* The walk over the LRU list while its entries are freed. */

#include "races.h"

/* The next entry is freed while the list isn't locked: the walk restarts. */
void walk_restarts_if_next_is_freed(struct kunit *test)
{
	struct side writeback = { .run = do_press, .nr = 2 };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entries[3];
	int i;

	needs_point(test, "writeback:after_lru_unlock");
	for (i = 0; i < 3; i++)
		entries[i] = swapped(test, 0, 7 + i, NULL);
	age();
	if (side_begin(test, &writeback, "writeback:after_lru_unlock"))
		lose_user(entries[1]);
	side_end(test, &writeback);
	/* The first and the last entry were written back. */
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 2);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, last_fault(entries[0]), 7ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entries[2]), 9ULL);
}

/* All entries that the walk has seen are freed. */
void walk_ends_if_all_is_freed(struct kunit *test)
{
	struct side writeback = { .run = do_press, .nr = 3 };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entries[3];
	int i;

	needs_point(test, "writeback:after_lru_unlock");
	for (i = 0; i < 3; i++)
		entries[i] = swapped(test, 0, 7 + i, NULL);
	age();
	if (side_begin(test, &writeback, "writeback:after_lru_unlock"))
		for (i = 0; i < 3; i++)
			lose_user(entries[i]);
	side_end(test, &writeback);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
}

/* The walk visits an entry, with the list locked, while the entry is freed. */
void freeing_waits_for_the_walk(struct kunit *test)
{
	struct side walk = { .run = do_press, .stop.stay_ms = A_WHILE_MS };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entry;

	needs_point(test, "shrink:before_lru_unlock");
	entry = aged(test, 7);
	if (!entry.val)
		return;
	if (side_begin(test, &walk, "shrink:before_lru_unlock"))
		/* Spins for the list's lock, with the cluster's lock held. */
		lose_user(entry);
	side_end(test, &walk);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
}

/* The entry was removed from its slot, but not from the list: the walk must not access the slot. */
void walk_skips_entry_being_freed(struct kunit *test)
{
	struct side freeing = { .run = do_lose_user, .stop.stay_ms = A_WHILE_MS };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entry;

	needs_point(test, "invalidate:after_erase");
	entry = aged(test, 7);
	if (!entry.val)
		return;
	freeing.entry = entry;
	if (side_begin(test, &freeing, "invalidate:after_erase"))
		press(root_mem_cgroup, 1);
	side_end(test, &freeing);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
}
