// SPDX-License-Identifier: GPL-2.0
/* Removal of cgroups. */

#include <linux/delay.h>

#include "races.h"

/*
 * The cgroup is removed after an entry of it is created, and before the entry is on a list: the
 * entry is added to the parent's list.
 */
void store_survives_cgroup_removal(struct kunit *test)
{
	for_each_point(store_points, true) {
		struct mem_cgroup *memcg = make_group(test);
		struct side storing = { .run = do_store };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry;
		bool gone = false;

		storing.folio = new_folio_of(test, memcg, 0, 7);
		if (!storing.folio) {
			remove_group(memcg);
			put_group(memcg);
			return;
		}
		entry = storing.folio->swap;
		KUNIT_EXPECT_EQ(test, folio_dup_swap(storing.folio, NULL), 0);
		if (side_begin(test, &storing, point->name))
			gone = remove_group(memcg);
		side_end(test, &storing);
		evict(storing.folio, NULL);
		KUNIT_EXPECT_TRUE(test, storing.found);
		KUNIT_EXPECT_TRUE(test, gone);
		press(root_mem_cgroup, 1);
		press(root_mem_cgroup, 1);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 1);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
		put_group(memcg);
	}
}

/* Entries outlive their cgroup, and are removed from the list that they were moved to. */
void entries_survive_cgroup_removal(struct kunit *test)
{
	struct side freeing = { .run = do_lose_user, .stop.stay_ms = A_WHILE_MS };
	struct side writeback = { .run = do_press };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entries[4] = {};
	struct mem_cgroup *memcg;
	bool gone = false;
	int i;

	needs_point(test, "invalidate:after_erase");
	memcg = make_group(test);
	writeback.memcg = memcg;
	for (i = 0; i < 4; i++) {
		struct folio *folio = new_folio_of(test, memcg, 0, 7 + i);

		if (folio)
			entries[i] = swap_out(test, folio, NULL);
	}
	press(memcg, 4);
	freeing.entry = entries[0];
	/* The first entry is under writeback and being freed. The third is freed later. */
	if (side_begin(test, &writeback, "writeback:after_lru_unlock")) {
		side_begin(test, &freeing, "invalidate:after_erase");
		gone = remove_group(memcg);
		lose_user(entries[2]);
		side_end(test, &freeing);
	}
	side_end(test, &writeback);
	KUNIT_EXPECT_TRUE(test, gone);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 2L);
	press(root_mem_cgroup, 1);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 1);
	KUNIT_EXPECT_EQ(test, last_fault(entries[1]), 8ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entries[3]), 10ULL);
	put_group(memcg);
}

/*
 * The worker that writes back at the pool limit has reached a cgroup that is removed: the worker
 * neither pins the cgroup nor stops.
 */
void worker_releases_removed_cgroup(struct kunit *test)
{
	unsigned int pass;

	needs_point(test, "shrink:after_next_memcg");
	for (pass = 0; pass < 4; pass++) {
		struct mem_cgroup *memcg = make_group(test);
		struct race_stop stop = { .pass = pass };
		swp_entry_t entries[2] = {};
		struct folio *folio;
		bool gone = false;

		entries[0] = swapped(test, 0, 7, NULL);
		folio = new_folio_of(test, memcg, 0, 8);
		if (folio)
			entries[1] = swap_out(test, folio, NULL);
		folio = new_folio(test, 0, 9);
		if (!folio)
			return;
		race_stop_arm(&stop, "shrink:after_next_memcg", NULL);
		set_param("zswap.max_pool_percent", "0");
		KUNIT_EXPECT_FALSE(test, store(folio));
		drop(folio);
		KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&stop.reached, PATIENCE), 0);
		gone = remove_group(memcg);
		put_group(memcg);
		race_stop_release(&stop);
		KUNIT_EXPECT_FALSE(test, stop.late);
		KUNIT_EXPECT_TRUE(test, gone);
		KUNIT_EXPECT_TRUE(test, soon_empty());
		set_param("zswap.max_pool_percent", "90");
		KUNIT_EXPECT_EQ(test, last_fault(entries[0]), 7ULL);
		KUNIT_EXPECT_EQ(test, last_fault(entries[1]), 8ULL);
		KUNIT_EXPECT_EQ(test, left_after_a_while(), 0UL);
	}
}

/* The worker has stopped at a cgroup that is removed later: it doesn't pin the cgroup. */
void idle_worker_keeps_no_removed_cgroup(struct kunit *test)
{
	struct mem_cgroup *memcg = make_group(test);
	struct folio *folio, *refused;
	swp_entry_t entry = {};

	/* The only entry that can be written back. */
	folio = new_folio_of(test, memcg, 0, 7);
	refused = new_folio(test, 0, 8);
	if (folio && refused) {
		entry = swap_out(test, folio, NULL);
		set_param("zswap.max_pool_percent", "0");
		KUNIT_EXPECT_FALSE(test, store(refused));
		KUNIT_EXPECT_TRUE(test, soon_empty());
		msleep(A_WHILE_MS);
		set_param("zswap.max_pool_percent", "90");
	}
	if (refused)
		drop(refused);
	KUNIT_EXPECT_TRUE(test, remove_group(memcg));
	put_group(memcg);
	if (entry.val)
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	KUNIT_EXPECT_EQ(test, left_after_a_while(), 0UL);
}
