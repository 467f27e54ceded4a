/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of the suite zswap_races: paths with their race points,
 * tasks that are held there, and the operations of these tasks.
 */
#ifndef _RACES_H
#define _RACES_H

#include <linux/util_macros.h>

#include "faulty_acomp.h"
#include "race.h"
#include "swap_test.h"

/* Timeout for an event that must happen; after that a task is considered stuck. */
#define PATIENCE (20 * HZ)
/* How long to wait for an event that must not happen. */
#define A_WHILE_MS 100

/* --- Race points: races_helpers.c -------------------------------------------- */

/* A race point of a path, and what a task has when it reaches the point. */
struct point {
	const char *name;
	bool device;	/* a reference to the slot's device, or a folio that pins it */
	bool folio;	/* a locked folio, in the swap cache for the slot */
	bool data;	/* the page's data, in the folio */
};

extern const struct point writeback_points[];
extern const struct point load_points[];
extern const struct point whole_points[];
extern const struct point store_points[];

bool has_point(const char *point);
void needs_point(struct kunit *test, const char *point);

/*
 * Each race point of a path that this kernel has and for which @condition is
 * true.
 */
#define for_each_point(path, condition)						\
	for (const struct point *point = (path); point->name; point++)		\
		for_each_if(has_point(point->name) && (condition))

/* --- Tasks that are held ----------------------------------------------------- */

/* A task that does one operation, by default on another CPU than the test. */
struct side {
	void (*run)(struct side *side);
	bool same_cpu;
	struct race_stop stop;
	struct completion done;

	/* Its arguments and results. */
	swp_entry_t entry;
	struct mem_cgroup *memcg;
	struct folio *folio;
	const char *param, *value;
	unsigned long nr;
	u64 found;
};

bool side_begin(struct kunit *test, struct side *side, const char *point);
bool side_waits(struct side *side, bool expected);
void side_end(struct kunit *test, struct side *side);

/* What a test does itself is a step, too. */
#define store(folio) ({ race_step("stores a folio"); store(folio); })
#define drop(folio) ({ race_step("drops a folio from the swap cache"); drop(folio); })
#define swap_out(test, folio, shadow) ({					\
	swp_entry_t out = swap_out(test, folio, shadow);			\
										\
	race_step("has swapped out slot %lu", swp_offset(out));			\
	out;									\
})
#define swapped(test, order, what, shadow) ({					\
	swp_entry_t out = swapped(test, order, what, shadow);			\
										\
	race_step("has swapped out slot %lu", swp_offset(out));			\
	out;									\
})

void do_press(struct side *side);
void do_fault(struct side *side);
void do_store(struct side *side);
void do_lose_user(struct side *side);

/* --- Pages ------------------------------------------------------------------- */

u64 content(struct folio *folio);
struct folio *new_user_folio(struct kunit *test, u64 what);
struct folio *new_folio_at(struct kunit *test, swp_entry_t entry, u64 what);
swp_entry_t aged(struct kunit *test, u64 what);
struct folio *fault_orders(swp_entry_t entry, unsigned long orders);
struct folio *fault(swp_entry_t entry);
void change(struct kunit *test, swp_entry_t entry, u64 what);
void lose_user(swp_entry_t entry);
u64 last_fault(swp_entry_t entry);
void drop_cached(struct kunit *test, swp_entry_t entry);

/* --- Zswap and cgroups ------------------------------------------------------- */

int set_compressor(const char *name);
struct shrinker *zswap_shrinker(void);
void press(struct mem_cgroup *memcg, unsigned long nr);
void age(void);
bool soon_empty(void);

struct mem_cgroup *make_group(struct kunit *test);
bool remove_group(struct mem_cgroup *memcg);
void put_group(struct mem_cgroup *memcg);
struct folio *new_folio_of(struct kunit *test, struct mem_cgroup *memcg, int order, u64 what);
unsigned long left_after_a_while(void);

/* --- The cases, file by file ------------------------------------------------- */

/* races_writeback.c */
void fault_waits_for_writeback(struct kunit *test);
void writeback_skips_slot_being_loaded(struct kunit *test);
void freed_slot_is_released_after_writeback(struct kunit *test);
void writeback_skips_reused_slot(struct kunit *test);
void writeback_never_writes_replaced_entry(struct kunit *test);
void writeback_skips_zeroed_slot(struct kunit *test);
void failed_writeback_keeps_the_entry(struct kunit *test);
void failed_writeback_frees_unused_slot(struct kunit *test);

/* races_walk.c */
void walk_restarts_if_next_is_freed(struct kunit *test);
void walk_ends_if_all_is_freed(struct kunit *test);
void freeing_waits_for_the_walk(struct kunit *test);
void walk_skips_entry_being_freed(struct kunit *test);

/* races_swapin.c */
void load_keeps_freed_slot_until_it_ends(struct kunit *test);
void swapin_reads_the_changed_slot(struct kunit *test);
void swapin_of_freed_slot_fails(struct kunit *test);
void second_fault_waits_for_the_first(struct kunit *test);
void fault_retries_if_the_folio_leaves(struct kunit *test);
void lookup_ignores_folio_that_has_left(struct kunit *test);
void unused_load_leaves_dirty_folio(struct kunit *test);

/* races_whole.c */
void whole_swapin_excludes_writeback(struct kunit *test);
void fault_on_a_page_waits_for_the_whole(struct kunit *test);
void two_whole_swapins_get_one_folio(struct kunit *test);
void whole_folio_pins_freed_slot(struct kunit *test);
void whole_swapin_reads_the_changed_slots(struct kunit *test);
void device_slots_become_held(struct kunit *test);
void whole_swapin_repeats_if_the_folio_leaves(struct kunit *test);
void whole_swapin_survives_changed_parameters(struct kunit *test);
void reclaim_drops_unmapped_whole_folio(struct kunit *test);
void failed_whole_swapin_leaves_the_slots(struct kunit *test);
void failed_page_is_read_anew(struct kunit *test);
void shared_folio_is_read_anew(struct kunit *test);

/* races_store.c */
void writeback_skips_refused_folio(struct kunit *test);
void writeback_skips_half_stored_folio(struct kunit *test);
void refused_half_stored_folio_leaves_nothing(struct kunit *test);
void store_at_its_limit_never_waits_for_load(struct kunit *test);
void load_gets_the_compressor_between_pages(struct kunit *test);
void store_completes_if_zswap_is_disabled(struct kunit *test);

/* races_pools.c */
void pages_survive_compressor_switch(struct kunit *test);
void retired_pool_dies_with_its_last_page(struct kunit *test);
void store_uses_the_old_pool_during_switch(struct kunit *test);
void compression_survives_cpu_removal(struct kunit *test);
void pool_creation_survives_cpu_removal(struct kunit *test);

/* races_cgroup.c */
void store_survives_cgroup_removal(struct kunit *test);
void entries_survive_cgroup_removal(struct kunit *test);
void worker_releases_removed_cgroup(struct kunit *test);
void idle_worker_keeps_no_removed_cgroup(struct kunit *test);

/* races_swapoff.c */
void swapoff_waits_for_writeback(struct kunit *test);
void swapoff_waits_for_load(struct kunit *test);
void swapoff_waits_for_whole_swapin(struct kunit *test);

/* races_random.c */
void random_use_corrupts_nothing(struct kunit *test);
void random_whole_swapins_corrupt_nothing(struct kunit *test);

#endif
