/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the suite zswap_races share: paths with points at which a
 * task can be held, tasks that are held there, and what they do.
 */
#ifndef _RACES_H
#define _RACES_H

#include <linux/util_macros.h>

#include "faulty_acomp.h"
#include "race.h"
#include "swap_test.h"

/* How long is waited for what has to happen; after that it is stuck. */
#define PATIENCE (20 * HZ)
/* How long is waited for what mustn't happen. */
#define A_WHILE_MS 100

/* In pages: small, to get the same slot again. */
#define SMALL_DEVICE 8192

/* --- Points: races_helpers.c ------------------------------------------------- */

/* A point of a path, and what the task has when it gets there. */
struct point {
	const char *name;
	bool device;	/* a reference to the slot's device, or a folio that keeps it */
	bool folio;	/* a locked folio, in the swap cache for the slot */
	bool data;	/* the page's data in it */
};

extern const struct point writeback_points[];
extern const struct point load_points[];
extern const struct point store_points[];

bool has_point(const char *point);
void needs_point(struct kunit *test, const char *point);

/* Each point of a path that this kernel has, and for which @condition holds. */
#define for_each_point(path, condition)						\
	for (const struct point *point = (path); point->name; point++)		\
		for_each_if(has_point(point->name) && (condition))

/* --- Tasks that are held ----------------------------------------------------- */

/* A task that does one thing, by default on the CPU that the test isn't on. */
struct side {
	void (*run)(struct side *side);
	bool same_cpu;
	struct race_stop stop;
	struct completion done;

	/* What it is about, and what it has found. */
	swp_entry_t entry;
	struct mem_cgroup *memcg;
	struct folio *folio;
	const char *word, *value;
	unsigned long nr;
	u64 found;
};

bool side_begin(struct kunit *test, struct side *side, const char *point);
bool side_waits(struct side *side);
void side_end(struct kunit *test, struct side *side);

void do_press(struct side *side);
void do_fault(struct side *side);
void do_store(struct side *side);
void do_lose_user(struct side *side);

/* --- Pages ------------------------------------------------------------------- */

u64 content(struct folio *folio);
struct folio *new_user_folio(struct kunit *test, u64 what);
struct folio *new_folio_at(struct kunit *test, swp_entry_t entry, u64 what);
swp_entry_t aged(struct kunit *test, u64 what);
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

int shell(const char *command);
struct mem_cgroup *make_group(struct kunit *test);
bool remove_group(struct mem_cgroup *memcg);
void put_group(struct mem_cgroup *memcg);
struct folio *new_folio_of(struct kunit *test, struct mem_cgroup *memcg, int order, u64 what);
unsigned long left_after_a_while(void);

/* --- The cases, file by file ------------------------------------------------- */

/* races_writeback.c */
void fault_while_writeback_has_the_folio(struct kunit *test);
void writeback_while_a_load_is_under_way(struct kunit *test);
void slot_freed_while_writeback_is_under_way(struct kunit *test);
void slot_reused_before_writeback_has_it(struct kunit *test);
void entry_made_anew_before_writeback_has_it(struct kunit *test);
void zeroed_before_writeback_has_it(struct kunit *test);
void failed_writeback_leaves_the_slot(struct kunit *test);
void failed_writeback_of_a_slot_without_user(struct kunit *test);

/* races_walk.c */
void next_is_freed_during_writeback(struct kunit *test);
void all_is_freed_during_writeback(struct kunit *test);
void freed_while_the_walk_looks_at_it(struct kunit *test);
void walk_comes_to_an_entry_being_freed(struct kunit *test);

/* races_swapin.c */
void slot_freed_during_a_load(struct kunit *test);
void swapin_after_the_slot_has_changed(struct kunit *test);
void swapin_after_the_slot_was_freed(struct kunit *test);
void two_faults_at_one_slot(struct kunit *test);
void folio_leaves_while_it_is_looked_up(struct kunit *test);
void lookup_of_a_folio_that_has_left(struct kunit *test);
void loaded_page_that_nobody_takes(struct kunit *test);

/* races_store.c */
void writeback_while_a_store_is_refused(struct kunit *test);
void writeback_while_a_folio_is_half_stored(struct kunit *test);
void half_stored_folio_is_refused(struct kunit *test);
void store_at_its_limit_during_a_load(struct kunit *test);
void disabled_during_a_store(struct kunit *test);

/* races_pools.c */
void compressor_switched_meanwhile(struct kunit *test);
void retired_pool_dies_with_its_last_page(struct kunit *test);
void store_while_the_compressor_is_switched(struct kunit *test);
void cpu_gone_while_it_compresses(struct kunit *test);
void cpu_goes_while_a_pool_is_made(struct kunit *test);

/* races_cgroup.c */
void cgroup_gone_during_a_store(struct kunit *test);
void cgroup_gone_while_entries_go(struct kunit *test);
void cgroup_gone_while_the_worker_has_it(struct kunit *test);
void cgroup_gone_where_the_worker_has_ended(struct kunit *test);

/* races_swapoff.c */
void swapoff_during_writeback(struct kunit *test);
void swapoff_during_a_load(struct kunit *test);

/* races_random.c */
void all_at_once(struct kunit *test);

#endif
