// SPDX-License-Identifier: GPL-2.0
/*
 * What may happen to a slot while something else is under way with it. One task
 * is held at a point of the code (race.h), so that each interleaving comes about
 * every time. C has no points but those of the tests' compressor, nor has Rust
 * without CONFIG_ZSWAP_RACE_POINTS: what needs others is skipped then.
 *
 * The slots are real, on the swap device that is on: a small one, to get the
 * same slot again. Whatever a test has found, it lets go of those that it holds
 * before it says so. After each test nothing may be left in zswap and no slot
 * be in use.
 */

#include <kunit/test.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/moduleparam.h>
#include <linux/pagemap.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/umh.h>
#include <linux/vmstat.h>
#include <linux/zswap.h>

#include "../../../../mm/internal.h"
#include "../../../../mm/swap.h"
#include "../../../../mm/swap_table.h"
#include "faulty_acomp.h"
#include "race.h"

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
#define ORDER 4
#else
#define ORDER 0
#endif

/* For whoever has to come; who hasn't by then is stuck. */
#define PATIENCE (20 * HZ)
/* For whoever mustn't come. */
#define A_WHILE_MS 100

#define SMALL_DEVICE 8192

/* --- Slots, and what is in them -------------------------------------------- */

static void fill(struct folio *folio, u64 what)
{
	long i;

	for (i = 0; i < folio_nr_pages(folio); i++) {
		void *addr = kmap_local_folio(folio, i * PAGE_SIZE);

		memset64(addr, what + i, PAGE_SIZE / sizeof(u64));
		kunmap_local(addr);
	}
}

/* What the first page was filled with; 0 if it wasn't. */
static u64 content(struct folio *folio)
{
	u64 *addr = kmap_local_folio(folio, 0);
	u64 what = addr[0];
	int i;

	for (i = 0; i < PAGE_SIZE / sizeof(u64); i++)
		if (addr[i] != what)
			what = 0;
	kunmap_local(addr);
	return what;
}

static unsigned long word(swp_entry_t entry)
{
	return swap_table_get(__swap_entry_to_cluster(entry), swp_cluster_offset(entry));
}

static long stored(void)
{
	return atomic_long_read(&zswap_stored_pages);
}

static noinline_for_stack unsigned long event(enum vm_event_item item)
{
	unsigned long events[NR_VM_EVENT_ITEMS];

	all_vm_events(events);
	return events[item];
}

static bool store(struct folio *folio)
{
	unsigned int flags;
	bool ret;

	/* As in reclaim; lockdep is told, since what storing locks must not be held to allocate. */
	fs_reclaim_acquire(GFP_KERNEL);
	flags = memalloc_noreclaim_save();
	ret = zswap_store(folio);
	memalloc_noreclaim_restore(flags);
	fs_reclaim_release(GFP_KERNEL);
	return ret;
}

/* Out of the swap cache, as reclaim does it. */
static void evict(struct folio *folio)
{
	struct swap_cluster_info *ci = swap_cluster_get_and_lock_irq(folio);

	folio_clear_dirty(folio);
	__swap_cache_del_folio(ci, folio, folio->swap, NULL, false);
	swap_cluster_unlock_irq(ci);
	folio_ref_sub(folio, folio_nr_pages(folio));
	folio_unlock(folio);
	folio_put(folio);
}

/* Out of the swap cache, with the slots if they have no user. */
static void drop(struct folio *folio)
{
	swap_cache_del_folio(folio);
	folio_unlock(folio);
	folio_put(folio);
}

/* A locked folio of a user's, charged, with slots that only it has. */
static struct folio *new_folio(int order, u64 what)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, order);

	if (!folio)
		return NULL;
	__folio_set_locked(folio);
	__folio_set_swapbacked(folio);
	__folio_mark_uptodate(folio);
	fill(folio, what);
	if (mem_cgroup_charge(folio, NULL, GFP_KERNEL) || folio_alloc_swap(folio)) {
		folio_unlock(folio);
		folio_put(folio);
		return NULL;
	}
	return folio;
}

/* The same for a certain slot, which is free. */
static struct folio *new_folio_at(swp_entry_t entry, u64 what)
{
	struct folio *folio, *next, *found = NULL;
	LIST_HEAD(others);
	int i;

	for (i = 0; i < SMALL_DEVICE && !found; i++) {
		folio = new_folio(0, what);
		if (!folio)
			break;
		if (folio->swap.val == entry.val)
			found = folio;
		else
			list_add(&folio->lru, &others);
	}
	list_for_each_entry_safe(folio, next, &others, lru) {
		list_del_init(&folio->lru);
		drop(folio);
	}
	return found;
}

/* Gives the folio's slots a user, has it stored, and lets it go. */
static swp_entry_t swap_out(struct kunit *test, struct folio *folio)
{
	swp_entry_t entry = folio->swap;

	KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	KUNIT_EXPECT_TRUE(test, store(folio));
	evict(folio);
	return entry;
}

/* Slots with a user, whose data is in zswap and nowhere else. */
static swp_entry_t swapped(struct kunit *test, int order, u64 what)
{
	struct folio *folio = new_folio(order, what);

	if (!folio) {
		KUNIT_FAIL(test, "no folio of order %d, or no slots for it", order);
		return (swp_entry_t) {};
	}
	return swap_out(test, folio);
}

static struct folio *swapin(swp_entry_t entry)
{
	return swapin_sync(entry, GFP_KERNEL, BIT(0), NULL,
			   get_task_policy(current), NO_INTERLEAVE_INDEX);
}

/*
 * As a fault: swaps in, waits for the lock, looks whether the folio still is the
 * slot's. Returns it locked; NULL if there is none or it can't be read.
 */
static struct folio *fault(swp_entry_t entry)
{
	struct folio *folio;

