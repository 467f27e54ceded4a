// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how zswap scales with the number of CPUs, for either implementation. A thread on each of
 * 1, 2, 4... CPUs stores, loads and frees pages of its own, all at once. Prints lines of fields
 * separated by tabs:
 *
 *   rate, IMPLEMENTATION, SETUP, THREADS, OPERATION, CONTENT, pages per second of all threads
 *   classes, CONTENT, classes of zsmalloc, percent of the pages in the fullest, in the next...
 *
 * Setups: the cgroup that pages are charged to is the root, one for all or each thread's own; slots
 * are in neighbouring clusters, or scattered over the device. No two threads have slots in one
 * cluster. The setup "control" has operations that aren't zswap's. Has no limit for times: fails
 * only if a page isn't stored, or is loaded with other contents. The measurement scaling runs it.
 */

#include <asm/sections.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/lz4.h>
#include <linux/sort.h>
#include <linux/zsmalloc.h>

#include "swap_test.h"

#ifndef MAX_POSSIBLE_PHYSMEM_BITS
#error "UML needs patches/um/0002-um-as-on-x86-64.patch"
#endif
/* Else zs_free() takes the pool's lock (ZS_OBJ_CLASS_BITS in mm/zsmalloc.c). */
static_assert(BITS_PER_LONG - (MAX_POSSIBLE_PHYSMEM_BITS - PAGE_SHIFT) >= 9 + 3 + PAGE_SHIFT - 5);

/* For which 1 GiB is enough. */
#define MAX_THREADS 32
#define ROUNDS 5
/* Of a thread: whole clusters. */
#define PAGES 2048
/* How often a control does its operation, and takes its lock. */
#define TIMES 4
#define LOCK_TIMES 64
#define LZ4_ROOM LZ4_COMPRESSBOUND(PAGE_SIZE)

/* --- Contents ---------------------------------------------------------------- */

/* The kernel's own code and constants compress to many sizes. */
enum { KERNEL = RANDOM + 1, CONTENTS };

static const char *const contents[CONTENTS] = { "same", "text", "random", "kernel" };

/* Page @i of thread @id. All threads have the same pages of the kernel, except for one word. */
static void make_page(u64 *to, int content, int id, int i)
{
	long text = (_etext - _stext) / PAGE_SIZE;
	long constants = (__end_rodata - __start_rodata) / PAGE_SIZE;

	if (content != KERNEL) {
		make_content(to, content, id * PAGES + i);
		return;
	}
	i %= text + constants;
	memcpy(to, i < text ? _stext + i * PAGE_SIZE : __start_rodata + (i - text) * PAGE_SIZE,
	       PAGE_SIZE);
	to[0] ^= id;
}

/* --- Threads ----------------------------------------------------------------- */

struct thread {
	spinlock_t lock;		/* for lock_own() */
	unsigned long locked;
	u64 start ____cacheline_aligned;
	u64 end;
	u64 x;				/* random numbers */
	struct folio *folios[PAGES];
	bool stored[PAGES];		/* for mixed() */
	u64 scratch[PAGE_SIZE / sizeof(u64)];
	u8 workmem[LZ4_MEM_COMPRESS] __aligned(8);
	u8 compressed[SWAPFILE_CLUSTER][LZ4_ROOM];
	int len[SWAPFILE_CLUSTER];
	struct task_struct *task;
	struct completion done;
	int id;
	/* Stores, loads, locks, compressions; pages with other contents. */
	long failed, wrong;
};

static struct thread *threads[MAX_THREADS];
static int running;
static const char *setup_name;
static bool with_controls;

static struct {
	spinlock_t lock ____cacheline_aligned;
	unsigned long locked;
} shared;

/* The threads that wait, and how often all have met. */
static atomic_t waiting ____cacheline_aligned;
static unsigned int meetings ____cacheline_aligned;

/* Waits for all threads. */
static void meet(void)
{
	unsigned int now = READ_ONCE(meetings), n = 0;

	if (atomic_inc_return(&waiting) == running) {
		atomic_set(&waiting, 0);
		/* What the threads did before comes before what they do after: with the acquire. */
		smp_store_release(&meetings, now + 1);
		return;
	}
	/* See above. */
	while (smp_load_acquire(&meetings) == now) {
		cpu_relax();
		if (!(++n % 4096))
			cond_resched();
	}
}

