// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the interface in <linux/zswap.h>, for either implementation: whether
 * the folio is locked after each return value, which entries its slots have, and
 * which data it has.
 *
 * The folios are real, in the swap cache for a swap device (setup.c). No
 * assertion ends a test early, since each test has a locked folio to clean up.
 */

#include <linux/iopoll.h>

#include "faulty_acomp.h"
#include "swap_test.h"

/* The contents of a folio, in its n-th version. */
#define VERSION(n) ((0x5a5aULL << 48) + ((u64)(n) << 32) + 1)

/* A folio as in reclaim: charged, locked, uptodate, with slots. */
static struct folio *cached_folio(struct kunit *test, int order)
{
	return new_folio(test, order, VERSION(1));
}

/*
 * Locks @folio again after a load, which should have unlocked it. The lock
 * isn't contended, since no other task can reach the folio.
 */
static void relock(struct folio *folio)
{
	folio_trylock(folio);
}

/* Prepares @folio for a load: other contents, and not uptodate. */
static void make_unread(struct folio *folio)
{
	fill(folio, VERSION(99));
	folio_clear_dirty(folio);
	folio_clear_uptodate(folio);
}

/* One page, a size that a fault may swap in, and the size of a cluster. */
#ifdef CONFIG_THP_SWAP
static const int orders[] = { 0, 4, HPAGE_PMD_ORDER };
#else
static const int orders[] = { 0 };
#endif
#define LARGEST (orders[ARRAY_SIZE(orders) - 1])

static void store_keeps_the_lock(struct kunit *test)
{
	long before = stored();
	int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		int order = orders[i];
		struct folio *folio = cached_folio(test, order);

		if (!folio)
			return;
		KUNIT_EXPECT_TRUE(test, store(folio));
		KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
		KUNIT_EXPECT_TRUE(test, folio_test_swapcache(folio));
		KUNIT_EXPECT_EQ(test, stored(), before + (1L << order));
		drop(folio);
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
}

static void store_replaces_older_entry(struct kunit *test)
{
	struct folio *folio = cached_folio(test, 0);
	long before = stored();

	if (!folio)
		return;
	KUNIT_EXPECT_TRUE(test, store(folio));
	fill(folio, VERSION(2));
	KUNIT_EXPECT_TRUE(test, store(folio));
	KUNIT_EXPECT_EQ(test, stored(), before + 1);

	make_unread(folio);
	KUNIT_EXPECT_EQ(test, zswap_load(folio), 0);
	KUNIT_EXPECT_TRUE(test, holds(folio, VERSION(2)));
	relock(folio);
	drop(folio);
	KUNIT_EXPECT_EQ(test, stored(), before);
}

static void load_empties_slot_and_dirties_folio(struct kunit *test)
{
	struct folio *folio = cached_folio(test, 0);
	unsigned long zswpin;
	long before = stored();

	if (!folio)
		return;
	KUNIT_EXPECT_TRUE(test, store(folio));
	make_unread(folio);

	zswpin = event(ZSWPIN);
	KUNIT_EXPECT_EQ(test, zswap_load(folio), 0);
	KUNIT_EXPECT_GT(test, event(ZSWPIN), zswpin);

	KUNIT_EXPECT_FALSE(test, folio_test_locked(folio));
	KUNIT_EXPECT_TRUE(test, folio_test_uptodate(folio));
	/* The folio has the only copy now: reclaim must not drop it. */
	KUNIT_EXPECT_TRUE(test, folio_test_dirty(folio));
	KUNIT_EXPECT_TRUE(test, holds(folio, VERSION(1)));
	KUNIT_EXPECT_EQ(test, stored(), before);

	relock(folio);
	drop(folio);
}

static void load_of_empty_slot_keeps_the_lock(struct kunit *test)
{
	struct folio *folio = cached_folio(test, 0);
	atomic_long_t *swapins;
	long before;

	if (!folio)
		return;
	make_unread(folio);
	KUNIT_EXPECT_EQ(test, zswap_load(folio), -ENOENT);
	KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_uptodate(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_dirty(folio));

	/* The page is read from the device, which must be counted for the shrinker. */
	rcu_read_lock();
	swapins = &folio_lruvec(folio)->zswap_lruvec_state.nr_disk_swapins;
	before = atomic_long_read(swapins);
	zswap_folio_swapin(folio);
	KUNIT_EXPECT_EQ(test, atomic_long_read(swapins), before + 1);
	zswap_folio_swapin(NULL);
	KUNIT_EXPECT_EQ(test, atomic_long_read(swapins), before + 1);
	rcu_read_unlock();
	KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
	drop(folio);
}