	for (;;) {
		folio = swapin(entry);
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

static void lose_user(swp_entry_t entry)
{
	swap_put_entries_direct(entry, 1);
}

/* What the slot's only user finds in it; it has no user then, and is free. */
static u64 last_fault(swp_entry_t entry)
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

/* The slot's folio, which has it alone, goes, and the slot with it. */
static void drop_cached(struct kunit *test, swp_entry_t entry)
{
	struct folio *folio = swap_cache_get_folio(entry);

	if (folio) {
		folio_lock(folio);
		folio_wait_writeback(folio);
		drop(folio);
	} else {
		KUNIT_FAIL(test, "the slot has no folio");
	}
	KUNIT_EXPECT_EQ(test, word(entry), 0UL);
}

/* --- Zswap's doings ---------------------------------------------------------- */

static int set_param(const char *name, const char *value)
{
	const struct kernel_param *kp;
	char word[64];
	int ret = -ENOENT;

	strscpy(word, value);
	kernel_param_lock(NULL);
	for (kp = __start___param; kp < __stop___param; kp++)
		if (!strcmp(kp->name, name))
			ret = kp->ops->set(word, kp);
	kernel_param_unlock(NULL);
	return ret;
}

static int set_compressor(const char *name)
{
	return set_param("zswap.compressor", name);
}

extern struct list_head shrinker_list;
extern struct mutex shrinker_mutex;

static struct shrinker *zswap_shrinker(void)
{
	struct shrinker *shrinker;

	guard(mutex)(&shrinker_mutex);
	list_for_each_entry(shrinker, &shrinker_list, list)
		if (shrinker->name && !strncmp(shrinker->name, "mm-zswap", 8))
			return shrinker;
	return NULL;
}

/* Memory pressure, on each node: a look at @nr entries. */
static void press(struct mem_cgroup *memcg, unsigned long nr)
{
	struct shrinker *shrinker = zswap_shrinker();
	int nid;

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

/* Takes the second chance of all that is stored outside of cgroups. */
static void age(void)
{
	press(root_mem_cgroup, stored());
}

/* --- Others' doings ---------------------------------------------------------- */

/* As root does it: /cg, /bin and the device are those of the tests' guest. */
static int shell(const char *command)
{
	return call_usermodehelper("/bin/sh",
				   (char *[]){ "/bin/sh", "-c", (char *)command, NULL },
				   (char *[]){ "PATH=/bin", NULL }, UMH_WAIT_PROC);
}

#define GROUP "zswap_races"

/* A cgroup, kept by a reference; NULL if there are none. */
static struct mem_cgroup *make_group(struct kunit *test)
{
	struct cgroup_subsys_state *css;
	struct cgroup *cgroup;

	if (shell("mkdir /cg/" GROUP))
		return NULL;
	cgroup = cgroup_get_from_path("/" GROUP);
	if (IS_ERR(cgroup))
		return NULL;
	css = cgroup_get_e_css(cgroup, &memory_cgrp_subsys);
	cgroup_put(cgroup);
	return mem_cgroup_from_css(css);
}

/* It is removed; when this returns, its lists and charges are its parent's. */
static bool remove_group(struct mem_cgroup *memcg)
{
	unsigned long limit = jiffies + PATIENCE;

	if (shell("rmdir /cg/" GROUP))
		return false;
	while (mem_cgroup_online(memcg) && time_before(jiffies, limit))
		msleep(20);
	return !mem_cgroup_online(memcg);
}

static void put_group(struct mem_cgroup *memcg)
{
	css_put(&memcg->css);
}

/* new_folio() for a cgroup. */
static struct folio *new_folio_of(struct mem_cgroup *memcg, int order, u64 what)
{
	struct mem_cgroup *old = set_active_memcg(memcg);
	struct folio *folio = new_folio(order, what);

	set_active_memcg(old);
	return folio;
}

/* What workers give back, it may take them a while. */
static unsigned long left_after_a_while(void)
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

/* --- Those who are held ------------------------------------------------------ */

/* Those of the tests' compressor are in every kernel. */
static bool has_point(const char *point)
{
	if (strstarts(point, "acomp:"))
		return true;
	if (!IS_ENABLED(CONFIG_ZSWAP_RACE_POINTS))
		return false;
	if (strstarts(point, "add:") || strstarts(point, "swapin:") || strstarts(point, "lookup:"))
		return IS_ENABLED(CONFIG_SWAP_CACHE_RUST);
	return IS_ENABLED(CONFIG_ZSWAP_RUST);
}

static void needs_point(struct kunit *test, const char *point)
{
	if (!has_point(point))
		kunit_skip(test, "there is no point %s", point);
}

/* The first that there is, of those up to NULL. */
static const char * const *that_is(const char * const *points)
{
	while (*points && !has_point(*points))
		points++;
	return points;
}

#define for_each_point(point, ...)						\
	for (const char * const *p = that_is((const char * const []){ __VA_ARGS__, NULL });	\
	     (point = *p); p = that_is(p + 1))

/* A task that does one thing, on the other CPU than the test's unless told. */
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

static int side_thread(void *data)
{
	struct side *side = data;

	side->run(side);
	complete(&side->done);
	return 0;
}

static void do_press(struct side *side)
{
	press(side->memcg ?: root_mem_cgroup, side->nr ?: 1);
}

static void do_fault(struct side *side)
{
	struct folio *folio = fault(side->entry);

	if (folio) {
		side->found = content(folio);
		folio_unlock(folio);
		folio_put(folio);
	}
}

/* The same without the lock, so that it needs no slot any more. It keeps the device. */
static void do_swapin(struct side *side)
{
	struct swap_info_struct *si = get_swap_device(side->entry);
	struct folio *folio = si ? swapin(side->entry) : ERR_PTR(-ENODEV);

	if (!IS_ERR(folio)) {
		folio_wait_locked(folio);
		if (folio_test_uptodate(folio))
			side->found = content(folio);
		folio_put(folio);
	}
	if (si)
		put_swap_device(si);
}

static void do_lookup(struct side *side)
{
	side->folio = swap_cache_get_folio(side->entry);
}

static void do_store(struct side *side)
{
	side->found = store(side->folio);
}

static void do_lose_user(struct side *side)
{
	lose_user(side->entry);
}

static void do_set_param(struct side *side)
{
	side->found = set_param(side->word, side->value);
}

static void do_shell(struct side *side)
{
	side->found = shell(side->word);
}

static void do_remove_cpu(struct side *side)
{
	side->found = remove_cpu(side->nr);
}

static void do_add_cpu(struct side *side)
{
	side->found = add_cpu(side->nr);
}

/*
 * Starts a side that is to be held when it comes to @point. Says whether it got
 * there; side_end() is called in any case.
 */
static bool side_begin(struct kunit *test, struct side *side, const char *point)
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
	set_cpus_allowed_ptr(task, cpumask_of(side->same_cpu ? 0 : 1));
	if (point)
		race_stop_arm(&side->stop, point, task);
	wake_up_process(task);
	if (!point)
		return true;
	while (!completion_done(&side->stop.reached)) {
		if (completion_done(&side->done) || time_after(jiffies, limit)) {
			KUNIT_FAIL(test, "never came to %s", point);
			return false;
		}
		usleep_range(200, 400);
	}
	return true;
}

/* Whether it is stuck: what it waits for is held. */
static bool side_waits(struct side *side)
{
	msleep(A_WHILE_MS);
	return !completion_done(&side->done);
}

/* Lets it go on to its end. */
static void side_end(struct kunit *test, struct side *side)
{
	if (side->stop.point)
		race_stop_release(&side->stop);
	if (!wait_for_completion_timeout(&side->done, PATIENCE)) {
		KUNIT_FAIL(test, "doesn't end after %s", side->stop.point ?: "its start");
		/* It uses what is on our stack. */
		wait_for_completion(&side->done);
	}
	KUNIT_EXPECT_FALSE_MSG(test, side->stop.late, "held at %s for too long", side->stop.point);
}

/* --- Writing back ------------------------------------------------------------- */

/* Writeback has the folio: a fault finds it, waits for it, and gets what it has read. */
static void fault_while_writeback_has_the_folio(struct kunit *test)
{
	const char *point;

	for_each_point(point, "writeback:after_add_folio", "acomp:before_decompress", "writeback:after_decompress") {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = swapped(test, 0, 7);
		bool locked = false, uptodate = true;
		struct folio *folio;

		if (!entry.val)
			return;
		age();
		if (side_begin(test, &writeback, point)) {
			folio = swapin(entry);
			if (!IS_ERR(folio)) {
				locked = folio_test_locked(folio);
				uptodate = folio_test_uptodate(folio);
				folio_put(folio);
			}
		}
		side_end(test, &writeback);
		KUNIT_EXPECT_TRUE(test, locked);
		KUNIT_EXPECT_FALSE(test, uptodate);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 1);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* A fault has the folio: writeback doesn't wait for it, and leaves the entry alone. */
static void writeback_while_a_load_is_under_way(struct kunit *test)
{
	const char *point;

	for_each_point(point, "add:after_alloc", "add:before_charge", "load:after_lookup", "acomp:before_decompress",
		       "load:after_decompress") {
		struct side load = { .run = do_fault };
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = swapped(test, 0, 7);
		/* It has nothing yet that would keep writeback away. */
		bool lost = !strcmp(point, "add:after_alloc");
		long left = -1;

		if (!entry.val)
			return;
		age();
		load.entry = entry;
		if (side_begin(test, &load, point)) {
			side_begin(test, &writeback, NULL);
			side_end(test, &writeback);
			left = stored();
		}
		side_end(test, &load);
		KUNIT_EXPECT_EQ(test, left, lost ? 0L : 1L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + lost);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* The slot that writeback knows is freed before writeback has it, or while it has it. */
static void slot_freed_while_writeback_is_under_way(struct kunit *test)
{
	const char *point;

	for_each_point(point, "writeback:after_lru_unlock", "writeback:after_get_device", "writeback:after_add_folio",
		       "acomp:before_decompress", "writeback:after_decompress") {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = swapped(test, 0, 7);
		bool lost = !strcmp(point, "writeback:after_lru_unlock") ||
			    !strcmp(point, "writeback:after_get_device");
		long left = -1;

		if (!entry.val)
			return;
		age();
		if (side_begin(test, &writeback, point)) {
			lose_user(entry);
			left = stored();
		}
		side_end(test, &writeback);
		/* A folio in the swap cache keeps slot and entry. */
		KUNIT_EXPECT_EQ(test, left, lost ? 0L : 1L);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + !lost);
		if (!lost)
			drop_cached(test, entry);
		KUNIT_EXPECT_EQ(test, word(entry), 0UL);
	}
}

/* Writeback knows an entry whose slot is freed, and used for another page, meanwhile. */
static void slot_reused_before_writeback_has_it(struct kunit *test)
{
	const char *point;

	needs_point(test, "writeback:after_lru_unlock");
	for_each_point(point, "writeback:after_lru_unlock", "writeback:after_get_device") {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = swapped(test, 0, 7), other = {};
		struct folio *folio = NULL;

		if (!entry.val)
			return;
		age();
		if (side_begin(test, &writeback, point)) {
			lose_user(entry);
			/* This one gets the old entry's memory. */
			other = swapped(test, 0, 8);
			folio = new_folio_at(entry, 9);
			if (folio)
				swap_out(test, folio);
			else
				KUNIT_FAIL(test, "the slot can't be had again");
		}
		side_end(test, &writeback);
		/* The new page has its second chance still. */
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		KUNIT_EXPECT_EQ(test, stored(), 2L);
		if (folio)
			KUNIT_EXPECT_EQ(test, last_fault(entry), 9ULL);
		KUNIT_EXPECT_EQ(test, last_fault(other), 8ULL);
	}
}

/* The same, with an entry where the old one was: as good, if it is the new page that is written. */
static void entry_made_anew_before_writeback_has_it(struct kunit *test)
{
	const char *point;

	needs_point(test, "writeback:after_lru_unlock");
	for_each_point(point, "writeback:after_lru_unlock", "writeback:after_get_device") {
		struct side writeback = { .run = do_press };
		swp_entry_t entry = swapped(test, 0, 7);
		struct folio *folio;

		if (!entry.val)
			return;
		age();
		if (side_begin(test, &writeback, point)) {
			folio = fault(entry);
			if (folio) {
				fill(folio, 8);
				KUNIT_EXPECT_TRUE(test, store(folio));
				evict(folio);
			}
		}
		side_end(test, &writeback);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
	}
}

/* The page has become all zeroes, of which zswap isn't told: what it has is old. */
static void zeroed_before_writeback_has_it(struct kunit *test)
{
	const char *point;

	needs_point(test, "writeback:after_lru_unlock");
	for_each_point(point, "writeback:after_lru_unlock", "writeback:after_get_device") {
		struct side writeback = { .run = do_press };
		unsigned long written = event(ZSWPWB);
		struct folio *folio = new_folio(0, 7);
		struct swap_cluster_info *ci;
		swp_entry_t entry;

		if (!folio) {
			KUNIT_FAIL(test, "no folio");
			return;
		}
		entry = folio->swap;
		KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
		KUNIT_EXPECT_TRUE(test, store(folio));
		age();
		side_begin(test, &writeback, point);
		/* As reclaim finds it to be. */
		ci = swap_cluster_get_and_lock(folio);
		__swap_table_set_zero(ci, swp_cluster_offset(entry));
		swap_cluster_unlock(ci);
		evict(folio);
		side_end(test, &writeback);

		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_FALSE(test, swap_cache_has_folio(entry));
		folio = fault(entry);
		lose_user(entry);
		if (folio) {
			KUNIT_EXPECT_EQ(test, content(folio), 0ULL);
			drop(folio);
		} else {
			KUNIT_FAIL(test, "a page of zeroes can't be read");
		}
	}
}

/* What can't be read isn't written, and nobody is left with a folio without content. */
static void failed_writeback_leaves_the_slot(struct kunit *test)
{
	struct side writeback = { .run = do_press }, load = { .run = do_fault };
	struct folio *folio, *waited = NULL;
	unsigned long written = event(ZSWPWB);
	bool locked = true, cached = true;
	swp_entry_t entry;

	needs_point(test, "writeback:after_add_folio");
	needs_point(test, "lookup:before_folio_get");
	entry = swapped(test, 0, 7);
	if (!entry.val)
		return;
	age();
	load.entry = entry;
	if (side_begin(test, &writeback, "writeback:after_add_folio")) {
		/* It has seen the folio, and has no reference yet. */
		side_begin(test, &load, "lookup:before_folio_get");
		/* Who has one waits for the lock. */
		waited = swapin(entry);
	}
	acomp_inject(&faulty_decompress, FAULT_EIO);
	side_end(test, &writeback);
	if (!IS_ERR_OR_NULL(waited)) {
		locked = folio_test_locked(waited);
		cached = folio_test_swapcache(waited);
		if (locked)
			folio_unlock(waited);
		folio_put(waited);
	}
	KUNIT_EXPECT_FALSE(test, locked);
	KUNIT_EXPECT_FALSE(test, cached);
	folio = swap_cache_get_folio(entry);
	if (folio) {
		KUNIT_FAIL(test, "a folio without content is left");
		if (folio_test_locked(folio))
			folio_unlock(folio);
		folio_put(folio);
	}
	KUNIT_EXPECT_EQ(test, stored(), 1L);
	acomp_inject(&faulty_decompress, FAULT_NONE);
	if (load.stop.point)
		side_end(test, &load);
	KUNIT_EXPECT_EQ(test, load.found, 7ULL);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
}

/* It was the folio that kept the slot: with it go slot and entry. */
static void failed_writeback_of_a_slot_without_user(struct kunit *test)
{
	const char *point;

	for_each_point(point, "writeback:after_add_folio", "acomp:before_decompress") {
		struct side writeback = { .run = do_press };
		swp_entry_t entry = swapped(test, 0, 7);

		if (!entry.val)
			return;
		age();
		if (side_begin(test, &writeback, point)) {
			lose_user(entry);
			acomp_inject(&faulty_decompress, FAULT_EIO);
		}
		side_end(test, &writeback);
		acomp_inject(&faulty_decompress, FAULT_NONE);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, word(entry), 0UL);
	}
}

/* --- The walk over what is stored --------------------------------------------- */

/* The next on the list is freed while the list isn't locked: the walk begins anew. */
static void next_is_freed_during_writeback(struct kunit *test)
{
	struct side writeback = { .run = do_press, .nr = 2 };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entries[3];
	int i;

	needs_point(test, "writeback:after_lru_unlock");
	for (i = 0; i < 3; i++)
		entries[i] = swapped(test, 0, 7 + i);
	age();
	if (side_begin(test, &writeback, "writeback:after_lru_unlock"))
		lose_user(entries[1]);
	side_end(test, &writeback);
	/* The first and the last. */
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 2);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, last_fault(entries[0]), 7ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entries[2]), 9ULL);
}

