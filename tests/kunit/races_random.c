// SPDX-License-Identifier: GPL-2.0
/* Random concurrent operations, for either implementation. Needs no race points. */

#include <linux/delay.h>
#include <linux/random.h>

#include "races.h"

#define NR_SLOTS 8
#define RANDOM_MS 2000

/*
 * Slots shared by several tasks. The folio's lock protects the expected
 * contents.
 */
static struct {
	swp_entry_t entry;
	u64 what;
} slots[NR_SLOTS];

static unsigned long end;

/* Acts like processes and reclaim. Counts mismatches. */
static void do_use_slots(struct side *side)
{
	while (time_before(jiffies, end)) {
		int i = get_random_u32_below(NR_SLOTS);
		struct folio *folio = fault(slots[i].entry);

		if (!folio) {
			side->found++;
			continue;
		}
		if (content(folio) != slots[i].what)
			side->found++;
		if (get_random_u32_below(2)) {
			fill(folio, ++slots[i].what);
			folio_mark_dirty(folio);
		}
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

void random_use_corrupts_nothing(struct kunit *test)
{
	void (* const runs[])(struct side *side) = {
		do_use_slots, do_use_slots, do_use_slots, do_press_often, do_change_parameters,
	};
	struct side *sides = kunit_kcalloc(test, ARRAY_SIZE(runs), sizeof(*sides), GFP_KERNEL);
	unsigned long written = event(ZSWPWB), wrong = 0, used = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, sides);
	for (i = 0; i < NR_SLOTS; i++) {
		slots[i].what = (i + 1) * 0x100000;
		slots[i].entry = swapped(test, 0, slots[i].what, NULL);
	}
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
	for (i = 0; i < NR_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, last_fault(slots[i].entry), slots[i].what);
}
