// SPDX-License-Identifier: GPL-2.0
/* Shared by the files of the suite zswap_races: see races.h. */

#include <linux/cgroup.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/shrinker.h>

#include "races.h"

/* --- Race points ------------------------------------------------------------- */

const struct point writeback_points[] = {
	{ "writeback:after_lru_unlock" },
	{ "writeback:after_get_device", .device = true },
	{ "writeback:after_add_folio", .device = true, .folio = true },
	{ "acomp:before_decompress", .device = true, .folio = true },
	{ "writeback:after_decompress", .device = true, .folio = true, .data = true },
	{}
};

const struct point load_points[] = {
	{ "add:after_alloc", .device = true },
	{ "add:before_charge", .device = true, .folio = true },
	{ "load:after_lookup", .device = true, .folio = true },
	{ "acomp:before_decompress", .device = true, .folio = true },
	{ "load:after_decompress", .device = true, .folio = true, .data = true },
	{}
};

const struct point whole_points[] = {
	{ "whole:after_vacancy", .device = true },
	{ "whole:after_add", .device = true, .folio = true },
	{ "fill:before_page", .device = true, .folio = true },
	{ "whole:after_unlock", .device = true, .folio = true, .data = true },
	{}
};

const struct point store_points[] = {
	{ "store:after_prepare", .device = true, .folio = true, .data = true },
	{ "acomp:before_compress", .device = true, .folio = true, .data = true },
	{ "store:before_lru_add", .device = true, .folio = true, .data = true },
	{}
};

/* Every kernel has the race points of the fault-injecting compressor. */
bool has_point(const char *point)
{
	if (strstarts(point, "acomp:"))
		return true;
	if (!IS_ENABLED(CONFIG_ZSWAP_RACE_POINTS))
		return false;
	if (strstarts(point, "whole:") || strstarts(point, "fill:"))
		return IS_ENABLED(CONFIG_ZSWAP_LARGE_SWAPIN);
	if (strstarts(point, "add:") || strstarts(point, "swapin:") || strstarts(point, "lookup:"))
		return IS_ENABLED(CONFIG_SWAP_CACHE_RUST);
	return IS_ENABLED(CONFIG_ZSWAP_RUST);
}

void needs_point(struct kunit *test, const char *point)
{
	if (!has_point(point))
		kunit_skip(test, "there is no race point %s", point);
}

/* --- Tasks that are held ----------------------------------------------------- */

static int side_thread(void *data)
{
	struct side *side = data;

	side->run(side);
	race_step("ends");
	complete(&side->done);
	return 0;
}

/*
 * Starts a side that is to be held when it reaches @point. Returns whether it
 * has reached it. The caller must call side_end() in either case.
 */
bool side_begin(struct kunit *test, struct side *side, const char *point)
{
	unsigned long limit = jiffies + PATIENCE;
	struct task_struct *task;

	init_completion(&side->done);
	INIT_LIST_HEAD(&side->stop.list);
	task = kthread_create(side_thread, side, "zswap_race");
	if (IS_ERR(task)) {
		KUNIT_FAIL(test, "no thread");
		complete(&side->done);
		return false;
	}
	race_step("starts %d, %ps", task->pid, side->run);
	set_cpus_allowed_ptr(task, cpumask_of(side->same_cpu ? 0 : 1));
	if (point)
		race_stop_arm(&side->stop, point, task);
	wake_up_process(task);
	if (!point)
		return true;
	while (!completion_done(&side->stop.reached)) {
		if (completion_done(&side->done) || time_after(jiffies, limit)) {
			KUNIT_FAIL(test, "never reached %s", point);
			return false;
		}
		usleep_range(200, 400);
	}
	return true;
}

/*
 * Whether the side is blocked, waiting for a lock that another task holds. One that isn't @expected
 * to be is given all the time that it needs.
 */
bool side_waits(struct side *side, bool expected)
{
	unsigned long limit = jiffies + (expected ? msecs_to_jiffies(A_WHILE_MS) : PATIENCE);
	bool waits;

	while (!completion_done(&side->done) && time_before(jiffies, limit))
		usleep_range(200, 400);
	waits = !completion_done(&side->done);
	race_step("sees that %ps %s", side->run, waits ? "waits" : "has ended");
	return waits;
}