/* All that the walk knows of is freed. */
static void all_is_freed_during_writeback(struct kunit *test)
{
	struct side writeback = { .run = do_press, .nr = 3 };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entries[3];
	int i;

	needs_point(test, "writeback:after_lru_unlock");
	for (i = 0; i < 3; i++)
		entries[i] = swapped(test, 0, 7 + i);
	age();
	if (side_begin(test, &writeback, "writeback:after_lru_unlock"))
		for (i = 0; i < 3; i++)
			lose_user(entries[i]);
	side_end(test, &writeback);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
}

/* The walk looks at an entry, with the list locked, while the entry is freed. */
static void freed_while_the_walk_looks_at_it(struct kunit *test)
{
	struct side walk = { .run = do_press, .stop.stay_ms = A_WHILE_MS };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entry;

	needs_point(test, "shrink:before_lru_unlock");
	entry = swapped(test, 0, 7);
	if (!entry.val)
		return;
	age();
	if (side_begin(test, &walk, "shrink:before_lru_unlock"))
		/* Spins for the list's lock, with the cluster's. */
		lose_user(entry);
	side_end(test, &walk);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, word(entry), 0UL);
}

/* The entry has left its slot, and not the list: the walk can't get at the slot. */
static void walk_comes_to_an_entry_being_freed(struct kunit *test)
{
	struct side freeing = { .run = do_lose_user, .stop.stay_ms = A_WHILE_MS };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entry;

	needs_point(test, "invalidate:after_erase");
	entry = swapped(test, 0, 7);
	if (!entry.val)
		return;
	age();
	freeing.entry = entry;
	if (side_begin(test, &freeing, "invalidate:after_erase"))
		press(root_mem_cgroup, 1);
	side_end(test, &freeing);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	KUNIT_EXPECT_EQ(test, word(entry), 0UL);
}