/* --- Operations -------------------------------------------------------------- */

/* As in reclaim. */
static void store_all(struct thread *t)
{
	unsigned int flags = memalloc_noreclaim_save();
	int i;

	for (i = 0; i < PAGES; i++)
		t->failed += !zswap_store(t->folios[i]);
	memalloc_noreclaim_restore(flags);
}

static void load_all(struct thread *t)
{
	int i;

	for (i = 0; i < PAGES; i++)
		t->failed += !!zswap_load(t->folios[i]);
}

/* The folios are locked and in the swap cache. */
static void free_each(struct thread *t)
{
	int i;

	for (i = 0; i < PAGES; i++)
		zswap_invalidate(t->folios[i]->swap);
}

/* What another thread has stored. */
static void free_others(struct thread *t)
{
	free_each(threads[(t->id + 1) % running]);
}

static void free_ranges(struct thread *t)
{
	int i;

	for (i = 0; i < PAGES; i += SWAPFILE_CLUSTER) {
		struct swap_cluster_info *ci = swap_cluster_get_and_lock(t->folios[i]);

		zswap_invalidate_range(t->folios[i]->swap, SWAPFILE_CLUSTER);
		swap_cluster_unlock(ci);
	}
}

/* The folio that is loaded has other contents first, in each line. */
static void spoil(struct folio *folio)
{
	u64 *to = folio_address(folio);
	int k;

	for (k = 0; k < PAGE_SIZE / sizeof(u64); k += 8)
		to[k] ^= 0xa5a5a5a5a5a5a5a5ULL;
	folio_clear_dirty(folio);
	folio_clear_uptodate(folio);
}

static void load_again(struct thread *t, int i)
{
	spoil(t->folios[i]);
	t->failed += !!zswap_load(t->folios[i]);
	t->failed += !folio_trylock(t->folios[i]);
}

/*
 * Two operations a page, on pages in random order: store, and then load or free. What is loaded is
 * spoiled before, which counts.
 */
static void mixed(struct thread *t)
{
	unsigned int flags = memalloc_noreclaim_save();
	int n;

	for (n = 0; n < 2 * PAGES; n++) {
		u64 r = next_random(&t->x);
		int i = (r >> 32) % PAGES;

		if (!t->stored[i])
			t->failed += !zswap_store(t->folios[i]);
		else if (r & 1)
			zswap_invalidate(t->folios[i]->swap);
		else
			load_again(t, i);
		t->stored[i] = !t->stored[i];
	}
	memalloc_noreclaim_restore(flags);
}

static void copy(struct thread *t)
{
	int i;

	for (i = 0; i < TIMES * PAGES; i++)
		memcpy(t->scratch, folio_address(t->folios[i % PAGES]), PAGE_SIZE);
}

static void compress(struct thread *t)
{
	int i, k;

	for (i = 0; i < TIMES * PAGES; i++) {
		k = i % SWAPFILE_CLUSTER;
		t->len[k] = LZ4_compress_default(folio_address(t->folios[i % PAGES]),
						 t->compressed[k], PAGE_SIZE, LZ4_ROOM, t->workmem);
		t->failed += t->len[k] <= 0;
	}
}

/* What compress() has compressed last. */
static void decompress(struct thread *t)
{
	int i, k;

	for (i = 0; i < TIMES * PAGES; i++) {
		k = i % SWAPFILE_CLUSTER;
		t->failed += LZ4_decompress_safe(t->compressed[k], (char *)t->scratch, t->len[k],
						 PAGE_SIZE) != PAGE_SIZE;
	}
}

static void take(spinlock_t *lock, unsigned long *locked)
{
	unsigned long flags;
	int i;

	for (i = 0; i < LOCK_TIMES * PAGES; i++) {
		spin_lock_irqsave(lock, flags);
		++*locked;
		spin_unlock_irqrestore(lock, flags);
	}
}

static void lock_own(struct thread *t)
{
	take(&t->lock, &t->locked);
}

static void lock_shared(struct thread *t)
{
	take(&shared.lock, &shared.locked);
}

