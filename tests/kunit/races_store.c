// SPDX-License-Identifier: GPL-2.0
/* Stores during writeback or a load. */

#include <linux/delay.h>

#include "races.h"

/* A store is refused: writeback can't access the older entry before or after it is freed. */
void writeback_skips_refused_folio(struct kunit *test)
{
	static const char * const refuse[][3] = {
		{ "zswap.enabled", "N", "Y" },
		{ "zswap.max_pool_percent", "0", "90" },
	};
	int i;

	needs_point(test, "store:before_clear");
	for (i = 0; i < ARRAY_SIZE(refuse); i++) {
		struct folio *folio = new_folio(test, ORDER, 7);
		struct side refused = { .run = do_store, .folio = folio };
		unsigned long written = event(ZSWPWB);

		if (!folio)
			return;
		KUNIT_EXPECT_TRUE(test, store(folio));
		age();
		fill(folio, 8);
		set_param(refuse[i][0], refuse[i][1]);
		if (side_begin(test, &refused, "store:before_clear")) {
			set_param(refuse[i][0], refuse[i][2]);
			press(root_mem_cgroup, 1 << ORDER);
		}
		side_end(test, &refused);
		set_param(refuse[i][0], refuse[i][2]);
		KUNIT_EXPECT_FALSE(test, refused.found);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		press(root_mem_cgroup, 1 << ORDER);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		drop(folio);
	}
}

/* All of the folio's pages are in the index, and none is on the LRU list: writeback gets none. */
void writeback_skips_half_stored_folio(struct kunit *test)
{
	struct folio *folio;
	struct side half = { .run = do_store };
	unsigned long written = event(ZSWPWB);

	needs_point(test, "store:before_lru_add");
	folio = new_folio(test, ORDER, 7);
	if (!folio)
		return;
	half.folio = folio;
	if (side_begin(test, &half, "store:before_lru_add")) {
		KUNIT_EXPECT_EQ(test, stored(), 1L << ORDER);
		press(root_mem_cgroup, 8);
		press(root_mem_cgroup, 8);
	}
	side_end(test, &half);
	KUNIT_EXPECT_TRUE(test, half.found);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 1L << ORDER);
	drop(folio);
}

/*
 * Page 8 of 16 can neither be compressed nor stored uncompressed: the entries of the others can't
 * be written back, and are freed.
 */
void refused_half_stored_folio_leaves_nothing(struct kunit *test)
{
	struct side half = { .run = do_store };
	unsigned long written = event(ZSWPWB);
	struct mem_cgroup *memcg;
	struct folio *folio;
	long some = -1;

	needs_point(test, "store:before_clear");
	memcg = make_group(test);
	folio = new_folio_of(test, memcg, ORDER, 7);
	if (folio) {
		half.folio = folio;
		/* Without writeback, zswap doesn't store pages uncompressed. */
		WRITE_ONCE(memcg->zswap_writeback, false);
		faulty_compress.skip = 7;
		acomp_inject(&faulty_compress, FAULT_EIO);
		if (side_begin(test, &half, "store:before_clear")) {
			some = stored();
			WRITE_ONCE(memcg->zswap_writeback, true);
			press(memcg, 8);
			press(memcg, 8);
		}
		side_end(test, &half);
		acomp_inject(&faulty_compress, FAULT_NONE);
		faulty_compress.skip = 0;
		KUNIT_EXPECT_FALSE(test, half.found);
		KUNIT_EXPECT_EQ(test, some, 7L);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		mem_cgroup_flush_stats(memcg);
		KUNIT_EXPECT_EQ(test, memcg_page_state(memcg, MEMCG_ZSWAPPED), 0UL);
		KUNIT_EXPECT_EQ(test, memcg_page_state(memcg, MEMCG_ZSWAP_B), 0UL);
		drop(folio);
	}
	KUNIT_EXPECT_TRUE(test, remove_group(memcg));
	put_group(memcg);
}

/*
 * A store for a cgroup at its limit has to write back an entry, and the only one is being loaded:
 * the store doesn't wait for the load.
 */