/* --- Swapping in ----------------------------------------------------------------- */

/* The last user goes while the page is loaded: slot and entry stay until that is over. */
static void slot_freed_during_a_load(struct kunit *test)
{
	const char *point;

	for_each_point(point, "add:before_charge", "load:after_lookup", "acomp:before_decompress",
		       "load:after_decompress") {
		struct side load = { .run = do_fault };
		swp_entry_t entry = swapped(test, 0, 7);
		long left = -1;

		if (!entry.val)
			return;
		load.entry = entry;
		if (side_begin(test, &load, point)) {
			lose_user(entry);
			left = stored();
		}
		side_end(test, &load);
		KUNIT_EXPECT_EQ(test, left, 1L);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		drop_cached(test, entry);
	}
}

/*
 * Between seeing that a slot has no folio and adding one, another brings in the page, changes it,
 * and swaps it out again: the slot is the same, what it has isn't.
 */
static void swapin_after_the_slot_has_changed(struct kunit *test)
{
	struct side load = { .run = do_fault };
	struct folio *folio;
	swp_entry_t entry;

	needs_point(test, "add:after_alloc");
	entry = swapped(test, 0, 7);
	if (!entry.val)
		return;
	load.entry = entry;
	if (side_begin(test, &load, "add:after_alloc")) {
		folio = fault(entry);
		if (folio) {
			fill(folio, 8);
			KUNIT_EXPECT_TRUE(test, store(folio));
			evict(folio);
		}
	}
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, load.found, 8ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
}

/* The same, and the slot is freed: there is nothing to swap in. */
static void swapin_after_the_slot_was_freed(struct kunit *test)
{
	struct side load = { .run = do_fault };
	swp_entry_t entry;

	needs_point(test, "add:after_alloc");
	entry = swapped(test, 0, 7);
	if (!entry.val)
		return;
	load.entry = entry;
	if (side_begin(test, &load, "add:after_alloc"))
		lose_user(entry);
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, load.found, 0ULL);
	KUNIT_EXPECT_EQ(test, word(entry), 0UL);
}