#ifdef CONFIG_THP_SWAP
static void load_of_a_large_folio_fails(struct kunit *test)
{
	struct folio *folio;
	long before = stored();

	folio = cached_folio(test, 4);
	if (!folio)
		return;
	KUNIT_EXPECT_TRUE(test, store(folio));
	make_unread(folio);
	kunit_warning_suppress(test)
		KUNIT_EXPECT_EQ(test, zswap_load(folio), -EINVAL);
	KUNIT_EXPECT_FALSE(test, folio_test_locked(folio));
	KUNIT_EXPECT_FALSE(test, folio_test_uptodate(folio));
	KUNIT_EXPECT_EQ(test, stored(), before + 16);
	relock(folio);
	drop(folio);
	KUNIT_EXPECT_EQ(test, stored(), before);
}
#endif

#ifdef CONFIG_THP_SWAP
/*
 * Whether page @i is to be zero-filled: at the ends of a folio of 16 pages or more,
 * in its middle, and all pages of a leaf of the index. With @other, the other pages.
 */
static bool is_of_zeroes(int i, bool other)
{
	return (i / 64 % 2 || i % 16 < 3 || i % 16 == 7 || i % 16 > 11) != other;
}

static void zero_pages(struct folio *folio, bool other)
{
	int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		if (is_of_zeroes(i, other))
			folio_zero_segment(folio, i * PAGE_SIZE, (i + 1) * PAGE_SIZE);
}

/* The number of zero-filled pages, if the implementation sets the zeromap bit. */
static int nr_marked(int order, bool other)
{
	int i, nr = 0;

	for (i = 0; i < 1 << order; i++)
		nr += IS_ENABLED(CONFIG_ZSWAP_RUST) && is_of_zeroes(i, other);
	return nr;
}

static bool is_marked(swp_entry_t entry)
{
	guard(rcu)();
	return __swap_table_test_zero(__swap_entry_to_cluster(entry),
				      swp_cluster_offset(entry));
}

/* Clears the zeromap bits, as swap_writeout() does before a store. */
static void unmark(struct folio *folio)
{
	struct swap_cluster_info *ci = swap_cluster_get_and_lock(folio);
	int i;

	for (i = 0; i < folio_nr_pages(folio); i++)
		__swap_table_clear_zero(ci, swp_cluster_offset(folio->swap) + i);
	swap_cluster_unlock(ci);
}

/* Stores a folio whose zero-filled pages are those that is_of_zeroes() has chosen. */
static void store_with_zeroes(struct kunit *test, struct folio *folio, bool other,
			      long before)
{
	int order = folio_order(folio), marked = nr_marked(order, other), i;
	unsigned long swpout_zero = event(SWPOUT_ZERO), zswpout = event(ZSWPOUT);

	KUNIT_EXPECT_TRUE(test, store(folio));
	KUNIT_EXPECT_EQ(test, stored(), before + (1L << order) - marked);
	KUNIT_EXPECT_GE(test, event(SWPOUT_ZERO), swpout_zero + marked);
	KUNIT_EXPECT_GE(test, event(ZSWPOUT), zswpout + (1 << order) - marked);
	for (i = 0; i < 1 << order; i++)
		KUNIT_EXPECT_EQ(test, is_marked(nth(folio->swap, i)),
				marked && is_of_zeroes(i, other));
}

/* Swaps in page @i of a folio that was evicted. */
static struct folio *bring_back(struct kunit *test, swp_entry_t first, int i)
{
	struct folio *folio = swapin(nth(first, i));
	bool locked;

	if (IS_ERR_OR_NULL(folio)) {
		KUNIT_FAIL(test, "page %d is lost", i);
		return NULL;
	}
	/* Of a slot that lost its page the device is read: not after the folio is freed. */
	read_poll_timeout(folio_test_locked, locked, !locked, 1000,
			  USEC_PER_SEC, false, folio);
	relock(folio);
	KUNIT_EXPECT_TRUE(test, folio_test_uptodate(folio));
	return folio;
}

/* Drops a folio, and frees its slot. */
static void let_go(struct folio *folio)
{
	folio_put_swap(folio, NULL);
	drop(folio);
}

