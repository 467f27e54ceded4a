// SPDX-License-Identifier: GPL-2.0
/*
 * The suite zswap_races: what may happen to a slot while something else is under
 * way with it. One task is held at a point of the code (race.h), so that each
 * interleaving comes about every time. C has no points but those of the tests'
 * compressor, nor has Rust without CONFIG_ZSWAP_RACE_POINTS: what needs others is
 * skipped then. The cases are in races_*.c.
 *
 * The slots are real, on the swap device that is on: a small one, to get the
 * same slot again. Whatever a test has found, it lets go of those that it holds
 * before it says so. After each test nothing may be left in zswap and no slot
 * be in use.
 */

#include <linux/cpu.h>

#include "races.h"

static struct kunit_case zswap_races_cases[] = {
	/* Writing back */
	KUNIT_CASE(fault_while_writeback_has_the_folio),
	KUNIT_CASE(writeback_while_a_load_is_under_way),
	KUNIT_CASE(slot_freed_while_writeback_is_under_way),
	KUNIT_CASE(slot_reused_before_writeback_has_it),
	KUNIT_CASE(entry_made_anew_before_writeback_has_it),
	KUNIT_CASE(zeroed_before_writeback_has_it),
	KUNIT_CASE(failed_writeback_leaves_the_slot),
	KUNIT_CASE(failed_writeback_of_a_slot_without_user),
	/* The walk over what is stored */
	KUNIT_CASE(next_is_freed_during_writeback),
	KUNIT_CASE(all_is_freed_during_writeback),
	KUNIT_CASE(freed_while_the_walk_looks_at_it),
	KUNIT_CASE(walk_comes_to_an_entry_being_freed),
	/* Swapping in */
	KUNIT_CASE(slot_freed_during_a_load),
	KUNIT_CASE(swapin_after_the_slot_has_changed),
	KUNIT_CASE(swapin_after_the_slot_was_freed),
	KUNIT_CASE(two_faults_at_one_slot),
	KUNIT_CASE(folio_leaves_while_it_is_looked_up),
	KUNIT_CASE(lookup_of_a_folio_that_has_left),
	KUNIT_CASE(loaded_page_that_nobody_takes),
	/* Storing */
	KUNIT_CASE(writeback_while_a_store_is_refused),
	KUNIT_CASE(writeback_while_a_folio_is_half_stored),
	KUNIT_CASE(half_stored_folio_is_refused),
	KUNIT_CASE(store_at_its_limit_during_a_load),
	KUNIT_CASE(disabled_during_a_store),
	/* Pools and CPUs */
	KUNIT_CASE(compressor_switched_meanwhile),
	KUNIT_CASE(retired_pool_dies_with_its_last_page),
	KUNIT_CASE(store_while_the_compressor_is_switched),
	KUNIT_CASE_SLOW(cpu_gone_while_it_compresses),
	KUNIT_CASE(cpu_goes_while_a_pool_is_made),
	/* Cgroups */
	KUNIT_CASE(cgroup_gone_during_a_store),
	KUNIT_CASE(cgroup_gone_while_entries_go),
	KUNIT_CASE(cgroup_gone_while_the_worker_has_it),
	KUNIT_CASE(cgroup_gone_where_the_worker_has_ended),
	/* Devices */
	KUNIT_CASE(swapoff_during_writeback),
	KUNIT_CASE(swapoff_during_a_load),
	/* What there is no point for */
	KUNIT_CASE_SLOW(all_at_once),
	{}
};

static int zswap_races_init(struct kunit *test)
{
	if (get_nr_swap_pages() <= 2 << ORDER || total_swap_pages > SMALL_DEVICE)
		kunit_skip(test, "no small swap device is on: run me again after swapon");
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
	/* The others get the other CPU. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	return 0;
}

static void zswap_races_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, get_nr_swap_pages(), total_swap_pages);
	/* Neither memory of a pool nor a cgroup. */
	KUNIT_EXPECT_EQ(test, left_after_a_while(), 0UL);
}

static int zswap_races_suite_init(struct kunit_suite *suite)
{
	race_points_enable(true);
	return 0;
}

static void zswap_races_suite_exit(struct kunit_suite *suite)
{
	race_points_enable(false);
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