/* One swaps in, the other finds that, and waits: both have the page. */
static void two_faults_at_one_slot(struct kunit *test)
{
	const char *point;

	for_each_point(point, "add:after_alloc", "add:before_charge", "load:after_lookup", "acomp:before_decompress",
		       "load:after_decompress") {
		struct side first = { .run = do_fault }, second = { .run = do_fault };
		swp_entry_t entry = swapped(test, 0, 7);
		bool waits = false;

		if (!entry.val)
			return;
		first.entry = entry;
		second.entry = entry;
		if (side_begin(test, &first, point)) {
			side_begin(test, &second, NULL);
			waits = side_waits(&second);
		}
		side_end(test, &first);
		side_end(test, &second);
		KUNIT_EXPECT_EQ(test, waits, !!strcmp(point, "add:after_alloc"));
		KUNIT_EXPECT_EQ(test, first.found, 7ULL);
		KUNIT_EXPECT_EQ(test, second.found, 7ULL);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* The folio that a lookup or a lost race has seen leaves the slot, and perhaps another comes. */
static void folio_leaves_while_it_is_looked_up(struct kunit *test)
{
	const char *point;
	int another;

	needs_point(test, "lookup:before_folio_get");
	for_each_point(point, "swapin:before_lookup", "lookup:before_folio_get") {
		for (another = 0; another < 2; another++) {
			struct side load = { .run = do_fault };
			struct folio *folio = new_folio(0, 7);
			swp_entry_t entry;

			if (!folio) {
				KUNIT_FAIL(test, "no folio");
				return;
			}
			entry = folio->swap;
			KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
			load.entry = entry;
			side_begin(test, &load, point);
			fill(folio, 8);
			KUNIT_EXPECT_TRUE(test, store(folio));
			evict(folio);
			if (another) {
				folio = fault(entry);
				if (folio) {
					fill(folio, 9);
					folio_unlock(folio);
					folio_put(folio);
				}
			}
			side_end(test, &load);
			KUNIT_EXPECT_EQ(test, load.found, 8ULL + another);
			KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL + another);
		}
	}
}

/* What is found is what the slot has then, though the folio that it had can still be got. */
static void lookup_of_a_folio_that_has_left(struct kunit *test)
{
	int another;

	needs_point(test, "lookup:before_folio_get");
	for (another = 0; another < 2; another++) {
		struct side lookup = { .run = do_lookup };
		struct folio *folio = new_folio(0, 7), *now = NULL;
		swp_entry_t entry;

		if (!folio) {
			KUNIT_FAIL(test, "no folio");
			return;
		}
		entry = folio->swap;
		KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
		lookup.entry = entry;
		side_begin(test, &lookup, "lookup:before_folio_get");
		KUNIT_EXPECT_TRUE(test, store(folio));
		folio_get(folio);
		evict(folio);
		if (another) {
			now = fault(entry);
			if (now)
				folio_unlock(now);
		}
		side_end(test, &lookup);
		KUNIT_EXPECT_PTR_EQ(test, lookup.folio, now);
		if (lookup.folio)
			folio_put(lookup.folio);
		if (now)
			folio_put(now);
		folio_put(folio);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	}
}

/* Who has swapped in a page makes nothing of it: it had the only copy. */
static void loaded_page_that_nobody_takes(struct kunit *test)
{
	swp_entry_t entry = swapped(test, 0, 7);
	struct side load = { .run = do_fault, .entry = entry };
	struct folio *folio;
	bool dirty = false;

	if (!entry.val)
		return;
	side_begin(test, &load, "acomp:before_decompress");
	side_end(test, &load);
	KUNIT_EXPECT_EQ(test, stored(), 0L);
	folio = fault(entry);
	if (folio) {
		dirty = folio_test_dirty(folio);
		/* As reclaim has to, with a dirty one. */
		KUNIT_EXPECT_TRUE(test, store(folio));
		evict(folio);
	}
	KUNIT_EXPECT_TRUE(test, dirty);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
}

/* --- Stores ------------------------------------------------------------------------ */

/* A store is refused: what is older can't be written back before it is gone, or after. */
static void writeback_while_a_store_is_refused(struct kunit *test)
{
	static const char * const refuse[][3] = {
		{ "zswap.enabled", "N", "Y" },
		{ "zswap.max_pool_percent", "0", "90" },
	};
	int i;

	needs_point(test, "store:before_clear");
	for (i = 0; i < ARRAY_SIZE(refuse); i++) {
		struct folio *folio = new_folio(ORDER, 7);
		struct side refused = { .run = do_store, .folio = folio };
		unsigned long written = event(ZSWPWB);

		if (!folio) {
			KUNIT_FAIL(test, "no folio");
			return;
		}
		KUNIT_EXPECT_TRUE(test, store(folio));
		age();
		fill(folio, 8);
		set_param(refuse[i][0], refuse[i][1]);
		if (side_begin(test, &refused, "store:before_clear")) {
			set_param(refuse[i][0], refuse[i][2]);
			press(root_mem_cgroup, 1 << ORDER);
		}
		side_end(test, &refused);
		set_param(refuse[i][0], refuse[i][2]);
		KUNIT_EXPECT_FALSE(test, refused.found);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		press(root_mem_cgroup, 1 << ORDER);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		drop(folio);
	}
}

/* Some of the folio's pages are on the list, others not yet there: writeback gets none of them. */
static void writeback_while_a_folio_is_half_stored(struct kunit *test)
{
	struct folio *folio;
	struct side half = { .run = do_store };
	unsigned long written = event(ZSWPWB);

	needs_point(test, "store:before_lru_add");
	if (!ORDER)
		kunit_skip(test, "there are no large folios");
	folio = new_folio(ORDER, 7);
	if (!folio) {
		KUNIT_FAIL(test, "no folio");
		return;
	}
	half.folio = folio;
	half.stop.pass = 7;
	if (side_begin(test, &half, "store:before_lru_add")) {
		KUNIT_EXPECT_EQ(test, stored(), 8L);
		press(root_mem_cgroup, 8);
		press(root_mem_cgroup, 8);
	}
	side_end(test, &half);
	KUNIT_EXPECT_TRUE(test, half.found);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 1L << ORDER);
	drop(folio);
}

/* Page 8 of 16 can neither be compressed nor kept as it is: nothing stays of the others. */
static void half_stored_folio_is_refused(struct kunit *test)
{
	struct side half = { .run = do_store };
	unsigned long written = event(ZSWPWB);
	struct mem_cgroup *memcg;
	struct folio *folio;
	long some = 0;

	needs_point(test, "store:before_clear");
	if (!ORDER)
		kunit_skip(test, "there are no large folios");
	memcg = make_group(test);
	if (!memcg)
		kunit_skip(test, "there are no cgroups");
	folio = new_folio_of(memcg, ORDER, 7);
	if (folio) {
		half.folio = folio;
		/* What may not be written back isn't kept raw. */
		WRITE_ONCE(memcg->zswap_writeback, false);
		faulty_compress.skip = 7;
		acomp_inject(&faulty_compress, FAULT_EIO);
		if (side_begin(test, &half, "store:before_clear")) {
			some = stored();
			WRITE_ONCE(memcg->zswap_writeback, true);
			press(memcg, some);
			press(memcg, some);
		}
		side_end(test, &half);
		acomp_inject(&faulty_compress, FAULT_NONE);
		faulty_compress.skip = 0;
		KUNIT_EXPECT_FALSE(test, half.found);
		KUNIT_EXPECT_EQ(test, some, 7L);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		mem_cgroup_flush_stats(memcg);
		KUNIT_EXPECT_EQ(test, memcg_page_state(memcg, MEMCG_ZSWAPPED), 0UL);
		KUNIT_EXPECT_EQ(test, memcg_page_state(memcg, MEMCG_ZSWAP_B), 0UL);
		drop(folio);
	}
	KUNIT_EXPECT_TRUE(test, remove_group(memcg));
	put_group(memcg);
}