/* A page with one nonzero byte is stored, wherever the byte is. */
static void almost_zero_pages_are_kept(struct kunit *test)
{
	static const int at[] = { 0, 1, 7, 8, 2048, PAGE_SIZE - 9, PAGE_SIZE - 8, PAGE_SIZE - 1 };
	struct folio *folio = cached_folio(test, 4);
	long before = stored();
	swp_entry_t entry;
	u8 *addr;
	int i;

	if (!folio)
		return;
	folio_zero_range(folio, 0, folio_size(folio));
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		addr = kmap_local_folio(folio, i * PAGE_SIZE);
		addr[at[i]] = 1;
		kunmap_local(addr);
	}
	KUNIT_EXPECT_TRUE(test, store(folio));
	KUNIT_EXPECT_EQ(test, stored(),
			before + (IS_ENABLED(CONFIG_ZSWAP_RUST) ? ARRAY_SIZE(at) : 16));
	entry = folio->swap;
	KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	evict(folio, NULL);
	for (i = 0; i < 16; i++) {
		folio = bring_back(test, entry, i);
		if (!folio)
			return;
		addr = kmap_local_folio(folio, 0);
		if (i < ARRAY_SIZE(at)) {
			KUNIT_EXPECT_EQ(test, addr[at[i]], 1);
			addr[at[i]] = 0;
		}
		KUNIT_EXPECT_NULL(test, memchr_inv(addr, 0, PAGE_SIZE));
		kunmap_local(addr);
		let_go(folio);
	}
	KUNIT_EXPECT_EQ(test, stored(), before);
}

/*
 * C stores zero-filled pages like others, Rust sets the zeromap bits of their slots: both return
 * the same contents.
 */
static void zeroes_in_a_large_folio_come_back(struct kunit *test)
{
	long before = stored();
	int n, i;

	for (n = 1; n < ARRAY_SIZE(orders); n++) {
		int order = orders[n];
		struct folio *folio = cached_folio(test, order);
		swp_entry_t entry;

		if (!folio)
			return;
		entry = folio->swap;
		zero_pages(folio, false);
		store_with_zeroes(test, folio, false, before);

		/* The pages that were stored are zero-filled now, and the other way round. */
		unmark(folio);
		fill(folio, VERSION(2));
		zero_pages(folio, true);
		store_with_zeroes(test, folio, true, before);

		KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
		evict(folio, NULL);
		for (i = 0; i < 1 << order; i++) {
			folio = bring_back(test, entry, i);
			if (!folio)
				return;
			KUNIT_EXPECT_TRUE(test, holds(folio, is_of_zeroes(i, true) ?
							     0 : VERSION(2) + i));
			let_go(folio);
		}
		KUNIT_EXPECT_EQ(test, stored(), before);
	}
}
#endif

static void failed_load_keeps_the_entry(struct kunit *test)
{
	static const enum fault faults[] = {
		FAULT_EIO, FAULT_SHORT, FAULT_LONG,
	};
	long before = stored();
	int i, again;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		struct folio *folio = cached_folio(test, 0);

		if (!folio)
			return;
		KUNIT_EXPECT_TRUE(test, store(folio));
		acomp_inject(&faulty_decompress, faults[i]);
		for (again = 0; again < 3; again++) {
			make_unread(folio);
			KUNIT_EXPECT_EQ(test, zswap_load(folio), -EIO);
			KUNIT_EXPECT_FALSE(test, folio_test_locked(folio));
			KUNIT_EXPECT_FALSE(test, folio_test_uptodate(folio));
			/* The entry must stay: a slot without one would be read from the device. */
			KUNIT_EXPECT_EQ(test, stored(), before + 1);
			relock(folio);
		}
		acomp_inject(&faulty_decompress, FAULT_NONE);
		make_unread(folio);
		KUNIT_EXPECT_EQ(test, zswap_load(folio), 0);
		KUNIT_EXPECT_TRUE(test, holds(folio, VERSION(1)));
		relock(folio);
		drop(folio);
	}
	KUNIT_EXPECT_EQ(test, stored(), before);
}

static void failed_compression_stores_page_raw(struct kunit *test)
{
	static const enum fault faults[] = {
		FAULT_EIO, FAULT_ENOSPC, FAULT_EMPTY, FAULT_PAGE, FAULT_HUGE,
	};
	long before = stored();
	int i;

	/* The page is stored uncompressed, and loads unchanged. */
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		struct folio *folio = cached_folio(test, 0);

		if (!folio)
			return;
		acomp_inject(&faulty_compress, faults[i]);
		KUNIT_EXPECT_TRUE(test, store(folio));
		acomp_inject(&faulty_compress, FAULT_NONE);
		KUNIT_EXPECT_EQ(test, stored(), before + 1);
		make_unread(folio);
		KUNIT_EXPECT_EQ(test, zswap_load(folio), 0);
		KUNIT_EXPECT_TRUE(test, holds(folio, VERSION(1)));
		relock(folio);
		drop(folio);
	}
	KUNIT_EXPECT_EQ(test, stored(), before);
}

