// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how long zswap takes to store, load and free a page, for either implementation, or for
 * both in one kernel (CONFIG_ZSWAP_AB_KUNIT_TEST): on the same folios and slots, with C and Rust
 * first in alternation. Prints a line of fields separated by tabs for each implementation,
 * operation and content: nanoseconds and pages, of all rounds except the first. Has no limit for
 * times: fails only if a page isn't stored, or is loaded with other contents. The measurements
 * timing and ab run it.
 */

#include <linux/ktime.h>

#include "c_zswap.h"
#include "swap_test.h"

#define PAGES 4096
#define ROUNDS 6

static const struct impl {
	bool (*store)(struct folio *folio);
	int (*load)(struct folio *folio);
	void (*invalidate)(swp_entry_t swp);
	void (*invalidate_range)(swp_entry_t swp, unsigned int nr);
	atomic_long_t *stored;
	const char *name;
} kernels = {
	zswap_store, zswap_load, zswap_invalidate, zswap_invalidate_range, &zswap_stored_pages,
	IS_ENABLED(CONFIG_ZSWAP_RUST) ? "rust" : "c",
};

#ifdef CONFIG_ZSWAP_AB_KUNIT_TEST
/* As in mm/swap.h for C. */
static void c_zswap_invalidate_range(swp_entry_t swp, unsigned int nr)
{
	for (; nr; nr--, swp.val++)
		c_zswap_invalidate(swp);
}

static const struct impl other = {
	c_zswap_store, c_zswap_load, c_zswap_invalidate, c_zswap_invalidate_range,
	&c_zswap_stored_pages, "c",
};

static const struct impl *const impls[] = { &other, &kernels };
static const char *const prefixes[] = { "zswap_c", "zswap" };
#else
static const struct impl *const impls[] = { &kernels };
static const char *const prefixes[] = { "zswap" };
#endif

#define IMPLS ARRAY_SIZE(impls)

static const char *const contents[] = { "same", "text", "random" };

enum operation { STORE, LOAD, FREE_ONE, FREE_RANGE, OPERATIONS };

static const char *const operations[] = { "store", "load", "free, one slot", "free, a range" };

static struct folio *folios[PAGES];
static u64 scratch[PAGE_SIZE / sizeof(u64)];

static void fill_all(enum content content)
{
	int i;

	for (i = 0; i < PAGES; i++)
		make_content(folio_address(folios[i]), content, i);
}

/* The time to store all, as in reclaim. */
static u64 store_all(struct kunit *test, const struct impl *impl)
{
	unsigned int flags = memalloc_noreclaim_save();
	u64 start = ktime_get_ns();
	int i, bad = 0;

	for (i = 0; i < PAGES; i++)
		bad += !impl->store(folios[i]);
	start = ktime_get_ns() - start;
	memalloc_noreclaim_restore(flags);
	KUNIT_EXPECT_EQ(test, bad, 0);
	return start;
}