/* A cgroup at its limit wants room, and its only entry is being loaded: that isn't waited for. */
static void store_at_its_limit_during_a_load(struct kunit *test)
{
	struct side load = { .run = do_fault }, limited = { .run = do_store };
	struct folio *folio = NULL, *older;
	struct mem_cgroup *memcg = make_group(test);
	unsigned long written = event(ZSWPWB);

	if (!memcg)
		kunit_skip(test, "there are no cgroups");
	older = new_folio_of(memcg, 0, 7);
	if (older)
		load.entry = swap_out(test, older);
	folio = new_folio_of(memcg, 0, 8);
	if (older && folio) {
		press(memcg, 1);
		WRITE_ONCE(memcg->zswap_max, 0);
		limited.folio = folio;
		if (side_begin(test, &load, "acomp:before_decompress")) {
			/* The folio is locked, as those of reclaim are. */
			side_begin(test, &limited, NULL);
			side_end(test, &limited);
		}
		side_end(test, &load);
		KUNIT_EXPECT_FALSE(test, limited.found);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(load.entry), 7ULL);
	}
	if (folio)
		drop(folio);
	KUNIT_EXPECT_TRUE(test, remove_group(memcg));
	put_group(memcg);
}

/* --- Parameters, pools, CPUs ----------------------------------------------------- */

/* What is being stored when zswap is disabled is stored, and can be had. */
static void disabled_during_a_store(struct kunit *test)
{
	const char *point;

	for_each_point(point, "store:after_prepare", "acomp:before_compress", "store:before_lru_add") {
		struct side storing = { .run = do_store, .folio = new_folio(0, 7) };
		swp_entry_t entry;

		if (!storing.folio) {
			KUNIT_FAIL(test, "no folio");
			return;
		}
		entry = storing.folio->swap;
		KUNIT_EXPECT_EQ(test, folio_dup_swap(storing.folio, NULL), 0);
		if (side_begin(test, &storing, point)) {
			set_param("zswap.enabled", "N");
			set_param("zswap.max_pool_percent", "0");
		}
		side_end(test, &storing);
		evict(storing.folio);
		KUNIT_EXPECT_TRUE(test, storing.found);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
		set_param("zswap.max_pool_percent", "90");
		set_param("zswap.enabled", "Y");
	}
}