/* Stores folios twice, the second time with @param set to @refuse: no entries must remain. */
static void refused_with(struct kunit *test, const char *param,
			 const char *refuse, const char *accept)
{
	long before = stored();
	int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		struct folio *folio = cached_folio(test, orders[i]);

		if (!folio)
			return;
		KUNIT_EXPECT_TRUE(test, store(folio));
		fill(folio, VERSION(2));
		KUNIT_EXPECT_EQ(test, set_param(param, refuse), 0);
		KUNIT_EXPECT_FALSE(test, store(folio));
		KUNIT_EXPECT_EQ(test, set_param(param, accept), 0);
		KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
		KUNIT_EXPECT_EQ(test, stored(), before);
		drop(folio);
	}
}

static void disabled_store_clears_the_slots(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, set_param("zswap.enabled", "N"), 0);
	KUNIT_EXPECT_FALSE(test, zswap_is_enabled());
	KUNIT_EXPECT_EQ(test, set_param("zswap.enabled", "Y"), 0);
	refused_with(test, "zswap.enabled", "N", "Y");
}

static void full_store_clears_the_slots(struct kunit *test)
{
	refused_with(test, "zswap.max_pool_percent", "0", "90");
	KUNIT_EXPECT_EQ(test, set_param("zswap.max_pool_percent", "20"), 0);
}

/* After the limit was hit, pages are accepted again once the pools are below the threshold. */
static void accepts_again_below_the_threshold(struct kunit *test)
{
	struct folio *stays = cached_folio(test, ORDER), *other = cached_folio(test, 0);

	if (!stays || !other)
		return;
	acomp_inject(&faulty_compress, FAULT_EIO); /* so that each entry takes a page */
	KUNIT_EXPECT_TRUE(test, store(stays));
	KUNIT_EXPECT_EQ(test, set_param("zswap.max_pool_percent", "0"), 0);
	KUNIT_EXPECT_FALSE(test, store(other));
	KUNIT_EXPECT_EQ(test, set_param("zswap.max_pool_percent", "20"), 0);
	KUNIT_EXPECT_TRUE(test, store(other));
	acomp_inject(&faulty_compress, FAULT_NONE);
	drop(stays);
	drop(other);
}

#ifdef CONFIG_FAILSLAB
/*
 * Makes the n-th allocation of a store fail, for every n (for the largest
 * folio: for its first pages, and for some later pages).
 */
static void fail_each_allocation(struct kunit *test, int order, bool older, bool raw,
				 bool zeroes)
{
	int n, refused = 0, most = 0, marked = 0;
	long before = stored();

	for (n = 1; n <= 2000; n += n < (order == LARGEST ? 20 : 100) ? 1 : 97) {
		struct folio *folio = cached_folio(test, order);
		unsigned int left;
		bool ret;

		if (!folio)
			return;
		if (older)
			KUNIT_EXPECT_TRUE(test, store(folio));
		fill(folio, VERSION(2));
#ifdef CONFIG_THP_SWAP
		if (zeroes) {
			zero_pages(folio, false);
			marked = nr_marked(order, false);
		}
#endif
		acomp_inject(&faulty_compress, raw ? FAULT_EIO : FAULT_NONE);
		current->fail_nth = n;
		ret = store(folio);
		left = current->fail_nth;
		current->fail_nth = 0;
		acomp_inject(&faulty_compress, FAULT_NONE);

		KUNIT_EXPECT_TRUE(test, folio_test_locked(folio));
		if (ret) {
			KUNIT_EXPECT_EQ(test, stored(), before + (1L << order) - marked);
		} else {
			refused++;
			most = n;
			/* Neither a new entry nor an older one remains. */
			KUNIT_EXPECT_EQ(test, stored(), before);
		}
		drop(folio);
		KUNIT_EXPECT_EQ(test, stored(), before);
		if (left)
			break;
	}
	kunit_info(test, "order %d%s%s%s: refused %d times, at allocation %d at the latest",
		   order, older ? ", stored before" : "", raw ? ", raw" : "",
		   zeroes ? ", with zeroes" : "", refused, most);
	/*
	 * At least the allocations of the entry and the object were made to fail, and those of a
	 * later page.
	 */
	KUNIT_EXPECT_GE(test, refused, 2);
	if (order)
		KUNIT_EXPECT_GT(test, most, 8);
}

