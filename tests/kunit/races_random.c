// SPDX-License-Identifier: GPL-2.0
/* Random concurrent operations, for either implementation. Needs no race points. */

#include <linux/delay.h>
#include <linux/random.h>

#include "races.h"

#define NR_SLOTS 16
#define RANDOM_MS 2000

/*
 * Slots shared by several tasks, side by side for large folios. The folio's lock protects the
 * expected contents.
 */
static struct {
	swp_entry_t entry;
	u64 what;
} slots[NR_SLOTS];

/* The orders of the folios that are swapped in. */
static unsigned long orders;
static unsigned long end;
static atomic_long_t larges;

/* Checks the folio's contents, and may change them. Returns whether they were the expected ones. */
static bool use(struct folio *folio, int i)
{
	int nr = folio_nr_pages(folio), k;
	bool ret = true;
	u64 what;

	i = round_down(i, nr);
	for (k = 0; k < nr; k++)
		ret &= page_holds(folio, k, slots[i + k].what);
	if (nr > 1) {
		atomic_long_inc(&larges);
		/* It isn't always mapped. */
		if (get_random_u32_below(2))
			return ret;
		zswap_folio_mapped(folio);
	}
	if (get_random_u32_below(2)) {
		what = slots[i].what + 0x100;
		fill(folio, what);
		for (k = 0; k < nr; k++)
			slots[i + k].what = what + k;
		folio_mark_dirty(folio);
	}
	return ret;
}

/* Acts like processes and reclaim. Counts mismatches. */
static void do_use_slots(struct side *side)
{
	while (time_before(jiffies, end)) {
		int i = get_random_u32_below(NR_SLOTS);
		struct folio *folio = fault_orders(slots[i].entry,
						   get_random_u32_below(4) ? orders : BIT(0));

		if (!folio) {
			side->found++;
			continue;
		}
		side->found += !use(folio, i);
		if (!folio_test_dirty(folio) || store(folio)) {
			evict(folio, NULL);
		} else {
			folio_unlock(folio);
			folio_put(folio);
		}
		side->nr++;
		cond_resched();
	}
}

static void do_press_often(struct side *side)
{
	while (time_before(jiffies, end)) {
		press(root_mem_cgroup, 1 + get_random_u32_below(NR_SLOTS));
		cond_resched();
	}
}

static void do_change_parameters(struct side *side)
{
	static const char * const compressors[] = { "lz4", FAULTY_NAME, "lzo" };

	while (time_before(jiffies, end)) {
		set_param("zswap.enabled", get_random_u32_below(4) ? "Y" : "N");
		set_param("zswap.max_pool_percent", get_random_u32_below(4) ? "90" : "0");
		set_compressor(compressors[get_random_u32_below(3)]);
		usleep_range(500, 2000);
	}
}

/* @slots are swapped out. */
static void use_slots(struct kunit *test)
{
	void (* const runs[])(struct side *side) = {
		do_use_slots, do_use_slots, do_use_slots, do_press_often, do_change_parameters,
	};
	struct side *sides = kunit_kcalloc(test, ARRAY_SIZE(runs), sizeof(*sides), GFP_KERNEL);
	unsigned long written = event(ZSWPWB), wrong = 0, used = 0;
	int i, k, nr;

	KUNIT_ASSERT_NOT_NULL(test, sides);
	race_steps = false; /* too many */
	end = jiffies + msecs_to_jiffies(RANDOM_MS);
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		sides[i].run = runs[i];
		sides[i].same_cpu = i % 2;
		side_begin(test, &sides[i], NULL);
	}
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		side_end(test, &sides[i]);
		wrong += sides[i].found;
		used += sides[i].nr;
	}
	set_param("zswap.enabled", "Y");
	set_param("zswap.max_pool_percent", "90");
	kunit_info(test, "%lu faults, %lu pages written back", used, event(ZSWPWB) - written);
	KUNIT_EXPECT_EQ(test, wrong, 0UL);
	KUNIT_EXPECT_GT(test, used, 0UL);
	for (i = 0; i < NR_SLOTS; i += nr) {
		struct folio *folio = fault(slots[i].entry);

		nr = folio ? folio_nr_pages(folio) : 1;
		for (k = i; k < i + nr; k++) {
			KUNIT_EXPECT_TRUE(test, folio && page_holds(folio, k - i, slots[k].what));
			lose_user(slots[k].entry);
		}
		if (folio)
			drop(folio);
	}
}

void random_use_corrupts_nothing(struct kunit *test)
{
	int i;

	for (i = 0; i < NR_SLOTS; i++) {
		slots[i].what = (i + 1) * 0x100000;
		slots[i].entry = swapped(test, 0, slots[i].what, NULL);
	}
	orders = BIT(0);
	use_slots(test);
}

/* All slots are those of a large folio: it is swapped in as a whole, in parts, or by pages. */
void random_whole_swapins_corrupt_nothing(struct kunit *test)
{
	swp_entry_t entry;
	int i;

	needs_point(test, "whole:after_add");
	entry = swapped(test, ORDER, 1, NULL);
	if (!entry.val)
		return;
	for (i = 0; i < NR_SLOTS; i++) {
		slots[i].what = 1 + i;
		slots[i].entry = nth(entry, i);
	}
	orders = BIT(ORDER) | BIT(2) | BIT(0);
	atomic_long_set(&larges, 0);
	use_slots(test);
	kunit_info(test, "%ld large folios", atomic_long_read(&larges));
	KUNIT_EXPECT_GT(test, atomic_long_read(&larges), 0L);
}
