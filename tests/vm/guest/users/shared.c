// SPDX-License-Identifier: GPL-2.0
/* Shared memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "users.h"

static void check_file(const struct area *a, int fd, const char *now)
{
	static unsigned char page[PAGE];

	step = now;
	for (size_t i = 0; i < a->pages; i++) {
		if (pread(fd, page, PAGE, i * PAGE) != (ssize_t)PAGE)
			die("pread");
		same(page, a->seeds[i], i);
	}
}

static void scene_shared(void)
{
	int fd;
	struct area a = shared(1024, &fd), b = map(a.pages, fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	b.seeds = a.seeds;
	check(&b, "by another mapping");
	fill(&b, 0, 3, 2);
	say("there %zu", squeeze(&a, resident, 0));
	check_file(&a, fd, "by read()");
	squeeze(&a, resident, 0);

	/* Swapped out by one process, written by another. */
	if (!spawn()) {
		fill(&b, 1, 3, 3);
		check(&b, "in the child");
		end_child();
	}
	for (size_t i = 1; i < a.pages; i += 3)
		a.seeds[i] = 3;
	say("child %d", reap(1));
	check(&a, "after the child");

	squeeze(&a, resident, 0);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 100 * PAGE, 333 * PAGE))
		die("fallocate");
	for (size_t i = 100; i < 433; i++)
		a.seeds[i] = ZERO;
	/*
	 * Not in the middle of 64 KiB: if that is swapped out as a whole, mm/shmem.c loops forever.
	 */
	if (ftruncate(fd, 768 * PAGE) || ftruncate(fd, a.pages * PAGE))
		die("ftruncate");
	for (size_t i = 768; i < a.pages; i++)
		a.seeds[i] = ZERO;
	check(&a, "with a hole");
	check_file(&a, fd, "with a hole, by read()");
	say("same");
}

const struct scene shared_scenes[] = {
	{ "shared", .play = scene_shared },
	{}
};
