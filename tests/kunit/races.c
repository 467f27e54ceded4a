// SPDX-License-Identifier: GPL-2.0
/*
 * The suite zswap_races: concurrent operations on a slot. A test holds one task at a race point
 * (race.h), so that each interleaving occurs in every run. C, and Rust without
 * CONFIG_ZSWAP_RACE_POINTS, have only the race points of the fault-injecting compressor: cases that
 * need others are skipped. The cases are in races_*.c.
 *
 * The slots are real, on a swap device (setup.c) that is small, so that freed
 * slots are reused soon. A test releases the tasks that it holds before it reports
 * a failure. After each test, zswap must be empty and no slot may be in use.
 */

#include <linux/cpu.h>

#include "races.h"

static struct kunit_case zswap_races_cases[] = {
	/* Writeback */
	KUNIT_CASE(fault_waits_for_writeback),
	KUNIT_CASE(writeback_skips_slot_being_loaded),
	KUNIT_CASE(freed_slot_is_released_after_writeback),
	KUNIT_CASE(writeback_skips_reused_slot),
	KUNIT_CASE(writeback_never_writes_replaced_entry),
	KUNIT_CASE(writeback_skips_zeroed_slot),
	KUNIT_CASE(failed_writeback_keeps_the_entry),
	KUNIT_CASE(failed_writeback_frees_unused_slot),
	/* The walk over the LRU list */
	KUNIT_CASE(walk_restarts_if_next_is_freed),
	KUNIT_CASE(walk_ends_if_all_is_freed),
	KUNIT_CASE(freeing_waits_for_the_walk),
	KUNIT_CASE(walk_skips_entry_being_freed),
	/* Swap-in */
	KUNIT_CASE(load_keeps_freed_slot_until_it_ends),
	KUNIT_CASE(swapin_reads_the_changed_slot),
	KUNIT_CASE(swapin_of_freed_slot_fails),
	KUNIT_CASE(second_fault_waits_for_the_first),
	KUNIT_CASE(fault_retries_if_the_folio_leaves),
	KUNIT_CASE(lookup_ignores_folio_that_has_left),
	KUNIT_CASE(unused_load_leaves_dirty_folio),
#ifdef CONFIG_THP_SWAP
	/* Swap-in of a large folio as a whole */
	KUNIT_CASE(whole_swapin_excludes_writeback),
	KUNIT_CASE(fault_on_a_page_waits_for_the_whole),
	KUNIT_CASE(two_whole_swapins_get_one_folio),
	KUNIT_CASE(whole_folio_pins_freed_slot),
	KUNIT_CASE(whole_swapin_reads_the_changed_slots),
	KUNIT_CASE(device_slots_become_held),
	KUNIT_CASE(whole_swapin_repeats_if_the_folio_leaves),
	KUNIT_CASE(whole_swapin_survives_changed_parameters),
	KUNIT_CASE(reclaim_drops_unmapped_whole_folio),
	KUNIT_CASE(failed_whole_swapin_leaves_the_slots),
#ifdef CONFIG_ARCH_SUPPORTS_MEMORY_FAILURE
	KUNIT_CASE(failed_page_is_read_anew),
#endif
	KUNIT_CASE(shared_folio_is_read_anew),
#endif
	/* Stores */
	KUNIT_CASE(writeback_skips_refused_folio),
#ifdef CONFIG_THP_SWAP
	KUNIT_CASE(writeback_skips_half_stored_folio),
	KUNIT_CASE(refused_half_stored_folio_leaves_nothing),
	KUNIT_CASE(load_gets_the_compressor_between_pages),
#endif
	KUNIT_CASE(store_at_its_limit_never_waits_for_load),
	KUNIT_CASE(store_completes_if_zswap_is_disabled),
	/* Pools and CPUs */
	KUNIT_CASE(pages_survive_compressor_switch),
	KUNIT_CASE(retired_pool_dies_with_its_last_page),
	KUNIT_CASE(store_uses_the_old_pool_during_switch),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE_SLOW(compression_survives_cpu_removal),
	KUNIT_CASE(pool_creation_survives_cpu_removal),
#endif
	/* Cgroups */
	KUNIT_CASE(store_survives_cgroup_removal),
	KUNIT_CASE(entries_survive_cgroup_removal),
	KUNIT_CASE(worker_releases_removed_cgroup),
	KUNIT_CASE(idle_worker_keeps_no_removed_cgroup),
	/* Devices */
	KUNIT_CASE(swapoff_waits_for_writeback),
	KUNIT_CASE(swapoff_waits_for_load),
#ifdef CONFIG_THP_SWAP
	KUNIT_CASE(swapoff_waits_for_whole_swapin),
#endif
	/* Without race points */
	KUNIT_CASE_SLOW(random_use_corrupts_nothing),
#ifdef CONFIG_THP_SWAP
	KUNIT_CASE_SLOW(random_whole_swapins_corrupt_nothing),
#endif
	{}
};

static int zswap_races_init(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU has no races");
	if (set_param("zswap.enabled", "Y") || set_param("zswap.shrinker_enabled", "Y") ||
	    set_param("zswap.max_pool_percent", "90") ||
	    set_compressor(FAULTY_NAME))
		return -ENODEV;
	acomp_inject(&faulty_compress, FAULT_NONE);
	acomp_inject(&faulty_decompress, FAULT_NONE);
	if (stored() || !zswap_shrinker())
		return -EBUSY;
	/* The tasks that tests start run on the other CPUs. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	race_steps = true;
	return 0;
}

static void zswap_races_exit(struct kunit *test)
{
	race_steps = false;
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, get_nr_swap_pages(), total_swap_pages);
	/* Neither pool memory nor a cgroup is left. */
	KUNIT_EXPECT_EQ(test, left_after_a_while(), 0UL);
}

static int zswap_races_suite_init(struct kunit_suite *suite)
{
	int ret = swap_test_begin(suite);

	if (ret)
		return ret;
	if (total_swap_pages > SMALL_DEVICE) {
		pr_err("%s: the swap device has more than %d pages\n", suite->name, SMALL_DEVICE);
		swap_test_end(suite);
		return -EFBIG;
	}
	race_points_enable(true);
	return 0;
}

static void zswap_races_suite_exit(struct kunit_suite *suite)
{
	race_points_enable(false);
	swap_test_end(suite);
}

static struct kunit_suite zswap_races_suite = {
	.name = "zswap_races",
	.suite_init = zswap_races_suite_init,
	.suite_exit = zswap_races_suite_exit,
	.init = zswap_races_init,
	.exit = zswap_races_exit,
	.test_cases = zswap_races_cases,
};

kunit_test_suite(zswap_races_suite);