void store_at_its_limit_never_waits_for_load(struct kunit *test)
{
	struct side load = { .run = do_fault }, limited = { .run = do_store };
	struct folio *folio = NULL, *older;
	struct mem_cgroup *memcg = make_group(test);
	unsigned long written = event(ZSWPWB);

	older = new_folio_of(test, memcg, 0, 7);
	if (older)
		load.entry = swap_out(test, older, NULL);
	folio = new_folio_of(test, memcg, 0, 8);
	if (older && folio) {
		press(memcg, 1);
		WRITE_ONCE(memcg->zswap_max, 0);
		limited.folio = folio;
		if (side_begin(test, &load, "acomp:before_decompress")) {
			/* The folio is locked, as in reclaim. */
			side_begin(test, &limited, NULL);
			side_end(test, &limited);
		}
		side_end(test, &load);
		KUNIT_EXPECT_FALSE(test, limited.found);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(load.entry), 7ULL);
	}
	if (folio)
		drop(folio);
	KUNIT_EXPECT_TRUE(test, remove_group(memcg));
	put_group(memcg);
}

static void do_urgent_fault(struct side *side)
{
	sched_set_fifo(current);
	do_fault(side);
}

static bool holds_soon(struct race_stop *stop)
{
	return wait_for_completion_timeout(&stop->reached, PATIENCE);
}

/*
 * A load waits for the compressor of a CPU on which a folio is being stored: it gets the compressor
 * before the store is complete. A real-time task loads, and runs as soon as the compressor is free.
 */
void load_gets_the_compressor_between_pages(struct kunit *test)
{
	/* Not on the stack: with lockdep they are large. */
	struct side *storing = kunit_kzalloc(test, sizeof(*storing), GFP_KERNEL);
	struct side *load = kunit_kzalloc(test, sizeof(*load), GFP_KERNEL);
	struct race_stop *first = kunit_kzalloc(test, sizeof(*first), GFP_KERNEL);
	struct race_stop *last = kunit_kzalloc(test, sizeof(*last), GFP_KERNEL);
	unsigned long limit;

	if (!IS_ENABLED(CONFIG_PREEMPTION))
		kunit_skip(test, "no task is preempted");
	KUNIT_ASSERT_TRUE(test, storing && load && first && last);
	storing->run = do_store;
	load->run = do_urgent_fault;
	last->pass = (1 << ORDER) - 2;
	load->entry = swapped(test, 0, 7, NULL);
	storing->folio = new_folio(test, ORDER, 8);
	if (!storing->folio)
		return;
	race_stop_arm(first, "acomp:before_compress", NULL);
	race_stop_arm(last, "acomp:before_compress", NULL);
	side_begin(test, storing, NULL);
	KUNIT_EXPECT_TRUE(test, holds_soon(first));
	side_begin(test, load, NULL);
	KUNIT_EXPECT_TRUE(test, side_waits(load, true));
	race_stop_release(first);
	KUNIT_EXPECT_TRUE(test, holds_soon(last));
	limit = jiffies + PATIENCE;
	while (!completion_done(&load->done) && time_before(jiffies, limit))
		usleep_range(200, 400);
	KUNIT_EXPECT_TRUE_MSG(test, completion_done(&load->done), "it waits for the whole folio");
	race_stop_release(last);
	side_end(test, load);
	side_end(test, storing);
	KUNIT_EXPECT_TRUE(test, storing->found);
	KUNIT_EXPECT_EQ(test, load->found, 7ULL);
	KUNIT_EXPECT_EQ(test, last_fault(load->entry), 7ULL);
	drop(storing->folio);
}

/*
 * zswap is disabled while a page is being stored: the store completes, and the
 * page can be loaded.
 */
void store_completes_if_zswap_is_disabled(struct kunit *test)
{
	for_each_point(store_points, true) {
		struct side storing = { .run = do_store, .folio = new_user_folio(test, 7) };
		swp_entry_t entry;

		if (!storing.folio)
			return;
		entry = storing.folio->swap;
		if (side_begin(test, &storing, point->name)) {
			set_param("zswap.enabled", "N");
			set_param("zswap.max_pool_percent", "0");
		}
		side_end(test, &storing);
		evict(storing.folio, NULL);
		KUNIT_EXPECT_TRUE(test, storing.found);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
		set_param("zswap.max_pool_percent", "90");
		set_param("zswap.enabled", "Y");
	}
}