/* Lets the side run to its end. */
void side_end(struct kunit *test, struct side *side)
{
	if (side->stop.point) {
		race_step("lets %ps go on", side->run);
		race_stop_release(&side->stop);
	}
	if (!wait_for_completion_timeout(&side->done, PATIENCE)) {
		KUNIT_FAIL(test, "doesn't end after %s", side->stop.point ?: "its start");
		/* The side uses variables on this task's stack. */
		wait_for_completion(&side->done);
	}
	KUNIT_EXPECT_FALSE_MSG(test, side->stop.late, "held at %s for too long", side->stop.point);
}

void do_press(struct side *side)
{
	press(side->memcg ?: root_mem_cgroup, side->nr ?: 1);
}

void do_fault(struct side *side)
{
	struct folio *folio = fault(side->entry);

	if (folio) {
		side->found = content(folio);
		folio_unlock(folio);
		folio_put(folio);
	}
}

void do_store(struct side *side)
{
	side->found = store(side->folio);
}

void do_lose_user(struct side *side)
{
	lose_user(side->entry);
}

/* --- Pages ------------------------------------------------------------------- */

/* The contents of the first page; 0 if it wasn't filled by fill(). */
u64 content(struct folio *folio)
{
	u64 *addr = kmap_local_folio(folio, 0);
	u64 what = addr[0];

	kunmap_local(addr);
	return holds(folio, what) ? what : 0;
}

/* A locked folio like that of new_folio(), whose slot has a user. */
struct folio *new_user_folio(struct kunit *test, u64 what)
{
	struct folio *folio = new_folio(test, 0, what);

	if (folio)
		KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	return folio;
}

/* Like new_user_folio(), for a given slot, which must be free. */
struct folio *new_folio_at(struct kunit *test, swp_entry_t entry, u64 what)
{
	struct folio *folio, *next, *found = NULL;
	LIST_HEAD(others);
	int i;

	for (i = 0; i < SMALL_DEVICE && !found; i++) {
		folio = new_folio(test, 0, what);
		if (!folio)
			break;
		if (folio->swap.val == entry.val)
			found = folio;
		else
			list_add(&folio->lru, &others);
	}
	list_for_each_entry_safe(folio, next, &others, lru) {
		list_del_init(&folio->lru);
		(drop)(folio); /* too many to be steps */
	}
	if (found)
		race_step("reuses slot %lu for a new folio", swp_offset(entry));
	return found;
}

/*
 * A swapped-out slot whose entry has lost its second chance: the next visit
 * writes it back.
 */
swp_entry_t aged(struct kunit *test, u64 what)
{
	swp_entry_t entry = swapped(test, 0, what, NULL);

	age();
	return entry;
}

/*
 * Like a fault: swaps in, waits for the lock, rechecks that the folio is still that of the slot.
 * Returns it locked; NULL if no folio was found or it can't be read.
 */
struct folio *fault_orders(swp_entry_t entry, unsigned long orders)
{
	struct folio *folio;

	race_step("faults on slot %lu", swp_offset(entry));
	for (;;) {
		folio = swapin_orders(entry, orders);
		if (IS_ERR(folio))
			return NULL;
		folio_lock(folio);
		if (folio_matches_swap_entry(folio, entry))
			break;
		folio_unlock(folio);
		folio_put(folio);
	}
	folio_wait_writeback(folio);
	if (folio_test_uptodate(folio))
		return folio;
	folio_unlock(folio);
	folio_put(folio);
	return NULL;
}

struct folio *fault(swp_entry_t entry)
{
	return fault_orders(entry, BIT(0));
}

/* Swaps in, changes the page's contents, and swaps out. */
void change(struct kunit *test, swp_entry_t entry, u64 what)
{
	struct folio *folio = fault(entry);

	if (!folio) {
		KUNIT_FAIL(test, "the page can't be read");
		return;
	}
	fill(folio, what);
	KUNIT_EXPECT_TRUE(test, store(folio));
	evict(folio, NULL);
}

