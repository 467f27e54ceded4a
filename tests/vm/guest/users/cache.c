// SPDX-License-Identifier: GPL-2.0
/* The swap cache seen from outside: mincore(), MADV_WILLNEED, compaction. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "users.h"

/* Reading takes time; mincore() shows when it is done. Returns how many pages are there. */
static size_t arrived(const struct area *a, size_t want)
{
	soon(settled);
	for (int i = 0; i < 2000 && resident(a) != want; i++)
		usleep(10000);
	return resident(a);
}

static void willneed(struct area *a, size_t first)
{
	long before, base = cached(NULL);
	size_t there;

	say("there %zu", resident(a));
	ADVISE(a, first, a->pages / 2, MADV_WILLNEED);
	there = arrived(a, a->pages / 2);
	say("there %zu, cached %zu", there, cached(NULL) - base);
	before = major();
	step = "after MADV_WILLNEED";
	for (size_t i = first; i < first + a->pages / 2; i++)
		check_page(a, i);
	say("major %ld", major() - before);
	check(a, "all of it");
}

static void scene_willneed(void)
{
	struct area a = anon(512, false);

	fill(&a, 0, 1, 1);
	out(&a);
	soon(settled);
	drop();
	willneed(&a, 128);
	say("same");
}

static void scene_willneed_shared(void)
{
	int fd;
	struct area a = shared(512, &fd);

	fill(&a, 0, 1, 1);
	squeeze(&a, resident, 0);
	soon(settled);
	drop();
	willneed(&a, 128);
	say("same");
}

#define FRAMES (1UL << 21)

/* Compaction moves pages that are in the swap cache but in no page table. */
static void scene_compact(void)
{
	static bool before[FRAMES], after[FRAMES];
	struct area a = anon(8192, false), between = anon(3 * a.pages, false);
	size_t there, moved = 0, still = 0;

	fill(&a, 0, 1, 1);
	out(&a);
	soon(settled);
	drop();
	/*
	 * Some 16 pages in each 64 frames, with free ones between them: compaction doesn't move
	 * pages into a completely free block.
	 */
	for (size_t i = 0; i < a.pages; i += 16) {
		ADVISE(&a, i, 16, MADV_WILLNEED);
		memset(between.mem + 3 * i * PAGE, 1, 3 * 16 * PAGE);
	}
	munmap(between.mem, between.pages * PAGE);
	there = arrived(&a, a.pages);
	say("there %zu, swapped %zu, cached %zu", there, swapped(&a), cached(before));
	for (int tries = 0; tries < 20 && moved < a.pages / 8; tries++) {
		write_to("/proc/sys/vm/compact_memory", "1");
		still = cached(after);
		moved = 0;
		for (size_t i = 0; i < FRAMES; i++)
			moved += before[i] && !after[i];
	}
	say("moved %s, cached %zu", moved >= a.pages / 8 ? "yes" : "no", still);
	check(&a, "moved");
	say("out %zu", out(&a));
	check(&a, "moved and swapped");
	say("same");
}

const struct scene cache_scenes[] = {
	{ "willneed", .play = scene_willneed },
	{ "willneed-shared", .play = scene_willneed_shared },
	{ "compact", .play = scene_compact },
	{}
};