enum operation {
	STORE, LOAD, FREE_ONE, FREE_OTHERS, FREE_RANGE, MIXED,
	COPY, COMPRESS, DECOMPRESS, LOCK_OWN, LOCK_SHARED, OPERATIONS
};

static const struct {
	const char *name;
	void (*run)(struct thread *t);
} operations[] = {
	[STORE] = { "store", store_all },
	[LOAD] = { "load", load_all },
	[FREE_ONE] = { "free, one slot", free_each },
	[FREE_OTHERS] = { "free, another thread's", free_others },
	[FREE_RANGE] = { "free, a range", free_ranges },
	[MIXED] = { "mixed", mixed },
	[COPY] = { "copy", copy },
	[COMPRESS] = { "lz4, compress", compress },
	[DECOMPRESS] = { "lz4, decompress", decompress },
	[LOCK_OWN] = { "lock, own", lock_own },
	[LOCK_SHARED] = { "lock, shared", lock_shared },
};

/* --- Rounds ------------------------------------------------------------------ */

/* Pages per second of all threads, in each round. The first warms up. */
static u64 rates[OPERATIONS][ROUNDS + 1];

/* All threads do this at once. */
static void timed(struct thread *t, int operation, int round)
{
	u64 count = operation < MIXED ? PAGES : operation == MIXED ? 2 * PAGES :
		    operation < LOCK_OWN ? TIMES * PAGES : LOCK_TIMES * PAGES;
	u64 first = U64_MAX, last = 0;
	int i;

	meet();
	t->start = ktime_get_ns();
	operations[operation].run(t);
	t->end = ktime_get_ns();
	meet();
	if (t->id)
		return;
	for (i = 0; i < running; i++) {
		first = min(first, threads[i]->start);
		last = max(last, threads[i]->end);
	}
	rates[operation][round] = div64_u64(count * running * NSEC_PER_SEC,
					    max(last - first, 1ULL));
}

static void check_all(struct thread *t, int content)
{
	int i;

	for (i = 0; i < PAGES; i++) {
		make_page(t->scratch, content, t->id, i);
		t->wrong += !!memcmp(folio_address(t->folios[i]), t->scratch, PAGE_SIZE);
	}
}