void lose_user(swp_entry_t entry)
{
	race_step("puts a user of slot %lu", swp_offset(entry));
	swap_put_entries_direct(entry, 1);
}

/* Reads the slot as its only user, and drops this user, which frees the slot. */
u64 last_fault(swp_entry_t entry)
{
	struct folio *folio = fault(entry);
	u64 what = 0;

	lose_user(entry);
	if (folio) {
		what = content(folio);
		drop(folio);
	}
	return what;
}

/* Drops the slot's folio, its last user, which frees the slot. */
void drop_cached(struct kunit *test, swp_entry_t entry)
{
	struct folio *folio = swap_cache_get_folio(entry);

	if (folio) {
		folio_lock(folio);
		folio_wait_writeback(folio);
		drop(folio);
	} else {
		KUNIT_FAIL(test, "the slot has no folio");
	}
	KUNIT_EXPECT_EQ(test, table_entry(entry), 0UL);
}

/* --- Zswap ------------------------------------------------------------------- */

int set_compressor(const char *name)
{
	race_step("sets the compressor %s", name);
	return set_param("zswap.compressor", name);
}

extern struct list_head shrinker_list;
extern struct mutex shrinker_mutex;

struct shrinker *zswap_shrinker(void)
{
	struct shrinker *shrinker;

	guard(mutex)(&shrinker_mutex);
	list_for_each_entry(shrinker, &shrinker_list, list)
		if (shrinker->name && !strncmp(shrinker->name, "mm-zswap", 8))
			return shrinker;
	return NULL;
}

/* Memory pressure on each node: the shrinker scans @nr entries. */
void press(struct mem_cgroup *memcg, unsigned long nr)
{
	struct shrinker *shrinker = zswap_shrinker();
	int nid;

	race_step("has the shrinker scan %lu entries", nr);
	for_each_node_state(nid, N_NORMAL_MEMORY) {
		struct shrink_control sc = {
			.gfp_mask = GFP_KERNEL,
			.nid = nid,
			.memcg = memcg,
			.nr_to_scan = nr,
			.nr_scanned = nr,
		};

		shrinker->scan_objects(shrinker, &sc);
	}
}

/* Clears the second chance of all entries of the root cgroup. */
void age(void)
{
	press(root_mem_cgroup, stored());
}

/* Whether all entries are written back before a timeout. */
bool soon_empty(void)
{
	unsigned long limit = jiffies + PATIENCE;

	while (stored() && time_before(jiffies, limit))
		msleep(20);
	return !stored();
}

/* --- Cgroups ----------------------------------------------------------------- */

#define GROUP "zswap_races"

/* Creates a cgroup. Returns it with a reference. */
struct mem_cgroup *make_group(struct kunit *test)
{
	struct mem_cgroup *memcg = swap_test_make_group(GROUP);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(memcg), "no cgroup: %pe", memcg);
	return memcg;
}

/*
 * Removes a cgroup. When this returns, its lists and charges were moved to its
 * parent.
 */
bool remove_group(struct mem_cgroup *memcg)
{
	unsigned long limit = jiffies + PATIENCE;

	race_step("removes the cgroup");
	if (swap_test_remove_group(GROUP))
		return false;
	while (mem_cgroup_online(memcg) && time_before(jiffies, limit))
		msleep(20);
	return !mem_cgroup_online(memcg);
}

void put_group(struct mem_cgroup *memcg)
{
	css_put(&memcg->css);
}

/* new_folio() for a cgroup. */
struct folio *new_folio_of(struct kunit *test, struct mem_cgroup *memcg, int order, u64 what)
{
	struct mem_cgroup *old = set_active_memcg(memcg);
	struct folio *folio = new_folio(test, order, what);

	set_active_memcg(old);
	return folio;
}

/*
 * Waits until workers have released all pool memory and cgroups, with a timeout.
 * Returns how much is left.
 */
unsigned long left_after_a_while(void)
{
	unsigned long limit = jiffies + PATIENCE;
	unsigned long left;

	do {
		left = zswap_total_pages() + READ_ONCE(cgrp_dfl_root.cgrp.nr_dying_descendants);
		if (left)
			msleep(20);
	} while (left && time_before(jiffies, limit));
	return left;
}
