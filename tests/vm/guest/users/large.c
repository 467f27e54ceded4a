// SPDX-License-Identifier: GPL-2.0
/* Swap-in of large folios. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "users.h"

/* Read as a whole if zswap was never enabled. */
static void scene_large(const char *argument)
{
	long kib = atol(argument), pages = kib * 1024 / PAGE;
	struct area a = anon(1024, true);
	long in, back = 0;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	soon(settled);
	drop();
	in = folio_stat(kib, "swpin");
	for (size_t i = 0; i < a.pages; i += pages) {
		check_page(&a, i + pages / 2);
		for (long k = 0; k < pages; k++)
			back += !is_swapped(&a, i + k);
	}
	say("back %ld in %ld", back, folio_stat(kib, "swpin") - in);
	check(&a, "in");
	fill(&a, 1, 3, 2);
	say("out %zu", out(&a));
	check(&a, "out again");
	say("same");
}

#define BATCH 16 /* pages of 64 KiB */

static bool in_a_row(const struct area *a)
{
	for (size_t i = 1; i < a->pages; i++)
		if (slot(a, i) != slot(a, 0) + i)
			return false;
	return true;
}

/*
 * Moves pages of 4 KiB to addresses where they could come back as a folio of 64
 * KiB.
 */
static void line_up(struct area *a)
{
	size_t size = a->pages * PAGE;
	unsigned char *to = room(a->pages + BATCH);

	/* Not across the boundary between two clusters. */
	for (int tries = 0; tries < 8 && !in_a_row(a); tries++) {
		for (size_t i = 0; i < a->pages; i++)
			touch(a, i);
		out(a);
	}
	if (!in_a_row(a))
		say("slots not in a row");
	to += slot(a, 0) % BATCH * PAGE;
	if (mremap(a->mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	a->mem = to;
	ADVISE_ALL(a, MADV_HUGEPAGE);
}

/* How many pages come back when one page of each 64 KiB is read. */
static size_t back(struct area *a)
{
	line_up(a);
	for (size_t i = 0; i < a->pages; i++)
		if (((uintptr_t)a->mem / PAGE + i) % BATCH == 0)
			touch(a, i);
	return a->pages - swapped(a);
}

/* Pages of 4 KiB in adjacent slots, like those of a folio, except at the ends. */
static void scene_lined_up(const char *argument)
{
	struct area a = anon(10 * BATCH, false);
	bool zero = !strcmp(argument, "zero"), one = !strcmp(argument, "one-zero");
	size_t pages;

	/* A zero page is recorded by the zero mark of its slot: it can't come back with others. */
	for (size_t i = 0; i < a.pages; i++)
		fill_page(&a, i, zero ? ZERO : 1);
	for (size_t i = 7; i < a.pages && !zero && !one; i += 16) {
		memset(a.mem + i * PAGE, 1, PAGE);
		a.seeds[i] = GONE;
	}
	say("out %zu", out(&a));
	pages = back(&a);
	say("%s", pages >= 9 * BATCH ? "whole" : pages <= 10 ? "one by one" : "in parts");
	check(&a, "back");
	say("same");
}

/* Pages of two cgroups don't become one folio, which belongs to one cgroup. */
static void scene_two_cgroups(void)
{
	struct area a = anon(10 * BATCH, false);
	size_t pages;

	if (mkdir("/cg/users2", 0755))
		die("mkdir");
	for (size_t i = 0; i < a.pages; i++) {
		write_to(i % 2 ? "/cg/users2/cgroup.procs" : GROUP "/cgroup.procs", "0");
		fill_page(&a, i, 1);
		if (i % 16 == 7) {
			memset(a.mem + i * PAGE, 1, PAGE);
			a.seeds[i] = GONE;
		}
	}
	write_to(GROUP "/cgroup.procs", "0");
	say("out %zu", out(&a));
	say("theirs %ld", read_from("/cg/users2/memory.swap.current") / 4096);
	pages = back(&a);
	say("%s", pages <= 10 ? "one by one" : "together");
	check(&a, "back");
	for (size_t i = 0; i < a.pages; i++)
		touch(&a, i);
	say("left %ld, same", read_from("/cg/users2/memory.swap.current") / 4096);
	munmap(a.mem, a.pages * PAGE);
	if (rmdir("/cg/users2"))
		die("rmdir");
}

/*
 * One of sixteen pages is back already: the others can't come back as a whole
 * folio.
 */
static void scene_one_is_back(void)
{
	struct area a = anon(1024, true);
	long in;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	ADVISE_ALL(&a, MADV_NOHUGEPAGE);
	for (size_t i = 3; i < a.pages; i += BATCH)
		check_page(&a, i);
	ADVISE_ALL(&a, MADV_HUGEPAGE);
	in = folio_stat(64, "swpin");
	check(&a, "in");
	say("whole %ld, same", folio_stat(64, "swpin") - in);
}

/* There is no memory for a large folio: the fault falls back to a page. */
static void scene_fallback(void)
{
	static const char *const set[][2] = {
		{ "verbose", "0" }, { "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" },
		{ "task-filter", "Y" }, { "min-order", "4" }, { "times", "-1" },
		{ "probability", "100" },
	};
	struct area a = anon(1024, true);
	char file[80];
	long in, fallback;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++) {
		snprintf(file, sizeof(file), "/sys/kernel/debug/fail_page_alloc/%s", set[i][0]);
		write_to(file, set[i][1]);
	}
	in = folio_stat(64, "swpin");
	fallback = folio_stat(64, "swpin_fallback");
	write_to("/proc/self/make-it-fail", "1");
	check(&a, "in");
	write_to("/proc/self/make-it-fail", "0");
	write_to("/sys/kernel/debug/fail_page_alloc/probability", "0");
	say("whole %ld, fallback %ld, same", folio_stat(64, "swpin") - in,
	    folio_stat(64, "swpin_fallback") - fallback);
}

/* At the cgroup's limit, reclaim makes room for a page, but not for a large folio. */
static void scene_over_limit(void)
{
	struct area a = map(1024, -1);
	char max[32];
	long fallback, failed;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	fallback = folio_stat(64, "swpin_fallback_charge");
	/* A quarter of the area. */
	snprintf(max, sizeof(max), "%ld", read_from(GROUP "/memory.current") + a.pages / 4 * PAGE);
	write_to(GROUP "/memory.max", max);
	check(&a, "in");
	write_to(GROUP "/memory.max", "max");
	failed = folio_stat(64, "swpin_fallback_charge") - fallback;
	check(&a, "in again");
	say("charge fallback %s, same", failed ? "yes" : "no");
}

static void scene_large_shared(const char *argument)
{
	long kib = atol(argument), in;
	int fd;
	struct area a = shared(1024, &fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	in = folio_stat(kib, "swpin");
	check(&a, "in");
	say("in %ld, same", folio_stat(kib, "swpin") - in);
}

const struct scene large_scenes[] = {
	{ "large", .play_with = scene_large },
	{ "lined-up", .play_with = scene_lined_up },
	{ "two-cgroups", .play = scene_two_cgroups },
	{ "one-is-back", .play = scene_one_is_back },
	{ "fallback", .play = scene_fallback },
	{ "over-limit", .play = scene_over_limit },
	{ "large-shared", .play_with = scene_large_shared },
	{}
};
