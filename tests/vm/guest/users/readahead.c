// SPDX-License-Identifier: GPL-2.0
/* Readahead and its hits. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "users.h"

#define AHEAD 512

/* The i-th page that is read. */
static size_t place(const char *pattern, size_t i)
{
	static uint64_t x;

	if (!strcmp(pattern, "sequential"))
		return i;
	if (!strcmp(pattern, "backward"))
		return AHEAD - 1 - i;
	if (!strncmp(pattern, "stride", 6)) {
		size_t stride = atol(pattern + 6);

		return i * stride < AHEAD ? i * stride : AHEAD;
	}
	if (strcmp(pattern, "random")) {
		errno = EINVAL;
		die(pattern);
	}
	if (!i)
		x = 88172645463325252ULL;
	return next(&x) >> 20 & (AHEAD - 1);
}

/* Reads by a pattern, and prints readahead, hits, and major faults. */
static void ahead(struct area *a, const char *pattern)
{
	long ra, hit, faults;

	soon(settled);
	drop();
	ra = vmstat("swap_ra");
	hit = vmstat("swap_ra_hit");
	faults = major();
	step = pattern;
	for (size_t i = 0; i < AHEAD; i++)
		if (place(pattern, i) < AHEAD)
			check_page(a, place(pattern, i));
	faults = major() - faults;
	ra = vmstat("swap_ra") - ra;
	hit = vmstat("swap_ra_hit") - hit;
	say("read ahead %ld, hit %ld, major %ld", ra, hit, faults);
	check(a, "all of it");
	say("same");
}

static void scene_ahead(const char *pattern)
{
	struct area a = anon(AHEAD, false);

	fill(&a, 0, 1, 1);
	out(&a);
	ahead(&a, pattern);
}

/* Pages that are adjacent in memory are at least 83 slots apart. */
static void scene_ahead_scattered(const char *pattern)
{
	struct area a = anon(AHEAD, false);

	fill(&a, 0, 1, 1);
	for (size_t i = 0; i < AHEAD; i++)
		out_some(&a, i * 37 % AHEAD, 1);
	out(&a);
	ahead(&a, pattern);
}

static void scene_ahead_shared(const char *pattern)
{
	int fd;
	struct area a = shared(AHEAD, &fd);

	fill(&a, 0, 1, 1);
	squeeze(&a, resident, 0);
	ahead(&a, pattern);
}

const struct scene readahead_scenes[] = {
	{ "ahead", .play_with = scene_ahead },
	{ "ahead-scattered", .play_with = scene_ahead_scattered },
	{ "ahead-shared", .play_with = scene_ahead_shared },
	{}
};