static void do_round(struct thread *t, int content, int round)
{
	int i;

	timed(t, STORE, round);
	for (i = 0; i < PAGES; i++)
		spoil(t->folios[i]);
	timed(t, LOAD, round);
	for (i = 0; i < PAGES; i++)
		t->failed += !folio_trylock(t->folios[i]);
	check_all(t, content);
	store_all(t);
	timed(t, FREE_ONE, round);
	if (running > 1) {
		store_all(t);
		timed(t, FREE_OTHERS, round);
	}
	store_all(t);
	timed(t, FREE_RANGE, round);
	timed(t, MIXED, round);
	for (i = 0; i < PAGES; i++) {
		if (t->stored[i])
			load_again(t, i);
		t->stored[i] = false;
	}
	check_all(t, content);
	for (i = COPY; with_controls && i < OPERATIONS; i++)
		timed(t, i, round);
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void print_rates(int content)
{
	int i;

	for (i = 0; i < OPERATIONS; i++) {
		if (!rates[i][ROUNDS])
			continue;
		sort(rates[i] + 1, ROUNDS, sizeof(u64), compare, NULL);
		pr_info("zswap_scale:\trate\t%s\t%s\t%d\t%s\t%s\t%llu\n",
			IS_ENABLED(CONFIG_ZSWAP_RUST) ? "rust" : "c",
			i < COPY ? setup_name : "control",
			running, operations[i].name, contents[content], rates[i][1 + ROUNDS / 2]);
	}
	memset(rates, 0, sizeof(rates));
}

static int thread_main(void *data)
{
	struct thread *t = data;
	int content, i;

	for (content = 0; content < CONTENTS; content++) {
		for (i = 0; i < PAGES; i++)
			make_page(folio_address(t->folios[i]), content, t->id, i);
		for (i = 0; i <= ROUNDS; i++)
			do_round(t, content, i);
		meet();
		if (!t->id)
			print_rates(content);
	}
	complete(&t->done);
	return 0;
}

static void run_threads(struct kunit *test, int nr)
{
	unsigned long before = stored();
	int i;

	running = nr;
	for (i = 0; i < nr; i++) {
		struct thread *t = threads[i];

		t->failed = 0;
		t->wrong = 0;
		init_completion(&t->done);
		t->task = kthread_create_on_cpu(thread_main, t, i, "scale/%u");
		if (IS_ERR(t->task)) {
			while (i--)
				kthread_stop(threads[i]->task);
			KUNIT_FAIL_AND_ABORT(test, "no thread");
		}
	}
	for (i = 0; i < nr; i++)
		wake_up_process(threads[i]->task);
	for (i = 0; i < nr; i++) {
		wait_for_completion(&threads[i]->done);
		KUNIT_EXPECT_EQ_MSG(test, threads[i]->failed, 0L, "thread %d of %d", i, nr);
		KUNIT_EXPECT_EQ_MSG(test, threads[i]->wrong, 0L, "thread %d of %d", i, nr);
	}
	KUNIT_EXPECT_EQ(test, stored(), before);
}

/* --- Setups ------------------------------------------------------------------ */

enum owner { ROOT, ONE, EACH };

static int nr_cpus(void)
{
	return min(num_online_cpus(), MAX_THREADS);
}

/* Makes a free cluster the next that is allocated from. */
static void prefer(struct swap_info_struct *si, unsigned long cluster)
{
	struct swap_cluster_info *ci = &si->cluster_info[cluster];

	guard(spinlock)(&si->lock);
	if (ci->flags == CLUSTER_FLAG_FREE)
		list_rotate_to_front(&ci->list, &si->free_clusters);
}

/* In clusters that no thread has. */
static struct folio *spare[SWAPFILE_CLUSTER];

/* Gives a thread folios whose slots are whole clusters. */
static void make_folios(struct kunit *test, struct thread *t, bool scattered)
{
	struct swap_info_struct *si = swap_test_device();
	int i = 0, nr_spare = 0;

	while (i < PAGES) {
		struct folio *folio;

		if (scattered && i % SWAPFILE_CLUSTER == 0)
			prefer(si, next_random(&t->x) % (si->max / SWAPFILE_CLUSTER));
		folio = new_folio(test, 0, 0);
		KUNIT_ASSERT_NOT_NULL(test, folio);
		if (swp_cluster_offset(folio->swap) == i % SWAPFILE_CLUSTER) {
			t->folios[i++] = folio;
			continue;
		}
		/* The rest of the cluster that was allocated from before. */
		while (nr_spare < SWAPFILE_CLUSTER && spare[nr_spare])
			nr_spare++;
		if (nr_spare < SWAPFILE_CLUSTER && i % SWAPFILE_CLUSTER == 0) {
			spare[nr_spare] = folio;
			continue;
		}
		drop(folio);
		KUNIT_FAIL_AND_ABORT(test, "slots are scattered");
	}
}

static void drop_all(struct folio **folios, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (folios[i])
			drop(folios[i]);
	memset(folios, 0, nr * sizeof(*folios));
}

static struct mem_cgroup *groups[MAX_THREADS];

static const char *group_name(int i)
{
	static char name[16];

	snprintf(name, sizeof(name), "scale%d", i);
	return name;
}

static void scale(struct kunit *test, const char *name, enum owner owner, bool scattered)
{
	struct mem_cgroup *group = NULL, *old;
	int i, n, nr = nr_cpus();

	setup_name = name;
	with_controls = owner == ROOT && !scattered;
	for (i = 0; i < nr; i++) {
		if (owner == EACH || (owner == ONE && !i)) {
			group = swap_test_make_group(group_name(i));
			KUNIT_ASSERT_FALSE(test, IS_ERR(group));
			groups[i] = group;
		}
		old = set_active_memcg(group);
		make_folios(test, threads[i], scattered);
		set_active_memcg(old);
	}
	for (n = 1; n < nr; n *= 2)
		run_threads(test, n);
	run_threads(test, nr);
}

static void in_root(struct kunit *test)
{
	scale(test, "root", ROOT, false);
}

static void in_one(struct kunit *test)
{
	scale(test, "one cgroup", ONE, false);
}

static void in_each(struct kunit *test)
{
	scale(test, "a cgroup each", EACH, false);
}

static void in_scattered(struct kunit *test)
{
	scale(test, "root, scattered", ROOT, true);
}

static int descending(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

/* How the pages of each content divide into zsmalloc's classes, whose locks they take. */
static void classes(struct kunit *test)
{
	struct zs_pool *pool = zs_create_pool("scale");
	struct thread *t = threads[0];
	int content, i, len, at, nr = 8 * PAGES;
	static char shares[128];
	static int count[256];

	KUNIT_ASSERT_NOT_NULL(test, pool);
	for (content = 0; content < CONTENTS; content++) {
		memset(count, 0, sizeof(count));
		for (i = 0; i < nr; i++) {
			make_page(t->scratch, content, 0, i);
			len = LZ4_compress_default((char *)t->scratch, t->compressed[0], PAGE_SIZE,
						   LZ4_ROOM, t->workmem);
			/* zswap stores what doesn't become smaller as it is. */
			count[zs_lookup_class_index(pool, min_t(int, len, PAGE_SIZE))]++;
		}
		sort(count, ARRAY_SIZE(count), sizeof(int), descending, NULL);
		for (len = 0; len < ARRAY_SIZE(count) && count[len]; len++)
			;
		for (i = at = 0; i < min(len, 12); i++)
			at += scnprintf(shares + at, sizeof(shares) - at, " %d.%d",
					count[i] * 100 / nr, count[i] * 1000 / nr % 10);
		pr_info("zswap_scale:\tclasses\t%s\t%d\t%s\n", contents[content], len, shares + 1);
	}
	zs_destroy_pool(pool);
}

/* --- The suite --------------------------------------------------------------- */

static void free_threads(void)
{
	int i;

	for (i = 0; i < MAX_THREADS; i++) {
		kvfree(threads[i]);
		threads[i] = NULL;
	}
}

static void zswap_scale_end(struct kunit_suite *suite)
{
	free_threads();
	swap_test_end(suite);
}

static int zswap_scale_begin(struct kunit_suite *suite)
{
	static const char *const params[][2] = {
		{ "zswap.enabled", "Y" }, { "zswap.compressor", "lz4" },
		{ "zswap.shrinker_enabled", "N" }, { "zswap.max_pool_percent", "100" },
	};
	int i, ret;

	swap_test_pages = 262144; /* 1 GiB, of which nothing is written */
	ret = swap_test_begin(suite);
	if (ret)
		return ret;
	spin_lock_init(&shared.lock);
	for (i = 0; i < ARRAY_SIZE(params) && !ret; i++)
		ret = set_param(params[i][0], params[i][1]);
	for (i = 0; i < nr_cpus() && !ret; i++) {
		threads[i] = kvzalloc_obj(*threads[i]);
		if (!threads[i]) {
			ret = -ENOMEM;
			break;
		}
		threads[i]->id = i;
		threads[i]->x = 88172645463325252ULL + i;
		spin_lock_init(&threads[i]->lock);
	}
	if (ret)
		zswap_scale_end(suite);
	return ret;
}

/* Slots are allocated on one CPU. */
static int zswap_scale_init(struct kunit *test)
{
	return set_cpus_allowed_ptr(current, cpumask_of(0));
}

static void zswap_scale_exit(struct kunit *test)
{
	int i;

	for (i = 0; i < nr_cpus(); i++)
		drop_all(threads[i]->folios, PAGES);
	drop_all(spare, ARRAY_SIZE(spare));
	for (i = 0; i < nr_cpus(); i++) {
		if (!groups[i])
			continue;
		KUNIT_EXPECT_EQ(test, swap_test_remove_group(group_name(i)), 0);
		mem_cgroup_put(groups[i]);
		groups[i] = NULL;
	}
}

static struct kunit_case zswap_scale_cases[] = {
	KUNIT_CASE_SLOW(classes),
	KUNIT_CASE_SLOW(in_root),
	KUNIT_CASE_SLOW(in_one),
	KUNIT_CASE_SLOW(in_each),
	KUNIT_CASE_SLOW(in_scattered),
	{}
};

static struct kunit_suite zswap_scale_suite = {
	.name = "zswap_scale",
	.suite_init = zswap_scale_begin,
	.suite_exit = zswap_scale_end,
	.init = zswap_scale_init,
	.exit = zswap_scale_exit,
	.test_cases = zswap_scale_cases,
};

kunit_test_suite(zswap_scale_suite);