/* The time to load all. Afterwards the folios are locked again, and the slots have no entries. */
static u64 load_all(struct kunit *test, const struct impl *impl, enum content content)
{
	int i, bad = 0;
	u64 time;

	for (i = 0; i < PAGES; i++) {
		memset(folio_address(folios[i]), 0xa5, PAGE_SIZE);
		folio_clear_dirty(folios[i]);
		folio_clear_uptodate(folios[i]);
	}
	time = ktime_get_ns();
	for (i = 0; i < PAGES; i++)
		bad += !!impl->load(folios[i]);
	time = ktime_get_ns() - time;
	KUNIT_EXPECT_EQ(test, bad, 0);
	for (i = 0; i < PAGES; i++) {
		bad += !folio_trylock(folios[i]);
		make_content(scratch, content, i);
		bad += !!memcmp(folio_address(folios[i]), scratch, PAGE_SIZE);
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
	return time;
}

/* The time to free all entries, slot by slot. The folios are locked and in the swap cache. */
static u64 free_each(const struct impl *impl)
{
	u64 start = ktime_get_ns();
	int i;

	for (i = 0; i < PAGES; i++)
		impl->invalidate(folios[i]->swap);
	return ktime_get_ns() - start;
}

/* Whether page i + n's slot is in the cluster of page i's slot, and n slots after it. */
static bool follows(int i, int n)
{
	swp_entry_t first = folios[i]->swap;

	return folios[i + n]->swap.val == first.val + n &&
	       swp_cluster_offset(first) + n < SWAPFILE_CLUSTER;
}

/*
 * The time to free all entries, with one call for neighbouring slots of a cluster, under the
 * cluster's lock, as when slots are freed. No other task accesses the slots meanwhile, since their
 * folios are locked.
 */
static u64 free_ranges(const struct impl *impl)
{
	u64 start = ktime_get_ns();
	int i, n;

	for (i = 0; i < PAGES; i += n) {
		struct swap_cluster_info *ci = swap_cluster_get_and_lock(folios[i]);

		for (n = 1; i + n < PAGES && follows(i, n); n++)
			;
		impl->invalidate_range(folios[i]->swap, n);
		swap_cluster_unlock(ci);
	}
	return ktime_get_ns() - start;
}

/* One round of one implementation. */
static void time_round(struct kunit *test, const struct impl *impl, enum content content,
		       u64 now[OPERATIONS])
{
	long before = atomic_long_read(impl->stored);

	fill_all(content);
	now[STORE] = store_all(test, impl);
	KUNIT_EXPECT_EQ(test, atomic_long_read(impl->stored), before + PAGES);
	now[LOAD] = load_all(test, impl, content);
	KUNIT_EXPECT_EQ(test, atomic_long_read(impl->stored), before);
	store_all(test, impl);
	now[FREE_ONE] = free_each(impl);
	KUNIT_EXPECT_EQ(test, atomic_long_read(impl->stored), before);
	store_all(test, impl);
	now[FREE_RANGE] = free_ranges(impl);
	KUNIT_EXPECT_EQ(test, atomic_long_read(impl->stored), before);
}

static void time_content(struct kunit *test, enum content content)
{
	u64 times[IMPLS][OPERATIONS] = {};
	int round, turn, i;

	for (round = 0; round < ROUNDS; round++)
		for (turn = 0; turn < IMPLS; turn++) {
			int side = (turn + round) % IMPLS;
			u64 now[OPERATIONS];

			time_round(test, impls[side], content, now);
			for (i = 0; round && i < OPERATIONS; i++)
				times[side][i] += now[i];
		}
	for (turn = 0; turn < IMPLS; turn++)
		for (i = 0; i < OPERATIONS; i++)
			pr_info("zswap_time:\t%s\t%s\t%s\t%llu\t%d\n", impls[turn]->name,
				operations[i], contents[content], times[turn][i],
				PAGES * (ROUNDS - 1));
}

static void times(struct kunit *test)
{
	int i, content;

	for (i = 0; i < PAGES; i++) {
		folios[i] = new_folio(test, 0, i);
		if (!folios[i])
			goto out;
	}
	for (content = 0; content < ARRAY_SIZE(contents); content++)
		time_content(test, content);
out:
	while (i--)
		drop(folios[i]);
}

static struct kunit_case zswap_time_cases[] = {
	KUNIT_CASE_SLOW(times),
	{}
};

static int zswap_time_init(struct kunit *test)
{
	static const char *const params[][2] = {
		{ "enabled", "Y" }, { "compressor", "lz4" }, { "shrinker_enabled", "N" },
	};
	char name[32];
	int i, k;

	for (i = 0; i < IMPLS; i++)
		for (k = 0; k < ARRAY_SIZE(params); k++) {
			snprintf(name, sizeof(name), "%s.%s", prefixes[i], params[k][0]);
			if (set_param(name, params[k][1]))
				return -ENODEV;
		}
	return 0;
}

#ifdef CONFIG_ZSWAP_AB_KUNIT_TEST
static struct swap_info_struct *device;

static int zswap_time_begin(struct kunit_suite *suite)
{
	int ret = swap_test_begin(suite);

	if (ret)
		return ret;
	device = swap_test_device();
	ret = c_zswap_swapon(device->type, device->max);
	if (ret)
		swap_test_end(suite);
	return ret;
}

static void zswap_time_end(struct kunit_suite *suite)
{
	c_zswap_swapoff(device->type);
	swap_test_end(suite);
}
#else
#define zswap_time_begin swap_test_begin
#define zswap_time_end swap_test_end
#endif

static struct kunit_suite zswap_time_suite = {
	.name = "zswap_time",
	.suite_init = zswap_time_begin,
	.suite_exit = zswap_time_end,
	.init = zswap_time_init,
	.test_cases = zswap_time_cases,
};

kunit_test_suite(zswap_time_suite);
