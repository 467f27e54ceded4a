// SPDX-License-Identifier: GPL-2.0
/* Huge pages: partly mapped, split, and collapsed again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "users.h"

static long swapped_whole(long kib)
{
	return folio_stat(kib, "swpout") + folio_stat(kib, "zswpout");
}

static void out_whole(struct area *a)
{
	long before = swapped_whole(2048);
	size_t pages = out(a);

	say("out %zu in %ld", pages, swapped_whole(2048) - before);
}

static void forget(struct area *a, size_t first, size_t n)
{
	ADVISE(a, first, n, MADV_DONTNEED);
	for (size_t i = first; i < first + n; i++)
		a->seeds[i] = ZERO;
}

static void unmap(struct area *a, size_t first, size_t n)
{
	if (munmap(a->mem + first * PAGE, n * PAGE))
		die("munmap");
	for (size_t i = first; i < first + n; i++)
		a->seeds[i] = GONE;
}

#define HUGE_ONES 3

static struct area huge_area(void)
{
	struct area a = anon(HUGE_ONES * HUGE_PAGES, true);

	fill(&a, 0, 1, 1);
	ADVISE_ALL(&a, MADV_NOHUGEPAGE); /* don't collapse it again */
	return a;
}

/* While it is swapped out, some of it comes back, and some is freed. */
static void scene_thp_parts(void)
{
	struct area a = huge_area();

	out_whole(&a);
	step = "some pages";
	for (size_t i = 0; i < a.pages; i += 7)
		check_page(&a, i);
	fill(&a, 3, 11, 2);
	check(&a, "parts came back");
	say("out %zu", out(&a));
	for (size_t i = 0; i < HUGE_ONES; i++) {
		forget(&a, i * HUGE_PAGES + 5, 1);
		forget(&a, i * HUGE_PAGES + 64, 100);
		unmap(&a, i * HUGE_PAGES + 300, 17);
	}
	check(&a, "parts given back");
	say("same");
}

/* A partly mapped huge page is split under memory pressure. */
static void scene_thp_deferred(void)
{
	struct area a = huge_area();
	long deferred = folio_stat(2048, "split_deferred"), split = vmstat("thp_split_page");

	for (size_t i = 0; i < a.pages; i += 4)
		forget(&a, i, 1);
	say("deferred %ld", folio_stat(2048, "split_deferred") - deferred);
	/* Zeroed pages become the zero page in a split. */
	say("out %zu", a.pages - squeeze(&a, in_memory, a.pages / 4 + a.pages / 16));
	say("split %ld", vmstat("thp_split_page") - split);
	check(&a, "split and swapped");
	say("same");
}

static void scene_thp_moved(void)
{
	struct area a = huge_area();
	size_t size = a.pages * PAGE;
	unsigned char *to = room(a.pages) + 64 * PAGE;

	out_whole(&a);
	if (mremap(a.mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	a.mem = to;
	say("moved %zu", swapped(&a));
	check(&a, "moved");
	say("same");
}

/* Split in the swap cache, where it stays after it is written to a disk. */
static void scene_thp_split(void)
{
	struct area a = huge_area();
	long split = vmstat("thp_split_page");
	char where[80];

	out_whole(&a);
	soon(settled);
	say("cached %zu", cached(NULL));
	for (size_t i = 0; i < a.pages; i += HUGE_PAGES)
		check_page(&a, i + 5);
	snprintf(where, sizeof(where), "%d,0x%lx,0x%lx", getpid(), (unsigned long)a.mem,
		 (unsigned long)(a.mem + a.pages * PAGE));
	write_to("/sys/kernel/debug/split_huge_pages", where);
	say("split %ld, cached %zu", vmstat("thp_split_page") - split, cached(NULL));
	check(&a, "split");
	fill(&a, 0, 3, 2);
	say("out %zu", out(&a));
	soon(settled);
	drop();
	check(&a, "out again");
	say("same");
}

static long anon_huge(void)
{
	return number_in("/proc/self/smaps_rollup", "AnonHugePages");
}

static long huge_want;

static bool all_huge(void)
{
	return anon_huge() == huge_want;
}

static struct area swapped_in_parts(void)
{
	struct area a = anon(2 * HUGE_PAGES, false);

	fill(&a, 0, 1, 1);
	out_some(&a, 10, 200);
	out_some(&a, HUGE_PAGES, 1);
	ADVISE_ALL(&a, MADV_HUGEPAGE);
	say("swapped %zu", swapped(&a));
	return a;
}

static void scene_collapse(void)
{
	struct area a = swapped_in_parts();
	long before = anon_huge();

	ADVISE_ALL(&a, MADV_COLLAPSE);
	say("huge %ld KiB", anon_huge() - before);
	check(&a, "collapsed");
	say("out %zu", out(&a));
	/* Now with all of it swapped out. */
	ADVISE_ALL(&a, MADV_COLLAPSE);
	say("swapped %zu", swapped(&a));
	check(&a, "collapsed again");
	say("same");
}

static void scene_khugepaged(void)
{
	struct area a = swapped_in_parts();
	long before = anon_huge();

	write_to(THP "khugepaged/max_ptes_swap", "511");
	write_to(THP "khugepaged/pages_to_scan", "4096");
	write_to(THP "khugepaged/alloc_sleep_millisecs", "10");
	write_to(THP "khugepaged/scan_sleep_millisecs", "10");
	huge_want = before + 4096;
	soon(all_huge);
	write_to(THP "khugepaged/scan_sleep_millisecs", "1000000000");
	say("huge %ld KiB, swapped %zu", anon_huge() - before, swapped(&a));
	check(&a, "collapsed");
	say("out %zu", out(&a));
	check(&a, "at the end");
	say("same");
}

static void scene_collapse_shared(void)
{
	int fd;
	struct area a = shared(2 * HUGE_PAGES, &fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	ADVISE_ALL(&a, MADV_COLLAPSE);
	say("huge %ld KiB", number_in("/proc/self/smaps_rollup", "ShmemPmdMapped"));
	check(&a, "collapsed");
	say("same");
}

const struct scene thp_scenes[] = {
	{ "thp-parts", .play = scene_thp_parts },
	{ "thp-deferred", .play = scene_thp_deferred },
	{ "thp-moved", .play = scene_thp_moved },
	{ "thp-split", .play = scene_thp_split },
	{ "collapse", .play = scene_collapse },
	{ "khugepaged", .play = scene_khugepaged },
	{ "collapse-shared", .play = scene_collapse_shared },
	{}
};