/* The pool is retired while a page is stored in it or loaded from it, and taken up again or not. */
static void compressor_switched_meanwhile(struct kunit *test)
{
	const char *point;
	int again;

	for (again = 0; again < 2; again++) {
		for_each_point(point, "store:after_prepare", "acomp:before_compress", "store:before_lru_add") {
			struct side storing = { .run = do_store, .folio = new_folio(0, 7) };
			struct side load = { .run = do_fault };
			swp_entry_t other = {};

			if (!storing.folio) {
				KUNIT_FAIL(test, "no folio");
				return;
			}
			load.entry = storing.folio->swap;
			KUNIT_EXPECT_EQ(test, folio_dup_swap(storing.folio, NULL), 0);
			if (side_begin(test, &storing, point)) {
				KUNIT_EXPECT_EQ(test, set_compressor("lz4"), 0);
				other = swapped(test, 0, 8);
				if (again)
					KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
			}
			side_end(test, &storing);
			KUNIT_EXPECT_TRUE(test, storing.found);
			evict(storing.folio);
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

/* The last page of a retired pool goes when its slot is freed, in atomic context. */
static void retired_pool_dies_with_its_last_page(struct kunit *test)
{
	int i;

	for (i = 0; i < 10; i++) {
		swp_entry_t entry = swapped(test, 0, 7);
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
		/* Is the pool taken up again, or is it gone already? */
		KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
		side_end(test, &freeing);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		entry = swapped(test, 0, 8);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
	}
}

/*
 * While another pool is made, or about to be used, pages go into the one that there is. (A
 * compressor that no other test uses, as its pool might still be there to be used again.)
 */
static void store_while_the_compressor_is_switched(struct kunit *test)
{
	const char *point;

	needs_point(test, "switch:before_make_current");
	for_each_point(point, "prepare:after_alloc", "switch:before_make_current") {
		struct side switching = {
			.run = do_set_param, .word = "zswap.compressor", .value = "lzo",
		};
		swp_entry_t entry = {};
		u64 found = 0;

		if (side_begin(test, &switching, point)) {
			entry = swapped(test, 0, 7);
			found = last_fault(entry);
			entry = swapped(test, 0, 8);
		}
		side_end(test, &switching);
		KUNIT_EXPECT_EQ(test, (int)switching.found, 0);
		KUNIT_EXPECT_EQ(test, found, 7ULL);
		if (entry.val)
			KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
		KUNIT_EXPECT_EQ(test, set_compressor(FAULTY_NAME), 0);
	}
}

/* Of 7. By itself, since what watches memory makes frames large. */
static noinline void cpu_gone_while_it_decompresses(struct kunit *test, swp_entry_t entry)
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
 * The CPU goes whose compressor is in use, and the task goes on elsewhere; or the CPU comes back
 * meanwhile, for which it may want a look at what is in use.
 */
static void cpu_gone_while_it_compresses(struct kunit *test)
{
	swp_entry_t entry = {};
	int i;

	for (i = 0; i < 2; i++) {
		struct side storing = { .run = do_store, .folio = new_folio(0, 7) };
		struct side adding = { .run = do_add_cpu, .nr = 1 };

		if (!storing.folio) {
			KUNIT_FAIL(test, "no folio");
			return;
		}
		entry = storing.folio->swap;
		KUNIT_EXPECT_EQ(test, folio_dup_swap(storing.folio, NULL), 0);
		if (side_begin(test, &storing, "acomp:before_compress"))
			KUNIT_EXPECT_EQ(test, remove_cpu(1), 0);
		if (i) {
			side_begin(test, &adding, NULL);
			side_waits(&adding);
		}
		side_end(test, &storing);
		if (!i)
			side_begin(test, &adding, NULL);
		side_end(test, &adding);
		KUNIT_EXPECT_EQ(test, (int)adding.found, 0);
		evict(storing.folio);
		KUNIT_EXPECT_TRUE(test, storing.found);

		cpu_gone_while_it_decompresses(test, entry);
	}
}

/* Neither does a CPU go while a pool gets its compressor, nor is a pool without it then. */
static void cpu_goes_while_a_pool_is_made(struct kunit *test)
{
	struct side switching = {
		.run = do_set_param, .word = "zswap.compressor", .value = "lzo-rle",
	};
	struct side removing = { .run = do_remove_cpu, .nr = 1 };
	swp_entry_t entry = {};
	bool waits = false;

	needs_point(test, "prepare:after_alloc");
	if (side_begin(test, &switching, "prepare:after_alloc")) {
		side_begin(test, &removing, NULL);
		waits = side_waits(&removing);
		entry = swapped(test, 0, 7);
	}
	side_end(test, &switching);
	side_end(test, &removing);
	KUNIT_EXPECT_TRUE(test, waits);
	KUNIT_EXPECT_EQ(test, (int)switching.found, 0);
	if (entry.val)
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	entry = swapped(test, 0, 8);
	KUNIT_EXPECT_EQ(test, add_cpu(1), 0);
	KUNIT_EXPECT_EQ(test, last_fault(entry), 8ULL);
}

/* --- Cgroups ------------------------------------------------------------------------- */

/* The cgroup is removed when its entry is made, and not on its list: it gets on its parent's. */
static void cgroup_gone_during_a_store(struct kunit *test)
{
	const char *point;

	for_each_point(point, "store:after_prepare", "acomp:before_compress", "store:before_lru_add") {
		struct mem_cgroup *memcg = make_group(test);
		struct side storing = { .run = do_store };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry;
		bool gone = false;

		if (!memcg)
			kunit_skip(test, "there are no cgroups");
		storing.folio = new_folio_of(memcg, 0, 7);
		if (!storing.folio) {
			KUNIT_FAIL(test, "no folio");
			remove_group(memcg);
			put_group(memcg);
			return;
		}
		entry = storing.folio->swap;
		KUNIT_EXPECT_EQ(test, folio_dup_swap(storing.folio, NULL), 0);
		if (side_begin(test, &storing, point))
			gone = remove_group(memcg);
		side_end(test, &storing);
		evict(storing.folio);
		KUNIT_EXPECT_TRUE(test, storing.found);
		KUNIT_EXPECT_TRUE(test, gone);
		press(root_mem_cgroup, 1);
		press(root_mem_cgroup, 1);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 1);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
		put_group(memcg);
	}
}

/* Entries outlive their cgroup, and leave whichever list they are on by then. */
static void cgroup_gone_while_entries_go(struct kunit *test)
{
	struct side freeing = { .run = do_lose_user, .stop.stay_ms = A_WHILE_MS };
	struct side writeback = { .run = do_press };
	unsigned long written = event(ZSWPWB);
	swp_entry_t entries[4] = {};
	struct mem_cgroup *memcg;
	bool gone = false;
	int i;

	needs_point(test, "invalidate:after_erase");
	memcg = make_group(test);
	if (!memcg)
		kunit_skip(test, "there are no cgroups");
	writeback.memcg = memcg;
	for (i = 0; i < 4; i++) {
		struct folio *folio = new_folio_of(memcg, 0, 7 + i);

		if (folio)
			entries[i] = swap_out(test, folio);
	}
	press(memcg, 4);
	freeing.entry = entries[0];
	/* The first is known to writeback, and being freed; the third goes after the cgroup. */
	if (side_begin(test, &writeback, "writeback:after_lru_unlock")) {
		side_begin(test, &freeing, "invalidate:after_erase");
		gone = remove_group(memcg);
		lose_user(entries[2]);
		side_end(test, &freeing);
	}
	side_end(test, &writeback);
	KUNIT_EXPECT_TRUE(test, gone);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written);
	KUNIT_EXPECT_EQ(test, stored(), 2L);
	press(root_mem_cgroup, 1);
	KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + 1);
	KUNIT_EXPECT_EQ(test, last_fault(entries[1]), 8ULL);
	KUNIT_EXPECT_EQ(test, last_fault(entries[3]), 10ULL);
	put_group(memcg);
}

/* The limit's worker is at a cgroup that is removed: it neither keeps it nor stops. */
static void cgroup_gone_while_the_worker_has_it(struct kunit *test)
{
	unsigned int pass;

	needs_point(test, "shrink:after_next_memcg");
	for (pass = 0; pass < 4; pass++) {
		unsigned long limit = jiffies + PATIENCE;
		struct mem_cgroup *memcg = make_group(test);
		struct race_stop stop = { .pass = pass };
		swp_entry_t entries[2] = {};
		struct folio *folio;
		bool gone = false;

		if (!memcg)
			kunit_skip(test, "there are no cgroups");
		entries[0] = swapped(test, 0, 7);
		folio = new_folio_of(memcg, 0, 8);
		if (folio)
			entries[1] = swap_out(test, folio);
		folio = new_folio(0, 9);
		if (!folio) {
			KUNIT_FAIL(test, "no folio");
			return;
		}
		race_stop_arm(&stop, "shrink:after_next_memcg", NULL);
		set_param("zswap.max_pool_percent", "0");
		KUNIT_EXPECT_FALSE(test, store(folio));
		drop(folio);
		KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&stop.reached, PATIENCE), 0);
		gone = remove_group(memcg);
		put_group(memcg);
		race_stop_release(&stop);
		KUNIT_EXPECT_FALSE(test, stop.late);
		KUNIT_EXPECT_TRUE(test, gone);
		while (stored() && time_before(jiffies, limit))
			msleep(20);
		set_param("zswap.max_pool_percent", "90");
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, last_fault(entries[0]), 7ULL);
		KUNIT_EXPECT_EQ(test, last_fault(entries[1]), 8ULL);
		KUNIT_EXPECT_EQ(test, left_after_a_while(), 0UL);
	}
}

/* The worker has ended its work at a cgroup that is removed then: nothing keeps it. */
static void cgroup_gone_where_the_worker_has_ended(struct kunit *test)
{
	unsigned long limit = jiffies + PATIENCE;
	struct mem_cgroup *memcg = make_group(test);
	struct folio *folio, *refused;
	swp_entry_t entry = {};

	if (!memcg)
		kunit_skip(test, "there are no cgroups");
	/* All that there is to write back. */
	folio = new_folio_of(memcg, 0, 7);
	refused = new_folio(0, 8);
	if (folio && refused) {
		entry = swap_out(test, folio);
		set_param("zswap.max_pool_percent", "0");
		KUNIT_EXPECT_FALSE(test, store(refused));
		while (stored() && time_before(jiffies, limit))
			msleep(20);
		msleep(A_WHILE_MS);
		set_param("zswap.max_pool_percent", "90");
		KUNIT_EXPECT_EQ(test, stored(), 0L);
	} else {
		KUNIT_FAIL(test, "no folio");
	}
	if (refused)
		drop(refused);
	KUNIT_EXPECT_TRUE(test, remove_group(memcg));
	put_group(memcg);
	if (entry.val)
		KUNIT_EXPECT_EQ(test, last_fault(entry), 7ULL);
	KUNIT_EXPECT_EQ(test, left_after_a_while(), 0UL);
}