static void failed_allocation_clears_the_slots(struct kunit *test)
{
	int i, how;

	for (i = 0; i < ARRAY_SIZE(orders); i++)
		for (how = 0; how < (orders[i] ? 8 : 4); how++)
			fail_each_allocation(test, orders[i], how & 1, how & 2, how & 4);
}
#endif

#ifdef CONFIG_THP_SWAP
static void invalidate_forgets_one_slot(struct kunit *test)
{
	struct folio *folio;
	long before = stored();
	swp_entry_t fifth;

	folio = cached_folio(test, 4);
	if (!folio)
		return;
	KUNIT_EXPECT_TRUE(test, store(folio));
	KUNIT_EXPECT_EQ(test, stored(), before + 16);
	/* The slot isn't free, but the folio is locked: no other task accesses its entry. */
	fifth = nth(folio->swap, 5);
	zswap_invalidate(fifth);
	KUNIT_EXPECT_EQ(test, stored(), before + 15);
	zswap_invalidate(fifth);
	KUNIT_EXPECT_EQ(test, stored(), before + 15);
	/* Frees the slots with the cluster locked. The other fifteen have entries. */
	drop(folio);
	KUNIT_EXPECT_EQ(test, stored(), before);
}
#endif

static void lruvec_starts_with_no_swapins(struct kunit *test)
{
	struct lruvec *lruvec = kunit_kzalloc(test, sizeof(*lruvec), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, lruvec);
	atomic_long_set(&lruvec->zswap_lruvec_state.nr_disk_swapins, 5);
	zswap_lruvec_state_init(lruvec);
	KUNIT_EXPECT_EQ(test, 0,
			atomic_long_read(&lruvec->zswap_lruvec_state.nr_disk_swapins));
}

static void totals_count_raw_pages(struct kunit *test)
{
	unsigned long pages = zswap_total_pages();
	struct folio *folio = cached_folio(test, LARGEST);

	KUNIT_EXPECT_TRUE(test, zswap_is_enabled());
	KUNIT_EXPECT_FALSE(test, zswap_never_enabled());
	if (!folio)
		return;
	acomp_inject(&faulty_compress, FAULT_EIO); /* so that each entry takes a page */
	KUNIT_EXPECT_TRUE(test, store(folio));
	acomp_inject(&faulty_compress, FAULT_NONE);
	KUNIT_EXPECT_GE(test, zswap_total_pages(), pages + (1 << LARGEST));
	drop(folio);
	KUNIT_EXPECT_LE(test, zswap_total_pages(), pages + 1);
}

static struct kunit_case zswap_abi_cases[] = {
	KUNIT_CASE(store_keeps_the_lock),
	KUNIT_CASE(store_replaces_older_entry),
	KUNIT_CASE(load_empties_slot_and_dirties_folio),
	KUNIT_CASE(load_of_empty_slot_keeps_the_lock),
#ifdef CONFIG_THP_SWAP
	KUNIT_CASE(load_of_a_large_folio_fails),
	KUNIT_CASE(almost_zero_pages_are_kept),
	KUNIT_CASE(zeroes_in_a_large_folio_come_back),
#endif
	KUNIT_CASE(failed_load_keeps_the_entry),
	KUNIT_CASE(failed_compression_stores_page_raw),
	KUNIT_CASE(disabled_store_clears_the_slots),
	KUNIT_CASE(full_store_clears_the_slots),
	KUNIT_CASE(accepts_again_below_the_threshold),
#ifdef CONFIG_FAILSLAB
	KUNIT_CASE(failed_allocation_clears_the_slots),
#endif
#ifdef CONFIG_THP_SWAP
	KUNIT_CASE(invalidate_forgets_one_slot),
#endif
	KUNIT_CASE(lruvec_starts_with_no_swapins),
	KUNIT_CASE(totals_count_raw_pages),
	{}
};

static int zswap_abi_init(struct kunit *test)
{
	if (set_param("zswap.enabled", "Y") ||
	    set_param("zswap.compressor", FAULTY_NAME))
		return -ENODEV;
	acomp_inject(&faulty_compress, FAULT_NONE);
	acomp_inject(&faulty_decompress, FAULT_NONE);
	return 0;
}

static struct kunit_suite zswap_abi_suite = {
	.name = "zswap_abi",
	.suite_init = swap_test_begin,
	.suite_exit = swap_test_end,
	.init = zswap_abi_init,
	.test_cases = zswap_abi_cases,
};

kunit_test_suite(zswap_abi_suite);
