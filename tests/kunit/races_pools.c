// SPDX-License-Identifier: GPL-2.0
/* Changes of pools, compressors and CPUs. */

#include <linux/cpu.h>

#include "races.h"

static const struct point switch_points[] = {
	{ "create:after_alloc" },
	{ "switch:before_make_current" },
	{}
};

static void do_set_param(struct side *side)
{
	side->found = set_param(side->param, side->value);
}

static void do_add_cpu(struct side *side)
{
	side->found = add_cpu(side->nr);
}

/* The pool is retired during a store or load, and in a variant made current again. */
void pages_survive_compressor_switch(struct kunit *test)
{
	int again;

	for (again = 0; again < 2; again++) {
		for_each_point(store_points, true) {
			struct side storing = { .run = do_store, .folio = new_user_folio(test, 7) };
			struct side load = { .run = do_fault };
			swp_entry_t other = {};

			if (!storing.folio)
				return;
			load.entry = storing.folio->swap;
			if (side_begin(test, &storing, point->name)) {
				KUNIT_EXPECT_EQ(test, set_compressor("lz4"), 0);
				other = swapped(test, 0, 8, NULL);
				if (again)
					KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
			}
			side_end(test, &storing);
			KUNIT_EXPECT_TRUE(test, storing.found);
			evict(storing.folio, NULL);
			KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
			if (side_begin(test, &load, "acomp:before_decompress")) {
				KUNIT_EXPECT_EQ(test, set_compressor("lz4"), 0);
				if (other.val)
					KUNIT_EXPECT_EQ(test, last_fault(other), 8ULL);
			}
			side_end(test, &load);
			KUNIT_EXPECT_EQ(test, load.found, 7ULL);
			KUNIT_EXPECT_EQ(test, stored(), 0L);
			KUNIT_EXPECT_EQ(test, last_fault(load.entry), 7ULL);
			KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
		}
	}
}

/* The last page of a retired pool is dropped in atomic context, when its slot is freed. */
void retired_pool_dies_with_its_last_page(struct kunit *test)
{
	int i;

	for (i = 0; i < 10; i++) {
		swp_entry_t entry = swapped(test, 0, 7, NULL);
		struct side freeing = {
			.run = do_lose_user, .entry = entry, .stop.stay_ms = 20,
		};

		if (!entry.val)
			return;
		KUNIT_EXPECT_EQ(test, set_compressor("lz4"), 0);
		if (has_point("invalidate:after_erase"))
			side_begin(test, &freeing, "invalidate:after_erase");
		else
			side_begin(test, &freeing, NULL);
		/* The pool is made current again, unless it was destroyed already. */
		KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
		side_end(test, &freeing);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		entry = swapped(test, 0, 8, NULL);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
	}
}

/*
 * While another pool is being created, or about to become current, pages are stored in the old
 * one. (Uses a compressor that no other test uses: the pool of another one might still exist.)
 */
void store_uses_the_old_pool_during_switch(struct kunit *test)
{
	needs_point(test, "switch:before_make_current");
	for_each_point(switch_points, true) {
		struct side switching = {
			.run = do_set_param, .param = "zswap.compressor", .value = "lzo",
		};
		swp_entry_t entry = {};
		u64 found = 0;

		if (side_begin(test, &switching, point->name)) {
			entry = swapped(test, 0, 7, NULL);
			found = last_fault(entry);
			entry = swapped(test, 0, 8, NULL);
		}
		side_end(test, &switching);
		KUNIT_EXPECT_EQ(test, (int)switching.found, 0);
		KUNIT_EXPECT_EQ(test, found, 7ULL);
		if (entry.val)
			KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
		KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
	}
}

/*
 * For contents 7. Not inlined, since sanitizers make stack frames large.
 */
static noinline void decompression_survives_cpu_removal(struct kunit *test, swp_entry_t entry)
{
	struct side load = { .run = do_fault, .entry = entry };

	if (side_begin(test, &load, "acomp:before_decompress"))
		KUNIT_EXPECT_EQ(test, remove_cpu(1), 0);
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, add_cpu(1), 0);
	KUNIT_EXPECT_EQ(test, load.found, 7ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
}

/*
 * The CPU whose compressor is in use goes offline, and the task continues on another CPU. In a
 * variant the CPU is also brought up again meanwhile, which may have to check the context in use.
 */
void compression_survives_cpu_removal(struct kunit *test)
{
	swp_entry_t entry = {};
	int i;

	for (i = 0; i < 2; i++) {
		struct side storing = { .run = do_store, .folio = new_user_folio(test, 7) };
		struct side adding = { .run = do_add_cpu, .nr = 1 };

		if (!storing.folio)
			return;
		entry = storing.folio->swap;
		if (side_begin(test, &storing, "acomp:before_compress"))
			KUNIT_EXPECT_EQ(test, remove_cpu(1), 0);
		if (i) {
			side_begin(test, &adding, NULL);
			side_waits(&adding, true);
		}
		side_end(test, &storing);
		if (!i)
			side_begin(test, &adding, NULL);
		side_end(test, &adding);
		KUNIT_EXPECT_EQ(test, (int)adding.found, 0);
		evict(storing.folio, NULL);
		KUNIT_EXPECT_TRUE(test, storing.found);

		decompression_survives_cpu_removal(test, entry);
	}
}

/* A CPU goes offline while the compressors of a pool are created: the pool has one for it, too. */
void pool_creation_survives_cpu_removal(struct kunit *test)
{
	struct side switching = {
		.run = do_set_param, .param = "zswap.compressor", .value = "lzo-rle",
	};
	swp_entry_t entry = {};

	needs_point(test, "create:after_alloc");
	if (side_begin(test, &switching, "create:after_alloc")) {
		KUNIT_EXPECT_EQ(test, remove_cpu(1), 0);
		entry = swapped(test, 0, 7, NULL);
	}
	side_end(test, &switching);
	KUNIT_EXPECT_EQ(test, (int)switching.found, 0);
	if (entry.val)
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	entry = swapped(test, 0, 8, NULL);
	KUNIT_EXPECT_EQ(test, add_cpu(1), 0);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
}