/* --- Devices ------------------------------------------------------------------------ */

#define SWAPOFF "swapoff /dev/vda"
#define SWAPON "swapon /dev/vda"

/* The device goes while writeback knows of a slot of it, and is waited for if writeback has it. */
static void swapoff_during_writeback(struct kunit *test)
{
	const char *point;

	for_each_point(point, "writeback:after_lru_unlock", "writeback:after_get_device", "writeback:after_add_folio",
		       "acomp:before_decompress", "writeback:after_decompress") {
		struct side writeback = { .run = do_press };
		struct side swapoff = { .run = do_shell, .word = SWAPOFF };
		unsigned long written = event(ZSWPWB);
		swp_entry_t entry = swapped(test, 0, 7);
		bool knows = !strcmp(point, "writeback:after_lru_unlock");
		bool lost = knows || !strcmp(point, "writeback:after_get_device");
		bool waits = false;

		if (!entry.val)
			return;
		age();
		if (side_begin(test, &writeback, point)) {
			lose_user(entry);
			side_begin(test, &swapoff, NULL);
			if (knows)
				side_end(test, &swapoff);
			else
				waits = side_waits(&swapoff);
		}
		side_end(test, &writeback);
		if (!knows)
			side_end(test, &swapoff);
		KUNIT_EXPECT_EQ(test, waits, !knows);
		KUNIT_EXPECT_EQ(test, (int)swapoff.found, 0);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, event(ZSWPWB), written + !lost);
		KUNIT_EXPECT_EQ(test, shell(SWAPON), 0);
	}
}

/* It waits for a fault as well, which has its page. */
static void swapoff_during_a_load(struct kunit *test)
{
	const char *point;

	for_each_point(point, "add:before_charge", "load:after_lookup", "acomp:before_decompress",
		       "load:after_decompress") {
		struct side load = { .run = do_swapin };
		struct side swapoff = { .run = do_shell, .word = SWAPOFF };
		swp_entry_t entry = swapped(test, 0, 7);
		bool waits = false;

		if (!entry.val)
			return;
		load.entry = entry;
		if (side_begin(test, &load, point)) {
			lose_user(entry);
			side_begin(test, &swapoff, NULL);
			waits = side_waits(&swapoff);
		}
		side_end(test, &load);
		side_end(test, &swapoff);
		KUNIT_EXPECT_TRUE(test, waits);
		KUNIT_EXPECT_EQ(test, load.found, 7ULL);
		KUNIT_EXPECT_EQ(test, (int)swapoff.found, 0);
		KUNIT_EXPECT_EQ(test, stored(), 0L);
		KUNIT_EXPECT_EQ(test, shell(SWAPON), 0);
	}
}

/* --- By chance ---------------------------------------------------------------------- */

#define NR_SLOTS 8
#define CHANCE_MS 2000

/* What several use; what is in it is said under the lock of its folio. */
static struct {
	swp_entry_t entry;
	u64 what;
} slots[NR_SLOTS];

static unsigned long chance_ends;

/* As processes and reclaim. Counts what was wrong. */
static void do_use_slots(struct side *side)
{
	while (time_before(jiffies, chance_ends)) {
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
			evict(folio);
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
	while (time_before(jiffies, chance_ends)) {
		press(root_mem_cgroup, 1 + get_random_u32_below(NR_SLOTS));
		cond_resched();
	}
}

static void do_change_parameters(struct side *side)
{
	static const char * const compressors[] = { "lz4", FAULTY_NAME, "lzo" };

	while (time_before(jiffies, chance_ends)) {
		set_param("zswap.enabled", get_random_u32_below(4) ? "Y" : "N");
		set_param("zswap.max_pool_percent", get_random_u32_below(4) ? "90" : "0");
		set_compressor(compressors[get_random_u32_below(3)]);
		usleep_range(500, 2000);
	}
}

/* What there is no point for, all at once; in any implementation. */
static void all_at_once(struct kunit *test)
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
		slots[i].entry = swapped(test, 0, slots[i].what);
	}
	chance_ends = jiffies + msecs_to_jiffies(CHANCE_MS);
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

static struct kunit_case zswap_races_cases[] = {
	KUNIT_CASE(fault_while_writeback_has_the_folio),
	KUNIT_CASE(writeback_while_a_load_is_under_way),
	KUNIT_CASE(slot_freed_while_writeback_is_under_way),
	KUNIT_CASE(slot_reused_before_writeback_has_it),
	KUNIT_CASE(entry_made_anew_before_writeback_has_it),
	KUNIT_CASE(zeroed_before_writeback_has_it),
	KUNIT_CASE(failed_writeback_leaves_the_slot),
	KUNIT_CASE(failed_writeback_of_a_slot_without_user),
	KUNIT_CASE(next_is_freed_during_writeback),
	KUNIT_CASE(all_is_freed_during_writeback),
	KUNIT_CASE(freed_while_the_walk_looks_at_it),
	KUNIT_CASE(walk_comes_to_an_entry_being_freed),
	KUNIT_CASE(slot_freed_during_a_load),
	KUNIT_CASE(swapin_after_the_slot_has_changed),
	KUNIT_CASE(swapin_after_the_slot_was_freed),
	KUNIT_CASE(two_faults_at_one_slot),
	KUNIT_CASE(folio_leaves_while_it_is_looked_up),
	KUNIT_CASE(lookup_of_a_folio_that_has_left),
	KUNIT_CASE(loaded_page_that_nobody_takes),
	KUNIT_CASE(writeback_while_a_store_is_refused),
	KUNIT_CASE(writeback_while_a_folio_is_half_stored),
	KUNIT_CASE(half_stored_folio_is_refused),
	KUNIT_CASE(store_at_its_limit_during_a_load),
	KUNIT_CASE(disabled_during_a_store),
	KUNIT_CASE(compressor_switched_meanwhile),
	KUNIT_CASE(retired_pool_dies_with_its_last_page),
	KUNIT_CASE(store_while_the_compressor_is_switched),
	KUNIT_CASE_SLOW(cpu_gone_while_it_compresses),
	KUNIT_CASE(cpu_goes_while_a_pool_is_made),
	KUNIT_CASE(cgroup_gone_during_a_store),
	KUNIT_CASE(cgroup_gone_while_entries_go),
	KUNIT_CASE(cgroup_gone_while_the_worker_has_it),
	KUNIT_CASE(cgroup_gone_where_the_worker_has_ended),
	KUNIT_CASE(swapoff_during_writeback),
	KUNIT_CASE(swapoff_during_a_load),
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
